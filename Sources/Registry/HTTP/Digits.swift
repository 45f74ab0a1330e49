extension Substring {
    /// The number that the text writes with ASCII digits alone (`1*DIGIT` of RFC 9110). Nil for other text, such as one
    /// with a sign, and for a number that is too large for `Int`.
    package var decimalNumber: Int? {
        guard !isEmpty else { return nil }
        var number = 0
        for byte in utf8 {
            guard (0x30...0x39).contains(byte) else { return nil }
            let (tens, isTooLarge) = number.multipliedReportingOverflow(by: 10)
            let (sum, overflows) = tens.addingReportingOverflow(Int(byte & 0x0F))
            guard !isTooLarge, !overflows else { return nil }
            number = sum
        }
        return number
    }

    /// The byte that two hexadecimal digits write; nil for other text.
    var hexadecimalByte: UInt8? {
        guard utf8.count == 2 else { return nil }
        var byte: UInt8 = 0
        for digit in unicodeScalars {
            guard let value = Character(digit).hexDigitValue, digit.isASCII else { return nil }
            byte = byte << 4 | UInt8(value)
        }
        return byte
    }
}
