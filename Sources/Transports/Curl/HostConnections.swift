import PatchbayManager
import PatchbayPlatform

/// The connections to one host and port, and the exchanges that wait for a connection. When the connections must not be
/// used for later exchanges, the host gets another object (`ConnectionQueue.renew`).
///
/// Used only in turns of the `EventLoop`, which says why such properties are without the exclusivity check at run time.
final class HostConnections {
    /// The limit of exchanges that try to share a connection.
    private static let mostTries = 100

    /// The limit of connections, from the settings of the latest exchange.
    var most: Int
    /// The number of exchanges with `Place.promised`: they were given to libcurl, and have no connection yet.
    @exclusivity(unchecked) private(set) var promised = 0
    /// The connections in use. `isShareable` tells whether an exchange that could share its connection has it.
    @exclusivity(unchecked) private var used: [(id: ConnectionID, users: Int, isShareable: Bool, response: Int)] = []
    /// The waiting exchanges, sorted by number. One that tried to share a connection comes back to its place.
    @exclusivity(unchecked) private var waiting = Queue<Transfer>()
    /// The number of exchanges that are allowed to try to share a connection. Successful tries raise it.
    private var tries = 0
    /// The number of tries that were allowed after the last try began.
    private var newTries = 0
    /// Whether an exchange tries to share a connection. The result of the try is known at the end of the turn.
    var isTrying = false
    /// Whether exchanges share connections; nil if unknown.
    var isShared: Bool?
    /// Whether a response over HTTP/2 has begun.
    var hasHTTP2 = false

    let recentLines = RecentLines()
    let multi: MultiHandle

    init(most: Int, on multi: MultiHandle) { (self.most, self.multi) = (most, multi) }

    /// The host's connections on another multi handle, with the exchanges that waited for one of these.
    func renewed(on multi: MultiHandle) -> HostConnections {
        let new = HostConnections(most: most, on: multi)
        new.hasHTTP2 = hasHTTP2
        swap(&new.waiting, &waiting)
        for transfer in new.waiting { transfer.connections = new }
        return new
    }

    /// The number of used and promised connections.
    var count: Int { promised + used.count }
    var hasRoom: Bool { count < most }
    var hasWaiting: Bool { !waiting.isEmpty }

    /// Whether exchanges that could share a connection wait for another one: its connection is being made, or it finds out
    /// whether a connection can be shared. So a burst of exchanges opens one connection, and not one for each exchange.
    private var awaitsFirst: Bool {
        let hasShareable = used.contains { $0.isShareable }
        return switch isShared {
        case false?: false
        case true?: !leaders.isEmpty && !hasShareable
        case nil: !leaders.isEmpty || hasShareable && (tries > 0 || isTrying)
        }
    }

    /// Whether the exchange waits for another one. It does not wait for the connection of an exchange with other
    /// settings, which it could not share.
    func isHeld(_ transfer: Transfer) -> Bool {
        guard transfer.sharesConnections, awaitsFirst else { return false }
        let own = transfer.request.sharedConnection
        return leaders.isEmpty || leaders.contains { $0 === own || $0.settings == own.settings }
    }

    /// The settings of the promised exchanges that could share their connections.
    private var leaders: [SharedConnection] = []

    /// libcurl gets the exchange, to make a connection for it.
    func promise(_ transfer: Transfer) {
        promised += 1
        guard transfer.sharesConnections else { return }
        leaders.append(transfer.request.sharedConnection)
    }

    /// The promised exchange has a connection, or is over.
    func endPromise(of transfer: Transfer) {
        promised -= 1
        let own = transfer.request.sharedConnection
        if transfer.sharesConnections, let index = leaders.firstIndex(where: { $0 === own }) {
            leaders.remove(at: index)
        }
    }

    /// Whether there is room for a connection, and a waiting exchange that is allowed to have a connection of its own.
    var canConnect: Bool { hasRoom && waiting.contains { !isHeld($0) } }
    var isIdle: Bool { count == 0 && !hasWaiting && !isTrying }

    // MARK: Ages

    /// The connections, each with the time at which an exchange first used it.
    @exclusivity(unchecked) private var births: [(id: ConnectionID, time: Moment)] = []

    func noteBirth(of id: ConnectionID) {
        guard !births.contains(where: { $0.id == id }) else { return }
        if births.count >= 64 { births.removeFirst() }
        births.append((id, .now))
    }

    /// Whether a connection is in use that is too old for an exchange, and that the exchange could share.
    ///
    /// libcurl checks the age of a connection only while no exchange uses the connection.
    func areTooOld(for transfer: Transfer) -> Bool {
        guard let age = transfer.request.connection.maximumConnectionAge, transfer.sharesConnections, isShared != false
        else { return false }
        let now = Moment.now
        return births.contains { birth in
            birth.time.duration(to: now) >= .seconds(age.wholeSeconds) && used.contains { $0.id == birth.id }
        }
    }

