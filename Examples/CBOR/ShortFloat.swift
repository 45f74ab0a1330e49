import Foundation

/// A binary floating-point format of IEEE 754 that is shorter than a Double.
///
/// Converts bit by bit, so that NaNs keep their payloads. `Float16` is missing on a Mac with an Intel processor.
struct ShortFloat {
    static let half = ShortFloat(significandBits: 10, exponentBits: 5)
    static let single = ShortFloat(significandBits: 23, exponentBits: 8)

    let significandBits: UInt64
    let exponentBits: UInt64

    /// The exponent of infinities and NaNs.
    private var highest: UInt64 { 1 << exponentBits - 1 }
    /// The difference of the biases: a Double's exponent is larger by it.
    private var offset: UInt64 { 1023 - highest / 2 }
    /// How many bits of significand a Double has more.
    private var padding: UInt64 { 52 - significandBits }
    private var leastSubnormal: Double {
        Double(sign: .plus, exponent: 1 - Int(highest / 2 + significandBits), significand: 1)
    }

    /// The number as a Double, which has a place for every one.
    func double(_ bits: UInt64) -> Double {
        let sign = bits >> (significandBits + exponentBits) & 1
        let exponent = bits >> significandBits & highest
        let significand = bits & (1 << significandBits - 1)
        let magnitude =
            switch exponent {
            case 0: (Double(significand) * leastSubnormal).bitPattern
            case highest: 0x7FF << 52 | significand << padding
            default: (exponent + offset) << 52 | significand << padding
            }
        return Double(bitPattern: sign << 63 | magnitude)
    }

    /// The bits of the number; nil where this format cannot hold all of it.
    func bits(_ value: Double) -> UInt64? {
        let pattern = value.bitPattern
        let exponent = pattern >> 52 & 0x7FF
        let significand = (pattern & (1 << 52 - 1)) >> padding
        let magnitude: UInt64
        if exponent == 0x7FF {
            magnitude = highest << significandBits | significand
        } else if exponent > offset, exponent - offset < highest {
            magnitude = (exponent - offset) << significandBits | significand
        } else {
            let steps = value.magnitude / leastSubnormal
            guard steps < Double(1 << significandBits) else { return nil }
            magnitude = UInt64(steps)
        }
        let bits = (pattern >> 63) << (significandBits + exponentBits) | magnitude
        return double(bits).bitPattern == pattern ? bits : nil
    }
}
