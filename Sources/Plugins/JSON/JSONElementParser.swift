import PatchbayJSON
import PatchbayRegistry

/// Finds the elements of a JSON array (RFC 8259, section 5). If the text is no array, its value is the only element.
struct JSONElementParser<Element: Sendable>: CountingElementParser {
    typealias Make = @Sendable (JSONSerializer, consuming JSON, JSON.Decoding?) throws -> Element

    private enum Place {
        /// At the start of the body, in a byte order mark; the number counts the bytes of the mark that have been read.
        case mark(Int)
        case start
        /// After the opening bracket.
        case first
        /// After a comma.
        case next
        /// In an element that is an object or an array, which ends with its bracket.
        case container
        /// In any other element, which ends at the byte that follows it.
        case element
        /// After an object or an array.
        case behind
        /// After the closing bracket.
        case end
        /// In a value that is not an array.
        case value
    }

    /// Reads a text that is one value.
    private let whole: JSONSerializer
    /// Reads the elements of an array. The array itself counts as one level of the depth, and an element is allowed to
    /// be a fragment.
    private let element: JSONSerializer
    private let make: Make
    private var place = Place.mark(0)
    private var buffer: ElementBuffer
    private var scanner = JSONScanner()
    private var number = 0
    private var byteCount = 0
    private var isOneSpace = false
    /// Whether a line feed outside brackets and strings has been read, in a text that is one value, or after the array.
    private var isBehindLine = false
    var listSize: ListSize?

    init(_ serializer: JSONSerializer, _ maximumElementBytes: Int, _ make: @escaping Make) {
        whole = serializer
        var element = serializer
        // `maximumDepth` is public, so it can be `Int.min`.
        element.parsing.maximumDepth = max(serializer.parsing.maximumDepth, 1) - 1
        element.parsing.allowsFragments = true
        self.element = element
        self.make = make
        buffer = ElementBuffer(limit: ElementLimit(maximumElementBytes))
    }

    mutating func parse(_ bytes: Span<UInt8>, emit: (Element) throws -> Void) throws {
        try bytes.withUnsafeBufferPointer { try parse(UnsafeRawBufferPointer($0), emit) }
    }

