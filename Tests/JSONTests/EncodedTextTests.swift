import Foundation
import PatchbayJSON
import TestSupport
import Testing

/// The text that is written without a JSON value in between is the text of the JSON value.
@Suite struct EncodedTextTests {
    /// A value of any shape that types can encode.
    indirect enum Sample: Encodable {
        case null
        case bool(Bool)
        case int(Int)
        case small(Int8)
        case unsigned(UInt64)
        case double(Double)
        case float(Float)
        case decimal(Decimal)
        case string(String)
        case date(Date)
        case data(Data)
        case json(JSON)
        case optional(Sample?)
        case array([Sample])
        case dictionary([String: Sample])
        /// Names of coding keys, some of which are there twice.
        case members([(name: String, value: Sample)])
        /// The same, by nested containers.
        case nested([(name: String, value: Sample)])

        func encode(to encoder: any Encoder) throws {
            var single = encoder.singleValueContainer()
            switch self {
            case .null: try single.encodeNil()
            case .bool(let value): try single.encode(value)
            case .int(let value): try single.encode(value)
            case .small(let value): try single.encode(value)
            case .unsigned(let value): try single.encode(value)
            case .double(let value): try single.encode(value)
            case .float(let value): try single.encode(value)
            case .decimal(let value): try single.encode(value)
            case .string(let value): try single.encode(value)
            case .date(let value): try single.encode(value)
            case .data(let value): try single.encode(value)
            case .json(let value): try single.encode(value)
            case .optional(let value): try single.encode(value)
            case .array(let elements): try single.encode(elements)
            case .dictionary(let members): try single.encode(members)
            case .members(let members):
                var container = encoder.container(keyedBy: KeyList.Key.self)
                for (name, value) in members {
                    let key = KeyList.Key(stringValue: name)
                    switch value {
                    case .null: try container.encodeNil(forKey: key)
                    case .string(let value): try container.encode(value, forKey: key)
                    case .int(let value): try container.encode(value, forKey: key)
                    case .bool(let value): try container.encode(value, forKey: key)
                    default: try container.encode(value, forKey: key)
                    }
                }
            case .nested(let members):
                var container = encoder.unkeyedContainer()
                var inner = container.nestedContainer(keyedBy: KeyList.Key.self)
                for (name, value) in members {
                    try container.encode(value)
                    try inner.encode(value, forKey: KeyList.Key(stringValue: name))
                }
                _ = container.superEncoder()
            }
        }
    }

    struct Generator {
        var random: SplitMix

        static let names = [
            "userName", "user_name", "UserName", "URLValue", "url_value", "a", "b", "c", "d", "e", "f", "é", "", "a\"b",
            "line\nbreak", "😀Key", "someURLName", "\u{1}", "\\", "日本", "x/y", "i1", "i2",
        ]

        mutating func sample(depth: Int = 0) -> Sample {
            switch Int.random(in: 0..<(depth > 4 ? 12 : 18), using: &random) {
            case 0: return .null
            case 1: return .bool(.random(using: &random))
            case 2: return .int(Int(truncatingIfNeeded: random.next()) >> Int.random(in: 0...63, using: &random))
            case 3: return .small(.random(in: .min ... .max, using: &random))
            case 4: return .unsigned(random.next())
            case 5: return .double(double())
            case 6: return .float(Float(Int32.random(in: .min ... .max, using: &random)) / 1000)
            case 7: return .decimal(decimal())
            case 8: return .string(string())
            case 9: return .date(Date(timeIntervalSinceReferenceDate: .random(in: -1e9...1e9, using: &random)))
            case 10: return .data(Data((0..<Int.random(in: 0...5, using: &random)).map { UInt8($0 * 51) }))
            case 11: return .json(json())
            case 12: return .optional(Bool.random(using: &random) ? nil : sample(depth: depth + 1))
            case 13: return .array((0..<count()).map { _ in sample(depth: depth + 1) })
            case 14: return .dictionary(Dictionary(members(depth), uniquingKeysWith: { first, _ in first }))
            case 15, 16: return .members(members(depth))
            default: return .nested(members(depth))
            }
        }

        /// More than eight now and then, where keys are looked up in another way.
        private mutating func count() -> Int {
            Int.random(in: 0...(Int.random(in: 0..<4, using: &random) == 0 ? 20 : 4), using: &random)
        }

        private mutating func members(_ depth: Int) -> [(name: String, value: Sample)] {
            (0..<count()).map { _ in (Self.names.randomElement(using: &random) ?? "", sample(depth: depth + 1)) }
        }

        private mutating func double() -> Double {
            let value = Double(bitPattern: random.next())
            let few = Double(Int16.random(in: .min ... .max, using: &random)) / 8
            return value.isFinite && Bool.random(using: &random) ? value : few
        }

        private mutating func decimal() -> Decimal {
            var text = Bool.random(using: &random) ? "-" : ""
            text += "\(Int.random(in: 1...9, using: &random))"
            for _ in 0..<Int.random(in: 0...37, using: &random) { text += "\(Int.random(in: 0...9, using: &random))" }
            return Decimal(string: text + "e\(Int.random(in: -60...60, using: &random))") ?? 0
        }

        private mutating func string() -> String {
            (0..<count()).map { _ in Self.names.randomElement(using: &random) ?? "" }.joined(
                separator: "\u{2028}\u{7f}\t")
        }

        /// A document, a part of one, or one with numbers of many digits.
        private mutating func json() -> JSON {
            var documents = DocumentGenerator(seed: random.next())
            let text = documents.document()
            guard let json = try? JSON(parsing: #"[0.30000000000000003,\#(text),{"a":12345678901234567890.5,"a":1}]"#)
            else { return .null }
            return Bool.random(using: &random) ? json : json[1] ?? json
        }
    }

    static let options: [JSON.CodingOptions] = [
        .init(), .init(keys: .snakeCase), .init(dates: .iso8601),
        .init(keys: .snakeCase, dates: .millisecondsSince1970),
    ]

    @Test("the text is that of the JSON value, and stands behind what was there", arguments: UInt64(0)..<40)
    func sameText(_ seed: UInt64) throws {
        var generator = Generator(random: SplitMix(seed: seed))
        for _ in 0..<50 {
            let sample = generator.sample()
            for options in Self.options {
                var bytes = Array("before ".utf8)
                try JSON.serialize(encoding: sample, options: options, into: &bytes)
                let text = try JSON(encoding: sample, options: options).serialized()
                #expect(String(decoding: bytes, as: UTF8.self) == "before " + text)
                #expect(throws: Never.self) { try JSON(parsing: text) }
            }
        }
    }
}
