import PatchbayJSON
import PatchbayRegistry
import TestSupport
import Testing

/// What calls of a `Decodable` ask for where entries of one's own can make it, beside those of the factory `json`.
@Suite("Accept of calls that several decoders can answer")
struct DecoderAcceptTests {
    struct User: Decodable, Sendable {}
    struct Plain: Sendable {}

    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        let entries: [String]
        var more = #""policy": {}"#
        var overlay: String?
        var wanted = WantedValue.type(User.self)
        var host: String?
        let accept: String
        var testDescription: String { name }
    }

    private static func entry(_ id: String, _ factory: String, _ types: String, _ more: String = "") -> String {
        AcceptTests.entry(id, factory, types, more)
    }

    private static func registry(_ entries: [String], _ more: String) throws -> SerializerRegistry {
        var factories = try SerializerFactories.fixtures()
        try factories.register("settings") { JSONFixture() }
        try factories.register("plain") { MadeSerializer { _, _ in Plain() } }
        try factories.register("wrapped") {
            MadeUnwrapping { body, _ in (body, try #require(MediaType(parsing: "a/b"))) }
        }
        let manifest = #"{ "manifestVersion": 1, "plugins": [\#(entries.joined(separator: ","))], \#(more) }"#
        return try SerializerRegistry(sources: [.text(manifest, name: "m")], factories: factories)
    }

    private static let json = entry("j", "json", #""@json""#)
    private static let settings = entry("s", "settings", #""text/x-settings""#)
    private static let both = "text/x-settings, application/json;q=0.9, application/problem+json;q=0.8, */*;q=0.1"
    private static let alone = "text/x-settings, */*;q=0.1"
    /// What is in force with an entry of `json` that covers problem details.
    private static let plain = "application/json, application/problem+json;q=0.9, */*;q=0.1"

    private static func type(_ length: Int, of letter: Character) -> String { AcceptTests.type(length, of: letter) }

    static let cases = [
        Case(name: "a decoder in front of json", entries: [settings, json], accept: both),
        Case(name: "one behind it", entries: [json, settings], accept: plain),
        Case(
            name: "all decoders up to json, and none behind it",
            entries: [
                settings, entry("t", "text", #""text/*""#), entry("u", "settings", #""a/b", "a/*""#), json,
                entry("k", "json", #""c/d""#),
            ],
            accept: "text/x-settings, a/b;q=0.9, a/*;q=0.9, application/json;q=0.8, application/problem+json;q=0.7, "
                + "*/*;q=0.1"),
        Case(
            name: "two entries of json, the first of another type",
            entries: [settings, entry("h", "json", #""text/html""#), json],
            accept:
                "text/x-settings, text/html;q=0.9, application/json;q=0.8, application/problem+json;q=0.7, */*;q=0.1"),
        Case(
            name: "no entry of json: the first decoder alone", entries: [settings, entry("u", "settings", #""a/b""#)],
            accept: alone),
        Case(
            name: "one that is switched off",
            entries: [settings, entry("j", "json", #""@json""#, #", "enabled": false"#)], accept: alone),
        Case(
            name: "one that a layer switches off", entries: [settings, json],
            overlay: #""plugins": [{ "id": "j", "enabled": false }]"#, accept: alone),
        Case(
            name: "one that a layer puts in front", entries: [settings, json],
            overlay: #""plugins": [{ "id": "j", "place": "first" }]"#, accept: plain),
        Case(
            name: "one for other statuses",
            entries: [
                settings, #"{ "id": "j", "factory": "json", "match": { "types": ["@json"], "status": ["4XX"] } }"#,
            ],
            accept: "text/x-settings, application/problem+json;q=0.9, */*;q=0.1"),
        Case(
            name: "one without a type to name, and one behind it",
            entries: [settings, entry("p", "json", #""+json""#), json], accept: both),
        Case(
            name: "one without a type to name, alone",
            entries: [settings, entry("u", "settings", #""a/b""#), entry("p", "json", #""+json""#)],
            accept: "text/x-settings, application/problem+json;q=0.9, */*;q=0.1"),
        Case(
            name: "an entry that unwraps says nothing", entries: [entry("w", "wrapped", #""a/w""#), settings, json],
            accept: both),
        Case(
            name: "no type twice", entries: [entry("s", "settings", #""a/b", "application/json""#), json],
            accept: "a/b, application/json, application/problem+json;q=0.9, */*;q=0.1"),
        Case(
            name: "120 bytes of those between",
            entries: [
                entry("s", "settings", "\"\(type(60, of: "a"))\""), entry("u", "settings", "\"\(type(52, of: "b"))\""),
                entry("v", "settings", #""c/d""#), json,
            ],
            accept: "\(type(60, of: "a")), \(type(52, of: "b"));q=0.9, application/json;q=0.8, "
                + "application/problem+json;q=0.7, */*;q=0.1"),
        Case(
            name: "no byte more, and nothing behind it but json",
            entries: [
                entry("s", "settings", "\"\(type(60, of: "a"))\""), entry("u", "settings", "\"\(type(53, of: "b"))\""),
                entry("v", "settings", #""c/d""#), json,
            ],
            accept: "\(type(60, of: "a")), application/json;q=0.9, application/problem+json;q=0.8, */*;q=0.1"),
        Case(
            name: "all types of the first, however many, and of json",
            entries: [
                entry("s", "settings", "\"\(type(100, of: "a"))\", \"\(type(100, of: "b"))\""),
                entry("u", "settings", #""c/d""#), entry("j", "json", "\"\(type(130, of: "e"))\", \"e/f\""),
            ],
            accept: "\(type(100, of: "a")), \(type(100, of: "b")), \(type(130, of: "e"));q=0.9, e/f;q=0.9, */*;q=0.1"),
        Case(
            name: "an output of its own that is Decodable too",
            entries: [entry("c", "count", #""a/b""#), entry("d", "count", #""c/d""#), json], wanted: .type(Int.self),
            accept: "a/b, c/d;q=0.9, application/json;q=0.8, application/problem+json;q=0.7, */*;q=0.1"),
        Case(
            name: "a type that is not Decodable: the first that makes it, alone",
            entries: [entry("p", "plain", #""a/b""#), entry("q", "plain", #""c/d""#), json],
            wanted: .type(Plain.self), accept: "a/b, application/problem+json;q=0.9, */*;q=0.1"),
        Case(
            name: "text", entries: [settings, json, entry("t", "text", #""text/*""#)], wanted: .type(String.self),
            accept: "*/*"),
        Case(name: "an array", entries: [settings, json], wanted: .type([User].self), accept: both),
        Case(
            name: "one of json for elements: an array",
            entries: [
                settings, #"{ "id": "o", "factory": "json", "match": { "types": ["a/o"], "wanted": "elements" } }"#,
                json,
            ], wanted: .type([User].self),
            accept: "text/x-settings, a/o;q=0.9, application/json;q=0.8, application/problem+json;q=0.7, */*;q=0.1"),
        Case(
            name: "one of json for elements: one value",
            entries: [
                settings, #"{ "id": "o", "factory": "json", "match": { "types": ["a/o"], "wanted": "elements" } }"#,
                json,
            ], accept: both),
        Case(
            name: "all", entries: [settings, json, entry("k", "json", #""c/d""#)],
            more: #""policy": { "accept": "all" }"#,
            accept: "text/x-settings, application/json;q=0.9, c/d;q=0.8, application/problem+json;q=0.7, */*;q=0.1"),
        Case(
            name: "no match is an error: all",
            entries: [settings, json, entry("k", "json", #""c/d""#)], more: #""policy": { "noMatch": "error" }"#,
            accept: "text/x-settings, application/json;q=0.9, c/d;q=0.8, application/problem+json;q=0.7"),
        Case(
            name: "the entry of json of the host", entries: [settings, json],
            more: #""hosts": { "a.test": { "plugins": [\#(entry("h", "json", #""text/html""#))] } }"#, host: "a.test",
            accept:
                "text/html, text/x-settings;q=0.9, application/json;q=0.8, application/problem+json;q=0.7, */*;q=0.1"),
        Case(
            name: "a decoder of the host, and json of the global list", entries: [json],
            more: #""hosts": { "a.test": { "plugins": [\#(settings)] } }"#, host: "a.test", accept: both),
        Case(
            name: "a decoder of the host, whose list has no json", entries: [json],
            more: #""hosts": { "a.test": { "inherit": false, "plugins": [\#(settings)] } }"#, host: "a.test",
            accept: alone),
        Case(
            name: "other hosts have what they had", entries: [json],
            more: #""hosts": { "a.test": { "plugins": [\#(settings)] } }"#, host: "b.test", accept: plain),
    ]

    @Test("up to the first enabled entry that names application/json, which is always named", arguments: cases)
    func derived(_ test: Case) throws {
        var registry = try Self.registry(test.entries, test.more)
        if let overlay = test.overlay {
            let source = ManifestSource.text(#"{ "manifestVersion": 1, \#(overlay) }"#, name: "o")
            registry = try registry.overlaid(by: source)
        }
        let host = test.host.flatMap { CanonicalHost($0) }
        #expect(registry.accept(for: host, producing: test.wanted) == test.accept)
        #expect(registry.accept(for: host, producing: test.wanted, acceptable: .successful) == test.accept)
        // Whatever was asked before.
        for before in [WantedValue.type([User].self), .type(User.self), .anything] {
            let asked = try test.overlay == nil ? Self.registry(test.entries, test.more) : registry
            _ = asked.accept(for: host, producing: before)
            #expect(asked.accept(for: host, producing: test.wanted) == test.accept)
        }
    }

    @Test("an entry that code adds, globally and for a host")
    func added() throws {
        let registry = try Self.registry([Self.json], #""policy": {}"#)
        let types = ["text/x-settings"]
        let everywhere = try registry.adding("s", factory: "settings", types: types)
        #expect(everywhere.accept(for: nil, producing: .type(User.self)) == Self.both)
        let there = try registry.adding("s", factory: "settings", types: types, host: "a.test")
        #expect(there.accept(for: nil, producing: .type(User.self)) == Self.plain)
        #expect(there.accept(for: CanonicalHost("a.test"), producing: .type(User.self)) == Self.both)
    }

    @Test("an entry of json whose serializer was replaced is one still where it decodes")
    func replaced() throws {
        let registry = try Self.registry([Self.settings, Self.json], #""policy": {}"#)
        #expect(
            try registry.replacing("j", with: JSONFixture()).accept(for: nil, producing: .type(User.self)) == Self.both)
        #expect(
            try registry.replacing("j", with: TextFixture()).accept(for: nil, producing: .type(User.self))
                == "text/x-settings, application/problem+json;q=0.9, */*;q=0.1")
    }
}
