import PatchbayPlatform
import PatchbayRegistry
import Synchronization
import TestSupport

@testable import PatchbayManager

/// An object of a caller's that uses the manager when nobody holds it any more, and ends the process where a lock of ours is held then.
final class Parting: Error, Sendable {
    private static let count = Atomic<Int>(0)
    private let use: @Sendable () -> Void

    /// How many have gone.
    static var gone: Int { count.load(ordering: .acquiring) }

    /// - Parameter use: what it does when it goes, before it uses the manager.
    init(_ manager: SessionManager? = nil, cancels: Bool = false, _ use: @escaping @Sendable () -> Void = {}) {
        self.use = { [weak manager] in
            use()
            if let manager { Self.use(manager, cancels: cancels) }
        }
    }

    deinit {
        Self.look("an object of the caller's is let go of")
        use()
        Self.count.add(1, ordering: .releasing)
    }

    /// For closures that hold it: they are called without a lock as well.
    func isCalled() { Self.look("code of the caller's is called") }

    static func look(_ what: String) {
        #if DEBUG
            precondition(HeldLocks.count == 0, "\(what) with a lock held")
        #endif
    }

    /// Everything that takes a lock and returns at once.
    private static func use(_ manager: SessionManager, cancels: Bool) {
        manager.setHeader("1", for: "X-Parting")
        _ = manager.headers
        manager.registry = manager.registry
        for task in manager.tasks {
            task.label = "seen"
            _ = (task.state, task.retries, task.downloadProgress, task.description)
            task.whenCancelled {}
            if cancels { task.cancel() }
        }
        let task = manager.held(SessionRequest("parting"))
        task.task.hold()
        task.cancel()
        _ = manager.taskList.timeoutCount
    }

    /// Returns once so many more have gone than were before.
    static func areGone(_ count: Int, since before: Int) async throws {
        try await until { gone - before >= count }
    }
}

/// Bytes that end with an object of the caller's.
func partingData(_ text: String, _ parting: Parting) -> Data {
    let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: text.utf8.count, alignment: 1)
    bytes.copyBytes(from: text.utf8)
    guard let base = bytes.baseAddress else { return Data() }
    let address = Int(bitPattern: base)
    return Data(
        bytesNoCopy: base, count: bytes.count,
        deallocator: .custom { _, _ in
            parting.isCalled()
            UnsafeMutableRawPointer(bitPattern: address)?.deallocate()
        })
}

/// Stands still at the first event until its gate is open.
final class StillObserver: SessionObserver {
    let isReached = OneShot()
    let gate = OneShot()
    var wantsBodies: Bool { true }

    func observe(_ event: SessionEvent) async {
        isReached.fire()
        await gate.fired()
    }
}
