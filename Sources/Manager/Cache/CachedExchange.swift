import PatchbayCodings
import PatchbayPlatform
import PatchbayRegistry

/// One exchange of a call through a cache: the answer is a stored response, or that of the server, or both, if the server
/// says that the stored response is still good.
struct CachedExchange {
    /// Fields that are no credentials, whoever has set them.
    private static let plainFields = [
        "accept", "accept-encoding", "accept-language", "cache-control", "content-type", "cookie", "host", "user-agent",
    ]
    /// Parts of the names of fields with credentials.
    private static let secretWords = [
        "auth", "token", "session", "secret", "api-key", "apikey", "user", "password", "signature",
    ]

    let exchange: Exchange
    let cache: ResponseCache
    /// The head with the cookies of the jar.
    let head: RequestHead
    let body: SentBody?
    let rule: SerializerRegistry.Policy.CacheRule
    let asked: CacheRequest

    var call: Call { exchange.call }
    var stop: OneShot { exchange.stop }

    init(_ exchange: Exchange, through cache: ResponseCache, _ head: RequestHead, _ body: SentBody?) async {
        (self.exchange, self.cache, self.head, self.body) = (exchange, cache, head, body)
        let outgoing = exchange.outgoing
        rule = exchange.call.registry.policy(for: outgoing.host, at: outgoing.url).cache
        // A field that speaks of a credential is one, and so is what a signer has added.
        let signedNames = head.fields.filter { field in
            guard !Self.plainFields.contains(where: { HeaderFields.matches($0, field.name) }) else { return false }
            let name = FieldByte.lowercased(field.name)
            return outgoing.fields[field.name] != field.value || Self.secretWords.contains { name.contains($0) }
        }.map(\.name)
        asked = CacheRequest(
            head, to: outgoing.host, outgoing.credentialFields + signedNames,
            setsCoding: outgoing.fields["Accept-Encoding"] != nil,
            over: exchange.call.manager.connections.connection(to: outgoing.host).settings,
            await cache.store.digest(until: exchange.stop))
    }

