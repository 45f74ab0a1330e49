public import PatchbayManager
public import PatchbayPlatform
public import PatchbayRegistry

/// A transport without a network: a closure answers each request. For tests of code that uses a session manager.
///
/// The transport has no connections, so it ignores `TransportRequest.connection`. It keeps no cookies.
///
/// ```swift
/// let transport = StubTransport { request in
///     StubReply(fields: ["Content-Type": "application/json"], body: #"{"path": "\#(request.head.url.path())"}"#)
/// }
/// ```
///
/// A `TransportFailure` thrown by the closure is the failure of the exchange. Any other error becomes a
/// `TransportFailure` with the code `other`. The body of a request is read to its end, up to 64 MiB, before the closure
/// is called. The closure is allowed to wait for any time: an exchange that is stopped cancels the closure's task and
/// doesn't wait for it.
public struct StubTransport: Transport {
    private let reply: @Sendable (TransportRequest) async throws -> StubReply
    private let record = Record()

    /// One request, and the result of the closure for it.
    private final class Answer: Sendable {
        let request: TransportRequest
        let result = Guarded<Result<StubReply, any Error>?>(nil)

        init(to request: TransportRequest) { self.request = request }
    }

    private final class Record: Sendable {
        let requests = Guarded<[TransportRequest]>([])
    }

    /// - Parameter reply: answers a request, whose body is in memory.
    public init(_ reply: @escaping @Sendable (TransportRequest) async throws -> StubReply) {
        self.reply = reply
    }

    /// Every request that the transport has received, in order, with the bytes of its body in memory, and its trailer
    /// fields.
    public var requests: [TransportRequest] { record.requests.withLock { $0 } }

    public func perform(
        _ request: TransportRequest, for receiver: some ExchangeReceiver
    ) async throws(TransportFailure) -> ExchangeTimings {
        let stopped = OneShot()
        let listener = receiver.stop.listen { stopped.fire() }
        defer { listener.remove() }
        let outcome = await withTaskCancellationHandler { () async -> Result<ExchangeTimings, TransportFailure> in
            do throws(TransportFailure) {
                let answer = request.body == nil ? note(request) : note(try await collected(request, unless: stopped))
                return .success(try await exchange(answer, receiver, stopped))
            } catch {
                return .failure(error)
            }
        } onCancel: {
            stopped.fire()
        }
        return try outcome.get()
    }

    /// The request with the bytes of its body in memory, and its trailer fields.
    private func collected(
        _ request: TransportRequest, unless stopped: OneShot
    ) async throws(TransportFailure) -> TransportRequest {
        guard let body = request.body else { return request }
        let (bytes, trailers) = try await body.collected(unless: stopped)
        guard request.announcesTrailers || trailers.isEmpty else { throw .unannouncedTrailers }
        var request = request
        (request.body, request.trailers) = (.data(bytes), trailers)
        return request
    }

    private func note(_ request: TransportRequest) -> Answer {
        record.requests.withLock { $0.append(request) }
        return Answer(to: request)
    }

    private func exchange(
        _ answer: Answer, _ receiver: some ExchangeReceiver, _ stopped: OneShot
    ) async throws(TransportFailure) -> ExchangeTimings {
        let start = Moment.now
        var timings = ExchangeTimings()
        if let body = answer.request.body?.data { receiver.sent(body.count) }
        let reply = try await reply(answer, unless: stopped)
        timings.firstByte = start.duration(to: .now)
        try await offer(unless: stopped) { receiver.receive(status: reply.status, fields: reply.fields) }
        for chunk in reply.chunks {
            try await offer(unless: stopped) { chunk.withUnsafeBytes { receiver.receive($0) } }
        }
        if let failure = reply.failure { throw failure }
        timings.total = start.duration(to: .now)
        return timings
    }

    /// Runs the closure in a task of its own, so that a closure that never ends can't delay the end of an exchange that
    /// is stopped.
    private func reply(_ answer: Answer, unless stopped: OneShot) async throws(TransportFailure) -> StubReply {
        let isOver = await stopped.outlasts {
            do {
                let reply = try await self.reply(answer.request)
                if reply.delay > .zero { try await Task.sleep(forGiven: reply.delay) }
                answer.result.replace(by: .success(reply))
            } catch {
                answer.result.replace(by: .failure(error))
            }
        }
        guard !stopped.hasFired, isOver, let result = answer.result.withLock({ $0 }) else {
            throw TransportFailure(.stopped, "the exchange was stopped before the stub replied")
        }
        switch result {
        case .success(let reply): return reply
        case .failure(let failure as TransportFailure): throw failure
        case .failure(let error): throw TransportFailure(.other, "the stub threw \(FailureReason.name(of: error))")
        }
    }

    private func offer(unless stopped: OneShot, _ piece: () -> TransportFlow) async throws(TransportFailure) {
        while !stopped.hasFired {
            switch piece() {
            case .proceed: return
            case .stop: throw TransportFailure(.stopped, "the receiver stopped the exchange")
            case .wait(let signal):
                await signal.fired(unless: stopped)
            }
        }
        throw TransportFailure(.stopped, "the exchange was stopped")
    }
}

extension StubTransport: CustomStringConvertible, CustomReflectable {
    public var description: String { "a stub that was sent \(requests.count) requests" }
    public var customMirror: Mirror { Mirror(self, children: ["requests": requests], displayStyle: .struct) }
}

/// One scripted response of a `StubTransport`: its head and body, the delay before them, and the failure after them.
public struct StubReply: Sendable, Hashable {
    /// The status code.
    public var status: Int
    /// The header fields. The transport adds no fields.
    public var fields: HeaderFields
    /// The pieces of the body, each delivered as one chunk.
    public var chunks: [Data]
    /// The delay before the head arrives.
    public var delay: Duration
    /// The failure that ends the exchange after the last chunk; nil for an exchange that ends without a failure.
    public var failure: TransportFailure?

    /// A response whose body arrives in pieces.
    public init(
        status: Int = 200, fields: HeaderFields = [:], chunks: [Data] = [], delay: Duration = .zero,
        failure: TransportFailure? = nil
    ) {
        self.status = status
        self.fields = fields
        self.chunks = chunks
        self.delay = delay
        self.failure = failure
    }

    /// A response whose body arrives in one piece.
    public init(
        status: Int = 200, fields: HeaderFields = [:], body: Data, delay: Duration = .zero,
        failure: TransportFailure? = nil
    ) {
        self.init(
            status: status, fields: fields, chunks: body.isEmpty ? [] : [body], delay: delay, failure: failure)
    }

    /// A response whose body is a text, sent as UTF-8.
    public init(
        status: Int = 200, fields: HeaderFields = [:], body: String, delay: Duration = .zero,
        failure: TransportFailure? = nil
    ) {
        self.init(status: status, fields: fields, body: Data(body.utf8), delay: delay, failure: failure)
    }
}

extension StubReply: CustomStringConvertible, CustomReflectable {
    /// Status, fields without possible secrets, and the length of the body: `200 [Content-Type: text/plain], 3 bytes`.
    public var description: String {
        let bytes = chunks.reduce(0) { $0 + $1.count }
        return "\(status) \(fields), \(ByteCount(bytes))" + (failure.map { ", then \($0)" } ?? "")
    }
    public var customMirror: Mirror { Mirror(described: self) }
}
