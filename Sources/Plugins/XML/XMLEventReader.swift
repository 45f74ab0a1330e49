import CPatchbayLibxml2
import PatchbayPlatform

/// Reads a document with libxml2 and passes each event to the handler, up to the first error or exceeded limit.
///
/// `XMLText` removes document type declarations; if libxml2 still reports one, the reader stops. The reader opens
/// nothing, and owns the C handle while it reads.
struct XMLEventReader {
    typealias Handler = (XMLEvent) throws(XMLFailure) -> Void

    /// The size of a piece. libxml2 refuses more than 10 MB in one piece.
    private static let piece = 128 << 10

    private let handle: Handler
    private var budget: XMLBudget
    private var failure: XMLFailure?
    private var parser: UnsafeMutableRawPointer?

    /// - Throws: `XMLFailure`, or the error of the handler, which ends the parse.
    static func read(_ text: XMLText, _ handle: Handler) throws(XMLFailure) {
        try withoutActuallyEscaping(handle) { handle throws(XMLFailure) in
            var reader = XMLEventReader(handle: handle, budget: XMLBudget(text))
            text.utf8.withUnsafeBytes { bytes in
                // libxml2 keeps this pointer and passes it to the handlers. The pointer would dangle after this scope,
                // so `parse` closes the parser before it returns. libxml2 calls the handlers only inside
                // patchbay_xml_parse, while no code of this library accesses the reader.
                withUnsafeMutablePointer(to: &reader) { parse(bytes, $0) }
            }
            if let failure = reader.failure { throw failure }
            guard reader.budget.isComplete else {
                throw XMLFailure(.noRootElement, "there is no complete root element")
            }
        }
    }

    private static func parse(_ bytes: UnsafeRawBufferPointer, _ reader: UnsafeMutablePointer<XMLEventReader>) {
        // libxml2 doesn't start with fewer than four bytes, and no document is shorter.
        guard bytes.count >= 4 else { return }
        if let gap = Libxml2.gap {
            reader.pointee.failure = XMLFailure(.library, gap)
            return
        }
        guard let parser = patchbay_xml_open(handlers, reader) else {
            reader.pointee.failure = XMLFailure(.aborted, "there is no memory for a parser")
            return
        }
        reader.pointee.parser = parser
        defer { patchbay_xml_close(parser) }
        var rest = bytes[...]
        while !rest.isEmpty, reader.pointee.failure == nil {
            if Interruption.isOver {
                reader.pointee.failure = XMLFailure(.aborted, "its call is over")
                return
            }
            let piece = UnsafeRawBufferPointer(rebasing: rest.prefix(piece)).bindMemory(to: CChar.self)
            patchbay_xml_parse(parser, piece.baseAddress, CInt(piece.count), 0)
            rest = rest.dropFirst(piece.count)
        }
        if reader.pointee.failure == nil { patchbay_xml_parse(parser, nil, 0, 1) }
    }

    private mutating func pass(_ event: XMLEvent) {
        guard failure == nil else { return }
        do throws(XMLFailure) {
            try count(event)
        } catch {
            return stop(XMLFailure(error.code, error.reason, line: line, column: column))
        }
        do throws(XMLFailure) {
            try handle(event)
        } catch {
            stop(error)
        }
    }

    private mutating func count(_ event: XMLEvent) throws(XMLFailure) {
        switch event {
        case .start(let tag):
            var bytes = 0
            tag.forEachAttribute { bytes += $1.count }
            try budget.start(attributes: tag.attributeCount, bytes: bytes)
        case .end: budget.end()
        case .text(let bytes), .cdata(let bytes), .comment(let bytes): try budget.take(bytes.count)
        case .processingInstruction(let target, let data): try budget.take(target.count + data.count)
        }
    }

    private mutating func fail(_ number: Int) {
        guard failure == nil, !XMLFailure.isWarning(libxml: number) else { return }
        stop(.libxml(number, depth: budget.depth, line: line, column: column))
    }

    /// Declarations would multiply text and attributes before the budget could count them. libxml2 reports a
    /// declaration only if it disagrees with `XMLMarkup` about the start of the declaration.
    private mutating func refuseDoctype() {
        guard failure == nil else { return }
        stop(XMLFailure(.doctype, "there is a document type declaration where none can be", line: line, column: column))
    }

