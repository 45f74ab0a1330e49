public import PatchbayRegistry

/// Reads text: the charset is that of the byte order mark, else of Content-Type, else the default given here.
public struct TextResponseSerializer: ResponseSerializer {
    /// The charset where the response names none, by a label of the WHATWG Encoding standard.
    public let charset: String
    /// Whether U+FFFD stands for what cannot be decoded; otherwise that is an error.
    public let lossy: Bool

    public init(charset: String = "utf-8", lossy: Bool = false) {
        self.charset = charset
        self.lossy = lossy
    }

    /// - Throws: `TextDecodingError`, unless `lossy`.
    public func serialize(_ body: ResponseBody, _ head: ResponseHead) throws -> String {
        try TextDecoder.decode(body, head.contentType, defaultCharset: charset, lossy: lossy)
    }
}

/// The options of `"factory": "text"`.
public struct TextOptions: Decodable, Sendable {
    /// A label of the WHATWG Encoding standard; the default is `"utf-8"`.
    var charset: String?
    /// The default is false.
    var lossy: Bool?
}

/// Makes the serializer for `"factory": "text"`.
public struct TextFactory: SerializerFactory {
    public static let name = "text"

    public init() {}

    public func makeSerializer(_ options: TextOptions, _ context: FactoryContext) throws -> any ResponseSerializer {
        let charset = options.charset ?? "utf-8"
        guard TextEncodingName(label: charset) != nil else {
            throw InvalidOption("charset", "is \"\(charset)\", which is no charset known here")
        }
        return TextResponseSerializer(charset: charset, lossy: options.lossy ?? false)
    }
}
