public import PatchbayJSON
public import PatchbayRegistry

/// Reads a JSON text sequence (RFC 7464), in which each text stands between a record separator and an LF.
///
/// A number, `true`, `false` or `null` with nothing behind it, not even a blank, may be cut off, and is a bad text.
public struct JSONSequenceResponseSerializer:
    StreamingResponseSerializer, ElementDecodingSerializer, NeverDecliningSerializer
{
    /// What a text means that is no JSON or is cut off, or of which the type that is asked for cannot be made.
    public var badTexts: BadElements
    /// How many bytes a text may take.
    public var maximumTextBytes: Int
    /// How each text is read.
    public var json: JSONResponseSerializer

    /// As it stands, a text that cannot be read is an error, and one may take 16 MiB.
    public init(
        badTexts: BadElements = .error, maximumTextBytes: Int = 16 << 20,
        json: JSONResponseSerializer = JSONResponseSerializer()
    ) {
        self.badTexts = badTexts
        self.maximumTextBytes = maximumTextBytes
        self.json = json
    }

    public func makeParser(_ head: ResponseHead, maximumElementBytes: Int) throws -> some ElementParser<JSON> {
        let json = json
        return JSONSequenceParser(self, maximumElementBytes) { text in try json.value(text) }
    }

    public func makeParser<Value: Decodable & Sendable>(
        of type: Value.Type, _ head: ResponseHead, maximumElementBytes: Int
    ) throws -> any ElementParser<Value> {
        let json = json
        return JSONSequenceParser(self, maximumElementBytes) { text in try json.decode(type, text) }
    }
}

/// The options of `"factory": "json-seq"`.
struct JSONSequenceOptions: Decodable, Sendable {
    private enum Keys: String, CodingKey { case badTexts, maxTextBytes }

    /// `"error"` (the default) or `"skip"`.
    let badTexts: Choice<BadElements>?
    /// The default is 16 MiB.
    let maxTextBytes: Int?
    let values: JSONValueOptions

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Keys.self)
        badTexts = try container.decodeIfPresent(Choice<BadElements>.self, forKey: .badTexts)
        maxTextBytes = try container.decodeIfPresent(Int.self, forKey: .maxTextBytes)
        values = try JSONValueOptions(from: decoder)
    }
}

/// Makes the serializer for `"factory": "json-seq"`.
struct JSONSequenceFactory: SerializerFactory {
    static let name = "json-seq"

    func makeSerializer(
        _ options: JSONSequenceOptions, _ context: FactoryContext
    ) throws -> any ResponseSerializer {
        JSONSequenceResponseSerializer(
            badTexts: options.badTexts?.value ?? .error,
            maximumTextBytes: try InvalidOption.check(
                "maxTextBytes", options.maxTextBytes ?? 16 << 20, in: 1...Int.max),
            json: options.values.serializer)
    }
}

extension ManifestObject {
    /// The keys of `JSONSequenceOptions`.
    static let jsonSequenceOptions = ManifestObject(
        "jsonSequenceOptions",
        [
            ManifestKey(
                "badTexts", .words(BadElements.allCases.map(\.rawValue)), default: "error",
                "What a text means that is no JSON, cut off or not of the type: an error with its number, or it is passed over and counted."
            ),
            ManifestKey(
                "maxTextBytes", .integer(1...Int.max), default: 16_777_216, "How many bytes a text may take."),
        ] + jsonValueKeys)
}
