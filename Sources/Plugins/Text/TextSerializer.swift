import PatchbayJSON
package import PatchbayRegistry

/// Reads text. The charset is that of the byte order mark, else `charsetOverride`, else that of Content-Type, else
/// `charset`.
package struct TextSerializer: LineYieldingSerializer, NeverDecliningSerializer {
    /// The charset if the response names none, as a label of the WHATWG Encoding standard.
    package let charset: String
    /// The charset that replaces the charset of the response, as a label of the WHATWG Encoding standard; nil uses the
    /// charset of the response. A byte order mark takes precedence over both (WHATWG Encoding, section 6, "decode").
    package let charsetOverride: String?
    /// Whether undecodable bytes become U+FFFD. If false, they are an error.
    package let lossy: Bool

    /// By default, UTF-8 if the response names no charset, and an error for undecodable bytes.
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
    var charset: String?
    var charsetOverride: String?
    var lossy: Bool?

    func serializer() throws -> TextSerializer {
        try OptionFailure.check("charset", charset: charset)
        try OptionFailure.check("charsetOverride", charset: charsetOverride)
        return TextSerializer(charset: charset ?? "utf-8", charsetOverride: charsetOverride, lossy: lossy ?? false)
    }
}
