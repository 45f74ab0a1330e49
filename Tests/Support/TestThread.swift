#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Threads for test servers, which may block as they like.
enum TestThread {
    struct NotStarted: Error { let number: Int32 }

    private final class Work: Sendable {
        let run: @Sendable () -> Void
        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }

    static func start(_ name: String, _ run: @escaping @Sendable () -> Void) throws {
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        defer { pthread_attr_destroy(&attributes) }
        pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
        pthread_attr_setstacksize(&attributes, 512 << 10)
        let work = Unmanaged.passRetained(Work(run))
        #if canImport(Glibc)
            var thread = pthread_t()
            let result = pthread_create(
                &thread, &attributes,
                { argument in
                    guard let argument else { return nil }
                    Unmanaged<Work>.fromOpaque(argument).takeRetainedValue().run()
                    return nil
                }, work.toOpaque())
        #else
            var thread: pthread_t?
            let result = pthread_create(
                &thread, &attributes,
                { argument in
                    Unmanaged<Work>.fromOpaque(argument).takeRetainedValue().run()
                    return nil
                }, work.toOpaque())
        #endif
        guard result == 0 else {
            work.release()
            throw NotStarted(number: result)
        }
    }
}
