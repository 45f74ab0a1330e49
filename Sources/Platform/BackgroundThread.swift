/// Runs code that blocks on a new thread, away from the threads that Swift's tasks share.
package enum BackgroundThread {
    private final class Work: Sendable {
        let body: @Sendable () -> Void
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }

    package static func start(_ body: @escaping @Sendable () -> Void) -> Bool {
        // The thread owns one reference to `work`, passed as a raw pointer, and releases it when the body returns. If
        // no thread was started, the reference is released here.
        let work = Unmanaged.passRetained(Work(body))
        #if !canImport(Darwin)
            var thread = pthread_t()
            let started = pthread_create(
                &thread, nil,
                { context in
                    guard let context else { return nil }
                    Unmanaged<Work>.fromOpaque(context).takeRetainedValue().body()
                    return nil
                }, work.toOpaque())
            if started == 0 { pthread_detach(thread) }
        #else
            var thread: pthread_t?
            let started = pthread_create(
                &thread, nil,
                { context in
                    Unmanaged<Work>.fromOpaque(context).takeRetainedValue().body()
                    return nil
                }, work.toOpaque())
            if started == 0, let thread { pthread_detach(thread) }
        #endif
        if started != 0 { work.release() }
        return started == 0
    }
}
