import PatchbayManager
import PatchbayRegistry

/// Chooses the next exchange for libcurl. Exchanges without a connection wait here, first come, first served.
///
/// libcurl has such a queue as well. But it does not tell which exchanges wait, and when a connection becomes free,
/// 7.88.1 asks only one or two of them: if these wait for another host, the others keep waiting beside a free
/// connection. The limits of libcurl are set nevertheless, because it closes idle connections for new ones.
///
/// Over HTTP/2 exchanges share connections, and only libcurl knows which. So an exchange counts as one connection until
/// it has one; then the connections count, identified by their addresses. If there is no room for another connection,
/// exchanges that could share one are given to libcurl as a try, and come back if they got none.
///
/// Only used in turns.
struct ConnectionQueue {
    enum Place {
        case outside
        case waiting
        /// Given to libcurl, which makes a connection for it or has an idle one.
        case promised
        /// Given to libcurl, which may have a connection to share.
        case trying
        case connected(ConnectionID)
    }

    private let most, mostPerHost: Int
    private var hosts: [CanonicalHost: HostConnections] = [:]
    /// The number of known hosts above which idle ones are forgotten.
    private var mostHosts = 128
    /// The hosts with waiting exchanges.
    private var waiting: [HostConnections] = []
    private var count = 0
    private var trying: [Transfer] = []
    /// Whether a waiting exchange may be able to continue.
    private var mayGoOn = false

    init(_ limits: CurlLimits) { (most, mostPerHost) = (limits.connections, limits.connectionsPerHost) }

    /// Whether `takeUntaken` and `next` have nothing to give.
    var isSettled: Bool { !mayGoOn && trying.isEmpty }

    /// Adds an exchange.
    /// - Returns: whether it may be given to libcurl now; otherwise it waits.
    mutating func enter(_ transfer: Transfer) -> Bool {
        let host = connections(to: transfer.request.url.host)
        transfer.connections = host
        host.most = limit(for: transfer)
        let isHeld = transfer.request.sharesConnections && host.awaitsFirst
        if !host.hasWaiting, !mayGoOn, count < most, host.hasRoom, !isHeld {
            promise(transfer, host)
            return true
        }
        wait(transfer, host)
        // The exchange may have raised the limit of the host.
        mayGoOn = mayGoOn || host.tries > 0 || count < most && host.canConnect
        return false
    }

    /// The number of connections to its host that an exchange allows.
    func limit(for transfer: Transfer) -> Int {
        transfer.request.connection.connectionsPerHost.map { max($0, 1) } ?? mostPerHost
    }

    /// The reason that an exchange waits, with the setting that allows more.
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

    /// The next exchange for libcurl; nil if the rest must wait.
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

    /// libcurl has given the exchange a connection, the first or a replacement for a lost one.
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
            // The next exchange finds out whether the host shares connections.
            if transfer.request.sharesConnections { host.encourage(by: 1) }
        } else {
            host.isShared = true
            host.encourage(by: 2)
        }
        mayGoOn = !waiting.isEmpty
    }

    /// A response over HTTP/2 has begun. 7.88.1 shares the connections of a host if the last one that was made, or that
    /// had an answer, uses this version: earlier failed tries may succeed now.
    mutating func noteHTTP2(_ transfer: Transfer) {
        guard let host = transfer.connections else { return }
        host.isShared = true
        host.encourage(by: 1)
        mayGoOn = !waiting.isEmpty
    }

    /// Takes back the failed tries, to be removed from libcurl; they wait again.
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

    /// The exchange is over.
    /// - Parameter isRefused: whether it failed, and was not stopped from this side.
    mutating func leave(_ transfer: Transfer, isRefused: Bool = false) {
        guard let host = transfer.connections else { return }
        switch transfer.place {
        case .outside, .trying: break
        case .waiting:
            host.remove(transfer)
            forgetIfDone(host)
        case .promised:
            host.promised -= 1
            count -= 1
            // The others don't wait for one failure after another.
            if isRefused { host.isShared = false }
        case .connected(let id):
            if host.leave(id) { count -= 1 }
            if transfer.request.sharesConnections, host.isShared == true { host.encourage(by: 1) }
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
