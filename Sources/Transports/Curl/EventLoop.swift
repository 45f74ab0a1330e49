import CPatchbayCurl
import PatchbayManager
import PatchbayPlatform
import PatchbayRegistry
import Synchronization

/// Drives every transfer of one transport, in turns.
///
/// A turn does what was asked for, what sockets are ready for and what is due. It is taken by the loop's own thread, which sleeps
/// until there is something to do, or meanwhile by the thread that starts an exchange, which so sends its request at once instead
/// of waking another thread for it. While the loop's thread is awake, commands are left to it.
///
/// Code of others runs in a turn: what receivers ask, and the `deinit` of what they let go of. A turn holds no lock that such code could
/// want: only the loop's thread ever waits for one, and whoever starts an exchange in a turn leaves it to that.
///
/// Where libcurl cannot go on, or a socket cannot be watched, the loop closes: every exchange under way ends, the multi handle acts
/// no more, and the transport makes another loop.
///
/// `@unchecked Sendable`: two threads that used the multi handle or its transfers at once would corrupt libcurl's lists. None do. What
/// is neither `Guarded` nor atomic nor constant is read and written in a turn alone, and a turn lasts from `turn.lock` to
/// `turn.unlock`, so that each sees what the one before it wrote. `deinit` takes no turn: the loop's thread holds the loop until its
/// last turn is over, and so does whoever starts an exchange.
final class EventLoop: @unchecked Sendable {
    enum Command: Sendable {
        case start(Transfer)
        /// Ends the exchange with this number, if it is still under way.
        case stop(Int)
        /// Offers the exchange with this number its waiting piece again.
        case resume(Int)
        /// No more exchanges will come.
        case end
    }

    struct Queue {
        var commands: [Command] = []
        /// Whether the loop's thread sleeps, and will not look for commands before it is woken.
        var isAsleep = false
        /// Whether nobody will look for commands any more.
        var isClosed = false

        /// Who looks for a command.
        enum Place { case thread, whoeverComes, nobody }

        mutating func append(_ command: Command) -> Place {
            guard !isClosed else { return .nobody }
            commands.append(command)
            return isAsleep ? .whoeverComes : .thread
        }
    }

    let limits: CurlLimits
    let multi: MultiHandle
    let queue = Guarded(Queue())
    private let numbers = Atomic<Int>(0)
    private let turn = TurnLock()
    var transfers: [Int: Transfer] = [:]
    var connections: ConnectionQueue
    /// Handles for exchanges to come: to make one and give it back is a tenth of a small request (`scripts/cost`). Some 6 KiB each.
    var spareHandles: [EasyHandle] = []
    let mostSpareHandles: Int
    /// Exchanges that libcurl waits for nothing of, though their bodies wait.
    var released: [Int] = []
    /// Exchanges whose response is whole, and whose body is not sent to its end.
    var left: [Int] = []
    var ends: [Transfer] = []
    /// The commands of the turn, in an array that is used again.
    private var commands: [Command] = []
    /// The limit that libcurl has for the connections to each host: the highest of the settings so far.
    var connectionsPerHost = 0
    /// By the path of a client certificate, the key that it was first used with.
    var firstKeys: [String: ClientCertificate] = [:]
    /// How many turns there have been, for what may only do so much in one.
    private(set) var turns = 0
    var isEnding = false
    var failure: TransportFailure?
    /// Until when the loop's thread sleeps, if nobody wakes it.
    private var alarm = Int64.max

    /// - Throws: where libcurl is not there, and where the system has no memory or no file to spare.
    init(_ limits: CurlLimits) throws(TransportFailure) {
        let multi = try MultiHandle()
        self.limits = limits
        mostSpareHandles = EasyHandle.isReusable ? 64 : 0
        self.multi = multi
        connections = ConnectionQueue(limits)
        multi.set(PATCHBAY_CURLMOPT_MAX_TOTAL_CONNECTIONS, limits.connections)
        multi.set(PATCHBAY_CURLMOPT_MAXCONNECTS, limits.connections)
    }

