/// Runs a body that blocks on a thread of its own, away from the threads that Swift's tasks share.
package enum BackgroundThread {
    private final class Work: Sendable {
        let body: @Sendable () -> Void
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }

    package static func start(_ body: @escaping @Sendable () -> Void) -> Bool {
        // The thread gets a plain pointer with one reference in it, which it takes over, and so gives back when the body returns.
        // Where no thread was started nobody else ever will, and it is given back here.
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
