import PatchbayPlatform
import PatchbayRegistry

extension SessionTask {
    /// How far a task is.
    public enum State: Sendable, Hashable {
        case running
        /// Waits to be resumed, as a task of PatchbayMigration does from its making on.
        case suspended
        /// Ended by `cancel()`; for good.
        case cancelled
        /// Ended with a value or an error; for good.
        case finished

        /// Whether a task may go from this state to another. The same state again is no change.
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

/// What a call does under way while it is suspended, if its request says that it can be paused.
extension SessionTask {
    /// What to wait for before more bytes may move; nil where they may.
    func pause() -> OneShot? {
        guard request.holdsBodies else { return nil }
        return life.withLock { life in
            guard life.state == .suspended else { return nil }
            if let pause = life.pause { return pause }
            let pause = OneShot(promisesBytes: true)
            life.pause = pause
            life.held.append { pause.fire() }
            return pause
        }
    }

    /// Until when the idle clock stands still; nil where it never did.
    var rest: ContinuousClock.Instant? {
        guard request.holdsBodies else { return nil }
        return life.withLock { $0.state == .suspended ? .now : $0.lastResume }
    }
}

extension SessionTask: CustomStringConvertible {
    /// `METHOD URL (status)`, of the last exchange; without the status before there is one. What may be a secret is shown as `***`.
    public var description: String { description(of: wire) }

    func description(of wire: Wire) -> String {
        let method = wire.head?.method ?? request.method
        let url = wire.head?.maskedURL ?? Redaction.masked(request.reference, named: maskedPathSegments)
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
