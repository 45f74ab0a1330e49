// Stored responses (RFC 9111, as a private cache), between the attempt and the transport. `CachedExchange.perform` shows
// the path of a request. StoredHead decides what may be stored, and for how long it is fresh.
// The two stores keep the answers: MemoryStore and FolderStore.

public import PatchbayPlatform
import PatchbayRegistry

/// Keeps responses, so that what is fresh is not asked for again, and what is stale is asked for on the condition that it
/// has changed (RFC 9111, as a private cache).
///
///     var configuration = SessionConfiguration()
///     configuration.cache = .memory(bytes: 32 << 20)
///
/// Managers with the same cache share its responses, except that a response to a request with credentials answers only
/// requests with the same `SessionConfiguration.credentialFields`. The content is kept as bytes after content decoding:
/// each answer is read by the entry that is in force when it is used. `policy.cache` of the manifest limits or switches
/// off the cache for a host. See `Reply.cacheStatus` for what happened to a request.
public final class ResponseCache: Sendable {
    /// What is known about the requests for one URL.
    private struct State {
        var flights: [Flight.Key: Flight] = [:]
        /// The requests whose last response could not be stored, to the number of `mostUnstorable`.
        var unstorable: Set<Flight.Key> = []
        /// The number of changes by unsafe requests, and the URLs of the last ones.
        var changes = 0
        var changed = Queue<KeyedDigest.Value>()
    }

    private static let mostChanged = 64
    private static let mostUnstorable = 4_096

    let store: any ResponseStore
    /// The seconds since 1970; tests replace it.
    let now: @Sendable () -> Double
    private let state = Guarded(State())

    init(_ store: any ResponseStore, now: @escaping @Sendable () -> Double = { Date().timeIntervalSince1970 }) {
        self.store = store
        self.now = now
    }

    /// A cache in memory, which ends with the process.
    /// - Parameter bytes: the most bytes to keep, heads and bodies together. The responses that were used least recently
    ///   go first. A larger response is not stored.
    public static func memory(bytes: Int) -> ResponseCache { ResponseCache(MemoryStore(limit: bytes)) }

    /// A cache in a folder, which several managers and processes can use at the same time. The folder is made if it is
    /// missing, and nothing else should be in it: files of others stay, and their bytes don't count.
    ///
    /// If the folder or its disk can't be used, requests are sent as without a cache.
    /// - Parameters:
    ///   - folder: the URL of a folder. It is opened when the first request is sent.
    ///   - bytes: the most bytes to keep. The responses that were used least recently go first. A larger response is not
    ///     stored.
    public static func folder(_ folder: URL, bytes: Int) -> ResponseCache {
        ResponseCache(FolderStore(folder, limit: bytes))
    }

    /// Removes every stored response.
    public func clear() async {
        changeAll()
        await store.clear()
        changeAll()
    }

    /// Called when nothing stored counts any more, and no answer to an earlier request.
    private func changeAll() {
        state.withLock { state in
            (state.flights, state.changed) = ([:], Queue())
            state.changes += Self.mostChanged + 1
        }
    }

    // MARK: Equal requests at once

    /// Joins the request of another call that is on its way, or begins one that others can join.
    /// - Returns: the request to wait for; nil if this call sends its own, with `began` set if others can join it.
    func join(_ key: Flight.Key, began: inout Flight?) -> Flight? {
        let flight = Flight()
        let (other, isOwn) = state.withLock { state -> (Flight?, Bool) in
            if let other = state.flights[key] { return (other, false) }
            guard !state.unstorable.contains(key) else { return (nil, false) }
            state.flights[key] = flight
            return (nil, true)
        }
        if isOwn { began = flight }
        return other
    }

    /// Called when a request has changed what is at a URL: nobody waits any more for an earlier request, whose answer can be
    /// older than the change.
    func change(_ url: KeyedDigest.Value) {
        state.withLock { state in
            for key in state.flights.keys where key.url == url { state.flights[key] = nil }
            state.changes += 1
            state.changed.append(url)
            if state.changed.count > Self.mostChanged { _ = state.changed.popFirst() }
        }
    }

    /// The number of changes so far.
    var changes: Int { state.withLock(\.changes) }

    /// Whether a URL was changed after there were so many changes. If there were very many since, it counts as changed.
    func isChanged(_ url: KeyedDigest.Value, since count: Int) -> Bool {
        state.withLock { state in
            let new = state.changes - count
            return new > state.changed.count || state.changed.suffix(new).contains(url)
        }
    }

    /// Called when the answer of a request is stored, or when it is known that it will not be. Only the first call counts.
    /// - Parameter flight: the request that others wait for; nil if none does.
    func end(_ flight: Flight?, _ key: Flight.Key, _ end: Flight.End) {
        state.withLock { state in
            if let flight, state.flights[key] === flight { state.flights[key] = nil }
            switch end {
            case .stored: state.unstorable.remove(key)
            case .unstored:
                if state.unstorable.count >= Self.mostUnstorable { state.unstorable.removeAll() }
                state.unstorable.insert(key)
            case .failed, .cancelled: break
            }
        }
        flight?.land(end)
    }
}

/// A request on its way that equal requests wait for.
final class Flight: Sendable {
    /// Requests are equal if their URL, their credentials and their Accept are.
    struct Key: Hashable, Sendable {
        let url: KeyedDigest.Value
        let identity: UInt64
    }

    enum End: Sendable {
        case stored
        /// The answer may not be stored.
        case unstored
        case failed
        /// The call of the request was cancelled, which says nothing about the answer.
        case cancelled
    }

    private struct State {
        var end: End?
        var moved = Moment.now
    }

    let landed = OneShot()
    private let state = Guarded(State())

    var end: End? { state.withLock(\.end) }

    /// The time at which the last byte of the answer arrived.
    var moved: Moment { state.withLock(\.moved) }

    func move() {
        let now = Moment.now
        state.withLock { $0.moved = now }
    }

    func land(_ end: End) {
        state.withLock { $0.end = $0.end ?? end }
        landed.fire()
    }
}

extension ResponseCache: CustomStringConvertible {
    /// The kind of the cache and its limit.
    public var description: String { store.description }
}
