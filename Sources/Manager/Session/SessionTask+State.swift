import PatchbayPlatform
import PatchbayRegistry

extension SessionTask {
    /// The state of a task.
    public enum State: Sendable, Hashable {
        case running
        /// Waits to be resumed. A task of PatchbayMigration is in this state from the start.
        case suspended
        /// Ended by `cancel()`. Final.
        case cancelled
        /// Ended with a value or an error. Final.
        case finished

        /// Whether a task can change from this state to `next`. A state can't change to itself.
        func canBecome(_ next: State) -> Bool {
            switch (self, next) {
            case (.cancelled, _), (.finished, _): false
            case (_, .finished), (_, .cancelled): true
            case (.running, .suspended), (.suspended, .running): true
            case (.running, .running), (.suspended, .suspended): false
            }
        }
    }
}

extension SessionTask: CustomStringConvertible {
    /// `METHOD URL (status)` of the last exchange, without the status until a response has arrived. Possible secrets
    /// are shown as `***`.
    public var description: String { description(of: wire) }

    func description(of wire: Wire) -> String {
        let method = wire.head?.method ?? request.method
        let url = wire.head?.maskedURL ?? Redaction.masked(request.reference, named: list.maskedPathSegments)
        return "\(method) \(url)" + (wire.status.map { " (\($0))" } ?? "")
    }

    /// The request of the last exchange as a curl command line. Before the first exchange, the request as the caller
    /// describes it.
    ///
    /// The text shows only the names of the query, and only the length of header fields that can be secret.
    /// - Parameter includingBody: whether the body is shown too, with any secrets in it; if false, only its length is
    ///   shown.
    public func curlDescription(includingBody: Bool = false) -> String {
        let (wire, body) = life.withLock { ($0.wire, $0.sentBody) }
        guard let head = wire.head else {
            return request.curlDescription(includingBody: includingBody, hiding: list.maskedPathSegments)
        }
        return CurlCommand(
            method: head.method, url: head.url.absoluteString, fields: head.fields, body: body,
            maskedPathSegments: head.maskedPathSegments
        ).text(includingBody: includingBody)
    }
}

extension SessionTask: CustomReflectable {
    public var customMirror: Mirror {
        Mirror(self, children: ["id": id, "kind": kind, "state": state, "retries": retries], displayStyle: .class)
    }
}
