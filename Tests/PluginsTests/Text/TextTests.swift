import PatchbayRegistry
import Testing

@testable import PatchbayPlugins

/// Text: which charset counts, and what becomes of bytes that are not in it. The charsets themselves are Registry's tests.
@Suite struct TextTests {
    private static let latin: [UInt8] = [0x63, 0x61, 0x66, 0xE9]

    @Test(
        "1.1.27, 1.2.8: text by its charset, else by that of the entry",
        arguments: [
            ("UTF-8 by default", nil, Array("café".utf8), "utf-8"),
            ("parameter", "text/plain; charset=ISO-8859-1", latin, "utf-8"),
            ("default of the entry", "text/plain", latin, "windows-1252"),
            ("parameter before default", "text/plain; charset=utf-8", Array("café".utf8), "windows-1252"),
            ("mark before parameter", "text/plain; charset=windows-1252", Array("\u{FEFF}café".utf8), "utf-8"),
            ("UTF-16 by mark", nil, Sample.utf16("café"), "utf-8"),
        ] as [(String, String?, [UInt8], String)])
    func charsets(_ name: String, _ contentType: String?, _ bytes: [UInt8], _ charset: String) throws {
        let serializer = TextSerializer(charset: charset)
        #expect(try serializer.serialize(ResponseBody(bytes), Sample.head(contentType)) == "café")
    }

    @Test(
        "1.2.8: an override counts whatever the response says, but for a byte order mark",
        arguments: [
            ("a wrong charset", "text/plain; charset=utf-8", latin),
            ("an unknown charset", "text/plain; charset=x-our-own", latin),
            ("no charset", "text/plain", latin), ("no type", nil, latin),
            ("a mark", "text/plain; charset=x-our-own", Array("\u{FEFF}café".utf8)),
        ] as [(String, String?, [UInt8])])
    func override(_ name: String, _ contentType: String?, _ bytes: [UInt8]) throws {
        let manifest = """
            {"manifestVersion": 1, "plugins": [{"id": "text", "factory": "text", "options":
              {"charsetOverride": "ISO-8859-1"}, "match": {"types": ["text/*"]}}, {"id": "plain", "factory": "text"}]}
            """
        let registry = try SerializerRegistry(
            sources: [.text(manifest, name: "test.json")], factories: .standard)
        let own = LookupOverride(using: .serializer(TextSerializer(charsetOverride: "latin1")))
        let head = Sample.head(contentType)
        let body = ResponseBody(bytes)
        #expect(
            try registry.decision(for: head, producing: .type(String.self), override: own)
                .serialize(body, as: String.self).value == "café")
        #expect(
            try registry.decision(for: head, producing: .anything, override: own).serialize(body).value as? String
                == "café")
        guard contentType != nil else { return }
        let serialized = try registry.decision(for: head, producing: .type(String.self), override: .none)
            .serialize(body, as: String.self)
        #expect((serialized.value, serialized.entry) == ("café", "text"))
    }

    @Test("1.2.8: a charset that is not known is no option", arguments: ["charset", "charsetOverride"])
    func unknownOption(_ name: String) throws {
        let manifest = """
            {"manifestVersion": 1, "plugins": [{"id": "text", "factory": "text", "options": {"\(name)": "x-our-own"}}]}
            """
        let failure = try #require(throws: ManifestFailure.self) {
            try SerializerRegistry(sources: [.text(manifest, name: "test.json")], factories: .standard)
        }
        #expect("\(failure)".contains("the option \(name) is \"x-our-own\", which is no charset known here"))
    }

    @Test("1.2.9: text that is malformed in its charset is an error") func strict() {
        let sentence = Sample.sentence {
            _ = try TextSerializer().serialize(ResponseBody(Self.latin), Sample.head("text/plain"))
        }
        #expect(sentence == "the body is not valid UTF-8 at byte 3")
    }

    @Test func lossy() throws {
        let serializer = TextSerializer(lossy: true)
        #expect(try serializer.serialize(ResponseBody(Self.latin), Sample.head("text/plain")) == "caf\u{FFFD}")
    }
}
