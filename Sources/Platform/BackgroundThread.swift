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
        // A number in glibc, and a pointer in every other C library.
        #if canImport(Glibc)
            var thread = pthread_t()
        #else
            var thread: pthread_t?
        #endif
        let started = pthread_create(
            &thread, nil,
            { context in
                // Optional in C libraries that do not say that it is never null.
                let context: UnsafeMutableRawPointer? = context
                if let context { Unmanaged<Work>.fromOpaque(context).takeRetainedValue().body() }
                return nil
            }, work.toOpaque())
        if started == 0 {
            #if canImport(Glibc)
                pthread_detach(thread)
            #else
                if let thread { pthread_detach(thread) }
            #endif
        }
        if started != 0 { work.release() }
        return started == 0
    }
}
