import PatchbayRegistry

/// The request of one exchange: the request of the call, or the request that follows a redirect.
struct Exchange: Sendable {
    let outgoing: OutgoingRequest
    /// The head as it is sent, with the Accept field and the signature.
    var head: RequestHead
    /// The timings of the redirects before this exchange in the attempt.
    let hops: [ExchangeTimings]
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
