import PatchbayRegistry

extension HTTPRequest {
    /// The request as a command line of curl, as its sender describes it: without the manager's base URL and header fields.
    ///
    /// Credentials in the URL and in header fields are shown as `***`. The description of a task that was sent is complete.
    /// - Parameter includingBody: whether the body is shown too, secrets and all; else only its length.
    public func curlDescription(includingBody: Bool = false) -> String {
        // Content that cannot be made has no body to show; sending it says why.
        let body = try? content?.makeBody()
        var fields = headers
        if let content, fields["Content-Type"] == nil { fields["Content-Type"] = content.contentType }
        return CurlCommand(method: method, url: url, fields: fields, body: body).text(includingBody: includingBody)
    }

    /// The target with its query, as far as it is known without a base URL.
    var url: String {
        let added = [query.isEmpty ? nil : query.encoded, encodedQuery].compactMap(\.self)
        return added.isEmpty ? target : target + (target.contains("?") ? "&" : "?") + added.joined(separator: "&")
    }
}
