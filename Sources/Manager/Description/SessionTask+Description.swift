import PatchbayRegistry

extension SessionTask: CustomStringConvertible {
    /// `METHOD URL (status)`, of the last exchange; without the status before there is one. Credentials are shown as `***`.
    public var description: String {
        let wire = wire
        let method = wire.exchange?.head.method ?? request.method
        let url = wire.exchange?.head.url.absoluteString ?? request.url
        return "\(method) \(Secrets.masked(url))" + (wire.status.map { " (\($0))" } ?? "")
    }

    /// The request of the last exchange as a command line of curl; before there is one, as its sender describes it.
    ///
    /// Credentials in the URL and in header fields are shown as `***`.
    /// - Parameter includingBody: whether the body is shown too, secrets and all; else only its length.
    public func curlDescription(includingBody: Bool = false) -> String {
        guard let exchange = wire.exchange else { return request.curlDescription(includingBody: includingBody) }
        let head = exchange.head
        return CurlCommand(method: head.method, url: head.url.absoluteString, fields: head.fields, body: exchange.body)
            .text(includingBody: includingBody)
    }
}
