import Foundation
import Patchbay
import Synchronization

/// The least that can be done with an exchange: its bytes are put together.
final class CollectingReceiver: ExchangeReceiver {
    let stop = OneShot()
    private let collected = Mutex(Data())

    var bytes: Data { collected.withLock { $0 } }

    func receive(status: Int, fields: HeaderFields) -> TransportFlow { .proceed }

    func receive(_ chunk: UnsafeRawBufferPointer) -> TransportFlow {
        collected.withLock { $0.append(contentsOf: chunk) }
        return .proceed
    }

    func sent(_ bytes: Int) {}
}
