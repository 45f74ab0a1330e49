import CPatchbayCurl
import PatchbayManager
import PatchbayPlatform

/// The watch over the sockets of all multi handles of an `EventLoop`, which keep it alive. Its cost does not depend on
/// their number.
///
/// curl_multi_poll, with curl_multi_perform and curl_multi_wakeup, would need none of this. But curl_multi_poll checks
/// every transfer in every turn, and only one thread can use the multi handle, so no other thread could send its own
/// request. The cost of poll relative to epoll, for small requests to a server on loopback (libcurl 7.88.1, two cores):
///
///                                        time    processor, kernel included    instructions outside the kernel
///   one at a time                        x 1.3   x 1.3                         x 0.98
///   16 in flight                         x 0.9   x 0.9                         x 0.98
///   64 in flight                         x 0.9   x 0.9                         x 0.97
///   1,000 waiting, and 1 at a time       x 9     x 15                          not counted
///   1,000 waiting, and 16 in flight      x 2.9   x 2.6                         x 1.7
///   1,000 waiting, and 64 in flight      x 1.9   x 1.9                         not counted
///
/// The sockets of idle connections stay watched for reading, and the queue is told nothing when a transfer begins or
/// ends. An event that libcurl does not wait for ends the watch, unless another thread has read the bytes in the
/// meantime. Where a transfer has no connection yet, the queue is told of every change: the number can be that of a
/// socket that was closed without a report, and now belong to another one, such as one of the resolver's pairs.
///
/// Only one thread uses it at a time. `wait` and `wake` are exceptions, because they only use descriptors, which are
/// safe to use from several threads: a thread can take a turn and add sockets while the loop's own thread waits. It
/// outlives the multi handles, which hold it.
final class SocketWatch: CallbackContext {
    /// What libcurl waits for, or what a socket is ready for, in libcurl's bits.
    struct Events: OptionSet {
        let rawValue: Int32
        static let read = Self(rawValue: Int32(PATCHBAY_CURL_CSELECT_IN))
        static let write = Self(rawValue: Int32(PATCHBAY_CURL_CSELECT_OUT))
    }

    private struct State {
        /// The turn in which the socket of a connection was last ready to read.
        var arrival = 0
        /// The number of the multi handle with the socket.
        var multi: UInt32 = 0
        var wanted: Events = []
        var watched: Events = []
        /// Whether the socket was opened for a connection. Its closing is reported if a transfer had the connection
        /// (7.88.1 closes others, such as those of failed attempts, without a report).
        var isConnection = false
        /// Whether the socket became readable while libcurl waited for nothing on it.
        var hasUnasked = false
    }

    private let queue: patchbay_queue
    /// The states of the descriptors, by number. Without the exclusivity check at run time: no function here calls back.
    @exclusivity(unchecked) private var states = UnsafeMutableBufferPointer<State>(start: nil, count: 0)
    private var hasUnasked = false
    /// The errno of the first socket that could not be watched or released; 0 for none.
    @exclusivity(unchecked) private var error: Int32 = 0

    init() throws(TransportFailure) {
        Self.keepStandardInput()
        var queue = patchbay_queue()
        let error = patchbay_queue_open(&queue)
        guard error == 0 else { throw .unwatched(error) }
        self.queue = queue
        guard grow(to: 128) else { throw .unwatched(ENOMEM) }
    }

    deinit {
        patchbay_queue_close(queue)
        free(states.baseAddress)
    }

    /// Makes room for more descriptors. Returns false if there is no memory.
    private func grow(to count: Int) -> Bool {
        guard let memory = calloc(count, MemoryLayout<State>.stride)?.bindMemory(to: State.self, capacity: count) else {
            return false
        }
        memory.initialize(repeating: State(), count: count)
        if let old = states.baseAddress { memory.update(from: old, count: states.count) }
        free(states.baseAddress)
        states = UnsafeMutableBufferPointer(start: memory, count: count)
        return true
    }

    /// The state of a socket that was opened for a connection; nil for any other socket.
    private func connection(_ socket: Int32) -> UnsafeMutablePointer<State>? {
        guard socket >= 0, socket < states.count, let state = states.baseAddress?.advanced(by: Int(socket)) else {
            return nil
        }
        return state.pointee.isConnection ? state : nil
    }

    // MARK: What libcurl reports

    /// Notes that libcurl has opened the socket for a connection.
    func noteOpen(_ socket: Int32) {
        // Without memory, the socket is watched as libcurl's other sockets are.
        guard socket < states.count || grow(to: 2 * Int(socket)) else { return }
        states[Int(socket)] = State(isConnection: true)
    }

    /// Closes the socket of a connection. The socket of a failed attempt to connect can be closed without this call.
    func close(_ socket: Int32) -> Int32 {
        if let state = connection(socket) {
            // The queue forgets a closed socket by itself, but not while a child process has a copy of it.
            if !state.pointee.watched.isEmpty { watch(socket, state, for: []) }
            state.pointee = State()
        }
        return SystemCall.close(socket)
    }

    /// Notes what libcurl waits for on a socket.
    /// - Parameter isConnected: whether the transfer has a connection.
    func noteUse(of socket: Int32, by multi: UInt32, _ wanted: Events, isConnected: Bool) {
        guard let state = connection(socket) else { return watch(socket, of: multi, for: wanted, isWatched: false) }
        state.pointee.multi = multi
        state.pointee.wanted = wanted
        guard isConnected else { return watch(socket, state, for: wanted) }
        // Reading stays watched. It is also watched once the transfer has left the connection: if a response arrives at
        // once, libcurl 8 reads it without asking for reading.
        let watched = state.pointee.watched
        let kept = wanted.isEmpty ? .read : wanted.union(watched.intersection(.read))
        if kept != watched { watch(socket, state, for: kept) }
    }

