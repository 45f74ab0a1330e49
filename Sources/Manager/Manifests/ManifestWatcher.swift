import PatchbayPlatform
import PatchbayRegistry

/// What the thread of a watch does: looks at files, and lays what they hold over the base of a manager.
package struct ManifestWatcher: Sendable {
    /// When to look.
    package struct Pace: Sendable {
        /// How long files must hold the same before it counts: somebody may still be writing.
        package var settling = Duration.milliseconds(200)
        /// The time between two looks that nothing has called for.
        package var looking = Duration.seconds(10)
        /// The same, where not everything that happens to the files is told.
        package var lookingUntold = Duration.seconds(1)
        /// How many files and folders the kernel may be asked to tell of.
        package var maximumWatches = Int.max

        package init() {}
    }

    let files: [URL]
    let pace: Pace
    /// Becomes readable when watching is over; closed by the thread.
    let end: Int32
    /// The manager, which may be gone.
    let manager: @Sendable () -> SessionManager?
    let onFailure: @Sendable (ManifestFailure) -> Void
    let onReload: @Sendable (SerializerRegistry) -> Void

    /// Looks until watching is over or the manager gone.
    func run() {
        defer { close(end) }
        var events = FileEvents(maximumWatches: pace.maximumWatches)
        /// What was laid over the base last, or was told to be faulty.
        var judged: [ManifestSource.Reading]?
        /// What is yet to be judged, if it is the same at the next look.
        var seen: [ManifestSource.Reading]?
        while true {
            // First the asking, then the reading: what happens in between is told.
            events.follow(files.map(\.path))
            guard let number = manager()?.beginReload() else { return }
            let found = ManifestSource.readings(of: files)
            if found != judged, found != seen {
                seen = found
                guard events.wait(pace.settling, orEnd: end, isListening: false) != .end else { return }
                continue
            }
            if found != judged { judge(found, number) }
            (judged, seen) = (found, nil)
            switch events.wait(events.isComplete ? pace.looking : pace.lookingUntold, orEnd: end, isListening: true) {
            case .end: return
            case .time: continue
            case .event:
                // In a folder where much happens this keeps the thread from looking without a break.
                guard events.wait(pace.settling, orEnd: end, isListening: false) != .end else { return }
            }
        }
    }

    private func judge(_ files: [ManifestSource.Reading], _ number: Int) {
        do throws(ManifestFailure) {
            if let registry = try manager()?.finishReload(number, files) { onReload(registry) }
        } catch {
            onFailure(error)
        }
    }

    /// Two ends of one socket; nil where there is none left.
    ///
    /// Not a pipe: a program that is started between the two calls inherits both ends, and would keep a pipe open. What is shut
    /// down is shut down for all who have it.
    static func ends() -> (heard: Int32, held: Int32)? {
        var ends: [Int32] = [-1, -1]
        guard socketpair(AF_UNIX, SystemCall.streamSocket, 0, &ends) == 0 else { return nil }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        return (ends[0], ends[1])
    }
}
