import Dispatch
public import PatchbayPlatform
import PatchbayRegistry

/// Writes a line of JSON for each decision about a response: the request without its secrets, the media type, the wanted
/// value, the entries, the outcome, sizes and times.
///
///     configuration.observers = [TrafficLog(to: URL(filePath: "/var/log/shop/traffic.ndjson"))]
///
/// No call waits for the file: a thread of the log writes the lines 200 ms later. If the file can't be written, or more
/// than 4,096 decisions wait, lines are lost, and a later line counts them. `SessionManager.finishObserving()` waits until
/// all lines are on disk. Managers can share a log, and logs of several processes can share a file.
public final class TrafficLog: SessionObserver, CustomStringConvertible, CustomReflectable {
    private struct Waiting {
        var records: [TrafficNotes] = []
        var dropped = 0
        /// The signals that fire when all of this is on disk.
        var flushes: [OneShot] = []
        var isAwaited = false
    }

    /// The name of the file, its largest size, and the reason if lines are lost now: `file traffic.ndjson, at most 67,108,864
    /// bytes, it cannot be written: no such file or directory`.
    public var description: String { name + (trouble.withLock(\.self).map { ", \($0)" } ?? "") }
    public var customMirror: Mirror { Mirror(described: self) }
    private let name: String
    private let limit: Int
    /// The reason that the last lines could not be written.
    private let trouble = Guarded<String?>(nil)
    private let file: Guarded<TrafficFile>
    private let waiting = Guarded(Waiting())
    private let thread = IOExecutor(maximumThreads: 1)
    /// Ends the wait for more decisions.
    private let hurry = DispatchSemaphore(value: 0)

    /// - Parameters:
    ///   - file: the file, which is made for its owner alone, in an existing folder. A link, or a file of another user, is
    ///     not written to.
    ///   - maximumBytes: the largest size of the file. A full file gets its name with `.1` behind, where it replaces an
    ///     older one, and a new file begins.
    public convenience init(to file: URL, maximumBytes: Int = 64 << 20) {
        self.init(to: file, maximumBytes: maximumBytes, mostWaiting: 4_096)
    }

    init(to file: URL, maximumBytes: Int, mostWaiting limit: Int, _ calls: FileCalls = .system) {
        self.limit = limit
        name = "file \(file.lastPathComponent), at most \(ByteCount(maximumBytes))"
        self.file = Guarded(TrafficFile(file, maximumBytes: maximumBytes, calls))
    }

    deinit { file.withLock { $0.close() } }

    /// Does nothing: a manager passes the decisions to its logs, not events.
    public func observe(_ event: SessionEvent) {}

    func append(_ record: TrafficNotes) {
        add { waiting in
            guard waiting.records.count < limit else {
                waiting.dropped += 1
                return
            }
            waiting.records.append(record)
        }
    }

    /// Returns when all decisions up to now are on disk.
    func flush() async {
        let written = OneShot()
        add { $0.flushes.append(written) }
        hurry.signal()
        await written.fired()
    }

    @inline(__always)
    private func add(_ change: (inout Waiting) -> Void) {
        let (isFirst, isHalfFull) = waiting.withLock { waiting in
            defer { waiting.isAwaited = true }
            change(&waiting)
            return (!waiting.isAwaited, waiting.records.count == limit / 2)
        }
        if isFirst { thread.enqueue { self.write() } }
        if isHalfFull { hurry.signal() }
    }

    private func write() {
        _ = hurry.wait(timeout: .now() + .milliseconds(200))
        var batch = Waiting()
        waiting.withLock { swap(&$0, &batch) }
        let lines = batch.records.compactMap { TrafficLine($0.record.withLock(\.self)) }
        let dropped = batch.dropped > 0 ? [TrafficLine(dropped: batch.dropped)] : []
        file.withLock { file in
            file.write(lines + dropped)
            if !batch.flushes.isEmpty { file.sync() }
            trouble.withLock { [failure = file.failure] in $0 = failure }
        }
        for flush in batch.flushes { flush.fire() }
    }
}
