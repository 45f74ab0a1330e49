// Timers of swift-metrics:
//
//     configuration.observers.append(CallMetrics())
//
// `http.client.request.duration` has each request that was sent, also before a redirect and before a retry, with the
// dimensions that OpenTelemetry names for it. `patchbay.decoding.duration` has the time from the last byte of a body to
// its value, by entry.

import Foundation
import Patchbay
import Synchronization

import class StandInMetrics.Timer  // In your package: import class CoreMetrics.Timer

final class CallMetrics: SessionObserver {
    /// Attributes with few values each. A URL would make a time series for each path.
    private static let dimensions = [
        "http.request.method", "server.address", "server.port", "http.response.status_code", "error.type",
        "network.protocol.version", "url.template",
    ]

    /// When the request on its way was sent, by call.
    private let sent = Mutex<[ObjectIdentifier: Date]>([:])

    func observe(_ event: SessionEvent) async {
        guard let task = event.task.map(ObjectIdentifier.init) else { return }
        switch event.stage {
        case .sending: sent.withLock { $0[task] = event.time }
        case .redirected, .retrying: end(task, event)
        case .finished(let result):
            end(task, event)
            guard case .success(let reply) = result, let entry = reply.entry else { return }
            let decoding = reply.timeline.serialized - reply.timeline.body
            Timer(label: "patchbay.decoding.duration", dimensions: [("patchbay.entry", entry)])
                .recordNanoseconds(Int64(decoding / .nanoseconds(1)))
        default: break
        }
    }

    private func end(_ task: ObjectIdentifier, _ event: SessionEvent) {
        guard let start = sent.withLock({ $0.removeValue(forKey: task) }) else { return }
        let attributes = event.attributes
        let dimensions = Self.dimensions.compactMap { name in
            attributes[name].map { (name, $0.string ?? $0.int.map(String.init) ?? "") }
        }
        // The clock of the system can be set back meanwhile.
        let nanoseconds = max(0, event.endOfRequest(sent: start).timeIntervalSince(start)) * 1e9
        Timer(label: "http.client.request.duration", dimensions: dimensions).recordNanoseconds(Int64(nanoseconds))
    }
}

extension SessionEvent {
    /// When the last byte of the response had arrived, or the request had failed. The event comes after the decoding, or
    /// after the wait for a retry.
    fileprivate func endOfRequest(sent: Date) -> Date {
        let (timeline, isAnswered): (CallTimeline?, Bool) =
            switch stage {
            case .finished(.success(let reply)): (reply.timeline, true)
            case .retrying(let error), .finished(.failure(let error)): (error.timeline, error.head != nil)
            default: (nil, false)
            }
        guard let timeline else { return time }
        if isAnswered { return timeline.start.addingTimeInterval(timeline.body / .seconds(1)) }
        let total = timeline.exchange.total
        return total > .zero ? sent.addingTimeInterval(total / .seconds(1)) : time
    }
}
