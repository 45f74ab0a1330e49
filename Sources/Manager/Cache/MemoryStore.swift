import PatchbayPlatform
import PatchbayRegistry

/// Stored responses in memory.
final class MemoryStore: ResponseStore {
    private let digest = KeyedDigest()
    private let limit: Int
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
        return (all.first { selects($0.head) }, !all.isEmpty)
    }

    func use(_ response: StoredResponse, _ url: KeyedDigest.Value) {
        index.withLock { $0.use(url) { $0 === response } }
    }

    func writer(_ url: KeyedDigest.Value, _ head: StoredHead) -> any ResponseWriter {
        Writer(self, url, head, limit: limit)
    }

    func update(_ response: StoredResponse, _ url: KeyedDigest.Value, to head: StoredHead, until stop: OneShot) async {
        add(StoredResponse(head, response.body), url) { $0 === response }
    }

    func remove(_ url: KeyedDigest.Value, until stop: OneShot) async {
        index.letGo { $0.remove(url) { _ in true } }
    }

    func clear() async { index.replace(by: CacheIndex(limit: limit)) }

    private func add(
        _ response: StoredResponse, _ url: KeyedDigest.Value, replacing isReplaced: (StoredResponse) -> Bool
    ) {
        let bytes = response.bytes
        index.letGo { $0.add(response, bytes, url, replacing: isReplaced) }
    }

    var description: String { "memory, at most \(ByteCount(limit))" }

    private final class Writer: ResponseWriter {
        private let store: MemoryStore
        private let url: KeyedDigest.Value
        let head: StoredHead
        private let limit: Int
        /// Nil if the response is not stored.
        private let buffer: Guarded<BodyBuffer?>

        init(_ store: MemoryStore, _ url: KeyedDigest.Value, _ head: StoredHead, limit: Int) {
            (self.store, self.url, self.head) = (store, url, head)
            self.limit = limit - head.size
            buffer = Guarded(self.limit < 0 ? nil : BodyBuffer(expected: 0))
        }

        func append(_ bytes: UnsafeRawBufferPointer) {
            buffer.letGo { [limit] kept -> BodyBuffer? in
                guard let buffer = kept, bytes.count > limit - buffer.count || !buffer.append(bytes) else { return nil }
                return kept.take()
            }
        }

        func finish(
            replacing replaces: @escaping @Sendable (StoredHead) -> Bool, until stop: OneShot
        ) async -> String? {
            guard let body = buffer.withLock({ $0.take() })?.finish() else { return "" }
            store.add(StoredResponse(head, .memory(body)), url) { replaces($0.head) }
            return nil
        }

        func abandon() { buffer.replace(by: nil) }
    }
}

extension StoredHead {
    /// The memory of the head, about.
    var size: Int { fields.reduce(256) { $0 + $1.name.utf8.count + $1.value.utf8.count + 48 } }
}

extension StoredResponse {
    var bytes: Int {
        switch body {
        case .memory(let body): head.size + body.count
        case .file(let body): head.size + body.count
        }
    }
}
