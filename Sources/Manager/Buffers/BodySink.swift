// Where bytes wait between a transport and whoever takes them: memory, a file that is written in order, a reader of elements, a sender
// that is read ahead. Each has a limit, and tells its sender to wait.

import PatchbayRegistry

/// Where the bytes of an acceptable response go while they arrive: memory, a file, whoever reads its elements. Those of an error always
/// go to memory.
///
/// A sink is chosen when the head arrives, once an exchange. `open` and `append` are called in a turn of the transport, one at a
/// time, and return at once: what may block is done elsewhere.
protocol BodySink: Sendable {
    /// Takes the head of the response whose body comes next. What may block is begun, not awaited.
    /// - Parameter stop: ends the exchange, from any thread, where the bytes can no longer be taken.
    /// - Returns: how many bytes of the whole are there already, of a file that is resumed.
    func open(_ head: ResponseHead, stop: @escaping @Sendable () -> Void) -> Int

    /// Takes the next bytes, by copying them; or asks for them again later; or says that they cannot be taken.
    func append(_ bytes: UnsafeRawBufferPointer) -> TransportFlow

    /// What has come of it in memory.
    var body: ResponseBody { get }
}

/// The bytes of one body, one behind the other.
struct MemorySink: BodySink {
    private let buffer: BodyBuffer

    /// - Parameter expected: how many bytes are announced; a hint.
    init(expected: Int) { buffer = BodyBuffer(expected: expected) }

    /// Memory needs no opening, and has nothing of the body yet.
    func open(_ head: ResponseHead, stop: @escaping @Sendable () -> Void) -> Int { 0 }

    /// Copies the bytes to the end; stops where there is no memory for them.
    func append(_ bytes: UnsafeRawBufferPointer) -> TransportFlow { buffer.append(bytes) ? .proceed : .stop }

    var body: ResponseBody { buffer.finish() }
}

/// What waits between a sender and whoever takes it: so many bytes, or one piece of any size. Then the sender has to wait, until half
/// of that is gone.
struct Backlog: Sendable {
    private(set) var size = 0
    /// Fires when the sender may go on; nil where it does not wait.
    private var room: OneShot?
    /// When the last wait was over.
    var wentOn: ContinuousClock.Instant?

    init(wentOn: ContinuousClock.Instant? = nil) { self.wentOn = wentOn }

    /// Until when no byte was to move; nil where one always was.
    var rest: ContinuousClock.Instant? { room == nil ? wentOn : .now }

    /// Counts a piece in. Where there is no room for it: what fires when it is to be offered again.
    mutating func add(_ count: Int, limit: Int) -> OneShot? {
        guard size > 0, count > limit - size else {
            size += count
            return nil
        }
        let room = room ?? OneShot()
        self.room = room
        return room
    }

    /// Counts bytes out: what to fire, where that makes room enough.
    mutating func remove(_ count: Int, limit: Int) -> OneShot? {
        size -= count
        guard size <= limit / 2, let room else { return nil }
        self.room = nil
        wentOn = .now
        return room
    }

    mutating func removeAll() -> OneShot? { remove(size, limit: 0) }
}
