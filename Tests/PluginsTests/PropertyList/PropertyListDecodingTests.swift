import Foundation
import PatchbayRegistry
import TestSupport
import Testing

@testable import PatchbayPlugins

/// Types decoded from the value that was read, held against Foundation's decoder over the bytes.
@Suite(.timeLimit(.minutes(5))) struct PropertyListDecodingTests {
    struct Everything: Codable, Equatable, Sendable {
        enum Kind: String, Codable { case one, two }
        enum Choice: Codable, Equatable {
            case number(Int)
            case nothing
        }

        var bool = true
        var int = -1
        var int8 = Int8.min
        var int16 = Int16.max
        var int32 = Int32.min
        var int64 = Int64.min
        var uint8 = UInt8.max
        var uint16 = UInt16.max
        var uint32 = UInt32.max
        var uint64 = UInt64.max
        var float = Float(0.1)
        var double = 0.1
        var tiny = -Double.leastNonzeroMagnitude
        var string = "é\n"
        var date = Date(timeIntervalSinceReferenceDate: 1_000)
        var data = Data([0, 255])
        var url = URL(string: "https://origin.test/a?b")
        var decimal = Decimal(string: "1.10")
        var uuid = UUID()
        var kind = Kind.two
        var choices = [Choice.number(3), .nothing]
        var optional: Int?
        var optionals: [Int?] = [1, nil]
        var nested = [["a": [1.5]], [:]]
        var numbers = [7: "seven"]
        var set: Set<Int> = [1, 2]
    }

    @Test(
        "Everything comes back that Foundation wrote",
        arguments: [PropertyListSerialization.PropertyListFormat.xml, .binary])
    func everything(_ format: PropertyListSerialization.PropertyListFormat) throws {
        let value = Everything()
        let encoder = PropertyListEncoder()
        encoder.outputFormat = format
        let body = ResponseBody(try encoder.encode(value))
        let serializer = PropertyListSerializer()
        #expect(try serializer.decode(Everything.self, from: body, Sample.head(nil)) == value)
        #expect(try serializer.serialize(body, Sample.head(nil)).decode(Everything.self) == value)
    }

    private static let lists = [
        "<string>x</string>", "<string>$null</string>", "<string/>", "<string>1</string>", "<integer>1</integer>",
        "<integer>-1</integer>", "<integer>300</integer>", "<integer>9007199254740993</integer>",
        "<integer>18446744073709551615</integer>", "<real>1</real>", "<real>1.5</real>",
        "<real>nan</real>",
        "<real>inf</real>", "<true/>", "<date>2001-01-01T00:00:00Z</date>", "<data>AAEC</data>", "<array/>", "<dict/>",
        "<array><integer>1</integer><string>$null</string></array>", "<array><array><true/></array></array>",
        "<dict><key>a</key><integer>1</integer></dict>", "<dict><key>a</key><string>$null</string></dict>",
        "<dict><key>a</key><dict><key>a</key><string>x</string></dict></dict>",
        "<dict><key>1</key><string>y</string></dict>",
    ]

    private static let types: [any (Decodable & Sendable).Type] = [
        String.self, Int.self, Int8.self, UInt8.self, UInt64.self, Double.self, Float.self, Bool.self, Date.self,
        Data.self,
        URL.self, [Int].self, [Int?].self, [[Bool]].self, [String: Int].self, [String: Int?].self, [Int: String].self,
        [String: [String: String]].self, Int?.self, String?.self, Asking.self, Everything.self,
    ]

    struct Asking: Decodable, Sendable, CustomStringConvertible {
        let a: Int?
        var description: String { "\(a as Any)" }
    }

    /// What became of a value: its text, or the kind and the place of the error.
    private static func outcome(_ decode: () throws -> any Decodable) -> String {
        do {
            return "\(try decode())"
        } catch let error as DecodingError {
            func path(_ context: DecodingError.Context) -> String {
                context.codingPath.map(\.stringValue).joined(separator: "/")
            }
            switch error {
            case .typeMismatch(_, let context), .dataCorrupted(let context):
                return "not of the type, at \(path(context))"
            case .valueNotFound(_, let context): return "null, at \(path(context))"
            case .keyNotFound(let key, let context): return "no \(key.stringValue), at \(path(context))"
            @unknown default: return "other"
            }
        } catch { return "\(type(of: error))" }
    }

    @Test("Any list as any type, from both formats, is what Foundation's decoder makes of it", arguments: lists)
    func table(_ list: String) throws {
        let xml = Data("<plist version=\"1.0\">\(list)</plist>".utf8)
        let value = try PropertyListSerialization.propertyList(from: xml, format: nil)
        let binary = try PropertyListSerialization.data(fromPropertyList: value, format: .binary, options: 0)
        for type in Self.types {
            for bytes in [xml, binary] {
                let read = try PropertyListSerializer().serialize(ResponseBody(bytes), Sample.head(nil))
                let own = Self.outcome { try read.decode(type) }
                let foundation = Self.outcome { try PropertyListDecoder().decode(type, from: bytes) }
                #expect(own == foundation, "\(list) as \(type), \(bytes == xml ? "XML" : "binary")")
            }
        }
    }

    @Test(
        "A number that is too large for a Float is an error in both formats; one that is not exactly a Float is rounded to one"
    )
    func floats() throws {
        for (number, expected) in [(1e300, nil), (0.1, Float(0.1)), (-.infinity, -.infinity)] as [(Double, Float?)] {
            for format in [PropertyListSerialization.PropertyListFormat.xml, .binary] {
                let data = try PropertyListSerialization.data(fromPropertyList: number, format: format, options: 0)
                let list = try PropertyListSerializer().serialize(ResponseBody(data), Sample.head(nil))
                #expect((try? list.decode(Float.self)) == expected)
            }
        }
    }

    @Test("A key that a list has twice is refused, typed or not")
    func repeatedKeys() {
        let list = "<plist><dict><key>a</key><integer>1</integer><key>a</key><integer>2</integer></dict></plist>"
        let serializer = PropertyListSerializer()
        for sentence in [
            Sample.sentence { _ = try serializer.serialize(Sample.body(list), Sample.head(nil)) },
            Sample.sentence {
                _ = try serializer.decode([String: Int].self, from: Sample.body(list), Sample.head(nil))
            },
        ] {
            #expect(sentence == "the property list was refused: a dictionary has the same key twice")
        }
    }
}
