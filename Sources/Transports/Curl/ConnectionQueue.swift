import PatchbayManager
import PatchbayRegistry

/// Chooses the next exchange for libcurl. Exchanges without a connection wait in this queue, in the order in which they
/// were started.
///
/// libcurl has a queue of its own, but does not report which exchanges wait in it. When a connection becomes free,
/// libcurl 7.88.1 checks only one or two of the waiting exchanges. If these wait for another host, all other exchanges
/// keep waiting, although a connection is free. The limits of libcurl are set nevertheless, because libcurl closes idle
/// connections to make room for new connections.
///
/// Over HTTP/2, exchanges share connections, and only libcurl knows which exchanges share. So an exchange counts as one
/// connection until libcurl reports its connection. From then on the reported connections are counted, identified by
/// their addresses. If the limit allows no further connection, exchanges that could share a connection are given to
/// libcurl as a try. If they get no connection, they wait in this queue again.
///
/// Used only in turns of the `EventLoop`.
struct ConnectionQueue {
    enum Place {
        case outside
        case waiting
        /// The exchange was given to libcurl, which makes a connection for it or has an idle connection.
        case promised
        /// The exchange was given to libcurl as a try: it is unknown whether libcurl has a connection to share.
        case trying
        case connected(ConnectionID)
    }

    private let most, mostPerHost: Int
    private var hosts: [CanonicalHost: HostConnections] = [:]
    /// The host of the latest exchange.
    private var last: (host: CanonicalHost, connections: HostConnections)?
    /// The number of known hosts above which idle hosts are removed.
    private var mostHosts = 128
    private var waiting: [HostConnections] = []
    private var count = 0
    private var trying: [Transfer] = []
    /// The multi handle for hosts without connections.
    private var multi: MultiHandle
    /// Whether it is possible that a waiting exchange can continue.
    private var mayGoOn = false

    init(_ limits: CurlLimits, on multi: MultiHandle) {
        (most, mostPerHost, self.multi) = (limits.connections, limits.connectionsPerHost, multi)
    }

    /// Whether `takeUntaken` returns no exchange and `next` returns nil.
    var isSettled: Bool { !mayGoOn && trying.isEmpty }

    /// Adds an exchange.
    /// - Returns: whether to give the exchange to libcurl now. If false, the exchange waits.
    mutating func enter(_ transfer: Transfer) -> Bool {
        let host = connections(to: transfer.request.url.host)
        transfer.connections = host
        let oldMost = host.most
        host.most = limit(for: transfer)
        if !host.hasWaiting, !mayGoOn, count < most, host.hasRoom, !host.isHeld(transfer) {
            promise(transfer, host)
            return true
        }
        wait(transfer, host)
        // While `mayGoOn` is false, no earlier exchange can continue, unless this one raised the limit of the host: checking
        // each of them for each new one would take too long.
        let canConnect = host.most > oldMost ? host.canConnect : host.hasRoom && !host.isHeld(transfer)
        mayGoOn = mayGoOn || host.allowsTry && transfer.sharesConnections || count < most && canConnect
        return false
    }

    /// The number of connections to its host that an exchange allows.
    func limit(for transfer: Transfer) -> Int {
        transfer.request.connection.connectionsPerHost.map { max($0, 1) } ?? mostPerHost
    }

    /// The reason that an exchange waits, with the setting that allows more connections.
    func reason(_ transfer: Transfer) -> String {
        if count < most, transfer.connections?.hasRoom == true {
            return "the first connection to the host was being made"
        }
        let full = transfer.connections.flatMap { $0.hasRoom ? nil : $0 }
        let (limit, place, setting) =
            full.map { ($0.most, " to the host", "ConnectionSettings.connectionsPerHost") }
            ?? (most, "", "CurlTransport(maximumConnections:)")
        let connections = limit == 1 ? "the one connection\(place) is" : "all \(limit) connections\(place) are"
        return "\(connections) in use; \(setting) allows more"
    }

    /// The next exchange for libcurl; nil if all waiting exchanges must keep waiting.
    mutating func next() -> Transfer? {
        guard mayGoOn else { return nil }
        if count < most,
            let host = waiting.lazy.filter(\.canConnect).min(by: { $0.firstNumber < $1.firstNumber }),
            let transfer = host.takeFirst()
        {
            promise(transfer, host)
            forgetIfDone(host)
            return transfer
        }
        if let host = waiting.first(where: \.canTry), let transfer = host.takeSharing() {
            host.beginTry()
            transfer.place = .trying
            trying.append(transfer)
            forgetIfDone(host)
            return transfer
        }
        mayGoOn = false
        return nil
    }

