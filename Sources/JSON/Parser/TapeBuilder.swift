// Documents that are made in code or out of other documents.

/// Writes a tape value by value.
struct TapeBuilder {
    private var words = [Tag.word(Tag.root)]
    private var strings: [UInt8] = []

    mutating func null() { words.append(Tag.word(Tag.null)) }

    mutating func bool(_ value: Bool) { words.append(Tag.word(value ? Tag.true : Tag.false)) }

    mutating func int(_ value: Int64) {
        words.append(Tag.word(Tag.int))
        words.append(UInt64(bitPattern: value))
    }

    /// A value that fits in an Int64 is stored as an Int64, as in the parsers.
    mutating func uint(_ value: UInt64) {
        if let signed = Int64(exactly: value) { return int(signed) }
        words.append(Tag.word(Tag.uint))
        words.append(value)
    }

    /// A number that JSON cannot write (infinity, NaN) becomes null.
    mutating func double(_ value: Double) {
        guard value.isFinite else { return null() }
        words.append(Tag.word(Tag.double))
        words.append(value.bitPattern)
    }

    /// A finite number and its text, which has more digits than the Double. A text that is too long is left out.
    mutating func double(_ value: Double, digits: String) {
        let digits = digits.utf8
        guard digits.count <= LongNumber.longestText else { return double(value) }
        words.append(Tag.word(Tag.double, LongNumber.payload(record: strings.count)))
        words.append(value.bitPattern)
        strings.append(UInt8(digits.count))
        strings.append(contentsOf: digits)
    }

    mutating func string(_ value: String) {
        var value = value
        value.withUTF8 { string(bytes: $0) }
    }

    mutating func string(bytes: UnsafeBufferPointer<UInt8>) {
        words.append(Tag.word(Tag.string, UInt64(strings.count)))
        let length = UInt32(truncatingIfNeeded: bytes.count)
        for shift: UInt32 in [0, 8, 16, 24] { strings.append(UInt8(truncatingIfNeeded: length >> shift)) }
        strings.append(contentsOf: bytes)
        strings.append(0)
    }

    /// Opens `Tag.object` or `Tag.array`; give the returned index to `close`.
    mutating func open(_ tag: UInt8) -> Int {
        words.append(Tag.word(tag))
        return words.count - 1
    }

    mutating func close(_ start: Int, count: Int) {
        let tag = Tape.tag(of: words[start])
        words.append(Tag.word(tag == Tag.object ? Tag.endObject : Tag.endArray, UInt64(start)))
        let stored = min(UInt64(count), Tape.countLimit)
        words[start] = Tag.word(tag, stored << 32 | UInt64(words.count))
    }

    /// Copies the value, or the key, that starts at `index` of another tape. Returns the index of the copy.
    @discardableResult mutating func copy(_ source: Tape, at index: Int) -> Int {
        let start = words.count
        let end = source.end(of: index)
        let shift = words.count - index
        var cursor = index
        while cursor < end {
            let word = source.words[cursor]
            switch Tape.tag(of: word) {
            case Tag.string:
                string(bytes: source.bytes(at: cursor))
            case Tag.object, Tag.array, Tag.endObject, Tag.endArray:
                let target = UInt64(Tape.target(of: word) + shift)
                words.append(word & ~0xFFFF_FFFF | target)
            case Tag.int, Tag.uint, Tag.double:
                cursor += 1
                // A `LongNumber.digits` is in the word itself; a text must be copied.
                if Tape.tag(of: word) == Tag.double, word & LongNumber.flag == 0 {
                    let value = Double(bitPattern: source.words[cursor])
                    let digits = source.digits(at: cursor - 1)
                    if let digits { double(value, digits: digits) } else { double(value) }
                    break
                }
                words.append(word)
                words.append(source.words[cursor])
            default:
                words.append(word)
            }
            cursor += 1
        }
        return start
    }

    consuming func finish() -> Tape {
        words[0] = Tag.word(Tag.root, UInt64(words.count))
        words.append(Tag.word(Tag.root))
        return words.withUnsafeBufferPointer { words in
            strings.withUnsafeBufferPointer { Tape.copying(words, $0) }
        }
    }
}

extension JSON {
    /// The bytes of the parsed value, as `ParseOptions.maximumSize` counts them, without those for the document.
    package var parsedBytes: Int {
        let end = tape.end(of: index)
        var cursor = index
        var strings = 0
        while cursor < end {
            switch Tape.tag(of: tape.words[cursor]) {
            case Tag.string: strings += tape.bytes(at: cursor).count + 5
            case Tag.int, Tag.uint, Tag.double: cursor += 1
            default: break
            }
            cursor += 1
        }
        return 8 * (end - index) + strings
    }

    /// Values of more bytes keep their own documents.
    private static var packedBytes: Int { 1 << 10 }

    /// The same values, the small ones as parts of one document. A small document of its own takes ten times as much
    /// memory as its value.
    package static func packed(_ values: [JSON]) -> [JSON] {
        var builder = TapeBuilder()
        let places = values.map { value in
            value.parsedBytes <= packedBytes ? builder.copy(value.tape, at: value.index) : nil
        }
        let tape = builder.finish()
        return zip(values, places).map { value, place in place.map { JSON(tape, at: $0) } ?? value }
    }
}
