import PatchbayRegistry
import Synchronization

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
        var body = BodyBuffer()
        var headTime: Duration
        /// The body is larger than the limit; `body` holds its beginning.
        var tooLarge = false
        var outOfMemory = false
        let limit: Int
    }

    /// The question that the registry is asked about the response.
    struct Question: Sendable {
        let registry: SerializerRegistry
        let wanted: WantedValue
        let override: LookupOverride
        let followsRedirects: Bool
        let maximumBodyBytes: Int?

        init(_ request: HTTPRequest, _ registry: SerializerRegistry, _ wanted: WantedValue) {
            self.registry = registry
            self.wanted = wanted
            override = request.lookupOverride
            followsRedirects = request.followsRedirects
            maximumBodyBytes = request.maximumBodyBytes
        }

        func accept(for host: CanonicalHost) -> String? {
            registry.accept(for: host, producing: wanted, acceptable: override.acceptableStatus)
        }
    }

    /// How much of a redirect's body is read so that its connection can be used again.
    private static let redirectBodyLimit = 65_536

    private let clock: ExchangeClock
    let request: RequestHead
    private let host: CanonicalHost
    private let question: Question
    private let arrived = Mutex<Arrival?>(nil)

    init(_ request: RequestHead, host: CanonicalHost, _ question: Question, _ clock: ExchangeClock) {
        self.request = request
        self.host = host
        self.question = question
        self.clock = clock
    }

    var stop: Signal { clock.stop }

    /// What has arrived; nil before the head.
    var arrival: Arrival? { arrived.withLock { $0 } }

    func receive(status: Int, fields: HeaderFields) -> Flow {
        clock.touch()
        let head = ResponseHead(status: status, fields: fields, url: request.url, host: host, request: request)
        let arrival: Arrival
        if question.followsRedirects, let location = Redirect.location(status, fields) {
            arrival = Arrival(
                head: head, kind: .redirect(location: location), headTime: clock.elapsed, limit: Self.redirectBodyLimit)
        } else {
            let decision = question.registry.decision(
                for: head, producing: question.wanted, override: question.override)
            arrival = Arrival(
                head: head, kind: .response(decision), body: BodyBuffer(expected: Self.announcedLength(head) ?? 0),
                headTime: clock.elapsed, limit: min(decision.bodyLimit, question.maximumBodyBytes ?? .max))
        }
        return arrived.withLock { stored in
            stored = arrival
            // A body that says it is too large is not waited for; content codings make the length mean something else.
            guard let length = Self.announcedLength(head), length > arrival.limit, request.method != "HEAD" else {
                return .proceed
            }
            stored?.tooLarge = true
            return .stop
        }
    }

    func receive(_ chunk: UnsafeRawBufferPointer) -> Flow {
        clock.touch()
        return arrived.withLock { arrival in
            guard let limit = arrival?.limit, let body = arrival?.body else { return .stop }
            let room = limit - body.count
            guard chunk.count <= room else {
                arrival?.tooLarge = true
                return .stop
            }
            if case .redirect = arrival?.kind { return .proceed }
            guard body.append(chunk) else {
                arrival?.outOfMemory = true
                return .stop
            }
            return .proceed
        }
    }

    func sent(_ bytes: Int) { clock.touch() }

    private static func announcedLength(_ head: ResponseHead) -> Int? {
        guard head.fields["Content-Encoding"] == nil else { return nil }
        return head.fields["Content-Length"].flatMap { Int($0) }
    }
}
