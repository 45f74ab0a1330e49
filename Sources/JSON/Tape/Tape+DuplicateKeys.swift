extension Tape {
    /// The largest object whose keys are compared with each other; beyond it they are sorted.
    private static let smallObject = 64

    /// The words of all keys that a later member of the same object repeats, in rising order.
    func overriddenKeys() -> [Int] {
        var found: [Int] = []
        withUnsafeTemporaryAllocation(of: (signature: UInt64, key: Int).self, capacity: Self.smallObject) { seen in
            var index = 1
            while index < words.count {
                switch tag(at: index) {
                case Tag.int, Tag.uint, Tag.double: index += 1
                case Tag.object:
                    let members = words[index] >> 32 & Tape.countLimit
                    if members > Self.smallObject {
                        found += KeyIndex(self, object: index).overriddenKeys()
                    } else if members > 1 {
                        addOverriddenKeys(ofSmall: index, to: &found, seen)
                    }
                default: break
                }
                index += 1
            }
        }
        found.sort()
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

    /// Compares every key with the ones before it, by signatures that differ for most different keys.
    private func addOverriddenKeys(
        ofSmall object: Int, to found: inout [Int], _ seen: UnsafeMutableBufferPointer<(signature: UInt64, key: Int)>
    ) {
        let last = end(of: object) - 1
        var count = 0
        var cursor = object + 1
        while cursor < last && count < seen.count {
            let signature = signature(ofString: cursor)
            for former in seen[..<count].reversed()
            where former.signature == signature && KeyIndex.order(self, former.key, cursor) == 0 {
                found.append(former.key)
                break
            }
            seen[count] = (signature, cursor)
            count += 1
            cursor = end(of: cursor + 1)
        }
    }

    /// Mixes the length, the first four and the last seven bytes of a string.
    private func signature(ofString index: Int) -> UInt64 {
        let range = stringRange(at: index)
        return strings.withUnsafeBytes { strings in
            guard range.count >= 3 else {
                let first = range.count > 0 ? UInt64(strings[range.lowerBound]) : 0
                let second = range.count > 1 ? UInt64(strings[range.lowerBound + 1]) : 0
                return UInt64(range.count) | first << 32 | second << 40
            }
            // The length stands before the bytes and a zero behind them, so both words lie inside.
            let head = strings.loadUnaligned(fromByteOffset: range.lowerBound - 4, as: UInt64.self)
            let tail = strings.loadUnaligned(fromByteOffset: range.upperBound - 7, as: UInt64.self)
            return head &* 0x9E37_79B9_7F4A_7C15 ^ tail
        }
    }
}
