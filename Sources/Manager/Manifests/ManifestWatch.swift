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