    deinit {
        for handle in spareHandles { handle.close() }
        multi.close()
    }

    // MARK: For any thread

    var isOpen: Bool { !queue.withLock(\.isClosed) }

    func nextNumber() -> Int { numbers.wrappingAdd(1, ordering: .relaxed).newValue }

    func send(_ command: Command) {
        if queue.withLock({ $0.append(command) }) == .whoeverComes { multi.wake() }
    }

    /// Starts an exchange, on this thread while the loop's own sleeps: nothing may be locked here that a receiver could want.
    func start(_ transfer: Transfer) {
        switch queue.withLock({ $0.append(.start(transfer)) }) {
        case .thread: break
        case .whoeverComes:
            BrokenPipeSignal.blocked {
                // Whoever has the lock looks for commands after it has given it back.
                while needsTurn, turn.tryLock() { takeTurn(ready: [], isOwnThread: false) }
            }
        // It has closed since the transport looked.
        case .nobody: transfer.end()
        }
    }

    private var needsTurn: Bool { queue.withLock { $0.isAsleep && !$0.commands.isEmpty } }

    // MARK: The loop's own thread

    func run() {
        let ready = UnsafeMutableBufferPointer<patchbay_ready>.allocate(capacity: 64)
        ready.initialize(repeating: patchbay_ready())
        defer { ready.deallocate() }
        var deadline: Int64? = .min
        while let until = deadline {
            // With commands to carry out it only looks which sockets are ready.
            let count = multi.wait(until: fallAsleep() ? until : .min, ready)
            queue.withLock { $0.isAsleep = false }
            turn.lock()
            if count == nil { failure = .cannotGoOn }
            deadline = takeTurn(ready: ready.prefix(count ?? 0), isOwnThread: true)
        }
    }

    /// False where there are commands to carry out.
    private func fallAsleep() -> Bool {
        queue.withLock { queue in
            queue.isAsleep = queue.commands.isEmpty
            return queue.isAsleep
        }
    }

    // MARK: A turn

    /// Takes a turn and gives the lock back. Says when the next one is due; nil where the loop has come to its end.
    @discardableResult
    private func takeTurn(ready: some Sequence<patchbay_ready>, isOwnThread: Bool) -> Int64? {
        turns += 1
        takeCommands()
        for command in commands { execute(command) }
        commands.removeAll(keepingCapacity: true)
        if failure == nil, !multi.act(on: ready) { failure = .cannotGoOn }
        finishEnded()
        if !released.isEmpty { askReleased() }
        failure = failure ?? multi.failure
        if let failure { close(failure) } else if !connections.isSettled { serveWaiting() }
        let deadline = multi.deadline
        let isOver = isEnding && transfers.isEmpty
        if !isOwnThread, deadline < alarm || isOver { multi.wake() }
        alarm = isOwnThread ? deadline : min(alarm, deadline)
        let ends = ends
        self.ends = []
        turn.unlock()
        for transfer in ends { transfer.end() }
        return isOver ? nil : deadline
    }

    private func takeCommands() { queue.withLock { swap(&$0.commands, &commands) } }
}

/// Held by the thread whose turn it is. `Guarded` will not do: a turn is given back in the middle of a function, and a thread that
/// cannot have it does not wait.
///
/// `@unchecked Sendable`: a mutex that is copied or moved while somebody waits for it is another mutex, and both would let a thread in.
/// So it has memory of its own, at one address from `init` to `deinit`, and nobody waits in `deinit`, because who waits holds a
/// reference.
final class TurnLock: @unchecked Sendable {
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>

    init() {
        mutex = .allocate(capacity: 1)
        pthread_mutex_init(mutex, nil)
    }

    deinit {
        pthread_mutex_destroy(mutex)
        mutex.deallocate()
    }

    func lock() { pthread_mutex_lock(mutex) }

    /// False where another thread has it.
    func tryLock() -> Bool { pthread_mutex_trylock(mutex) == 0 }

    /// For the thread that has it.
    func unlock() { pthread_mutex_unlock(mutex) }
}
