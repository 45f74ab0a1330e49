import PatchbayPlatform

/// How long a loop has had its thread. A loop that always finds its next bytes never waits: as many of them as there are
/// threads would hold up all tasks, also those that would cancel them. So it gives way when its turn is over.
struct Turn {
    private var begin = Moment.now

    /// Whether the turn has lasted longer than 10 ms. Then the next turn begins.
    mutating func isOver() -> Bool {
        let now = Moment.now
        guard begin.duration(to: now) > .milliseconds(10) else { return false }
        begin = now
        return true
    }

    /// Lets the tasks run that are ready. Unlike `Task.yield()`, it goes through the hook of the runtime by which
    /// `scripts/pins` keeps all work on one thread.
    static func giveWay() async {
        await withUnsafeContinuation { continuation in
            Task { continuation.resume() }
        }
    }
}
