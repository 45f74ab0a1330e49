public import PatchbayPlatform

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

    /// The number where it is a whole one that an Int holds exactly, as 1, 1.0 and 1e3 are.
    public var int: Int? { integer() }

    /// The number where it is a whole one that a UInt holds exactly.
    public var uint: UInt? { integer() }

    /// The number as the nearest Double. Integers beyond 2^53 lose their last digits.
    public var double: Double? {
        switch number {
        case .int(let value): Double(value)
        case .uint(let value): Double(value)
        case .double(let value): value
        case nil: nil
        }
    }

    /// The number with all the digits that were written, as many as a Decimal holds; nil where it is too large for one, and for any other
    /// value.
    public var decimal: Decimal? {
        switch number {
        case .int(let value): Decimal(value)
        case .uint(let value): Decimal(value)
        case .double(let value):
            // Without a text of its own the number is the shortest one that reads back as the same Double.
            Decimal(string: tape.digits(at: index) ?? value.description)
        case nil: nil
        }
    }

    /// The elements of an array in order; nil for any other value.
    public var array: [JSON]? {
        guard tape.tag(at: index) == Tag.array else { return nil }
        var elements: [JSON] = []
        elements.reserveCapacity(count)
        var cursor = index + 1
        let last = tape.end(of: index) - 1
        while cursor < last {
            elements.append(JSON(tape, at: cursor))
            cursor = tape.end(of: cursor)
        }
        return elements
    }

    /// The members of an object in document order; nil for any other value.
    public var object: Object? { Object(self) }

    var number: Number? { tape.number(at: index) }

    func integer<Value: FixedWidthInteger>(as type: Value.Type = Value.self) -> Value? {
        number?.integer()
    }
}
