import PatchbayJSON
import PatchbayRegistry
import Testing

@Suite("Overrides of one request")
struct LookupOverrideTests {
    private func registry() throws -> SerializerRegistry {
        try .entries(
            #"""
            { "id": "json", "factory": "json", "match": { "types": ["@json"], "status": ["2XX"] } },
            { "id": "text", "factory": "text", "match": { "types": ["text/*", "@json"] } },
            { "id": "image", "factory": "image", "optional": true },
            { "id": "off", "factory": "text", "enabled": false }
            """#, #""hosts": { "a.b": { "plugins": [{ "id": "own", "factory": "count" }] } }"#)
    }

    private func decision(_ override: LookupOverride, _ wanted: WantedValue = .anything, status: Int = 200) throws
        -> Decision
    {
        try registry().explain(contentType: "text/plain", status: status, producing: wanted, override: override)
    }

    @Test("using an entry skips matching")
    func usingEntry() throws {
        let decision = try decision(LookupOverride(using: .entry("json")))
        #expect(decision.entryID == "json")
        #expect(decision.description == "json: chosen: the request names it")
        #expect(try decision.serialize(ResponseBody(text: "[1]")).value as? JSON == [1])
        #expect(try self.decision(LookupOverride(using: .entry("own"))).entryID == "own")
    }

    @Test("using a serializer of one's own")
    func usingSerializer() throws {
        let decision = try decision(LookupOverride(using: .serializer(CountFixture())))
        #expect(decision.entryID == nil && decision.outcome == .entry)
        #expect(decision.description == "(request): chosen: the request brought it")
        let result = try decision.serialize(ResponseBody(text: "abc"))
        #expect(result.value as? Int == 3 && result.entry == nil && result.outcome == .entry)
        let broken = try self.decision(LookupOverride(using: .serializer(BrokenFixture())))
        let failure = try #require(throws: LookupFailure.self) { try broken.serialize(ResponseBody(text: "abc")) }
        #expect(failure.attempts.map(\.description) == ["(request): Broken"])
        #expect(failure.entry == nil)
        #expect(
            failure.description
                == "the serializer of the request could not serialize text/plain with status 200: Broken; "
                + "asked: (request) (failed)")
    }

    @Test("error bodies still go through the registry")
    func errorBodies() throws {
        let decision = try decision(LookupOverride(using: .entry("json")), .type(JSON.self), status: 404)
        #expect(!decision.isAcceptable)
        #expect(decision.entryID == "text")
        #expect(decision.wanted.description == "any value")
    }

    @Test(
        "what cannot be used",
        arguments: [("nobody", "unknownEntry"), ("image", "entryUnavailable"), ("off", "entryUnavailable")])
    func unusable(_ id: String, _ code: String) throws {
        let decision = try decision(LookupOverride(using: .entry(id)))
        #expect(decision.outcome == .error)
        for body in [ResponseBody(text: "x"), .empty] {
            #expect(try #require(throws: LookupFailure.self) { try decision.serialize(body) }.code.rawValue == code)
            #expect(
                try #require(throws: LookupFailure.self) { try decision.serialize(body, as: JSON.self) }.code.rawValue
                    == code)
        }
        #expect(decision.candidates.map(\.verdict) == [.declined])
    }

    @Test("what is used must make the type")
    func usingAndType() throws {
        #expect(try decision(LookupOverride(using: .entry("json")), .type([Int].self)).entryID == "json")
        let wrong = try decision(LookupOverride(using: .entry("text")), .type([Int].self))
        #expect(wrong.description.hasPrefix("text: declined: it makes String, not [Int]\nerror: noEntryProduces"))
        #expect(
            try #require(throws: LookupFailure.self) { try wrong.serialize(ResponseBody(text: "[]"), as: [Int].self) }
                .code
                == .noEntryProduces)
    }

    @Test("text is to be had whatever is used")
    func usingAndText() throws {
        let decision = try decision(LookupOverride(using: .entry("json")), .type(String.self))
        #expect(decision.candidates.map(\.description) == ["json: declined: it makes JSON, not String"])
        #expect(try decision.serialize(ResponseBody(text: "x"), as: String.self).value == "x")
    }

    @Test("excluded ids are out before matching, for error bodies too")
    func excluding() throws {
        let registry = try registry()
        let override = LookupOverride(excluding: ["json", "nobody"])
        let decision = registry.explain(contentType: "application/json", override: override)
        #expect(decision.entryID == "text")
        #expect(decision.candidates.first?.description == "json: declined: the request excludes it")
        #expect(
            registry.explain(
                contentType: "application/json", status: 500, override: LookupOverride(excluding: ["text"])
            ).entryID == nil)
    }

    @Test("an excluded entry is out where a policy names it")
    func excludingFallback() throws {
        let registry = try SerializerRegistry.entries(
            #"{ "id": "text", "factory": "text", "match": { "types": ["text/*"] } }"#,
            #""policy": { "noMatch": "text" }"#)
        #expect(registry.explain(contentType: "a/b").entryID == "text")
        #expect(registry.explain(contentType: "a/b", override: LookupOverride(excluding: ["text"])).outcome == .raw)
    }
}
