import CPatchbayCurl
import PatchbayManager

/// The watch over the sockets of all multi handles of an `EventLoop`, which keep it alive.
///
/// Only one thread uses it at a time. `wait` and `wake` are exceptions, because they only use descriptors, which are
/// safe to use from several threads: a thread can take a turn and add sockets while the loop's own thread waits.
final class SocketWatch {
    let pointer: UnsafeMutableRawPointer

    init() throws(TransportFailure) {
        patchbay_keep_standard_input()
        var error: Int32 = 0
        guard let pointer = patchbay_watch_open(&error) else { throw .unwatched(error) }
        self.pointer = pointer
    }

    deinit { patchbay_watch_close(pointer) }

    /// Whether a connection has bytes that arrived while no transfer waited for them.
    func hasUnaskedBytes(from localPort: Int32, to remote: UnsafePointer<CChar>, _ remotePort: Int32) -> Bool {
        patchbay_watch_has_unasked(pointer, localPort, remote, remotePort) != 0
    }

    /// The turn in which a connection was last ready to read; nil without such a connection.
    func lastArrival(from localPort: Int32, to remote: String, _ remotePort: Int) -> Int? {
        let turn = patchbay_watch_last_arrival(pointer, localPort, remote, Int32(clamping: remotePort))
        return turn < 0 ? nil : Int(turn)
    }

    /// The reason that one of libcurl's sockets is not watched; nil while all sockets are watched.
    var failure: TransportFailure? {
        let error = patchbay_watch_failure(pointer)
        return error == 0 ? nil : .unwatched(error)
    }

    /// Waits for sockets, a wake-up or the deadline. Returns the number of ready sockets, or nil if it can't wait.
    func wait(until deadline: Int64, _ ready: UnsafeMutableBufferPointer<patchbay_ready>) -> Int? {
        guard let base = ready.baseAddress else { return nil }
        let count = patchbay_watch_wait(pointer, deadline, base, Int32(clamping: ready.count))
        return count < 0 ? nil : Int(count)
    }

    /// Ends the current wait, or the next wait if no thread waits. Any thread can call this function.
    func wake() { patchbay_watch_wake(pointer) }
}
