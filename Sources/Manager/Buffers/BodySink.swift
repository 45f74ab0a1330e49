// The places where bytes wait between a transport and their consumer: memory, a file that is written in order, a reader
// of elements, a source that is read ahead. Each has a limit, and makes its sender wait.

import PatchbayRegistry

/// The destination of the bytes of an acceptable response while they arrive: memory, a file, or the reader of a stream.
/// The bytes of an error always go into memory.
///
/// A sink is chosen once for each exchange, when the head arrives. `open` and `append` are called in a turn of the
/// transport, one at a time, and must return at once: blocking work is done elsewhere.
protocol BodySink: Sendable {
    /// Gets the head of the response whose body follows. Blocking work is started, not awaited.
    /// - Parameter stop: ends the exchange, from any thread, if the bytes cannot be taken any more.
    /// - Returns: the number of bytes that a resumed file already has.
    func open(_ head: ResponseHead, stop: @escaping @Sendable () -> Void) -> Int

    /// Copies the next bytes, asks for them again later, or refuses them.
    func append(_ bytes: UnsafeRawBufferPointer) -> TransportFlow

    /// The part of the body that is in memory.
    var body: ResponseBody { get }
}

/// The bytes of one body.
struct MemorySink: BodySink {
    private let buffer: BodyBuffer

    /// - Parameter expected: the announced number of bytes, as a hint.
    init(expected: Int) { buffer = BodyBuffer(expected: expected) }

    /// Does nothing: memory needs no opening, and has no bytes yet.
    func open(_ head: ResponseHead, stop: @escaping @Sendable () -> Void) -> Int { 0 }

    /// Appends the bytes; stops if there is no memory for them.
    func append(_ bytes: UnsafeRawBufferPointer) -> TransportFlow { buffer.append(bytes) ? .proceed : .stop }

    var body: ResponseBody { buffer.finish() }
}
