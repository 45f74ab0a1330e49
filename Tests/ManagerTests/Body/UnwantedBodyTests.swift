import PatchbayManager
import PatchbayRegistry
import TestSupport
import Testing

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// How much of a body a call without a value takes from its transport.
@Suite(.timeLimit(.minutes(5))) struct UnwantedBodyTests {
    struct Verb: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let call: @Sendable (SessionManager) async throws(SessionError) -> Void
    }

    private static let verbs = [
        Verb(testDescription: "get") { manager throws(SessionError) in try await manager.get("a", as: Void.self) },
        Verb(testDescription: "post") { manager throws(SessionError) in try await manager.post("a") },
        Verb(testDescription: "put") { manager throws(SessionError) in try await manager.put("a") },
        Verb(testDescription: "patch") { manager throws(SessionError) in try await manager.patch("a") },
        Verb(testDescription: "delete") { manager throws(SessionError) in try await manager.delete("a") },
        Verb(testDescription: "upload") { manager throws(SessionError) in
            try await manager.upload(.data(Data("x".utf8)), to: "a")
        },
    ]

    /// Offers so many pieces of 16 KiB, as long as the receiver takes them.
    private static func manager(offering pieces: Int, _ taken: Shared<Int>) throws -> SessionManager {
        let transport = PlayedTransport { _, request, receiver throws(TransportFailure) in
            receiver.sent(request.body?.data?.count ?? 0)
            _ = receiver.receive(status: 200, fields: ["Content-Type": "application/json"])
            for _ in 0..<pieces {
                guard !receiver.stop.hasFired, case .proceed = receiver.receive(count: 16 << 10) else {
                    throw TransportFailure(.stopped, "the exchange was stopped")
                }
                taken.withLock { $0 += 16 << 10 }
            }
        }
        return SessionManager(
            baseURL: URL(string: "http://origin.test/"), registry: try TestRegistry.make(), transport: transport)
    }

    @Test("of a long body a call that wants no value takes 128 KiB at most", arguments: verbs)
    func long(_ verb: Verb) async throws {
        let taken = Shared(0)
        try await verb.call(Self.manager(offering: 256, taken))
        #expect(taken.withLock { $0 } <= 128 << 10)
    }

    @Test("a body of 128 KiB is taken to its end, so that the connection can be kept", arguments: verbs)
    func short(_ verb: Verb) async throws {
        let taken = Shared(0)
        try await verb.call(Self.manager(offering: 8, taken))
        #expect(taken.withLock { $0 } == 128 << 10)
    }
}
