/// A second reading of a raw response, with no line in common with libcurl or the transport: the oracle of the suites.
///
/// It is lenient about lines and strict about lengths: where it gives a body, that is the whole body, by RFC 9112, section 6.3.
struct WireMessage {
    let status: Int
    /// The names lower-cased.
    let fields: [(name: String, value: String)]
    /// The body with chunks joined and content codings left on; nil where it is not complete.
    let body: [UInt8]?

    /// Nil where the bytes are no response to a GET that then closes.
    init?(_ raw: [UInt8]) {
        var rest = raw[...]
        while true {
            guard let line = Self.line(&rest), let status = Self.status(line) else { return nil }
            var fields: [(name: String, value: String)] = []
            while true {
                guard let line = Self.line(&rest) else { return nil }
                if line.isEmpty { break }
                guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { continue }
                fields.append((Self.text(line[..<colon]).lowercased(), Self.text(line[line.index(after: colon)...])))
            }
            if (100..<200).contains(status), status != 101 { continue }
            self.status = status
            self.fields = fields
            body = Self.body(rest, status, fields)
            return
        }
    }

    var contentCodings: [String] { Self.list("content-encoding", fields) }

    private static func body(
        _ rest: ArraySlice<UInt8>, _ status: Int, _ fields: [(name: String, value: String)]
    ) -> [UInt8]? {
        if [204, 304].contains(status) { return [] }
        let codings = list("transfer-encoding", fields)
        if codings.last == "chunked" { return chunked(rest) }
        let lengths = list("content-length", fields)
        if codings.isEmpty || codings == ["identity"], let first = lengths.first {
            guard Set(lengths).count == 1, let length = Int(first), length >= 0, rest.count >= length else {
                return nil
            }
            return Array(rest.prefix(length))
        }
        return Array(rest)
    }

    private static func chunked(_ bytes: ArraySlice<UInt8>) -> [UInt8]? {
        var rest = bytes
        var body: [UInt8] = []
        while let line = line(&rest) {
            let digits = text(line.prefix { Character(UnicodeScalar($0)).isHexDigit })
            guard let size = Int(digits, radix: 16), size >= 0, size <= rest.count else { return nil }
            if size == 0 { return trailersEnd(rest) ? body : nil }
            body += rest.prefix(size)
            rest = rest.dropFirst(size)
            guard self.line(&rest)?.isEmpty == true else { return nil }
        }
        return nil
    }

    private static func trailersEnd(_ bytes: ArraySlice<UInt8>) -> Bool {
        var rest = bytes
        while let line = line(&rest) {
            if line.isEmpty { return true }
        }
        return false
    }

    /// The next line without its end; nil where no LF is left.
    private static func line(_ rest: inout ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        guard let end = rest.firstIndex(of: 0x0A) else { return nil }
        defer { rest = rest[(end + 1)...] }
        let line = rest[..<end]
        return line.last == 0x0D ? line.dropLast() : line
    }

    private static func status(_ line: ArraySlice<UInt8>) -> Int? {
        let parts = line.split(separator: 0x20)
        guard parts.count >= 2, text(parts[0]).hasPrefix("HTTP/"), parts[1].count == 3 else { return nil }
        return Int(text(parts[1]))
    }

    private static func list(_ name: String, _ fields: [(name: String, value: String)]) -> [String] {
        fields.filter { $0.name == name }.flatMap { $0.value.split(separator: ",") }
            .map { text($0.utf8.map { $0 }[...]).lowercased() }
    }

    private static func text(_ bytes: ArraySlice<UInt8>) -> String {
        var bytes = bytes.drop { $0 == 0x20 || $0 == 0x09 }
        while bytes.last == 0x20 || bytes.last == 0x09 { bytes.removeLast() }
        return String(decoding: bytes, as: UTF8.self)
    }
}
