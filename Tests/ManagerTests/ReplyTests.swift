import Foundation
import PatchbayJSON
import PatchbayRegistry
import PatchbayTesting
import TestSupport
import Testing

@testable import PatchbayManager

@Suite(.timeLimit(.minutes(5))) struct ReplyTests {
    struct Odd: Error, Equatable {}

    @Test("1.2.17, 1.2.18: several serializers over one response, and one after it has finished")
    func several() async throws {
        let (manager, stub) = try stubManager { _ in .json("[1,2]") }
        let reply = try await manager.send("a")
        let count = MadeSerializer { body, _ in body.count }
        let bytes = MadeSerializer { body, _ in body.data + body.data }
        let failing = MadeSerializer<Int> { _, _ in throw Odd() }
        #expect(try reply.serialize(with: count) == 5)
        #expect(try reply.serialize(with: bytes) == Data("[1,2][1,2]".utf8))
        #expect(try reply.serialize(with: TestRegistry.WordsSerializer()) == ["[1,2]"])
        let error = #expect(throws: SessionError.self) { try reply.serialize(with: failing) }
        #expect(error?.code == .serialization)
        #expect(error?.cause is Odd)
        #expect(stub.requests.count == 1)
    }

    @Test("an unwrapped body: the reply tells both look-ups, and late decoding goes through it again")
    func unwrapped() async throws {
        var factories = TestRegistry.factories
        try factories.register("reversed") {
            MadeUnwrapping { body, _ in
                (ResponseBody(Data(body.data.reversed())), try #require(MediaType(parsing: "application/json")))
            }
        }
        let text = """
            { "manifestVersion": 1, "plugins": [
                { "id": "reversed", "factory": "reversed", "match": { "types": ["x/reversed"] } },
                { "id": "json", "factory": "json", "match": { "types": ["@json"] } } ] }
            """
        let registry = try SerializerRegistry(sources: [.text(text, name: "test.json")], factories: factories)
        let (manager, _) = try stubManager(registry) { request in
            StubReply(
                status: request.head.url.path() == "/gone" ? 410 : 200, fields: ["Content-Type": "x/reversed"],
                body: "]2,1[")
        }
        let reply = try await manager.send("a")
        #expect(reply.value as? JSON == [1, 2])
        #expect(reply.entry == "json")
        #expect(reply.decision.entry == "json")
        #expect(reply.decision.mediaType?.essence == "application/json")
        #expect(reply.unwrapped?.head.mediaType?.essence == "application/json")
        #expect(reply.decision.candidates.map(\.entry) == ["reversed", "json"])
        #expect(reply.body.data == Data("]2,1[".utf8))
        #expect(try reply.decode(as: [Int].self) == [1, 2])
        #expect(try await manager.get("a", as: [Int].self) == [1, 2])
        let error = try #require(await #expect(throws: SessionError.self) { try await manager.send("gone") })
        #expect(error.value as? JSON == [1, 2])
        #expect(error.decision?.candidates.map(\.entry) == ["reversed", "json"])
        #expect(try error.decode(as: [Int].self) == [1, 2])
    }
}
