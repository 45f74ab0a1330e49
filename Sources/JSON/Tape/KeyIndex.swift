/// The members of one object sorted by key bytes, so that a key is found in logarithmic time whatever the keys are.
struct KeyIndex {
    /// The first eight bytes of the key as a big-endian number, which settles most comparisons, and the key's word.
    private struct Entry {
        let prefix: UInt64
        let key: Int
    }

    private let tape: Tape
    private let entries: [Entry]

    init(_ tape: Tape, object index: Int) {
        var entries: [Entry] = []
        entries.reserveCapacity(tape.count(at: index))
        var cursor = index + 1
        let last = tape.end(of: index) - 1
        while cursor < last {
            entries.append(Entry(prefix: Self.prefix(tape.strings[tape.stringRange(at: cursor)]), key: cursor))
            cursor = tape.end(of: cursor + 1)
        }
        // Equal keys stay in document order.
        entries.sort { left, right in
            if left.prefix != right.prefix { return left.prefix < right.prefix }
            let order = Self.order(tape, left.key, right.key)
            return order == 0 ? left.key < right.key : order < 0
        }
        self.tape = tape
        self.entries = entries
    }

    /// The words of the keys in the order of their bytes.
    var keys: some Sequence<Int> { entries.lazy.map(\.key) }

    /// The word of the value under a key.
    func value(forKey key: some Collection<UInt8>) -> Int? {
        let prefix = Self.prefix(key)
        var low = 0
        var high = entries.count
        while low < high {
            let middle = (low + high) / 2
            let entry = entries[middle]
            let candidate = tape.strings[tape.stringRange(at: entry.key)]
            if entry.prefix == prefix && candidate.elementsEqual(key) { return entry.key + 1 }
            let isBefore =
                entry.prefix != prefix ? entry.prefix < prefix : candidate.lexicographicallyPrecedes(key)
            if isBefore { low = middle + 1 } else { high = middle }
        }
        return nil
    }

    /// The words of keys that a later member of the same object repeats.
    func overriddenKeys() -> [Int] {
        zip(entries, entries.dropFirst()).compactMap { former, latter in
            former.prefix == latter.prefix && Self.order(tape, former.key, latter.key) == 0 ? former.key : nil
        }
    }

    /// Negative, zero or positive as the key at one word sorts before, with or after the one at another.
    static func order(_ tape: Tape, _ left: Int, _ right: Int) -> Int {
        let first = tape.strings[tape.stringRange(at: left)]
        let second = tape.strings[tape.stringRange(at: right)]
        if first.elementsEqual(second) { return 0 }
        return first.lexicographicallyPrecedes(second) ? -1 : 1
    }

    private static func prefix(_ bytes: some Collection<UInt8>) -> UInt64 {
        var prefix: UInt64 = 0
        var shift: UInt64 = 56
        for byte in bytes.prefix(8) {
            prefix |= UInt64(byte) << shift
            shift = shift &- 8
        }
        return prefix
    }
}
