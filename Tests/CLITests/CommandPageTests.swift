import TestSupport
import Testing

@testable import PatchbayCLI

/// `Documentation/CommandLine.md` names all that there is.
@Suite struct CommandPageTests {
    @Test func `the page of the command line names every command`() throws {
        let page = try Markdown("Documentation/CommandLine.md").text
        for command in Command.Name.allCases { #expect(page.contains("| `patchbay \(command.rawValue)"), "\(command)") }
    }

    @Test func `the page of the command line names every key of a case`() throws {
        let rows = try Markdown("Documentation/CommandLine.md").text.matches(of: /\n\| `([a-zA-Z]+)` \|/).map {
            String($0.1)
        }
        #expect(rows == TableCase.keys + WritingCase.keys)
    }
}
