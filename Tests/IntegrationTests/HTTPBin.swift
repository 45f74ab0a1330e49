import Foundation
import Patchbay

/// The real server of these tests: httpbin, which scripts/test starts and names in PATCHBAY_HTTPBIN.
enum HTTPBin {
    static let url = ProcessInfo.processInfo.environment["PATCHBAY_HTTPBIN"].flatMap { URL(string: $0) }

    /// How to get these tests to run, shown with each that was skipped.
    static let absence = "PATCHBAY_HTTPBIN is not set: run scripts/test, which starts httpbin"

    /// A manager as a user makes one: the standard registry and the default transport.
    static func manager() -> SessionManager {
        SessionManager(baseURL: url)
    }
}
