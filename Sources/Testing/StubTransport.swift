public import PatchbayManager
public import PatchbayPlatform
public import PatchbayRegistry

/// A transport without a network: a closure answers each request. For tests of code that uses a session manager.
///
/// The transport has no connections, so it ignores `TransportRequest.connection`.
///
/// ```swift
/// let transport = StubTransport { request in
///     StubReply(fields: ["Content-Type": "application/json"], body: #"{"path": "\#(request.head.url.path())"}"#)
/// }
/// ```
///
/// A `TransportFailure` thrown by the closure is the failure of the exchange. Any other error becomes a
/// `TransportFailure` with the code `other`. The body of a request that is streamed is read to its end, up to 64 MiB,
/// before the closure is called. The closure begins on the thread of the exchange, and is allowed to wait for any time
/// with `await`: an exchange that is stopped cancels the closure's task and doesn't wait for it.
public struct StubTransport: Transport {
    private let reply: @Sendable (TransportRequest) async throws -> StubReply
    private let record = Record()

    /// One request, and the result of the closure for it; nil until the closure has returned.
    private final class Answer: Sendable {
        let request: TransportRequest
        let result = Guarded<Result<StubReply, any Error>?>(nil)

        init(to request: TransportRequest) { self.request = request }

        var isMissing: Bool { result.withLock { $0 == nil } }

        func reply() throws(TransportFailure) -> StubReply {
            switch result.withLock({ $0 }) {
            case .success(let reply)?: return reply
            case .failure(let failure as TransportFailure)?: throw failure
            case .failure(let error)?:
                throw TransportFailure(.other, "the stub threw \(FailureReason.name(of: error))")
            case nil: throw .stoppedBeforeReply
            }
        }
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

    public var endsWhenStopped: Bool { true }

    public func perform(
        _ request: TransportRequest, for receiver: some ExchangeReceiver
    ) async throws(TransportFailure) -> ExchangeTimings {
        var request = request
        if case .source(let source) = request.body { request = try await collected(request, source, receiver) }
        record.requests.withLock { [request] in $0.append(request) }
        let answer = Answer(to: request)
        let start = Moment.now
        var timings = ExchangeTimings()
        if let body = request.body?.data { receiver.sent(body.count) }
        guard !isStopped(receiver) else { throw .stoppedBeforeReply }
        let job = begin(answer)
        if answer.isMissing { await end(of: job, receiver) }
        guard !isStopped(receiver) else { throw .stoppedBeforeReply }
        let reply = try answer.reply()
        timings.firstByte = start.duration(to: .now)
        // Most receivers take each piece at once, so that nothing of this waits.
        while let full = try refusal(of: receiver, receiver.receive(status: reply.status, fields: reply.fields)) {
            await receiver.stop.orCancelled { stopped in await full.fired(unless: stopped) }
        }
        for chunk in reply.chunks {
            while let full = try refusal(of: receiver, chunk.withUnsafeBytes { receiver.receive($0) }) {
                await receiver.stop.orCancelled { stopped in await full.fired(unless: stopped) }
            }
        }
        if let failure = reply.failure { throw failure }
        timings.total = start.duration(to: .now)
        return timings
    }

    /// The request with the bytes of its body in memory, and its trailer fields.
    private func collected(
        _ request: TransportRequest, _ source: any RequestBodySource, _ receiver: some ExchangeReceiver
    ) async throws(TransportFailure) -> TransportRequest {
        let (bytes, trailers) = try await receiver.stop.orCancelled { stopped async throws(TransportFailure) in
            try await RequestBody.source(source).collected(unless: stopped)
        }
        guard request.announcesTrailers || trailers.isEmpty else { throw .unannouncedTrailers }
        var request = request
        (request.body, request.trailers) = (.data(bytes), trailers)
        return request
    }

    /// Runs the closure in a task of its own, so that a closure that never ends can't delay the end of an exchange that
    /// is stopped. The task starts on this thread, because most closures reply without waiting.
    private func begin(_ answer: Answer) -> Task<Void, Never> {
        if #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) {
            Task.immediate { await run(answer) }
        } else {
            Task { await run(answer) }
        }
    }

    private func run(_ answer: Answer) async {
        do {
            let reply = try await reply(answer.request)
            if reply.delay > .zero { try await Task.sleep(forGiven: reply.delay) }
            answer.result.replace(by: .success(reply))
        } catch {
            answer.result.replace(by: .failure(error))
        }
    }

    private func end(of job: Task<Void, Never>, _ receiver: some ExchangeReceiver) async {
        await receiver.stop.orCancelled { stopped in
            _ = await stopped.outlasts {
                await withTaskCancellationHandler {
                    await job.value
                } onCancel: {
                    job.cancel()
                }
            }
        }
    }

    /// The signal after which the receiver takes the piece that it has refused; nil if it took the piece.
    private func refusal(
        of receiver: some ExchangeReceiver, _ take: @autoclosure () -> TransportFlow
    ) throws(TransportFailure) -> OneShot? {
        guard !isStopped(receiver) else { throw TransportFailure(.stopped, "the exchange was stopped") }
        switch take() {
        case .proceed: return nil
        case .stop: throw TransportFailure(.stopped, "the receiver stopped the exchange")
        case .wait(let signal): return signal
        }
    }

    private func isStopped(_ receiver: some ExchangeReceiver) -> Bool { receiver.stop.hasFired || Task.isCancelled }
}

extension TransportFailure {
    fileprivate static let stoppedBeforeReply = TransportFailure(
        .stopped, "the exchange was stopped before the stub replied")
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
