public import Synchronization

/// A value behind a lock, a part of the object that owns it. Inside `withLock`: no `await` and no foreign code.
///
/// The lock is not recursive: whoever calls back into the owner with it held waits for itself for ever. So a signal is fired, a closure
/// called and a continuation resumed behind it, with what was copied out.
///
/// ThreadSanitizer does not see the slow path of `Mutex`. A build for it defines `PATCHBAY_THREAD_SANITIZER`, which puts an acquire
/// and a release beside the lock.
///
/// Inlinable, because a lock whose type is only known at run time costs more than what it guards.
@usableFromInline
package struct Guarded<Value: Sendable>: ~Copyable, Sendable {
    @usableFromInline let mutex: Mutex<Value>
    #if PATCHBAY_THREAD_SANITIZER
        @usableFromInline let edge = Atomic<Int>(0)
    #endif

    @inlinable
    package init(_ value: Value) { mutex = Mutex(value) }

    @inlinable
    package borrowing func withLock<Result: Sendable, Failure: Error>(
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