    /// Called when libcurl has given the exchange a connection: the first, or a replacement for a lost connection.
    mutating func connect(_ transfer: Transfer, _ id: ConnectionID) {
        guard let host = transfer.connections else { return }
        switch transfer.place {
        case .outside, .waiting: return
        case .connected(let last):
            guard last != id else { return }
            if host.leave(last) { count -= 1 }
        case .promised:
            host.endPromise(of: transfer)
            count -= 1
        case .trying: break
        }
        transfer.place = .connected(id)
        if transfer.request.connection.maximumConnectionAge != nil { host.noteBirth(of: id) }
        if host.join(id, by: transfer) {
            count += 1
            // The next exchange shows whether the host shares connections.
            if transfer.sharesConnections { host.encourage(by: 1) }
        } else {
            host.isShared = true
            host.encourage(by: 2)
        }
        mayGoOn = !waiting.isEmpty
    }

    /// Called when a response over HTTP/2 has begun. libcurl 7.88.1 shares the connections of a host if the last
    /// connection that was made, or that received a response, uses HTTP/2. So a try can succeed now, even if earlier
    /// tries failed.
    mutating func noteHTTP2(_ transfer: Transfer) {
        guard let host = transfer.connections else { return }
        if case .connected(let id) = transfer.place { host.noteResponse(on: id, in: transfer.loop.turns) }
        (host.isShared, host.hasHTTP2) = (true, true)
        host.encourage(by: 1)
        mayGoOn = !waiting.isEmpty
    }

    /// Returns the exchanges whose tries failed. They wait again, and the caller removes them from libcurl.
    mutating func takeUntaken() -> [Transfer] {
        guard !trying.isEmpty else { return [] }
        for transfer in trying { transfer.connections?.isTrying = false }
        let untaken = trying.filter { if case .trying = $0.place { true } else { false } }
        trying.removeAll(keepingCapacity: true)
        for transfer in untaken {
            guard let host = transfer.connections else { continue }
            host.discourage()
            wait(transfer, host)
            // A connection that became free during the tries was offered to no exchange.
            mayGoOn = true
        }
        return untaken
    }

    /// Called when the exchange has ended.
    /// - Parameter isRefused: whether the exchange failed, and was not stopped by this process.
    mutating func leave(_ transfer: Transfer, isRefused: Bool = false) {
        guard let host = transfer.connections else { return }
        switch transfer.place {
        case .outside: break
        case .trying:
            // The turn in which it is over can be the last one for a while.
            host.isTrying = false
            trying.removeAll { $0 === transfer }
        case .waiting:
            host.remove(transfer)
            forgetIfDone(host)
        case .promised:
            host.endPromise(of: transfer)
            count -= 1
            // The waiting exchanges must not wait for one failed connection after another.
            if isRefused, transfer.sharesConnections { host.isShared = false }
        case .connected(let id):
            if host.leave(id) { count -= 1 }
            if transfer.sharesConnections, host.isShared == true { host.encourage(by: 1) }
        }
        (transfer.place, transfer.connections) = (.outside, nil)
        mayGoOn = !waiting.isEmpty
    }

    // MARK: Connections that are not used any more

    /// Whether later exchanges can have these connections, which are those of an exchange.
    func isCurrent(_ host: HostConnections, of transfer: Transfer) -> Bool { hosts[transfer.request.url.host] === host }

    /// Gives the host of an exchange, and new hosts, other connections, which are on `multi`. The waiting exchanges wait
    /// for these. The connections in use no longer count to the limit of the host, but to the limit of all connections.
    mutating func renew(_ old: HostConnections, of transfer: Transfer, on multi: MultiHandle) {
        let name = transfer.request.url.host
        self.multi = multi
        let new = old.renewed(on: multi)
        hosts[name] = new
        if last?.connections === old { last = (name, new) }
        if let index = waiting.firstIndex(where: { $0 === old }) { waiting[index] = new }
        mayGoOn = !waiting.isEmpty
    }

    /// Forgets the idle hosts on other multi handles, which closes their connections. Otherwise each handle could keep as
    /// many idle connections as the limit for all of them allows.
    mutating func forgetIdleHosts(except kept: [MultiHandle]) {
        hosts = hosts.filter { host in !host.value.isIdle || kept.contains { $0 === host.value.multi } }
        if let last, hosts[last.host] == nil { self.last = nil }
    }

    private mutating func promise(_ transfer: Transfer, _ host: HostConnections) {
        transfer.place = .promised
        host.promise(transfer)
        count += 1
    }

    private mutating func wait(_ transfer: Transfer, _ host: HostConnections) {
        transfer.place = .waiting
        if !host.hasWaiting { waiting.append(host) }
        host.insert(transfer)
    }

    private mutating func forgetIfDone(_ host: HostConnections) {
        if !host.hasWaiting { waiting.removeAll { $0 === host } }
    }

    private mutating func connections(to host: CanonicalHost) -> HostConnections {
        // Most exchanges follow another one to the same host, and a comparison costs less than a look-up.
        if let last, last.host == host { return last.connections }
        let known = hosts[host]
        if known == nil, hosts.count >= mostHosts {
            // The latest host stays, so that it has one object at any time.
            hosts = hosts.filter { !$0.value.isIdle || $0.value === last?.connections }
            mostHosts = max(128, 2 * hosts.count)
        }
        let connections = known ?? HostConnections(most: mostPerHost, on: multi)
        if known == nil { hosts[host] = connections }
        last = (host, connections)
        return connections
    }
}
