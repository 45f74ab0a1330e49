import Synchronization

/// A value behind a lock. Inside `withLock`: no `await` and no foreign code.
///
/// ThreadSanitizer does not see the slow path of `Mutex`. A build for it defines `PATCHBAY_THREAD_SANITIZER`, which puts an acquire
/// and a release beside the lock.
package final class Guarded<Value: Sendable>: Sendable {
    private let mutex: Mutex<Value>
    #if PATCHBAY_THREAD_SANITIZER
        private let edge = Atomic<Int>(0)
    #endif

    package init(_ value: Value) { mutex = Mutex(value) }

    package func withLock<Result: Sendable, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try mutex.withLock { value throws(Failure) in
            #if PATCHBAY_THREAD_SANITIZER
                _ = edge.load(ordering: .acquiring)
                defer { edge.wrappingAdd(1, ordering: .releasing) }
            #endif
            return try body(&value)
        }
    }
}
