/// The beginning of an element whose end has not come yet.
///
/// An element that lies in one piece of a body is lent as it lies there, and only one on which a piece ends is copied: each byte once.
package struct ElementBuffer: Sendable {
    /// How many bytes one element may take.
    package let limit: Int
    /// Memory that can be grown where it lies, as that of an array cannot. A copy of this value that wants to write takes memory of
    /// its own first.
    private var memory = BodyBuffer()
    /// How many bytes at the start are none of the element.
    private var start = 0
    /// Whether what is kept was lent as a whole element, and gives way to the next.
    private var isLent = false

    package init(limit: Int) { self.limit = limit }

    /// How many bytes are kept of an element without its end.
    package var count: Int { isLent ? 0 : memory.count - start }

    /// What is kept, until this value changes.
    package var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: memory.bytes[start...]) }

    /// Keeps more of the element.
    package mutating func keep(_ bytes: UnsafeRawBufferPointer) throws(ElementLimitExceeded) {
        if isLent { removeAll() }
        guard !bytes.isEmpty else { return }
        guard bytes.count <= limit - count else { throw ElementLimitExceeded(limit: limit) }
        takeMemory()
        // Only where there is no memory, which is a limit too.
        guard memory.append(bytes) else { throw ElementLimitExceeded(limit: memory.count) }
    }

    /// The element that ends with these bytes, until this value changes: they alone, where nothing is kept.
    package mutating func element(
        endingWith bytes: UnsafeRawBufferPointer
    ) throws(ElementLimitExceeded) -> UnsafeRawBufferPointer {
        if isLent { removeAll() }
        if count == 0 {
            guard bytes.count <= limit else { throw ElementLimitExceeded(limit: limit) }
            return bytes
        }
        try keep(bytes)
        isLent = true
        return self.bytes
    }

    /// Hands the last bytes of the element that is lent over to another buffer, without a copy; false where none is lent, because
    /// the element lies in a piece.
    package mutating func move(last count: Int, to other: inout ElementBuffer) throws(ElementLimitExceeded) -> Bool {
        guard isLent else { return false }
        guard count <= other.limit else { throw ElementLimitExceeded(limit: other.limit) }
        swap(&memory, &other.memory)
        other.start = other.memory.count - count
        other.isLent = false
        removeAll()
        return true
    }

    /// Forgets what is kept.
    package mutating func removeAll() {
        isLent = false
        start = 0
        if isKnownUniquelyReferenced(&memory) { memory.removeAll() } else { memory = BodyBuffer() }
    }

    private mutating func takeMemory() {
        guard !isKnownUniquelyReferenced(&memory) else { return }
        let copy = BodyBuffer()
        _ = copy.append(memory.bytes)
        memory = copy
    }
}
