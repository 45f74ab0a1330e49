/// Hears of every stage of every call of a session manager: for logs, statistics, notifications.
///
/// Observers are named in `SessionConfiguration.observers`. They are told one event at a time, each of them in turn, and those of
/// one call in the order in which they happened. They are told aside, never on the thread of a transport and never before the
/// call goes on: an observer that takes its time holds up the observers, not the calls. A call may be over before its
/// `finished` is told; where it has completion handlers, they have returned by then.
///
/// Events wait for a slow observer, up to `SessionConfiguration.maximumWaitingEvents` of them. Then the oldest are dropped for
/// the newest, and `SessionEvent.missed` says how many.
public protocol SessionObserver: Sendable {
    /// Told of each event in order; the next one waits until this returns.
    func observe(_ event: SessionEvent) async

    /// Whether `SessionEvent.value` and `SessionEvent.body` are to be told; by default not, so that no body is kept while an event
    /// waits. Where one observer of a manager wants them, all of its observers are told. Candidate once, when the manager is made.
    var wantsBodies: Bool { get }
}

extension SessionObserver {
    public var wantsBodies: Bool { false }
}
