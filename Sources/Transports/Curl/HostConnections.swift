/// The connections to one host and port, and the exchanges that wait for one.
final class HostConnections {
    /// How many exchanges may be on their way to a connection that they share.
    private static let mostTries = 100

    /// How many connections there may be: the limit of the exchange that came last.
    var most: Int
    /// Exchanges that libcurl has been given and that have no connection yet.
    var promised = 0
    private var used: [(id: ConnectionID, users: Int)] = []
    /// By number. Those that need a connection of their own, and those that could share one.
    private var exclusive: [Transfer] = []
    private var sharing: [Transfer] = []
    /// How many exchanges may try to share a connection. Those that succeed make it grow.
    private(set) var tries = 0
    /// How many of the tries are newer than the last that was begun.
    private var newTries = 0
    /// Whether exchanges share connections; nil: not known.
    var isShared: Bool?

    init(most: Int) { self.most = most }

    /// The connections that are used, or about to be.
    var count: Int { promised + used.count }
    var hasRoom: Bool { count < most }
    var hasWaiting: Bool { !exclusive.isEmpty || !sharing.isEmpty }
    var hasSharing: Bool { !sharing.isEmpty }
    var isIdle: Bool { count == 0 && !hasWaiting }

    /// Whether the connection was not used before.
    func join(_ id: ConnectionID) -> Bool {
        if let index = used.firstIndex(where: { $0.id == id }) {
            used[index].users += 1
            return false
        }
        used.append((id, 1))
        return true
    }

    /// Whether nobody uses the connection any more.
    func leave(_ id: ConnectionID) -> Bool {
        guard let index = used.firstIndex(where: { $0.id == id }) else { return false }
        used[index].users -= 1
        guard used[index].users == 0 else { return false }
        used.swapAt(index, used.count - 1)
        used.removeLast()
        return true
    }

    func encourage(by count: Int) {
        guard isShared != false else { return }
        tries = min(tries + count, Self.mostTries)
        newTries = min(newTries + count, tries)
    }

    func beginTry() {
        tries -= 1
        newTries = 0
    }

    /// One that tried has found no connection to share: all are full, or the host shares none.
    ///
    /// Tries that came after it began stay. libcurl may have failed it first, and then read the answer, or ended the exchange, which
    /// makes the next one succeed: without its try nobody who waits would be looked at again.
    func discourage() {
        tries = newTries
        if isShared == nil { isShared = false }
    }

    // MARK: Who waits

    /// The number of whoever is the first to wait.
    var firstNumber: Int { min(exclusive.first?.number ?? .max, sharing.first?.number ?? .max) }

    func takeFirst() -> Transfer? {
        if (exclusive.first?.number ?? .max) < (sharing.first?.number ?? .max) { return exclusive.removeFirst() }
        return takeSharing()
    }

    func takeSharing() -> Transfer? { sharing.isEmpty ? nil : sharing.removeFirst() }

    func insert(_ transfer: Transfer) {
        if transfer.request.wantsHTTP2 {
            sharing.insert(transfer, at: Self.place(of: transfer, sharing))
        } else {
            exclusive.insert(transfer, at: Self.place(of: transfer, exclusive))
        }
    }

    func remove(_ transfer: Transfer) {
        if transfer.request.wantsHTTP2 {
            Self.remove(transfer, from: &sharing)
        } else {
            Self.remove(transfer, from: &exclusive)
        }
    }

    private static func remove(_ transfer: Transfer, from queue: inout [Transfer]) {
        let index = place(of: transfer, queue)
        if index < queue.count, queue[index] === transfer { queue.remove(at: index) }
    }

    /// Where a transfer stands in a queue, or is to.
    private static func place(of transfer: Transfer, _ queue: [Transfer]) -> Int {
        var (low, high) = (0, queue.count)
        while low < high {
            let middle = low + (high - low) / 2
            if queue[middle].number < transfer.number { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

/// What tells the connections to one host apart: the address and the port at the other end, and the port at this one.
struct ConnectionID: Equatable {
    let address: UInt64
    let port: Int32

    init(remote: UnsafePointer<CChar>, _ remotePort: Int32, localPort: Int32) {
        // FNV-1a, over an address of 45 characters at most: two that look alike would count as one connection, which libcurl's own
        // limit makes good.
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        var next = remote
        while next.pointee != 0 {
            hash = (hash ^ UInt64(UInt8(bitPattern: next.pointee))) &* 0x100_0000_01B3
            next += 1
        }
        address = (hash ^ UInt64(UInt32(bitPattern: remotePort))) &* 0x100_0000_01B3
        port = localPort
    }
}
