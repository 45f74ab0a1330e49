import Foundation
import PatchbayJSON
import Testing

private let corpora = ProcessInfo.processInfo.environment["PATCHBAY_CORPORA"]

/// The three large documents of the folder that PATCHBAY_CORPORA names, against Foundation.
@Suite(
    .enabled(if: corpora != nil, "set PATCHBAY_CORPORA to the folder of canada.json and its kin"),
    .timeLimit(.minutes(5)))
struct CorporaTests {
    @Test(arguments: ["canada", "citm_catalog", "twitter"]) func agreesWithFoundation(_ name: String) throws {
        let folder = try #require(corpora)
        let data = try Data(contentsOf: URL(filePath: folder).appending(path: "\(name).json"))
        let json = try JSON(parsing: data, options: .init(refusesDuplicateKeys: true))
        #expect(try ParserDifferentialTests.rounded(json) == ParserDifferentialTests.parsedByFoundation(data))
        #expect(try JSON(parsing: json.description) == json)
    }
}
