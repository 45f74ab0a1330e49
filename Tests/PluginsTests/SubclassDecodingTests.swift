import Foundation
import PatchbayJSON
import PatchbayRegistry
import Testing

@testable import PatchbayPlugins

/// A type of which the caller holds a subclass, as in an array whose elements name their types.
@Suite struct SubclassDecodingTests {
    class Shape: Decodable {
        let name: String
    }

    final class Circle: Shape {
        let radius: Int

        private enum Key: CodingKey { case radius }

        required init(from decoder: any Decoder) throws {
            radius = try decoder.container(keyedBy: Key.self).decode(Int.self, forKey: .radius)
            try super.init(from: decoder)
        }
    }

    /// Decodes its element as a `Circle`, whose type it holds as that of a `Shape`. A keyed container of the standard library
    /// forgets such a type.
    private struct Drawing: Decodable {
        let shapes: [Shape]

        init(from decoder: any Decoder) throws {
            let type: Shape.Type = Circle.self
            var all = try decoder.unkeyedContainer()
            shapes = [try all.decode(type)]
        }
    }

    private static let circle = #"{ "name": "a", "radius": 2 }"#

    @Test func `JSON makes the subclass`() throws {
        let type: Shape.Type = Circle.self
        let json = try JSON(parsing: "[\(Self.circle)]")
        let shapes = try json.decode(Drawing.self).shapes + [try JSON(parsing: Self.circle).decode(type)]
        #expect(shapes.compactMap { $0 as? Circle }.map(\.radius) == [2, 2])
    }

    @Test func `a property list makes the subclass`() throws {
        let circle: PropertyList = .dictionary(["name": .string("a"), "radius": .integer(2)])
        let list: PropertyList = .array([circle])
        let type: Shape.Type = Circle.self
        let shapes = try list.decode(Drawing.self).shapes + [try circle.decode(type)]
        #expect(shapes.compactMap { $0 as? Circle }.map(\.radius) == [2, 2])
    }
}
