import CPatchbayCurl

/// libcurl's multi handle with the watch over its sockets. Whoever opens it closes it.
///
/// For one thread at a time, but for `wait` and `wake`, which only touch the watch.
struct MultiHandle {
    private let pointer: UnsafeMutableRawPointer
    private let watch: UnsafeMutableRawPointer

    /// Makes libcurl ready if it is not yet, which it asks for before any other call; false where that fails now.
    static var isLibcurlReady: Bool { patchbay_curl_start() == 0 }

    init?() {
        guard Self.isLibcurlReady, let watch = patchbay_watch_open() else { return nil }
        guard let pointer = patchbay_curl_multi_open() else {
            patchbay_watch_close(watch)
            return nil
        }
        (self.pointer, self.watch) = (pointer, watch)
        guard patchbay_watch_serve(watch, pointer) == 0 else {
            close()
            return nil
        }
    }

    func close() {
        patchbay_curl_multi_close(pointer)
        patchbay_watch_close(watch)
    }

    func set(_ option: patchbay_curl_multi_option, _ value: Int) {
        _ = patchbay_curl_multi_set(pointer, option, Int64(value))
    }

    /// Whether libcurl took it.
    func add(_ easy: EasyHandle) -> Bool { patchbay_curl_multi_add(pointer, easy.pointer) == 0 }

    func remove(_ easy: EasyHandle) { _ = patchbay_curl_multi_remove(pointer, easy.pointer) }

    /// Does what the sockets are ready for, and what is due; false where libcurl cannot go on.
    func act(on ready: some Sequence<patchbay_ready>) -> Bool {
        var isFine = true
        for socket in ready where patchbay_curl_multi_act(pointer, socket.socket, socket.what) != 0 { isFine = false }
        guard patchbay_watch_falls_due(watch) != 0 else { return isFine }
        return patchbay_curl_multi_act_when_due(pointer) == 0 && isFine
    }

    /// The context of the next transfer that is over, and how it ended.
    func nextEnd() -> (context: UnsafeMutableRawPointer, code: patchbay_curl_code)? {
        var code: Int32 = 0
        return patchbay_curl_multi_next(pointer, &code).map { ($0, patchbay_curl_code(UInt32(clamping: code))) }
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
