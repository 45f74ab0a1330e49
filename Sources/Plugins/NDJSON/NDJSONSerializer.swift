package import PatchbayJSON
package import PatchbayPlatform
package import PatchbayRegistry

/// Reads and writes one JSON text per line, as in `application/x-ndjson` and `application/jsonl`.
///
/// A line ends with LF or CRLF; the last line needs no line end. Blank lines are skipped.
package struct NDJSONSerializer:
    StreamingSerializer, ElementDecodingSerializer, NeverDecliningSerializer, ElementWritingSerializer
{
    /// How to handle a line that is not JSON, or that can't be decoded as the requested type.
    package var badLines: BadElements
    package var maximumLineBytes: Int
    package var json: JSONSerializer

    /// By default, an unreadable line is an error, and a line has at most 16 MiB.
    package init(
        badLines: BadElements = .error, maximumLineBytes: Int = 16 << 20,
        json: JSONSerializer = JSONSerializer()
    ) {
        self.badLines = badLines
        self.maximumLineBytes = maximumLineBytes
        self.json = json
    }

    /// A body without lines is empty.
    package var acceptsEmptyBody: Bool { true }

    package func makeParser(_ head: ResponseHead, maximumElementBytes: Int) throws -> some ElementParser<JSON> {
        NDJSONParser(self, head, maximumElementBytes) { value, _ in value }
    }

    package func makeParser<Value: Decodable & Sendable>(
        of type: Value.Type, _ head: ResponseHead, maximumElementBytes: Int
    ) throws -> any ElementParser<Value> {
        let json = json
        return NDJSONParser(self, head, maximumElementBytes) { value, decoding in try json.decode(type, value, decoding)
        }
    }

    /// The element as one line, with an LF at its end.
    package func writeElement(_ value: some Encodable, at position: Int, as type: MediaType) throws -> Data {
        try type.requireUTF8("ndjson")
        var line: [UInt8] = []
        try json.write(value, into: &line)
        line.append(UInt8(ascii: "\n"))
        return Data(line)
    }
}

struct NDJSONOptions: Decodable, Sendable {
    let badLines: Choice<BadElements>?
    let maxLineBytes: Int?

    func serializer(_ json: JSONSerializer) throws -> NDJSONSerializer {
        NDJSONSerializer(
            badLines: badLines?.value ?? .error,
            maximumLineBytes: try OptionFailure.check("maxLineBytes", maxLineBytes ?? 16 << 20, in: 1...Int.max),
            json: json)
    }
}

/// Finds the values of a body in which each line is a JSON text.
struct NDJSONParser<Element: Sendable>: CountingElementParser {
    typealias Make = @Sendable (consuming JSON, JSON.Decoding) throws -> Element

    private let badLines: BadElements
    private let json: JSONSerializer
    private let maximumLineBytes: Int
    private let make: Make
    private var lines: LineCollector
    private var number = 0
    private(set) var skippedElements = 0
    var listSize: ListSize?

    init(_ serializer: NDJSONSerializer, _ head: ResponseHead, _ maximumElementBytes: Int, _ make: @escaping Make) {
        badLines = serializer.badLines
        json = serializer.json.reading(head)
        self.make = make
        let limit = ElementLimit(
            serializer.maximumLineBytes, of: "its option maxLineBytes", cappedBy: maximumElementBytes)
        maximumLineBytes = limit.bytes
        // JSON treats a CR as white space, whether before an LF or elsewhere.
        lines = LineCollector(endsAtReturn: false, limit: limit)
    }

    mutating func parse(_ bytes: Span<UInt8>, emit: (Element) throws -> Void) throws {
        let decoding = JSON.Decoding(json.coding)
        try bytes.withUnsafeBufferPointer { bytes in
            let bytes = UnsafeRawBufferPointer(bytes)
            var piece = LineCollector.Piece(bytes)
            // A batch can stop at a line that it can't read. The remaining lines of the batch are then read one by one:
            // starting another batch after each such line would not take linear time.
            var end = 0
            while true {
                while piece.offset >= end, let some = linesToReadTogether(bytes, from: piece.offset) {
                    end = piece.offset + some.count
                    try read(some, &piece, decoding, emit)
                }
                guard let line = try lines.next(in: &piece) else { return }
                try read(line, decoding, emit)
            }
        }
    }

    mutating func finish(emit: (Element) throws -> Void) throws {
        if let line = try lines.last() { try read(line, JSON.Decoding(json.coding), isLast: true, emit) }
    }

    /// The next lines that end in the piece, at least `JSON.padding` bytes before its end; nil if there are none. The
    /// first line of a body is read alone, because it can begin with a byte order mark.
    private func linesToReadTogether(_ bytes: UnsafeRawBufferPointer, from start: Int) -> UnsafeRawBufferPointer? {
        guard number > 0, lines.isAtStart, bytes.count - start > JSON.padding else { return nil }
        let limit = min(bytes.count - JSON.padding, start + JSON.Batch.maximumBytes)
        return bytes[start..<limit].lastIndex(of: 0x0A).map { UnsafeRawBufferPointer(rebasing: bytes[start...$0]) }
    }

    private mutating func read(
        _ text: UnsafeRawBufferPointer, _ piece: inout LineCollector.Piece, _ decoding: JSON.Decoding,
        _ emit: (Element) throws -> Void
    ) throws {
        let (start, before, json, make) = (piece.offset, number, json, make)
        var values = JSON.Batch(text, json.parsing, .lines)
        while let value = values.next(maximumBytes: maximumLineBytes) {
            number = before + values.count
            piece.skip(to: start + values.byteCount)
            let size = listSize == nil ? 0 : value.parsedBytes
            let element: Element
            do { element = try make(json.withoutNulls(consume value), decoding) } catch {
                try pass(error)
                continue
            }
            try listSize?.add(size)
            try emit(element)
        }
    }

    private mutating func read(
        _ line: UnsafeRawBufferPointer, _ decoding: JSON.Decoding, isLast: Bool = false,
        _ emit: (Element) throws -> Void
    ) throws {
        number += 1
        // The parser of JSON passes over the byte order mark.
        let text = number == 1 ? line.withoutMark : line
        guard !text.isBlank else { return }
        let (element, size): (Element, Int)
        do {
            let value = try json.value(line)
            size = listSize == nil ? 0 : value.parsedBytes
            element = try make(value, decoding)
        } catch {
            guard number == 1, badLines == .error, let failure = error as? JSON.ParseFailure else {
                return try pass(error)
            }
            return try pass(
                failure.reason == .unexpectedEnd && !isLast
                    ? failure.adding(#"; JSON on several lines is for the factory "json""#)
                    : failure.knowing(text, refusedBy: "ndjson"))
        }
        try listSize?.add(size)
        try emit(element)
    }

    /// Skips a line that can't be read if the option allows that, else throws.
    private mutating func pass(_ error: any Error) throws {
        try Interruption.check()
        guard badLines == .skip else { throw ElementFailure(.line, number, error) }
        skippedElements += 1
    }
}
