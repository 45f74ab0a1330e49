import PatchbayPlatform

/// Held by the thread whose turn it is.
///
/// `@unchecked Sendable`: raw memory that holds a mutex, which any thread may lock.
final class TurnLock: @unchecked Sendable {
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>

    init() {
        mutex = .allocate(capacity: 1)
        pthread_mutex_init(mutex, nil)
    }

    deinit {
        pthread_mutex_destroy(mutex)
        mutex.deallocate()
    }

    func lock() { pthread_mutex_lock(mutex) }

    /// False where another thread has it.
    func tryLock() -> Bool { pthread_mutex_trylock(mutex) == 0 }

    /// For the thread that has it.
    func unlock() { pthread_mutex_unlock(mutex) }
}