    private func watch(_ socket: Int32, of multi: UInt32, for events: Events, isWatched: Bool) {
        let failed = patchbay_queue_set(queue, multi, socket, events.rawValue, isWatched ? 1 : 0)
        if error == 0 { error = failed }
    }

    private func watch(_ socket: Int32, _ state: UnsafeMutablePointer<State>, for events: Events) {
        let isWatched: Int32 = state.pointee.watched.isEmpty ? 0 : 1
        let failed = patchbay_queue_set(queue, state.pointee.multi, socket, events.rawValue, isWatched)
        state.pointee.watched = events
        state.pointee.hasUnasked = false
        guard failed != 0 else { return }
        // Of two attempts to connect, libcurl 7 closes the socket of the slower one, and reports only then that it waits
        // for nothing on it. By then, another thread can have a file with the same number.
        if state.pointee.wanted.isEmpty { state.pointee = State() } else if error == 0 { error = failed }
    }

    // MARK: What the loop asks

    /// The reason that one of libcurl's sockets is not watched; nil while all sockets are watched. The multi handles do
    /// not know of the failure: they must be closed, with every transfer, before they act again.
    var failure: TransportFailure? { error == 0 ? nil : .unwatched(error) }

    /// Whether libcurl waits for an event of the socket. If not, the multi handle must not act on the socket. Removes all
    /// other events. Called right before the action.
    func wants(_ ready: inout patchbay_ready, in turn: Int) -> Bool {
        guard let state = connection(ready.socket) else { return true }
        // Otherwise the event is that of a closed socket with the same number.
        guard state.pointee.multi == ready.multi else { return false }
        let (wanted, events) = (state.pointee.wanted, Events(rawValue: ready.what))
        // Without an event, the connection has failed or ended.
        if events.isEmpty || events.contains(.read) { state.pointee.arrival = turn }
        let isUnwanted = events.isEmpty ? wanted.isEmpty : !events.isDisjoint(with: .read.subtracting(wanted))
        if isUnwanted, patchbay_socket_peek(ready.socket) >= 0 {
            watch(ready.socket, state, for: wanted)
            if wanted.isEmpty { (state.pointee.hasUnasked, hasUnasked) = (true, true) }
        }
        ready.what &= wanted.rawValue
        return !wanted.isEmpty && (events.isEmpty || ready.what != 0)
    }

    /// Whether a connection has bytes that arrived while no transfer waited for them. Asked before a transfer sends its
    /// request on the connection.
    func hasUnaskedBytes(from localPort: Int32, to remote: UnsafePointer<CChar>, _ remotePort: Int32) -> Bool {
        // Hardly ever has a socket been left with bytes.
        guard hasUnasked else { return false }
        hasUnasked = false
        var isFound = false
        for number in 0..<states.count where states[number].hasUnasked {
            let socket = Int32(number)
            // A socket that is no longer readable had the bytes of a paused transfer, which has read them since. A
            // connection that is found is closed, so it is not found again.
            let isAsked = patchbay_socket_peek(socket) < 0
            let isThis = !isAsked && patchbay_socket_is_between(socket, localPort, remote, remotePort) != 0
            if isAsked || isThis { states[number].hasUnasked = false } else { hasUnasked = true }
            if isThis { isFound = true }
        }
        return isFound
    }

    /// The turn in which a connection was last ready to read; nil without such a connection.
    func lastArrival(from localPort: Int32, to remote: String, _ remotePort: Int) -> Int? {
        for number in 0..<states.count where states[number].isConnection {
            if patchbay_socket_is_between(Int32(number), localPort, remote, Int32(clamping: remotePort)) != 0 {
                return states[number].arrival
            }
        }
        return nil
    }

    // MARK: Waiting

    /// Waits for sockets, a wake-up or the deadline. Returns the number of ready sockets, or nil if it can't wait.
    func wait(until deadline: Int64, _ ready: UnsafeMutableBufferPointer<patchbay_ready>) -> Int? {
        guard let base = ready.baseAddress else { return nil }
        let now = Self.now
        // At most a minute, so that the numbers stay small; the waiting loop then checks and waits again.
        let left = deadline <= now ? 0 : min(deadline - now, 60_000_000_000)
        let count = patchbay_queue_wait(queue, left, base, Int32(clamping: ready.count))
        return count < 0 ? nil : Int(count)
    }

    /// Ends the current wait, or the next wait if no thread waits. Any thread can call this function.
    func wake() { patchbay_queue_wake(queue) }

    /// The nanoseconds of the monotonic clock, for deadlines.
    static var now: Int64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
    }

    /// Opens an empty file as standard input if standard input is closed. Called before a watch is opened, and after a
    /// failed name look-up.
    ///
    /// libcurl before 8.13 closes descriptor 0, whatever it refers to, if it has no memory for the lock of a look-up. If
    /// descriptor 0 were the watch, its loop would end and close descriptor 0 a second time, when it can already be the
    /// watch of the next loop. If standard input is open, the watch never gets descriptor 0.
    static func keepStandardInput() {
        guard fcntl(STDIN_FILENO, F_GETFD) < 0 else { return }
        let file = open("/dev/null", O_RDONLY)
        // Another thread can have opened a file with this number meanwhile.
        if file > STDIN_FILENO { SystemCall.close(file) }
    }
}
