import Foundation
import PatchbayJSON
import PatchbayRegistry
import PatchbayTools
import Testing

@testable import PatchbayPlugins

/// The factory `raw`: its entry keeps responses from the entries after it.
@Suite struct RawTests {
    private struct User: Decodable, Sendable, Equatable { let name: String }

    private static func registry(_ entries: String, _ more: String = "") throws -> SerializerRegistry {
        let manifest = #"""
            { "manifestVersion": 1, "plugins": [
                \#(entries)\#(entries.isEmpty ? "" : ",")
                { "id": "xssi", "factory": "xssi", "match": { "types": ["@json"], "status": ["203"] } },
                { "id": "problem", "factory": "problem-json", "match": { "types": ["application/problem+json"], "status": ["4XX", "5XX"] } },
                { "id": "json", "factory": "json", "match": { "types": ["@json"] } },
                { "id": "text", "factory": "text", "match": { "types": ["text/*"] } },
                { "id": "ndjson", "factory": "ndjson", "match": { "types": ["application/x-ndjson"] } },
                { "id": "events", "factory": "server-sent-events", "match": { "types": ["text/event-stream"], "wanted": "elements" } } ]
                \#(more.isEmpty ? "" : ", " + more) }
            """#
        return try SerializerRegistry(sources: [.text(manifest, name: "m.json")], factories: .standard)
    }

    private static func raw(_ match: String, _ more: String = "") -> String {
        #"{ "id": "kept", "factory": "raw", "match": { \#(match) } \#(more) }"#
    }

    private static let errors = raw(#""status": ["5XX"]"#)

    /// A response, and the entry and the value of an untyped call.
    private static let untyped: [(String?, Int, String, String)] = [
        ("text/html", 502, "<p>no</p>", "kept: ResponseBody"),
        ("application/problem+json", 500, "{}", "kept: ResponseBody"),
        ("application/json", 599, "[", "kept: ResponseBody"), (nil, 503, "x", "kept: ResponseBody"),
        ("nonsense", 500, "x", "kept: ResponseBody"), ("application/problem+json", 404, "{}", "problem: Problem"),
        ("text/html", 200, "<p>", "text: String"), ("application/json", 404, "[]", "json: JSON"),
        ("a/b", 200, "x", "-: ResponseBody"), ("text/html", 502, "", "-: ()"),
    ]

    @Test("an untyped call gets the bytes of what the entry covers, and everything else is read as before")
    func untyped() throws {
        let registry = try Self.registry(Self.errors)
        for (type, status, body, expected) in Self.untyped {
            let made = try registry.explain(contentType: type, status: status).serialize(Sample.body(body))
            #expect("\(made.entry ?? "-"): \(Swift.type(of: made.value))" == expected, "\(type ?? "-") \(status)")
            if let bytes = made.value as? ResponseBody { #expect(bytes == Sample.body(body)) }
            #expect(made.outcome == (body.isEmpty ? .empty : made.entry == nil ? .raw : .entry))
        }
    }

    @Test("a typed call passes over it, as over any entry that cannot make the type")
    func typed() throws {
        let registry = try Self.registry(Self.raw(#""types": ["*/*"]"#))
        func entry(_ type: String, _ wanted: WantedValue) -> String {
            let decision = registry.explain(contentType: type, producing: wanted)
            return decision.entryID ?? decision.plan.ending.word
        }
        #expect(entry("application/json", .anything) == "kept")
        #expect(entry("application/json", .type(User.self)) == "json")
        #expect(entry("application/json", .type(User?.self)) == "json")
        #expect(entry("application/json", .type([User].self)) == "json")
        #expect(entry("application/json", .type((any Sendable).self)) == "kept")
        #expect(entry("text/html", .type(String.self)) == "text")
        #expect(entry("a/b", .type(String.self)) == "text")
        #expect(entry("a/b", .type(User.self)) == "noEntryProduces")
        for wanted in [WantedValue.type(Data.self), .type(ResponseBody.self), .type([UInt8].self), .type(Void.self)] {
            #expect(entry("application/json", wanted) == "bytes")
        }
        let decision = registry.explain(contentType: "a/b", producing: .type(User.self))
        #expect(decision.candidates.first?.description == "kept: declined: it makes ResponseBody, not User")
        let failure = try #require(throws: LookupFailure.self) {
            try decision.serialize(Sample.body("x"), as: User.self)
        }
        #expect(failure.description.hasPrefix("no entry makes User from a/b with status 200"))
    }

    @Test("the decision says that the entry gives the bytes")
    func explained() throws {
        let decision = try Self.registry(Self.errors).explain(contentType: "text/html", status: 502)
        #expect(decision.description == "kept: chosen: covers text/html with status 502, and gives its bytes")
        #expect(decision.entry == "kept")
        #expect(decision.outcome == .entry)
    }

    @Test("its types and statuses are not in Accept, and what comes after it is asked for")
    func accept() throws {
        let registry = try Self.registry(Self.raw(#""types": ["image/png", "application/json"]"#))
        let plain = try Self.registry("")
        for wanted in [
            WantedValue.anything, .type(User.self), .type([User].self), .type(String.self), .type(Data.self),
            .anyElements,
            .elements(of: User.self),
        ] {
            #expect(
                registry.accept(for: nil, producing: wanted) == plain.accept(for: nil, producing: wanted), "\(wanted)")
        }
        for policy in [#""accept": "all""#, #""noMatch": "error""#] {
            let policy = #""policy": { \#(policy) }"#
            let accept = try Self.registry(Self.raw(#""types": ["image/png"]"#), policy).accept(for: nil)
            #expect(accept == (try Self.registry("", policy).accept(for: nil)))
            #expect(accept?.contains("image/png") == false)
        }
        // Code that replaces it reads, and so it is asked for.
        let replaced = try registry.replacing("kept", with: TextSerializer())
        #expect(replaced.accept(for: nil)?.hasPrefix("image/png, application/json") == true)
    }

    @Test("a policy and a request can name it")
    func named() throws {
        let entry = Self.raw(#""types": ["x/y"]"#)
        for key in ["noMatch", "missingContentType", "invalidContentType"] {
            let registry = try Self.registry(entry, #""policy": { "\#(key)": "kept" }"#)
            let type = ["noMatch": "a/b", "invalidContentType": "nonsense"][key]
            let made = try registry.explain(contentType: type).serialize(Sample.body("x"))
            #expect(made.entry == "kept")
            #expect(made.value as? ResponseBody == Sample.body("x"))
            let typed = registry.explain(contentType: type, producing: .type(User.self))
            #expect(typed.outcome == .error)
        }
        let registry = try Self.registry(entry)
        let using = LookupOverride(using: .entry("kept"))
        #expect(
            registry.explain(contentType: "text/html", override: using).description
                == "kept: chosen: the request names it")
        #expect(
            registry.explain(contentType: "text/html", producing: .type(User.self), override: using).outcome == .error)
        #expect(try registry.serializer(factory: "raw") is RawSerializer)
        let excluding = LookupOverride(excluding: ["kept"])
        #expect(registry.explain(contentType: "x/y", override: excluding).entryID == nil)
    }

    @Test("after an entry that unwraps, it gives the bytes inside")
    func unwrapped() throws {
        let registry = try Self.registry("", #""order": []"#)
            .overlaid(
                by: .text(
                    #"{ "manifestVersion": 1, "plugins": [{ "id": "kept", "factory": "raw", "match": { "types": ["@json"] }, "place": { "after": "xssi" } }] }"#
                ))
        let decision = registry.explain(contentType: "application/json", status: 203)
        let made = try decision.serialize(Sample.body(")]}'\n[1]"))
        #expect(made.entry == "kept")
        #expect(made.value as? ResponseBody == Sample.body("[1]"))
        #expect(
            made.unwrapped?.description
                == "xssi: chosen: covers application/json with status 203, and unwraps it\n"
                + "kept: chosen: covers application/json with status 203, and gives its bytes")
        #expect(try decision.serialize(Sample.body(")]}'\n[1]"), as: [Int].self).value == [1])
    }

    @Test("its limit and its rule for failures are those of any entry")
    func limits() throws {
        func made(_ onFailure: String, _ body: String) throws -> String {
            let entry = Self.raw(
                #""types": ["text/html"]"#, #", "limits": { "maxBodyBytes": 4 }, "onFailure": "\#(onFailure)""#)
            let decision = try Self.registry(entry).explain(contentType: "text/html")
            do throws(LookupFailure) {
                let made = try decision.serialize(Sample.body(body))
                return "\(made.entry ?? "-") \(made.outcome)"
            } catch {
                return "\(error.code) \(error.entry ?? "-")"
            }
        }
        #expect(try made("error", "1234") == "kept entry")
        #expect(try made("error", "12345") == "bodyTooLarge kept")
        #expect(try made("next", "12345") == "text entry")
        #expect(try made("raw", "12345") == "- raw")
    }

    @Test("it only reads, and takes no options")
    func refused() throws {
        for (more, words) in [
            (#", "writes": true"#, "cannot write requests, it only reads responses"),
            (#", "reads": false"#, "its serializer only reads, and \"reads\" is false"),
            (#", "options": { "a": 1 }"#, "\"a\""),
        ] {
            let failure = try #require(throws: ManifestFailure.self) { try Self.registry(Self.raw("", more)) }
            #expect(failure.issues.count == 1)
            #expect(failure.description.contains(words), "\(failure)")
        }
        let id = try #require(throws: ManifestFailure.self) {
            try Self.registry(#"{ "id": "raw", "factory": "raw", "match": { "types": ["a/b"] } }"#)
        }
        #expect(id.issues.map(\.kind) == [.reservedID])
        #expect(
            try Self.registry(Self.errors).writer(of: .value(["a": 1]), as: .json, for: nil).writer?.entry == "json")
    }

    /// An untyped stream: a type, its entry, and the elements of the body `[1]\n[2]\n` in two pieces.
    private static let streams: [(String, String, String, [String])] = [
        ("application/x-ndjson", raw(#""types": ["application/x-ndjson"]"#), "kept", ["[1]\n[", "2]\n"]),
        ("text/event-stream", raw(#""types": ["text/*"]"#), "kept", ["[1]\n[", "2]\n"]),
        ("a/b", raw(""), "kept", ["[1]\n[", "2]\n"]),
        ("a/b", raw("", #", "limits": { "maxBodyBytes": 1 }"#), "kept", ["[1]\n[", "2]\n"]),
        ("a/b", raw(#""wanted": "elements""#), "kept", ["[1]\n[", "2]\n"]),
        ("application/x-ndjson", raw(#""types": ["a/b"]"#), "ndjson", ["[1]", "[2]"]),
    ]

    @Test("an untyped stream gives the pieces of the body as they arrive")
    func pieces() throws {
        for (type, entry, id, elements) in Self.streams {
            let decision = try Self.registry(entry).explain(contentType: type, producing: .anyElements)
            #expect(decision.entryID == id)
            #expect(decision.yieldsElements)
            var reader = try ElementReader<any Sendable>(decision)
            var all: [any Sendable] = []
            try reader.read(Array("[1]\n[".utf8), into: &all)
            // The first piece is there before the second has arrived.
            #expect(all.count == 1)
            try reader.read(Array("2]\n".utf8), into: &all)
            try reader.finish(into: &all)
            #expect(
                all.map { ($0 as? Data).map { String(decoding: $0, as: UTF8.self) } ?? "\($0)" } == elements, "\(type)")
        }
        let kept = try Self.registry(Self.raw("")).explain(contentType: "a/b", producing: .anyElements)
        #expect(kept.description == "kept: chosen: covers a/b with status 200, and gives its bytes")
        let typed = try Self.registry(Self.raw("")).explain(
            contentType: "application/x-ndjson", producing: .elements(of: User.self))
        #expect(typed.entryID == "ndjson")
        // What is a value or elements is pieces for events, which never end.
        let either = try Self.registry(Self.raw(#""types": ["text/*"]"#))
        #expect(
            either.explain(contentType: "text/event-stream", producing: .valueOrElements).wanted.kind == .anyElements)
        #expect(either.explain(contentType: "text/html", producing: .valueOrElements).wanted.kind == .anything)
    }

    @Test("a route says that it makes a ResponseBody and writes nothing")
    func route() throws {
        let route = try #require(try Self.registry(Self.errors).routes(host: nil).first)
        #expect(route.output == "ResponseBody")
        #expect(route.writes == nil)
        #expect(route.factory == "raw")
        #expect(Capability.all(of: [try Self.registry(Self.errors)]).map(\.name).contains("ResponseBody") == false)
    }

    @Test("it hides no entry but another one of its kind, and nothing is noted where no entry uses it")
    func hidden() throws {
        let xssi = #"{ "id": "own", "factory": "xssi", "match": { "types": ["a/b"] } }"#
        let other = #"{ "id": "other", "factory": "raw", "match": { "types": ["a/b"] } }"#
        #expect(
            try Self.registry("\(Self.raw(#""types": ["a/b"]"#)), \(xssi)").notes.allSatisfy {
                $0.kind == .unusedFactory
            })
        let failure = try #require(throws: ManifestFailure.self) {
            try Self.registry("\(Self.raw(#""types": ["*/*"]"#)), \(other)")
        }
        #expect(failure.issues.map(\.kind) == [.hiddenEntry])
        #expect(try Self.registry("").notes.allSatisfy { !$0.message.contains("\"raw\"") })
    }

    @Test(
        "what it takes in a layer is meant, so that nothing warns of it",
        arguments: [#""status": ["5XX"]"#, #""types": ["*/*"], "status": ["5XX"]"#, #""types": ["@json"]"#])
    func layers(_ match: String) throws {
        let registry = try Self.registry("").overlaid(
            by: .text(#"{ "manifestVersion": 1, "plugins": [\#(Self.raw(match))] }"#, name: "o.json"))
        #expect(registry.lint().map(\.text) == [])
        let text = try Self.registry("").overlaid(
            by: .text(
                #"{ "manifestVersion": 1, "plugins": [\#(Self.raw(match).replacing(#""raw""#, with: #""xml-document""#))] }"#
            ))
        #expect(!text.lint().isEmpty)
    }

    @Test("a change to it is a difference of the tables")
    func compared() throws {
        func changes(_ before: String, _ after: String) throws -> [String] {
            try RegistryComparison(try Self.registry(before), try Self.registry(after)).changes.map { "\($0.aspect)" }
        }
        #expect(try changes(Self.errors, Self.errors) == [])
        #expect(try !changes("", Self.errors).isEmpty)
        // No call is asked for anything else.
        #expect(try !changes("", Self.errors).contains("accept"))
        #expect(try !changes("", Self.raw("")).contains("accept"))
    }
}
