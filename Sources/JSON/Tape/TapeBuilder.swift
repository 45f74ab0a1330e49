/// Writes a tape value by value, for documents that are made in code or out of other documents.
struct TapeBuilder {
    private(set) var tape = Tape(words: [Tag.word(Tag.root)], strings: [])

    mutating func null() { tape.words.append(Tag.word(Tag.null)) }

    mutating func bool(_ value: Bool) { tape.words.append(Tag.word(value ? Tag.true : Tag.false)) }

    mutating func int(_ value: Int64) {
        tape.words.append(Tag.word(Tag.int))
        tape.words.append(UInt64(bitPattern: value))
    }

    /// Values that fit in an Int64 are stored as one, as the parsers do.
    mutating func uint(_ value: UInt64) {
        if let signed = Int64(exactly: value) { return int(signed) }
        tape.words.append(Tag.word(Tag.uint))
        tape.words.append(value)
    }

    /// A number that JSON cannot write (infinity, NaN) becomes null.
    mutating func double(_ value: Double) {
        guard value.isFinite else { return null() }
        tape.words.append(Tag.word(Tag.double))
        tape.words.append(value.bitPattern)
    }

    mutating func string(_ value: String) {
        var value = value
        value.withUTF8 { string(bytes: $0) }
    }

    mutating func string(bytes: some Collection<UInt8>) {
        tape.words.append(Tag.word(Tag.string, UInt64(tape.strings.count)))
        let length = UInt32(truncatingIfNeeded: bytes.count)
        for shift: UInt32 in [0, 8, 16, 24] { tape.strings.append(UInt8(truncatingIfNeeded: length >> shift)) }
        tape.strings.append(contentsOf: bytes)
        tape.strings.append(0)
    }

    /// Opens `Tag.object` or `Tag.array`; give the returned index to `close`.
    mutating func open(_ tag: UInt8) -> Int {
        tape.words.append(Tag.word(tag))
        return tape.words.count - 1
    }

    mutating func close(_ start: Int, count: Int) {
        let tag = tape.tag(at: start)
        tape.words.append(Tag.word(tag == Tag.object ? Tag.endObject : Tag.endArray, UInt64(start)))
        let stored = min(UInt64(count), Tape.countLimit)
        tape.words[start] = Tag.word(tag, stored << 32 | UInt64(tape.words.count))
    }

    /// Copies the value, or the key, that starts at `index` of another tape.
    mutating func copy(_ source: Tape, at index: Int) {
        let end = source.end(of: index)
        let shift = tape.words.count - index
        var cursor = index
        while cursor < end {
            let word = source.words[cursor]
            switch source.tag(at: cursor) {
            case Tag.string:
                string(bytes: source.strings[source.stringRange(at: cursor)])
            case Tag.object, Tag.array, Tag.endObject, Tag.endArray:
                let target = UInt64(Int(truncatingIfNeeded: word & 0xFFFF_FFFF) + shift)
                tape.words.append(word & ~0xFFFF_FFFF | target)
            case Tag.int, Tag.uint, Tag.double:
                tape.words.append(word)
                cursor += 1
                tape.words.append(source.words[cursor])
            default:
                tape.words.append(word)
            }
            cursor += 1
        }
    }

    /// The finished tape.
    consuming func finish() -> Tape {
        tape.words[0] = Tag.word(Tag.root, UInt64(tape.words.count))
        tape.words.append(Tag.word(Tag.root))
        return tape
    }
}
