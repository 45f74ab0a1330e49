import Foundation
import PatchbayJSON
import Testing

/// Our parser against Foundation's, over documents made from seeds and over the same documents damaged.
@Suite struct ParserDifferentialTests {
    @Test(arguments: 0..<40) func agreesOnGeneratedDocuments(_ seed: UInt64) throws {
        var generator = DocumentGenerator(seed: seed)
        for _ in 0..<50 {
            let text = generator.document()
            let json = try JSON(document: text)
            #expect(try Self.rounded(json) == Self.parsedByFoundation(Data(text.utf8)), "\(text)")
            #expect(try JSONDecoder().decode(JSON.self, from: Data(text.utf8)) == json, "\(text)")
            #expect(try JSON(document: json.description) == json, "\(text)")
            #expect(try JSON(document: json.serialized(pretty: true, sortedKeys: true)) == json, "\(text)")
            #expect(try JSON(encoding: json.decode(JSON.self)) == json)
        }
    }

    /// What we accept, Foundation accepts and reads the same. It is more lenient, so not the other way round.
    @Test(arguments: 0..<40) func acceptsNoDamageThatFoundationRefuses(_ seed: UInt64) throws {
        var generator = DocumentGenerator(seed: 1000 + seed)
        for _ in 0..<100 {
            var bytes = Array(generator.document().utf8)
            for _ in 0...Int.random(in: 0...2, using: &generator.random) where !bytes.isEmpty {
                let place = Int.random(in: 0..<bytes.count, using: &generator.random)
                switch Int.random(in: 0..<4, using: &generator.random) {
                case 0: bytes.remove(at: place)
                case 1: bytes[place] = UInt8.random(in: 0...255, using: &generator.random)
                case 2: bytes.insert(bytes.randomElement(using: &generator.random) ?? 0, at: place)
                default: bytes.removeSubrange(place...)
                }
            }
            do {
                let json = try JSON(document: bytes, options: .init(refusesDuplicateKeys: true))
                #expect(
                    try Self.rounded(json) == Self.parsedByFoundation(Data(bytes)),
                    "\(String(decoding: bytes, as: UTF8.self))")
            } catch let failure as JSON.ParseFailure {
                #expect(failure.offset >= 0 && failure.offset <= bytes.count)
                #expect(failure.line >= 1 && failure.column >= 1)
            }
        }
    }

    /// The same with the nearest Double for each number that is no integer: Foundation does not keep the digits of all of them.
    static func rounded(_ json: JSON) -> JSON {
        switch json.kind {
        case .array: .array((json.array ?? []).map(rounded))
        case .object: .object(json.object.map { $0.map { ($0.key, rounded($0.value)) } } ?? [])
        case .number where json.int == nil && json.uint == nil: JSON(json.double ?? .nan)
        default: json
        }
    }

    static func parsedByFoundation(_ data: Data) throws -> JSON {
        try converted(JSONSerialization.jsonObject(with: data, options: .fragmentsAllowed))
    }

    static func converted(_ value: Any) throws -> JSON {
        switch value {
        case is NSNull: return .null
        case let text as String: return JSON(text)
        case let elements as [Any]: return .array(try elements.map(converted))
        case let members as [String: Any]: return .object(try members.map { ($0, try converted($1)) })
        default:
            let number = try #require(value as? NSNumber)
            switch UInt8(bitPattern: number.objCType.pointee) {
            case UInt8(ascii: "c"), UInt8(ascii: "B"): return JSON(number.boolValue)
            case UInt8(ascii: "q"): return JSON(number.int64Value)
            case UInt8(ascii: "Q"): return JSON(number.uint64Value)
            // Foundation keeps more than 17 characters as a Decimal, and its way from there to a Double is not exact.
            default:
                if let integer = Int64(number.description) { return JSON(integer) }
                return JSON(try #require(Double(number.description)))
            }
        }
    }
}
