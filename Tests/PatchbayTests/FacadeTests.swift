import Foundation
import Patchbay
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct FacadeTests {
    struct User: Codable, Sendable, Equatable {
        let id: Int
        let name: String
    }

    @Test("one import and a base URL are enough: typed, dynamic, raw")
    func defaults() async throws {
        let server = try RawServer { request in
            switch request.target {
            case "/users/1": .response(["Content-Type": "application/json"], body: #"{"id":1,"name":"Ada"}"#)
            case "/text": .response(["Content-Type": "text/plain; charset=koi8-r"], body: "A")
            default:
                .response(
                    status: 404, ["Content-Type": "application/problem+json"], body: #"{"title":"gone"}"#)
            }
        }
        let manager = SessionManager(baseURL: server.url())
        #expect(try await manager.get("users/1", as: User.self) == User(id: 1, name: "Ada"))
        #expect(try await manager.send("users/1").value as? JSON == ["id": 1, "name": "Ada"])
        #expect(try await manager.send("text").value as? String == "A")
        let error = try #require(
            await #expect(throws: SessionError.self) { try await manager.get("nowhere", as: User.self) })
        #expect((error.value as? Problem)?.title == "gone")
        #expect(error.decision?.entry == "problem")
    }
}
