import Patchbay
import TestSupport
import Testing

@testable import PatchbayCLI

@Suite struct ExitCodeTests {
    /// Every code of a session error, and how the program ends.
    @Test(arguments: [
        (SessionError.Code.invalidRequest, ExitCode.usage), (.transport, .transport), (.idleTimeout, .transport),
        (.totalTimeout, .transport), (.redirectRefused, .transport), (.tooManyRedirects, .transport),
        (.status, .status), (.cancelled, .interrupted), (.bodyTooLarge, .serialization), (.noReader, .serialization),
        (.unknownEntry, .serialization), (.missingContentType, .serialization), (.invalidContentType, .serialization),
        (.emptyBody, .serialization), (.serialization, .serialization), (.noWriter, .serialization),
        (.writing, .serialization), (.file, .file),
        (SessionError.Code(rawValue: "unheard of"), .serialization),
    ])
    func `an error ends with its code`(_ code: SessionError.Code, _ exitCode: ExitCode) {
        #expect(ExitCode(code) == exitCode)
    }

    @Test func `the numbers are those of the documentation`() {
        #expect(ExitCode.allCases.map(\.rawValue) == [0, 1, 2, 3, 4, 5, 6, 7, 130])
    }

    @Test func `help and the page have the same table of all codes`() throws {
        let rows = try Markdown("Documentation/CommandLine.md").text.matches(of: /\n\| ([0-9]+) \| ([^|]*) \|/)
        #expect(rows.map { "\($0.1) \($0.2)" } == Command.exitCodes.map { "\($0.code.rawValue) \($0.meaning)" })
        #expect(Command.exitCodes.map(\.code) == ExitCode.allCases)
    }
}
