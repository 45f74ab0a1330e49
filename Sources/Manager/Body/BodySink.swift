// Bodies between a transport and another thread: memory, a file that is written in order, the reader of a stream, a
// request body that is fetched ahead. Except in memory, the bytes wait in a `BodyPipe`, which has a limit and makes the
// sender wait while it is full.

import PatchbayRegistry

/// The destination of an acceptable response body: memory, a file, or the reader of a stream. The body of an error
/// always goes into memory.
///
/// A sink is chosen for each exchange when the head arrives. A file and a stream are opened then, with the signal that
/// ends the exchange: they fire it, on any thread, if they can't or won't take more bytes. `open` and `append` run in
/// callbacks of the transport, one at a time, and must return at once: blocking work runs on another thread.
protocol BodySink: AnyObject, Sendable {
    /// Copies the next bytes. Returns `.wait` to get the bytes again later, or `.stop` to refuse them.
    func append(_ bytes: UnsafeRawBufferPointer) -> TransportFlow
}

/// A body in memory.
extension BodyBuffer: BodySink {
    /// Appends the bytes; stops if there is no memory for them.
    func append(_ bytes: UnsafeRawBufferPointer) -> TransportFlow {
        let isKept: Bool = append(bytes)
        return isKept ? .proceed : .stop
    }
}
