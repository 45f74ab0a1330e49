import Dispatch
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
    /// The files are read twice a second, on every system. A change is put in force when two looks in a row find the same, which is within
    /// two seconds of the last write; so are the files at the call. Call `reload(_:)` before it if the first request must find them in
    /// force. A change is any change of the content behind the path: written in place, moved over, deleted and made again, a link or a
    /// folder on the way replaced.
    ///
    /// A missing or faulty file leaves the registry in force as it is. Its faults are reported once, and again only after another change.
    /// Of several watches and reloads of one manager the last change counts. A registry that is assigned meanwhile is in force as it is,
    /// until the next change.
    ///
    /// A watch takes one thread, which also builds the registry: `onChange` and factories may block it. The manager lives as long as the
    /// watch.
    ///
    /// - Parameters:
    ///   - manifests: manifests, each over those before it. A relative path starts at the folder that is current at the call.
    ///   - onChange: called on that thread with each registry that was put in force, the first one included, or with all faults of all
    ///     manifests. If the system has no thread left, it is called with that failure, and the watch ends at once.
    public nonisolated(nonsending) func watch(
        _ manifests: [ManifestSource],
        onChange: @escaping @Sendable (Result<SerializerRegistry, ManifestFailure>) -> Void
    ) async {
        await watch(manifests, lookingEvery: .milliseconds(500), onChange: onChange)
    }

    /// - Parameter pause: the time between two looks.
    package nonisolated(nonsending) func watch(
        _ manifests: [ManifestSource], lookingEvery pause: Duration,
        onChange: @escaping @Sendable (Result<SerializerRegistry, ManifestFailure>) -> Void
    ) async {
        let manifests = manifests.map(\.absolute)
        let end = DispatchSemaphore(value: 0)
        let watcher = ManifestWatcher(
            manifests: manifests, pause: pause, end: end, manager: self, onChange: onChange)
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isStarted = BackgroundThread.start {
                    watcher.run()
                    continuation.resume()
                }
                guard !isStarted else { return }
                onChange(.failure(.notWatched(manifests)))
                continuation.resume()
            }
        } onCancel: {
            end.signal()
        }
    }
}

/// The work of the thread of a watch: reads files, and puts their manifests in force.
private struct ManifestWatcher: Sendable {
    let manifests: [ManifestSource]
    /// The time between two looks. A change must be the same at two: another process may still be writing.
    let pause: Duration
    /// Signalled at the end of the watch.
    let end: DispatchSemaphore
    let manager: SessionManager
    let onChange: @Sendable (Result<SerializerRegistry, ManifestFailure>) -> Void

    func run() {
        /// The manifests that are in force, or whose faults were reported.
        var judged: [ManifestText.Reading]?
        /// Those of the last look.
        var seen: [ManifestText.Reading]?
        let nanoseconds = Int(clamping: Int64(pause / .nanoseconds(1)))
        repeat {
            let number = manager.beginReload()
            let found = manifests.map { $0.read() }
            if found == seen, found != judged {
                judge(found, number)
                judged = found
            }
            seen = found
        } while end.wait(timeout: .now() + .nanoseconds(nanoseconds)) == .timedOut
    }

    private func judge(_ manifests: [ManifestText.Reading], _ number: Int) {
        do throws(ManifestFailure) {
            if let registry = try manager.finishReload(number, manifests) { onChange(.success(registry)) }
        } catch {
            onChange(.failure(error))
        }
    }
}
