public import PatchbayJSON
public import PatchbayRegistry

/// Reads a JSON text a line, as `application/x-ndjson` and `application/jsonl` are.
///
/// A line ends with LF, with or without a CR before; the last one need not. Lines of nothing but blanks are passed over.
public struct NDJSONResponseSerializer:
    StreamingResponseSerializer, ElementDecodingSerializer, NeverDecliningSerializer
{
    /// What a line means that is no JSON, or of which the type that is asked for cannot be made.
    public var badLines: BadElements
    /// How many bytes a line may take.
    public var maximumLineBytes: Int
    /// How each line is read.
    public var json: JSONResponseSerializer

    /// As it stands, a line that cannot be read is an error, and one may take 16 MiB.
    public init(
        badLines: BadElements = .error, maximumLineBytes: Int = 16 << 20,
        json: JSONResponseSerializer = JSONResponseSerializer()
    ) {
        self.badLines = badLines
        self.maximumLineBytes = maximumLineBytes
        self.json = json
    }

    public func makeParser(_ head: ResponseHead, maximumElementBytes: Int) throws -> some ElementParser<JSON> {
        NDJSONParser(self, maximumElementBytes) { value, _ in value }
    }

    public func makeParser<Value: Decodable & Sendable>(
        of type: Value.Type, _ head: ResponseHead, maximumElementBytes: Int
    ) throws -> any ElementParser<Value> {
        let json = json
        return NDJSONParser(self, maximumElementBytes) { value, decoding in try json.decode(type, value, decoding) }
    }
}

/// The options of `"factory": "ndjson"`.
struct NDJSONOptions: Decodable, Sendable {
    private enum Keys: String, CodingKey { case badLines, maxLineBytes }

    /// `"error"` (the default) or `"skip"`.
    let badLines: Choice<BadElements>?
    /// The default is 16 MiB.
    let maxLineBytes: Int?
    let values: JSONValueOptions

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Keys.self)
        badLines = try container.decodeIfPresent(Choice<BadElements>.self, forKey: .badLines)
        maxLineBytes = try container.decodeIfPresent(Int.self, forKey: .maxLineBytes)
        values = try JSONValueOptions(from: decoder)
    }
}

/// Makes the serializer for `"factory": "ndjson"`.
struct NDJSONFactory: SerializerFactory {
    static let name = "ndjson"

    func makeSerializer(_ options: NDJSONOptions, _ context: FactoryContext) throws -> any ResponseSerializer {
        NDJSONResponseSerializer(
            badLines: options.badLines?.value ?? .error,
            maximumLineBytes: try InvalidOption.check(
                "maxLineBytes", options.maxLineBytes ?? 16 << 20, in: 1...Int.max),
            json: options.values.serializer)
    }
}

extension ManifestObject {
    /// The keys of `NDJSONOptions`.
    static let ndjsonOptions = ManifestObject(
        "ndjsonOptions",
        [
            ManifestKey(
                "badLines", .words(BadElements.allCases.map(\.rawValue)), default: "error",
                "What a line means that is no JSON or not of the type: an error with its number, or it is passed over and counted."
            ),
            ManifestKey(
                "maxLineBytes", .integer(1...Int.max), default: 16_777_216, "How many bytes a line may take."),
        ] + jsonValueKeys)
}
