import PatchbayCodings
public import PatchbayJSON
import PatchbayPlatform
import PatchbayRegistry

/// The facts of an event under the names of OpenTelemetry, whose registry of attributes defines them.
extension SessionEvent {
    /// What is known at the time of the event, under the names of OpenTelemetry's attributes of HTTP clients, such as
    /// `http.request.method`, `server.address`, `url.full`, `http.response.status_code` and `error.type`; and
    /// `patchbay.entry`, the id of the entry that was chosen, made the value or failed. The values are strings and whole
    /// numbers.
    ///
    /// `url.full` has `***` in place of possible secrets. No attribute has a field or a byte of a body. Computed at each
    /// read. Empty for an event of the manager.
    public var attributes: [String: JSON] {
        let facts = facts
        var attributes: [String: JSON] = [:]
        if let method = facts.method {
            let isKnown = Self.knownMethods.contains(method)
            attributes["http.request.method"] = JSON(isKnown ? method : "_OTHER")
            if !isKnown { attributes["http.request.method_original"] = JSON(method) }
        }
        if let url = facts.url, let host = url.host(percentEncoded: false), !host.isEmpty {
            attributes["server.address"] = JSON(host.lowercased())
            attributes["server.port"] = JSON(url.port ?? (url.scheme?.lowercased() == "https" ? 443 : 80))
            attributes["url.full"] = JSON(Redaction.masked(url.absoluteString, named: facts.maskedPathSegments))
        }
        if facts.isOfExchange {
            attributes["url.template"] = wire.template.map {
                JSON(Redaction.path($0, named: facts.maskedPathSegments))
            }
            if wire.sends > 1 { attributes["http.request.resend_count"] = JSON(wire.sends - 1) }
            attributes["http.request.body.size"] = wire.bodyLength.map { JSON($0) }
        }
        attributes["http.response.status_code"] = facts.status.map { JSON($0) }
        attributes["http.response.body.size"] = facts.response?.codedLength.map { JSON($0) }
        attributes["network.protocol.version"] = facts.timings?.httpVersion.map { JSON($0) }
        attributes["network.peer.address"] = facts.timings?.remoteAddress.map { JSON($0) }
        attributes["network.peer.port"] = facts.timings?.remotePort.map { JSON($0) }
        attributes["error.type"] = facts.failure.map { JSON($0) }
        attributes["patchbay.entry"] = facts.entry.map { JSON($0) }
        return attributes
    }

    /// The methods of RFC 9110, section 9.3, and of RFC 5789.
    private static let knownMethods: Set = [
        "CONNECT", "DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT", "TRACE",
    ]

    private struct Facts {
        var method: String?
        var url: URL?
        var maskedPathSegments: Set<String> = []
        /// Whether the request is that of the exchange on the wire.
        var isOfExchange = false
        var status: Int?
        var response: ResponseHead?
        var entry: String?
        var failure: String?
        var timings: ExchangeTimings?

        /// The facts of a request that has no head yet.
        init(_ request: SessionRequest, _ task: SessionTask?) {
            (method, url) = (request.method, request.url)
            maskedPathSegments = task?.list.maskedPathSegments ?? []
        }

        init(
            _ head: RequestHead, _ response: ResponseHead? = nil, entry: String? = nil, failure: String? = nil,
            _ timings: ExchangeTimings? = nil
        ) {
            (method, url, maskedPathSegments) = (head.method, head.url, head.maskedPathSegments)
            (isOfExchange, self.response, status) = (true, response, response?.status)
            (self.entry, self.failure, self.timings) = (entry, failure, timings)
        }

        init() {}
    }

    private var facts: Facts {
        switch stage {
        case .adapted(let request): return Facts(request, task)
        case .sending(let head): return Facts(head)
        case .redirected(let head, _): return Facts(head.request, head)
        case .head(let head, let decision):
            return Facts(head.request, head, entry: decision.entry, failure: decision.statusFailure)
        case .serialized(let decision):
            return Facts(decision.head.request, decision.head, entry: decision.entry)
        case .finished(.success(let reply)):
            return Facts(reply.head.request, reply.head, entry: reply.entry, reply.timeline.exchange)
        case .retrying(let error), .finished(.failure(let error)):
            var facts =
                error.request.map { Facts($0, error.head, error.timeline?.exchange) } ?? task.map {
                    Facts($0.request, $0)
                }
                ?? Facts()
            (facts.entry, facts.failure) = (error.decision?.entry, error.type)
            return facts
        default:
            guard let head = wire.head else { return task.map { Facts($0.request, $0) } ?? Facts() }
            var facts = Facts(head)
            if case .received = stage { facts.status = wire.status }
            return facts
        }
    }
}

extension Decision {
    /// The status, if the request does not accept it.
    fileprivate var statusFailure: String? { isAcceptable ? nil : "\(head.status)" }
}

extension SessionError {
    /// The status for code `status`; otherwise the code.
    fileprivate var type: String { code == .status ? head.map { "\($0.status)" } ?? code.rawValue : code.rawValue }
}

extension ResponseHead {
    /// The bytes of the body as the server sent them; nil if it did not say.
    fileprivate var codedLength: Int? { canHaveBody ? fields.announcedLength : nil }
}
