import CPatchbayCurl
import PatchbayManager
import PatchbayRegistry
import Synchronization

/// Drives every transfer of one transport, in turns.
///
/// A turn does what was asked for, what sockets are ready for and what is due. It is taken by the loop's own thread, which sleeps
/// until there is something to do, or by the thread that starts an exchange, which so sends its request at once instead of waking
/// another thread for it. A command that comes while a turn is taken is left to whoever takes it.
///
/// `@unchecked Sendable`: a CURLM handle and its transfers. They are touched in a turn only, and a turn needs its lock.
final class EventLoop: @unchecked Sendable {
    enum Command: Sendable {
        case start(Submission)
        /// Ends the exchange with this number, if it is still under way.
        case stop(Int)
        /// Offers the exchange with this number its waiting piece again.
        case resume(Int)
        /// No more exchanges will come.
        case end
    }

    private typealias End = (submission: Submission, result: Result<ExchangeTimings, TransportFailure>)

    private let configuration: CurlTransport.Configuration
    private let multi: MultiHandle
    private let commands = Guarded<[Command]>([])
    private let numbers = Atomic<Int>(0)
    private let turn = TurnLock()
    private var transfers: [Int: Transfer] = [:]
    private var ends: [End] = []
    private var isEnding = false
    /// Until when the loop's thread sleeps, if nobody wakes it.
    private var alarm = Int64.max

    /// Nil where the system has no memory or no file to spare.
    init?(_ configuration: CurlTransport.Configuration) {
        guard let multi = MultiHandle() else { return nil }
        self.configuration = configuration
        self.multi = multi
        multi.set(PATCHBAY_CURLMOPT_MAX_TOTAL_CONNECTIONS, max(configuration.maximumConnections, 1))
        multi.set(PATCHBAY_CURLMOPT_MAXCONNECTS, max(configuration.maximumConnections, 1))
        multi.set(PATCHBAY_CURLMOPT_MAX_HOST_CONNECTIONS, max(configuration.maximumConnectionsPerHost, 1))
    }

    deinit { multi.close() }

    // MARK: For any thread

    /// A number for an exchange to come.
    func nextNumber() -> Int { numbers.wrappingAdd(1, ordering: .relaxed).newValue }

    /// Has the loop's thread carry out a command.
    func send(_ command: Command) {
        commands.withLock { $0.append(command) }
        multi.wake()
    }

    /// Starts an exchange, on this thread if no other one is at it: nothing may be locked here that a receiver could want.
    func start(_ submission: Submission) {
        commands.withLock { $0.append(.start(submission)) }
        BrokenPipeSignal.blocked {
            // Whoever has the lock looks for commands after it has given it back.
            while hasCommands, turn.tryLock() { takeTurn(ready: [], isOwnThread: false) }
        }
    }

    private var hasCommands: Bool { commands.withLock { !$0.isEmpty } }

    // MARK: The loop's own thread

    func run() {
        let ready = UnsafeMutableBufferPointer<patchbay_ready>.allocate(capacity: 64)
        ready.initialize(repeating: patchbay_ready())
        defer { ready.deallocate() }
        var deadline: Int64? = .min
        while let until = deadline {
            let count = multi.wait(until: until, ready)
            turn.lock()
            if count == nil { failAll() }
            deadline = takeTurn(ready: ready.prefix(count ?? 0), isOwnThread: true)
            while deadline != nil, hasCommands {
                turn.lock()
                deadline = takeTurn(ready: [], isOwnThread: true)
            }
        }
    }

    // MARK: A turn

    /// Takes a turn and gives the lock back. Says when the next one is due; nil where the loop has come to its end.
    @discardableResult
    private func takeTurn(ready: some Sequence<patchbay_ready>, isOwnThread: Bool) -> Int64? {
        for command in takeCommands() { execute(command) }
        if !multi.act(on: ready) { failAll() }
        finishEnded()
        let deadline = multi.deadline
        if !isOwnThread, deadline < alarm { multi.wake() }
        alarm = isOwnThread ? deadline : min(alarm, deadline)
        let isOver = isEnding && transfers.isEmpty
        let ends = ends
        self.ends = []
        turn.unlock()
        for end in ends { end.submission.continuation.resume(returning: end.result) }
        return isOver ? nil : deadline
    }

    private func takeCommands() -> [Command] {
        commands.withLock { commands in
            defer { commands = [] }
            return commands
        }
    }

    private func execute(_ command: Command) {
        switch command {
        case .start(let submission): begin(submission)
        case .stop(let number):
            guard let transfer = transfers[number] else { return }
            finish(transfer, .failure(.stopped))
        case .resume(let number):
            guard let transfer = transfers[number] else { return }
            let code = transfer.handle.resume()
            if code != PATCHBAY_CURLE_OK { finish(transfer, transfer.result(code)) }
        case .end: isEnding = true
        }
    }

    private func begin(_ submission: Submission) {
        let stop = submission.receiver.stop
        guard !stop.hasFired else { return ends.append((submission, .failure(.stopped))) }
        guard let handle = EasyHandle() else { return ends.append((submission, .failure(.noHandle))) }
        let number = submission.number
        let transfer = Transfer(submission, handle, self)
        transfers[number] = transfer
        do throws(TransportFailure) {
            try transfer.prepare(configuration)
            guard multi.add(handle) else { throw .noHandle }
        } catch {
            return finish(transfer, .failure(error))
        }
        stop.whenFired { [weak self] in self?.send(.stop(number)) }
    }

    private func finishEnded() {
        while let (context, code) = multi.nextEnd() {
            let transfer = Transfer.at(context)
            finish(transfer, transfer.result(code))
        }
    }

    private func finish(_ transfer: Transfer, _ result: Result<ExchangeTimings, TransportFailure>) {
        transfers[transfer.submission.number] = nil
        multi.remove(transfer.handle)
        transfer.close()
        ends.append((transfer.submission, result))
    }

    /// libcurl cannot go on, which its documentation says of bugs and lost memory only.
    private func failAll() {
        for transfer in transfers.values {
            finish(transfer, .failure(TransportFailure(.other, "libcurl could not carry on with its transfers")))
        }
    }
}
