import Foundation
import PatchbayJSON
import PatchbayPlatform
import PatchbayRegistry
import PatchbayTesting
import TestSupport
import Testing

@testable import PatchbayManager

@Suite(.timeLimit(.minutes(5))) struct ValidatorTests {
    struct Refused: Error, Equatable {}

    @Test("1.1.28, 1.4.6, 1.4.7: validators run in order, the first failure wins, and no serializer runs")
    func order() async throws {
        let ran = Guarded<[String]>([])
        let serialized = Guarded(0)
        let (manager, _) = try stubManager { _ in .json("[1]") }
        var request = SessionRequest("a")
        request.using = .serializer(
            MadeSerializer { body, _ in
                serialized.withLock { $0 += 1 }
                return body.count
            })
        func validator(
            _ name: String, _ error: (any Error)? = nil
        ) -> @Sendable (ResponseHead, ResponseBody) throws -> Void {
            { head, body in
                ran.withLock { $0.append("\(name) \(head.status) \(body.count)") }
                if let error { throw error }
            }
        }
        request.validators = [validator("a"), validator("b", Refused()), validator("c")]
        let error = try #require(await #expect(throws: SessionError.self) { try await manager.send(request) })
        #expect(ran.withLock { $0 } == ["a 200 3", "b 200 3"])
        #expect(serialized.withLock { $0 } == 0)
        #expect(error.code == .validation)
        #expect(error.cause as? Refused == Refused())
        #expect(error.description == "GET origin.test/a: the response is not valid: a validator threw Refused")
        #expect(try error.decode(as: [Int].self) == [1])
        request.validators = [validator("a")]
        #expect(try await manager.send(request).value as? Int == 3)
    }

    @Test("1.4.7: a status that is not acceptable, and a body that broke off, come before any validator")
    func neverReached() async throws {
        let ran = Guarded(0)
        let (manager, _) = try stubManager { request in
            request.head.url.path() == "/status"
                ? .json("[1]", status: 404)
                : StubReply(body: "x", failure: TransportFailure(.truncatedBody, "the body ended early"))
        }
        for (path, code) in [("status", SessionError.Code.status), ("broken", .transport)] {
            var request = SessionRequest(path)
            request.validators = [{ _, _ in ran.withLock { $0 += 1 } }]
            let error = await #expect(throws: SessionError.self) { try await manager.send(request) }
            #expect(error?.code == code)
        }
        #expect(ran.withLock { $0 } == 0)
    }

    @Test("1.2.14: an error that is the manager's own is kept, cancellation stays cancellation")
    func ownErrors() async throws {
        let (manager, _) = try stubManager { _ in .json("[1]") }
        var request = SessionRequest("a")
        request.validators = [{ _, _ in throw SessionError(.emptyBody, "mine") }]
        let kept = await #expect(throws: SessionError.self) { try await manager.send(request) }
        #expect(kept?.reason == "mine")
        request.validators = [{ _, _ in throw CancellationError() }]
        let cancelled = await #expect(throws: SessionError.self) { try await manager.send(request) }
        #expect(cancelled?.code == .cancelled)
    }
}
