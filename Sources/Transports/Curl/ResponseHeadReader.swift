import PatchbayCodings
import PatchbayManager
import PatchbayRegistry

/// Reads a response head from libcurl's lines, skips interim responses, and refuses malformed heads.
///
/// RFC 9112, sections 4, 5 and 6, with one leniency: a line is allowed to end with LF alone.
struct ResponseHeadReader {
    struct Head {
        let status: Int
        let fields: HeaderFields
        /// The fields that this transport knows by name.
        let known: KnownFields
    }

    /// The limit of lines: interim heads, the head and the trailers.
    static let maximumLines = 1_000

    /// The method of the request, because some methods have no response body.
    private let method: String
    private var status: Int?
    private var fields: [HeaderFields.Element] = []
    /// The positions of the values that are not UTF-8.
    private var latin1: [Int] = []
    /// The fields that this transport knows by name.
    private var known: KnownFields = []
    private var lines = 0

    init(method: String) { self.method = method }

    var hasBegun: Bool { lines > 0 }

    /// Reads one line with its end. Returns the head after the empty line of a final response; nil after any other
    /// line.
    /// - Parameter recent: the lines of the latest head of the host; nil if there is none to compare with.
    mutating func read(
        _ line: UnsafeRawBufferPointer, _ recent: RecentLines? = nil
    ) throws(TransportFailure) -> Head? {
        let line = try next(line)
        guard let status else {
            self.status = try Self.status(line)
            return nil
        }
        guard line.isEmpty else {
            try readField(line, recent)
            return nil
        }
        guard status >= 200 else {
            // No request asks to switch protocols.
            guard status != 101 else { throw .malformed("it switches to another protocol, unasked") }
            (self.status, fields, latin1, known) = (nil, [], [], [])
            return nil
        }
        let head = Head(status: status, fields: HeaderFields(fields, latin1: latin1), known: known)
        if !known.isEmpty, ResponseHead.canHaveBody(status, to: method) {
            do throws(MessageFraming.Ambiguity) {
                try MessageFraming.length(
                    head.fields, hasLength: known.contains(.contentLength),
                    hasTransferCoding: known.contains(.transferEncoding))
            } catch {
                throw .malformed(error.reason)
            }
        }
        (fields, latin1) = ([], [])
        return head
    }

    /// The trailer fields that were read; the fields of the head until the head is complete.
    var trailers: HeaderFields { HeaderFields(fields, latin1: latin1) }

    /// Reads lines after the body.
    mutating func readTrailers(_ lines: UnsafeRawBufferPointer) throws(TransportFailure) {
        var rest = lines[...]
        while !rest.isEmpty {
            let end = rest.firstIndex(of: 0x0A).map { $0 + 1 } ?? rest.endIndex
            let line = try next(UnsafeRawBufferPointer(rebasing: rest[..<end]))
            if !line.isEmpty { try readField(line, nil) }
            rest = rest[end...]
        }
    }

    /// Returns the line without its end. Throws if the line has no end.
    private mutating func next(_ line: UnsafeRawBufferPointer) throws(TransportFailure) -> UnsafeBufferPointer<UInt8> {
        lines += 1
        guard lines <= Self.maximumLines else { throw .malformed("it has over \(Self.maximumLines) header lines") }
        // If a head is cut off, libcurl 8.23 passes its last line as it is.
        guard line.last == 0x0A else { throw .malformed("it ended before its final head") }
        var count = line.count - 1
        if count > 0, line[count - 1] == 0x0D { count -= 1 }
        return UnsafeBufferPointer(rebasing: line.bindMemory(to: UInt8.self)[..<count])
    }

    /// Reads a field in one pass: its name up to the colon, then its value.
    private mutating func readField(
        _ line: UnsafeBufferPointer<UInt8>, _ recent: RecentLines?
    ) throws(TransportFailure) {
        // Most heads have at most 16 fields. Growing the array step by step would cost more than this memory.
        if fields.isEmpty { fields.reserveCapacity(16) }
        if let field = recent?.field(at: fields.count, of: line) {
            fields.append((field.name, field.value))
            known.formUnion(field.known)
            return
        }
        var colon = 0
        while colon < line.count, FieldByte.isToken(line[colon]) { colon += 1 }
        guard colon > 0, colon < line.count, line[colon] == 0x3A else { return try readOddLine(line) }
        let name = UnsafeBufferPointer(rebasing: line[..<colon])
        let value = try Self.text(line[(colon + 1)...])
        let field = RecentLines.Field(name: Self.ascii(name), value: value.text, known: .named(name))
        // A line that is not UTF-8 is read each time.
        if value.isLatin1 { latin1.append(fields.count) } else { recent?.keep(line, at: fields.count, field) }
        fields.append((field.name, field.value))
        known.formUnion(field.known)
    }

