import Foundation
import PatchbayJSON
import PatchbayMigration
import PatchbayPlatform
import PatchbayRegistry
import Testing

@testable import PatchbayPlugins

/// Forms that are written (WHATWG URL, section 5.2), and read back.
@Suite struct FormWritingTests {
    struct Order: Encodable, Sendable {
        var toName = "Ada L"
        var isGift = true
        var due = Date(timeIntervalSince1970: 1)
        var raw = Data([1, 255])
        var tags = ["x y", "&"]
        var size = ["b": ["c": 2]]
        var note: String?
    }

    private func form(_ value: any Encodable & Sendable, _ options: JSON = [:]) throws -> String {
        let writer = try options.decodeRefusingUnknownKeys(FormOptions.self).serializer()
        #expect(writer.declineReason(writing: value, as: .form) == nil)
        return String(decoding: try writer.write(value, as: .form), as: UTF8.self)
    }

    @Test("the defaults")
    func defaults() throws {
        #expect(
            try form(Order())
                == "toName=Ada+L&isGift=true&due=1970-01-01T00%3A00%3A01Z&raw=Af8%3D&tags=x+y&tags=%26"
                + "&size%5Bb%5D%5Bc%5D=2")
        #expect(try form(["a": [1, nil, 3]]) == "a=1&a=3")
        #expect(try form([String: Int]()).isEmpty)
    }

    @Test("only letters, digits and *-._ stand for themselves, and a space is a plus", arguments: UInt8(0)..<128)
    func escapes(_ byte: UInt8) throws {
        let character = String(decoding: [byte], as: UTF8.self)
        let stays = character == "*" || character == "-" || character == "." || character == "_"
        let isAlphanumeric =
            ("a"..."z").contains(character) || ("A"..."Z").contains(character) || ("0"..."9").contains(character)
        let digits = String(byte, radix: 16, uppercase: true)
        let escaped =
            stays || isAlphanumeric ? character : byte == 0x20 ? "+" : "%" + (byte < 16 ? "0" : "") + digits
        #expect(try form(FormFields([(character, character)])) == "\(escaped)=\(escaped)")
        #expect(try form([character: character]) == "\(escaped)=\(escaped)")
    }

    static let words: [(option: String, word: String, text: String)] = [
        ("arrays", "brackets", "tags%5B%5D=x+y&tags%5B%5D=%26"), ("arrays", "noBrackets", "tags=x+y&tags=%26"),
        ("arrays", "indexInBrackets", "tags%5B0%5D=x+y&tags%5B1%5D=%26"),
        ("bools", "numeric", "isGift=1"), ("bools", "literal", "isGift=true"),
        ("dates", "deferred", "due=-978307199"), ("dates", "secondsSince1970", "due=1"),
        ("dates", "millisecondsSince1970", "due=1000"), ("dates", "iso8601", "due=1970-01-01T00%3A00%3A01Z"),
        ("data", "deferred", "raw=1&raw=255"), ("data", "base64", "raw=Af8%3D"),
        ("keys", "asIs", "toName="), ("keys", "snakeCase", "to_name="), ("keys", "kebabCase", "to-name="),
        ("keys", "capitalized", "ToName="), ("keys", "uppercased", "TONAME="), ("keys", "lowercased", "toname="),
        ("members", "brackets", "size%5Bb%5D%5Bc%5D=2"), ("members", "dots", "size.b.c=2"),
        ("spaces", "plus", "toName=Ada+L"), ("spaces", "percentEncoded", "toName=Ada%20L"),
        ("order", "given", "toName=Ada+L&isGift=true&due="), ("order", "names", "due=1970-01-01T00%3A00%3A01Z&isGift="),
        ("order", "outermostNames", "due=1970-01-01T00%3A00%3A01Z&isGift="), ("order", "pairs", "tags=%26&tags=x+y"),
    ]

    @Test("each word of an option does what it says", arguments: words)
    func option(_ key: String, _ word: String, _ text: String) throws {
        #expect(try "&\(form(Order(), .object([(key, JSON(word))])))&".contains("&\(text)"))
    }

    @Test(
        "null, and an optional that is nil, by the option nulls",
        arguments: [("dropped", ""), ("nameOnly", "&note"), ("empty", "&note="), ("literal", "&note=null")])
    func nulls(_ word: String, _ end: String) throws {
        #expect(try form(Order(), ["nulls": JSON(word)]).hasSuffix("=2" + end))
        #expect(try form(["a": 1, "note": .null] as JSON, ["nulls": JSON(word)]) == "a=1" + end)
    }

    @Test("every word of an option is in a row of the table above")
    func complete() {
        let all: [(String, [String])] = [
            ("arrays", FormOptions.words("arrays")),
            ("bools", FormOptions.words("bools")),
            ("dates", FormOptions.words("dates")),
            ("data", FormOptions.words("data")),
            ("keys", FormOptions.words("keys")),
            ("members", FormOptions.words("members")),
            ("spaces", FormOptions.words("spaces")),
            ("order", FormOptions.words("order")),
        ]
        for (option, words) in all {
            #expect(Set(words) == Set(Self.words.filter { $0.option == option }.map(\.word)), "\(option)")
        }
    }

    @Test("fields are written as they are, with the escapes of the entry")
    func fields() throws {
        let fields = FormFields([("b c", "1"), ("a", ""), ("b c", "ü")])
        #expect(try form(fields, ["arrays": "brackets", "order": "names"]) == "b+c=1&a=&b+c=%C3%BC")
        #expect(try form(fields, ["spaces": "percentEncoded"]) == "b%20c=1&a=&b%20c=%C3%BC")
    }

    @Test("what is written is read back", arguments: ["plus", "percentEncoded"])
    func roundTrip(_ spaces: String) throws {
        let fields = FormFields([("b c", "a+b=%&;é"), ("", ""), ("b c", "\r\n"), ("x[y]", "~/?")])
        let text = try form(fields, ["spaces": JSON(spaces)])
        #expect(
            try FormSerializer().serialize(Sample.body(text), Sample.head("application/x-www-form-urlencoded"))
                == fields)
    }

    static let unwritable: [any Encodable & Sendable] = [1, 1.5, true, [1], [["a": 1]], Int?.none, Date(), JSON("a")]

    @Test("a value that is no object is an error of the format", arguments: unwritable.indices)
    func noObject(_ index: Int) {
        let sentence = Sample.sentence { _ = try form(Self.unwritable[index]) }
        #expect(sentence == "form: a form needs an object with named members")
    }

    @Test("a value that is nested too deep, and one that throws, are errors")
    func refusals() {
        #expect(throws: (any Error).self) { try form(["a": JSONWritingTests.Deep(depth: 600)]) }
        #expect(throws: JSONWritingTests.Halting.Halt.halt) { try form(JSONWritingTests.Halting()) }
    }

    struct Wide: Encodable, Sendable {
        var signed = Int128.min
        var unsigned = UInt128(UInt64.max) + 1
    }

    @Test("integers of 128 bits are written, as members and as elements")
    func wideIntegers() throws {
        #expect(try form(Wide()) == "signed=\(Int128.min)&unsigned=18446744073709551616")
        #expect(try form(["a": [Int128.max]]) == "a=\(Int128.max)")
        #expect(try form(["a": [UInt128(1)]]) == "a=1")
    }

    static let unwritableMembers: [(value: any Encodable & Sendable, options: JSON, path: String)] = [
        (["a": [1, Double.nan]], [:], "a.Index 1"), (["a": ["b": -Double.infinity]], [:], "a.b"),
        (["toName": Float.infinity], ["keys": "snakeCase"], "toName"),
        (["a": Decimal.nan], [:], "a"), (Parameters.object([.init("a", .decimal(.nan))]), [:], "a"),
        (Order(due: Date(timeIntervalSinceReferenceDate: 1e15)), [:], "due"),
        (Order(due: Date(timeIntervalSinceReferenceDate: -1e15)), [:], "due"),
        (Order(due: Date(timeIntervalSinceReferenceDate: .nan)), [:], "due"),
        (Order(due: Date(timeIntervalSinceReferenceDate: 252_423_993_600)), [:], "due"),
        (Order(due: Date(timeIntervalSinceReferenceDate: .infinity)), ["dates": "secondsSince1970"], "due"),
    ]

    @Test("a number that is not finite, and a date that has no text, are refused", arguments: unwritableMembers.indices)
    func unwritableMember(_ index: Int) {
        let (value, options, path) = Self.unwritableMembers[index]
        #expect(Sample.path { _ = try form(value, options) } == path)
    }

    @Test("the last second of ISO 8601 is written")
    func lastSecond() throws {
        let order = Order(due: Date(timeIntervalSinceReferenceDate: 252_423_993_599))
        #expect(try form(order).contains("&due=9999-12-31T23%3A59%3A59Z&"))
    }

    struct Nothing: Encodable, Sendable { func encode(to encoder: any Encoder) throws {} }

    /// Asks for an array and for an object.
    struct TwoForms: Encodable, Sendable {
        func encode(to encoder: any Encoder) throws {
            var elements = encoder.unkeyedContainer()
            try elements.encode(1)
            _ = encoder.container(keyedBy: PathKey.self)
        }
    }

    /// An array, and then a single value.
    struct ArrayAndValue: Encodable, Sendable {
        func encode(to encoder: any Encoder) throws {
            _ = encoder.unkeyedContainer()
            var container = encoder.singleValueContainer()
            try container.encode("a")
        }
    }

    static let misused: [(value: any Encodable & Sendable, sentence: String)] = [
        (Nothing(), "a value of the type Nothing cannot be written"),
        (TwoForms(), "a value of the type TwoForms cannot be written"),
        (["a": TwoForms()], "a value of the type TwoForms cannot be written at /a"),
        (["a": ArrayAndValue()], "a value of the type ArrayAndValue cannot be written at /a"),
    ]

    @Test("a value that encodes nothing, or in two forms, is an error that names its type", arguments: misused.indices)
    func misuse(_ index: Int) throws {
        let (value, sentence) = Self.misused[index]
        let error = try #require(throws: EncodingError.self) { try form(value) }
        #expect(FailureReason(error).description == sentence)
        #expect(try form(["a": Nothing(), "b": Nothing()]).isEmpty)
    }

    @Test("a form is UTF-8, and a type that says another charset is refused")
    func charset() throws {
        let type: MediaType = "application/x-www-form-urlencoded; charset=utf-8"
        #expect(try FormSerializer().write(["a": "é"], as: type) == Data("a=%C3%A9".utf8))
        #expect(throws: FormatFailure.self) {
            try FormSerializer().write(["a": "é"], as: "application/x-www-form-urlencoded; charset=iso-8859-1")
        }
    }
}
