import PatchbayPlatform

/// Where the reader of an event stream is, in all of the responses that it goes on in.
///
/// The parser is ahead of the reader: it finds all the events of a piece before the reader gets the first. So an id counts once the
/// reader has been given the element that it came with, or the last one before it where it came with none: who goes on from there
/// misses nothing.
package final class StreamPosition: Sendable {
    private struct State: Sendable {
        var lastEventID: String
        var reconnectionTime: Duration?
        /// How many elements of this body the reader was given.
        var given = 0
        /// The ids that do not count yet, each with how many elements the reader has to have for that. Oldest first.
        var ahead: [(given: Int, id: String)] = []
        /// How many of them count by now.
        var passed = 0
    }

    /// Touched by the parser and by whoever asks, at any time, also out of the parser: nothing is called with it held.
    private let state: Guarded<State>

    /// - Parameter lastEventID: from where the first body was asked for; empty for its start.
    init(_ lastEventID: String) { state = Guarded(State(lastEventID: lastEventID)) }

    /// The id of the last event that counts; empty for none.
    package var lastEventID: String { state.withLock(\.lastEventID) }

    /// How long the server wants to be waited for before the stream is asked for again; nil where it has not said.
    package var reconnectionTime: Duration? { state.withLock(\.reconnectionTime) }

    /// Another body begins, whose parser takes up behind an event.
    func begin(after lastEventID: String) {
        state.withLock { state in
            state = State(lastEventID: lastEventID, reconnectionTime: state.reconnectionTime)
        }
    }

    /// An event has ended, with data or without, whose id is another than that before.
    /// - Parameter given: how many elements of the body there are up to it, its own among them.
    package func pass(_ id: String, behind given: Int) {
        state.withLock { state in
            if given <= state.given { state.lastEventID = id } else { state.ahead.append((given, id)) }
        }
    }

    /// The server has said how long to wait.
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
