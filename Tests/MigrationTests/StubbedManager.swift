import Foundation
import Patchbay
import PatchbayTesting

/// A manager with the standard registry, over a stub.
func stubManager(
    configuration: SessionConfiguration = SessionConfiguration(),
    _ reply: @escaping @Sendable (TransportRequest) async throws -> StubReply
) -> (SessionManager, StubTransport) {
    let stub = StubTransport(reply)
    let manager = SessionManager(
        baseURL: URL(string: "http://origin.test/"), registry: .standard, transport: stub, configuration: configuration)
    return (manager, stub)
}

extension StubReply {
    static func json(_ text: String, status: Int = 200) -> StubReply {
        StubReply(status: status, fields: ["Content-Type": "application/json"], body: text)
    }
}

/// An error of a test's own.
struct Shout: Error, Equatable {}
