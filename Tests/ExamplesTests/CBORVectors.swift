import Foundation

@testable import CBOR

/// One example of appendix A of RFC 8949.
struct CBORVector: Sendable {
    /// What is not written as it was read, and why.
    enum Difference: String {
        case indefinite = "it has an indefinite length"
        case notShortest = "its float is not the shortest"
    }

    let hex: String
    /// The example in diagnostic notation, as the RFC has it.
    let diagnostic: String
    let value: CBORValue
    /// Why its bytes are not those that are written; nil where they are the same.
    let difference: Difference?
    /// Whether JSON has such a value.
    let isJSON: Bool

    init(
        _ hex: String, _ diagnostic: String, _ value: CBORValue, isJSON: Bool = true, not difference: Difference? = nil
    ) {
        (self.hex, self.diagnostic, self.value) = (hex, diagnostic, value)
        (self.isJSON, self.difference) = (isJSON, difference)
    }
}

extension CBORVector {
    /// The 81 examples of RFC 8949: 64 are written as they are read, 22 have no value in JSON.
    ///
    /// RFC 7049 had one more, `simple(24)` as `f818`, which made 82, 65 and 23. RFC 8949 took it out, and lists these bytes among those
    /// that are not well-formed (appendix F).
    static let all = [
        CBORVector("00", "0", 0),
        CBORVector("01", "1", 1),
        CBORVector("0a", "10", 10),
        CBORVector("17", "23", 23),
        CBORVector("1818", "24", 24),
        CBORVector("1819", "25", 25),
        CBORVector("1864", "100", 100),
        CBORVector("1903e8", "1000", 1000),
        CBORVector("1a000f4240", "1000000", 1_000_000),
        CBORVector("1b000000e8d4a51000", "1000000000000", 1_000_000_000_000),
        CBORVector("1bffffffffffffffff", "18446744073709551615", .unsigned(.max)),
        CBORVector("c249010000000000000000", "18446744073709551616", .tagged(2, .bytes(Data([1] + zeroes)))),
        CBORVector("3bffffffffffffffff", "-18446744073709551616", .negative(.max)),
        CBORVector("c349010000000000000000", "-18446744073709551617", .tagged(3, .bytes(Data([1] + zeroes)))),
        CBORVector("20", "-1", -1),
        CBORVector("29", "-10", -10),
        CBORVector("3863", "-100", -100),
        CBORVector("3903e7", "-1000", -1000),
        CBORVector("f90000", "0.0", .float(0)),
        CBORVector("f98000", "-0.0", .float(-0.0)),
        CBORVector("f93c00", "1.0", .float(1)),
        CBORVector("fb3ff199999999999a", "1.1", .float(1.1)),
        CBORVector("f93e00", "1.5", .float(1.5)),
        CBORVector("f97bff", "65504.0", .float(65504)),
        CBORVector("fa47c35000", "100000.0", .float(100_000)),
        CBORVector("fa7f7fffff", "3.4028234663852886e+38", .float(3.4028234663852886e+38)),
        CBORVector("fb7e37e43c8800759c", "1.0e+300", .float(1e300)),
        CBORVector("f90001", "5.960464477539063e-8", .float(5.960464477539063e-8)),
        CBORVector("f90400", "0.00006103515625", .float(0.00006103515625)),
        CBORVector("f9c400", "-4.0", .float(-4)),
        CBORVector("fbc010666666666666", "-4.1", .float(-4.1)),
        CBORVector("f97c00", "Infinity", .float(.infinity), isJSON: false),
        CBORVector("f97e00", "NaN", .float(.nan), isJSON: false),
        CBORVector("f9fc00", "-Infinity", .float(-.infinity), isJSON: false),
        CBORVector("fa7f800000", "Infinity", .float(.infinity), isJSON: false, not: .notShortest),
        CBORVector("fa7fc00000", "NaN", .float(.nan), isJSON: false, not: .notShortest),
        CBORVector("faff800000", "-Infinity", .float(-.infinity), isJSON: false, not: .notShortest),
        CBORVector("fb7ff0000000000000", "Infinity", .float(.infinity), isJSON: false, not: .notShortest),
        CBORVector("fb7ff8000000000000", "NaN", .float(.nan), isJSON: false, not: .notShortest),
        CBORVector("fbfff0000000000000", "-Infinity", .float(-.infinity), isJSON: false, not: .notShortest),
        CBORVector("f4", "false", .bool(false)),
        CBORVector("f5", "true", .bool(true)),
        CBORVector("f6", "null", .null),
        CBORVector("f7", "undefined", .undefined, isJSON: false),
        CBORVector("f0", "simple(16)", .simple(16), isJSON: false),
        CBORVector("f8ff", "simple(255)", .simple(255), isJSON: false),
        CBORVector(
            "c074323031332d30332d32315432303a30343a30305a", #"0("2013-03-21T20:04:00Z")"#,
            .tagged(0, "2013-03-21T20:04:00Z"), isJSON: false),
        CBORVector("c11a514b67b0", "1(1363896240)", .tagged(1, 1_363_896_240), isJSON: false),
        CBORVector("c1fb41d452d9ec200000", "1(1363896240.5)", .tagged(1, .float(1_363_896_240.5)), isJSON: false),
        CBORVector("d74401020304", "23(h'01020304')", .tagged(23, .bytes(Data([1, 2, 3, 4]))), isJSON: false),
        CBORVector("d818456449455446", "24(h'6449455446')", .tagged(24, .bytes(Data("dIETF".utf8))), isJSON: false),
        CBORVector(
            "d82076687474703a2f2f7777772e6578616d706c652e636f6d", #"32("http://www.example.com")"#,
            .tagged(32, "http://www.example.com"), isJSON: false),
        CBORVector("40", "h''", .bytes(Data()), isJSON: false),
        CBORVector("4401020304", "h'01020304'", .bytes(Data([1, 2, 3, 4])), isJSON: false),
        CBORVector("60", #""""#, ""),
        CBORVector("6161", #""a""#, "a"),
        CBORVector("6449455446", #""IETF""#, "IETF"),
        CBORVector("62225c", #""\"\\""#, #""\"#),
        CBORVector("62c3bc", #""\u00fc""#, "\u{FC}"),
        CBORVector("63e6b0b4", #""\u6c34""#, "\u{6C34}"),
        CBORVector("64f0908591", #""\ud800\udd51""#, "\u{10151}"),
        CBORVector("80", "[]", []),
        CBORVector("83010203", "[1, 2, 3]", [1, 2, 3]),
        CBORVector("8301820203820405", "[1, [2, 3], [4, 5]]", [1, [2, 3], [4, 5]]),
        CBORVector(
            "98190102030405060708090a0b0c0d0e0f101112131415161718181819", "[1, 2, 3, … 25]",
            .array((1...25).map { .integer($0) })),
        CBORVector("a0", "{}", [:]),
        CBORVector("a201020304", "{1: 2, 3: 4}", [1: 2, 3: 4], isJSON: false),
        CBORVector("a26161016162820203", #"{"a": 1, "b": [2, 3]}"#, ["a": 1, "b": [2, 3]]),
        CBORVector("826161a161626163", #"["a", {"b": "c"}]"#, ["a", ["b": "c"]]),
        CBORVector(
            "a56161614161626142616361436164614461656145", #"{"a": "A", "b": "B", "c": "C", "d": "D", "e": "E"}"#,
            ["a": "A", "b": "B", "c": "C", "d": "D", "e": "E"]),
        CBORVector(
            "5f42010243030405ff", "(_ h'0102', h'030405')", .bytes(Data([1, 2, 3, 4, 5])), isJSON: false,
            not: .indefinite),
        CBORVector("7f657374726561646d696e67ff", #"(_ "strea", "ming")"#, "streaming", not: .indefinite),
        CBORVector("9fff", "[_ ]", [], not: .indefinite),
        CBORVector("9f018202039f0405ffff", "[_ 1, [2, 3], [_ 4, 5]]", [1, [2, 3], [4, 5]], not: .indefinite),
        CBORVector("9f01820203820405ff", "[_ 1, [2, 3], [4, 5]]", [1, [2, 3], [4, 5]], not: .indefinite),
        CBORVector("83018202039f0405ff", "[1, [2, 3], [_ 4, 5]]", [1, [2, 3], [4, 5]], not: .indefinite),
        CBORVector("83019f0203ff820405", "[1, [_ 2, 3], [4, 5]]", [1, [2, 3], [4, 5]], not: .indefinite),
        CBORVector(
            "9f0102030405060708090a0b0c0d0e0f101112131415161718181819ff", "[_ 1, 2, 3, … 25]",
            .array((1...25).map { .integer($0) }), not: .indefinite),
        CBORVector(
            "bf61610161629f0203ffff", #"{_ "a": 1, "b": [_ 2, 3]}"#, ["a": 1, "b": [2, 3]], not: .indefinite),
        CBORVector("826161bf61626163ff", #"["a", {_ "b": "c"}]"#, ["a", ["b": "c"]], not: .indefinite),
        CBORVector(
            "bf6346756ef563416d7421ff", #"{_ "Fun": true, "Amt": -2}"#, ["Fun": .bool(true), "Amt": -2],
            not: .indefinite),
    ]

    private static let zeroes = [UInt8](repeating: 0, count: 8)
}

/// The examples of appendix F of RFC 8949 that are not well-formed, by the kind of their error.
enum CBORFault: String, CaseIterable, Sendable {
    case head = "the bytes end in a head"
    case string = "a string of definite length is too short"
    case items = "an array or map of definite length has too few items"
    case tag = "a tag has no content"
    case openString = "a string of indefinite length has no break"
    case openItems = "an array or map of indefinite length has no break"
    case reserved = "additional information is reserved"
    case simple = "a simple value below 32 has two bytes"
    case piece = "a piece of a string is of another type"
    case openPiece = "a piece of a string is of indefinite length"
    case lonelyBreak = "a break stands alone"
    case wrongBreak = "a break stands in an item of definite length"
    case oddBreak = "a break stands in place of a value"
    case noLength = "integers and tags have no indefinite length"

    /// Whether more bytes could make it well-formed.
    var isTruncated: Bool {
        switch self {
        case .head, .string, .items, .tag, .openString, .openItems: true
        default: false
        }
    }

    /// The examples in hexadecimal.
    var examples: [String] {
        let rows =
            switch self {
            case .head:
                """
                18, 19, 1a, 1b, 1901, 1a0102, 1b01020304050607, 38, 58, 78, 98, 9a01ff00, b8, d8, f8, f900, fa0000, fb000000
                """
            case .string:
                "41, 61, 5affffffff00, 5bffffffffffffffff010203, 7affffffff00, 7b7fffffffffffffff010203"
            case .items: "81, 818181818181818181, 8200, a1, a20102, a100, a2000000"
            case .tag: "c0"
            case .openString: "5f4100, 7f6100"
            case .openItems: "9f, 9f0102, bf, bf01020102, 819f, 9f8000, 9f9f9f9f9fffffffff, 9f819f819f9fffffff"
            case .reserved:
                "1c, 1d, 1e, 3c, 3d, 3e, 5c, 5d, 5e, 7c, 7d, 7e, 9c, 9d, 9e, bc, bd, be, dc, dd, de, fc, fd, fe"
            case .simple: "f800, f801, f818, f81f"
            case .piece: "5f00ff, 5f21ff, 5f6100ff, 5f80ff, 5fa0ff, 5fc000ff, 5fe0ff, 7f4100ff"
            case .openPiece: "5f5f4100ffff, 7f7f6100ffff"
            case .lonelyBreak: "ff"
            case .wrongBreak: "81ff, 8200ff, a1ff, a1ff00, a100ff, a20000ff, 9f81ff, 9f829f819f9fffffffff"
            case .oddBreak: "bf00ff, bf000000ff"
            case .noLength: "1f, 3f, df"
            }
        return rows.split(separator: ", ").map(String.init)
    }
}

extension Data {
    /// Nothing where the text is not hexadecimal.
    init(hex: String) {
        let digits = hex.compactMap(\.hexDigitValue)
        self.init(stride(from: 0, to: digits.count - 1, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) })
    }

    var hex: String { map { String(UInt16($0) | 0x100, radix: 16).dropFirst() }.joined() }
}
