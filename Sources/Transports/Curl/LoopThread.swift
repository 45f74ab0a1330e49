#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Starts the thread of a transport.
enum LoopThread {
    private final class Work: Sendable {
        let run: @Sendable () -> Void
        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }

    /// False where the system has no thread to give.
    static func start(_ run: @escaping @Sendable () -> Void) -> Bool {
        let work = Unmanaged.passRetained(Work(run))
        #if canImport(Glibc)
            var thread = pthread_t()
            let result = pthread_create(&thread, nil, { LoopThread.main($0) }, work.toOpaque())
            let handle: pthread_t? = thread
        #else
            var thread: pthread_t?
            let result = pthread_create(&thread, nil, { LoopThread.main($0) }, work.toOpaque())
            let handle = thread
        #endif
        guard result == 0, let handle else {
            work.release()
            return false
        }
        pthread_detach(handle)
        return true
    }

    private static func main(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
        guard let argument else { return nil }
        BrokenPipeSignal.block()
        Unmanaged<Work>.fromOpaque(argument).takeRetainedValue().run()
        return nil
    }
}
