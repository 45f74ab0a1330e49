import Foundation
import Testing

@testable import PatchbayCLI

/// The program as the shell sees it: what goes where, and with which exit code.
@Suite(.timeLimit(.minutes(1))) struct BinaryTests {
    @Test func `help goes to standard output`() async throws {
        let run = try await Binary.run(["--help"])
        #expect(run.code == 0)
        #expect(run.output == Command.help(for: nil))
        #expect(run.errors.isEmpty)
    }

    @Test(arguments: Command.Name.allCases) func `every command has help`(_ name: Command.Name) async throws {
        let run = try await Binary.run([name.rawValue, "--help"])
        #expect(run.code == 0)
        #expect(run.output == Command.help(for: name))
    }

    @Test func `the version is one line`() async throws {
        let run = try await Binary.run(["--version"])
        #expect(run.code == 0)
        #expect(run.output == "patchbay \(Program.version)\n")
    }

    @Test(arguments: UsageSentence.all) func `wrong words end with 2`(_ row: UsageSentence) async throws {
        let run = try await Binary.run(row.words)
        #expect(run.code == 2)
        #expect(run.output.isEmpty)
        #expect(run.errors == "patchbay: \(row.sentence)\nTry 'patchbay --help'.\n")
    }
}
