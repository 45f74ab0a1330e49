import PatchbayJSON
import PatchbayRegistry
import Testing

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Calls that ask for a type: DESIGN, "Typed calls".
@Suite("Typed calls")
struct TypedCallTests {
    struct User: Decodable, Sendable, Equatable { let name: String }
    /// Neither decodable nor the output of any entry.
    struct Opaque: Sendable {}

    static let manifest = #"""
        { "manifestVersion": 1,
          "plugins": [
            { "id": "count", "factory": "count", "match": { "types": ["@json", "a/b"] } },
            { "id": "json", "factory": "json", "match": { "types": ["@json"] } },
            { "id": "text", "factory": "text", "match": { "types": ["@json", "text/*"] }, "options": { "prefix": "text:" } },
            { "id": "b1", "factory": "broken", "onFailure": "next", "match": { "types": ["b/next"] } },
            { "id": "b2", "factory": "broken", "onFailure": "raw", "match": { "types": ["b/raw"] } } ] }
        """#

    private func registry() throws -> SerializerRegistry { try .fixture(Self.manifest) }

    private func call<Value: Sendable>(
        _ type: Value.Type, _ contentType: String?, _ body: String, status: Int = 200, override: LookupOverride = .none
    ) throws -> (Value, String?) {
        let decision = try registry().explain(
            contentType: contentType, status: status, producing: .type(type), override: override)
        let result = try decision.serialize(ResponseBody(text: body), as: type)
        #expect(result.entry == decision.entryID)
        return (result.value, result.entry)
    }

    private func failure<Value: Sendable>(
        _ type: Value.Type, _ contentType: String?, _ body: String, override: LookupOverride = .none
    ) throws -> LookupFailure {
        try #require(throws: LookupFailure.self) { try call(type, contentType, body, override: override) }
    }

    @Test("1.2.11: the first covering entry that can make the type")
    func entries() throws {
        #expect(try call(User.self, "application/json", #"{"name":"a"}"#) == (User(name: "a"), "json"))
        #expect(try call(JSON.self, "application/json", "[1]") == ([1], "json"))
        #expect(try call(Int.self, "application/json", "[1]") == (3, "count"))
        #expect(try call(String.self, "application/json", "[1]") == ("text:[1]", "text"))
        #expect(try call(Double.self, "application/json", "1.5") == (1.5, "json"))
        #expect(try call([User].self, "application/json", "[]") == ([], "json"))
        let optional = try call(User?.self, "application/json", "null")
        #expect(optional.0 == nil && optional.1 == "json")
        #expect(try call(User?.self, "application/json", #"{"name":"a"}"#).0 == User(name: "a"))
    }

    @Test("bytes ask no entry, whatever the type says")
    func bytes() throws {
        for contentType in ["application/json", "x/y", "*/*", nil] {
            #expect(try call(Data.self, contentType, "[1") == (Data("[1".utf8), nil))
            #expect(try call([UInt8].self, contentType, "") == ([], nil))
            #expect(try call(ResponseBody.self, contentType, "x") == (ResponseBody(text: "x"), nil))
        }
        let decision = try registry().explain(contentType: "application/json", producing: .type(Data.self))
        #expect(decision.description == "bytes: Data is always the body as it is, no entry is asked")
        #expect(decision.outcome == .raw)
    }

    @Test("1.2.8: text comes from an entry that makes String, else from the bytes")
    func text() throws {
        #expect(try call(String.self, "text/plain", "ü") == ("text:ü", "text"))
        #expect(try call(String.self, "image/png", "ü") == ("ü", nil))
        #expect(try call(String.self, nil, "ü") == ("ü", nil))
        let utf16 = try registry().explain(contentType: "image/png", producing: .type(String.self))
        #expect(try utf16.serialize(ResponseBody([0xFF, 0xFE, 0x41, 0]), as: String.self).value == "A")
        let malformed = try #require(throws: LookupFailure.self) {
            try utf16.serialize(ResponseBody([0xFF]), as: String.self)
        }
        #expect(malformed.code == .undecodableText)
        #expect(try failure(String.self, "image/png;charset=utf-7", "x").code == .undecodableText)
    }

    @Test("text is to be had where the policy makes the lack of an entry an error")
    func textTail() throws {
        let registry = try SerializerRegistry.entries(
            "", #""policy": { "noMatch": "error", "missingContentType": "error" }"#)
        #expect(try registry.explain(contentType: nil).serialize(ResponseBody(text: "x"), as: String.self).value == "x")
        #expect(
            try registry.explain(contentType: nil).serialize(ResponseBody(text: "x"), as: Data.self).value
                == Data("x".utf8))
    }

    @Test("no entry makes the type: an error with the bytes, never raw")
    func none() throws {
        let failure = try failure(User.self, "text/csv", "x")
        #expect(failure.code == .noEntryProduces)
        #expect(failure.body == ResponseBody(text: "x"))
        #expect(
            failure.description
                == #"no entry makes User from text/csv with status 200; to have json read it, set request.using = .entry("json"), or "#
                + #""types": ["text/csv"] in an entry, or "noMatch": "json" in the policy; "#
                + "asked: text (declined), and 4 that do not cover text/csv")
        #expect(
            failure.tried.map(\.reason) == [
                "text/csv is outside @json, a/b", "text/csv is outside @json", "it makes String, not User",
                "text/csv is outside b/next", "text/csv is outside b/raw",
            ])
        let decision = try registry().explain(contentType: "text/csv", producing: .type(User.self))
        #expect(decision.outcome == .error)
        #expect(decision.description.hasSuffix("error: noEntryProduces (policy noMatch)"))
        let strict = try SerializerRegistry.entries("", #""policy": { "noMatch": "error" }"#)
        let other = try #require(throws: LookupFailure.self) {
            try strict.explain(contentType: "text/csv").serialize(ResponseBody(text: "x"), as: User.self)
        }
        #expect(other.code == .noEntryProduces)
        let opaque = try self.failure(Opaque.self, "application/json", "{}")
        #expect(opaque.code == .noEntryProduces)
        #expect(opaque.tried[1].reason == "it makes JSON, not Opaque, which is not Decodable")
    }

    @Test("raw, and an exhausted next, throw the first failure")
    func failures() throws {
        for contentType in ["b/next", "b/raw"] {
            let failure = try failure(JSON.self, contentType, "x")
            #expect(failure.code == .serialization)
            #expect(failure.cause is Broken)
            #expect(failure.attempts.count == 1)
        }
        let decode = try failure(User.self, "application/json", #"{"nam":"a"}"#)
        #expect(decode.code == .serialization && decode.entry == "json" && decode.cause is DecodingError)
        #expect(
            decode.description
                == #"the entry json could not serialize application/json with status 200: the key "name" is missing; "#
                + "asked: count (declined), json (failed)")
    }

    @Test("a decision made for one type answers for another")
    func later() throws {
        let decision = try registry().explain(contentType: "application/json", status: 404, producing: .type(Int.self))
        // The status is not acceptable, so the body is looked up as in a dynamic call.
        #expect(decision.wanted.description == "any value")
        let body = ResponseBody(text: #"{"name":"a"}"#)
        #expect(try decision.serialize(body).entry == "count")
        #expect(try decision.serialize(body, as: User.self).value == User(name: "a"))
        #expect(try decision.serialize(body, as: Int.self).value == 12)
    }

    @Test("the body limit of a typed call is that of the entry, and bytes have the policy's")
    func limits() throws {
        let registry = try SerializerRegistry.entries(
            #"{ "id": "json", "factory": "json", "onFailure": "raw", "limits": { "maxBodyBytes": 9 } }"#)
        func limit(_ wanted: WantedValue) -> Int { registry.explain(contentType: "a/b", producing: wanted).bodyLimit }
        #expect(limit(.type(User.self)) == 9)
        #expect(limit(.anything) == 64 << 20)
        #expect(limit(.type(Data.self)) == 64 << 20)
        #expect(limit(.type(String.self)) == 64 << 20)
    }
}
