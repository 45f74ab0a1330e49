import PatchbayRegistry
import Testing

/// Which entry is chosen, and what the others say: DESIGN, "Matching".
@Suite("Matching")
struct MatchingTests {
    static let manifest = #"""
        { "manifestVersion": 1,
          "aliases": { "image/pjpeg": "image/jpeg", "text/x-json": "application/json" },
          "plugins": [
            { "id": "problem", "factory": "json", "onFailure": "raw",
              "match": { "types": ["application/problem+json"], "status": ["4XX", "5XX"] } },
            { "id": "profile", "factory": "text", "match": { "types": ["application/json;profile=x"] } },
            { "id": "json", "factory": "json", "match": { "types": ["@json"] } },
            { "id": "svg", "factory": "text", "match": { "types": ["image/*+xml"] } },
            { "id": "yaml", "factory": "text", "match": { "types": ["+yaml"] } },
            { "id": "image", "factory": "thumbnail", "optional": true, "match": { "types": ["image/*"] } },
            { "id": "jpeg", "factory": "count", "match": { "types": ["image/jpeg"] } },
            { "id": "teapot", "factory": "count", "match": { "status": ["418"] } },
            { "id": "latin", "factory": "text", "match": { "types": ["text/*;charset=ISO-8859-1"] } },
            { "id": "picky", "factory": "picky", "onFailure": "next", "match": { "types": ["text/*"] } },
            { "id": "text", "factory": "text", "match": { "types": ["text/plain", "text/html"] } } ] }
        """#

    struct Case: Sendable, CustomTestStringConvertible {
        let contentType: String?
        var status = 200
        let entry: String?
        var testDescription: String { "\(contentType ?? "none") \(status) → \(entry ?? "raw")" }

        init(_ contentType: String?, status: Int = 200, _ entry: String?) {
            self.contentType = contentType
            self.status = status
            self.entry = entry
        }
    }

    static let cases = [
        Case("application/json", "json"),
        Case("Application/Vnd.Acme+JSON; Charset=\"utf-8\"", status: 404, "json"),
        Case("application/problem+json", "json"),
        Case("application/problem+json", status: 404, "problem"),
        Case("application/problem+json", status: 599, "problem"),
        Case("application/problem+json", status: 700, "problem"),
        Case("application/json;profile=x", "profile"),
        Case("application/json; a=b; profile=\"x\"", "profile"),
        Case("application/json;profile=X", "json"),
        Case("text/x-json", "json"),
        Case("text/x-json;profile=x", "profile"),
        Case("image/svg+xml", "svg"),
        Case("application/x+yaml", "yaml"),
        Case("image/jpeg", "jpeg"),
        Case("image/pjpeg", "jpeg"),
        Case("image/png", nil),
        Case("image/png", status: 418, "teapot"),
        Case(nil, nil),
        Case(nil, status: 418, "teapot"),
        Case("*/*", nil),
        Case("*/*", status: 418, "teapot"),
        Case("nonsense", status: 418, "teapot"),
        Case("text/plain", "text"),
        Case("text/plain; charset=iso-8859-1", "latin"),
        Case("text/csv", nil),
        Case("text/html, text/plain", "text"),
    ]

    @Test("the first entry that covers the response", arguments: cases)
    func chosen(_ test: Case) throws {
        let registry = try SerializerRegistry.fixture(Self.manifest)
        let decision = registry.explain(contentType: test.contentType, status: test.status)
        #expect(decision.entryID == test.entry)
        #expect(decision.outcome == (test.entry == nil ? .raw : .entry))
        // The reasons agree with the choice, which they are worked out apart from.
        #expect(decision.candidates.last { $0.verdict == .chosen }?.entry == test.entry)
        #expect(decision.candidates.count { $0.verdict == .chosen } == (test.entry == nil ? 0 : 1))
    }

    @Test("every entry asked, with its reason")
    func reasons() throws {
        let registry = try SerializerRegistry.fixture(Self.manifest)
        #expect(
            registry.explain(contentType: "text/csv").description == """
                problem: declined: text/csv is outside application/problem+json
                profile: declined: text/csv is outside application/json;profile=x
                json: declined: text/csv is outside @json
                svg: declined: text/csv is outside image/*+xml
                yaml: declined: text/csv is outside +yaml
                image: declined: factory thumbnail is not in this build
                jpeg: declined: text/csv is outside image/jpeg
                teapot: declined: status 200 is outside 418
                latin: declined: text/csv is outside text/*;charset=iso-8859-1: it has no charset
                picky: declined: there is no X-Take
                text: declined: text/csv is outside text/plain, text/html
                raw: no entry is left, so the bytes are the value (policy noMatch)
                """)
        #expect(
            registry.explain(contentType: "application/problem+json").description == """
                problem: declined: status 200 is outside 4XX, 5XX
                profile: declined: application/problem+json is outside application/json;profile=x
                json: chosen: covers application/problem+json with status 200
                """)
        #expect(
            registry.explain(contentType: nil).candidates.first?.reason
                == "there is no Content-Type, and it asks for application/problem+json")
        #expect(
            registry.explain(contentType: "*/*").candidates.first?.reason
                == "the Content-Type is invalid, and it asks for application/problem+json")
    }

    @Test("1.1.28: an entry's own check, on the head")
    func ownCheck() throws {
        let registry = try SerializerRegistry.fixture(Self.manifest)
        let head = try #require(
            ResponseHead.fixture(fields: ["Content-Type": "text/plain", "X-Take": "1"]))
        #expect(registry.decision(for: head).entryID == "picky")
    }

    @Test("the serializer sees the type that was sent, not the alias")
    func aliasIsForMatchingOnly() throws {
        let registry = try SerializerRegistry.fixture(Self.manifest)
        let decision = registry.explain(contentType: "image/pjpeg;q=1")
        #expect(decision.head.mediaType?.description == "image/pjpeg;q=1")
        #expect(decision.candidates.last?.description == "jpeg: chosen: covers image/pjpeg with status 200")
    }

    @Test("an empty registry gives bytes and text")
    func empty() throws {
        let registry = try SerializerRegistry(sources: [], factories: SerializerFactories())
        let decision = registry.explain(contentType: "text/plain; charset=utf-16le")
        #expect(decision.description == "raw: no entry is left, so the bytes are the value (policy noMatch)")
        #expect(try decision.serialize(ResponseBody([0x41, 0])).outcome == .raw)
        #expect(try decision.serialize(ResponseBody([0x41, 0]), as: String.self).value == "A")
    }
}
