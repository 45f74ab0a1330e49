import PatchbayPlatform
import PatchbayRegistry

/// The stored response on its way to the exchange, and the wait for that of another call.
extension CachedExchange {
    /// Gives the exchange a stored response.
    /// - Parameter sent: the fields of the server's answer to the condition of the cache; empty if it wasn't asked.
    func deliver(
        _ stored: StoredResponse, _ fields: HeaderFields, sent: HeaderFields, _ status: CacheStatus,
        _ timings: ExchangeTimings = ExchangeTimings()
    ) async throws(TransportFailure) -> ExchangeTimings {
        var timings = timings
        try await offer { exchange.receive(status: stored.head.status, fields: fields, sent: sent) }
        if ResponseHead.canHaveBody(stored.head.status, to: head.method) {
            switch stored.body {
            case .memory(let body):
                for start in stride(from: 0, to: body.count, by: BodyPipe<SessionError>.pieceSize) {
                    try await offer {
                        body.withUnsafeBytes { bytes in
                            let rest = bytes[start...].prefix(BodyPipe<SessionError>.pieceSize)
                            return exchange.receive(UnsafeRawBufferPointer(rebasing: rest))
                        }
                    }
                }
            case .file(let body):
                var number = 0
                while let block = try await body.block(number, until: stop) {
                    try await offer { block.withUnsafeBytes { exchange.receive($0) } }
                    number += 1
                }
            }
        }
        note(status, in: &timings)
        return timings
    }

    /// Offers a head or a piece of a body until the exchange takes it.
    func offer(_ piece: () -> TransportFlow) async throws(TransportFailure) {
        while true {
            guard !stop.hasFired else { throw .stoppedCacheHit }
            switch piece() {
            case .proceed: return
            case .wait(let signal): await signal.fired(unless: stop)
            case .stop: throw .stoppedCacheHit
            }
        }
    }

    func note(_ status: CacheStatus, in timings: inout ExchangeTimings) {
        timings.cacheStatus = status
        call.task.post(.cache(status))
    }

    // MARK: Equal requests at once

    /// Waits for the answer to the request of another call, as long as its bytes move.
    func wait(for flight: Flight) async throws(TransportFailure) -> Flight.End {
        let idle = call.task.request.idleTimeout ?? call.manager.configuration.idleTimeout ?? .seconds(60)
        while true {
            let woken = OneShot()
            let listeners = [flight.landed.listen { woken.fire() }, stop.listen { woken.fire() }]
            let timer = Task {
                try? await Task.sleep(forGiven: idle / 2)
                woken.fire()
            }
            await woken.fired()
            timer.cancel()
            for listener in listeners { listener.remove() }
            if stop.hasFired { throw .stoppedCacheHit }
            if let end = flight.end { return end }
            // A request without an answer must not take more than half of the time of this one.
            guard flight.moved + idle / 2 > .now else { return .failed }
            exchange.moved()
        }
    }
}

extension TransportFailure {
    static let stoppedCacheHit = TransportFailure(.stopped, "the exchange was stopped")
    /// The failure of a request that may only be answered by the cache.
    static let notCached = TransportFailure(
        .other, "the request is only-if-cached, and the cache has no answer that it may use")
}
