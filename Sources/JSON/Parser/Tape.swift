// A parsed text as one array of words, and two ways to make it: the strict parser here, and simdjson. Both give the
// same tape for the same text, and refuse the same texts.

import PatchbayPlatform

/// The flat form of one document: one block of 64-bit words and one block of string bytes, shared by all its values.
///
/// The layout is that of simdjson's DOM tape, so that either parser can fill it. A word has its tag in the top eight
/// bits and a payload below. The root value starts at word 1, between two `r` words. Containers know their ends, so a
/// value can be skipped without reading it.
///
/// | tag | payload | next word |
/// |---|---|---|
/// | `r` | index of the last word; 0 in the last word | |
/// | `{` `[` | bits 0–31: index after the closing word; bits 32–55: members or elements, saturating | |
/// | `}` `]` | index of the opening word | |
/// | `"` | offset in `strings`: four bytes of little-endian length, the UTF-8 bytes, a zero byte | |
/// | `l` `u` | 0 | the Int64 or UInt64 |
/// | `d` | see `LongNumber`; 0 if the Double has all digits | the Double |
/// | `t` `f` `n` | 0 | |
///
/// `@unchecked Sendable`: one thread could write to the memory while another one reads it. Writes happen only while no
/// other code has the tape: in the function that makes the tape, and in `JSON.Batch`, which fills the tape again if
/// `takeTape` holds the only reference to it. All other accesses are reads.
final class Tape: @unchecked Sendable {
    let words: UnsafeMutablePointer<UInt64>
    /// Eight bytes can be read from the start of any record here.
    let strings: UnsafeMutablePointer<UInt8>

    private let memory: TapeMemory

    static let countLimit: UInt64 = 0xFF_FFFF
    /// The number of bytes after the string records. Parsers can overwrite them, and readers can read them.
    static let padding = 64

    /// Nil if there is no memory.
    init?(words wordCapacity: Int, stringBytes: Int) {
        let wordBytes = wordCapacity.multipliedReportingOverflow(by: 8)
        let size = wordBytes.partialValue.addingReportingOverflow(stringBytes + Self.padding)
        guard !wordBytes.overflow, !size.overflow, let memory = TapeMemory.take(size.partialValue) else { return nil }
        self.memory = memory
        words = memory.start.bindMemory(to: UInt64.self, capacity: wordCapacity)
        strings = (memory.start + wordBytes.partialValue).bindMemory(
            to: UInt8.self, capacity: stringBytes + Self.padding)
    }

    /// A copy of words and strings. Ends the process if there is no memory, as a growing array does.
    static func copying(
        _ words: UnsafeBufferPointer<UInt64>, _ strings: UnsafeBufferPointer<UInt8>
    ) -> Tape {
        guard let tape = Tape(words: words.count, stringBytes: strings.count) else {
            fatalError("out of memory")
        }
        _ = UnsafeMutableBufferPointer(start: tape.words, count: words.count).update(from: words)
        _ = UnsafeMutableBufferPointer(start: tape.strings, count: strings.count).update(from: strings)
        return tape
    }

    deinit { memory.giveBack() }

    var wordCount: Int { Self.target(of: words[0]) + 1 }

    /// The tag at the start of a value, of a key or of a closing word; 0 outside the tape.
    @inline(__always)
    func tag(at index: Int) -> UInt8 {
        index >= 0 && index < wordCount ? Self.tag(of: words[index]) : 0
    }

    @inline(__always)
    static func tag(of word: UInt64) -> UInt8 { UInt8(truncatingIfNeeded: word >> 56) }

    /// The index or the offset that a word holds.
    @inline(__always)
    static func target(of word: UInt64) -> Int { Int(truncatingIfNeeded: word & 0xFFFF_FFFF) }

    /// The index just after the value that starts at `index`.
    @inline(__always)
    func end(of index: Int) -> Int {
        let word = words[index]
        switch Self.tag(of: word) {
        case Tag.object, Tag.array: return Self.target(of: word)
        case Tag.int, Tag.uint, Tag.double: return index + 2
        default: return index + 1
        }
    }

    /// The number of members or elements of the container at `index`, 0 for any other value.
    func count(at index: Int) -> Int {
        let word = words[index]
        let tag = Self.tag(of: word)
        guard tag == Tag.object || tag == Tag.array else { return 0 }
        let stored = (word >> 32) & Self.countLimit
        guard stored == Self.countLimit else { return Int(truncatingIfNeeded: stored) }
        // The stored count is saturated, so the items are counted.
        return items(of: index).reduce(0) { count, _ in count + 1 }
    }

