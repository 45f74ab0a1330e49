// The buffers between a transport and the consumer of its bytes: memory, a file that is written in order, the reader of
// a stream, a request body that is read ahead. Except for memory, each buffer has a limit and makes the sender wait
// while the buffer is full.

import PatchbayRegistry

/// The destination of an acceptable response body: memory, a file, or the reader of a stream. The body of an error
/// always goes into memory.
///
/// A sink is chosen for each exchange when the head arrives. `open` and `append` run in callbacks of the transport, one
/// at a time, and must return at once: blocking work runs on another thread.
protocol BodySink: AnyObject, Sendable {
    /// Prepares the sink for the body of a response. Starts blocking work, but doesn't wait for it.
    /// - Parameters:
    ///   - resumption: the use of the response; only a file can have a part of the body already.
    ///   - stop: ends the exchange. The sink calls `stop`, on any thread, if it can't take more bytes.
    func open(_ head: ResponseHead, _ resumption: Resumption, stop: @escaping @Sendable () -> Void)

    /// Copies the next bytes. Returns `.wait` to get the bytes again later, or `.stop` to refuse them.
    func append(_ bytes: UnsafeRawBufferPointer) -> TransportFlow

    /// The part of the body that is in memory.
    var body: ResponseBody { get }
}

/// A body in memory.
extension BodyBuffer: BodySink {
    /// Does nothing: memory needs no opening.
    func open(_ head: ResponseHead, _ resumption: Resumption, stop: @escaping @Sendable () -> Void) {}

    /// Appends the bytes; stops if there is no memory for them.
    func append(_ bytes: UnsafeRawBufferPointer) -> TransportFlow {
        let isKept: Bool = append(bytes)
        return isKept ? .proceed : .stop
    }

    var body: ResponseBody { finish() }
}
