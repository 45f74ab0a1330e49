public import PatchbayJSON
public import PatchbayPlatform
public import PatchbayRegistry

/// Reads and writes JSON (RFC 8259), and decodes any `Decodable` from it.
///
/// A response is UTF-8 whatever its `charset` parameter says. A body is written in UTF-8; a type with another charset
/// is an error.
///
/// One byte order mark is skipped. A body that is exactly one space, which Rails sends for "no content", is null, or
/// the empty value of a type that has one.
///
/// As a stream, an array gives its elements as they arrive. Any other value is a single element.
///
/// The serializer writes any `Encodable`, and a `JSON` unchanged. Members keep the order in which the type encodes
/// them.
public struct JSONSerializer:
    DecodingSerializer, ElementDecodingSerializer, NeverDecliningSerializer, RequestSerializer
{
    package var parsing: JSON.ParseOptions
    /// The options for decoding and encoding types. They have no effect if a Foundation decoder or encoder was given.
    package var coding: JSON.CodingOptions
    /// The nulls to remove before the value is decoded or returned.
    package var removeNulls = JSON.NullRemoval.none
    /// Whether a body of one space means no value.
    package var singleSpaceIsEmpty = true
    /// Whether each element and member is written on a separate line.
    package var pretty = false
    /// Whether members are written in the order of their keys.
    package var sortedKeys = false
    /// The charset that Content-Type names, for the sentence about an element that is not UTF-8.
    var declaredCharset: String?
    private let decoder: JSONDecoder?
    private let encoder: JSONEncoder?

    /// Reads JSON by RFC 8259, within limits, and decodes types as a new `JSONDecoder` does, unless the parameters say
    /// otherwise. Writes compact JSON, and encodes types as a new `JSONEncoder` does.
    /// - Parameters:
    ///   - coding: how keys and dates are written in the document.
    ///   - parsing: the rules for accepted JSON, and the limits.
    public init(coding: JSON.CodingOptions = .init(), parsing: JSON.ParseOptions = .init()) {
        self.parsing = parsing
        self.coding = coding
        decoder = nil
        encoder = nil
    }

    /// Decodes and encodes types with Foundation's coders. They must not be changed afterwards.
    /// - Parameters:
    ///   - decoder: decodes every `Decodable` type but `JSON`.
    ///   - encoder: writes every `Encodable` type but `JSON`; nil writes as `JSONSerializer()` does.
    public init(decoder: JSONDecoder, encoder: JSONEncoder? = nil) {
        parsing = .init()
        coding = .init()
        self.decoder = decoder
        self.encoder = encoder
    }

    /// Parses the body.
    /// - Throws: `FormatFailure` of the format `json`, with line, column and offset.
    public func serialize(_ body: ResponseBody, _ head: ResponseHead) throws -> JSON {
        if standsForNothing(body) { return .null }
        do throws(JSON.ParseFailure) {
            return try body.withUnsafeBytes { bytes throws(JSON.ParseFailure) in
                withoutNulls(try JSON(parsingPadded: bytes, options: parsing))
            }
        } catch {
            let known = body.withUnsafeBytes { error.knowing($0, refusedBy: "json") }
            throw known.declared(head.mediaType?[parameter: "charset"]).formatFailure
        }
    }

    /// Parses the body and decodes a value of the type from it.
    /// - Throws: `FormatFailure`, or `DecodingError` if the JSON doesn't match the type.
    public func decode<Value: Decodable & Sendable>(
        _ type: Value.Type, from body: ResponseBody, _ head: ResponseHead
    ) throws -> Value {
        if standsForNothing(body), let value = emptyValue(of: type) { return value }
        return try decode(type, try serialize(body, head))
    }

    /// A parser for the elements of an array. A body that is another value is one element.
    ///
    /// The options apply to each element. A null that is removed from arrays is not an element. An empty body, or a
    /// body of the one space that means no value, has no elements.
    public func makeParser<Value: Decodable & Sendable>(
        of type: Value.Type, _ head: ResponseHead, maximumElementBytes: Int
    ) throws -> any ElementParser<Value> {
        JSONElementParser(reading(head), maximumElementBytes) { try $0.decode(type, $1, $2) }
    }

    /// Writes the value as one JSON text in UTF-8.
    /// - Throws: `EncodingError` with the coding path of a value that JSON can't hold, such as a number that is not
    ///   finite; any error that the value throws; `FormatFailure` for a media type with a charset other than UTF-8.
    public func write(_ value: some Encodable, as type: MediaType) throws -> Data {
        try type.requireUTF8("json")
        var bytes: [UInt8] = []
        try write(value, into: &bytes)
        return Data(bytes)
    }

    /// Appends the value as one JSON text, without line feeds unless it is pretty.
    func write(_ value: some Encodable, into bytes: inout [UInt8]) throws {
        // An encoder of Foundation would round a number with more digits than a Double has.
        if let encoder, !(value is JSON) {
            bytes += try encoder.encode(value)
        } else if pretty || sortedKeys {
            try JSON(encoding: value, options: coding).serialize(into: &bytes, pretty: pretty, sortedKeys: sortedKeys)
        } else {
            try JSON.serialize(encoding: value, options: coding, into: &bytes)
        }
    }

    /// This serializer for the elements of a response.
    func reading(_ head: ResponseHead) -> JSONSerializer {
        var serializer = self
        serializer.declaredCharset = head.mediaType?[parameter: "charset"]
        return serializer
    }

    func value(_ bytes: UnsafeRawBufferPointer) throws(JSON.ParseFailure) -> JSON {
        do throws(JSON.ParseFailure) {
            return withoutNulls(try JSON(document: bytes, options: parsing))
        } catch {
            throw error.declared(declaredCharset)
        }
    }

    /// The value without the nulls that `removeNulls` names.
    func withoutNulls(_ json: consuming JSON) -> JSON {
        if case .none = removeNulls { return json }
        return json.removingNulls(removeNulls)
    }

    func decode<Value: Decodable & Sendable>(_ type: Value.Type, _ bytes: UnsafeRawBufferPointer) throws -> Value {
        try decode(type, try value(bytes))
    }

    /// Decodes a value of the type from a JSON value.
    /// - Parameter many: a decoding with the options `coding`, if the value is one of many.
    func decode<Value: Decodable & Sendable>(
        _ type: Value.Type, _ json: JSON, _ many: JSON.Decoding? = nil
    ) throws -> Value {
        if type == JSON.self { return try Self.same(json) }
        if let decoder { return try decoder.decode(type, from: Data(json.serialized().utf8)) }
        guard let many else { return try json.decode(type, options: coding) }
        return try many.decode(type, from: json)
    }

    /// Returns the JSON itself as a `Value`. This is a separate function because a cast looks up the type of its result
    /// at the start of its function. For a small value, this takes longer than all other work.
    @inline(never)
    private static func same<Value: Decodable>(_ json: JSON) throws -> Value {
        guard let json = json as? Value else { return try json.decode(Value.self) }
        return json
    }

    private func standsForNothing(_ body: ResponseBody) -> Bool {
        singleSpaceIsEmpty && body.count == 1 && body.data.first == UInt8(ascii: " ")
    }
}
