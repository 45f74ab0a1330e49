import PatchbayPlatform
import PatchbayRegistry

/// Stored responses in a folder, which other stores and other processes can use at the same time.
///
/// Only the names of the files are in memory. The heads are read at each use, because another process can have changed
/// them. Whatever can block runs on threads of the store's own. No call waits for it longer than `patience`: then the
/// disk counts as hung, and the call goes on as without a cache.
final class FolderStore: ResponseStore {
    private struct State: Sendable {
        var folder: Result<StoredFolder, Refusal> = .failure(Refusal("its folder was not opened yet"))
        /// The same folder with calls that never wait; nil without a folder, or if it has none.
        var inMemory: StoredFolder?
        /// Without a limit: the store itself removes what is too much.
        var index = CacheIndex<UInt64>(limit: .max)
        /// The last change of the folder that the index knows of, and when the folder was read; nil if it never was.
        var listed: (change: Int64, isSettled: Bool, at: Moment)?
        /// The files that got their names since the last reading of the folder began.
        var added: [(name: StoredName, bytes: Int)] = []
        var hung: (signal: OneShot, since: Moment)?
        /// The number of slots that are taken.
        var open = 0
        /// How many readings of the folder go on.
        var listings = 0

        /// Returns what is too much for one URL.
        mutating func add(_ name: StoredName, _ bytes: Int) -> [StoredName] {
            index.add(name.variant, bytes, name.url) { $0 == name.variant }.filter { $0 != name.variant }
                .map { StoredName(url: name.url, variant: $0) }
        }
    }

    private static let patience = IOExecutor.SerialQueue.patience

    let limit: Int
    private let url: URL
    private let calls: FileCalls
    private let callsInMemory: FileCalls
    /// How long the folder is not read again in search of a response that another process has stored.
    private let pause: Duration
    private let io = IOExecutor()
    private let state = Guarded(State())

    init(
        _ folder: URL, limit: Int, calls: FileCalls = .system, inMemory: FileCalls = .inMemory,
        pause: Duration = .seconds(1)
    ) {
        (url, self.limit, self.calls, callsInMemory, self.pause) = (folder, max(0, limit), calls, inMemory, pause)
    }

    var description: String { "folder \(url.lastPathComponent), at most \(ByteCount(limit))" }

    // MARK: The disk

    func queue() -> IOExecutor.SerialQueue { IOExecutor.SerialQueue(io) }

    /// Does work that can block. The result is nil if the signal fires or the disk counts as hung before it is done.
    func wait<Value: Sendable>(
        until stop: OneShot, for queue: IOExecutor.SerialQueue? = nil, _ work: @escaping @Sendable () -> Value
    ) async -> Value? {
        let (queue, either) = (queue ?? self.queue(), OneShot())
        let listeners = [stop.listen { either.fire() }, hung.listen { either.fire() }]
        defer { for listener in listeners { listener.remove() } }
        if case .done(let value) = await queue.run(until: either, work) { return value }
        queue.abandon()
        return nil
    }

    /// Fires when a disk that is asked now and doesn't answer counts as hung. Half a second has one signal, because a timer
    /// for each wait would cost more than most answers.
    private var hung: OneShot {
        let now = Moment.now
        let (signal, isNew) = state.withLock { state in
            let found = state.hung.flatMap { now < $0.since + .milliseconds(500) ? $0 : nil }
            let hung = found ?? (OneShot(), now)
            state.hung = hung
            return (hung.0, found == nil)
        }
        if isNew {
            Task.detached {
                try? await Task.sleep(for: Self.patience + .milliseconds(500))
                signal.fire()
            }
        }
        return signal
    }

    /// The open folder, or the reason that there is none.
    var folder: Result<StoredFolder, Refusal> { state.withLock(\.folder) }

    func digest(until stop: OneShot) async -> KeyedDigest {
        if let folder = try? folder.get() { return folder.digest }
        // Without a folder, nothing is found or stored.
        return await wait(until: stop) { (try? self.open().get())?.digest ?? KeyedDigest() } ?? KeyedDigest()
    }

