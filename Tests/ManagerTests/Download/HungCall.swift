import Dispatch
import Foundation
import PatchbayPlatform
import TestSupport

@testable import PatchbayManager

/// A system call that does not return before the test lets it: the first so many that are made of it.
///
/// Where the code under test waits for it, it returns after half a minute by itself, and the test fails and does not hang.
final class HungCall: Sendable {
    private let gate = DispatchSemaphore(value: 0)
    private let state = Guarded((made: 0, over: 0, isExpired: false))
    private let limit: Int

    init(first limit: Int = 1) { self.limit = limit }

    /// How many hang, or have hung.
    var made: Int { state.withLock(\.made) }

    /// How many hang now.
    var count: Int { state.withLock { $0.made - $0.over } }

    /// Whether one was waited for until it returned by itself.
    var isExpired: Bool { state.withLock(\.isExpired) }

    func wait() {
        let hangs = state.withLock { state in
            guard state.made < limit else { return false }
            state.made += 1
            return true
        }
        guard hangs else { return }
        let isExpired = gate.wait(timeout: .now() + 30) == .timedOut
        state.withLock { state in
            state.over += 1
            if isExpired { state.isExpired = true }
        }
    }

    /// Lets some of them return.
    func end(_ count: Int = 1) { for _ in 0..<count { gate.signal() } }
}

extension TemporaryFolder {
    /// What this process has open in the folder, and the folder itself; nil where the system does not say.
    var openFiles: [String]? {
        guard let numbers = try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd") else { return nil }
        let path = url.resolvingSymlinksInPath().path
        return numbers.compactMap { try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/" + $0) }
            .filter { $0.hasPrefix(path) }
    }

    /// Whether nothing is in the folder, and nothing of it is open.
    var isUntouched: Bool { names == [] && openFiles ?? [] == [] }
}