    /// The words of the elements of an array, or of the keys of an object, in order; empty for any other value.
    struct Items: Sequence, IteratorProtocol {
        let tape: Tape
        /// 1 for an object, where a value follows each key; 0 for an array.
        private let step: Int
        private var cursor: Int
        private let last: Int

        init(_ tape: Tape, of container: Int) {
            self.tape = tape
            let tag = tape.tag(at: container)
            step = tag == Tag.object ? 1 : 0
            cursor = container + 1
            last = tag == Tag.object || tag == Tag.array ? tape.end(of: container) - 1 : cursor
        }

        @inline(__always)
        mutating func next() -> Int? {
            guard cursor < last else { return nil }
            defer { cursor = tape.end(of: cursor + step) }
            return cursor
        }
    }

    func items(of container: Int) -> Items { Items(self, of: container) }

    /// The word of the element at a position from 0; nil outside the array, or if the value is not an array.
    func element(at position: Int, ofArray index: Int) -> Int? {
        guard tag(at: index) == Tag.array, position >= 0 else { return nil }
        return items(of: index).dropFirst(position).first { _ in true }
    }

    /// The number at `index`; nil for any other value.
    @inline(__always)
    func number(at index: Int) -> Number? {
        switch tag(at: index) {
        case Tag.int: .int(Int64(bitPattern: words[index + 1]))
        case Tag.uint: .uint(words[index + 1])
        case Tag.double: .double(Double(bitPattern: words[index + 1]))
        default: nil
        }
    }

    /// The text of the number at `index`, if it has digits that its Double lacks; nil for any other value.
    func digits(at index: Int) -> String? {
        guard tag(at: index) == Tag.double else { return nil }
        switch LongNumber(payload: words[index] & Tag.payload) {
        case .digits(let lowest, let places):
            return LongNumber.text(of: Double(bitPattern: words[index + 1]), lowest, places)
        case .text(let record):
            let text = UnsafeBufferPointer(start: strings + record + 1, count: Int(strings[record]))
            guard words[index] & LongNumber.uncounted == 0 || LongNumber.isLong(text) else { return nil }
            return String(decoding: text, as: UTF8.self)
        case nil: return nil
        }
    }

    /// The bytes of the string at `index`, valid as long as the tape lives.
    @inline(__always)
    func bytes(at index: Int) -> UnsafeBufferPointer<UInt8> {
        let record = strings + Self.target(of: words[index])
        let length = UInt32(littleEndian: UnsafeRawPointer(record).loadUnaligned(as: UInt32.self))
        return UnsafeBufferPointer(start: record + 4, count: Int(length))
    }

    func string(at index: Int) -> String {
        String(decoding: bytes(at: index), as: UTF8.self)
    }

    /// The index of the value under a key in the object at `index`. Keys are compared by bytes; the object has no
    /// duplicates.
    func value(forKey key: String, inObject index: Int) -> Int? {
        guard tag(at: index) == Tag.object else { return nil }
        var key = key
        return key.withUTF8 { wanted in
            items(of: index).first { isString(at: $0, equalTo: wanted) }.map { $0 + 1 }
        }
    }

    @inline(__always)
    func isString(at index: Int, equalTo wanted: UnsafeBufferPointer<UInt8>) -> Bool {
        let bytes = bytes(at: index)
        guard bytes.count == wanted.count else { return false }
        guard let left = bytes.baseAddress, let right = wanted.baseAddress else { return true }
        return memcmp(left, right, bytes.count) == 0
    }
}

/// The tags of a tape word, which are the characters that simdjson uses.
enum Tag {
    static let root = UInt8(ascii: "r")
    static let object = UInt8(ascii: "{")
    static let endObject = UInt8(ascii: "}")
    static let array = UInt8(ascii: "[")
    static let endArray = UInt8(ascii: "]")
    static let string = UInt8(ascii: "\"")
    static let int = UInt8(ascii: "l")
    static let uint = UInt8(ascii: "u")
    static let double = UInt8(ascii: "d")
    static let `true` = UInt8(ascii: "t")
    static let `false` = UInt8(ascii: "f")
    static let null = UInt8(ascii: "n")

    /// The bits of a word that are not its tag.
    static let payload: UInt64 = 0x00FF_FFFF_FFFF_FFFF

    @inline(__always)
    static func word(_ tag: UInt8, _ payload: UInt64 = 0) -> UInt64 { UInt64(tag) << 56 | payload }
}
