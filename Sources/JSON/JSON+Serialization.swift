extension JSON: CustomStringConvertible {
    /// The value as compact JSON text.
    public var description: String { serialized() }

    /// The value as JSON text: UTF-8 that parses back to an equal value.
    ///
    /// Only the characters are escaped that RFC 8259 §7 requires. A Double is written with the fewest digits that read
    /// back as the same Double. A number that was parsed with more than 15 significant digits, or encoded from a
    /// `Decimal` with more digits than its Double, keeps its digits, unless its text has more than 255 characters.
    ///
    /// - Parameters:
    ///   - pretty: whether each element or member has its own line, indented by two spaces a level, with `": "` after
    ///     keys.
    ///   - sortedKeys: whether members are sorted by the bytes of their keys; otherwise they are in document order.
    public func serialized(pretty: Bool = false, sortedKeys: Bool = false) -> String {
        var bytes: [UInt8] = []
        serialize(into: &bytes, pretty: pretty, sortedKeys: sortedKeys)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Appends the text of `serialized(pretty:sortedKeys:)`, as UTF-8.
    package func serialize(into bytes: inout [UInt8], pretty: Bool = false, sortedKeys: Bool = false) {
        var writer = TapeWriter(tape: tape, pretty: pretty, sortedKeys: sortedKeys)
        // Swapped, so that the bytes are appended without a copy.
        swap(&writer.output, &bytes)
        writer.write(index)
        swap(&writer.output, &bytes)
    }
}

extension JSON: CustomReflectable {
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// Writes a value as JSON text with a stack instead of recursion.
struct TapeWriter {
    let tape: Tape
    let pretty: Bool
    let sortedKeys: Bool
    var output: [UInt8] = []

    /// A container that is being written, with its remaining elements or keys.
    private struct Container {
        let isObject: Bool
        var items: Tape.Items
        /// The keys in reverse order, if they are sorted.
        var sorted: [Int]?
        var isEmpty = true
    }

    mutating func write(_ root: Int) {
        var open: [Container] = []
        value(root, &open)
        while var container = open.popLast() {
            guard let item = next(of: &container) else {
                if !container.isEmpty { newline(open.count) }
                output.append(container.isObject ? Tag.endObject : Tag.endArray)
                continue
            }
            if !container.isEmpty { output.append(UInt8(ascii: ",")) }
            container.isEmpty = false
            open.append(container)
            newline(open.count)
            if container.isObject {
                string(item)
                output.append(UInt8(ascii: ":"))
                if pretty { output.append(0x20) }
                value(item + 1, &open)
            } else {
                value(item, &open)
            }
        }
    }

    private func next(of container: inout Container) -> Int? {
        if container.sorted != nil { return container.sorted?.popLast() }
        return container.items.next()
    }

    private mutating func value(_ index: Int, _ open: inout [Container]) {
        let tag = tape.tag(at: index)
        switch tag {
        case Tag.object, Tag.array:
            output.append(tag)
            let sorted =
                sortedKeys && tag == Tag.object ? Array(KeyIndex(tape, object: index).keys).reversed() : nil
            open.append(
                Container(
                    isObject: tag == Tag.object, items: tape.items(of: index), sorted: sorted.map(Array.init)))
        case Tag.string: string(index)
        case Tag.true: output.append(contentsOf: "true".utf8)
        case Tag.false: output.append(contentsOf: "false".utf8)
        default:
            switch tape.number(at: index) {
            case .int(let value): output.append(contentsOf: value.description.utf8)
            case .uint(let value): output.append(contentsOf: value.description.utf8)
            case .double(let value):
                output.append(contentsOf: (tape.digits(at: index) ?? value.description).utf8)
            case nil: output.append(contentsOf: "null".utf8)
            }
        }
    }

    private mutating func newline(_ level: Int) {
        guard pretty else { return }
        output.append(0x0A)
        output.append(contentsOf: repeatElement(0x20, count: 2 * level))
    }

    private mutating func string(_ index: Int) { Self.append(tape.bytes(at: index), to: &output) }

    /// Appends a string with its quotation marks.
    static func append(_ text: String, to output: inout [UInt8]) {
        var text = text
        text.withUTF8 { append($0, to: &output) }
    }

    private static func append(_ bytes: UnsafeBufferPointer<UInt8>, to output: inout [UInt8]) {
        output.append(UInt8(ascii: "\""))
        var plain = 0
        for place in bytes.indices {
            guard let escape = escape(bytes[place]) else { continue }
            output.append(contentsOf: bytes[plain..<place])
            output.append(contentsOf: escape)
            plain = place + 1
        }
        output.append(contentsOf: bytes[plain...])
        output.append(UInt8(ascii: "\""))
    }

    @inline(__always)
    private static func escape(_ byte: UInt8) -> [UInt8]? {
        if byte >= 0x20 && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\") { return nil }
        let letter: UInt8
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"): letter = byte
        case 0x08: letter = UInt8(ascii: "b")
        case 0x09: letter = UInt8(ascii: "t")
        case 0x0A: letter = UInt8(ascii: "n")
        case 0x0C: letter = UInt8(ascii: "f")
        case 0x0D: letter = UInt8(ascii: "r")
        default:
            let digits = Array("0123456789abcdef".utf8)
            return Array(#"\u00"#.utf8) + [digits[Int(byte >> 4)], digits[Int(byte & 15)]]
        }
        return [UInt8(ascii: "\\"), letter]
    }
}
