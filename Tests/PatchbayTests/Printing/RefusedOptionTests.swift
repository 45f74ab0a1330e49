import Foundation
import Patchbay
import PatchbayMigration
import Testing

/// What an error says of an option, by whoever it is thrown: all of it, while a manifest is loaded.
@Suite struct RefusedOptionTests {
    /// Options of which `init(from:)` throws where the word is the first, and the factory where it is the second.
    private struct Options: Decodable, Sendable {
        let word: String
        init(from decoder: any Decoder) throws {
            word = try decoder.singleValueContainer().decode([String: String].self)["word"] ?? ""
            if word == "described" { throw ForeignError.Described() }
            if word == "number" { _ = try JSON(256).decode(UInt8.self) }
            if word == "type" {
                throw DecodingError.typeMismatch(
                    Int.self, .init(codingPath: [], debugDescription: "only hunter2 is taken"))
            }
        }
    }

    @Test("the text of a refused option is the operator's own, and is shown in full")
    func options() throws {
        let long = String(repeating: "long ", count: 100) + "hunter2"
        var factories = SerializerFactories()
        try factories.register("refusing") { (options: Options) in
            switch options.word {
            case "factory": throw ForeignError.Described()
            case "long": throw LongFailure(description: long)
            case "localized": throw ForeignError.Localized()
            case "payload": throw ForeignError.Payload.refused("hunter2")
            default:
                throw DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: "only hunter2 is taken"))
            }
        }
        let rows = [
            ("described", "bad: hunter2"), ("type", "expected Int: only hunter2 is taken"),
            ("factory", "bad: hunter2"), ("long", long), ("localized", "bad: hunter2"),
            ("payload", #"Payload.refused("hunter2")"#), ("corrupted", "only hunter2 is taken"),
            ("number", "the number does not fit in UInt8"),
        ]
        for (word, text) in rows {
            let manifest = """
                { "manifestVersion": 1, "plugins": [
                  { "id": "a", "factory": "refusing", "options": { "word": "\(word)" } }
                ] }
                """
            let failure = try #require(throws: ManifestFailure.self) {
                try SerializerRegistry(sources: [.text(manifest, name: "m")], factories: factories)
            }
            #expect(failure.issues.map { $0.message.hasSuffix(": \(text)") } == [true], "\(word): \(failure)")
        }
    }

    private struct LongFailure: Error, CustomStringConvertible {
        let description: String
    }
}
