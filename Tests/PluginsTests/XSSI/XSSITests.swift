import PatchbayJSON
import PatchbayRegistry
import PatchbayTesting
import Testing

@testable import PatchbayPlugins

/// The prefix that keeps JSON from running as a script.
@Suite struct XSSITests {
    @Test(
        "1.2.6: the prefix is taken off, only where it is there and whole",
        arguments: [
            (")]}',\n[1]", "[1]"), (")]}'\n[1]", "[1]"), (")]}'\r\n[1]", "[1]"), (")]}',\r\n[1]", "[1]"),
            (")]}'[1]", "[1]"), (")]}',[1]", "[1]"), (")]}'\r[1]", "[1]"), (")]}'\n,[1]", ",[1]"),
            (")]}'\n\n[1]", "\n[1]"), (")]}',,[1]", ",[1]"), ("[1]", "[1]"), (")]}',", ""), (")]}'", ""),
            (")]}", ")]}"), ("\u{FEFF})]}'\n[1]", "[1]"), (" )]}',\n[1]", " )]}',\n[1]"), (")]}',\n", ""),
            (")]}',\n)]}',\n1", ")]}',\n1"),
        ])
    func prefix(_ body: String, _ rest: String) throws {
        let (inside, type) = try XSSISerializer().unwrap(
            Sample.body(body), Sample.head("application/json; charset=utf-8"))
        #expect(inside == Sample.body(rest))
        #expect(type.description == "application/json;charset=utf-8")
    }

    @Test(
        "a prefix by option is compared exactly",
        arguments: [
            ("while(1);", "while(1);[1]", "[1]"), ("while(1);", "while(1);,\n[1]", ",\n[1]"),
            (")]}'", ")]}',\n[1]", ",\n[1]"), (")]}',\n", ")]}',\n[1]", "[1]"), (")]}',\n", ")]}'\n[1]", ")]}'\n[1]"),
            ("é", "é[1]", "[1]"),
        ])
    func option(_ prefix: String, _ body: String, _ rest: String) throws {
        let serializer = XSSISerializer(prefix: prefix)
        #expect(try serializer.unwrap(Sample.body(body), Sample.head("a/b")).0 == Sample.body(rest))
        #expect((serializer.declineReason(Sample.body(body)) == nil) == (body != rest))
    }

    @Test("a body without the prefix is declined, with the reason in every decision, and read by the next entry")
    func verdict() throws {
        let decision = try registry("true").explain(contentType: "application/json")
        let declined = "xssi: declined: the body does not begin with its prefix"
        let chosen = "json: chosen: covers application/json with status 200"
        let plain = try decision.serialize(Sample.body("[1]"))
        #expect(plain.value as? JSON == [1])
        #expect(plain.unwrapped?.description == "\(declined)\n\(chosen)")
        #expect(plain.unwrapped?.isUnwrapped == false)
        let prefixed = try decision.serialize(Sample.body(")]}'\n[1]"))
        #expect(
            prefixed.unwrapped?.description
                == "xssi: chosen: covers application/json with status 200, and unwraps it\n\(chosen)")
        #expect(prefixed.unwrapped?.isUnwrapped == true)
        let failure = try #require(throws: LookupFailure.self) { try decision.serialize(Sample.body(" )]}'\n[1]")) }
        #expect(failure.tried.map(\.verdict) == [.declined, .failed])
        #expect(failure.description.hasSuffix("asked: xssi (declined), json (failed)"))
        let typed = try #require(throws: LookupFailure.self) {
            try registry("true").explain(contentType: "application/json", producing: .type([Int].self))
                .serialize(Sample.body("[x]"), as: [Int].self)
        }
        #expect(typed.tried.first?.reason == "the body does not begin with its prefix")
        #expect(decision.description == "xssi: chosen: covers application/json with status 200, and unwraps it")
    }

    private func registry(_ enabled: String) throws -> SerializerRegistry {
        let manifest = """
            { "manifestVersion": 1, "plugins": [
                { "id": "xssi", "factory": "xssi", "match": { "types": ["@json"] }, "enabled": \(enabled) },
                { "id": "json", "factory": "json", "match": { "types": ["@json"] } } ] }
            """
        return try SerializerRegistry(sources: [.text(manifest, name: "test.json")], factories: .standard)
    }

    @Test("1.2.2, 1.2.5, 1.2.7: in front of json, by the manifest; not for an empty body")
    func entry() throws {
        let on = try registry("true").explain(contentType: "application/json")
        #expect(try on.serialize(Sample.body(")]}',\n[1]")).value as? JSON == [1])
        #expect(try on.serialize(Sample.body("[1]")).value as? JSON == [1])
        #expect(try on.serialize(Sample.body(")]}',\n[1]"), as: [Int].self).value == [1])
        #expect(try on.serialize(.empty).outcome == .empty)
        #expect(try on.serialize(.empty).unwrapped == nil)
        let off = try registry("false").explain(contentType: "application/json")
        #expect(throws: LookupFailure.self) { try off.serialize(Sample.body(")]}',\n[1]")) }
    }

    @Test("a response without a media type is declined")
    func untyped() {
        #expect(XSSISerializer().declineReason(Sample.head(nil)) == "there is no media type to go on with")
        #expect(XSSISerializer().declineReason(Sample.head("a/b")) == nil)
        #expect(throws: FormatFailure.self) {
            try XSSISerializer().unwrap(Sample.body("x"), Sample.head(nil))
        }
    }

    @Test func conformance() async throws {
        try await checkConformance(
            of: XSSISerializer(),
            good: [
                ConformanceSample("with a prefix", text: ")]}',\n{}", contentType: "application/json"),
                ConformanceSample("without", text: "{}", contentType: "application/json"),
            ], bad: [])
    }
}
