import PatchbayPlatform

/// The position of the reader of an event stream, across all responses that continue the stream.
///
/// The parser is ahead of the reader: it finds all events of a piece before the reader receives the first element. So
/// `lastEventID` becomes the id of an event only when the reader has received the element of this event. If the event
/// has no element, this happens when the reader has received the last element before the event. A stream that continues
/// after `lastEventID` therefore skips no element.
package final class StreamPosition: Sendable {
    private struct State: Sendable {
        var lastEventID: String
        var reconnectionTime: Duration?
        /// The number of elements of the current body that the reader has received.
        var given = 0
        /// Recorded ids, oldest first. An id becomes `lastEventID` when the reader has received `given` elements. The
        /// first `passed` ids have been `lastEventID` already.
        var ahead: [(given: Int, id: String)] = []
        /// The number of ids in `ahead` that have been `lastEventID` already.
        var passed = 0
    }

    /// The parser and callers use the state at any time, a caller even while the parser runs. So no other code is
    /// called while the lock is held.
    private let state: Guarded<State>

    /// - Parameter lastEventID: the id after which the first body was requested; empty for the start of the stream.
    init(_ lastEventID: String) { state = Guarded(State(lastEventID: lastEventID)) }

    /// The id after which the stream can continue without skipping an element; empty for the start of the stream.
    package var lastEventID: String { state.withLock(\.lastEventID) }

    /// The time that the server wants the client to wait before it requests the stream again; nil if the server has not
    /// set one.
    package var reconnectionTime: Duration? { state.withLock(\.reconnectionTime) }

    /// Begins another body, which continues after the event with this id.
    func begin(after lastEventID: String) {
        state.withLock { state in
            state = State(lastEventID: lastEventID, reconnectionTime: state.reconnectionTime)
        }
    }

    /// Records the id of an event that has ended, with or without data. The id differs from the last recorded id.
    /// - Parameter given: the number of elements of the body up to this event, including the element of the event.
    package func pass(_ id: String, behind given: Int) {
        state.withLock { state in
            if given <= state.given { state.lastEventID = id } else { state.ahead.append((given, id)) }
        }
    }

    /// Records the reconnection time that the server has set.
    package func pass(_ reconnectionTime: Duration) {
        state.withLock { $0.reconnectionTime = reconnectionTime }
    }

    package func give() {
        state.withLock { state in
            state.given += 1
            while state.passed < state.ahead.count, state.ahead[state.passed].given <= state.given {
                state.lastEventID = state.ahead[state.passed].id
                state.passed += 1
            }
            guard state.passed == state.ahead.count, state.passed > 0 else { return }
            state.ahead.removeAll(keepingCapacity: true)
            state.passed = 0
        }
    }
}