    /// Reads a line that does not begin with a name and a colon.
    private mutating func readOddLine(_ line: UnsafeBufferPointer<UInt8>) throws(TransportFailure) {
        let more = try Self.text(line[...])
        if let first = line.first, FieldByte.isBlank(first) {
            // A folded line (obs-fold) continues the value before it.
            guard let last = fields.indices.last else { throw .malformed("its first header line begins with a blank") }
            guard !more.text.isEmpty else { return }
            let start = FieldText(fields[last].value, isLatin1: latin1.last == last)
            let value = FieldText(octets: start.text.isEmpty ? more.octets : start.octets + [0x20] + more.octets)
            fields[last].value = value.text
            if value.isLatin1, latin1.last != last { latin1.append(last) }
            return
        }
        guard line.contains(0x3A) else { throw .malformed("a header line has no colon") }
        throw .malformed("a header field has a name that is none")
    }

    /// `HTTP/1.1 200 OK`, where the reason and the space before it can be missing, or `HTTP/2 200`. The version is 1.0,
    /// 1.1, 2 or 3, as libcurl writes them.
    private static func status(_ line: UnsafeBufferPointer<UInt8>) throws(TransportFailure) -> Int {
        let version = line.prefix { $0 != 0x20 }.count
        let isHTTP =
            switch version {
            case 8: line.begins(with: "HTTP/1.1") || line.begins(with: "HTTP/1.0")
            case 6: line.begins(with: "HTTP/2") || line.begins(with: "HTTP/3")
            default: false
            }
        guard version < line.count, isHTTP else { throw .malformed("its status line is none of HTTP") }
        let rest = line[(version + 1)...]
        let code = rest.prefix { $0 != 0x20 }
        guard code.count == 3, code.allSatisfy({ (0x30...0x39).contains($0) }) else {
            throw .malformed("its status code is not three digits")
        }
        let status = code.reduce(0) { $0 * 10 + Int($1 - 0x30) }
        guard status >= 100 else { throw .malformed("its status code is below 100") }
        guard !rest.contains(where: { $0 == 0x00 || $0 == 0x0D }) else {
            throw .malformed("its status line has a NUL or CR in it")
        }
        return status
    }

    /// The text without surrounding white space, read as UTF-8 or, if that is not valid, as ISO-8859-1.
    private static func text(_ bytes: Slice<UnsafeBufferPointer<UInt8>>) throws(TransportFailure) -> FieldText {
        var (start, end) = (bytes.startIndex, bytes.endIndex)
        while start < end, FieldByte.isBlank(bytes.base[start]) { start += 1 }
        while start < end, FieldByte.isBlank(bytes.base[end - 1]) { end -= 1 }
        let bytes = UnsafeBufferPointer(rebasing: bytes.base[start..<end])
        // Without an exit in the middle, the compiler makes the loop read 16 bytes at once.
        var (bits, refused): (UInt8, UInt8) = (0, 0)
        for byte in bytes {
            bits |= byte
            refused |= (byte == 0x00 ? 1 : 0) | (byte == 0x0D ? 1 : 0)
        }
        guard refused == 0 else { throw .malformed("a header line has a NUL or CR in it") }
        // A single step that checks and makes the text is many times slower.
        return bits < 0x80 ? FieldText(ascii(bytes), isLatin1: false) : FieldText(octets: bytes)
    }

    private static func ascii(_ bytes: UnsafeBufferPointer<UInt8>) -> String {
        String(unsafeUninitializedCapacity: bytes.count) { text in
            UnsafeMutableRawBufferPointer(text).copyMemory(from: UnsafeRawBufferPointer(bytes))
            return bytes.count
        }
    }
}
