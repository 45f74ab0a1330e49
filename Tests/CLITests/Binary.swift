import Foundation
import TestSupport
import Testing

/// The built `patchbay`, which stands beside the tests.
enum Binary {
    /// What one run printed and how it ended.
    struct Run {
        let code: Int32?
        let output: String
        /// Standard error as it came.
        let allErrors: String
        let bytes: [UInt8]

        /// Standard error without the lines of progress, which a run of over half a second prints.
        var errors: String {
            allErrors.replacing(/(?m)^(received|sent) [^\n]*\/s(, [^\n]* left)?\n/, with: "")
        }
    }

    /// Runs it in an empty folder, so that no `Plugins.json` is found, unless a folder is given.
    static func run(_ arguments: [String], input: [UInt8] = [], in folder: String? = nil) async throws -> Run {
        let scratch = TemporaryFolder()
        let child = try await ChildProcess.run(
            try path, arguments, environment: ["no_proxy": "*", "NO_PROXY": "*"], input: input,
            directory: folder ?? scratch.path)
        var code: Int32?
        if case .exited(let number) = child.end { code = number }
        return Run(code: code, output: child.outputText, allErrors: child.errorText, bytes: child.output)
    }

    static var path: String {
        get throws {
            #if os(Linux)
                let tests = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
            #else
                let bundle = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }
                let tests = try #require(bundle).bundlePath
            #endif
            return URL(fileURLWithPath: tests).deletingLastPathComponent().appendingPathComponent("patchbay").path
        }
    }
}