    mutating func finish(emit: (Element) throws -> Void) throws {
        switch place {
        case .mark, .start:
            guard byteCount == 0 || byteCount == 1 && isOneSpace && whole.singleSpaceIsEmpty else {
                throw ElementFailure(.element, 1, reason: "expected a value before the end of the text")
            }
        case .container, .element, .behind:
            throw ElementFailure(.element, number + 1, reason: #"expected a comma or "]" before the end of the text"#)
        case .first, .next:
            throw ElementFailure(.element, number + 1, reason: "expected a value before the end of the text")
        case .end: return
        case .value: try emit(try made(whole, buffer.bytes))
        }
    }

    private mutating func parse(_ bytes: UnsafeRawBufferPointer, _ emit: (Element) throws -> Void) throws {
        byteCount = byteCount.addingReportingOverflow(bytes.count).partialValue
        var offset = 0
        // The end of the bytes in which elements were last read together.
        var end = 0
        while offset < bytes.count {
            switch place {
            case .mark(let count):
                guard count < 3, bytes[offset] == UnsafeRawBufferPointer.mark[count] else {
                    // A partial mark, or a second one, doesn't begin a value. The JSON parser reports this.
                    place = count == 0 || count == 3 ? .start : .value
                    try UnsafeRawBufferPointer.mark[..<count].withUnsafeBytes { try buffer.keep($0) }
                    continue
                }
                place = .mark(count + 1)
                offset += 1
            case .start:
                let first = bytes.firstNonBlank(from: offset, upTo: bytes.count)
                if first > offset { isOneSpace = bytes[offset] == 0x20 }
                offset = first
                guard offset < bytes.count else { return }
                guard bytes[offset] == UInt8(ascii: "["), whole.parsing.maximumDepth > 0 else {
                    place = .value
                    continue
                }
                place = .first
                buffer.removeAll()
                offset += 1
            case .first, .next:
                offset = bytes.firstNonBlank(from: offset, upTo: bytes.count)
                guard offset < bytes.count else { return }
                if case .first = place, bytes[offset] == UInt8(ascii: "]") {
                    place = .end
                    offset += 1
                } else if bytes[offset] == UInt8(ascii: "]") || bytes[offset] == UInt8(ascii: ",") {
                    throw ElementFailure(.element, number + 1, reason: "expected a value")
                } else {
                    let isContainer = bytes[offset] == UInt8(ascii: "{") || bytes[offset] == UInt8(ascii: "[")
                    place = isContainer ? .container : .element
                    if isContainer, offset >= end { offset = try readTogether(bytes, offset, &end, emit) }
                }
            case .container: offset = try readContainer(bytes, offset, emit)
            case .element: offset = try readElement(bytes, offset, emit)
            case .behind:
                offset = bytes.firstNonBlank(from: offset, upTo: bytes.count)
                guard offset < bytes.count else { return }
                guard bytes[offset] == UInt8(ascii: ",") || bytes[offset] == UInt8(ascii: "]") else {
                    throw ElementFailure(.element, number, reason: #"expected a comma or "]" behind it"#)
                }
                place = bytes[offset] == UInt8(ascii: ",") ? .next : .end
                offset += 1
            case .end:
                let next = bytes.firstNonBlank(from: offset, upTo: bytes.count)
                isBehindLine = isBehindLine || bytes[offset..<next].contains(UInt8(ascii: "\n"))
                offset = next
                guard offset == bytes.count else {
                    let clause = isBehindLine ? KnownFormat.clause(before: bytes[offset]).map { "; \($0)" } : nil
                    throw ElementFailure(
                        .element, number,
                        reason: "expected nothing after the end of the array, whose last it is\(clause ?? "")")
                }
            case .value: return try readValue(UnsafeRawBufferPointer(rebasing: bytes[offset...]))
            }
        }
    }

    /// Reads the next elements that are objects or arrays and that end in the piece, at least `JSON.padding` bytes before
    /// its end. Reading can stop at an element that must be read alone. So must all elements that begin before `end`:
    /// reading together again after each such element would not take linear time. Returns the offset after the bytes
    /// that were read.
    private mutating func readTogether(
        _ bytes: UnsafeRawBufferPointer, _ start: Int, _ end: inout Int, _ emit: (Element) throws -> Void
    ) throws -> Int {
        end = max(start, min(bytes.count - JSON.padding, start + JSON.Batch.maximumBytes))
        let last = bytes[start..<end].lastIndex { $0 == UInt8(ascii: "}") || $0 == UInt8(ascii: "]") }
        guard let last else { return start }
        let (serializer, make, decoding) = (element, make, JSON.Decoding(element.coding))
        var values = JSON.Batch(UnsafeRawBufferPointer(rebasing: bytes[start...last]), serializer.parsing, .elements)
        while let value = values.next(maximumBytes: buffer.limit.bytes) {
            place = .behind
            number += 1
            try listSize?.add(value.parsedBytes)
            let element: Element
            do { element = try make(serializer, serializer.withoutNulls(consume value), decoding) } catch {
                throw ElementFailure(.element, number, error)
            }
            try emit(element)
        }
        return start + values.byteCount
    }

    /// Continues an object or an array, and emits it as soon as it is closed. Returns the offset after the bytes that
    /// were read.
    private mutating func readContainer(
        _ bytes: UnsafeRawBufferPointer, _ start: Int, _ emit: (Element) throws -> Void
    ) throws -> Int {
        let end = scanner.endOfContainer(in: bytes, from: start, upTo: bytes.count)
        let text = UnsafeRawBufferPointer(rebasing: bytes[start..<(end ?? bytes.count)])
        guard let end else {
            try buffer.keep(text)
            return bytes.count
        }
        place = .behind
        try emit(try made(element, try buffer.element(endingWith: text)))
        return end
    }

    /// Continues an element that is neither an object nor an array. Returns the offset after the bytes that were read,
    /// including the byte that ends the element.
    private mutating func readElement(
        _ bytes: UnsafeRawBufferPointer, _ start: Int, _ emit: (Element) throws -> Void
    ) throws -> Int {
        let end = scanner.boundary(
            in: bytes, from: start, upTo: bytes.count, separator: UInt8(ascii: ","), closer: UInt8(ascii: "]"))
        let text = UnsafeRawBufferPointer(rebasing: bytes[start..<(end ?? bytes.count)])
        guard let end else {
            try buffer.keep(text)
            return bytes.count
        }
        place = bytes[end] == UInt8(ascii: ",") ? .next : .end
        let value = try buffer.element(endingWith: text)
        // The JSON parser skips a byte order mark at the start of a text, but an element can't have one.
        guard value.withoutMark.count == value.count else {
            throw ElementFailure(.element, number + 1, reason: "expected a value")
        }
        if element.removeNulls == .keysAndElements, value.isNull {
            number += 1
        } else {
            try emit(try made(element, value))
        }
        return end + 1
    }

    /// Continues a text that is one value. A second value on another line is refused at its first byte, because a
    /// server that sends one value per line as JSON possibly never ends the body.
    private mutating func readValue(_ bytes: UnsafeRawBufferPointer) throws {
        let end =
            isBehindLine
            ? 0
            : scanner.boundary(in: bytes, from: 0, upTo: bytes.count, separator: UInt8(ascii: "\n"), closer: nil)
        guard let end else { return try buffer.keep(bytes) }
        isBehindLine = true
        guard bytes.firstNonBlank(from: end, upTo: bytes.count) < bytes.count else { return try buffer.keep(bytes) }
        try buffer.keep(UnsafeRawBufferPointer(rebasing: bytes[..<end]))
        // An error in the first line is reported first.
        _ = try made(whole, buffer.bytes)
        let next = bytes[bytes.firstNonBlank(from: end, upTo: bytes.count)]
        let clause = KnownFormat.clause(after: buffer.bytes.withoutMark, next).map { "; \($0)" } ?? ""
        throw ElementFailure(.element, 1, reason: "expected nothing after the value\(clause)")
    }

    private mutating func made(_ serializer: JSONSerializer, _ text: UnsafeRawBufferPointer) throws -> Element {
        number += 1
        do {
            let value = try serializer.value(text)
            try listSize?.add(value.parsedBytes)
            return try make(serializer, value, nil)
        } catch let failure as ListLimitFailure {
            throw failure
        } catch {
            guard case .value = place, let failure = error as? JSON.ParseFailure else {
                throw ElementFailure(.element, number, error)
            }
            throw ElementFailure(.element, number, failure.knowing(text, refusedBy: "json"))
        }
    }
}

extension UnsafeRawBufferPointer {
    /// Whether this is null, followed by nothing but white space.
    fileprivate var isNull: Bool { starts(with: "null".utf8) && firstNonBlank(from: 4, upTo: count) == count }
}
