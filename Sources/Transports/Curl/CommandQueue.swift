import CPatchbayCurl
import PatchbayManager
import PatchbayRegistry

/// What the loop thread has yet to do, and the way to wake it: once for a batch.
///
/// `@unchecked Sendable`: a CURLM handle. Off the loop thread it is only given to `curl_multi_wakeup`, which libcurl lets any
/// thread call, and closed when nobody, the loop included, refers to the queue any more.
final class CommandQueue: @unchecked Sendable {
    enum Command: Sendable {
        case start(Submission)
        /// Ends the exchange with this number, if it is still under way.
        case stop(Int)
        /// Offers the exchange with this number its waiting piece again.
        case resume(Int)
        /// No more exchanges will come.
        case end
    }

    /// Only for the loop thread.
    let multi: UnsafeMutableRawPointer
    private let commands = Guarded<[Command]>([])

    /// Made ready once in a process: libcurl asks for that before any other call.
    static let isReady = patchbay_curl_start() == 0

    init?() {
        guard Self.isReady, let multi = patchbay_curl_multi_open() else { return nil }
        self.multi = multi
    }

    deinit { patchbay_curl_multi_close(multi) }

    func send(_ command: Command) {
        let isFirst = commands.withLock { commands in
            commands.append(command)
            return commands.count == 1
        }
        if isFirst { _ = patchbay_curl_multi_wake(multi) }
    }

    func take() -> [Command] {
        commands.withLock { commands in
            defer { commands = [] }
            return commands
        }
    }
}
