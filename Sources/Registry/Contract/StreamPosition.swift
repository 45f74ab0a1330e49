import PatchbayPlatform

/// The position of the reader of an event stream, across all responses that continue the stream.
///
/// The parser is ahead of the reader: it finds all events of a piece before the reader gets the first element. So the
/// id of an event counts only when the reader has got the element of this event. If the event has no element, its id
/// counts with the last element before it. A stream that continues after an id that counts misses nothing.
package final class StreamPosition: Sendable {
    private struct State: Sendable {
        var lastEventID: String
        var reconnectionTime: Duration?
        /// The number of elements of this body that the reader has got.
        var given = 0
        /// Ids that do not count yet, oldest first. An id counts when the reader has got `given` elements. The first
        /// `passed` ids already count.
        var ahead: [(given: Int, id: String)] = []
        /// The number of ids in `ahead` that already count.
        var passed = 0
    }

    /// The parser and callers use the state at any time, a caller even while the parser runs. So no other code is
    /// called while the lock is held.
    private let state: Guarded<State>

    /// - Parameter lastEventID: the id after which the first body was requested; empty for the start of the stream.
    init(_ lastEventID: String) { state = Guarded(State(lastEventID: lastEventID)) }

    /// The id of the last event that counts; empty for none.
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
    /// - Parameter given: the number of elements of the body up to this event, its own included.
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
