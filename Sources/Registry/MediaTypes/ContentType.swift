/// What the Content-Type fields of a response say.
public enum ContentType: Sendable, Hashable {
    /// There is no Content-Type field.
    case missing
    /// There are fields, but no media type can be extracted from them.
    case invalid
    case mediaType(MediaType)

    /// Reads every Content-Type field of a message by the rules of Fetch, section 2.2.2, "extract a MIME type".
    public init(_ fields: HeaderFields) {
        if let value = fields.onlyValue(for: "Content-Type") {
            self.init(value)
        } else {
            self.init(rawValues: fields.values(for: "Content-Type"))
        }
    }

    /// Reads the values of the Content-Type fields, in the order received.
    ///
    /// The last media type wins, and inherits the `charset` of the one before it where the two have the same essence.
    /// `*/*` is none.
    public init(rawValues: [String]) {
        guard !rawValues.isEmpty else {
            self = .missing
            return
        }
        self.init(rawValues.joined(separator: ", "))
    }

    private init(_ value: String) {
        var value = value
        self = value.withUTF8 { Self.extract($0.span) }.map(ContentType.mediaType) ?? .invalid
    }

    /// The media type; nil where it is missing or invalid.
    public var mediaType: MediaType? {
        if case .mediaType(let type) = self { type } else { nil }
    }

    private static func extract(_ bytes: Span<UInt8>) -> MediaType? {
        var extracted: MediaType?
        var charset: String?
        var position = 0
        while position <= bytes.count {
            let end = endOfValue(bytes, from: position)
            let value = MediaTypeParser.trimming(bytes, position..<end, FieldByte.isBlank)
            position = end + 1
            guard let parsed = MediaTypeParser.parse(bytes, value), parsed.essence != "*/*" else { continue }
            if parsed.essence != extracted?.essence { charset = nil }
            if let own = parsed[parameter: "charset"] {
                charset = own
                extracted = parsed
            } else if let charset {
                extracted = parsed.adding(MediaType.Parameter(name: "charset", value: charset))
            } else {
                extracted = parsed
            }
        }
        return extracted
    }

    /// The next comma outside quotes, or the end (Fetch, "get, decode, and split").
    private static func endOfValue(_ bytes: Span<UInt8>, from start: Int) -> Int {
        var position = start
        var isQuoted = false
        while position < bytes.count {
            switch bytes[position] {
            case UInt8(ascii: "\\") where isQuoted: position += 1
            case UInt8(ascii: "\""): isQuoted.toggle()
            case UInt8(ascii: ",") where !isQuoted: return position
            default: break
            }
            position += 1
        }
        return bytes.count
    }
}

extension ContentType: CustomStringConvertible {
    /// The media type, or that there is none.
    public var description: String {
        switch self {
        case .missing: "no Content-Type"
        case .invalid: "an invalid Content-Type"
        case .mediaType(let type): type.description
        }
    }
}
