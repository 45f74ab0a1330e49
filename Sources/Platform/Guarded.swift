public import Synchronization

/// A value behind a lock, a part of the object that owns it. Inside `withLock`: no `await` and no foreign code.
///
/// The lock is not recursive: whoever calls back into the owner with it held ends the process. So a signal is fired, a closure
/// called and a continuation resumed behind it, with what was copied out. To let go of what others have handed in is to run code of
/// others too, their `deinit`: what is replaced or dropped leaves the lock, by `letGo` or `replace`.
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
            #if DEBUG
                HeldLocks.count += 1
                defer { HeldLocks.count -= 1 }
            #endif
            return try body(&value)
        }
    }
}

extension Guarded {
    /// Changes the value, and lets go of what `change` gives once the lock is given back.
    ///
    /// What a closure only returns is a value that nobody uses: the optimiser may let go of it where it was made, under the lock.
    @inlinable
    package borrowing func letGo<Dropped: Sendable>(_ change: (inout Value) -> Dropped) {
        let dropped = withLock(change)
        withExtendedLifetime(dropped) {}
    }

    /// Puts a value in place of the one there is, and lets go of that once the lock is given back.
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
    /// How many locks of ours this thread holds: for tests, which ask it where code of others is called or let go of. Nothing else tells
    /// the two apart, unless that code comes back for the very lock that is held. A release build does not count.
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
