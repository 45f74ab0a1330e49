/// Decimal to binary for the numbers that documents are made of, exact and without a table of powers beyond 64 bits.
enum DecimalRounding {
    /// The Double nearest to `significand × 10^exponent`, ties to even, or nil where the exponent is beyond ±19.
    ///
    /// Both factors fit in 64 bits, so the product or the quotient is computed exactly (the quotient with a sticky
    /// bit for its remainder) and rounded once, as IEEE 754 asks.
    static func double(_ significand: UInt64, exponent: Int) -> Double? {
        if significand == 0 { return 0 }
        guard exponent >= -19 && exponent <= 19 else { return nil }
        if exponent >= 0 {
            let product = significand.multipliedFullWidth(by: powers[exponent])
            if product.high == 0 { return Double(product.low) }
            let shift = UInt64(product.high.leadingZeroBitCount)
            let bits = product.high << shift | product.low >> (64 - shift)
            return rounded(bits, isExact: product.low << shift == 0) * powerOfTwo(64 - Int(shift))
        }
        let power = powers[-exponent]
        if significand <= 1 << 53 && power <= 1 << 53 { return Double(significand) / Double(power) }
        // With both top bits set, dividend / divisor lies between 1/2 and 2, and half of it keeps the quotient in 64 bits.
        let dividendShift = significand.leadingZeroBitCount
        let divisorShift = power.leadingZeroBitCount
        let dividend = significand << UInt64(dividendShift)
        let divisor = power << UInt64(divisorShift)
        let division = divisor.dividingFullWidth((dividend >> 1, dividend << 63))
        return rounded(division.quotient, isExact: division.remainder == 0)
            * powerOfTwo(divisorShift - dividendShift - 63)
    }

    /// The lowest of at least 62 significant bits stands for all that were cut off; it lies below the 53 that are kept.
    private static func rounded(_ bits: UInt64, isExact: Bool) -> Double {
        Double(isExact ? bits : bits | 1)
    }

    private static func powerOfTwo(_ exponent: Int) -> Double {
        Double(bitPattern: UInt64(exponent + 1023) << 52)
    }

    private static let powers: [UInt64] = (0...19).map { power in
        (0..<power).reduce(UInt64(1)) { product, _ in product * 10 }
    }
}
