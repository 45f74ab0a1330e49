// The JSON value and its operations: parse, read, compare, merge, write. Tape has the parsed text; Decoding and
// Encoding convert it to Swift types and back.

public import PatchbayPlatform

/// A JSON value: a position in an immutable document that it shares with every value taken from it.
///
/// Parsing builds no objects: values read the parsed document directly, and taking a part copies only a reference. A
/// value keeps its whole document alive.
///
///     let reply = try JSON(parsing: data)
///     let name = reply["user"]?["name"]?.string
///
/// Object keys and strings are compared by their UTF-8 bytes. An object never shows two members with one key.
public struct JSON: Sendable {
    /// The type of a value.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        case null, bool, number, string, array, object
    }

    let tape: Tape
    let index: Int

    /// A value of a tape without duplicate keys; by default its root.
    init(_ tape: Tape, at index: Int = 1) {
        self.tape = tape
        self.index = index
    }

    /// The type of this value.
    public var kind: Kind {
        switch tape.tag(at: index) {
        case Tag.object: .object
        case Tag.array: .array
        case Tag.string: .string
        case Tag.int, Tag.uint, Tag.double: .number
        case Tag.true, Tag.false: .bool
        default: .null
        }
    }

    /// The number of elements or members; 0 for any other value.
    public var count: Int { tape.count(at: index) }

    /// The value under a key; nil if there is none, or if this is not an object. The time grows with the number of
    /// members.
    public subscript(key: String) -> JSON? {
        tape.value(forKey: key, inObject: index).map { JSON(tape, at: $0) }
    }

    /// The element at a position from 0; nil outside the array, or if this is not an array.
    public subscript(position: Int) -> JSON? {
        tape.element(at: position, ofArray: index).map { JSON(tape, at: $0) }
    }
}

extension JSON {
    /// Whether the value is null.
    public var isNull: Bool { tape.tag(at: index) == Tag.null }

    /// The boolean; nil for any other value.
    public var bool: Bool? {
        switch tape.tag(at: index) {
        case Tag.true: true
        case Tag.false: false
        default: nil
        }
    }

    /// The text of a string; nil for any other value.
    public var string: String? {
        tape.tag(at: index) == Tag.string ? tape.string(at: index) : nil
    }

    /// The number, if it is a whole number that an Int holds exactly, such as 1, 1.0 and 1e3. All written digits are
    /// used.
    ///
    /// A number of more than 255 characters counts as its nearest Double, and a number whose nearest Double is 0 is 0.
    /// A `JSON` made from a Double has the value of the Double's shortest text: `JSON(0x1p60).int` is
    /// 1152921504606847000.
    public var int: Int? { integer() }

    /// The number, if it is a whole number that a UInt holds exactly.
    public var uint: UInt? { integer() }

    /// The number as the nearest Double. Integers beyond 2^53 lose their last digits.
    public var double: Double? { number?.nearest }

    /// The number with all written digits that fit into a Decimal; nil if it is too large, and for any other value.
    public var decimal: Decimal? {
        switch number {
        case .int(let value): Decimal(value)
        case .uint(let value): Decimal(value)
        case .double(let value):
            // For a number without its own text, `description` is the shortest text that reads back as the same Double.
            Decimal(string: tape.digits(at: index) ?? value.description)
        case nil: nil
        }
    }

    /// The elements of an array in order; nil for any other value.
    public var array: [JSON]? {
        guard tape.tag(at: index) == Tag.array else { return nil }
        var elements: [JSON] = []
        elements.reserveCapacity(count)
        for element in tape.items(of: index) { elements.append(JSON(tape, at: element)) }
        return elements
    }

    /// The members of an object in document order, each key once; nil for any other value.
    public var object: [(key: String, value: JSON)]? {
        guard kind == .object else { return nil }
        var members: [(key: String, value: JSON)] = []
        members.reserveCapacity(count)
        for key in tape.items(of: index) { members.append((tape.string(at: key), JSON(tape, at: key + 1))) }
        return members
    }

    /// The UTF-8 of a string, valid as long as a value of its document lives; nil for any other value.
    package var utf8: UnsafeBufferPointer<UInt8>? {
        tape.tag(at: index) == Tag.string ? tape.bytes(at: index) : nil
    }

    var number: Number? { tape.number(at: index) }

    func integer<Value: FixedWidthInteger>(as type: Value.Type = Value.self) -> Value? {
        tape.integer(at: index)
    }
}
