import CPatchbayCurl
import PatchbayManager
import PatchbayPlatform
import PatchbayRegistry
import Synchronization

/// Drives every transfer of one transport, in turns.
///
/// A turn carries out commands, and acts on ready sockets and on due timeouts. The loop's own thread takes turns, and
/// sleeps until there is something to do. While it sleeps, a thread that starts an exchange takes a turn itself, and so
/// sends its request at once without waking another thread. While the loop's thread is awake, it carries out the
/// commands.
///
/// Foreign code runs in a turn: the code of receivers, and the `deinit` of objects that they release. A turn holds no
/// lock that such code could need: only the loop's thread ever waits for the turn lock, and an exchange that is started
/// during a turn is left to that thread.
///
/// If libcurl cannot continue, or a socket cannot be watched, the loop closes: every running exchange ends, the multi
/// handles are not used any more, and the transport makes another loop.
///
/// `@unchecked Sendable`: two threads that used a multi handle or its transfers at the same time would corrupt
/// libcurl's lists. This does not happen: every property that is neither `Guarded` nor atomic nor constant is used only
/// in a turn, between `turn.lock` and `turn.unlock`, so each turn sees the writes of the turn before. `deinit` needs no
/// turn: the loop's thread holds the loop until its last turn ends, and so does a thread that starts an exchange.
final class EventLoop: @unchecked Sendable {
    enum Command: Sendable {
        case start(Transfer)
        /// Ends the exchange with this number, if it still runs.
        case stop(Int)
        /// Resumes the exchange with this number, so that libcurl offers its waiting bytes again.
        case resume(Int)
        /// Makes libcurl act on the exchange with this number, if it still connects.
        case check(Int)
        /// Ends the exchange with this number, whose response is complete. The remaining bytes of its request body are
        /// not sent.
        case leave(Int)
        /// No more exchanges will come.
        case end
    }

    struct Queue {
        var commands: [Command] = []
        /// Whether the loop's thread sleeps, and must be woken to see commands.
        var isAsleep = false
        /// Whether no thread will look for commands any more.
        var isClosed = false

        /// The thread that will carry out a command.
        enum Place { case thread, whoeverComes, nobody }

        mutating func append(_ command: Command) -> Place {
            guard !isClosed else { return .nobody }
            commands.append(command)
            return isAsleep ? .whoeverComes : .thread
        }
    }

    let limits: CurlLimits
    let watch: SocketWatch
    let queue = Guarded(Queue())
    private let numbers = Atomic<Int>(0)
    private let turn = TurnLock()
    /// These properties are without the exclusivity check at run time, which a small request would pass 30 times
    /// (callgrind: 2,600 instructions). Only turns use them, one turn at a time, and foreign code that runs in a turn
    /// can't begin another one.
    @exclusivity(unchecked) var transfers: [Int: Transfer] = [:]
    /// The multi handles, by number. There is hardly ever a second one. New hosts get the last one.
    @exclusivity(unchecked) var multis: [MultiHandle]
    @exclusivity(unchecked) var connections: ConnectionQueue
    /// Handles for later exchanges: making and closing a handle takes a tenth of the time of a small request
    /// (`scripts/cost`). A handle takes about 6 KiB.
    @exclusivity(unchecked) var spareHandles: [EasyHandle] = []
    let mostSpareHandles: Int
    /// Commands that libcurl's callbacks gave, for the time when libcurl has acted.
    @exclusivity(unchecked) private var later: [Command] = []
    /// The ended exchanges, whose callers are resumed after the turn.
    @exclusivity(unchecked) var ends: [(transfer: Transfer, outcome: Transfer.Outcome)] = []
    /// The commands of the turn, in an array that is reused.
    @exclusivity(unchecked) private var commands: [Command] = []
    /// libcurl's limit of connections to each host: the highest limit in the settings of the exchanges so far.
    var connectionsPerHost = 0
    /// The key that was used first, by the client certificate.
    var firstKeys: [[UInt8]: ClientKey] = [:]
    /// The number of turns, for work that is limited in each turn.
    private(set) var turns = 0
    var isEnding = false
    var failure: TransportFailure?
    /// The time until which the loop's thread sleeps.
    private var alarm = Int64.max

    /// - Throws: if libcurl is missing, or if the system has no memory or no file descriptor.
    init(_ limits: CurlLimits) throws(TransportFailure) {
        try MultiHandle.loadLibcurl()
        let watch = try SocketWatch()
        let first = try MultiHandle(1, on: watch)
        self.limits = limits
        mostSpareHandles = Libcurl.reusesHandles ? 64 : 0
        self.watch = watch
        multis = [first]
        connections = ConnectionQueue(limits, on: first)
        limitConnections()
    }

    deinit {
        for handle in spareHandles { handle.close() }
    }

    // MARK: For any thread

    var isOpen: Bool { !queue.withLock(\.isClosed) }

