/// Hears of every stage of every call of a session manager: for logs, statistics, notifications.
///
/// Observers are named in `SessionConfiguration.observers`. They are told one event at a time, each of them in turn, and those of
/// one call in the order in which they happened. They are told aside, never on the thread of a transport and never before the
/// call goes on: an observer that takes its time holds up the observers, not the calls. A call may be over before its
/// `finished` is told.
public protocol SessionObserver: Sendable {
    func observe(_ event: SessionEvent) async
}
