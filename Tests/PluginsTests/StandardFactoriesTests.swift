import PatchbayMigration
import PatchbayRegistry
import Testing

@testable import PatchbayPlugins

/// The list of built-in factories, and what they make of options.
@Suite struct StandardFactoriesTests {
    /// Where the build decodes images; ImageTests hold that it has the factory then.
    static let image = SerializerFactories.standard.names.filter { $0 == "image" }
    static let builtIn =
        ["csv-rows", "form"] + image + [
            "json", "json-seq", "multipart-parts", "ndjson", "problem-json", "property-list", "raw",
            "server-sent-events", "text", "xml-document", "xssi",
        ]

    @Test func names() {
        #expect(SerializerFactories.standard.names == Self.builtIn)
        #expect(SerializerFactories.migration.names == ["xml-parser"])
    }

    private func load(_ factory: String, _ options: String) throws -> SerializerRegistry {
        let manifest = """
            {"manifestVersion": 1, "plugins": [
                {"id": "it", "factory": "\(factory)", "match": {"types": ["a/b"]}, "options": \(options)}
            ]}
            """
        return try SerializerRegistry(
            sources: [.text(manifest, name: "test.json")], factories: .standard.joined(with: .migration))
    }

    @Test(
        "Options that are taken",
        arguments: [
            ("text", #"{"charset": "windows-1252", "lossy": true}"#),
            ("json", #"{"keys": "snakeCase", "dates": "iso8601", "data": "deferred", "nonConformingFloats": "error"}"#),
            ("json", #"{"nonConformingFloats": {"positiveInfinity": "+", "negativeInfinity": "-", "nan": "?"}}"#),
            (
                "json",
                #"{"fragments": false, "duplicateKeys": "error", "removeNulls": "keysAndElements", "singleSpaceIsEmpty": false}"#
            ),
            ("problem-json", #"{"keys": "snakeCase"}"#),
            ("property-list", #"{"charsetOverride": "latin1"}"#),
            (
                "xml-parser",
                #"{"doctype": "allow", "maxDepth": 10000, "maxAttributes": 1, "maxCharacters": 1, "maxNodes": 50000000}"#
            ),
            ("xml-document", #"{"doctype": "ignore", "maxDepth": 10000, "decodes": true}"#),
            ("xml-parser", #"{"doctype": "refuse"}"#),
            ("form", #"{"maxFields": 1000000}"#),
            ("xssi", #"{"prefix": "while(1);"}"#),
            ("server-sent-events", #"{"events": ["a", "message"], "until": "[DONE]", "keys": "snakeCase"}"#),
            ("server-sent-events", #"{"maxLineBytes": 1, "maxEventBytes": 1000000000}"#),
            ("ndjson", #"{"badLines": "skip", "maxLineBytes": 5, "dates": "iso8601"}"#),
            ("json-seq", #"{"badTexts": "skip", "maxTextBytes": 5, "removeNulls": "keys"}"#),
            (
                "csv-rows",
                #"{"delimiter": "\t", "quote": "'", "charset": "latin1", "charsetOverride": "utf-8", "badRows": "skip"}"#
            ),
            ("multipart-parts", #"{"maxParts": 1000000}"#),
        ] + (builtIn + ["xml-parser"]).map { ($0, "{}") })
    func taken(_ factory: String, _ options: String) throws {
        #expect(try load(factory, options).explain(contentType: "a/b").entryID == "it")
    }

    @Test(
        "Options that are refused, each with its place",
        arguments: [
            ("text", #"{"charset": "utf-7"}"#, #"the option charset is "utf-7", which is no charset known here"#),
            ("text", #"{"chraset": "utf-8"}"#, "charset"),
            (
                "json", #"{"dates": "rfc822"}"#,
                #"the option dates must be one of "deferred", "iso8601", "secondsSince1970", "millisecondsSince1970""#
            ),
            ("json", #"{"nonConformingFloats": "convert"}"#, #"must be "error" or an object of three strings"#),
            ("json", #"{"nonConformingFloats": {"nan": "?"}}"#, "positiveInfinity"),
            ("json", #"{"removeNulls": true}"#, "removeNulls"),
            ("json", #"{"keys": "snakecase"}"#, #"; did you mean "snakeCase"?"#),
            ("json", #"{"data": "hex"}"#, #"the option data must be one of "base64", "deferred""#),
            ("json", #"{"duplicateKeys": "first"}"#, #"the option duplicateKeys must be one of "last", "error""#),
            ("xml-document", #"{"maxNodes": 0}"#, "the option maxNodes is 0, and must be from 1 to 50000000"),
            ("property-list", #"{"format": "xml"}"#, "format"),
            (
                "xml-document", #"{"doctype": "maybe"}"#,
                #"the option doctype must be one of "refuse", "ignore", "allow""#
            ),
            ("xml-document", #"{"maxDepth": 0}"#, "the option maxDepth is 0, and must be from 1 to 10000"),
            ("xml-document", #"{"decode": true}"#, "decodes"),
            ("xml-parser", #"{"decodes": true}"#, "decodes"),
            ("xml-parser", #"{"maxDepth": 10001}"#, "the option maxDepth is 10001, and must be from 1 to 10000"),
            ("xml-parser", #"{"maxAttributes": 0}"#, "the option maxAttributes is 0, and must be from 1 to 10000"),
            ("xml-parser", #"{"maxCharacters": 0}"#, "the option maxCharacters is 0, and must be from 1 to 67108864"),
            ("xssi", #"{"prefix": ""}"#, "the option prefix is empty"),
            ("server-sent-events", #"{"events": []}"#, "the option events is empty"),
            ("server-sent-events", #"{"events": ["a", ""]}"#, "the option events has an empty name"),
            ("server-sent-events", #"{"until": ""}"#, "the option until is empty"),
            ("server-sent-events", #"{"maxLineBytes": 0}"#, "the option maxLineBytes is 0, and must be from 1 to"),
            ("server-sent-events", #"{"event": "a"}"#, "events"),
            ("ndjson", #"{"badLines": "ignore"}"#, #"the option badLines must be one of "error", "skip""#),
            ("ndjson", #"{"singleSpaceIsEmpty": true}"#, "singleSpaceIsEmpty"),
            ("json-seq", #"{"maxTextBytes": 0}"#, "the option maxTextBytes is 0, and must be from 1 to"),
            ("csv-rows", #"{"delimiter": ""}"#, "the option delimiter must be one character of ASCII, and no line end"),
            (
                "csv-rows", #"{"delimiter": "\n"}"#,
                "the option delimiter must be one character of ASCII, and no line end"
            ),
            ("csv-rows", #"{"quote": "»"}"#, "the option quote must be one character of ASCII, and no line end"),
            ("csv-rows", #"{"quote": ","}"#, "the option quote must be another character than the delimiter"),
            ("csv-rows", #"{"badRows": "ignore"}"#, #"the option badRows must be one of "error", "skip""#),
            (
                "csv-rows", #"{"charsetOverride": "utf-7"}"#,
                #"the option charsetOverride is "utf-7", which is no charset known here"#
            ),
            (
                "xml-document", #"{"charsetOverride": "utf-7"}"#,
                #"the option charsetOverride is "utf-7", which is no charset known here"#
            ),
            (
                "xml-parser", #"{"charsetOverride": "utf-7"}"#,
                #"the option charsetOverride is "utf-7", which is no charset known here"#
            ),
            (
                "property-list", #"{"charsetOverride": "utf-7"}"#,
                #"the option charsetOverride is "utf-7", which is no charset known here"#
            ),
            ("csv-rows", #"{"charset": "utf-7"}"#, #"the option charset is "utf-7", which is no charset known here"#),
            ("multipart-parts", #"{"maxParts": 0}"#, "the option maxParts is 0, and must be from 1 to 1000000"),
            ("raw", #"{"charset": "utf-8"}"#, "charset"),
            ("form", #"{"maxFields": 0}"#, "the option maxFields is 0, and must be from 1 to 1000000"),
        ])
    func refused(_ factory: String, _ options: String, _ words: String) throws {
        let failure = try #require(throws: ManifestFailure.self) { try load(factory, options) }
        #expect(failure.issues.count == 1)
        #expect(failure.issues.first?.pointer.hasPrefix("/plugins/0") == true)
        #expect("\(failure)".contains(words), "\(failure)")
    }

    @Test("a limit of no bytes leaves no characters, and ends no process", arguments: [(1, nil), (2, "from 1 to 1")])
    func noBytes(_ characters: Int, _ range: String?) throws {
        let entry =
            #"{ "id": "x", "factory": "xml-document", "match": { "types": ["text/x"] }, "limits": { "maxBodyBytes": 0 }, "options": { "maxCharacters": \#(characters) } }"#
        let failure: ManifestFailure?
        do throws(ManifestFailure) {
            _ = try SerializerRegistry(
                sources: [.text(#"{ "manifestVersion": 1, "plugins": [\#(entry)] }"#, name: "x.json")],
                factories: .standard)
            failure = nil
        } catch {
            failure = error
        }
        #expect(
            failure.map { range.map($0.description.contains) ?? false } ?? (range == nil),
            "\(String(describing: failure))")
    }
}
