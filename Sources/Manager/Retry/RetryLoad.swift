import PatchbayPlatform
import PatchbayRegistry

/// Counts the requests and the retries of the last seconds, by host.
final class RetryLoad: Sendable {
    /// The number of seconds whose counts are used.
    private static let window = 10
    /// If there are more hosts than this number, the hosts without a request or a retry in the window are removed.
    private static let mostHosts = 256

    /// The counts of one host in one second.
    private struct Slot {
        var second = -1
        var requests = 0
        var retries = 0
    }

    /// The slots of the last seconds, by host. The slot of a second is at the index `second % window`.
    private let hosts = Guarded<(all: [CanonicalHost: [Slot]], most: Int)>(([:], mostHosts))

    func noteRequest(to host: CanonicalHost, at now: Double) {
        change(host, at: now) { slots, second in
            slots[Self.index(second)].requests += 1
            return true
        }
    }

    /// Counts one more retry, if it is allowed.
    /// - Parameters:
    ///   - share: the number of retries for each request.
    ///   - least: the number of retries that are allowed in any case.
    /// - Returns: false if no further retry is allowed in the window.
    func takeRetry(of host: CanonicalHost, share: Double, atLeast least: Int, at now: Double) -> Bool {
        change(host, at: now) { slots, second in
            let recent = slots.filter { Self.isRecent($0, at: second) }
            let requests = recent.reduce(0) { $0 + $1.requests }
            let retries = recent.reduce(0) { $0 + $1.retries }
            guard retries < least || Double(retries + 1) <= share * Double(requests) else { return false }
            slots[Self.index(second)].retries += 1
            return true
        }
    }

    @discardableResult
    private func change(_ host: CanonicalHost, at now: Double, _ change: (inout [Slot], Int) -> Bool) -> Bool {
        let second = now.isFinite ? Int(min(max(now, 0), 1e15)) : 0
        return hosts.withLock { hosts in
            if hosts.all.count > hosts.most {
                hosts.all = hosts.all.filter { $0.value.contains { Self.isRecent($0, at: second) } }
                hosts.most = max(Self.mostHosts, 2 * hosts.all.count)
            }
            return Self.change(&hosts.all[host, default: [Slot](repeating: Slot(), count: Self.window)], second, change)
        }
    }

    private static func change(
        _ slots: inout [Slot], _ second: Int, _ change: (inout [Slot], Int) -> Bool
    ) -> Bool {
        // The slot has the counts of another second: an earlier second or, if the clock was set back, a later second.
        if slots[index(second)].second != second { slots[index(second)] = Slot(second: second) }
        return change(&slots, second)
    }

    private static func isRecent(_ slot: Slot, at second: Int) -> Bool {
        slot.second <= second && slot.second > second - window
    }

    private static func index(_ second: Int) -> Int { second % window }
}
