import PatchbayPlatform
import PatchbayRegistry

extension SessionTask: CustomStringConvertible {
    /// `METHOD URL (status)`, of the last exchange; without the status before there is one. What may be a secret is shown as `***`.
    public var description: String { description(of: wire) }

    func description(of wire: Wire) -> String {
        let method = wire.head?.method ?? request.method
        let url = wire.head?.maskedURL ?? Redaction.masked(request.url, named: maskedPathSegments)
        return "\(method) \(url)" + (wire.status.map { " (\($0))" } ?? "")
    }

    /// The request of the last exchange as a command line of curl; before there is one, as its sender describes it.
    ///
    /// Of the query it has the names, and of header fields that may be secret how long they are.
    /// - Parameter includingBody: whether the body is shown too, secrets and all; else only its length.
    public func curlDescription(includingBody: Bool = false) -> String {
        guard let exchange = lastExchange else {
            return request.curlDescription(includingBody: includingBody, hiding: maskedPathSegments)
        }
        let head = exchange.head
        return CurlCommand(
            method: head.method, url: head.url.absoluteString, fields: head.fields, body: exchange.body,
            maskedPathSegments: head.maskedPathSegments
        ).text(includingBody: includingBody)
    }
}

extension SessionTask: CustomReflectable {
    public var customMirror: Mirror {
        Mirror(self, children: ["id": id, "kind": kind, "state": state, "retries": retries], displayStyle: .class)
    }
}

extension DataTask: CustomStringConvertible, CustomReflectable {
    /// That of the task.
    public var description: String { task.description }
    public var customMirror: Mirror { Mirror(self, children: ["task": task], displayStyle: .struct) }
}
