public import PatchbayRegistry

extension SessionRequest {
    /// Asks for the resource only if it has changed since an earlier response (RFC 9110, section 13.1).
    ///
    /// Sets `If-None-Match` to the `ETag` of that response, and `If-Modified-Since` to its `Last-Modified`. If the
    /// resource has not changed, the server answers with status 304: a call for an optional gives nil, and any other
    /// call ends with `SessionError.Code.notModified`.
    /// - Parameter head: the head of the earlier response. If it has neither field, the request stays as it is. So it does
    ///   for a value that no request can have.
    public mutating func onlyIfChanged(since head: ResponseHead) {
        headers.addConditions(of: head.fields)
    }
}

extension HeaderFields {
    /// Adds the conditions under which a server sends another response than the one with these fields. A server may send
    /// a validator that no request can have: it is left out.
    mutating func addConditions(of response: HeaderFields) {
        // A tag can have bytes that are not UTF-8 (RFC 9110, section 8.8.3).
        if let tag = response.text(for: "ETag"), tag.octets.allSatisfy({ FieldByte.isValue($0) }) {
            set(tag, for: "If-None-Match")
        }
        if let date = response["Last-Modified"], date.utf8.allSatisfy({ FieldByte.isValue($0) }) {
            self["If-Modified-Since"] = date
        }
    }
}

extension ResponseHead {
    /// Whether the request asks for the resource only if it has changed, and the server says that it has not changed.
    var isNotModified: Bool {
        status == 304 && (request.fields["If-None-Match"] != nil || request.fields["If-Modified-Since"] != nil)
    }
}
