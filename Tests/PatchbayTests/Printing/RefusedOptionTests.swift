import Foundation
import Patchbay
import PatchbayMigration
import TestSupport
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

    struct Row: Sendable, CustomTestStringConvertible {
        let factory: String
        /// Each of them is refused.
        let options: JSON
        var testDescription: String { factory }
    }

    static let rows = [
        Row(
            factory: "csv-rows",
            options: ["delimiter": ";;", "quote": 3, "header": "yes", "badRow": "skip", "charset": "x"]),
        Row(factory: "xml-document", options: ["maxDepth": 0, "decodes": 1, "maxNodes": -1, "doctype": "x"]),
        Row(factory: "form", options: ["arrays": "x", "bools": 1, "maxFields": -1, "dots": true]),
        Row(factory: "server-sent-events", options: ["events": [], "until": "", "maxLineBytes": 0, "keys": "x"]),
        Row(
            factory: "json",
            options: ["keys": "snake", "dates": 3, "fragments": "x", "foo": 1, "nonConformingFloats": ["nan": 1]]),
        Row(factory: "multipart-parts", options: ["maxParts": 0, "x": 1]),
        Row(factory: "raw", options: ["x": 1, "y": 2]), Row(factory: "text", options: ["lossy": 1]),
    ]

    @Test("every option that is refused is reported, not only the first", arguments: rows)
    func every(_ row: Row) throws {
        let entry: JSON = ["id": "a", "factory": JSON(row.factory), "options": row.options]
        let manifest: JSON = ["manifestVersion": 1, "plugins": [entry]]
        let failure = try #require(throws: ManifestFailure.self) {
            try SerializerRegistry([.text(manifest.serialized(), name: "m")])
        }
        let keys = failure.issues.map { $0.pointer.split(separator: "/").dropFirst(3).first.map(String.init) ?? "" }
        #expect(keys.sorted() == row.options.object?.map(\.key).sorted(), "\(failure)")
    }

    private struct Numbers: Decodable, Sendable { var one: Int?, two: Int? }

    @Test("a factory of a program does not run for a part of the options")
    func part() throws {
        let runs = Shared(0)
        var factories = SerializerFactories()
        try factories.register("own") { (_: Numbers) in
            runs.withLock { $0 += 1 }
            return JSONSerializer()
        }
        let manifest = """
            { "manifestVersion": 1, "plugins": [
              { "id": "a", "factory": "own", "options": { "two": "2", "one": "1", "three": 3 } }
            ] }
            """
        let failure = try #require(throws: ManifestFailure.self) {
            try SerializerRegistry(sources: [.text(manifest, name: "m")], factories: factories)
        }
        let options = "/plugins/0/options"
        #expect(failure.issues.map(\.pointer) == ["\(options)/one", "\(options)/two", "\(options)/three"])
        #expect(runs.withLock { $0 } == 0)
    }

    private struct LongFailure: Error, CustomStringConvertible {
        let description: String
    }
}
