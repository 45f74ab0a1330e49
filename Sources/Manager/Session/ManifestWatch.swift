import Dispatch
import PatchbayPlatform
public import PatchbayRegistry

extension SessionManager {
    /// Reloads the manifests like `reload(_:)`, now and after each change of the files, until the task is cancelled.
    ///
    ///     let watch = Task {
    ///         await manager.watch([.file(file)]) { result in
    ///             if case .failure(let failure) = result { log(failure) }
    ///         }
    ///     }
    ///     // …
    ///     watch.cancel()
    ///
    /// The files are read twice a second, on every system. A change takes effect when two reads in a row are equal,
    /// which is within two seconds of the last write. At the start, too, the files take effect only after two equal
    /// reads: call `reload(_:)` first if the first request needs them. A change is any change of the content behind the
    /// path: the file is overwritten, replaced by a move, or deleted and created again, or a link or a folder in the
    /// path is replaced.
    ///
    /// If a file is missing or faulty, the registry stays as it is. The faults are reported one time, and again only
    /// after another change. If a manager has several watches and reloads, the last change is in force. A registry that
    /// is assigned during a watch stays in force until the next change.
    ///
    /// A watch uses one thread, which also builds the registry: `onChange` and factories are allowed to block it. A
    /// watch keeps the manager alive. When the task is cancelled, `watch` returns at once, even if `onChange` or a
    /// factory still runs: no registry of the watch takes effect any more, and `onChange` is not called again.
    ///
    /// - Parameters:
    ///   - manifests: the manifests, each layered over the manifests before it. A relative path starts at the folder
    ///     that is current at the call.
    ///   - onChange: called on the thread of the watch with each registry that takes effect, including the first, or
    ///     with all faults of all manifests. If the system can't start a thread, `onChange` is called with that
    ///     failure, and the watch ends at once.
    public nonisolated(nonsending) func watch(
        _ manifests: [ManifestSource],
        onChange: @escaping @Sendable (Result<SerializerRegistry, ManifestFailure>) -> Void
    ) async {
        await watch(manifests, lookingEvery: .milliseconds(500), onChange: onChange)
    }

    /// - Parameter pause: the time between two reads.
    package nonisolated(nonsending) func watch(
        _ manifests: [ManifestSource], lookingEvery pause: Duration,
        onChange: @escaping @Sendable (Result<SerializerRegistry, ManifestFailure>) -> Void
    ) async {
        let manifests = manifests.map(\.absolute)
        let (end, over) = (DispatchSemaphore(value: 0), OneShot())
        await withTaskCancellationHandler {
            let start = BackgroundThread.start { self.watch(manifests, pause, until: end, over, onChange) }
            guard start else { return onChange(.failure(.notWatched(manifests))) }
            await over.fired()
        } onCancel: {
            over.fire()
            end.signal()
        }
    }

    /// The thread of a watch: reads the files and puts their manifests in force.
    /// - Parameters:
    ///   - pause: the time between two reads. A change takes effect only if two reads find it, because another process
    ///     can still be writing the file.
    ///   - end: signalled at the end of the watch, for the thread.
    ///   - over: fires at the end of the watch, for its caller.
    private func watch(
        _ manifests: [ManifestSource], _ pause: Duration, until end: DispatchSemaphore, _ over: OneShot,
        _ onChange: @Sendable (Result<SerializerRegistry, ManifestFailure>) -> Void
    ) {
        /// The manifests that are in force, or whose faults were reported.
        var judged: [ManifestText.Reading]?
        var seen: [ManifestText.Reading]?
        let nanoseconds = Int(clamping: Int64(pause / .nanoseconds(1)))
        repeat {
            let number = beginReload()
            let found = manifests.map { $0.read() }
            if found == seen, found != judged {
                do throws(ManifestFailure) {
                    if let registry = try finishReload(number, found, unless: over) { onChange(.success(registry)) }
                } catch {
                    if !over.hasFired { onChange(.failure(error)) }
                }
                judged = found
            }
            seen = found
        } while end.wait(timeout: .now() + .nanoseconds(nanoseconds)) == .timedOut
    }
}
