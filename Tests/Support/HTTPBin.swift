#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A real server for tests: httpbin, which scripts/test starts and names in PATCHBAY_HTTPBIN.
public enum HTTPBin {
    public static let url = ProcessInfo.processInfo.environment["PATCHBAY_HTTPBIN"].flatMap { URL(string: $0) }

    /// How to get these tests to run, shown with each that was skipped.
    public static let absence = "PATCHBAY_HTTPBIN is not set: run scripts/test, which starts httpbin"
}
