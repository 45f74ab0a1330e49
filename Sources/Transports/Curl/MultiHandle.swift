import CPatchbayCurl
import PatchbayManager

/// libcurl's multi handle, and the watch over its sockets. The code that makes a `MultiHandle` closes it.
///
/// Only one thread uses it at a time, because libcurl has no locks of its own. `wait` and `wake` are exceptions,
/// because they only use the watch, whose descriptors are safe to use from several threads: a thread can take a turn
/// and add sockets while the loop's own thread waits.
struct MultiHandle {
    private let pointer: UnsafeMutableRawPointer
    private let watch: UnsafeMutableRawPointer

    init() throws(TransportFailure) {
        switch patchbay_curl_start() {
        case PATCHBAY_CURL_READY: break
        case PATCHBAY_CURL_MISSING: throw TransportFailure.presentShortage ?? .noLibcurl
        default:
            throw TransportFailure.presentShortage ?? TransportFailure(.other, "libcurl cannot be made ready for use")
        }
        patchbay_keep_standard_input()
        var error: Int32 = 0
        guard let watch = patchbay_watch_open(&error) else { throw .unwatched(error) }
        guard let pointer = patchbay_curl_multi_open() else {
            patchbay_watch_close(watch)
            throw TransportFailure.presentShortage ?? .noHandle
        }
        (self.pointer, self.watch) = (pointer, watch)
        let isServed = patchbay_watch_serve(
            watch, pointer, { Transfer.at($0).noteUse(of: $1, reads: $2 != 0, writes: $3 != 0) ? 1 : 0 })
        guard isServed == 0 else {
            close()
            throw .noHandle
        }
    }

    /// Called after every transfer was removed. libcurl closes its connections, and removes them from the watch.
    func close() {
        patchbay_curl_multi_close(pointer)
        patchbay_watch_close(watch)
    }

    func set(_ option: patchbay_curl_multi_option, _ value: Int) {
        _ = patchbay_curl_multi_set(pointer, option, Int64(value))
    }

    /// Makes a handle for transfers of this multi handle. Nil if there is no memory.
    func makeEasyHandle() -> EasyHandle? { EasyHandle(watch: watch) }

    /// Adds the transfer. Returns whether libcurl accepted it.
    func add(_ easy: EasyHandle) -> Bool { patchbay_curl_multi_add(pointer, easy.pointer) == 0 }

    /// Removes the transfer, whatever its state. Its connection is kept if it can be used again.
    func remove(_ easy: EasyHandle) { _ = patchbay_curl_multi_remove(pointer, easy.pointer) }

    /// Whether a connection has bytes that arrived while no transfer waited for them.
    func hasUnaskedBytes(from localPort: Int32, to remote: UnsafePointer<CChar>, _ remotePort: Int32) -> Bool {
        patchbay_watch_has_unasked(watch, localPort, remote, remotePort) != 0
    }

    /// Acts on ready sockets and due timeouts. Returns false if libcurl can't continue: it must not be called again
    /// then.
    func act(on ready: some Sequence<patchbay_ready>) -> Bool {
        for socket in ready {
            var socket = socket
            guard patchbay_watch_wants(watch, &socket) != 0 else { continue }
            guard patchbay_curl_multi_act(pointer, socket.socket, socket.what) == 0 else { return false }
        }
        return patchbay_watch_falls_due(watch) == 0 || patchbay_curl_multi_act_when_due(pointer) == 0
    }

    /// The reason that one of libcurl's sockets is not watched; nil while all sockets are watched.
    var failure: TransportFailure? {
        let error = patchbay_watch_failure(watch)
        return error == 0 ? nil : .unwatched(error)
    }

    /// The context of the next ended transfer, with its code.
    func nextEnd() -> (context: UnsafeMutableRawPointer, code: patchbay_curl_code)? {
        var number: Int32 = 0
        guard let context = patchbay_curl_multi_next(pointer, &number) else { return nil }
        let code = patchbay_curl_code(UInt32(clamping: number))
        if code == PATCHBAY_CURLE_COULDNT_RESOLVE_HOST || code == PATCHBAY_CURLE_COULDNT_RESOLVE_PROXY {
            patchbay_keep_standard_input()
        }
        return (context, code)
    }

    /// The time of libcurl's next timeout, on the clock of `wait`.
    var deadline: Int64 { patchbay_watch_deadline(watch) }

    /// Waits for sockets, a wake-up or the deadline. Returns the number of ready sockets, or nil if it can't wait.
    func wait(until deadline: Int64, _ ready: UnsafeMutableBufferPointer<patchbay_ready>) -> Int? {
        guard let base = ready.baseAddress else { return nil }
        let count = patchbay_watch_wait(watch, deadline, base, Int32(clamping: ready.count))
        return count < 0 ? nil : Int(count)
    }

    /// Ends the current wait, or the next wait if no thread waits. Any thread can call this function.
    func wake() { patchbay_watch_wake(watch) }
}
