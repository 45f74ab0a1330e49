// A test of an app without a network, as a user writes it.
import Foundation
import Patchbay
import PatchbayTesting

func stubbed(_ base: URL) async throws -> String {
    let stub = StubTransport { _ in
        StubReply(fields: ["Content-Type": "application/json"], body: #"{"id": 1, "name": "Ada"}"#)
    }
    let api = SessionManager(baseURL: base, transport: stub)
    return try await api.get("users/1", as: User.self).name
}
