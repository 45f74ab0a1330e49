import PatchbayRegistry

extension SessionRequest {
    /// The request as a command line of curl, as its sender describes it: without the manager's base URL and header fields.
    ///
    /// Of the query it has the names, and of header fields that may be secret how long they are. The description of a task that
    /// was sent is complete.
    /// - Parameter includingBody: whether the body is shown too, secrets and all; else only its length.
    public func curlDescription(includingBody: Bool = false) -> String {
        curlDescription(includingBody: includingBody, hiding: [])
    }

    /// - Parameter named: segments of the path that are not shown.
    func curlDescription(includingBody: Bool, hiding named: Set<String>) -> String {
        // Content that cannot be made has no body to show; sending it says why.
        let body = try? content?.makeBody()
        var fields = headers
        if let content, fields["Content-Type"] == nil { fields["Content-Type"] = content.contentType }
        return CurlCommand(method: method, url: url, fields: fields, body: body, maskedPathSegments: named)
            .text(includingBody: includingBody)
    }

    /// The target with its query, as far as it is known without a base URL.
    var url: String {
        let added = [query.isEmpty ? nil : query.encoded, encodedQuery].compactMap(\.self)
        return added.isEmpty ? target : target + (target.contains("?") ? "&" : "?") + added.joined(separator: "&")
    }
}

extension SessionRequest: CustomStringConvertible, CustomReflectable {
    /// Method, target and fields, without what may be a secret: `POST users?page=*** [Cookie: <9 bytes>], application/json`.
    public var description: String { description(hiding: []) }

    /// - Parameter named: segments of the path that are not shown.
    func description(hiding named: Set<String>) -> String {
        "\(method) \(Redaction.masked(url, named: named))" + (headers.isEmpty ? "" : " \(headers)")
            + (content.map { ", \($0)" } ?? "")
    }

    public var customMirror: Mirror {
        Mirror(
            self,
            children: [
                "method": method, "target": Redaction.masked(url), "parameters": parameters as Any, "headers": headers,
                "content": content as Any, "lookup": lookupOverride,
            ], displayStyle: .struct)
    }
}
