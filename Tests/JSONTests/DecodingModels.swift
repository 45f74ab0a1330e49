import Foundation
import PatchbayJSON

struct Address: Codable, Hashable, Sendable {
    var street: String
    var houseNumber: Int?
    var isHome: Bool
}

struct Person: Codable, Hashable, Sendable {
    enum Role: String, Codable, Sendable { case admin, guest }

    var name: String
    var age: UInt8
    var role: Role
    var addresses: [Address]
    var scores: [String: Double]
    var nickname: String?
}

enum Shape: Codable, Hashable, Sendable {
    case circle(radius: Double)
    case square(side: Int, label: String?)
    case nothing
}

class Animal: Codable {
    var legs: Int
    init(legs: Int) { self.legs = legs }
}

/// Keeps its superclass under the key `super`, as `superEncoder()` does.
final class Dog: Animal, CustomStringConvertible {
    private enum CodingKeys: CodingKey { case name }
    var name: String

    init(name: String, legs: Int) {
        self.name = name
        super.init(legs: legs)
    }

    required init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        name = try container.decode(String.self, forKey: .name)
        try super.init(from: container.superDecoder())
    }

    override func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(name, forKey: .name)
        try super.encode(to: container.superEncoder())
    }

    var description: String { "\(name) \(legs)" }
}

/// Walks nested containers by hand.
struct Grid: Codable, Hashable, Sendable {
    private enum CodingKeys: CodingKey { case grid, meta }
    private enum MetaKeys: CodingKey { case title }
    var rows: [[Int]]
    var title: String

    init(rows: [[Int]], title: String) {
        self.rows = rows
        self.title = title
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        var outer = try container.nestedUnkeyedContainer(forKey: .grid)
        rows = []
        while !outer.isAtEnd {
            if try outer.decodeNil() {
                rows.append([])
                continue
            }
            var inner = try outer.nestedUnkeyedContainer()
            var row: [Int] = []
            for _ in 0..<(inner.count ?? 0) { row.append(try inner.decode(Int.self)) }
            rows.append(row)
        }
        title = try container.nestedContainer(keyedBy: MetaKeys.self, forKey: .meta).decode(String.self, forKey: .title)
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        var meta = container.nestedContainer(keyedBy: MetaKeys.self, forKey: .meta)
        var outer = container.nestedUnkeyedContainer(forKey: .grid)
        for row in rows {
            var inner = outer.nestedUnkeyedContainer()
            for number in row { try inner.encode(number) }
        }
        try meta.encode(title, forKey: .title)
    }
}

/// Asks for three elements of an array, whatever its length.
struct Triple: Decodable, Hashable, Sendable {
    var sum: Int

    init(from decoder: any Decoder) throws {
        var container = try decoder.unkeyedContainer()
        sum = try container.decode(Int.self) + container.decode(Int.self) + container.decode(Int.self)
    }
}

struct Snake: Codable, Hashable, Sendable {
    var userName: String
    var homeURL: URL?
    var _private: Int?
    var extraInfo: [String: Int]?
    var nestedThing: Nested?

    struct Nested: Codable, Hashable, Sendable { var innerKey: Int }
}

struct Moment: Codable, Hashable, Sendable { var at: Date }
struct Blob: Codable, Hashable, Sendable { var data: Data }
struct Link: Codable, Hashable, Sendable { var url: URL }
struct Price: Codable, Hashable, Sendable { var amount: Decimal }
struct Ratio: Codable, Hashable, Sendable { var value: Double }
struct SmallRatio: Codable, Hashable, Sendable { var value: Float }
struct Empty: Codable, Hashable, Sendable {}

struct Tagged<Value: Codable & Hashable & Sendable>: RawRepresentable, Codable, Hashable, Sendable {
    var rawValue: Value
}

/// Asks for a few of many keys, some of which are missing, in no order.
struct Scattered: Decodable, Hashable, Sendable {
    private enum CodingKeys: String, CodingKey {
        case camelNine = "key9"
        case nine = "key_9"
        case zero = "key_0"
        case camelZero = "key0"
        case seven = "key_7"
        case missing
        case camelLast = "keyLast"
        case last = "key_last"
        case three = "key_3"
    }

    var camelNine: Int?
    var nine: Int?
    var zero: Int?
    var camelZero: Int?
    var seven: Int?
    var missing: Int?
    var camelLast: [String: Bool]?
    var last: [String: Bool]?
    var three: Int?
}

/// Decodes every member from the last to the first.
struct Backward: Decodable, Hashable, Sendable {
    var values: [Int]

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: KeyList.Key.self)
        values = container.allKeys.sorted { $0.stringValue > $1.stringValue }.map {
            (try? container.decode(Int.self, forKey: $0)) ?? -1
        }
    }
}

extension CodingUserInfoKey {
    static let unit = CodingUserInfoKey(rawValue: "unit")
}

struct Measured: Decodable, Hashable, Sendable {
    var text: String

    init(from decoder: any Decoder) throws {
        let unit = CodingUserInfoKey.unit.flatMap { decoder.userInfo[$0] } as? String
        text = try "\(decoder.singleValueContainer().decode(Int.self)) \(unit ?? "")"
    }
}
