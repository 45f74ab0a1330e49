import PatchbayPlatform
import PatchbayRegistry

/// Keeps stored responses in memory or in a folder.
protocol ResponseStore: Sendable, CustomStringConvertible, CustomReflectable {
    /// The key of all digests of this store.
    /// - Parameter stop: fires when the call has ended, which then doesn't wait for a disk.
    func digest(until stop: OneShot) async -> KeyedDigest

    /// The newest stored response of a URL with a head that is selected. `hasOthers` says why there is none: there are
    /// others. The response counts as used now.
    func response(
        _ url: KeyedDigest.Value, where selects: @escaping @Sendable (StoredHead) -> Bool, until stop: OneShot
    ) async -> (selected: StoredResponse?, hasOthers: Bool)

    /// The most bytes to keep.
    var limit: Int { get }

    func writer(_ url: KeyedDigest.Value, _ head: StoredHead) -> any ResponseWriter

    /// Gives a stored response a new head.
    /// - Returns: whether it is stored with it. It can have gone, or the head can be too large for its place.
    func update(
        _ response: StoredResponse, _ url: KeyedDigest.Value, to head: StoredHead, until stop: OneShot
    ) async -> Bool

    func remove(_ url: KeyedDigest.Value, until stop: OneShot) async

    func clear() async
}

extension ResponseStore {
    /// Without the path of a folder.
    var customMirror: Mirror { Mirror(described: self) }
}

/// The body of one response on its way into a store. The callbacks of a transport call `append`, one at a time; then the
/// task of the call ends it, once.
protocol ResponseWriter: Sendable {
    var head: StoredHead { get }

    /// Copies the bytes. Never waits: what can't be taken is not stored.
    func append(_ bytes: UnsafeRawBufferPointer)

    /// Stores the whole response.
    /// - Parameter replaces: whether the new response takes the place of a stored one.
    /// - Returns: nil if it is stored; else the reason that it is not, as a clause, empty for a reason that needs no words.
    func finish(replacing replaces: @escaping @Sendable (StoredHead) -> Bool, until stop: OneShot) async -> String?

    func abandon()
}

final class StoredResponse: Sendable {
    enum Body: Sendable {
        case memory(ResponseBody)
        case file(StoredFileBody)
    }

    let head: StoredHead
    let freshness: Freshness
    let body: Body

    init(_ head: StoredHead, _ body: Body) { (self.head, self.body, freshness) = (head, body, head.freshness) }

    /// For how many seconds the response can answer a request as it is; nil if the server has to be asked. A clock that
    /// was set back says nothing about the age.
    func timeToLive(for request: CacheDirectives, _ rule: SerializerRegistry.Policy.CacheRule, _ now: Double) -> Int? {
        guard now >= head.received else { return nil }
        return freshness.timeToLive(at: head.age(now), for: request, rule)
    }

    /// Whether the response can answer a request because the server can't.
    func isOfUse(for request: CacheDirectives, _ rule: SerializerRegistry.Policy.CacheRule, _ now: Double) -> Bool {
        guard !request.has("no-cache"), !request.has("max-age"), !request.has("min-fresh") else { return false }
        return now >= head.received && freshness.isOfUse(at: head.age(now), rule)
    }
}

/// The stored responses of all URLs, by the time of their last use. Not safe to use from several threads at once.
struct CacheIndex<Item: Sendable>: Sendable {
    private struct Entry: Sendable {
        var item: Item
        var bytes: Int
        var use: UInt64
    }

    /// The most variants of one URL: a server can name a field in Vary that is different each time.
    static var mostVariants: Int { 64 }

    private var entries: [KeyedDigest.Value: [Entry]] = [:]
    private var uses: UInt64 = 0
    let limit: Int
    private(set) var bytes = 0

    init(limit: Int) { self.limit = limit }

    /// The items of a URL, the newest first.
    func items(_ url: KeyedDigest.Value) -> [Item] { entries[url]?.map(\.item) ?? [] }

    mutating func use(_ url: KeyedDigest.Value, _ isUsed: (Item) -> Bool) {
        guard let index = entries[url]?.firstIndex(where: { isUsed($0.item) }) else { return }
        uses += 1
        entries[url]?[index].use = uses
    }

    /// Adds an item, and removes others until all fit.
    /// - Parameter isReplaced: whether the item takes the place of another of the URL.
    /// - Returns: the removed items.
    mutating func add(
        _ item: Item, _ bytes: Int, _ url: KeyedDigest.Value, replacing isReplaced: (Item) -> Bool
    ) -> [Item] {
        var removed = remove(url, where: isReplaced)
        uses += 1
        entries[url, default: []].insert(Entry(item: item, bytes: bytes, use: uses), at: 0)
        self.bytes += bytes
        if let found = entries[url], found.count > Self.mostVariants,
            let place = found.indices.min(by: { found[$0].use < found[$1].use })
        {
            removed.append(found[place].item)
            self.bytes -= found[place].bytes
            entries[url]?.remove(at: place)
        }
        if self.bytes > limit { removed += shrink() }
        return removed
    }

    mutating func remove(_ url: KeyedDigest.Value, where isRemoved: (Item) -> Bool) -> [Item] {
        guard let found = entries[url] else { return [] }
        let kept = found.filter { !isRemoved($0.item) }
        entries[url] = kept.isEmpty ? nil : kept
        let removed = found.filter { isRemoved($0.item) }
        bytes -= removed.reduce(0) { $0 + $1.bytes }
        return removed.map(\.item)
    }

    /// Removes the items that were used least recently, until a tenth is free. So all are sorted seldom.
    private mutating func shrink() -> [Item] {
        let all = entries.flatMap { url, found in found.map { (url, $0.use, $0.bytes) } }.sorted { $0.1 < $1.1 }
        let target = limit - limit / 10
        var (last, left) = (UInt64(0), bytes)
        // The newest one stays.
        for (_, use, bytes) in all.dropLast() where left > target { (last, left) = (use, left - bytes) }
        var removed: [Item] = []
        for url in Set(all.lazy.filter { $0.1 <= last }.map(\.0)) {
            removed += (entries[url] ?? []).filter { $0.use <= last }.map(\.item)
            entries[url]?.removeAll { $0.use <= last }
            if entries[url]?.isEmpty == true { entries[url] = nil }
        }
        bytes = left
        return removed
    }
}
