public import Synchronization

/// A value behind a lock, stored inside the object that owns it. The code inside `withLock` must not `await` and must
/// not call foreign code: code from outside the owner, such as closures of callers.
///
/// The lock is not recursive: calling back into the owner under the lock ends the process. So copy values out, and fire
/// signals, call closures and resume continuations after `withLock`. Releasing a foreign object runs its `deinit`,
/// which is foreign code too. Take replaced or dropped values out of the lock with `letGo` or `replace`.
///
/// ThreadSanitizer does not see the slow path of `Mutex`. A build for it defines `PATCHBAY_THREAD_SANITIZER`, which
/// puts an acquire and a release beside the lock.
///
/// Inlinable, because a lock whose type is only known at run time costs more than the work that it guards.
@usableFromInline
package struct Guarded<Value: Sendable>: ~Copyable, Sendable {
    @usableFromInline let mutex: Mutex<Value>
    #if PATCHBAY_THREAD_SANITIZER
        @usableFromInline let edge = Atomic<Int>(0)
    #endif

    @inlinable
    package init(_ value: consuming Value) { mutex = Mutex(value) }

    @inlinable
    package borrowing func withLock<Result: Sendable, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try mutex.withLock { value throws(Failure) in
            #if PATCHBAY_THREAD_SANITIZER
                _ = edge.load(ordering: .acquiring)
                defer { edge.wrappingAdd(1, ordering: .releasing) }
            #endif
            #if DEBUG
                HeldLocks.count += 1
                defer { HeldLocks.count -= 1 }
            #endif
            return try body(&value)
        }
    }
}

extension Guarded {
    /// Changes the value, and releases the result of `change` after unlocking.
    ///
    /// A plain `withLock` is not enough: its result is unused, so the optimiser is allowed to release the result where
    /// it was made, under the lock.
    @inlinable
    package borrowing func letGo<Dropped: Sendable>(_ change: (inout Value) -> Dropped) {
        let dropped = withLock(change)
        withExtendedLifetime(dropped) {}
    }

    /// Replaces the value, and releases the old one after unlocking.
    @inlinable
    package borrowing func replace(by value: Value) {
        letGo { current in
            let dropped = current
            current = value
            return dropped
        }
    }
}

#if DEBUG
    /// The number of `Guarded` locks that this thread holds. Tests check the number where foreign code is called or
    /// released. Without this check, a call under a lock shows only if the foreign code takes the same lock again. A
    /// release build does not maintain this number.
    @usableFromInline
    package enum HeldLocks {
        private static let key: pthread_key_t = {
            var key = pthread_key_t()
            pthread_key_create(&key, nil)
            return key
        }()

        @usableFromInline package static var count: Int {
            get { Int(bitPattern: pthread_getspecific(key)) }
            set { pthread_setspecific(key, UnsafeRawPointer(bitPattern: newValue)) }
        }
    }
#endif
