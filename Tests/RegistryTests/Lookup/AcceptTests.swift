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
            entries: [entry("j", "json", #""@json", "text/x-json""#), entry("t", "text", #""text/csv""#)],
            accept: "application/json, text/x-json, text/csv;q=0.9, application/problem+json;q=0.8, */*;q=0.1"),
        Case(
            name: "noMatch error leaves out the rest", entries: [entry("t", "text", #""text/*""#)],
            policy: #"{ "noMatch": "error" }"#, accept: "text/*"),
        Case(
            name: "suffixes, any and other groups give nothing, parameters are named",
            entries: [
                entry("x", "text", #""@xml", "@image", "+yaml", "image/*+xml", "a/b;c=d", "*/*""#),
                entry("f", "count", #""@font""#),
            ], accept: "application/xml, text/xml, a/b;c=d, application/problem+json;q=0.9, */*;q=0.1"),
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
            name: "a typed call names nothing behind the first entry that names application/json",
            entries: [
                entry("c", "count", #""c/d""#), entry("j", "json", #""a/b", "a/c""#), entry("k", "json", #""@json""#),
                entry("l", "json", #""e/f""#),
            ],
            wanted: .type(User.self),
            accept: "a/b, a/c, application/json;q=0.9, application/problem+json;q=0.8, */*;q=0.1"),
        Case(
            name: "the first that is for an acceptable status",
            entries: [
                #"{ "id": "p", "factory": "json", "match": { "types": ["a/b"], "status": ["4XX"] } }"#,
                entry("j", "json", #""c/d""#),
            ], wanted: .type(User.self), accept: "c/d, */*;q=0.1"),
        Case(
            name: "the first that has a type to name",
            entries: [
                entry("s", "json", #""+json""#), entry("p", "json", #""*/*""#, #", "onFailure": "next""#),
                entry("j", "json", #""a/b""#), #"{ "id": "any", "factory": "json" }"#,
            ], wanted: .type(User.self), accept: "a/b, application/problem+json;q=0.9, */*;q=0.1"),
        Case(
            name: "no entry can make the type", entries: [entry("t", "text", #""text/*""#)], wanted: .type(User.self),
            accept: "*/*;q=0.1"),
        Case(
            name: "all types of the first entry, however many",
            entries: [entry("c", "count", "\"\(type(100))\", \"\(type(100, of: "b"))\"")], wanted: .type(Int.self),
            accept: "\(type(100)), \(type(100, of: "b")), */*;q=0.1"),
        Case(
            name: "120 bytes of types, and what comes behind them",
            entries: [entry("j", "json", #""@json""#), entry("t", "text", "\"\(type(96))\"")],
            accept: "application/json, \(type(96));q=0.9, application/problem+json;q=0.8, */*;q=0.1"),
        Case(
            name: "no byte more",
            entries: [entry("j", "json", #""@json""#), entry("t", "text", "\"\(type(97))\"")],
            accept: "application/json, application/problem+json;q=0.9, */*;q=0.1"),
        Case(
            name: "nor anything behind a type that goes past them",
            entries: [
                entry("j", "json", "\"\(type(60))\", \"\(type(59, of: "b"))\", \"a/c\""), entry("t", "text", #""a/d""#),
            ],
            accept: "\(type(60)), */*;q=0.1"),
        Case(
            name: "problem details where the types did not come to them",
            entries: [
                entry("j", "json", "\"a/c\", \"\(type(120))\""), entry("p", "text", #""application/problem+json""#),
            ], accept: "a/c, application/problem+json;q=0.9, */*;q=0.1"),
        Case(
            name: "the first type, however long", entries: [entry("t", "text", "\"\(type(200))\", \"a/c\"")],
            accept: "\(type(200)), */*;q=0.1"),
        Case(
            name: "no ranges", entries: [entry("t", "text", #""text/*""#), entry("c", "count", #""a/*", "a/b""#)],
            accept: "a/b, */*;q=0.1"),
        Case(
            name: "ranges where there is nothing else",
            entries: [entry("t", "text", #""text/*""#), entry("c", "count", #""a/*""#)],
            accept: "text/*, a/*;q=0.9, */*;q=0.1"),
        Case(
            name: "everything that an entry reads, where the rest would be refused",
            entries: [
                entry("t", "text", "\"\(type(200))\""), entry("j", "json", #""a/b""#), entry("c", "count", #""c/*""#),
            ],
            policy: #"{ "noMatch": "error" }"#, accept: "\(type(200)), a/b;q=0.9, c/*;q=0.8"),
        Case(
            name: "everything that makes the type, where the rest would be refused",
            entries: [entry("j", "json", #""a/b""#), entry("t", "text", #""c/d""#), entry("k", "json", #""@json""#)],
            policy: #"{ "noMatch": "error" }"#, wanted: .type(User.self),
            accept: "a/b, application/json;q=0.9, application/problem+json;q=0.8"),
        Case(
            name: "text", entries: [entry("j", "json", #""a/b""#), entry("t", "text", #""text/*""#)],
            wanted: .type(String.self), accept: "*/*"),
        Case(name: "bytes", entries: [entry("j", "json", #""@json""#)], wanted: .type(Data.self), accept: "*/*"),
        Case(name: "none", entries: [entry("j", "json", #""@json""#)], policy: #"{ "accept": "none" }"#, accept: nil),
        Case(
            name: "no type twice",
            entries: [entry("a", "text", #""a/b""#), entry("b", "count", #""a/b""#), entry("c", "text", #""c/d""#)],
            accept: "a/b, c/d;q=0.9, */*;q=0.1"),
    ]

    /// A media type of so many bytes.
    static func type(_ length: Int, of letter: Character = "a") -> String {
        "a/" + String(repeating: letter, count: length - 2)
    }

    static let whole: [Case] = {
        let entries = [
            entry("j", "json", #""@json", "text/x-json""#), entry("t", "text", #""text/*""#),
            entry("k", "json", "\"\(type(120))\", \"a/*\""),
        ]
        return [
            Case(
                name: "any value", entries: entries, policy: #"{ "accept": "all" }"#,
                accept: "application/json, text/x-json, text/*;q=0.9, \(type(120));q=0.8, a/*;q=0.8, "
                    + "application/problem+json;q=0.7, */*;q=0.1"),
            Case(
                name: "a type", entries: entries, policy: #"{ "accept": "all" }"#, wanted: .type(User.self),
                accept: "application/json, text/x-json, \(type(120));q=0.9, a/*;q=0.9, application/problem+json;q=0.8, "
                    + "*/*;q=0.1"),
            Case(
                name: "text", entries: entries, policy: #"{ "accept": "all" }"#, wanted: .type(String.self),
                accept: "*/*"),
            Case(
                name: "bytes", entries: entries, policy: #"{ "accept": "all" }"#, wanted: .type(Data.self),
                accept: "*/*"),
            Case(
                name: "noMatch error", entries: entries, policy: #"{ "accept": "all", "noMatch": "error" }"#,
                wanted: .elements(of: String.self), accept: "text/*, application/problem+json;q=0.9"),
        ]
    }()

    static let elementCases: [Case] = {
        let only = #"{ "id": "o", "factory": "json-lines", "match": { "types": ["a/only"], "wanted": "elements" } }"#
        let entries = [
            entry("j", "json", #""@json""#), entry("n", "numbers", #""a/numbers""#), only,
            entry("t", "text", #""text/*""#),
            entry("l", "json-lines", #""a/lines""#), entry("k", "json", #""a/json""#),
            entry("w", "words", #""a/words""#),
        ]
        let rows = WantedValue.elements(of: User.self)
        return [
            Case(
                name: "elements: all that yield them, then the first that makes one", entries: entries, wanted: rows,
                accept: "a/only, a/lines;q=0.9, application/json;q=0.8, application/problem+json;q=0.7, */*;q=0.1"),
            Case(
                name: "formats that are made of elements before one that can be taken to pieces",
                entries: [entry("i", "json-list", #""a/list""#), entry("l", "json-lines", #""a/lines""#)], wanted: rows,
                accept: "a/lines, a/list;q=0.9, */*;q=0.1"),
            Case(
                name: "elements of one entry's own type", entries: entries, wanted: .elements(of: Int.self),
                accept:
                    "a/numbers, a/only;q=0.9, a/lines;q=0.8, application/json;q=0.7, application/problem+json;q=0.6, */*;q=0.1"
            ),
            Case(
                name: "elements that no entry yields", entries: entries, wanted: .elements(of: Plain.self),
                accept: "application/problem+json, */*;q=0.1"),
            Case(
                name: "lines", entries: entries, wanted: .elements(of: String.self),
                accept: "a/words, text/*;q=0.9, application/problem+json;q=0.8, */*;q=0.1"),
            Case(name: "pieces", entries: entries, wanted: .elements(of: Data.self), accept: "*/*"),
            Case(
                name: "elements, and all that make one", entries: entries, policy: #"{ "accept": "all" }"#,
                wanted: rows,
                accept:
                    "a/only, a/lines;q=0.9, application/json;q=0.8, a/json;q=0.7, application/problem+json;q=0.6, */*;q=0.1"
            ),
            Case(
                name: "an array: the first that makes it", entries: entries, wanted: .type([User].self),
                accept: "application/json, application/problem+json;q=0.9, */*;q=0.1"),
            Case(
                name: "an array: an entry for elements in front", entries: [only, entries[0]],
                wanted: .type([User].self),
                accept: "a/only, application/json;q=0.9, application/problem+json;q=0.8, */*;q=0.1"),
            Case(
                name: "no array: the entry for elements in front is not named", entries: [only, entries[0]],
                wanted: .type(User.self), accept: "application/json, application/problem+json;q=0.9, */*;q=0.1"),
            Case(
                name: "an array: one that yields in front", entries: [entries[4], entries[0]],
                wanted: .type([User].self),
                accept: "a/lines, application/json;q=0.9, application/problem+json;q=0.8, */*;q=0.1"),
            Case(
                name: "no array: one that yields in front", entries: [entries[4], entries[0]],
                wanted: .type(User.self), accept: "application/json, application/problem+json;q=0.9, */*;q=0.1"),
            Case(
                name: "an array, all", entries: entries, policy: #"{ "accept": "all" }"#, wanted: .type([User].self),
                accept:
                    "application/json, a/only;q=0.9, a/lines;q=0.8, a/json;q=0.7, application/problem+json;q=0.6, */*;q=0.1"
            ),
            Case(
                name: "no array, all", entries: entries, policy: #"{ "accept": "all" }"#, wanted: .type(User.self),
                accept: "application/json, a/json;q=0.9, application/problem+json;q=0.8, */*;q=0.1"),
            Case(
                name: "any value", entries: entries,
                accept: "application/json, a/numbers;q=0.9, a/lines;q=0.8, a/json;q=0.7, a/words;q=0.6, "
                    + "application/problem+json;q=0.5, */*;q=0.1"),
        ]
    }()

    @Test(
        "of calls of elements and of arrays, one after the other of one registry",
        arguments: [elementCases, elementCases.reversed()])
    func ofElements(_ tests: [Case]) throws {
        var registries: [String: SerializerRegistry] = [:]
        for test in tests {
            let manifest = test.entries.joined() + test.policy
            let registry = try registries[manifest] ?? .elements(test.entries, #""policy": \#(test.policy)"#)
            registries[manifest] = registry
            #expect(registry.accept(for: nil, producing: test.wanted) == test.accept, "\(test.name)")
            #expect(
                registry.accept(for: nil, producing: test.wanted, acceptable: .successful) == test.accept,
                "\(test.name)")
        }
    }

    @Test("all that the entries can read, where the policy says so", arguments: whole)
    func all(_ test: Case) throws { try derived(test) }

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
        #expect(registry.accept(for: nil, acceptable: .any) == "a/b, c/d;q=0.9, */*;q=0.1")
        let user = WantedValue.type(User.self)
        #expect(registry.accept(for: nil, producing: user) == "*/*;q=0.1")
        #expect(registry.accept(for: nil, producing: user, acceptable: .any) == "c/d, */*;q=0.1")
    }

    @Test("a host section says for itself how much is named")
    func hostPolicy() throws {
        let registry = try SerializerRegistry.entries(
            "\(Self.entry("j", "json", #""application/json""#)), \(Self.entry("k", "json", #""c/d""#))",
            #""hosts": { "all.test": { "policy": { "accept": "all" } }, "none.test": { "policy": { "accept": "none" } } }"#
        )
        let user = WantedValue.type(User.self)
        #expect(registry.accept(for: nil, producing: user) == "application/json, */*;q=0.1")
        #expect(
            registry.accept(for: CanonicalHost("all.test"), producing: user)
                == "application/json, c/d;q=0.9, */*;q=0.1")
        #expect(registry.accept(for: CanonicalHost("none.test"), producing: user) == nil)
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
        #expect(Set(wishes.map { asked.accept(for: nil, producing: $0) }).count == 4)
    }
}
