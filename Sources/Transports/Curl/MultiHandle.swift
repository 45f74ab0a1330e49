import CPatchbayCurl
import PatchbayManager

/// libcurl's multi handle: a set of connections, which only its transfers use. A host whose connections must not be
/// used again gets another multi handle (`EventLoop.renewConnections`).
///
/// Only one thread uses it at a time, because libcurl has no locks of its own. It is closed when the loop, the hosts
/// and the transfers have released it. libcurl then closes its connections, and removes them from the watch.
final class MultiHandle: CallbackContext {
    /// Loads libcurl. Called before the first multi handle is made.
    static func loadLibcurl() throws(TransportFailure) {
        let state = patchbay_curl_start()
        guard state != PATCHBAY_CURL_READY else { return }
        let unready = TransportFailure(.other, "libcurl cannot be made ready for use")
        throw TransportFailure.presentShortage ?? (state == PATCHBAY_CURL_MISSING ? .noLibcurl : unready)
    }

    /// The number by which the watch reports the sockets of this multi handle.
    let number: UInt32
    private let watch: SocketWatch
    private let pointer: UnsafeMutableRawPointer
    /// The time at which `actIfDue` must be called, on the clock of `SocketWatch.wait`.
    @exclusivity(unchecked) private(set) var deadline = Int64.max

    init(_ number: UInt32, on watch: SocketWatch) throws(TransportFailure) {
        guard let pointer = patchbay_curl_multi_open() else {
            throw TransportFailure.presentShortage ?? .noHandle
        }
        (self.number, self.watch, self.pointer) = (number, watch, pointer)
        let failed = patchbay_curl_multi_report(
            pointer,
            { easy, socket, what, context, _ in
                let multi = MultiHandle.at(context)
                let events = SocketWatch.Events(rawValue: what).intersection([.read, .write])
                // libcurl's internal handles, which close connections, have no transfer.
                let isConnected = patchbay_curl_context(easy).map { Transfer.at($0).noteUse(of: socket, events) }
                multi.watch.noteUse(of: socket, by: multi.number, events, isConnected: isConnected ?? false)
                // Never -1, even if the socket is not watched: libcurl 7.88.1 would leave its lists of sockets
                // inconsistent, and its next action would read freed transfers. libcurl continues as if the watch had
                // worked. No transfer waits forever for such a socket, because the loop checks for the failure at the
                // end of the same turn, and closes.
                return 0
            },
            { _, milliseconds, context in
                MultiHandle.at(context).deadline =
                    milliseconds < 0 ? .max : SocketWatch.now &+ Int64(milliseconds) &* 1_000_000
                return 0
            }, context)
        guard failed == 0 else { throw .noHandle }
        // From 8.20, libcurl would wait for running name look-ups when the multi handle is closed.
        set(PATCHBAY_CURLMOPT_QUICK_EXIT, 1)
    }

    /// libcurl calls back while it closes its connections.
    deinit { patchbay_curl_multi_close(pointer) }

    func set(_ option: patchbay_curl_multi_option, _ value: Int) {
        _ = patchbay_curl_multi_set(pointer, option, Int64(value))
    }

    /// Adds the transfer. Returns whether libcurl accepted it.
    func add(_ easy: EasyHandle) -> Bool { patchbay_curl_multi_add(pointer, easy.pointer) == 0 }

    /// Removes the transfer, whatever its state. Its connection is kept if it can be used again.
    func remove(_ easy: EasyHandle) { _ = patchbay_curl_multi_remove(pointer, easy.pointer) }

    /// Acts on a ready socket. Returns false if libcurl can't continue: it must not be called again then.
    func act(on ready: patchbay_ready) -> Bool { patchbay_curl_multi_act(pointer, ready.socket, ready.what) == 0 }

    /// Starts the added transfers and ends expired waits, if the deadline has passed. Returns false if libcurl can't
    /// continue: it must not be called again then.
    func actIfDue() -> Bool {
        guard deadline != .max, deadline <= SocketWatch.now else { return true }
        // libcurl reports the next deadline, if there is one.
        deadline = .max
        return patchbay_curl_multi_act(pointer, Int32(PATCHBAY_CURL_SOCKET_TIMEOUT), 0) == 0
    }

    /// The context of the next ended transfer, with its code.
    func nextEnd() -> (context: UnsafeMutableRawPointer, code: patchbay_curl_code)? {
        var number: Int32 = 0
        guard let context = patchbay_curl_multi_next(pointer, &number) else { return nil }
        let code = patchbay_curl_code(UInt32(clamping: number))
        if code == PATCHBAY_CURLE_COULDNT_RESOLVE_HOST || code == PATCHBAY_CURLE_COULDNT_RESOLVE_PROXY {
            SocketWatch.keepStandardInput()
        }
        return (context, code)
    }
}
