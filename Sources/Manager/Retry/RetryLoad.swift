import PatchbayPlatform
import PatchbayRegistry

/// Counts the requests and the retries of the last seconds, by host: the retry budget of a `RetryPolicy`.
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
        hosts.withLock { Self.change(&$0, host, in: Self.second(now)) { $0.requests += 1 } }
    }

    /// Counts one more retry, if it is allowed.
    /// - Parameters:
    ///   - share: the number of retries for each request.
    ///   - least: the number of retries that are allowed in any case.
    /// - Returns: the second that counts the retry; nil if no further retry is allowed in the window.
    func takeRetry(of host: CanonicalHost, share: Double, atLeast least: Int, at now: Double) -> Int? {
        let second = Self.second(now)
        return hosts.withLock { hosts in
            let recent = (hosts.all[host] ?? []).filter { Self.isRecent($0, at: second) }
            let requests = recent.reduce(0) { $0 + $1.requests }
            let retries = recent.reduce(0) { $0 + $1.retries }
            guard retries < least || Double(retries + 1) <= share * Double(requests) else { return nil }
            Self.change(&hosts, host, in: second) { $0.retries += 1 }
            return second
        }
    }

    /// Takes a retry out of the count of the second that counted it.
    func returnRetry(of host: CanonicalHost, takenIn second: Int) {
        hosts.withLock { hosts in
            // The slot can count a later second by now.
            guard hosts.all[host]?[Self.index(second)].second == second else { return }
            Self.change(&hosts, host, in: second) { $0.retries -= 1 }
        }
    }

    private static func change(
        _ hosts: inout (all: [CanonicalHost: [Slot]], most: Int), _ host: CanonicalHost, in second: Int,
        _ change: (inout Slot) -> Void
    ) {
        if hosts.all.count > hosts.most {
            hosts.all = hosts.all.filter { $0.value.contains { isRecent($0, at: second) } }
            hosts.most = max(mostHosts, 2 * hosts.all.count)
        }
        var slots = hosts.all.removeValue(forKey: host) ?? [Slot](repeating: Slot(), count: window)
        // The slot has the counts of another second: an earlier second or, if the clock was set back, a later second.
        if slots[index(second)].second != second { slots[index(second)] = Slot(second: second) }
        change(&slots[index(second)])
        hosts.all[host] = slots
    }

    private static func second(_ now: Double) -> Int { now.isFinite ? Int(min(max(now, 0), 1e15)) : 0 }

    private static func isRecent(_ slot: Slot, at second: Int) -> Bool {
        slot.second <= second && slot.second > second - window
    }

    private static func index(_ second: Int) -> Int { second % window }
}
