import PatchbayRegistry

/// The request of one exchange: that of the call, or of a redirect.
struct Exchange: Sendable {
    let outgoing: OutgoingRequest
    /// The head on the wire, with Accept and signature.
    var head: RequestHead
    let redirects: Int
}

extension Call {
    /// The exchange of a request, with the fields that the registry and a reconnecting stream add.
    func exchange(_ outgoing: consuming OutgoingRequest, redirects: Int = 0) -> Exchange {
        // A cache must not answer a request for new events (WHATWG HTML, section 9.2.2).
        let head = outgoing.head(accept: accept(of: outgoing), isFresh: stream?.reconnection != nil)
        return Exchange(outgoing: consume outgoing, head: head, redirects: redirects)
    }

    /// The Accept value that the registry derives for the host; nil if none is sent, or if the request sets the field.
    private func accept(of outgoing: borrowing OutgoingRequest) -> String? {
        guard outgoing.fields["Accept"] == nil else { return nil }
        // A file may have any type.
        return registry.accept(
            for: outgoing.host, producing: file == nil ? wanted : .type(ResponseBody.self),
            acceptable: outgoing.terms.override.acceptableStatus)
    }
}