    // MARK: Connections

    /// Adds a user of the connection. Returns whether the connection was unused before.
    func join(_ id: ConnectionID, by transfer: Transfer) -> Bool {
        if let index = used.firstIndex(where: { $0.id == id }) {
            used[index].users += 1
            used[index].isShareable = used[index].isShareable || transfer.sharesConnections
            return false
        }
        used.append((id, 1, transfer.sharesConnections, 0))
        return true
    }

    /// Removes a user of the connection. Returns whether the connection is unused now.
    func leave(_ id: ConnectionID) -> Bool {
        guard let index = used.firstIndex(where: { $0.id == id }) else { return false }
        used[index].users -= 1
        guard used[index].users == 0 else { return false }
        used.swapAt(index, used.count - 1)
        used.removeLast()
        return true
    }

    /// Notes the turn in which a response over HTTP/2 began. libcurl can read it in the turn that sends the request, without
    /// an event of the socket.
    func noteResponse(on id: ConnectionID, in turn: Int) {
        if let index = used.firstIndex(where: { $0.id == id }) { used[index].response = turn }
    }

    /// The turn in which a response over HTTP/2 last began on a connection in use; 0 if none did.
    func lastResponse(on id: ConnectionID) -> Int { used.first { $0.id == id }?.response ?? 0 }

    /// Whether other exchanges use the connection of the exchange, too; over a Unix socket, any connection of the host.
    func isInUse(byOthersThan transfer: Transfer) -> Bool {
        guard case .connected(let id) = transfer.place else { return promised > 1 }
        return used.contains { $0.id == id && $0.users > 1 }
    }

    func encourage(by count: Int) {
        guard isShared != false else { return }
        tries = min(tries + count, Self.mostTries)
        newTries = min(newTries + count, tries)
    }

    func beginTry() {
        tries -= 1
        newTries = 0
        isTrying = true
    }

    /// Called when a try found no connection to share: all connections are full, or the host shares no connections.
    ///
    /// Tries that were allowed after the failed try began remain. libcurl can fail the try first, and then read the
    /// answer or end the exchange that makes the next try succeed. Without the next try, no later event would start the
    /// waiting exchanges.
    func discourage() {
        tries = newTries
        if isShared == nil { isShared = false }
    }

    // MARK: Waiting exchanges

    /// The number of the first waiting exchange that is allowed to have a connection of its own.
    var firstNumber: Int { waiting.first { !isHeld($0) }?.number ?? .max }

    /// Takes the first waiting exchange that is allowed to have a connection of its own.
    func takeFirst() -> Transfer? { take(at: waiting.firstIndex { !isHeld($0) }) }

    /// Whether an exchange can try to share a connection: none is being made.
    var allowsTry: Bool { tries > 0 && leaders.isEmpty }
    var canTry: Bool { allowsTry && waiting.contains(where: \.sharesConnections) }

    func takeSharing() -> Transfer? { take(at: waiting.firstIndex(where: \.sharesConnections)) }

    private func take(at index: Int?) -> Transfer? {
        index == 0 ? waiting.popFirst() : index.map { waiting.remove(at: $0) }
    }

    func insert(_ transfer: Transfer) { waiting.insert(transfer, at: place(of: transfer)) }

    func remove(_ transfer: Transfer) {
        let index = place(of: transfer)
        if index < waiting.count, waiting[index] === transfer { _ = waiting.remove(at: index) }
    }

    /// The position that a transfer has in the queue, or would have after it is inserted.
    private func place(of transfer: Transfer) -> Int {
        var (low, high) = (0, waiting.count)
        while low < high {
            let middle = low + (high - low) / 2
            if waiting[middle].number < transfer.number { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

/// The identity of a connection to a host: the remote address and port, and the local port.
struct ConnectionID: Equatable {
    let address: UInt64
    let localPort: Int32

    init(remote: UnsafePointer<CChar>, _ remotePort: Int32, localPort: Int32) {
        // FNV-1a, over an address of at most 45 characters. Two connections with the same hash count as one, and
        // libcurl's own limit still applies.
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        var next = remote
        while next.pointee != 0 {
            hash = (hash ^ UInt64(UInt8(bitPattern: next.pointee))) &* 0x100_0000_01B3
            next += 1
        }
        address = (hash ^ UInt64(UInt32(bitPattern: remotePort))) &* 0x100_0000_01B3
        self.localPort = localPort
    }
}
