// Spans of swift-distributed-tracing. Name one object as the last interceptor and as an observer:
//
//     let tracing = CallTracing(InstrumentationSystem.tracer)
//     configuration.interceptors.append(tracing)
//     configuration.observers.append(tracing)
//
// Each request that is sent is a span, and so is the decoding. Both are children of the span in which the call is made,
// so `tracer.withSpan("load user") { _ in try await api.get("users/1", as: User.self) }` is the span of a call.

import Foundation
import Patchbay
import StandInTracing  // In your package: import Tracing
import Synchronization

final class CallTracing: RequestInterceptor, InCallObserver {
    private struct Call {
        /// The context of the code that made the call.
        let parent: ServiceContext
        /// The span of the request on its way; nil between two requests.
        var span: (any Span)?
        var sent = Date()
    }

    private struct State {
        /// The names of the fields that the tracer adds.
        var names: Set<String> = []
        /// The calls whose request is signed and not yet sent, by those fields.
        var signed: [[String: String]: Call] = [:]
        var calls: [ObjectIdentifier: Call] = [:]

        mutating func takeSigned(_ head: RequestHead?) -> Call? {
            guard let head else { return nil }
            let fields = names.reduce(into: [:]) { $0[$1] = head.fields[$1] }
            return signed.removeValue(forKey: fields)
        }
    }

    private struct FieldInjector: Injector {
        func inject(_ value: String, forKey key: String, into fields: inout [String: String]) { fields[key] = value }
    }

    private let tracer: any Tracer
    private let state = Mutex(State())

    init(_ tracer: any Tracer) { self.tracer = tracer }

    /// Begins the span of a request, and adds the fields that name it, such as `traceparent`. Runs with the task-locals
    /// of the code that made the call.
    func sign(_ head: inout RequestHead, body: RequestBody?) async throws {
        let parent = ServiceContext.current ?? .topLevel
        let span = tracer.startSpan(head.method, context: parent, ofKind: .client, at: Date().instant)
        var added: [String: String] = [:]
        tracer.inject(span.context, into: &added, using: FieldInjector())
        for (name, value) in added { head.fields[name] = value }
        state.withLock { [added] state in
            state.names.formUnion(added.keys)
            state.signed[added] = Call(parent: parent, span: span)
        }
    }

    func observeInCall(_ event: SessionEvent) {
        guard let task = event.task.map(ObjectIdentifier.init) else { return }
        switch event.stage {
        case .sending(let head):
            guard var call = state.withLock({ $0.takeSigned(head) ?? $0.calls[task] }) else { return }
            // A redirect to another origin is sent without the fields that `sign` adds, and has a span all the same.
            let span =
                call.span
                ?? tracer.startSpan(head.method, context: call.parent, ofKind: .client, at: event.time.instant)
            span.operationName = event.spanName
            span.add(event.attributes)
            (call.span, call.sent) = (span, event.time)
            state.withLock { [call] in $0.calls[task] = call }
        case .redirected: end(task, event)
        case .retrying(let error): end(task, event, error)
        case .finished(.success(let reply)):
            decoded(end(task, event), reply.entry, reply.timeline)
            state.withLock { $0.calls[task] = nil }
        case .finished(.failure(let error)):
            let call = end(task, event, error)
            if error.code == .serialization { decoded(call, error.decision?.entry, error.timeline, error) }
            state.withLock { $0.calls[task] = nil }
        default: break
        }
    }

    /// Ends the span of the request on its way.
    @discardableResult
    private func end(_ task: ObjectIdentifier, _ event: SessionEvent, _ error: SessionError? = nil) -> Call? {
        let call = state.withLock { state -> Call? in
            // A request that was signed and never sent is only in the error.
            let call = state.takeSigned(error?.request) ?? state.calls[task]
            state.calls[task]?.span = nil
            return call
        }
        guard let call, let span = call.span else { return call }
        let (attributes, end) = (event.attributes, event.endOfRequest(sent: call.sent).instant)
        span.add(attributes)
        if attributes["error.type"] != nil { span.setStatus(SpanStatus(code: .error)) }
        if let error { span.recordError(error, attributes: SpanAttributes([:]), at: end) }
        span.end(at: end)
        return call
    }

    /// Makes the span of the decoding, from the last byte of the body to the value or its error.
    private func decoded(
        _ call: Call?, _ entry: String?, _ timeline: CallTimeline?, _ error: SessionError? = nil
    ) {
        guard let call, let entry, let timeline else { return }
        let (start, end) = (
            timeline.start.instant(after: timeline.body), timeline.start.instant(after: timeline.serialized)
        )
        let span = tracer.startSpan("decode \(entry)", context: call.parent, ofKind: .internal, at: start)
        span.add(["patchbay.entry": JSON(entry)])
        if let error {
            span.add(["error.type": JSON(error.code.rawValue)])
            span.setStatus(SpanStatus(code: .error))
            span.recordError(error, attributes: SpanAttributes([:]), at: end)
        }
        span.end(at: end)
    }
}

extension SessionEvent {
    /// The method and, if there is one, the template of the path. A path with its values would be a name for each user.
    fileprivate var spanName: String {
        let attributes = attributes
        let method = attributes["http.request.method"]?.string ?? "HTTP"
        return ([method == "_OTHER" ? "HTTP" : method] + [attributes["url.template"]?.string].compactMap(\.self))
            .joined(separator: " ")
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

extension Span {
    fileprivate func add(_ added: [String: JSON]) {
        var all = attributes
        for (name, value) in added { all[name] = value.int ?? value.string }
        attributes = all
    }
}

extension Date {
    fileprivate var instant: DefaultTracerClock.Timestamp {
        DefaultTracerClock.Timestamp(nanosecondsSinceEpoch: UInt64(max(0, timeIntervalSince1970) * 1e9))
    }

    fileprivate func instant(after duration: Duration) -> DefaultTracerClock.Timestamp {
        addingTimeInterval(duration / .seconds(1)).instant
    }
}
