import PatchbayJSON
import PatchbayRegistry
import PatchbayTesting
import Testing

@testable import PatchbayManager

@Suite(.timeLimit(.minutes(5))) struct StatusTests {
    struct Fault: Decodable, Sendable, Equatable { let reason: String }

    @Test("1.2.20, 1.6.6: a status that is not acceptable throws, with the body decoded by the registry")
    func decodedBody() async throws {
        let (manager, _) = try stubManager { _ in .json(#"{"reason":"gone"}"#, status: 410) }
        let error = try #require(
            await #expect(throws: SessionError.self) { try await manager.get("a", as: [String].self) })
        #expect(error.code == .status)
        #expect(error.description == "GET origin.test/a: the status is 410, which is not acceptable (2XX)")
        #expect(error.value as? JSON == ["reason": "gone"])
        #expect(error.decision?.entry == "json")
        #expect(error.decision?.outcome == .entry)
        #expect(error.bodyFailure == nil)
        #expect(error.head?.status == 410)
        #expect(try error.decode(as: Fault.self) == Fault(reason: "gone"))
        #expect(try error.decode(as: String.self) == #"{"reason":"gone"}"#)
    }

    @Test("a failure in the error's body is recorded and never replaces the status")
    func bodyFailure() async throws {
        let (manager, _) = try stubManager { _ in .json("{oops", status: 500) }
        let error = try #require(await #expect(throws: SessionError.self) { try await manager.send("a") })
        #expect(error.code == .status)
        #expect(error.value == nil)
        #expect((error.bodyFailure as? SessionError)?.code == .serialization)
        #expect(error.decision?.candidates.filter { $0.verdict == .failed }.map(\.entry) == ["json"])
        #expect(error.decision?.outcome == .error)
        #expect(error.body?.count == 5)
    }

    @Test("a body that breaks off after an error status leaves the status in place")
    func brokenBody() async throws {
        let (manager, _) = try stubManager { _ in
            StubReply(
                status: 503, fields: ["Content-Type": "application/json"], body: "[1,",
                failure: TransportFailure(.truncatedBody, "the body ended early"))
        }
        let error = try #require(await #expect(throws: SessionError.self) { try await manager.send("a") })
        #expect(error.code == .status)
        #expect((error.bodyFailure as? SessionError)?.code == .transport)
        #expect(error.decision?.outcome == .error)
        #expect(error.decision?.entry == nil)
    }

    @Test("a body that breaks off after an acceptable status is a transport error and no serializer runs")
    func brokenGoodBody() async throws {
        let (manager, _) = try stubManager { _ in
            StubReply(
                fields: ["Content-Type": "application/json"], body: "[1]",
                failure: TransportFailure(.truncatedBody, "the body ended early"))
        }
        let error = try #require(await #expect(throws: SessionError.self) { try await manager.send("a") })
        #expect(error.code == .transport)
        #expect(error.description == "GET origin.test/a: the body ended early")
        #expect(error.head?.status == 200)
    }

    @Test("an error body larger than its entry's limit is recorded as the body's failure")
    func largeErrorBody() async throws {
        let (manager, _) = try stubManager { _ in .words("123456789", status: 404) }
        let error = try #require(await #expect(throws: SessionError.self) { try await manager.send("a") })
        #expect(error.code == .status)
        let failure = try #require(error.bodyFailure as? SessionError)
        #expect(failure.code == .bodyTooLarge)
        for decision in [error.decision, failure.decision] {
            #expect(decision?.outcome == .error)
            #expect(decision?.entry == "words")
        }
    }

    @Test("1.1.2: the policy and the request say which statuses are acceptable")
    func acceptable() async throws {
        let registry = try TestRegistry.make(policy: #"{ "acceptableStatus": ["2XX", "404"] }"#)
        let (manager, _) = try stubManager(registry) { _ in .json("[1]", status: 404) }
        #expect(try await manager.get("a", as: [Int].self) == [1])
        var request = SessionRequest("a")
        request.acceptableStatus = try StatusSet(notations: ["200"])
        let error = await #expect(throws: SessionError.self) { try await manager.send(request) }
        #expect(error?.description == "GET origin.test/a: the status is 404, which is not acceptable (200)")
    }

    @Test("1.2.18: a reply decodes its kept bytes again, as another type")
    func lateDecoding() async throws {
        let (manager, stub) = try stubManager { _ in .json("[1,2]") }
        let reply = try await manager.send("a")
        #expect(reply.value as? JSON == [1, 2])
        #expect(reply.entry == "json")
        #expect(reply.outcome == .entry)
        #expect(try reply.decode(as: [Int].self) == [1, 2])
        let error = #expect(throws: SessionError.self) { try reply.decode(as: [String].self) }
        #expect(error?.code == .serialization)
        #expect(stub.requests.count == 1)
    }

    @Test("an error without a response has nothing to decode")
    func nothingToDecode() async throws {
        let (manager, _) = try stubManager { _ in
            throw TransportFailure(.refusedConnection, "the connection was refused")
        }
        let error = try #require(await #expect(throws: SessionError.self) { try await manager.send("a") })
        #expect(error.description == "GET origin.test/a: the connection was refused")
        let late = #expect(throws: SessionError.self) { try error.decode(as: String.self) }
        #expect(late?.code == .emptyBody)
        #expect(late?.description == "there is no response to decode: the connection was refused")
    }
}
