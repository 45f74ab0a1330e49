import PatchbayPlatform
import PatchbayRegistry

final class MemoryStore: ResponseStore {
    private let digest = KeyedDigest()
    let limit: Int
    /// The number of bytes of bodies on their way.
    private let arriving = Guarded(0)
    private let index: Guarded<CacheIndex<StoredResponse>>

    init(limit: Int) {
        self.limit = max(0, limit)
        index = Guarded(CacheIndex(limit: self.limit))
    }

    func digest(until stop: OneShot) async -> KeyedDigest { digest }

    func response(
        _ url: KeyedDigest.Value, where selects: @escaping @Sendable (StoredHead) -> Bool, until stop: OneShot
    ) async -> (selected: StoredResponse?, hasOthers: Bool) {
        let all = index.withLock { $0.items(url) }
        let selected = all.first { selects($0.head) }
        if let selected { index.withLock { $0.use(url) { $0 === selected } } }
        return (selected, !all.isEmpty)
    }

    func writer(_ url: KeyedDigest.Value, _ head: StoredHead) -> any ResponseWriter {
        Writer(self, url, head)
    }

    func update(
        _ response: StoredResponse, _ url: KeyedDigest.Value, to head: StoredHead, until stop: OneShot
    ) async -> Bool {
        let new = StoredResponse(head, response.body)
        let replaced = index.withLock { index -> [StoredResponse]? in
            guard index.items(url).contains(where: { $0 === response }) else { return nil }
            return index.add(new, new.bytes, url) { $0 === response }
        }
        return replaced != nil
    }

    func remove(_ url: KeyedDigest.Value, until stop: OneShot) async {
        index.letGo { $0.remove(url) { _ in true } }
    }

    func clear() async { index.replace(by: CacheIndex(limit: limit)) }

    var description: String { "memory, at most \(ByteCount(limit))" }

    private final class Writer: ResponseWriter {
        private let store: MemoryStore
        private let url: KeyedDigest.Value
        let head: StoredHead
        /// Nil if the response is not stored.
        private let buffer: Guarded<BodyBuffer?>

        init(_ store: MemoryStore, _ url: KeyedDigest.Value, _ head: StoredHead) {
            (self.store, self.url, self.head) = (store, url, head)
            buffer = Guarded(head.size > store.limit ? nil : BodyBuffer(expected: 0))
        }

        deinit { abandon() }

        func append(_ bytes: UnsafeRawBufferPointer) {
            // All bodies on their way together have no more memory than what is stored.
            let hasRoom = store.arriving.withLock { [limit = store.limit] arriving in
                arriving += bytes.count
                return arriving <= limit
            }
            let (isKept, dropped) = buffer.withLock { [room = store.limit - head.size] kept -> (Bool, BodyBuffer?) in
                guard let buffer = kept else { return (false, nil) }
                if hasRoom, bytes.count <= room - buffer.count, buffer.append(bytes) { return (true, nil) }
                return (false, kept.take())
            }
            if !isKept { store.release(bytes.count + (dropped?.count ?? 0)) }
        }

        func finish(
            replacing replaces: @escaping @Sendable (StoredHead) -> Bool, until stop: OneShot
        ) async -> String? {
            guard let buffer = buffer.withLock({ $0.take() }) else { return "" }
            store.release(buffer.count)
            let response = StoredResponse(head, .memory(buffer.finish()))
            store.index.letGo { $0.add(response, response.bytes, url) { replaces($0.head) } }
            return nil
        }

        func abandon() {
            let dropped = buffer.withLock { $0.take() }
            store.release(dropped?.count ?? 0)
        }
    }

    private func release(_ bytes: Int) { arriving.withLock { $0 -= bytes } }
}

extension StoredHead {
    /// The memory of the head, about.
    var size: Int {
        fields.reduce(256) { $0 + $1.name.utf8.count + $1.value.utf8.count + 48 }
            + variant.names.reduce(0) { $0 + $1.utf8.count + 32 }
    }
}

extension StoredResponse {
    /// The memory of the response, about.
    var bytes: Int { if case .memory(let body) = body { head.size + body.count } else { head.size } }
}
