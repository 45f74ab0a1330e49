/// A type whose values are one word of a tape, or one word and its number.
protocol TapeScalar: Decodable {
    /// Whether a number out of range is corrupted data and not a wrong type.
    static var isNumber: Bool { get }

    static func read(_ tape: Tape, at word: Int, _ session: JSON.Decoding) -> Self?
}

extension Bool: TapeScalar {
    static var isNumber: Bool { false }

    @inline(__always)
    static func read(_ tape: Tape, at word: Int, _ session: JSON.Decoding) -> Bool? {
        switch tape.tag(at: word) {
        case Tag.true: true
        case Tag.false: false
        default: nil
        }
    }
}

extension String: TapeScalar {
    static var isNumber: Bool { false }

    @inline(__always)
    static func read(_ tape: Tape, at word: Int, _ session: JSON.Decoding) -> String? {
        tape.tag(at: word) == Tag.string ? tape.string(at: word) : nil
    }
}

extension TapeScalar where Self: FixedWidthInteger {
    static var isNumber: Bool { true }

    @inline(__always)
    static func read(_ tape: Tape, at word: Int, _ session: JSON.Decoding) -> Self? {
        tape.integer(at: word)
    }
}

extension TapeScalar where Self: BinaryFloatingPoint {
    static var isNumber: Bool { true }

    @inline(__always)
    static func read(_ tape: Tape, at word: Int, _ session: JSON.Decoding) -> Self? {
        switch tape.number(at: word) {
        case .int(let value): return Self(value)
        case .uint(let value): return Self(value)
        case .double(let value):
            let converted = exactFloat(value, tape, at: word) ?? Self(value)
            return converted.isFinite ? converted : nil
        case nil: break
        }
        guard case .convert(let positive, let negative, let nan) = session.options.nonConformingFloats,
            tape.tag(at: word) == Tag.string
        else { return nil }
        switch tape.string(at: word) {
        case positive: return .infinity
        case negative: return -.infinity
        case nan: return .nan
        default: return nil
        }
    }

    /// The Float that is nearest to all written digits; nil if the Double rounds to it anyway. Only a Double that is a
    /// Float, or half-way between two, can round to another one than its digits do.
    @inline(__always)
    private static func exactFloat(_ value: Double, _ tape: Tape, at word: Int) -> Self? {
        guard Self.self == Float.self, value.bitPattern & 0x0FFF_FFFF == 0 else { return nil }
        return tape.digits(at: word).flatMap { Float($0) }.map { Self($0) }
    }
}

extension Double: TapeScalar {}
extension Float: TapeScalar {}
extension Int: TapeScalar {}
extension Int8: TapeScalar {}
extension Int16: TapeScalar {}
extension Int32: TapeScalar {}
extension Int64: TapeScalar {}
extension Int128: TapeScalar {}
extension UInt: TapeScalar {}
extension UInt8: TapeScalar {}
extension UInt16: TapeScalar {}
extension UInt32: TapeScalar {}
extension UInt64: TapeScalar {}
extension UInt128: TapeScalar {}
