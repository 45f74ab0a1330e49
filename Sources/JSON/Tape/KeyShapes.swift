/// What a search for repeated keys knows of the objects that it has seen: objects of one kind have the same keys in the same order.
struct KeyShapes: ~Copyable {
    /// An odd number without a pattern, which spreads what it is multiplied with over the upper bits.
    static let mixer: UInt64 = 0x9E37_79B9_7F4A_7C15

    private static let shapeCount = 16
    private static let longestShape = 64
    private static let filterWords = 16

    /// 1,024 bits that say which signatures may have come, then the lengths of the shapes, then their signatures. Nil until the
    /// filter has been cleared: most documents have few objects.
    private var memory: UnsafeMutablePointer<UInt64>?

    deinit { memory?.deallocate() }

    /// Whether an object before had these signatures, at least two of them. No two of a shape are the same, so no two keys are.
    @inline(__always)
    func holds(_ signatures: UnsafeMutablePointer<UInt64>, _ count: Int) -> Bool {
        guard let memory else { return false }
        let slot = Self.slot(signatures)
        guard memory[Self.filterWords + slot] == UInt64(truncatingIfNeeded: count) else { return false }
        let shape = Self.shape(slot, memory)
        var difference: UInt64 = 0
        for index in 0..<count { difference |= shape[index] ^ signatures[index] }
        return difference == 0
    }

    /// Takes a shape in, at most 64 signatures long.
    func keep(_ signatures: UnsafeMutablePointer<UInt64>, _ count: Int) {
        guard let memory else { return }
        let slot = Self.slot(signatures)
        memory[Self.filterWords + slot] = UInt64(truncatingIfNeeded: count)
        Self.shape(slot, memory).update(from: signatures, count: count)
    }

    mutating func clearFilter() {
        if let memory { return memory.update(repeating: 0, count: Self.filterWords) }
        let memory = UnsafeMutablePointer<UInt64>.allocate(
            capacity: Self.filterWords + Self.shapeCount * (1 + Self.longestShape))
        memory.update(repeating: 0, count: Self.filterWords + Self.shapeCount)
        self.memory = memory
    }

    /// Whether a signature may have come since the filter was cleared; from now on it has.
    @inline(__always)
    func filter(_ signature: UInt64) -> Bool {
        guard let memory else { return true }
        let hash = signature &* Self.mixer
        let word = Int(truncatingIfNeeded: hash >> 60)
        let bit = UInt64(1) << (hash >> 54 & 63)
        defer { memory[word] |= bit }
        return memory[word] & bit != 0
    }

    /// The first two keys mostly tell shapes apart.
    @inline(__always)
    private static func slot(_ signatures: UnsafeMutablePointer<UInt64>) -> Int {
        Int(truncatingIfNeeded: ((signatures[0] ^ signatures[1] &>> 8) &* mixer) >> 60)
    }

    @inline(__always)
    private static func shape(
        _ slot: Int, _ memory: UnsafeMutablePointer<UInt64>
    ) -> UnsafeMutablePointer<UInt64> {
        memory + filterWords + shapeCount + slot * longestShape
    }
}
