import PatchbayPlatform
public import PatchbayRegistry

extension SessionManager {
    /// Does what `reload(_:)` does, now and again at each change of the files, until its task is cancelled.
    ///
    ///     let watch = Task {
    ///         await manager.watch([.file(file)]) { result in
    ///             if case .failure(let failure) = result { log(failure) }
    ///         }
    ///     }
    ///     // …
    ///     watch.cancel()
    ///
    /// The files are first read soon after the call; call `reload(_:)` before it if the first request must find them in force. A change is
    /// any change of the content behind the path: written in place, moved over, deleted and made again, a link or a folder on the way
    /// replaced. It is put in force when it has stayed the same for 0.2 seconds, which is within a second of the last write.
    ///
    /// A missing or faulty file leaves the registry in force as it is. Its faults are reported once, and again only after another change.
    /// Of several watches and reloads of one manager the last change counts. A registry that is assigned meanwhile is in force as it is,
    /// until the next change.
    ///
    /// On Linux the kernel reports changes (inotify). The files are also read every ten seconds, because inotify doesn't report changes on
    /// network file systems. Where it reports nothing (Apple platforms, a folder that may not be read, no watches left), they are read
    /// once a second, and a change is in force within two seconds.
    ///
    /// A watch takes one thread, which also builds the registry: `onChange` and factories may block it. The manager lives as long as the
    /// watch.
    ///
    /// - Parameters:
    ///   - manifests: manifests, each over those before it. A relative path starts at the folder that is current at the call.
    ///   - onChange: called on that thread with each registry that was put in force, the first one included, or with all faults of all
    ///     manifests. If the system has no thread or descriptor left, it is called with that failure, and the watch ends at once.
    public nonisolated(nonsending) func watch(
        _ manifests: [ManifestSource],
        onChange: @escaping @Sendable (Result<SerializerRegistry, ManifestFailure>) -> Void
    ) async {
        await watch(manifests, pace: ManifestWatcher.Pace(), onChange: onChange)
    }

    package nonisolated(nonsending) func watch(
        _ manifests: [ManifestSource], pace: ManifestWatcher.Pace,
        onChange: @escaping @Sendable (Result<SerializerRegistry, ManifestFailure>) -> Void
    ) async {
        let manifests = manifests.map(\.absolute)
        guard let ends = ManifestWatcher.ends() else { return onChange(.failure(.notWatched(manifests))) }
        let watcher = ManifestWatcher(
            manifests: manifests, pace: pace, end: ends.heard, manager: self, onChange: onChange)
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isStarted = BackgroundThread.start {
                    watcher.run()
                    continuation.resume()
                }
                guard !isStarted else { return }
                close(ends.heard)
                onChange(.failure(.notWatched(manifests)))
                continuation.resume()
            }
        } onCancel: {
            ends.held.shutDown()
        }
        ends.held.shutDown()
    }
}

/// The work of the thread of a watch: reads files, and puts their manifests in force.
package struct ManifestWatcher: Sendable {
    package struct Pace: Sendable {
        /// The time for which files must stay the same: another process may still be writing.
        package var settling = Duration.milliseconds(200)
        /// The time between two looks without an event.
        package var looking = Duration.seconds(10)
        /// The same where the kernel doesn't report every change.
        package var lookingUntold = Duration.seconds(1)
        /// The number of files and folders that the kernel may be asked to watch.
        package var maximumWatches = Int.max

        package init() {}
    }

    /// The end of a socket that the thread listens to, shut down by the task of the watch.
    final class HeldEnd: Sendable {
        /// Nil once it is shut down.
        private let socket: Guarded<Int32?>

        init(_ socket: Int32) { self.socket = Guarded(socket) }

        func shutDown() {
            let socket = self.socket.withLock { socket -> Int32? in
                defer { socket = nil }
                return socket
            }
            guard let socket else { return }
            shutdown(socket, Int32(SHUT_RDWR))
            close(socket)
        }
    }

    let manifests: [ManifestSource]
    let pace: Pace
    /// Becomes readable at the end of the watch; closed by the thread.
    let end: Int32
    let manager: SessionManager
    let onChange: @Sendable (Result<SerializerRegistry, ManifestFailure>) -> Void

    func run() {
        defer { close(end) }
        var events = FileEvents(maximumWatches: pace.maximumWatches)
        /// The manifests that are in force, or whose faults were reported.
        var judged: [ManifestText.Reading]?
        /// Manifests that are judged if they are the same at the next look.
        var seen: [ManifestText.Reading]?
        while true {
            // Asks for events before it reads, so that a change in between is reported.
            events.follow(manifests.compactMap { $0.file?.path })
            let number = manager.beginReload()
            let found = manifests.map { $0.read() }
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
                // Limits the looks in a folder with many changes.
                guard events.wait(pace.settling, orEnd: end, isListening: false) != .end else { return }
            }
        }
    }

    private func judge(_ manifests: [ManifestText.Reading], _ number: Int) {
        do throws(ManifestFailure) {
            if let registry = try manager.finishReload(number, manifests) { onChange(.success(registry)) }
        } catch {
            onChange(.failure(error))
        }
    }

    /// Two ends of one socket; nil if the system has no descriptor left.
    ///
    /// Not a pipe: a program that is started between the two calls inherits both ends, and would keep a pipe open. A socket is shut down
    /// for all processes that have it.
    static func ends() -> (heard: Int32, held: HeldEnd)? {
        var ends: [Int32] = [-1, -1]
        guard socketpair(AF_UNIX, SystemCall.streamSocket, 0, &ends) == 0 else { return nil }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        return (ends[0], HeldEnd(ends[1]))
    }
}