    private func open() -> Result<StoredFolder, Refusal> {
        guard case .failure = folder else { return folder }
        return set(Result { () throws(FileFailure) in try StoredFolder(url, calls) }.mapError { Refusal("\($0)") })
    }

    /// The folder is gone: the next request opens another one.
    func close() { set(.failure(Refusal("its folder is gone"))) }

    @discardableResult
    private func set(_ folder: Result<StoredFolder, Refusal>) -> Result<StoredFolder, Refusal> {
        let inMemory = (try? folder.get())?.local(callsInMemory)
        state.letGo { state in
            defer { (state.folder, state.inMemory, state.listed) = (folder, inMemory, nil) }
            return (state.folder, state.inMemory)
        }
        return folder
    }

    // MARK: The index

    /// Whether the index has what is in the folder. One that was read within the last `pause` counts as known.
    private func isKnown(_ folder: StoredFolder) -> Bool {
        guard let listed = state.withLock(\.listed) else { return false }
        return .now < listed.at + pause || listed.isSettled && folder.change == listed.change
    }

    /// Reads the folder, and removes what was used least recently if it has more bytes than the limit. The times of the
    /// files count, because other processes use them, too.
    private func list(_ folder: StoredFolder, limit: Int) {
        let change = folder.change
        state.withLock { state in
            if state.listings == 0 { state.added = [] }
            state.listings += 1
        }
        defer { state.withLock { $0.listings -= 1 } }
        guard var found = folder.list() else { return }
        var left = found.reduce(0) { $0 &+ $1.bytes }
        // A tenth becomes free at once, so this is done seldom. The newest one stays.
        let target = left > limit ? limit - limit / 10 : .max
        while left > target, found.count > (limit == 0 ? 0 : 1), let file = found.popLast() {
            folder.remove(file.name)
            left &-= file.bytes
        }
        let surplus = state.withLock { [found] state -> [StoredName] in
            state.index = CacheIndex(limit: .max)
            // A later change within the second can have the same time.
            state.listed = (change, Int64(time(nil)) &- change / 1_000_000_000 > 1, .now)
            return (found.reversed() + state.added).flatMap { state.add($0.name, $0.bytes) }
        }
        for name in surplus { folder.remove(name) }
    }

    /// The stored responses of a URL, the newest first.
    func names(_ url: KeyedDigest.Value) -> [StoredName] {
        state.withLock { $0.index.items(url) }.map { StoredName(url: url, variant: $0) }
    }

    /// Opens the file of a response; nil if it is gone or damaged.
    func file(_ name: StoredName, in folder: StoredFolder, _ access: Int32 = O_RDONLY) -> StoredFile? {
        let file = StoredFile(name, in: folder, access)
        if file == nil { forget(name) }
        return file
    }

    func remove(_ name: StoredName, in folder: StoredFolder) {
        forget(name)
        folder.remove(name)
    }

    private func forget(_ name: StoredName) {
        state.withLock { state in
            _ = state.index.remove(name.url) { $0 == name.variant }
            // The file can be there, and could not be opened now.
            state.listed?.isSettled = false
        }
    }

    /// Adds a file that got its name.
    func add(_ name: StoredName, _ bytes: Int, in folder: StoredFolder) {
        let (surplus, isFull) = state.withLock { state in
            if state.listings > 0 { state.added.append((name, bytes)) }
            return (state.add(name, bytes), state.index.bytes > limit)
        }
        for name in surplus { folder.remove(name) }
        guard isFull else { return }
        queue().enqueue { [limit] in
            if self.state.withLock({ $0.index.bytes > limit }) { self.list(folder, limit: limit) }
        }
    }

    // MARK: The stored responses

    func response(
        _ url: KeyedDigest.Value, where selects: @escaping @Sendable (StoredHead) -> Bool, until stop: OneShot
    ) async -> (selected: StoredResponse?, hasOthers: Bool) {
        guard let folder = try? folder.get() else { return (nil, false) }
        if let found = inMemory(url, selects) { return (found, true) }
        let found = await wait(until: stop) { [limit] in
            let found = self.find(url, selects, in: folder)
            // One call reads the folder at a time. The others have a miss.
            let isListed = self.state.withLock { $0.listings > 0 }
            guard found.selected == nil, !isListed, !self.isKnown(folder) else { return found }
            self.list(folder, limit: limit)
            return self.find(url, selects, in: folder)
        }
        return found ?? (nil, false)
    }

