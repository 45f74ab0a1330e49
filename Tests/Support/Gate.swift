import PatchbayPlatform
import PatchbayRegistry

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Holds replies back until the test opens it; once open, it stays open.
public final class Gate: Sendable {
    /// Becomes readable when the gate opens.
    let descriptor: Int32
    private let writer: Guarded<Int32?>

    public init() {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { fatalError("no pipe for a gate: errno \(errno)") }
        // A child that a test starts would hold its copy of an end, and the gate shut.
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        descriptor = ends[0]
        writer = Guarded(ends[1])
    }

    deinit {
        open()
        close(descriptor)
    }

    public func open() {
        let end = writer.withLock { writer -> Int32? in
            defer { writer = nil }
            return writer
        }
        if let end { close(end) }
    }
}
