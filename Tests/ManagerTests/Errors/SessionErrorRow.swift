import PatchbayRegistry
import PatchbayTesting
import Testing

@testable import PatchbayManager

/// One way in which a call fails: how a user gets there, and what the error then says.
struct SessionErrorRow: Sendable, CustomTestStringConvertible {
    let name: String
    /// The case of Alamofire's error that this answers; nil for none.
    let alamofire: String?
    let code: SessionError.Code
    let sentence: String
    /// The type of the error underneath; nil for none.
    let cause: String?
    let provoke: @Sendable () async throws -> Void

    init(
        _ name: String, alamofire: String? = nil, _ code: SessionError.Code, _ sentence: String,
        cause: String? = nil, _ provoke: @escaping @Sendable () async throws -> Void
    ) {
        self.name = name
        self.alamofire = alamofire
        self.code = code
        self.sentence = sentence
        self.cause = cause
        self.provoke = provoke
    }

    var testDescription: String { alamofire.map { "1.13: \($0): \(name)" } ?? name }

    /// Sends a request, changed as the row needs it, and gets the reply.
    static func send(
        _ reply: StubReply = .json("1"), _ registry: SerializerRegistry? = nil, base: String? = "http://origin.test/",
        _ method: String = "GET", _ target: String = "a", change: (inout SessionRequest) -> Void = { _ in }
    ) async throws {
        let (manager, _) = try stubManager(registry, base: base) { _ in reply }
        var request = SessionRequest(target, method: method)
        change(&request)
        _ = try await manager.send(request)
    }

    /// The same, for a type.
    static func send<Value: Sendable>(
        _ reply: StubReply, as type: Value.Type, change: (inout SessionRequest) -> Void = { _ in }
    ) async throws {
        let (manager, _) = try stubManager { _ in reply }
        var request = SessionRequest("a")
        change(&request)
        _ = try await manager.send(request, as: type)
    }
}
