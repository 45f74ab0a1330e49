extension Tape {
    /// The words of all keys that a later member of the same object repeats, in the order of the objects.
    func overriddenKeys() -> [Int] {
        var found: [Int] = []
        var index = 1
        while index < words.count {
            switch tag(at: index) {
            case Tag.int, Tag.uint, Tag.double: index += 1
            case Tag.object where words[index] >> 32 & Tape.countLimit > 1:
                if mayRepeatKeys(inObject: index) {
                    found += KeyIndex(self, object: index).overriddenKeys()
                }
            default: break
            }
            index += 1
        }
        return found
    }

    /// The word of the first repetition of the key at `key`.
    func repetition(ofKey key: Int) -> Int? {
        var cursor = end(of: key + 1)
        while tag(at: cursor) == Tag.string {
            if KeyIndex.order(self, key, cursor) == 0 { return cursor }
            cursor = end(of: cursor + 1)
        }
        return nil
    }

    /// A tape of the value at `root` without the members, or elements, at some words.
    func dropping(_ dropped: some Sequence<Int>, from root: Int = 1) -> Tape {
        let dropped = Set(dropped)
        var builder = TapeBuilder()
        var open: [(start: Int, count: Int)] = []
        var index = root
        let end = end(of: root)
        while index < end {
            let tag = tag(at: index)
            if tag == Tag.endObject || tag == Tag.endArray {
                if let container = open.popLast() { builder.close(container.start, count: container.count) }
                index += 1
                continue
            }
            let isMember = open.last.map { builder.tape.tag(at: $0.start) == Tag.object } ?? false
            if dropped.contains(index) {
                index = self.end(of: isMember ? index + 1 : index)
                continue
            }
            if !open.isEmpty { open[open.count - 1].count += 1 }
            if isMember {
                builder.copy(self, at: index)
                index += 1
            }
            if self.tag(at: index) == Tag.object || self.tag(at: index) == Tag.array {
                open.append((builder.open(self.tag(at: index)), 0))
                index += 1
            } else {
                builder.copy(self, at: index)
                index = self.end(of: index)
            }
        }
        return builder.finish()
    }

    /// False where a cheap signature of every key is different; the objects of most documents are settled here.
    private func mayRepeatKeys(inObject index: Int) -> Bool {
        let limit = 64
        let last = end(of: index) - 1
        return strings.withUnsafeBytes { strings in
            withUnsafeTemporaryAllocation(of: UInt64.self, capacity: limit) { seen in
                var count = 0
                var cursor = index + 1
                while cursor < last {
                    guard count < limit else { return true }
                    let offset = Int(truncatingIfNeeded: words[cursor] & Tape.payloadMask)
                    let signature = Self.signature(strings, offset)
                    for former in 0..<count where seen[former] == signature { return true }
                    seen[count] = signature
                    count += 1
                    cursor = end(of: cursor + 1)
                }
                return false
            }
        }
    }

    /// Mixes the length, the first four and the last seven bytes of a string.
    private static func signature(_ strings: UnsafeRawBufferPointer, _ offset: Int) -> UInt64 {
        let length = Int(UInt32(littleEndian: strings.loadUnaligned(fromByteOffset: offset, as: UInt32.self)))
        guard length >= 3 else {
            let first = length > 0 ? UInt64(strings[offset + 4]) : 0
            let second = length > 1 ? UInt64(strings[offset + 5]) : 0
            return UInt64(length) | first << 32 | second << 40
        }
        let head = strings.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
        let tail = strings.loadUnaligned(fromByteOffset: offset + length - 3, as: UInt64.self)
        return head &* 0x9E37_79B9_7F4A_7C15 ^ tail
    }
}
