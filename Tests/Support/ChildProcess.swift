import PatchbayRegistry

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A program run to its end, or to the end of its time, with what it printed.
public struct ChildProcess: Sendable {
    public enum End: Sendable, Hashable {
        case exited(Int32)
        case signalled(Int32)
        case outOfTime
    }

    public struct NotStarted: Error, CustomStringConvertible {
        public let description: String

        public init(description: String) { self.description = description }
    }

    public let end: End
    public let output: [UInt8]
    public let errors: [UInt8]

    public var outputText: String { String(decoding: output, as: UTF8.self) }
    public var errorText: String { String(decoding: errors, as: UTF8.self) }

    /// Runs a program with the environment of this process, Swift's backtracer off, and the given changes.
    ///
    /// - Parameters:
    ///   - path: the program, as a path.
    ///   - environment: variables to set on top.
    ///   - input: what it reads on its standard input; nothing, if not given.
    ///   - directory: where it runs; the directory of this process, if not given.
    ///   - limit: after so long it is killed, and the end is `.outOfTime`.
    public static func run(
        _ path: String, _ arguments: [String] = [], environment: [String: String] = [:],
        input: [UInt8] = [],
        directory: String? = nil, limit: Duration = .seconds(30)
    ) async throws -> ChildProcess {
        try await withCheckedThrowingContinuation { continuation in
            do {
                // A crashed child leaves a backtracer behind that would hold its pipes open.
                let variables = ["SWIFT_BACKTRACE": "enable=no"].merging(environment) { $1 }
                let child = try SpawnedChild(path, arguments, variables, directory)
                try TestThread.start("child") { continuation.resume(returning: child.attend(input, limit)) }
            } catch {
                continuation.resume(throwing: error)
            }
        }
    }
}
