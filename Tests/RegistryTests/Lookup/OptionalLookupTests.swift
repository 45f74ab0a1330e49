import PatchbayJSON
import TestSupport
import Testing

@testable import PatchbayRegistry

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A look-up for an optional is the look-up for the type that it wraps.
@Suite("Look-ups for optionals")
struct OptionalLookupTests {
    struct User: Decodable, Sendable, Equatable { let name: String }
    struct Opaque: Sendable {}

    /// Reads no JSON. Notes the types that it decodes.
    struct Noting: DecodingSerializer, ElementDecodingSerializer {
        let types = Shared<[String]>([])
        var acceptsEmptyBody: Bool { true }

        func serialize(_ body: ResponseBody, _ head: ResponseHead) throws -> Double { 0.5 }

        func decode<Value: Decodable & Sendable>(
            _ type: Value.Type, from body: ResponseBody, _ head: ResponseHead
        ) throws -> Value {
            types.withLock { $0.append("\(type)") }
            return try JSON(parsing: body.data).decode(type)
        }

        func makeParser<Value: Decodable & Sendable>(
            of type: Value.Type, _ head: ResponseHead, maximumElementBytes: Int
        ) -> any ElementParser<Value> {
            types.withLock { $0.append("element \(type)") }
            return JSONLinesFixture().makeParser(of: type, head, maximumElementBytes: maximumElementBytes)
        }
    }

    private static func registry(_ noting: Noting) throws -> SerializerRegistry {
        try SerializerRegistry.entries("").adding("noting", noting, types: ["a/b"])
    }

    @Test("the serializer gets the wrapped type, and the optional itself only for what can be null")
    func types() throws {
        let noting = Noting()
        let registry = try Self.registry(noting)
        func value<Value: Sendable>(_ type: Value.Type, _ body: String) throws -> Value {
            try registry.explain(contentType: "a/b", producing: .type(type))
                .serialize(ResponseBody(text: body), as: type).value
        }
        let user = #"{"name":"a"}"#
        #expect(try value(User?.self, user) == User(name: "a"))
        #expect(try value(User??.self, user) == User(name: "a"))
        #expect(try value([Int]?.self, "[1]") == [1])
        #expect(try value(Double?.self, "2") == 0.5)
        #expect(try value(User?.self, " null ") == nil)
        #expect(noting.types.withLock { $0 } == ["User", "User", "Array<Int>", "Optional<User>"])
    }

    @Test("elements, too: a serializer that reads no JSON gets the wrapped type")
    func elements() throws {
        let noting = Noting()
        let registry = try Self.registry(noting)
        let decision = registry.explain(contentType: "a/b", producing: .elements(of: Int?.self))
        #expect(try decision.serializeWanted(ResponseBody(text: "1\n2")).value as? [Int?] == [1, 2])
        let array = registry.explain(contentType: "a/b", producing: .elements(of: Int??.self))
        #expect(try array.serializeWanted(ResponseBody(text: "1")).value as? [Int??] == [1])
        #expect(noting.types.withLock { $0 } == ["element Int", "element Int"])
    }

