/// What a `RawServer` keeps account of, behind its lock.
struct RawServerBook: Sendable {
    struct Waiter: Sendable {
        let count: Int
        let continuation: CheckedContinuation<[RawServer.Request], Never>
    }

    var requests: [RawServer.Request] = []
    var sockets: Set<Int32> = []
    var accepted = 0
    var stopped = false
    var waiters: [Waiter] = []

    /// False where the server has stopped and takes no more.
    mutating func open(_ socket: Int32) -> Bool {
        guard !stopped else { return false }
        sockets.insert(socket)
        accepted += 1
        return true
    }

    /// Notes a request and gives those who waited for it.
    mutating func note(_ request: RawServer.Request) -> [Waiter] {
        requests.append(request)
        let count = requests.count
        let served = waiters.filter { $0.count <= count }
        waiters.removeAll { $0.count <= count }
        return served
    }
}
