import PatchbayRegistry

/// The request of one exchange: the request of the call, or the request that follows a redirect.
struct Exchange: Sendable {
    let outgoing: OutgoingRequest
    /// The head with the Accept field and the signature. The cookies of the jar are put in when it is sent.
    var head: RequestHead
    /// The timings of the redirects before this exchange in the attempt.
    let hops: [ExchangeTimings]

    /// The head with the cookies that the jar has for it now, and a notice for each that does not fit into the field.
    func headWithCookies() -> (RequestHead, [CookieNotice]) {
        guard let jar = outgoing.cookies, let target = CookieTarget(head, to: outgoing.host) else { return (head, []) }
        var sent = head
        let notices = jar.put(into: &sent.fields, for: target)
        return (sent, notices)
    }

    /// Stores the cookies that the response sets in the jar. Returns a notice for each that was refused or dropped.
    func keepCookies(of fields: HeaderFields) -> [CookieNotice] {
        guard let jar = outgoing.cookies, let target = CookieTarget(head, to: outgoing.host) else { return [] }
        return jar.keep(fields, from: target)
    }
}

extension Call {
    /// The exchange of a request, with the fields that the registry and a reconnecting stream add.
    func exchange(_ outgoing: consuming OutgoingRequest, after hops: [ExchangeTimings] = []) -> Exchange {
        // A cache must not answer a request for new events (WHATWG HTML, section 9.2.2).
        let head = outgoing.head(accept: accept(of: outgoing), isFresh: stream?.reconnection != nil)
        return Exchange(outgoing: consume outgoing, head: head, hops: hops)
    }

    /// The Accept value that the registry derives for the host; nil if the request sets the field, or if the registry
    /// gives no value.
    private func accept(of outgoing: borrowing OutgoingRequest) -> String? {
        guard outgoing.fields["Accept"] == nil else { return nil }
        // The file of a download can have any type.
        return registry.accept(
            for: outgoing.host, producing: file == nil ? wanted : .type(ResponseBody.self),
            acceptable: outgoing.terms.override.acceptableStatus)
    }
}
