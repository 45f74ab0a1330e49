package import PatchbayJSON
package import PatchbayPlatform
package import PatchbayRegistry

/// Reads and writes a JSON text sequence (RFC 7464), in which each text is between a record separator and an LF. Types
/// with the suffix `+json-seq` are such sequences (RFC 8091).
///
/// One byte order mark is skipped.
///
/// A number, `true`, `false` or `null` at the end of its text, without white space after it, is possibly cut off. It
/// counts as a bad text.
package struct JSONSequenceSerializer:
    StreamingSerializer, ElementDecodingSerializer, NeverDecliningSerializer, ElementWritingSerializer
{
    /// How to handle a text that is not JSON, is cut off, or can't be decoded as the requested type.
    package var badTexts = BadElements.error
    package var maximumTextBytes = 16 << 20
    package var json = JSONSerializer()

    /// A body without texts is empty.
    package var acceptsEmptyBody: Bool { true }

    package func makeParser(_ head: ResponseHead, maximumElementBytes: Int) throws -> some ElementParser<JSON> {
        JSONSequenceParser(self, head, maximumElementBytes) { value in value }
    }

    package func makeParser<Value: Decodable & Sendable>(
        of type: Value.Type, _ head: ResponseHead, maximumElementBytes: Int
    ) throws -> any ElementParser<Value> {
        let json = json
        return JSONSequenceParser(self, head, maximumElementBytes) { value in try json.decode(type, value) }
    }

    /// The element between a record separator and an LF (RFC 7464, section 2.2).
    package func writeElement(_ value: some Encodable, at position: Int, as type: MediaType) throws -> Data {
        try type.requireUTF8("json-seq")
        var text = [Self.recordSeparator]
        try json.write(value, into: &text)
        text.append(UInt8(ascii: "\n"))
        return Data(text)
    }

    fileprivate static let recordSeparator: UInt8 = 0x1E
}

struct JSONSequenceOptions: Decodable, Sendable {
    let badTexts: Choice<BadElements>?
    let maxTextBytes: Int?

    func serializer(_ json: JSONSerializer) throws -> JSONSequenceSerializer {
        JSONSequenceSerializer(
            badTexts: badTexts?.value ?? .error,
            maximumTextBytes: try OptionFailure.check("maxTextBytes", maxTextBytes ?? 16 << 20, in: 1...Int.max),
            json: json)
    }
}

/// Finds the values of a JSON text sequence (RFC 7464, section 2).
///
/// A text ends with the LF that its writer puts after it, so the parser needn't wait for the next record separator.
struct JSONSequenceParser<Element: Sendable>: CountingElementParser {
    typealias Make = @Sendable (JSON) throws -> Element

    private enum Place {
        /// At the start of the body, in a byte order mark; the number counts the bytes of the mark that have been read.
        case mark(Int)
        /// Before the first record separator, where only white space is allowed.
        case before
        case text
        /// After the LF of a text, where only white space is allowed.
        case behind
        /// In unreadable bytes, up to the next record separator.
        case bad
    }

    private let badTexts: BadElements
    private let json: JSONSerializer
    private let make: Make
    private var place = Place.mark(0)
    private var buffer: ElementBuffer
    private var scanner = JSONScanner()
    private var number = 0
    private(set) var skippedElements = 0
    var listSize: ListSize?

    init(_ serializer: JSONSequenceSerializer, _ head: ResponseHead, _ maximumElementBytes: Int, _ make: @escaping Make)
    {
        badTexts = serializer.badTexts
        json = serializer.json.reading(head)
        self.make = make
        buffer = ElementBuffer(
            limit: ElementLimit(
                serializer.maximumTextBytes, of: "its option maxTextBytes", cappedBy: maximumElementBytes))
    }

    mutating func parse(_ bytes: Span<UInt8>, emit: (Element) throws -> Void) throws {
        try bytes.withUnsafeBufferPointer { try parse(UnsafeRawBufferPointer($0), emit) }
    }

    mutating func finish(emit: (Element) throws -> Void) throws { try endText(emit) }

