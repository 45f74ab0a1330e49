import PatchbayCodings
import PatchbayPlatform
import PatchbayRegistry

/// One exchange of a call through a cache: the answer is a stored response, or that of the server, or both, if the server
/// says that the stored response is still good.
struct CachedExchange {
    let exchange: Exchange
    let cache: ResponseCache
    /// The head with the cookies of the jar.
    let head: RequestHead
    let body: SentBody?
    let rule: SerializerRegistry.Policy.CacheRule
    let asked: CacheRequest

    private var call: Call { exchange.call }
    private var stop: OneShot { exchange.stop }

    init(_ exchange: Exchange, through cache: ResponseCache, _ head: RequestHead, _ body: SentBody?) async {
        (self.exchange, self.cache, self.head, self.body) = (exchange, cache, head, body)
        let outgoing = exchange.outgoing
        rule = exchange.call.registry.policy(for: outgoing.host, at: outgoing.url).cache
        asked = CacheRequest(
            head, outgoing.credentialFields, setsCoding: outgoing.fields["Accept-Encoding"] != nil,
            over: exchange.call.manager.connections.connection(to: outgoing.host).settings,
            await cache.store.digest(until: exchange.stop))
    }

    /// Gives the exchange its response. One pass of the loop for each request of another call that this one waited for.
    func perform() async throws(TransportFailure) -> ExchangeTimings {
        let onlyIfCached = asked.directives.has("only-if-cached") && head.method == "GET"
        guard rule != .off, !isBypassed else {
            // A part, or an answer with a condition, is not in the cache either.
            guard !onlyIfCached else { throw .notCached }
            return try await forward(CacheStatus(forward: .bypass))
        }
        guard head.method == "GET" || head.method == "HEAD" else { return try await invalidate() }
        guard !asked.directives.has("no-store") else { return try await forward(CacheStatus(forward: .request)) }
        var (joins, isCollapsed) = (canJoin, false)
        while true {
            let (stored, hasOthers) = await cache.store.response(
                asked.url, where: { [asked] in asked.selects($0) }, until: stop)
            let now = cache.now()
            if let stored, let left = stored.timeToLive(for: asked.directives, rule, now) {
                cache.store.use(stored, asked.url)
                let status = CacheStatus(
                    forward: isCollapsed ? .miss : nil, isCollapsed: isCollapsed, timeToLive: left)
                return try await deliver(stored, stored.head.aged(now), sent: [:], status)
            }
            guard !onlyIfCached else { throw .notCached }
            let reason: CacheStatus.Forward =
                if let stored {
                    stored.timeToLive(for: CacheDirectives([:]), rule, now) == nil ? .stale : .request
                } else {
                    hasOthers ? .varyMiss : .miss
                }
            var flight: Flight?
            guard joins, let other = cache.join(asked.key, began: &flight) else {
                defer { if let flight { cache.end(flight, asked.key, call.task.isCancelled ? .cancelled : .failed) } }
                return try await fetch(CacheStatus(forward: reason), validating: stored, flight)
            }
            let end = try await wait(for: other)
            (joins, isCollapsed) = (end == .cancelled, end == .stored)
        }
    }

    /// Whether the caller does what a cache would do, or asks for a part.
    private var isBypassed: Bool {
        exchange.call.stream?.reconnection != nil
            || ["Range", "If-None-Match", "If-Modified-Since", "If-Match", "If-Unmodified-Since", "If-Range"]
                .contains { head.fields[$0] != nil }
    }

    /// Whether the request can wait for an equal one. Others don't wait for a call that its user can suspend, or whose
    /// elements are read one by one.
    private var canJoin: Bool {
        head.method == "GET" && call.file == nil && call.stream == nil && !call.task.pausesBodies
            && !asked.directives.has("no-cache")
    }

    // MARK: The server

    private func send(
        _ head: RequestHead, _ receiver: some TimedReceiver
    ) async throws(TransportFailure) -> ExchangeTimings {
        let (request, transport) = (call.request(exchange, head, body), call.manager.transport)
        return transport.endsWhenStopped
            ? try await transport.perform(request, for: receiver) : try await call.transfer(request, receiver)
    }

    /// Sends a request whose answer is not stored.
    private func forward(_ status: CacheStatus) async throws(TransportFailure) -> ExchangeTimings {
        var timings = try await send(head, exchange)
        note(status, in: &timings)
        return timings
    }

