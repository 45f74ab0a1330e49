import CPatchbayCurl
import PatchbayManager

/// libcurl's multi handle: a set of connections, which only its transfers use. A host whose connections must not be
/// used again gets another multi handle (`EventLoop.renewConnections`).
///
/// Only one thread uses it at a time, because libcurl has no locks of its own. It is closed when the loop, the hosts
/// and the transfers have released it. libcurl then closes its connections, and removes them from the watch.
final class MultiHandle {
    /// Loads libcurl. Called before the first multi handle is made.
    static func loadLibcurl() throws(TransportFailure) {
        switch patchbay_curl_start() {
        case PATCHBAY_CURL_READY: break
        case PATCHBAY_CURL_MISSING: throw TransportFailure.presentShortage ?? .noLibcurl
        default:
            throw TransportFailure.presentShortage ?? TransportFailure(.other, "libcurl cannot be made ready for use")
        }
    }

    /// The number by which the watch reports the sockets of this multi handle.
    let number: UInt32
    private let watch: SocketWatch
    private let pointer: UnsafeMutableRawPointer
    private let service: UnsafeMutableRawPointer

    init(_ number: UInt32, on watch: SocketWatch) throws(TransportFailure) {
        guard let pointer = patchbay_curl_multi_open() else { throw TransportFailure.presentShortage ?? .noHandle }
        let service = patchbay_watch_serve(
            watch.pointer, pointer, number,
            { Transfer.at($0).noteUse(of: $1, reads: $2 != 0, writes: $3 != 0) ? 1 : 0 })
        guard let service else {
            patchbay_curl_multi_close(pointer)
            throw .noHandle
        }
        (self.number, self.watch, self.pointer, self.service) = (number, watch, pointer, service)
        // From 8.20, libcurl would wait for running name look-ups when the multi handle is closed.
        set(PATCHBAY_CURLMOPT_QUICK_EXIT, 1)
    }

    deinit {
        patchbay_curl_multi_close(pointer)
        patchbay_watch_end_service(service)
    }

    func set(_ option: patchbay_curl_multi_option, _ value: Int) {
        _ = patchbay_curl_multi_set(pointer, option, Int64(value))
    }

    /// Adds the transfer. Returns whether libcurl accepted it.
    func add(_ easy: EasyHandle) -> Bool { patchbay_curl_multi_add(pointer, easy.pointer) == 0 }

    /// Removes the transfer, whatever its state. Its connection is kept if it can be used again.
    func remove(_ easy: EasyHandle) { _ = patchbay_curl_multi_remove(pointer, easy.pointer) }

    /// Acts on a ready socket. Returns false if libcurl can't continue: it must not be called again then.
    func act(on ready: patchbay_ready) -> Bool { patchbay_curl_multi_act(pointer, ready.socket, ready.what) == 0 }

    /// Acts if the deadline has passed. Returns false if libcurl can't continue: it must not be called again then.
    func actIfDue() -> Bool {
        patchbay_watch_falls_due(service) == 0 || patchbay_curl_multi_act_when_due(pointer) == 0
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

    /// The time at which `actIfDue` must be called, on the clock of `SocketWatch.wait`.
    var deadline: Int64 { patchbay_watch_deadline(service) }
}
