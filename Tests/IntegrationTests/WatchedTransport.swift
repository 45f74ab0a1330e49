import Patchbay
import PatchbayPlatform
import TestSupport

/// The transport of the platform, which says on its own thread when the first bytes of a body have been taken.
final class WatchedTransport: Transport {
    private final class Receiver: ExchangeReceiver {
        let receiver: any ExchangeReceiver
        let act: @Sendable () -> Void

        init(_ receiver: any ExchangeReceiver, _ act: @escaping @Sendable () -> Void) {
            self.receiver = receiver
            self.act = act
        }

        var stop: OneShot { receiver.stop }
        func receive(status: Int, fields: HeaderFields) -> TransportFlow {
            receiver.receive(status: status, fields: fields)
        }
        func sent(_ bytes: Int) { receiver.sent(bytes) }

        func receive(_ chunk: UnsafeRawBufferPointer) -> TransportFlow {
            defer { act() }
            return receiver.receive(chunk)
        }
    }

    private let base = HTTPBin.manager().transport
    private let act = Guarded<@Sendable () -> Void>({})

    func atFirstBytes(_ act: @escaping @Sendable () -> Void) { self.act.withLock { $0 = act } }

    func perform(
        _ request: TransportRequest, for receiver: some ExchangeReceiver
    ) async throws(TransportFailure) -> ExchangeTimings {
        try await base.perform(request, for: Receiver(receiver, act.withLock { $0 }))
    }
}
