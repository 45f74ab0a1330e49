/// A strict RFC 8259 parser that fills a tape in one pass.
///
/// The parser does not recurse: an open container keeps the index and the member count of its parent in its own word
/// until it is closed. `TapeSize` gives the room for words and string bytes before the first one is written.
struct Parser {
    let start: UnsafePointer<UInt8>
    let end: UnsafePointer<UInt8>
    let words: UnsafeMutablePointer<UInt64>
    let strings: UnsafeMutablePointer<UInt8>
    let maximumDepth: Int
    let maximumSize: Int

    var cursor: UnsafePointer<UInt8>
    var wordCount = 1
    var stringCount = 0
    /// The number of string bytes that are digits of numbers.
    var digitCount = 0

    mutating func parse() throws(Fault) {
        var container = 0
        var count: UInt64 = 0
        var depth = 0
        skipBlanks()
        values: while true {
            guard cursor < end else { throw fault(.unexpectedEnd, "expected a value before the end of the text") }
            let first = cursor.pointee
            switch first {
            case UInt8(ascii: "\""):
                try string()
            case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
                try number()
            case Tag.object, Tag.array:
                guard depth < maximumDepth else {
                    throw fault(.depth, "more than \(maximumDepth) containers are open here")
                }
                depth += 1
                cursor += 1
                words[wordCount] = Tag.word(first, count << 32 | UInt64(container))
                container = wordCount
                count = 0
                wordCount += 1
                skipBlanks()
                // The ASCII code of a closing bracket is two more than that of its opening bracket.
                if cursor < end && cursor.pointee == first + 2 { break }
                if first == Tag.object { try key() }
                continue values
            case UInt8(ascii: "t"):
                try literal("rue", Tag.true)
            case UInt8(ascii: "f"):
                try literal("alse", Tag.false)
            case UInt8(ascii: "n"):
                try literal("ull", Tag.null)
            default:
                throw fault(.value, "expected a value")
            }

            // A value has ended, or a container was just opened and is empty.
            while container != 0 {
                skipBlanks()
                let word = words[container]
                let tag = UInt8(truncatingIfNeeded: word >> 56)
                // An empty container has no count, and its closing bracket is next.
                if wordCount > container + 1 && count < Tape.countLimit { count += 1 }
                guard cursor < end else {
                    throw fault(.unexpectedEnd, "expected \(Self.closers(tag)) before the end of the text")
                }
                if cursor.pointee == UInt8(ascii: ",") {
                    try checkSize()
                    cursor += 1
                    skipBlanks()
                    if tag == Tag.object { try key() }
                    continue values
                }
                guard cursor.pointee == tag + 2 else {
                    throw fault(.separator, "expected \(Self.closers(tag)) after \(Self.item(tag))")
                }
                cursor += 1
                words[wordCount] = Tag.word(tag + 2, UInt64(container))
                wordCount += 1
                words[container] = Tag.word(tag, count << 32 | UInt64(wordCount))
                container = Int(truncatingIfNeeded: word & 0xFFFF_FFFF)
                count = (word >> 32) & Tape.countLimit
                depth -= 1
            }
            break
        }
        skipBlanks()
        guard cursor == end else { throw fault(.trailingText, "expected nothing after the end of the document") }
        words[0] = Tag.word(Tag.root, UInt64(wordCount))
        words[wordCount] = Tag.word(Tag.root)
        wordCount += 1
        try checkSize()
    }

    /// The size is checked between values, so one string can still exceed the limit.
    @inline(__always)
    private func checkSize() throws(Fault) {
        guard 8 * wordCount + stringCount - digitCount > maximumSize else { return }
        throw fault(.size, "the document takes more than \(maximumSize) bytes once it is parsed")
    }

    func fault(_ reason: JSON.ParseFailure.Reason, _ message: String) -> Fault {
        Fault(reason: reason, message: message, offset: cursor - start)
    }

    @inline(__always)
    mutating func skipBlanks() {
        while cursor < end {
            switch cursor.pointee {
            case 0x20, 0x0A, 0x0D, 0x09: cursor += 1
            default: return
            }
        }
    }

    /// A key and its colon, with white space after both.
    private mutating func key() throws(Fault) {
        guard cursor < end else { throw fault(.unexpectedEnd, "expected a key before the end of the text") }
        guard cursor.pointee == UInt8(ascii: "\"") else { throw fault(.key, "expected a key in double quotes") }
        try string()
        skipBlanks()
        guard cursor < end else { throw fault(.unexpectedEnd, "expected a colon before the end of the text") }
        guard cursor.pointee == UInt8(ascii: ":") else { throw fault(.colon, "expected a colon after a key") }
        cursor += 1
        skipBlanks()
    }

    private mutating func literal(_ rest: StaticString, _ tag: UInt8) throws(Fault) {
        let length = rest.utf8CodeUnitCount
        guard end - cursor > length,
            UnsafeBufferPointer(start: cursor + 1, count: length)
                .elementsEqual(UnsafeBufferPointer(start: rest.utf8Start, count: length))
        else { throw fault(.value, "expected a value") }
        cursor += 1 + length
        words[wordCount] = Tag.word(tag)
        wordCount += 1
    }

    private static func closers(_ tag: UInt8) -> String {
        tag == Tag.object ? #"a comma or "}""# : #"a comma or "]""#
    }

    private static func item(_ tag: UInt8) -> String {
        tag == Tag.object ? "an object member" : "an array element"
    }
}
