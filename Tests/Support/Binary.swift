#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The built `patchbay`, which stands beside the tests.
package enum Binary {
    package struct NoTests: Error {}

    /// What one run printed and how it ended.
    package struct Run: Sendable {
        package let code: Int32?
        package let output: String
        /// Standard error as it came.
        package let allErrors: String
        package let bytes: [UInt8]

        /// Standard error without the lines of progress, which a run of over half a second prints.
        package var errors: String {
            allErrors.replacing(/(?m)^(received|sent) [^\n]*\/s(, [^\n]* left)?\n/, with: "")
        }
    }

    /// Runs it in an empty folder, so that no `Plugins.json` is found, unless a folder is given.
    package static func run(
        _ arguments: [String], input: [UInt8] = [], in folder: String? = nil
    ) async throws -> Run {
        let scratch = TemporaryFolder()
        let child = try await ChildProcess.run(
            try path, arguments, environment: ["no_proxy": "*", "NO_PROXY": "*"], input: input,
            directory: folder ?? scratch.path)
        var code: Int32?
        if case .exited(let number) = child.end { code = number }
        return Run(code: code, output: child.outputText, allErrors: child.errorText, bytes: child.output)
    }

    package static var path: String {
        get throws {
            #if os(Linux)
                let tests = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
            #else
                let bundle = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }
                guard let tests = bundle?.bundlePath else { throw NoTests() }
            #endif
            return URL(fileURLWithPath: tests).deletingLastPathComponent().appendingPathComponent("patchbay").path
        }
    }
}