    func nextNumber() -> Int { numbers.wrappingAdd(1, ordering: .relaxed).newValue }

    func send(_ command: Command) {
        if queue.withLock({ $0.append(command) }) == .whoeverComes { watch.wake() }
    }

    /// Starts an exchange, on the calling thread if the loop's own thread sleeps. The caller must not hold a lock that
    /// a receiver could need.
    func start(_ transfer: Transfer) {
        switch queue.withLock({ $0.append(.start(transfer)) }) {
        case .thread: break
        case .whoeverComes:
            BrokenPipeSignal.blocked {
                // The thread that holds the lock checks for commands after it has released the lock.
                while needsTurn, turn.tryLock() { takeTurn(ready: [], isOwnThread: false) }
            }
        // The loop has closed since the transport checked `isOpen`.
        case .nobody: transfer.end(.failure(.cannotGoOn))
        }
    }

    private var needsTurn: Bool { queue.withLock { $0.isAsleep && !$0.commands.isEmpty } }

    // MARK: The loop's own thread

    func run() {
        let ready = UnsafeMutableBufferPointer<patchbay_ready>.allocate(capacity: 64)
        ready.initialize(repeating: patchbay_ready())
        defer { ready.deallocate() }
        var deadline: Int64? = .min
        var hasLooked = false
        while let until = deadline {
            // If there are commands, `wait` does not sleep and only checks which sockets are ready. After a turn that
            // began with this check, commands are carried out without it.
            let sleeps = fallAsleep()
            hasLooked = sleeps || !hasLooked
            let count = hasLooked ? watch.wait(until: sleeps ? until : .min, ready) : 0
            if sleeps { queue.withLock { $0.isAsleep = false } }
            turn.lock()
            if count == nil { failure = .cannotGoOn }
            deadline = takeTurn(ready: ready.prefix(count ?? 0), isOwnThread: true)
        }
    }

    /// Notes that the loop's thread sleeps. Returns false if there are commands to carry out.
    private func fallAsleep() -> Bool {
        queue.withLock { queue in
            queue.isAsleep = queue.commands.isEmpty
            return queue.isAsleep
        }
    }

    // MARK: A turn

    /// Takes a turn and releases the lock. Returns the time of the next turn; nil if the loop has ended.
    @discardableResult
    private func takeTurn(ready: some Sequence<patchbay_ready>, isOwnThread: Bool) -> Int64? {
        turns += 1
        takeCommands()
        for command in commands { execute(command) }
        commands.removeAll(keepingCapacity: true)
        if failure == nil, !act(on: ready) { failure = .cannotGoOn }
        finishEnded()
        if !later.isEmpty { executeLater() }
        failure = failure ?? watch.failure
        if let failure { close(failure) } else if !connections.isSettled { serveWaiting() }
        if multis.count > 1 { closeUnused() }
        let deadline = multis.reduce(.max) { min($0, $1.deadline) }
        let isOver = isEnding && transfers.isEmpty
        if !isOwnThread, deadline < alarm || isOver { watch.wake() }
        alarm = isOwnThread ? deadline : min(alarm, deadline)
        let ends = ends
        self.ends = []
        turn.unlock()
        for end in ends { end.transfer.end(end.outcome) }
        return isOver ? nil : deadline
    }

    /// Acts on ready sockets and due timeouts. Returns false if libcurl can't continue.
    private func act(on ready: some Sequence<patchbay_ready>) -> Bool {
        for socket in ready {
            var socket = socket
            guard watch.wants(&socket, in: turns) else { continue }
            // The socket can have been closed with its multi handle.
            guard let multi = multis.first(where: { $0.number == socket.multi }) else { continue }
            guard multi.act(on: socket) else { return false }
        }
        return multis.allSatisfy { $0.actIfDue() }
    }

    /// Executes a command in this turn, after libcurl has acted: a callback of libcurl must not change its transfers.
    func afterwards(_ command: Command) { later.append(command) }

    private func executeLater() {
        let commands = later
        later.removeAll()
        for command in commands { execute(command) }
    }

    private func takeCommands() { queue.withLock { swap(&$0.commands, &commands) } }
}

/// The lock of a turn. `Guarded` does not fit: the lock is released in the middle of a function, and a thread that does
/// not get the lock does not always wait.
///
/// `@unchecked Sendable`: a mutex that is copied or moved while a thread waits for it is another mutex, and two threads
/// could hold the lock at once. So the mutex has its own memory, at one address from `init` to `deinit`. No thread can
/// be waiting in `deinit`: a waiting thread holds a reference.
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

    /// Takes the lock if it is free. Returns false if another thread has the lock.
    func tryLock() -> Bool { pthread_mutex_trylock(mutex) == 0 }

    /// Releases the lock. Only the thread that has the lock calls this function.
    func unlock() { pthread_mutex_unlock(mutex) }
}
