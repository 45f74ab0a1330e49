import Foundation
import PatchbayJSON
import Testing

/// The places where our decoder is meant to differ from Foundation's, each pinned on both sides.
@Suite struct DecoderDifferencesTests {
    struct Difference: Sendable, CustomTestStringConvertible {
        let reason: String
        let item: DecodingCase
        let ours: Outcome
        let theirs: Outcome
        var testDescription: String { reason }
    }

    static let badData = Outcome.failure("dataCorrupted", path: [])

    static let differences: [Difference] = [
        Difference(
            reason: "a number too small for a Double is zero", item: DecodingCase(Double.self, "1e-400"),
            ours: .value("0.0"), theirs: badData),
        Difference(
            reason: "a number too small for a Float is zero", item: DecodingCase(Float.self, "5e-324"),
            ours: .value("0.0"), theirs: badData),
        Difference(
            reason: "a number out of range refuses the document even where it is not decoded",
            item: DecodingCase(Empty.self, #"{"a":1e400}"#),
            ours: .failure("FormatFailure", path: []), theirs: .value("Empty()")),
        Difference(
            reason: "the last of duplicate keys wins, not the first",
            item: DecodingCase([String: Int].self, #"{"a":1,"a":2}"#),
            ours: .value(#"["a": 2]"#), theirs: .value(#"["a": 1]"#)),
        Difference(
            reason: "bad data names the full path",
            item: DecodingCase([[UInt8]].self, "[[1],[2,256]]"),
            ours: .failure("dataCorrupted", path: ["1", "1"]), theirs: badData),
        Difference(
            reason: "a document that is not JSON is a FormatFailure with its place, not a decoding error",
            item: DecodingCase([Int].self, "[1"),
            ours: .failure("FormatFailure", path: []), theirs: badData),
        Difference(
            reason: "a comma after the last element is refused",
            item: DecodingCase([Int].self, "[1,]"),
            ours: .failure("FormatFailure", path: []), theirs: .value("[1]")),
        Difference(
            reason: "UTF-16 is refused",
            item: DecodingCase([Int].self, "[\01\0]\0"),
            ours: .failure("FormatFailure", path: []), theirs: .value("[1]")),
    ]

    @Test(arguments: differences) func differsAsListed(_ difference: Difference) {
        #expect(difference.item.ours(.init()) == difference.ours)
        #expect(difference.item.theirs(JSONDecoder()) == difference.theirs)
    }
}
