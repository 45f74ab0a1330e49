package import PatchbayRegistry

extension SessionManager {
    /// The tasks that have not ended, oldest first.
    public var tasks: [SessionTask] { taskList.all }

    /// Cancels every task that has not ended.
    public func cancelAll() {
        for task in tasks { task.cancel() }
    }

    /// Accepts no further calls, and cancels the calls that are running. Returns at once. Each later call fails with code
    /// `invalidated`. A second invalidation has no effect.
    ///
    /// To let the running calls end, call `shutdown(within:)` instead; to use the manager again, `cancelAll()`.
    /// - Parameter cancellingTasks: whether the tasks that have not ended are cancelled. If false, they run to their
    ///   end, and nothing waits for them.
    public func invalidate(cancellingTasks: Bool = true) {
        taskList.close()
        if cancellingTasks { cancelAll() }
    }

    /// Accepts no further calls, and waits for the calls that are running. Each later call fails with code
    /// `invalidated`.
    ///
    /// When the time is over, or the Swift task that waits is cancelled, the calls that have not ended are cancelled, as
    /// by `invalidate()`. A cancelled call ends at once, unless its serializer, validator or progress closure is at
    /// work, or its transport does not stop: `shutdown` waits one more second for such calls, and then returns while
    /// they run. Streams, suspended tasks and tasks that were never resumed count as running.
    /// - Parameter limit: how long the calls may take to end.
    public nonisolated(nonsending) func shutdown(within limit: Duration = .seconds(30)) async {
        taskList.close()
        let (ended, gaveUp, sleep) = (taskList.whenEmpty(), OneShot(), configuration.sleep)
        await concurrently {
            let isLate = await withTaskCancellationHandler {
                await ended.outlasts { _ = await gaveUp.outlasts { await sleep(limit) } }
            } onCancel: {
                gaveUp.fire()
            }
            // Ends the sleep.
            gaveUp.fire()
            guard isLate else { return }
            self.cancelAll()
            _ = await ended.outlasts { try? await Task.sleep(for: .seconds(1)) }
        }
    }

    /// Returns when the observers have had all events up to now, and the lines of every `TrafficLog` are on disk. For the
    /// end of a program, after its calls, also in a Swift task that is cancelled. In an observer of the manager, it waits for
    /// the logs only.
    public nonisolated(nonsending) func finishObserving() async {
        await concurrently {
            await self.taskList.tellAll()
            for log in self.taskList.logs { await log.flush() }
        }
    }

    /// Makes a call in a task of its own. The call waits for `begin()` of its `SessionTask`, and uses the registry that
    /// is current now.
    /// - Parameters:
    ///   - destination: the file for the body; if nil, the body goes into memory.
    ///   - isSerialized: whether a value is made of the finished file, which is `Reply.file`.
    package func hold<Value: Sendable>(
        _ kind: SessionTask.Kind, _ request: SessionRequest, producing wanted: WantedValue,
        to destination: DownloadDestination? = nil, isSerialized: Bool = false,
        _ typed: @escaping @Sendable (Reply<any Sendable>) -> Reply<Value>
    ) -> (task: SessionTask, call: Task<Reply<Value>, any Error>) {
        let file = destination.map { self.file(to: $0, isSerialized: isSerialized) }
        let call = makeCall(kind, request, producing: wanted, into: file)
        let task = call.task
        let running = Task<Reply<Value>, any Error> {
            // A task that was not accepted does not wait.
            if task.isAccepted { await task.proceed() }
            return typed(try await call.reply())
        }
        task.whenCancelled { running.cancel() }
        return (task: task, call: running)
    }
}
