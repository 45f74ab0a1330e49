/// A number as the tape holds it.
enum Number {
    case int(Int64)
    case uint(UInt64)
    case double(Double)

    /// The number in a type that holds it exactly, or nil.
    ///
    /// A Double outside 64 bits may stand for an integer that was rounded to it, so it is no integer.
    func integer<Value: FixedWidthInteger>() -> Value? {
        switch self {
        case .int(let value): Value(exactly: value)
        case .uint(let value): Value(exactly: value)
        case .double(let value): value > -0x1p63 && value < 0x1p64 ? Value(exactly: value) : nil
        }
    }

    /// The same number in the one form that equal numbers share: an integer where it is one that fits in 64 bits.
    var canonical: Canonical {
        if let value: Int64 = integer() { return .int(value) }
        if let value: UInt64 = integer() { return .uint(value) }
        guard case .double(let value) = self else { return .int(0) }
        return .double(value)
    }

    enum Canonical: Hashable {
        case int(Int64)
        case uint(UInt64)
        case double(Double)
    }
}
