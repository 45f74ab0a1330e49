/// The flat form of one document: one run of 64-bit words and one run of string bytes.
///
/// The layout is that of simdjson's DOM tape, so that either parser can fill it. A word carries its tag in the top eight
/// bits and a payload below. The root value starts at word 1, between two `r` words. Containers know where they
/// end, so a value is skipped without looking inside it.
///
/// | tag | payload | next word |
/// |---|---|---|
/// | `r` | index of the last word; 0 in the last word | |
/// | `{` `[` | bits 0–31: index after the closing word; bits 32–55: members or elements, saturating | |
/// | `}` `]` | index of the opening word | |
/// | `"` | offset in `strings`: four bytes of little-endian length, the UTF-8 bytes, a zero byte | |
/// | `l` `u` `d` | 0 | the Int64, UInt64 or Double |
/// | `t` `f` `n` | 0 | |
struct Tape: Sendable {
    var words: [UInt64]
    var strings: [UInt8]

    static let payloadMask: UInt64 = 0x00FF_FFFF_FFFF_FFFF
    static let countLimit: UInt64 = 0xFF_FFFF

    /// The tag at a word, `0` for the second word of a number and for an index outside the tape.
    func tag(at index: Int) -> UInt8 {
        words.indices.contains(index) ? UInt8(truncatingIfNeeded: words[index] >> 56) : 0
    }

    /// The index just after the value that starts at `index`.
    func end(of index: Int) -> Int {
        let word = words[index]
        switch UInt8(truncatingIfNeeded: word >> 56) {
        case Tag.object, Tag.array: return Int(truncatingIfNeeded: word & 0xFFFF_FFFF)
        case Tag.int, Tag.uint, Tag.double: return index + 2
        default: return index + 1
        }
    }

    /// The number of members or elements of the container at `index`, 0 for any other value.
    func count(at index: Int) -> Int {
        let word = words[index]
        let tag = UInt8(truncatingIfNeeded: word >> 56)
        guard tag == Tag.object || tag == Tag.array else { return 0 }
        let stored = (word >> 32) & Self.countLimit
        guard stored == Self.countLimit else { return Int(truncatingIfNeeded: stored) }
        // The stored count is saturated: walk.
        var count = 0
        var cursor = index + 1
        let last = end(of: index) - 1
        while cursor < last {
            cursor = end(of: tag == Tag.object ? cursor + 1 : cursor)
            count += 1
        }
        return count
    }

    /// The number at `index`, or nil where something else is.
    func number(at index: Int) -> Number? {
        switch tag(at: index) {
        case Tag.int: .int(Int64(bitPattern: words[index + 1]))
        case Tag.uint: .uint(words[index + 1])
        case Tag.double: .double(Double(bitPattern: words[index + 1]))
        default: nil
        }
    }

    /// Where the bytes of the string at `index` lie in `strings`.
    func stringRange(at index: Int) -> Range<Int> {
        let offset = Int(truncatingIfNeeded: words[index] & Self.payloadMask)
        let length = Tape.length(in: strings, at: offset)
        return offset + 4..<offset + 4 + length
    }

    func string(at index: Int) -> String {
        String(decoding: strings[stringRange(at: index)], as: UTF8.self)
    }

    /// The index of the value stored under a key in the object at `index`, comparing bytes; the object has no duplicates.
    func value(forKey key: String, inObject index: Int) -> Int? {
        guard tag(at: index) == Tag.object else { return nil }
        var key = key
        return key.withUTF8 { wanted in
            var cursor = index + 1
            let last = end(of: index) - 1
            while cursor < last {
                if isString(at: cursor, equalTo: wanted) { return cursor + 1 }
                cursor = end(of: cursor + 1)
            }
            return nil
        }
    }

    func isString(at index: Int, equalTo wanted: UnsafeBufferPointer<UInt8>) -> Bool {
        let range = stringRange(at: index)
        guard range.count == wanted.count else { return false }
        return strings.withUnsafeBufferPointer { UnsafeBufferPointer(rebasing: $0[range]).elementsEqual(wanted) }
    }

    private static func length(in strings: [UInt8], at offset: Int) -> Int {
        Int(strings[offset]) | Int(strings[offset + 1]) << 8 | Int(strings[offset + 2]) << 16
            | Int(strings[offset + 3]) << 24
    }
}
