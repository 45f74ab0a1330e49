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
