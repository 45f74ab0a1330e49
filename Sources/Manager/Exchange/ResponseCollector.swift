import PatchbayRegistry

/// Receives one response: asks the registry when the head arrives, then keeps as much of the body as anyone could use.
final class ResponseCollector: ExchangeReceiver {
    /// What came of one exchange.
    struct Arrival: Sendable {
        enum Kind: Sendable {
            /// To be followed; its body is not kept.
            case redirect(location: String)
            case response(Decision)
        }

        let head: ResponseHead
        let kind: Kind
        var store = BodyStore.memory(BodyBuffer())
        var headTime: Duration
        /// How many bytes of the body there are, those of a file that is resumed among them.
        var count = 0
        /// The body is larger than the limit; what is stored is its beginning.
        var tooLarge = false
        /// The bytes could not be stored.
        var isStoreBroken = false
        let limit: Int
    }

    /// The question that the registry is asked about the response.
    struct Question: Sendable {
        let registry: SerializerRegistry
        let wanted: WantedValue
        let override: LookupOverride
        let redirects: RedirectHandler
        let maximumBodyBytes: Int?
        /// Where the body of an acceptable response goes, if not into memory.
        let file: FileTarget?

        init(
            _ request: HTTPRequest, _ registry: SerializerRegistry, _ wanted: WantedValue, file: FileTarget? = nil,
            redirects: RedirectHandler
        ) {
            self.file = file
            self.registry = registry
            self.wanted = wanted
            override = request.lookupOverride
            self.redirects = request.followsRedirects ? request.redirectHandler ?? redirects : .doNotFollow
            maximumBodyBytes = request.maximumBodyBytes
        }

        func accept(for host: CanonicalHost) -> String? {
            // A file takes any bytes.
            let wanted = file == nil ? wanted : .type(ResponseBody.self)
            return registry.accept(for: host, producing: wanted, acceptable: override.acceptableStatus)
        }
    }

    /// How much of a redirect's body is read so that its connection can be used again.
    private static let redirectBodyLimit = 65_536

    private let clock: ExchangeClock
    private let task: SessionTask
    let request: RequestHead
    private let host: CanonicalHost
    private let question: Question
    private let arrived = Guarded<Arrival?>(nil)

    init(_ request: RequestHead, host: CanonicalHost, _ question: Question, _ clock: ExchangeClock, _ task: SessionTask)
    {
        self.request = request
        self.host = host
        self.question = question
        self.clock = clock
        self.task = task
    }

    var stop: Signal { clock.stop }

    /// What has arrived; nil before the head.
    var arrival: Arrival? { arrived.withLock { $0 } }

    func receive(status: Int, fields: HeaderFields) -> Flow {
        if let pause = task.pause() { return .wait(pause) }
        clock.touch()
        let head = ResponseHead(status: status, fields: fields, url: request.url, host: host, request: request)
        let arrival: Arrival
        if let location = Redirect.location(status, fields), question.redirects.follows(head) {
            arrival = Arrival(
                head: head, kind: .redirect(location: location), headTime: clock.elapsed, limit: Self.redirectBodyLimit)
        } else {
            let decision = question.registry.decision(
                for: head, producing: question.wanted, override: question.override)
            let (store, limit) = store(for: decision)
            let offset = store.file?.count ?? 0
            task.answered(decision, length: Self.announcedLength(head), after: offset)
            arrival = Arrival(
                head: head, kind: .response(decision), store: store, headTime: clock.elapsed,
                count: offset, limit: min(limit, question.maximumBodyBytes ?? .max))
        }
        return arrived.withLock { stored in
            stored = arrival
            if case .nowhere = arrival.store {
                stored?.isStoreBroken = true
                return .stop
            }
            // A body that says it is too large is not waited for.
            guard let length = Self.announcedLength(head), length > arrival.limit - arrival.count else {
                return .proceed
            }
            stored?.tooLarge = true
            return .stop
        }
    }

    func receive(_ chunk: UnsafeRawBufferPointer) -> Flow {
        if let pause = task.pause() { return .wait(pause) }
        clock.touch()
        let (flow, isKept) = keep(chunk)
        if isKept { task.received(chunk.count) }
        return flow
    }

    private func keep(_ chunk: UnsafeRawBufferPointer) -> (Flow, isKept: Bool) {
        arrived.withLock { arrival in
            guard let limit = arrival?.limit, let store = arrival?.store, let count = arrival?.count else {
                return (.stop, false)
            }
            guard chunk.count <= limit - count else {
                arrival?.tooLarge = true
                return (.stop, false)
            }
            arrival?.count += chunk.count
            if case .redirect = arrival?.kind { return (.proceed, false) }
            guard store.append(chunk) else {
                arrival?.isStoreBroken = true
                return (.stop, false)
            }
            return (.proceed, true)
        }
    }

    func sent(_ bytes: Int) {
        clock.touch()
        task.sent(bytes)
    }

    /// A file for a download that is accepted, memory for all else: an error's body, and what nobody is to have.
    private func store(for decision: Decision) -> (BodyStore, limit: Int) {
        guard let target = question.file, decision.isAcceptable, decision.outcome != .error else {
            return (.memory(BodyBuffer(expected: Self.announcedLength(decision.head) ?? 0)), decision.bodyLimit)
        }
        return (target.open(decision.head), target.isSerialized ? decision.bodyLimit : .max)
    }

    /// How many bytes the body is to have; nil where the head does not say, or where none can come.
    private static func announcedLength(_ head: ResponseHead) -> Int? {
        // With a content coding the length is that of other bytes.
        guard head.canHaveBody, !head.fields.hasContentCoding else { return nil }
        return head.fields["Content-Length"].flatMap { Int($0) }
    }
}
