extension SessionTask {
    /// How far a task is.
    public enum State: String, Sendable, Hashable, CaseIterable {
        /// Made, and waiting to be resumed.
        case initialized
        case running
        case suspended
        /// Ended by `cancel()`; for good.
        case cancelled
        /// Ended with a value or an error; for good.
        case finished

        /// Whether a task in this state waits to be resumed.
        var holds: Bool { self == .initialized || self == .suspended }

        /// Whether a task may go from this state to another. The same state again is no change.
        func canBecome(_ next: State) -> Bool {
            switch (self, next) {
            case (.initialized, .initialized), (.cancelled, _), (.finished, _), (_, .initialized): false
            case (.initialized, _), (_, .finished), (_, .cancelled): true
            case (.running, .suspended), (.suspended, .running): true
            case (.running, .running), (.suspended, .suspended): false
            }
        }
    }
}
