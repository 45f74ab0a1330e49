extension Parser {
    /// Reads a number: an exact Int64 or UInt64 if the text is an integer that fits; otherwise the nearest Double, and
    /// the digits that the Double lacks.
    mutating func number() throws(Fault) {
        let first = cursor
        let isNegative = cursor.pointee == UInt8(ascii: "-")
        if isNegative { cursor += 1 }

        // The first 19 significant digits always fit in 64 bits. Longer numbers do not use the fast paths.
        var significand: UInt64 = 0
        var digits = 0
        let whole = cursor
        scanDigits(&significand, &digits)
        guard cursor > whole else { throw fault(.number, "expected a digit") }
        if whole.pointee == UInt8(ascii: "0") && cursor - whole > 1 {
            cursor = whole
            throw fault(.number, "a number does not start with a needless zero")
        }

        var isInteger = true
        var exponent = 0
        var isPlain = true
        if cursor < end && cursor.pointee == UInt8(ascii: ".") {
            isInteger = false
            cursor += 1
            let fraction = cursor
            scanDigits(&significand, &digits)
            guard cursor > fraction else { throw fault(.number, "expected a digit after the decimal point") }
            exponent = fraction - cursor
        }
        if cursor < end && cursor.pointee | 0x20 == UInt8(ascii: "e") {
            isInteger = false
            isPlain = false
            cursor += 1
            try scanExponent(into: &exponent)
        }

        if isInteger && digits <= 20, let word = integer(whole, significand, digits, isNegative) {
            words[wordCount] = Tag.word(word.tag)
            words[wordCount + 1] = word.bits
            wordCount += 2
            return
        }
        let magnitude: Double
        if digits <= 19, let exact = DecimalRounding.double(significand, exponent: exponent) {
            magnitude = exact
        } else {
            let text = UnsafeBufferPointer(start: whole, count: cursor - whole)
            magnitude = Double(String(decoding: text, as: UTF8.self)) ?? .infinity
        }
        guard magnitude.isFinite else {
            cursor = first
            throw fault(.numberRange, "the number is too large for 64 bits and for a Double")
        }
        words[wordCount] = Tag.word(Tag.double)
        if digits > LongNumber.digitsOfDouble {
            // The digits are kept as in the text, with the exponent if the text has one.
            let short = isPlain && digits <= LongNumber.digitsOfInteger
            words[wordCount] |=
                (short ? LongNumber.payload(significand, exponent: exponent) : nil) ?? keptText(from: first)
        }
        words[wordCount + 1] = (isNegative ? -magnitude : magnitude).bitPattern
        wordCount += 2
    }

    /// Keeps the text of the number that was just read from `first` on. Returns the payload of its word, 0 for a text
    /// that is too long. `strings` has room for the record, which is as long as the number and the separator after it.
    private mutating func keptText(from first: UnsafePointer<UInt8>) -> UInt64 {
        let length = cursor - first
        guard length <= LongNumber.longestText else { return 0 }
        let record = stringCount
        strings[record] = UInt8(length)
        (strings + record + 1).update(from: first, count: length)
        stringCount += length + 1
        digitCount += length + 1
        return LongNumber.payload(record: record)
    }

    /// Adds digits to the significand, which overflows without a trap after 19 digits. Leading zeros do not count.
    @inline(__always)
    private mutating func scanDigits(_ significand: inout UInt64, _ digits: inout Int) {
        while cursor < end {
            let digit = cursor.pointee &- UInt8(ascii: "0")
            guard digit <= 9 else { return }
            significand = significand &* 10 &+ UInt64(digit)
            if significand != 0 || digits > 0 { digits += 1 }
            cursor += 1
        }
    }

    /// Adds the exponent, limited to ±10^12 and to an `Int`: no text has enough digits to cancel such an exponent.
    private mutating func scanExponent(into exponent: inout Int) throws(Fault) {
        var isNegative = false
        if cursor < end && (cursor.pointee == UInt8(ascii: "+") || cursor.pointee == UInt8(ascii: "-")) {
            isNegative = cursor.pointee == UInt8(ascii: "-")
            cursor += 1
        }
        let first = cursor
        var value: Int64 = 0
        while cursor < end {
            let digit = cursor.pointee &- UInt8(ascii: "0")
            guard digit <= 9 else { break }
            value = min(value * 10 + Int64(digit), 1_000_000_000_000)
            cursor += 1
        }
        guard cursor > first else { throw fault(.number, "expected a digit in the exponent") }
        exponent = Int(clamping: Int64(exponent) + (isNegative ? -value : value))
    }

    /// The integer as a tape word; nil if it needs more than 64 bits. `-0` is a Double, which keeps its sign.
    private func integer(
        _ whole: UnsafePointer<UInt8>, _ significand: UInt64, _ digits: Int, _ isNegative: Bool
    ) -> (tag: UInt8, bits: UInt64)? {
        // Twenty digits fit if the first is 1 and the wrapped sum is not smaller.
        if digits == 20 && (whole.pointee != UInt8(ascii: "1") || significand < 10_000_000_000_000_000_000) {
            return nil
        }
        if isNegative {
            guard significand != 0 && significand <= 1 << 63 else { return nil }
            return (Tag.int, 0 &- significand)
        }
        return (significand < 1 << 63 ? Tag.int : Tag.uint, significand)
    }
}

/// Decimal to binary for common numbers, exact and without a table of powers beyond 64 bits.
enum DecimalRounding {
    /// The Double nearest to `significand × 10^exponent`, ties to even; nil if the exponent is beyond ±19.
    ///
    /// Both factors fit in 64 bits, so the product or the quotient is computed exactly (the quotient with a sticky bit
    /// for its remainder) and rounded once, as IEEE 754 requires.
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
        // With both top bits set, dividend / divisor lies between 1/2 and 2. Halving the dividend keeps the quotient in
        // 64 bits.
        let dividendShift = significand.leadingZeroBitCount
        let divisorShift = power.leadingZeroBitCount
        let dividend = significand << UInt64(dividendShift)
        let divisor = power << UInt64(divisorShift)
        let division = divisor.dividingFullWidth((dividend >> 1, dividend << 63))
        return rounded(division.quotient, isExact: division.remainder == 0)
            * powerOfTwo(divisorShift - dividendShift - 63)
    }

    /// If bits were cut off, the lowest of at least 62 significant bits is set. It is below the 53 bits that a Double
    /// keeps.
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