    private mutating func parse(_ bytes: UnsafeRawBufferPointer, _ emit: (Element) throws -> Void) throws {
        var offset = 0
        while offset < bytes.count {
            let separator = bytes.firstIndex(of: JSONSequenceSerializer.recordSeparator, from: offset)
            try readText(bytes, offset, upTo: separator, emit)
            guard separator < bytes.count else { return }
            try endText(emit)
            place = .text
            scanner = JSONScanner()
            offset = separator + 1
        }
    }

    /// Reads up to the next record separator, or to the end of the piece.
    private mutating func readText(
        _ bytes: UnsafeRawBufferPointer, _ start: Int, upTo end: Int, _ emit: (Element) throws -> Void
    ) throws {
        var offset = start
        while offset < end {
            switch place {
            case .bad: return
            case .mark(let count) where count < 3 && bytes[offset] == UnsafeRawBufferPointer.mark[count]:
                place = .mark(count + 1)
                offset += 1
            case .mark(let count):
                place = .before
                if count < 3 { try refuse(partOfMark: count) }
            case .before, .behind:
                offset = bytes.firstNonBlank(from: offset, upTo: end)
                guard offset < end else { return }
                var clause = ""
                if case .before = place {
                    number += 1
                    // Only one byte is looked at, so that the sentence does not depend on how the body is cut.
                    if KnownFormat.beginsJSON(bytes[offset]) {
                        clause = #"; JSON without separators is for the factories "json" and "ndjson""#
                    }
                }
                try refuseWithoutSeparator(clause)
            case .text:
                let boundary = scanner.boundary(
                    in: bytes, from: offset, upTo: end, separator: UInt8(ascii: "\n"), closer: nil)
                let part = UnsafeRawBufferPointer(rebasing: bytes[offset..<(boundary ?? end)])
                guard let boundary else { return try buffer.keep(part) }
                offset = boundary + 1
                let text = try buffer.element(endingWith: part)
                guard !text.isBlank else { continue }
                place = .behind
                try give(text, emit)
            }
        }
    }

    /// Ends a text without an LF, at the next record separator or at the end of the body.
    private mutating func endText(_ emit: (Element) throws -> Void) throws {
        if case .mark(let count) = place, count < 3 { return try refuse(partOfMark: count) }
        guard case .text = place else { return }
        let text = try buffer.element(endingWith: UnsafeRawBufferPointer(start: nil, count: 0))
        let first = text.firstNonBlank(from: 0, upTo: text.count)
        guard first < text.count else { return }
        // Only white space after a number or a word proves that it is complete (RFC 7464, section 2.4).
        let isDelimited = [UInt8(ascii: "{"), UInt8(ascii: "["), UInt8(ascii: "\"")].contains(text[first])
        guard isDelimited || UnsafeRawBufferPointer.isBlank(text[text.count - 1]) else {
            number += 1
            return try refuse(ElementFailure(.text, number, reason: "it may be cut off: nothing is behind it"))
        }
        try give(text, emit)
    }

    private mutating func give(_ text: UnsafeRawBufferPointer, _ emit: (Element) throws -> Void) throws {
        number += 1
        let (element, size): (Element, Int)
        do {
            let value = try json.value(text)
            size = listSize == nil ? 0 : value.parsedBytes
            element = try make(value)
        } catch {
            return try refuse(ElementFailure(.text, number, error))
        }
        try listSize?.add(size)
        try emit(element)
    }

    /// Refuses the first bytes of a byte order mark without the others; there may be no such bytes.
    private mutating func refuse(partOfMark count: Int) throws {
        guard count > 0 else { return }
        number += 1
        try refuseWithoutSeparator()
    }

    private mutating func refuseWithoutSeparator(_ clause: String = "") throws {
        try refuse(ElementFailure(.text, number, reason: "expected a record separator\(clause)"))
    }

    private mutating func refuse(_ failure: ElementFailure) throws {
        try Interruption.check()
        guard badTexts == .skip else { throw failure }
        skippedElements += 1
        place = .bad
    }
}
