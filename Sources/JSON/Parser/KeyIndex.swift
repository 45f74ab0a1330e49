import PatchbayPlatform

/// The members of one object sorted by key bytes, so that a key is found in logarithmic time, whatever the keys are.
struct KeyIndex {
    /// The first eight bytes of the key as a big-endian number, which decides most comparisons, and the word of the
    /// key.
    private typealias Entry = (prefix: UInt64, key: Int)

    private let tape: Tape
    private let entries: [Entry]

    init(_ tape: Tape, object index: Int) {
        var entries: [Entry] = []
        entries.reserveCapacity(tape.count(at: index))
        for key in tape.items(of: index) { entries.append((Self.prefix(tape.bytes(at: key)), key)) }
        // Equal keys stay in document order.
        entries.sort { left, right in
            if left.prefix != right.prefix { return left.prefix < right.prefix }
            let order = Self.order(tape.bytes(at: left.key), tape.bytes(at: right.key))
            return order == 0 ? left.key < right.key : order < 0
        }
        self.tape = tape
        self.entries = entries
    }

    /// The words of the keys in the order of their bytes.
    var keys: some Sequence<Int> { entries.lazy.map(\.key) }

    func value(forKey key: UnsafeBufferPointer<UInt8>) -> Int? {
        let prefix = Self.prefix(key)
        var low = 0
        var high = entries.count
        while low < high {
            let middle = (low + high) / 2
            let entry = entries[middle]
            let candidate = tape.bytes(at: entry.key)
            let order = entry.prefix == prefix ? Self.order(candidate, key) : entry.prefix < prefix ? -1 : 1
            if order == 0 { return entry.key + 1 }
            if order < 0 { low = middle + 1 } else { high = middle }
        }
        return nil
    }

    /// Negative, zero or positive if one key sorts before, with or after another.
    private static func order(_ left: UnsafeBufferPointer<UInt8>, _ right: UnsafeBufferPointer<UInt8>) -> Int {
        guard let first = left.baseAddress, let second = right.baseAddress else { return left.count - right.count }
        let order = memcmp(first, second, min(left.count, right.count))
        return order == 0 ? left.count - right.count : Int(order)
    }

    private static func prefix(_ bytes: UnsafeBufferPointer<UInt8>) -> UInt64 {
        var prefix: UInt64 = 0
        var shift: UInt64 = 56
        for byte in bytes.prefix(8) {
            prefix |= UInt64(byte) << shift
            shift = shift &- 8
        }
        return prefix
    }
}