    /// Sends a request that can change what is stored (RFC 9111, section 4.4).
    private func invalidate() async throws(TransportFailure) -> ExchangeTimings {
        let receiver = CacheReceiver(exchange)
        var timings = try await send(head, receiver)
        let isSafe = ["OPTIONS", "TRACE"].contains(head.method)
        if !isSafe, let response = receiver.response, (200..<400).contains(response.status) {
            await remove(asked.url)
            for name in ["Location", "Content-Location"] {
                guard let other = response.fields[name].flatMap({ URL(string: $0, relativeTo: head.url)?.absoluteURL }),
                    other.hasOrigin(of: head.url)
                else { continue }
                await remove(asked.digest.url(other))
            }
        }
        note(CacheStatus(forward: .method), in: &timings)
        return timings
    }

    private func remove(_ url: KeyedDigest.Value) async {
        cache.change(url)
        await cache.store.remove(url, until: stop)
    }

    /// Asks the server, and stores its answer if that is allowed.
    /// - Parameter stored: the response that is used again if the server says so, or if it can't answer.
    private func fetch(
        _ status: CacheStatus, validating stored: StoredResponse?, _ flight: Flight?
    ) async throws(TransportFailure) -> ExchangeTimings {
        var (status, conditional) = (status, head)
        let canValidate = head.method == "GET" && stored?.head.isValidatable == true
        if canValidate { stored?.head.addConditions(to: &conditional.fields) }
        let (sent, changes) = (cache.now(), cache.changes)
        let stale = stored.flatMap { $0.isOfUse(rule, sent) ? $0 : nil }
        let receiver = CacheReceiver(exchange, validates: canValidate, hasStale: stale != nil, flight) {
            status, fields in
            guard asked.method == "GET", let head = storedHead(status, fields, sent) else {
                if let flight { cache.end(flight, asked.key, .unstored) }
                return nil
            }
            return cache.store.writer(asked.url, head)
        }
        var timings = ExchangeTimings()
        do throws(TransportFailure) {
            timings = try await send(conditional, receiver)
        } catch {
            receiver.writer?.abandon()
            let isOfServer = ![.stopped, .unsupportedRequest, .unlistedHost].contains(error.code)
            guard let stale, receiver.isRefused || isOfServer && receiver.response == nil else { throw error }
            return try await deliver(stale, stale.head.aged(cache.now()), sent: [:], status)
        }
        if receiver.isRefused, let stale {
            return try await deliver(stale, stale.head.aged(cache.now()), sent: [:], status, timings)
        }
        if let fields = receiver.validation, let stored {
            guard stored.head.isMeant(by: fields) else { return try await fetch(status, validating: nil, flight) }
            let merged = stored.head.fields(validatedBy: fields)
            let head = cache.isChanged(asked.url, since: changes) ? nil : storedHead(stored.head.status, merged, sent)
            if let head {
                await cache.store.update(stored, asked.url, to: head, until: stop)
                if let flight { cache.end(flight, asked.key, .stored) }
                status.timeToLive = timeToLive(head)
            } else {
                await cache.store.remove(asked.url, until: stop)
            }
            (status.isValidated, status.isStored) = (true, head != nil)
            return try await deliver(stored, merged, sent: fields, status, timings)
        }
        if head.method == "HEAD", let stored, let response = receiver.response {
            await freshen(stored, response.status, response.fields, sent)
        }
        if let writer = receiver.writer {
            guard !cache.isChanged(asked.url, since: changes) else {
                writer.abandon()
                note(status, in: &timings)
                return timings
            }
            let reason = await writer.finish(replacing: { [asked] in asked.selects($0) }, until: stop)
            status.isStored = reason == nil
            if reason == nil { status.timeToLive = timeToLive(writer.head) }
            if let flight { cache.end(flight, asked.key, reason == nil ? .stored : .unstored) }
            if let reason, !reason.isEmpty { call.task.post(.noted("the response is not stored: \(reason)")) }
        }
        note(status, in: &timings)
        return timings
    }

    private func timeToLive(_ head: StoredHead) -> Int { head.freshness.lifetime(rule) - head.age(cache.now()) }

