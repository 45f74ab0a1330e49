public import PatchbayPlatform
public import PatchbayRegistry

/// Manifests that are watched for a manager, until this is cancelled or nobody holds it any more.
public final class ManifestWatch: Sendable {
    /// The files, a later one over the earlier ones.
    public let manifests: [URL]
    /// The end of a socket that the thread listens to, which goes when the other end is shut down; nil once it is.
    private let end: Guarded<Int32?>

    init(_ manifests: [URL], end: Int32?) {
        self.manifests = manifests
        self.end = Guarded(end)
    }

    deinit { cancel() }

    /// Ends watching; what the files have brought stays in force. A change that was found just before may still be put in force.
    public func cancel() {
        let end = self.end.withLock { end -> Int32? in
            defer { end = nil }
            return end
        }
        guard let end else { return }
        shutdown(end, Int32(SHUT_RDWR))
        close(end)
    }
}

extension ManifestWatch: CustomStringConvertible, CustomReflectable {
    /// `Plugins.json, hosts.json, watched`
    public var description: String {
        let isOver = end.withLock { $0 == nil }
        return (manifests.map(\.lastPathComponent) + [isOver ? "no longer watched" : "watched"]).joined(separator: ", ")
    }
    public var customMirror: Mirror { Mirror(self, children: ["manifests": manifests], displayStyle: .class) }
}

extension SessionManager {
    /// Does what `reload(manifests:)` does now, and again whenever the files hold something else.
    ///
    ///     let watch = manager.watch(manifests: [file]) { failure in log(failure) }
    ///
    /// The files are read soon after this returns; call `reload(manifests:)` before it where the first request must find them in
    /// force. What counts is what is read behind every link, however it came to be there: written in place, moved over, deleted
    /// and made again, a link or a folder on the way replaced. It is put in force when it has stayed the same for 0.2 seconds,
    /// which is within a second of the last write.
    ///
    /// A file that is missing or faulty leaves the registry in force as it is. Its faults are told once, and not again until it
    /// holds something else. Of several watches and reloads of one manager the last counts, as of several reloads; a registry
    /// that is assigned meanwhile is in force as it is, and the base of the next change.
    ///
    /// On Linux the kernel says when to look (inotify), and the files are looked at every ten seconds besides, because it is
    /// silent about network file systems. Where it does not say (Apple platforms, a folder that may not be read, no watches left)
    /// they are looked at once a second, and what changed is in force within two seconds.
    ///
    /// A watch costs one thread, which also builds the registry: closures and factories may block it. It does not keep the
    /// manager alive.
    ///
    /// - Parameters:
    ///   - manifests: files, a later one over the earlier. A path that is relative starts at the folder that is current now.
    ///   - onFailure: called on that thread with everything that is wrong with any of the files.
    ///   - onReload: called on that thread with each registry that was put in force.
    /// - Returns: what ends watching when it is cancelled or let go.
    public func watch(
        manifests: [URL], onFailure: @escaping @Sendable (ManifestFailure) -> Void,
        onReload: @escaping @Sendable (SerializerRegistry) -> Void = { _ in }
    ) -> ManifestWatch {
        watch(manifests: manifests, pace: ManifestWatcher.Pace(), onFailure: onFailure, onReload: onReload)
    }

    package func watch(
        manifests: [URL], pace: ManifestWatcher.Pace, onFailure: @escaping @Sendable (ManifestFailure) -> Void,
        onReload: @escaping @Sendable (SerializerRegistry) -> Void = { _ in }
    ) -> ManifestWatch {
        let files = manifests.map(\.absoluteFile)
        guard let ends = ManifestWatcher.ends() else {
            onFailure(.notWatched(files))
            return ManifestWatch(files, end: nil)
        }
        let watch = ManifestWatch(files, end: ends.held)
        let watcher = ManifestWatcher(
            files: files, pace: pace, end: ends.heard, manager: { [weak self] in self }, onFailure: onFailure,
            onReload: onReload)
        if !BackgroundThread.start({ watcher.run() }) {
            close(ends.heard)
            watch.cancel()
            onFailure(.notWatched(files))
        }
        return watch
    }
}

extension URL {
    /// The same file when the current folder is another.
    fileprivate var absoluteFile: URL {
        guard isFileURL, !path.hasPrefix("/") else { return self }
        return URL(filePath: URL.currentDirectory().path + "/" + path)
    }
}

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
