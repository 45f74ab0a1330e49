import Patchbay
import PatchbayMigration
import Testing

/// The names that types had before: each is the type that has another name now. What is deprecated is used here without a warning, as
/// the functions that use it are deprecated themselves.
@Suite struct OldNamesTests {
    @available(*, deprecated, message: "uses the old names")
    private final class Receiver: ExchangeReceiver {
        let stop = Signal()
        func receive(status: Int, fields: HeaderFields) -> Flow { .proceed }
        func receive(_ chunk: UnsafeRawBufferPointer) -> Flow { .wait(stop) }
        func sent(_ bytes: Int) {}
    }

    @available(*, deprecated, message: "uses the old names")
    @Test("each old name is the type of the new one")
    func types() {
        let names: [(old: any Any.Type, new: any Any.Type)] = [
            (HTTPRequest.self, SessionRequest.self), (Flow.self, TransportFlow.self), (Signal.self, StopSignal.self),
            (Empty.self, EmptyValue.self), (Route.self, SerializerRegistry.Route.self),
            (Policy.self, SerializerRegistry.Policy.self), (Asked.self, Candidate.self),
            (Serialized<JSON>.self, SerializationResult<JSON>.self),
            (SerializedOutcome.self, SerializationOutcome.self), (BodyLimitExceeded.self, BodyLimitFailure.self),
            (ElementLimitExceeded.self, ElementLimitFailure.self), (InvalidOption.self, OptionFailure.self),
            (NotAProblem.self, ProblemFailure.self), (UntypedResponse.self, UntypedResponseFailure.self),
            (PatternError.self, PatternFailure.self), (TextDecodingError.self, TextDecodingFailure.self),
            (JSON.UnknownKeys.self, JSON.UnknownKeysFailure.self),
        ]
        for name in names { #expect(ObjectIdentifier(name.old) == ObjectIdentifier(name.new), "\(name.old)") }
    }

    @available(*, deprecated, message: "uses the old names")
    @Test("a call is written with the old names as it was")
    func call() async throws {
        let (manager, _) = stubManager { _ in StubReply(status: 204) }
        let request = HTTPRequest("GET", "a")
        #expect(try await manager.send(request, as: Empty.self).outcome == SerializedOutcome.empty)
        let reply = try await manager.send(request)
        let tried: [Asked] = reply.tried
        #expect(!tried.isEmpty)
        let first: Route? = SerializerRegistry.standard.routes(host: nil).first
        #expect(first != nil)
        guard case .proceed = Receiver().receive(status: 200, fields: [:]) else {
            Issue.record("the receiver does not answer")
            return
        }
    }
}
