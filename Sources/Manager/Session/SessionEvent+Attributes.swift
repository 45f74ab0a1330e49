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
        let named = facts.head?.maskedPathSegments ?? task?.list.maskedPathSegments ?? []
        if let method = facts.head?.method ?? facts.request?.method {
            let isKnown = Self.knownMethods.contains(method)
            attributes["http.request.method"] = JSON(isKnown ? method : "_OTHER")
            if !isKnown { attributes["http.request.method_original"] = JSON(method) }
        }
        let url = facts.head?.url ?? facts.request?.url
        if let url, let host = url.host(percentEncoded: false), !host.isEmpty {
            attributes["server.address"] = JSON(host.lowercased())
            attributes["server.port"] = JSON(url.port ?? (url.scheme?.lowercased() == "https" ? 443 : 80))
            attributes["url.full"] = JSON(Redaction.masked(url.absoluteString, named: named))
        }
        if facts.head != nil {
            attributes["url.template"] = wire.template.map { JSON(Redaction.path($0, named: named)) }
            if wire.sends > 1 { attributes["http.request.resend_count"] = JSON(wire.sends - 1) }
            attributes["http.request.body.size"] = wire.bodyLength.map { JSON($0) }
        }
        attributes["http.response.status_code"] = (facts.response?.status ?? facts.status).map { JSON($0) }
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
        /// The request of the exchange on the wire.
        var head: RequestHead?
        /// The request of a call that has no head yet.
        var request: SessionRequest?
        var response: ResponseHead?
        var status: Int?
        var entry: String?
        var failure: String?
        var timings: ExchangeTimings?
    }

    private var facts: Facts {
        switch stage {
        case .adapted(let request): return Facts(request: request)
        case .sending(let head): return Facts(head: head)
        case .redirected(let head, _): return Facts(head: head.request, response: head)
        case .head(let head, let decision):
            return Facts(head: head.request, response: head, entry: decision.entry, failure: decision.statusFailure)
        case .serialized(let decision):
            return Facts(head: decision.head.request, response: decision.head, entry: decision.entry)
        case .finished(.success(let reply)):
            let head = reply.head
            return Facts(head: head.request, response: head, entry: reply.entry, timings: reply.timeline.exchange)
        case .retrying(let error), .finished(.failure(let error)):
            var facts = Facts(entry: error.decision?.entry, failure: error.type)
            guard let head = error.request else {
                facts.request = task?.request
                return facts
            }
            (facts.head, facts.response, facts.timings) = (head, error.head, error.timeline?.exchange)
            return facts
        default:
            guard let head = wire.head else { return Facts(request: task?.request) }
            let isReceived = if case .received = stage { true } else { false }
            return Facts(head: head, status: isReceived ? wire.status : nil)
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
