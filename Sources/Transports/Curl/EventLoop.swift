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
/// Where libcurl cannot go on, or a socket cannot be watched, the loop closes: every exchange under way ends, the multi handle acts
/// no more, and the transport makes another loop.
///
/// `@unchecked Sendable`: a CURLM handle and its transfers. They are touched in a turn only, and a turn needs its lock.
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

    private struct Queue {
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

    let configuration: CurlTransport.Configuration
    private let multi: MultiHandle
    private let queue = Guarded(Queue())
    private let numbers = Atomic<Int>(0)
    private let turn = TurnLock()
    private var transfers: [Int: Transfer] = [:]
    /// Handles for exchanges to come: to make one and give it back is a tenth of a small request (`scripts/cost`). Some 6 KiB each.
    private var spareHandles: [EasyHandle] = []
    private let mostSpareHandles: Int
    /// Exchanges that libcurl waits for nothing of, though their bodies wait.
    private var released: [Int] = []
    /// Those that the turn has ended.
    private var ends: [Transfer] = []
    /// The commands of the turn, in an array that is used again.
    private var commands: [Command] = []
    /// How many turns there have been, for what may only do so much in one.
    private(set) var turns = 0
    private var isEnding = false
    /// What ended the loop before its time.
    private var failure: TransportFailure?
    /// Until when the loop's thread sleeps, if nobody wakes it.
    private var alarm = Int64.max

    /// - Throws: where libcurl is not there, and where the system has no memory or no file to spare.
    init(_ configuration: CurlTransport.Configuration) throws(TransportFailure) {
        let multi = try MultiHandle()
        self.configuration = configuration
        mostSpareHandles = EasyHandle.isReusable ? 64 : 0
        self.multi = multi
        multi.set(PATCHBAY_CURLMOPT_MAX_TOTAL_CONNECTIONS, max(configuration.maximumConnections, 1))
        multi.set(PATCHBAY_CURLMOPT_MAXCONNECTS, max(configuration.maximumConnections, 1))
        multi.set(PATCHBAY_CURLMOPT_MAX_HOST_CONNECTIONS, max(configuration.maximumConnectionsPerHost, 1))
    }

    deinit {
        for handle in spareHandles { handle.close() }
        multi.close()
    }

    // MARK: For any thread

    /// Whether it takes exchanges.
    var isOpen: Bool { !queue.withLock(\.isClosed) }

    /// A number for an exchange to come.
    func nextNumber() -> Int { numbers.wrappingAdd(1, ordering: .relaxed).newValue }

    /// Has the loop's thread carry out a command.
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
        if let failure { close(failure) }
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

    private func execute(_ command: Command) {
        switch command {
        case .start(let transfer): begin(transfer)
        case .stop(let number):
            guard let transfer = transfers[number] else { return }
            finish(transfer, .failure(.stopped))
        case .resume(let number):
            guard let transfer = transfers[number], let handle = transfer.handle else { return }
            switch handle.resume() {
            case PATCHBAY_CURLE_OK: break
            // So libcurl says that it could not note which sockets it now waits for.
            case PATCHBAY_CURLE_ABORTED_BY_CALLBACK: failure = .cannotGoOn
            case let code: finish(transfer, transfer.result(code))
            }
        case .end: isEnding = true
        }
    }

    private func begin(_ transfer: Transfer) {
        let stop = transfer.receiver.stop
        guard !stop.hasFired else { return end(transfer, .failure(.stopped)) }
        guard let handle = spareHandles.popLast() ?? EasyHandle() else { return end(transfer, .failure(.noHandle)) }
        let number = transfer.number
        transfers[number] = transfer
        do throws(TransportFailure) {
            try transfer.prepare(handle, configuration)
            guard multi.add(handle) else { throw .noHandle }
        } catch {
            return finish(transfer, .failure(error))
        }
        stop.whenFired { [weak self] in self?.send(.stop(number)) }
    }

    /// Has libcurl look, in the next turn, whether such an exchange is over.
    ///
    /// 7.88.1 does not look while a body is paused: not when all of the response has come and no more of the body is wanted, nor when
    /// the host has gone.
    private func askReleased() {
        let numbers = released
        released.removeAll(keepingCapacity: true)
        for number in numbers { execute(.resume(number)) }
    }

    /// Notes, while libcurl acts, that it waits for nothing of the exchange.
    func noteRelease(of number: Int) { released.append(number) }

    /// Ends the exchanges that libcurl says are over.
    private func finishEnded() {
        while let (context, code) = multi.nextEnd() {
            let transfer = Transfer.at(context)
            finish(transfer, transfer.result(code))
        }
    }

    /// Takes an exchange off the loop; whoever waits for it is told after the turn.
    private func finish(_ transfer: Transfer, _ result: Result<ExchangeTimings, TransportFailure>) {
        transfers[transfer.number] = nil
        if let handle = transfer.handle {
            multi.remove(handle)
            keepOrClose(handle, transfer, result)
        }
        transfer.close()
        end(transfer, result)
    }

    /// Only after a success without a jar: what a failure has left in a handle, and cookies, are beyond a reset.
    private func keepOrClose(
        _ handle: EasyHandle, _ transfer: Transfer, _ result: Result<ExchangeTimings, TransportFailure>
    ) {
        guard case .success = result, transfer.request.cookies == nil, spareHandles.count < mostSpareHandles else {
            return handle.close()
        }
        handle.reset()
        spareHandles.append(handle)
    }

    /// Has whoever waits for the exchange told of its end, after the turn.
    private func end(_ transfer: Transfer, _ result: Result<ExchangeTimings, TransportFailure>) {
        transfer.outcome = result
        ends.append(transfer)
    }

    /// Ends every exchange, those included whose start nobody has looked at, and the loop.
    ///
    /// libcurl is only asked to let go of the transfers and to close their connections. Its lists of sockets may be half written,
    /// and are read where it acts on a socket only.
    private func close(_ failure: TransportFailure) {
        isEnding = true
        let unseen = queue.withLock { queue in
            defer { queue.commands = [] }
            queue.isClosed = true
            return queue.commands
        }
        for case .start(let transfer) in unseen { end(transfer, .failure(failure)) }
        for transfer in transfers.values { finish(transfer, .failure(failure)) }
    }
}
