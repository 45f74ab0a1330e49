import PatchbayRegistry

/// One call of a session manager, from its making to its end: to label it, watch it, cancel it.
///
/// Every call has one, those that are only awaited too. It is in `SessionManager.tasks` until it has ended.
public final class SessionTask: Sendable, Identifiable {
    /// What a call carries.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        case data, upload, download
    }

    private struct Status {
        var state = State.initialized
        var label: String?
        var retries = 0
    }

    /// Counted from 1, in the order in which the manager's tasks were made.
    public let id: Int
    public let kind: Kind
    /// The request as its sender made it.
    public let request: HTTPRequest
    private let status: Guarded<Status>
    /// Fires when the task may run: resumed for the first time, or cancelled.
    let released = Signal()
    /// Fires when the task is cancelled.
    let cancelled = Signal()

    init(id: Int, kind: Kind, _ request: HTTPRequest, label: String?) {
        self.id = id
        self.kind = kind
        self.request = request
        status = Guarded(Status(label: label))
    }

    public var state: State { status.withLock(\.state) }

    /// A name for people; at first the one of `SessionConfiguration.taskLabel`.
    public var label: String? {
        get { status.withLock(\.label) }
        set { status.withLock { $0.label = newValue } }
    }

    /// How often the call has been tried again.
    public var retries: Int { status.withLock(\.retries) }

    func countRetry() { status.withLock { $0.retries += 1 } }

    /// Starts the call, or lets a suspended one go on; without effect in any other state.
    public func resume() {
        if move(to: .running) { released.fire() }
    }

    /// Ends the call as cancelled; without effect where it has ended.
    public func cancel() {
        guard move(to: .cancelled) else { return }
        cancelled.fire()
        released.fire()
    }

    /// Notes the end of the call, whatever it was.
    func finish() { _ = move(to: .finished) }

    private func move(to next: State) -> Bool {
        status.withLock { status in
            guard status.state.canBecome(next) else { return false }
            status.state = next
            return true
        }
    }
}