    static let entries = [
        AcceptTests.entry("n", "numbers", #""a/n""#), AcceptTests.entry("l", "json-lines", #""a/l""#),
        AcceptTests.entry("p", "parts", #""a/p""#), AcceptTests.entry("c", "count", #""a/c""#),
        AcceptTests.entry("t", "text", #""text/*""#), AcceptTests.entry("j", "json", #""@json""#),
    ]

    static let pairs: [(name: String, plain: WantedValue, optional: [WantedValue])] = [
        ("Decodable", .type(User.self), [.type(User?.self), .type(User??.self)]),
        ("an output", .type(Int.self), [.type(Int?.self), .type(Int??.self)]),
        ("text", .type(String.self), [.type(String?.self), .type(String???.self)]),
        ("bytes", .type(Data.self), [.type(Data?.self), .type([UInt8]?.self), .type(Void?.self)]),
        ("JSON", .type(JSON.self), [.type(JSON?.self)]),
        ("another type", .type(Opaque.self), [.type(Opaque?.self)]),
        ("any value", .anything, [.type((any Sendable)?.self), .type((any Sendable)??.self)]),
        ("an array", .type([User].self), [.type([User]?.self), .type([User?].self)]),
        ("an array of an element", .type([Int].self), [.type([Int]?.self)]),
        ("an array of another type", .type([Opaque].self), [.type([Opaque]?.self), .type([Opaque?].self)]),
        ("elements", .elements(of: User.self), [.elements(of: User?.self), .elements(of: User??.self)]),
        ("elements of an entry", .elements(of: Int.self), [.elements(of: Int?.self)]),
        ("lines", .elements(of: String.self), [.elements(of: String?.self)]),
        ("pieces", .elements(of: Data.self), [.elements(of: Data?.self), .elements(of: [UInt8]?.self)]),
        ("any elements", .anyElements, [.elements(of: (any Sendable)?.self)]),
        ("elements of another type", .elements(of: Opaque.self), [.elements(of: Opaque?.self)]),
    ]

    @Test("the same entries and the same Accept", arguments: pairs.indices)
    func same(_ index: Int) throws {
        let (name, plain, optionals) = Self.pairs[index]
        for policy in [
            "{}", #"{ "accept": "all" }"#, #"{ "noMatch": "error" }"#, #"{ "acceptableStatus": ["2XX", "404"] }"#,
        ] {
            for entries in [Self.entries, Self.entries.reversed()] {
                func registry() throws -> SerializerRegistry {
                    try SerializerRegistry.elements(entries, #""policy": \#(policy)"#)
                }
                let accept = try registry().accept(for: nil, producing: plain)
                for optional in optionals {
                    // Whatever was asked before.
                    for before in Self.pairs.map(\.plain) {
                        let registry = try registry()
                        _ = registry.accept(for: nil, producing: before)
                        #expect(registry.accept(for: nil, producing: optional) == accept, "\(name) \(policy)")
                    }
                    for type in ["a/n", "a/l", "a/p", "a/c", "text/a", "application/json", "b/c", nil] {
                        let expected = try registry().explain(contentType: type, producing: plain)
                        let decision = try registry().explain(contentType: type, producing: optional)
                        #expect(decision.planned.map(\.name) == expected.planned.map(\.name), "\(name)")
                        #expect(decision.plan.ending == expected.plan.ending, "\(name)")
                        #expect(decision.outcome == expected.outcome)
                    }
                }
            }
        }
    }

    @Test("an entry whose output is an optional makes it, as before")
    func ownOutput() throws {
        let made = MadeSerializer<Int?> { body, _ in body.isEmpty ? nil : body.count }
        let registry = try SerializerRegistry.entries(#"{"id":"json","factory":"json","match":{"types":["@json"]}}"#)
            .adding("made", made, types: ["a/b"])
        let decision = registry.explain(contentType: "a/b", producing: .type(Int?.self))
        #expect(try decision.serialize(ResponseBody(text: "abc"), as: Int?.self).value == 3)
        #expect(decision.entry == "made")
        #expect(registry.accept(for: nil, producing: .type(Int?.self))?.hasPrefix("a/b") == true)
        #expect(registry.accept(for: nil, producing: .type(Int.self))?.hasPrefix("application/json") == true)
        #expect(registry.explain(contentType: "a/b", producing: .type(Int.self)).outcome == .error)
        let brought = LookupOverride(using: .serializer(made))
        let own = registry.explain(contentType: "c/d", producing: .type(Int?.self), override: brought)
        #expect(try own.serialize(ResponseBody(text: "abcd"), as: Int?.self).value == 4)
    }

    @Test("204 and 304 are nil without asking an entry, unless the policy or the request makes them an error")
    func noContent() throws {
        func value<Value: Sendable>(
            _ type: Value.Type, _ status: Int, _ policy: String = "{}", _ override: LookupOverride = .none
        ) throws -> Value {
            let registry = try SerializerRegistry.entries(
                #"{"id":"count","factory":"count"}"#, #""policy": \#(policy)"#)
            let override = LookupOverride(
                using: override.using, excluding: override.excluding, acceptableStatus: ["2XX", 304])
            let decision = registry.explain(
                contentType: "a/b", status: status, producing: .type(type), override: override)
            return try decision.serialize(.empty, as: type).value
        }
        for status in [204, 304] {
            #expect(try value(Int.self, status) == 0)
            #expect(try value(Int?.self, status) == nil)
            #expect(try value(String?.self, status) == nil)
            #expect(try value(Data?.self, status) == nil)
            #expect(try value(Void?.self, status) == nil)
            let unexpected = #"{ "empty": { "status": [], "otherwise": "error" } }"#
            #expect(throws: LookupFailure.self) { try value(Data?.self, status, unexpected) }
            #expect(try value(Void?.self, status, unexpected) == nil)
            let unknown = LookupOverride(using: .entry("none"))
            #expect(throws: LookupFailure.self) { try value(Int?.self, status, "{}", unknown) }
        }
        for status in [200, 205] {
            #expect(try value(Int?.self, status) == 0)
            #expect(try value(String?.self, status) == "")
            #expect(try value(Data?.self, status) == Data())
            #expect(try value(Nothing?.self, status) == Nothing())
            #expect(try value(JSON?.self, status) == .some(.null))
            #expect(try value(User?.self, status) == nil)
        }
        let decision = try SerializerRegistry.entries(#"{"id":"count","factory":"count"}"#).explain(
            contentType: "a/b", status: 204, as: Int?.self)
        #expect(decision.outcome == .empty)
    }
}
