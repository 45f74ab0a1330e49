import PatchbayJSON
import PatchbayRegistry
import Testing

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

@Suite("Accept")
struct AcceptTests {
    struct User: Decodable, Sendable {}

    static func entry(_ id: String, _ factory: String, _ types: String, _ more: String = "") -> String {
        #"{ "id": "\#(id)", "factory": "\#(factory)", "match": { "types": [\#(types)] } \#(more) }"#
    }

    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        let entries: [String]
        var policy = "{}"
        var wanted = WantedValue.anything
        let accept: String?
        var testDescription: String { name }
    }

    static let cases = [
        Case(name: "nothing", entries: [], accept: "*/*;q=0.1"),
        Case(name: "nothing, noMatch error", entries: [], policy: #"{ "noMatch": "error" }"#, accept: nil),
        Case(
            name: "an entry a tenth",
            entries: [entry("j", "json", #""@json", "text/x-json""#), entry("t", "text", #""text/*""#)],
            accept: "application/json, text/x-json, text/*;q=0.9, application/problem+json;q=0.8, */*;q=0.1"),
        Case(
            name: "noMatch error leaves out the rest", entries: [entry("t", "text", #""text/*""#)],
            policy: #"{ "noMatch": "error" }"#, accept: "text/*"),
        Case(
            name: "suffixes, parameters, any and other groups give nothing",
            entries: [
                entry("x", "text", #""@xml", "@image", "+yaml", "image/*+xml", "a/b;c=d", "*/*""#),
                entry("f", "count", #""@font""#),
            ], accept: "application/xml, text/xml, a/b, application/problem+json;q=0.9, */*;q=0.1"),
        Case(
            name: "not below two tenths", entries: (0..<10).map { entry("e\($0)", "count", "\"a/b\($0)\"") },
            accept:
                "a/b0, a/b1;q=0.9, a/b2;q=0.8, a/b3;q=0.7, a/b4;q=0.6, a/b5;q=0.5, a/b6;q=0.4, a/b7;q=0.3, a/b8;q=0.2, "
                + "a/b9;q=0.2, */*;q=0.1"),
        Case(
            name: "only entries for an acceptable status",
            entries: [
                #"{ "id": "p", "factory": "text", "match": { "types": ["application/problem+json", "a/b"], "status": ["4XX"] } }"#,
                entry("t", "text", #""text/plain""#),
            ], accept: "text/plain, application/problem+json;q=0.9, */*;q=0.1"),
        Case(
            name: "only active entries",
            entries: [
                entry("a", "count", #""a/b""#, #", "enabled": false"#),
                entry("i", "image", #""image/*""#, #", "optional": true"#),
                entry("t", "text", #""c/d""#),
            ], accept: "c/d, */*;q=0.1"),
        Case(
            name: "only entries that make the type",
            entries: [
                entry("t", "text", #""text/*""#), entry("c", "count", #""a/b""#), entry("j", "json", #""@json""#),
            ],
            wanted: .type(User.self), accept: "application/json, application/problem+json;q=0.9, */*;q=0.1"),
        Case(
            name: "text", entries: [entry("j", "json", #""a/b""#), entry("t", "text", #""text/*""#)],
            wanted: .type(String.self), accept: "text/*, */*;q=0.1"),
        Case(name: "bytes", entries: [entry("j", "json", #""@json""#)], wanted: .type(Data.self), accept: "*/*"),
        Case(name: "none", entries: [entry("j", "json", #""@json""#)], policy: #"{ "accept": "none" }"#, accept: nil),
        Case(
            name: "no type twice",
            entries: [entry("a", "text", #""a/b""#), entry("b", "count", #""a/b""#), entry("c", "text", #""c/d""#)],
            accept: "a/b, c/d;q=0.9, */*;q=0.1"),
    ]

    @Test("derived from the entries", arguments: cases)
    func derived(_ test: Case) throws {
        let registry = try SerializerRegistry.entries(
            test.entries.joined(separator: ","), #""policy": \#(test.policy)"#)
        #expect(registry.accept(for: nil, producing: test.wanted) == test.accept)
    }

    @Test("for the host, and for the statuses that the request accepts")
    func hostAndStatus() throws {
        let registry = try SerializerRegistry.entries(
            #"{ "id": "p", "factory": "json", "match": { "types": ["c/d"], "status": ["404"] } }, \#(Self.entry("t", "text", #""a/b""#))"#,
            #""hosts": { "a.b": { "use": [], "plugins": [\#(Self.entry("own", "text", #""e/f""#))] } }"#)
        #expect(registry.accept(for: CanonicalHost("a.b")) == "e/f, */*;q=0.1")
        #expect(registry.accept(for: nil) == "a/b, */*;q=0.1")
        #expect(registry.accept(for: nil, acceptable: .any) == "c/d, a/b;q=0.9, */*;q=0.1")
    }

    struct Plain: Sendable {}

    @Test("the same whatever was asked before")
    func order() throws {
        let entries = [
            Self.entry("t", "text", #""text/*""#), Self.entry("c", "count", #""a/b""#),
            Self.entry("j", "json", #""@json""#),
        ].joined(separator: ",")
        let wishes: [WantedValue] = [
            .anything, .type(User.self), .type(Plain.self), .type(Int.self), .type(JSON.self), .type(String.self),
            .type([User].self), .type(Data.self), .type((any Sendable).self),
        ]
        let asked = try SerializerRegistry.entries(entries, #""policy": {}"#)
        for wanted in wishes + wishes.reversed() {
            let fresh = try SerializerRegistry.entries(entries, #""policy": {}"#)
            #expect(asked.accept(for: nil, producing: wanted) == fresh.accept(for: nil, producing: wanted))
        }
        // One of its own for each that an entry makes as such, Int by counting and JSON by parsing.
        #expect(Set(wishes.map { asked.accept(for: nil, producing: $0) }).count >= 5)
    }
}
