import PatchbayJSON
package import PatchbayRegistry

/// Reads text: the charset is that of the byte order mark, else the override, else of Content-Type, else the default given here.
package struct TextSerializer: LineYieldingSerializer, NeverDecliningSerializer {
    /// The charset where the response names none, by a label of the WHATWG Encoding standard.
    package let charset: String
    /// The charset whatever the response names, by such a label too; nil: what the response names counts. A byte order mark
    /// proves more than either (WHATWG Encoding, section 6, "decode").
    package let charsetOverride: String?
    /// Whether U+FFFD stands for what cannot be decoded; otherwise that is an error.
    package let lossy: Bool

    /// As it stands, UTF-8 where the response names no charset, and an error for what cannot be decoded.
    package init(charset: String = "utf-8", charsetOverride: String? = nil, lossy: Bool = false) {
        self.charset = charset
        self.charsetOverride = charsetOverride
        self.lossy = lossy
    }

    /// - Throws: `TextDecodingFailure`, unless `lossy`.
    package func serialize(_ body: ResponseBody, _ head: ResponseHead) throws -> String {
        try TextDecoder.decode(
            body, head.contentType, defaultCharset: charset, charsetOverride: charsetOverride, lossy: lossy)
    }

    package func makeLineParser(_ head: ResponseHead, maximumElementBytes: Int) -> any ElementParser<String> {
        LineParser(
            head.contentType, defaultCharset: charset, charsetOverride: charsetOverride, lossy: lossy,
            maximumElementBytes: maximumElementBytes)
    }
}

struct TextOptions: Decodable, Sendable {
    /// A label of the WHATWG Encoding standard; the default is `"utf-8"`.
    var charset: String?
    /// A label that counts whatever the response says; the default is none.
    var charsetOverride: String?
    /// The default is false.
    var lossy: Bool?
}

struct TextFactory: SerializerFactory {
    static let name = "text"

    func makeSerializer(_ options: TextOptions, _ context: FactoryContext) throws -> any Serializer {
        for (name, label) in [("charset", options.charset), ("charsetOverride", options.charsetOverride)] {
            guard let label, TextEncodingName(label: label) == nil else { continue }
            throw OptionFailure(name, "is \"\(label)\", which is no charset known here")
        }
        return TextSerializer(
            charset: options.charset ?? "utf-8", charsetOverride: options.charsetOverride, lossy: options.lossy ?? false
        )
    }
}
