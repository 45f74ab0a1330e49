import PatchbayRegistry

/// What is asked in one exchange of a call: by its request, or by the one that follows a redirect.
struct Exchange: Sendable {
    let outgoing: OutgoingRequest
    /// As it goes on the wire: with the Accept field of its host, and signed.
    var head: RequestHead
    let redirects: Int
}

extension Call {
    /// The exchange of a request, with what the registry and a stream that goes on add to its fields.
    func exchange(_ outgoing: consuming OutgoingRequest, redirects: Int = 0) -> Exchange {
        // Events that a cache has kept are none (WHATWG HTML, section 9.2.2).
        let head = outgoing.head(accept: accept(of: outgoing), isFresh: stream?.reconnection != nil)
        return Exchange(outgoing: consume outgoing, head: head, redirects: redirects)
    }

    /// The value of Accept that the registry derives for the host; nil sends none, or the request's own.
    private func accept(of outgoing: borrowing OutgoingRequest) -> String? {
        guard outgoing.fields["Accept"] == nil else { return nil }
        // A file takes any bytes.
        return registry.accept(
            for: outgoing.host, producing: file == nil ? wanted : .type(ResponseBody.self),
            acceptable: outgoing.terms.override.acceptableStatus)
    }
}