    private func storedHead(_ status: Int, _ fields: HeaderFields, _ sent: Double) -> StoredHead? {
        StoredHead(status, fields, to: asked, rule, sent: sent, received: cache.now())
    }

    /// A response to HEAD says whether the stored response to GET is still good (RFC 9111, section 4.3.5).
    private func freshen(_ stored: StoredResponse, _ status: Int, _ fields: HeaderFields, _ sent: Double) async {
        guard status == 200 else { return }
        // The length of coded content can be another one for another request.
        let lengths = [fields, stored.head.fields].filter { !$0.hasContentCoding }.compactMap { $0["Content-Length"] }
        let isSame = stored.head.isMeant(by: fields) && (lengths.count < 2 || lengths[0] == lengths[1])
        guard isSame, let head = storedHead(stored.head.status, stored.head.fields(validatedBy: fields), sent) else {
            return await cache.store.remove(asked.url, until: stop)
        }
        await cache.store.update(stored, asked.url, to: head, until: stop)
    }

    // MARK: The stored response

    /// Gives the exchange a stored response.
    /// - Parameter sent: the fields of the server's answer to the condition of the cache; empty if it wasn't asked.
    private func deliver(
        _ stored: StoredResponse, _ fields: HeaderFields, sent: HeaderFields, _ status: CacheStatus,
        _ timings: ExchangeTimings = ExchangeTimings()
    ) async throws(TransportFailure) -> ExchangeTimings {
        var timings = timings
        try await offer { exchange.receive(status: stored.head.status, fields: fields, sent: sent) }
        if ResponseHead.canHaveBody(stored.head.status, to: head.method) {
            switch stored.body {
            case .memory(let body):
                for start in stride(from: 0, to: body.count, by: BodyPipe<SessionError>.pieceSize) {
                    try await offer {
                        body.withUnsafeBytes { bytes in
                            let rest = bytes[start...].prefix(BodyPipe<SessionError>.pieceSize)
                            return exchange.receive(UnsafeRawBufferPointer(rebasing: rest))
                        }
                    }
                }
            case .file(let body):
                var number = 0
                while let block = try await body.block(number, until: stop) {
                    try await offer { block.withUnsafeBytes { exchange.receive($0) } }
                    number += 1
                }
            }
        }
        note(status, in: &timings)
        return timings
    }

    /// Offers a head or a piece of a body until the exchange takes it.
    private func offer(_ piece: () -> TransportFlow) async throws(TransportFailure) {
        while true {
            guard !stop.hasFired else { throw .stoppedCacheHit }
            switch piece() {
            case .proceed: return
            case .wait(let signal): await signal.fired(unless: stop)
            case .stop: throw .stoppedCacheHit
            }
        }
    }

    private func note(_ status: CacheStatus, in timings: inout ExchangeTimings) {
        timings.cacheStatus = status
        call.task.post(.cache(status))
    }

    // MARK: Equal requests at once

    /// Waits for the answer to the request of another call, as long as its bytes move.
    private func wait(for flight: Flight) async throws(TransportFailure) -> Flight.End {
        let idle = call.task.request.idleTimeout ?? call.manager.configuration.idleTimeout ?? .seconds(60)
        while true {
            let woken = OneShot()
            let listeners = [flight.landed.listen { woken.fire() }, stop.listen { woken.fire() }]
            let timer = Task {
                try? await Task.sleep(forGiven: idle / 2)
                woken.fire()
            }
            await woken.fired()
            timer.cancel()
            for listener in listeners { listener.remove() }
            if stop.hasFired { throw .stoppedCacheHit }
            if let end = flight.end { return end }
            // A request without an answer must not take more than half of the time of this one.
            guard flight.moved + idle / 2 > .now else { return .failed }
            exchange.moved()
        }
    }
}

extension TransportFailure {
    fileprivate static let stoppedCacheHit = TransportFailure(.stopped, "the exchange was stopped")
    fileprivate static let notCached = TransportFailure(
        .notCached, "the request is only-if-cached, and the cache has no answer that it may use")
}

extension URL {
    /// Whether scheme, host and port are those of another URL.
    fileprivate func hasOrigin(of other: URL) -> Bool {
        guard let host = CanonicalHost(url: self), scheme?.lowercased() == other.scheme?.lowercased() else {
            return false
        }
        return host == CanonicalHost(url: other)
    }
}
