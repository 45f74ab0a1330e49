import CPatchbayCurl
import PatchbayManager

/// libcurl's multi handle with the watch over its sockets. Whoever opens it closes it.
///
/// For one thread at a time: libcurl has no locks of its own here. `wait` and `wake` are the exceptions, because they touch the watch
/// alone, whose files the kernel guards: a thread may take a turn, and have sockets added, while the loop's own waits for them.
struct MultiHandle {
    private let pointer: UnsafeMutableRawPointer
    private let watch: UnsafeMutableRawPointer

    /// Makes libcurl ready if it is not yet, which it asks for before any other call; false where that fails now.
    static var isLibcurlReady: Bool { patchbay_curl_start() == PATCHBAY_CURL_READY }

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
        guard
            patchbay_watch_serve(watch, pointer, { Transfer.at($0).noteUse(of: $1, reads: $2 != 0, writes: $3 != 0) })
                == 0
        else {
            close()
            throw .noHandle
        }
    }

    /// After every transfer is off it. libcurl closes its connections, and asks nothing more of the watch than to forget them.
    func close() {
        patchbay_curl_multi_close(pointer)
        patchbay_watch_close(watch)
    }

    func set(_ option: patchbay_curl_multi_option, _ value: Int) {
        _ = patchbay_curl_multi_set(pointer, option, Int64(value))
    }

    /// Whether libcurl took it.
    func add(_ easy: EasyHandle) -> Bool { patchbay_curl_multi_add(pointer, easy.pointer) == 0 }

    /// Takes the transfer off, whatever it is doing; its connection is kept where that can be used again.
    func remove(_ easy: EasyHandle) { _ = patchbay_curl_multi_remove(pointer, easy.pointer) }

    /// Does what the sockets are ready for, and what is due; false where libcurl cannot go on, and must not be asked to again.
    func act(on ready: some Sequence<patchbay_ready>) -> Bool {
        for socket in ready where patchbay_curl_multi_act(pointer, socket.socket, socket.what) != 0 { return false }
        return patchbay_watch_falls_due(watch) == 0 || patchbay_curl_multi_act_when_due(pointer) == 0
    }

    /// Why one of libcurl's sockets is not watched as it should be; nil while all are.
    var failure: TransportFailure? {
        let error = patchbay_watch_failure(watch)
        return error == 0 ? nil : .unwatched(error)
    }

    /// The context of the next transfer that is over, and how it ended.
    func nextEnd() -> (context: UnsafeMutableRawPointer, code: patchbay_curl_code)? {
        var number: Int32 = 0
        guard let context = patchbay_curl_multi_next(pointer, &number) else { return nil }
        let code = patchbay_curl_code(UInt32(clamping: number))
        if code == PATCHBAY_CURLE_COULDNT_RESOLVE_HOST || code == PATCHBAY_CURLE_COULDNT_RESOLVE_PROXY {
            patchbay_keep_standard_input()
        }
        return (context, code)
    }

    /// When libcurl wants to act though no socket is ready, on the clock of `wait`.
    var deadline: Int64 { patchbay_watch_deadline(watch) }

    /// Waits for sockets, a wake-up or the deadline, and says how many sockets are ready; nil where it cannot wait.
    func wait(until deadline: Int64, _ ready: UnsafeMutableBufferPointer<patchbay_ready>) -> Int? {
        guard let base = ready.baseAddress else { return nil }
        let count = patchbay_watch_wait(watch, deadline, base, Int32(clamping: ready.count))
        return count < 0 ? nil : Int(count)
    }

    /// Ends a wait, now or when it comes; any thread may.
    func wake() { patchbay_watch_wake(watch) }
}
