import PatchbayManager
import PatchbayRegistry

/// Which exchange is given to libcurl next: each is to have a connection, and those that have none wait here, the first first.
///
/// libcurl has such a queue, too. But it does not say who is in it; and where a connection comes free, 7.88.1 asks one or two of it,
/// and those behind wait on beside a free connection if the two wait for another host. Its limits are set all the same: it closes
/// idle connections for new ones.
///
/// Over HTTP/2 exchanges share connections, and libcurl alone knows which. So an exchange counts as one connection until it has one,
/// and then the connections count, told apart by their addresses. Where there is no room for one more, exchanges that could share
/// one are given to libcurl to try: those that have none after it has acted come back.
///
/// Touched in turns alone.
struct ConnectionQueue {
    enum Place {
        case outside
        case waiting
        /// Given to libcurl, which is to make a connection for it, or has an idle one.
        case promised
        /// Given to libcurl, which may have a connection that it can share.
        case trying
        case connected(ConnectionID)
    }

    private let most, mostPerHost: Int
    private var hosts: [CanonicalHost: HostConnections] = [:]
    /// How many hosts may be known before those that have nothing to do are forgotten.
    private var mostHosts = 128
    /// Those with exchanges that wait.
    private var waiting: [HostConnections] = []
    private var count = 0
    private var trying: [Transfer] = []
    /// Whether somebody who waits may be able to go on.
    private var mayGoOn = false

    init(_ limits: CurlLimits) { (most, mostPerHost) = (limits.connections, limits.connectionsPerHost) }

    /// Whether `takeUntaken` and `next` have nothing to say.
    var isSettled: Bool { !mayGoOn && trying.isEmpty }

    /// Takes an exchange in.
    /// - Returns: whether it may be given to libcurl now; otherwise it waits.
    mutating func enter(_ transfer: Transfer) -> Bool {
        let host = connections(to: transfer.request.url.host)
        transfer.connections = host
        host.most = limit(for: transfer)
        if !host.hasWaiting, !mayGoOn, count < most, host.hasRoom {
            promise(transfer, host)
            return true
        }
        wait(transfer, host)
        // There is room where the exchange has raised the limit of the host.
        mayGoOn = mayGoOn || host.tries > 0 || count < most && host.hasRoom
        return false
    }

    /// How many connections to its host an exchange allows.
    func limit(for transfer: Transfer) -> Int {
        transfer.request.connection.connectionsPerHost.map { max($0, 1) } ?? mostPerHost
    }

    /// Why an exchange waits, and what allows more.
    func reason(_ transfer: Transfer) -> String {
        let full = transfer.connections.flatMap { $0.hasRoom ? nil : $0 }
        let (limit, place, setting) =
            full.map { ($0.most, " to the host", "ConnectionSettings.connectionsPerHost") }
            ?? (most, "", "CurlTransport(maximumConnections:)")
        let connections = limit == 1 ? "the one connection\(place) is" : "all \(limit) connections\(place) are"
        return "\(connections) in use; \(setting) allows more"
    }

    /// The next exchange that may be given to libcurl; nil where the rest has to wait.
    mutating func next() -> Transfer? {
        guard mayGoOn else { return nil }
        if count < most,
            let host = waiting.lazy.filter(\.hasRoom).min(by: { $0.firstNumber < $1.firstNumber }),
            let transfer = host.takeFirst()
        {
            promise(transfer, host)
            forgetIfDone(host)
            return transfer
        }
        if let host = waiting.first(where: { $0.tries > 0 && $0.hasSharing }), let transfer = host.takeSharing() {
            host.beginTry()
            transfer.place = .trying
            trying.append(transfer)
            forgetIfDone(host)
            return transfer
        }
        mayGoOn = false
        return nil
    }

    /// Libcurl has given the exchange a connection, for the first time or instead of one that was lost.
    mutating func connect(_ transfer: Transfer, _ id: ConnectionID) {
        guard let host = transfer.connections else { return }
        switch transfer.place {
        case .outside, .waiting: return
        case .connected(let last):
            guard last != id else { return }
            if host.leave(last) { count -= 1 }
        case .promised:
            host.promised -= 1
            count -= 1
        case .trying: break
        }
        transfer.place = .connected(id)
        if host.join(id) {
            count += 1
            // What the host thinks of sharing it the next exchange finds out.
            if transfer.request.wantsHTTP2 { host.encourage(by: 1) }
        } else {
            host.isShared = true
            host.encourage(by: 2)
        }
        mayGoOn = !waiting.isEmpty
    }

    /// A response over HTTP/2 has begun. 7.88.1 shares the connections of a host where the last that was made, or had an answer, was
    /// of this version: what was tried in vain before may succeed now.
    mutating func noteHTTP2(_ transfer: Transfer) {
        guard let host = transfer.connections else { return }
        host.isShared = true
        host.encourage(by: 1)
        mayGoOn = !waiting.isEmpty
    }

    /// Takes back what was tried in vain, to be taken off libcurl; it waits again.
    mutating func takeUntaken() -> [Transfer] {
        guard !trying.isEmpty else { return [] }
        let untaken = trying.filter { if case .trying = $0.place { true } else { false } }
        trying.removeAll(keepingCapacity: true)
        for transfer in untaken {
            guard let host = transfer.connections else { continue }
            host.discourage()
            wait(transfer, host)
            // Whatever came free while these tried was offered to nobody.
            mayGoOn = true
        }
        return untaken
    }

    mutating func leave(_ transfer: Transfer) {
        guard let host = transfer.connections else { return }
        switch transfer.place {
        case .outside, .trying: break
        case .waiting:
            host.remove(transfer)
            forgetIfDone(host)
        case .promised:
            host.promised -= 1
            count -= 1
        case .connected(let id):
            if host.leave(id) { count -= 1 }
            if transfer.request.wantsHTTP2, host.isShared == true { host.encourage(by: 1) }
        }
        (transfer.place, transfer.connections) = (.outside, nil)
        mayGoOn = !waiting.isEmpty
    }

    private mutating func promise(_ transfer: Transfer, _ host: HostConnections) {
        transfer.place = .promised
        host.promised += 1
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
        if let known = hosts[host] { return known }
        if hosts.count >= mostHosts {
            hosts = hosts.filter { !$0.value.isIdle }
            mostHosts = max(128, 2 * hosts.count)
        }
        let made = HostConnections(most: mostPerHost)
        hosts[host] = made
        return made
    }
}