    /// Gives the exchange its response. One pass of the loop for each request of another call that this one waited for.
    func perform() async throws(TransportFailure) -> ExchangeTimings {
        let onlyIfCached = asked.directives.has("only-if-cached")
        let isSafe = head.method == "GET" || head.method == "HEAD"
        let isLookedUp = isSafe && rule != .off && !isBypassed
        // A part, or an answer with a condition, is not in the cache either.
        guard isLookedUp || !onlyIfCached else { throw .notCached }
        guard isSafe else { return try await invalidate() }
        guard isLookedUp else { return try await forward(CacheStatus(forward: .bypass)) }
        guard !asked.directives.has("no-store") else { return try await forward(CacheStatus(forward: .request)) }
        var (joins, isCollapsed) = (canJoin, false)
        while true {
            let (stored, hasOthers) = await cache.store.response(
                asked.url, where: { [asked] in asked.selects($0) }, until: stop)
            let now = cache.now()
            // A retry wants another answer than the one that was no good.
            if call.task.retries == 0, let stored,
                let left = stored.timeToLive(for: asked.directives, rule, now)
            {
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
                defer { cache.end(flight, asked.key, isOwnEnd ? .cancelled : .failed) }
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

    /// Whether the call has ended for a reason of its own, which says nothing about the server.
    private var isOwnEnd: Bool {
        switch call.timeouts.ended?.base {
        case .cancelled?, .total?, .attempt?: true
        default: call.task.isCancelled
        }
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
        var timings = ExchangeTimings()
        var failure: TransportFailure?
        do throws(TransportFailure) { timings = try await send(head, receiver) } catch { failure = error }
        // What the head says is done, even if its body was not wanted or was cut off.
        let isSafe = ["OPTIONS", "TRACE"].contains(head.method)
        if !isSafe, let response = receiver.response, (200..<400).contains(response.status) {
            await remove(asked.url)
            for name in ["Location", "Content-Location"] {
                guard let other = response.fields[name].flatMap({ URL(string: $0, relativeTo: head.url)?.absoluteURL }),
                    let host = CanonicalHost(url: other), host == exchange.outgoing.host,
                    other.scheme?.lowercased() == head.url.scheme?.lowercased()
                else { continue }
                await remove(asked.digest.url(other, at: host))
            }
        }
        if let failure { throw failure }
        note(CacheStatus(forward: .method), in: &timings)
        return timings
    }

    private func remove(_ url: KeyedDigest.Value) async {
        cache.change(url)
        // Also for a call that has ended.
        await cache.store.remove(url, until: OneShot())
    }

    /// Asks the server, and stores its answer if that is allowed.
    /// - Parameter stored: the response that is used again if the server says so, or if it can't answer.
    private func fetch(
        _ status: CacheStatus, validating stored: StoredResponse?, _ flight: Flight?
    ) async throws(TransportFailure) -> ExchangeTimings {
        var (status, conditional) = (status, head)
        if head.method == "GET", let stored { conditional.fields.addConditions(of: stored.head.fields) }
        let canValidate = conditional.fields.count > head.fields.count
        let (sent, changes) = (cache.now(), cache.changes)
        let stale = stored.flatMap { $0.isOfUse(for: asked.directives, rule, sent) ? $0 : nil }
        let receiver = CacheReceiver(exchange, validates: canValidate, hasStale: stale != nil, flight) {
            status, fields in
            guard asked.method == "GET" else { return nil }
            do throws(Refusal) {
                let head = try storedHead(status, fields, sent)
                let length = fields.hasContentCoding ? nil : fields.announcedLength
                guard length ?? 0 <= cache.store.limit else { throw Refusal("too large") }
                return .success(cache.store.writer(asked.url, head))
            } catch {
                cache.end(flight, asked.key, .unstored)
                return .failure(error)
            }
        }
        var timings = ExchangeTimings()
        do throws(TransportFailure) {
            timings = try await send(conditional, receiver)
        } catch {
            receiver.writer?.abandon()
            let isOfServer = ![.stopped, .unsupportedRequest, .unlistedHost].contains(error.code)
            guard let stale, receiver.isRefused || isOfServer && receiver.response == nil else { throw error }
            status.timeToLive = timeToLive(stale.head)
            status.detail = "stale-if-error"
            return try await deliver(stale, stale.head.aged(cache.now()), sent: [:], status)
        }
        if let fields = receiver.validation, let stored {
            guard stored.head.isMeant(by: fields) else { return try await fetch(status, validating: nil, flight) }
            let merged = stored.head.fields(validatedBy: fields)
            let head =
                cache.isChanged(asked.url, since: changes)
                ? nil : try? storedHead(stored.head.status, merged, sent)
            status.isValidated = true
            if let head {
                status.isStored = await cache.store.update(stored, asked.url, to: head, until: stop)
                if status.isStored { status.timeToLive = timeToLive(head) }
            } else {
                await cache.store.remove(asked.url, until: stop)
            }
            cache.end(flight, asked.key, status.isStored ? .stored : .unstored)
            return try await deliver(stored, merged, sent: fields, status, timings)
        }
        if head.method == "HEAD", let stored, let response = receiver.response,
            !cache.isChanged(asked.url, since: changes)
        {
            await freshen(stored, response.status, response.fields, sent)
        }
        if let writer = receiver.writer {
            guard !cache.isChanged(asked.url, since: changes) else {
                writer.abandon()
                note(status, in: &timings)
                return timings
            }
            var reason = await writer.finish(replacing: { [asked] in asked.selects($0) }, until: stop)
            // The change can have come while the file got its name.
            if reason == nil, cache.isChanged(asked.url, since: changes) {
                await cache.store.remove(asked.url, until: OneShot())
                reason = "the URL was changed meanwhile"
            }
            status.isStored = reason == nil
            if reason == nil { status.timeToLive = timeToLive(writer.head) }
            cache.end(flight, asked.key, reason == nil ? .stored : .unstored)
            if let reason { status.detail = reason.isEmpty ? "too large" : reason }
            if let reason, !reason.isEmpty { call.task.post(.noted("the response is not stored: \(reason)")) }
        }
        if let refusal = receiver.refusal { status.detail = refusal }
        // The server has another answer now, which is not stored.
        if stored != nil, !status.isStored, head.method == "GET", let response = receiver.response,
            response.status < 500
        {
            await cache.store.remove(asked.url, until: stop)
        }
        note(status, in: &timings)
        return timings
    }

    private func timeToLive(_ head: StoredHead) -> Int {
        let freshness = head.freshness
        return freshness.mustValidate ? 0 : freshness.lifetime(rule) - head.age(cache.now())
    }

    private func storedHead(_ status: Int, _ fields: HeaderFields, _ sent: Double) throws(Refusal) -> StoredHead {
        try StoredHead(status, fields, to: asked, rule, sent: sent, received: cache.now())
    }

    /// A response to HEAD says whether the stored response to GET is still good (RFC 9111, section 4.3.5).
    private func freshen(_ stored: StoredResponse, _ status: Int, _ fields: HeaderFields, _ sent: Double) async {
        guard status == 200 else { return }
        // The length of coded content can be another one for another request.
        let lengths = [fields, stored.head.fields].filter { !$0.hasContentCoding }.compactMap { $0["Content-Length"] }
        let isSame = stored.head.isMeant(by: fields) && (lengths.count < 2 || lengths[0] == lengths[1])
        guard isSame, let head = try? storedHead(stored.head.status, stored.head.fields(validatedBy: fields), sent)
        else {
            return await cache.store.remove(asked.url, until: stop)
        }
        _ = await cache.store.update(stored, asked.url, to: head, until: stop)
    }
}