    private mutating func stop(_ failure: XMLFailure) {
        self.failure = failure
        if let parser { patchbay_xml_stop(parser) }
    }

    private var line: Int? { parser.map { Int(patchbay_xml_line($0)) } }
    private var column: Int? { parser.map { Int(patchbay_xml_column($0)) } }

    // MARK: Handlers of libxml2

    private static func of(_ context: UnsafeMutableRawPointer) -> UnsafeMutablePointer<XMLEventReader> {
        context.assumingMemoryBound(to: XMLEventReader.self)
    }

    private static var handlers: patchbay_xml_handlers {
        patchbay_xml_handlers(
            start: { context, name, prefix, _, namespaceCount, namespaces, attributeCount, _, attributes in
                let tag = XMLStartTag(
                    name, prefix: prefix,
                    namespaces: UnsafeBufferPointer(start: namespaces, count: 2 * Int(namespaceCount)),
                    attributes: UnsafeBufferPointer(start: attributes, count: 5 * Int(attributeCount)))
                XMLEventReader.of(context).pointee.pass(.start(tag))
            },
            end: { context, _, _, _ in XMLEventReader.of(context).pointee.pass(.end) },
            text: { context, bytes, count in
                XMLEventReader.of(context).pointee.pass(.text(XMLBytes(start: bytes, count: Int(count))))
            },
            cdata: { context, bytes, count in
                XMLEventReader.of(context).pointee.pass(.cdata(XMLBytes(start: bytes, count: Int(count))))
            },
            comment: { context, text in XMLEventReader.of(context).pointee.pass(.comment(XMLBytes(untilZero: text))) },
            instruction: { context, target, data in
                XMLEventReader.of(context).pointee.pass(
                    .processingInstruction(target: XMLBytes(untilZero: target), data: XMLBytes(untilZero: data)))
            },
            doctype: { context, _, _, _ in XMLEventReader.of(context).pointee.refuseDoctype() },
            error: { context, error in
                guard !patchbay_xml_is_warning(error) else { return }
                XMLEventReader.of(context).pointee.fail(Int(patchbay_xml_error_number(error)))
            })
    }
}

/// Bytes of UTF-8 in libxml2's memory, valid only while the event is handled.
typealias XMLBytes = UnsafeBufferPointer<UInt8>

enum XMLEvent {
    case start(XMLStartTag)
    case end
    /// A piece of text: one run of text can come in several pieces.
    case text(XMLBytes)
    case cdata(XMLBytes)
    case comment(XMLBytes)
    case processingInstruction(target: XMLBytes, data: XMLBytes)
}

/// A position in the bytes of a document.
struct XMLCursor {
    let bytes: UnsafeRawBufferPointer
    var position = 0

    init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    var byte: UInt8? { position < bytes.count ? bytes[position] : nil }

    func starts(with text: StaticString) -> Bool {
        let length = text.utf8CodeUnitCount
        guard bytes.count - position >= length, let base = bytes.baseAddress else { return false }
        return memcmp(base + position, text.utf8Start, length) == 0
    }

    /// The next index of the byte, at or after `start` and before `end`; without an `end`, up to the end of the
    /// document.
    func index(of byte: UInt8, from start: Int, to end: Int? = nil) -> Int? {
        let end = end ?? bytes.count
        guard start < end, let base = bytes.baseAddress else { return nil }
        guard let found = memchr(base + start, Int32(byte), end - start) else { return nil }
        return UnsafeRawPointer(found) - base
    }

    /// Moves past the construct that begins at the cursor. `opening` is the length of its opening in bytes, `end` its
    /// closing text.
    mutating func skip(_ opening: Int, past end: StaticString, _ reason: String) throws(XMLFailure) {
        let start = position
        position += opening
        while let next = index(of: end.utf8Start.pointee, from: position) {
            position = next
            if starts(with: end) {
                position += end.utf8CodeUnitCount
                return
            }
            position += 1
        }
        position = start
        throw failure(.notWellFormed, reason)
    }

    /// Moves past white space and returns whether there was any.
    @discardableResult
    mutating func skipSpace() -> Bool {
        let start = position
        while let byte, Self.isSpace(byte) { position += 1 }
        return position > start
    }

    static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D }

    static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

    func failure(_ code: XMLFailure.Code, _ reason: String) -> XMLFailure {
        .at(position, in: bytes, code, reason)
    }
}
