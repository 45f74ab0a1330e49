/// The bytes of a body from the start of an element whose end has not arrived, for a parser that reads them together
/// with the next piece. `ElementBuffer` is for parsers that find the end of an element in the piece alone.
package struct UnfinishedElement: Sendable {
    private var bytes: [UInt8] = []

    package init() {}

    /// Reads the next piece of the body.
    /// - Parameter read: reads the elements that end in the bytes, which begin with an element. Returns the number of
    ///   bytes that are no longer needed.
    package mutating func add(
        _ piece: UnsafeBufferPointer<UInt8>, _ read: (UnsafeBufferPointer<UInt8>) throws -> Int
    ) rethrows {
        guard !bytes.isEmpty else {
            let used = try read(piece)
            return bytes.append(contentsOf: piece[used...])
        }
        bytes.append(contentsOf: piece)
        // If an element has ended, the remaining bytes came with this piece, so no byte is moved twice.
        let used = try bytes.withUnsafeBufferPointer(read)
        if used > 0 { bytes.removeFirst(used) }
    }

    /// Reads the last element, whose end is the end of the body, unless no bytes are left.
    package func finish(_ read: (UnsafeBufferPointer<UInt8>) throws -> Void) rethrows {
        if !bytes.isEmpty { try bytes.withUnsafeBufferPointer(read) }
    }
}