    /// The response that `find` would give, if the system has its whole file in memory, as after a recent use: reading it
    /// takes less time than a change to another thread and back. Nil if the disk must be asked, or if a use must be noted.
    private func inMemory(_ url: KeyedDigest.Value, _ selects: (StoredHead) -> Bool) -> StoredResponse? {
        guard let folder = state.withLock(\.inMemory) else { return nil }
        let names = names(url)
        let (selected, opened) = newest(names, selects) { StoredFile($0, in: folder) }
        guard let selected else { return nil }
        defer { selected.close() }
        guard opened == names.count, selected.isUsedNow, let body = selected.wholeBody else { return nil }
        return StoredResponse(selected.head, .memory(body))
    }

    /// Opens files, and closes all but the newest one that is selected.
    /// - Parameter open: nil for a file that is of no use.
    private func newest(
        _ names: [StoredName], _ selects: (StoredHead) -> Bool, _ open: (StoredName) -> StoredFile?
    ) -> (selected: StoredFile?, opened: Int) {
        var (selected, opened): (StoredFile?, Int) = (nil, 0)
        for file in names.lazy.compactMap(open) {
            let isBetter = selects(file.head) && file.head.received > selected?.head.received ?? -.infinity
            (isBetter ? selected : file)?.close()
            (selected, opened) = (isBetter ? file : selected, opened + 1)
        }
        return (selected, opened)
    }

    /// Room for another open file; nil if there is none.
    func slot() -> OpenSlot? {
        let hasRoom = state.withLock { state in
            guard state.open < OpenSlot.most else { return false }
            state.open += 1
            return true
        }
        return hasRoom ? OpenSlot { self.state.withLock { $0.open -= 1 } } : nil
    }

    private func find(
        _ url: KeyedDigest.Value, _ selects: (StoredHead) -> Bool, in folder: StoredFolder
    ) -> (selected: StoredResponse?, hasOthers: Bool) {
        let (selected, opened) = newest(names(url), selects) { file($0, in: folder) }
        guard let selected else { return (nil, opened > 0) }
        selected.use()
        guard let body = selected.wholeBody else {
            // Without room for another open file, the server is asked.
            guard let slot = slot() else {
                selected.close()
                return (nil, false)
            }
            let body = StoredFileBody(selected, slot, on: io)
            return (StoredResponse(selected.head, .file(body)), true)
        }
        selected.close()
        return (StoredResponse(selected.head, .memory(body)), true)
    }

    func writer(_ url: KeyedDigest.Value, _ head: StoredHead) -> any ResponseWriter { FolderWriter(self, url, head) }

    func update(
        _ response: StoredResponse, _ url: KeyedDigest.Value, to head: StoredHead, until stop: OneShot
    ) async -> Bool {
        guard let folder = try? folder.get() else { return false }
        let isUpdated = await wait(until: stop) {
            let name = StoredName(url: url, variant: response.head.variant.digest)
            guard let file = self.file(name, in: folder, O_RDWR) else { return false }
            defer { file.close() }
            // Another process can have stored a newer one.
            guard file.head.received == response.head.received else { return true }
            if head.variant == file.head.variant, file.update(to: head) { return true }
            self.remove(name, in: folder)
            return false
        }
        return isUpdated ?? false
    }

    func remove(_ url: KeyedDigest.Value, until stop: OneShot) async {
        guard let folder = try? folder.get() else { return }
        _ = await wait(until: stop) {
            // Another process can have stored one.
            for name in Set(self.names(url) + folder.names(of: url)) { self.remove(name, in: folder) }
        }
    }

    func clear() async {
        await OneShot().orCancelled { stop in
            _ = await queue().run(until: stop) {
                if let folder = try? self.open().get() { self.list(folder, limit: 0) }
            }
        }
    }
}
