import Foundation
import PatchbayMigration
import PatchbayRegistry
import PatchbayTesting
import PatchbayTools
import Testing

@testable import Patchbay

#if canImport(FoundationXML)
    import FoundationXML
#endif

/// The manifest that the library has built in, and the file at the root that shows it.
@Suite struct StandardManifestTests {
    @Test("Plugins.json and the built-in manifest are the same, byte for byte")
    func sameBytes() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let file = try Data(contentsOf: root.appending(path: "Plugins.json"))
        #expect(file == Data(StandardManifest.text.utf8))
    }

    /// Whether images are decoded in this build.
    private static let hasImages = SerializerFactories.standard.names.contains("image")

    @Test("It loads, and there is nothing to note")
    func loads() {
        #expect(SerializerRegistry.standard.notes == [])
    }

    @Test("1.1.19: xml-parser is left out without its factory, nothing is noted, and PatchbayMigration brings it")
    func xmlParser() throws {
        let body = ResponseBody(Data("<a><b>one</b></a>".utf8))
        let wanted = WantedValue.type(XMLParserSource.self)
        let standard = SerializerRegistry.standard.explain(contentType: "text/xml", producing: wanted)
        #expect(standard.entryID == nil)
        #expect(
            standard.candidates.first { $0.entry == "xml-parser" }?.reason
                == "factory xml-parser needs the product PatchbayMigration")
        #expect(!SerializerRegistry.standard.notes.contains { $0.text.contains("xml-parser") })
        #expect(SerializerRegistry.standard.lint().isEmpty)

        let migrating = SerializerRegistry.migrating
        #expect(migrating.digest == SerializerRegistry.standard.digest)
        #expect(migrating.notes == SerializerRegistry.standard.notes)
        let decision = migrating.explain(contentType: "text/xml", producing: wanted)
        #expect(decision.entryID == "xml-parser")
        let source = try decision.serialize(body, as: XMLParserSource.self).value
        #expect(source.makeParser().parse())
        #expect(migrating.explain(contentType: "text/xml").entryID == "xml")
    }

    @Test(
        "An entry of one's own with that factory is an error that names the module, and one that is optional is no note"
    )
    func ownXMLParser() throws {
        func overlay(_ more: String) -> ManifestSource {
            .text(
                #"{ "manifestVersion": 1, "plugins": [{ "id": "own", "factory": "xml-parser"\#(more) }] }"#, name: "m")
        }
        let failure = try #require(throws: ManifestFailure.self) {
            try SerializerRegistry.standard.overlaid(by: overlay(""))
        }
        #expect(
            failure.issues.map(\.message) == [
                #"the factory "xml-parser" of the entry "own" is not registered; it needs the product PatchbayMigration"#
            ])
        let optional = try SerializerRegistry.standard.overlaid(by: overlay(#", "optional": true"#))
        #expect(optional.notes == SerializerRegistry.standard.notes)
        #expect(try SerializerRegistry.migrating.overlaid(by: overlay("")).explain(contentType: "a/b").entryID == "own")
    }

    @Test(
        "1.14, 1.1.14, 1.1.19, 1.1.20, 1.1.21, 1.1.22, 1.2.15: which entry a media type goes to, those of AFNetworking's serializers among them",
        arguments: [
            ("application/json", "json"), ("text/json", "json"), ("application/vnd.acme+json", "json"),
            ("application/hal+json; charset=utf-8", "json"), ("text/javascript", "javascript-json"),
            ("application/xml", "xml"), ("text/xml", "xml"), ("application/atom+xml", "xml"), ("image/svg+xml", "xml"),
            ("application/x-plist", "property-list"), ("application/x-apple-binary-plist", "property-list"),
            ("application/x-www-form-urlencoded", "form"),
            ("text/html", "text"), ("text/plain", "text"), ("text/csv", "text"), ("text/event-stream", "text"),
            ("application/octet-stream", nil), ("binary/octet-stream", nil), ("application/x-ndjson", "ndjson"),
            ("application/jsonl", "ndjson"), ("application/json-seq", "json-seq"), ("multipart/mixed", nil),
            ("application/geo+json-seq", "json-seq"), ("Application/VND.acme+JSON-SEQ; a=b", "json-seq"),
            ("application/geo+json", "json"), ("application/geo-json-seq", nil),
            ("multipart/form-data", nil),
            ("application/vnd.ogc.wms_xml", nil), ("application/vnd.apple.mpegurl", nil),
            ("application/problem+json", "json"),
            ("image/tiff", nil), ("image/jpeg", nil), ("image/gif", nil), ("image/png", nil), ("image/ico", nil),
            ("image/x-icon", nil), ("image/bmp", nil), ("image/x-bmp", nil), ("image/x-xbitmap", nil),
            ("image/x-win-bitmap", nil), ("image/jpg", nil), ("image/webp", nil),
        ] as [(String, String?)])
    func entries(_ type: String, _ entry: String?) {
        let decision = SerializerRegistry.standard.explain(contentType: type)
        guard type.hasPrefix("image/"), entry == nil else {
            #expect(decision.entryID == entry)
            return
        }
        let isDecoded = Self.hasImages && type != "image/webp"
        #expect(decision.entryID == (isDecoded ? "image" : nil))
        let reason = Self.hasImages ? "its format is none that is decoded" : "factory image needs the trait Images"
        if !isDecoded { #expect(decision.candidates.first { $0.entry == "image" }?.reason == reason) }
    }

    @Test("1.14: an entry without types takes any, or none, as the base and the compound serializer do")
    func anyType() throws {
        let registry = try SerializerRegistry(
            sources: [
                ManifestSource.text(#"{"manifestVersion":1,"plugins":[{"id":"any","factory":"text"}]}"#, name: "m")
            ], factories: .standard)
        for type in ["a/b", "application/json", "nonsense", nil] {
            #expect(registry.explain(contentType: type).entryID == "any")
        }
    }

    @Test("1.14: what no entry takes by default is taken by an entry of one's own, by its exact type or its suffix")
    func askedFor() throws {
        let overlay = #"""
            { "manifestVersion": 1, "plugins": [
                { "id": "wms", "factory": "xml-document", "match": { "types": ["application/vnd.ogc.wms_xml"] } },
                { "id": "lines", "factory": "text", "match": { "types": ["application/x-ndjson", "application/vnd.apple.mpegurl"] } },
                { "id": "bytes", "factory": "property-list", "match": { "types": ["binary/octet-stream"] } } ] }
            """#
        let registry = try SerializerRegistry.standard.overlaid(by: .text(overlay, name: "m"))
        for (type, entry) in [
            ("application/vnd.ogc.wms_xml", "wms"), ("application/x-ndjson", "lines"),
            ("application/vnd.apple.mpegurl", "lines"), ("binary/octet-stream", "bytes"),
        ] {
            #expect(registry.explain(contentType: type).entryID == entry)
        }
    }

    @Test("A problem is one where the status says so", arguments: [(200, "json"), (404, "problem"), (503, "problem")])
    func problems(_ status: Int, _ entry: String) {
        let decision = SerializerRegistry.standard.explain(contentType: "application/problem+json", status: status)
        #expect(decision.entryID == entry)
    }

    @Test("A typed call picks the entry that makes the type")
    func typedCalls() {
        func entry(_ type: String, _ wanted: WantedValue) -> String? {
            SerializerRegistry.standard.explain(contentType: type, producing: wanted).entryID
        }
        #expect(entry("text/xml", .anything) == "xml")
        #expect(entry("text/xml", .type(XMLTree.self)) == "xml")
        #expect(entry("text/xml", .type([Int].self)) == nil)
        #expect(entry("text/x-apple-plist+xml", .type(PropertyList.self)) == "property-list")
        #expect(entry("text/x-apple-plist+xml", .type(XMLTree.self)) == "xml")
        #expect(entry("application/x-plist", .type([Int].self)) == "property-list")
        #expect(entry("application/json", .type(Problem.self)) == "json")
        #expect(entry("application/x-www-form-urlencoded", .type(FormFields.self)) == "form")
    }

    @Test("Streams are for calls that want elements, and what is text without is text still")
    func elements() throws {
        func entry(_ type: String, _ wanted: WantedValue) -> String? {
            SerializerRegistry.standard.explain(contentType: type, producing: wanted).entryID
        }
        for (type, id) in [
            ("text/event-stream", "server-sent-events"), ("text/csv", "csv-rows"), ("application/x-ndjson", "ndjson"),
            ("application/jsonl", "ndjson"), ("application/json-seq", "json-seq"), ("application/json", "json"),
            ("application/geo+json-seq", "json-seq"),
        ] {
            #expect(entry(type, .elements(of: User.self)) == id)
            #expect(entry(type, .type([User].self)) == id)
        }
        #expect(entry("text/csv", .type(String.self)) == "text")
        #expect(entry("text/csv", .type(User.self)) == nil)
        #expect(entry("application/x-ndjson", .type(String.self)) == nil)
        #expect(entry("multipart/mixed", .elements(of: Data.self)) == nil)
    }

    @Test("Every manifest lies over the table, however it is given, unless it inherits nothing")
    func overTheTable() throws {
        #expect(try SerializerRegistry([]).digest == SerializerRegistry.standard.digest)
        let csv = ManifestSource.text(
            #"{ "manifestVersion": 1, "plugins": [{ "id": "csv", "factory": "text", "match": { "types": ["text/csv"] } }] }"#
        )
        let registry = try SerializerRegistry([csv])
        #expect(registry.explain(contentType: "text/csv").entry == "csv")
        #expect(registry.explain(contentType: "application/json").entry == "json")
        #expect(try registry.digest == SerializerRegistry.standard.overlaid(by: csv).digest)
        let manager = SessionManager(registry: .standard, transport: StubTransport { _ in StubReply(status: 204) })
        try manager.reload([csv])
        #expect(manager.registry.digest == registry.digest)
        let other = ManifestSource.text(
            #"{ "manifestVersion": 1, "plugins": [{ "id": "other", "factory": "text", "match": { "types": ["a/b"] } }] }"#
        )
        manager.registry = registry
        try manager.reload([other])
        #expect(try manager.registry.digest == SerializerRegistry([other]).digest)
        var own = SerializerFactories()
        try own.register("own") { TextSerializer() }
        let whole = ManifestSource.text(
            #"{ "manifestVersion": 1, "inherit": false, "plugins": [{ "id": "own", "factory": "own" }] }"#)
        #expect(try SerializerRegistry([csv, whole], factories: own).description.hasSuffix(": own"))
        let missing = try #require(throws: ManifestFailure.self) { try SerializerRegistry([csv], factories: own) }
        #expect(missing.issues.contains { $0.code == "unknownFactory" && $0.message.contains("\"json\"") })
    }

    @Test(
        "An entry and a factory of one's own are called csv as before, in front of the table or before text",
        arguments: ["", #", "place": { "before": "text" }"#])
    func ownCSV(_ place: String) throws {
        var factories = SerializerFactories()
        try factories.register("csv") {
            ClosureResponseSerializer { body, _ in [[String(decoding: body.data, as: UTF8.self)]] }
        }
        let overlay =
            #"{ "manifestVersion": 1, "plugins": [{ "id": "csv", "factory": "csv", "match": { "types": ["text/csv"] }\#(place) }] }"#
        let registry = try SerializerRegistry.standard.with(factories).overlaid(
            by: .text(overlay, name: "m"))
        for wanted in [WantedValue.anything, .type([[String]].self)] {
            let decision = registry.explain(contentType: "text/csv", producing: wanted)
            #expect(decision.entryID == "csv")
            #expect(try decision.serialize(ResponseBody(Array("a,b".utf8))).value as? [[String]] == [["a,b"]])
        }
        #expect(registry.explain(contentType: "text/csv", producing: .type(String.self)).entryID == "text")
        // What it does not make the table's own entry does.
        #expect(registry.explain(contentType: "text/csv", producing: .type([User].self)).entryID == "csv-rows")
        #expect(registry.lint().isEmpty)
    }

    @Test("A decoder of one's own in front of the standard table takes nothing out of Accept")
    func ownDecoder() throws {
        var factories = SerializerFactories()
        try factories.register("settings") { JSONSerializer() }
        let registry = try SerializerRegistry.standard.with(factories).overlaid(
            by: .text(
                #"{ "manifestVersion": 1, "plugins": [{ "id": "s", "factory": "settings", "match": { "types": ["text/x-settings"] } }] }"#,
                name: "m"))
        for host in [nil, CanonicalHost("api.example.com")] {
            for wanted in [WantedValue.type(User.self), .type([User].self), .type(JSON.self)] {
                #expect(
                    registry.accept(for: host, producing: wanted)
                        == "text/x-settings, application/json;q=0.9, application/problem+json;q=0.8, */*;q=0.1")
            }
        }
    }

    private struct User: Decodable, Equatable, Sendable { let name: String }

    @Test("XML makes a Decodable where its entry says so, and where it does not the error says how")
    func decodableXML() throws {
        let wanted = WantedValue.type(User.self)
        let body = ResponseBody(Data("<user><name>Ada</name></user>".utf8))
        let standard = SerializerRegistry.standard.explain(contentType: "application/xml", producing: wanted)
        let failure = try #require(throws: LookupFailure.self) { try standard.serialize(body, as: User.self) }
        #expect(
            failure.description.hasPrefix(
                "no entry makes User from application/xml with status 200: xml declined, it makes XMLTree, not User; "
                    + #"its option "decodes": true has it decode any Decodable; asked: "#))
        let overlay =
            #"{ "manifestVersion": 1, "plugins": [{ "id": "xml", "options": { "decodes": true } }] }"#
        let registry = try SerializerRegistry.standard.overlaid(by: .text(overlay, name: "m"))
        let decision = registry.explain(contentType: "application/xml", producing: wanted)
        #expect(decision.entryID == "xml")
        #expect(try decision.serialize(body, as: User.self).value == User(name: "Ada"))
        #expect(registry.explain(contentType: "text/xml", producing: .type(XMLTree.self)).entryID == "xml")
        #expect(registry.explain(contentType: "application/json", producing: wanted).entryID == "json")
    }
}
