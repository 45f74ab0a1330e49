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
        guard utf8.count == 2, let high = utf8.first?.hexadecimalDigit, let low = utf8.last?.hexadecimalDigit else {
            return nil
        }
        return high << 4 | low
    }
}

extension Collection<UInt8> where SubSequence == Self {
    /// The bytes with each escape, a mark and two hexadecimal digits, replaced by its byte, once. A mark that begins no
    /// escape stays.
    package func unescaped(_ mark: UInt8 = UInt8(ascii: "%")) -> [UInt8] {
        var rest = self
        var bytes: [UInt8] = []
        while let byte = rest.popFirst() {
            guard byte == mark, let value = Substring(decoding: rest.prefix(2), as: UTF8.self).hexadecimalByte else {
                bytes.append(byte)
                continue
            }
            bytes.append(value)
            rest = rest.dropFirst(2)
        }
        return bytes
    }
}

extension UInt8 {
    /// The value of a hexadecimal digit in ASCII; nil for any other byte.
    @inlinable package var hexadecimalDigit: UInt8? {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): self - UInt8(ascii: "0")
        case UInt8(ascii: "A")...UInt8(ascii: "F"): self - UInt8(ascii: "A") + 10
        case UInt8(ascii: "a")...UInt8(ascii: "f"): self - UInt8(ascii: "a") + 10
        default: nil
        }
    }
}

extension String {
    /// The text that an extended value of a field writes: `UTF-8''percent-encoded`, with or without a language between the
    /// quotes (RFC 8187, section 3.2). Nil for any other charset, and for bytes that are not UTF-8.
    var extendedFieldValue: String? {
        let parts = utf8.split(separator: UInt8(ascii: "'"), maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, FieldByte.lowercased(Substring(parts[0])) == "utf-8" else { return nil }
        var bytes: [UInt8] = []
        var rest = parts[2]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let byte = Substring(rest.prefix(2)).hexadecimalByte else { return nil }
            bytes.append(byte)
            rest = rest.dropFirst(2)
        }
        return String(validating: bytes, as: UTF8.self)
    }
}

extension UInt64 {
    /// 16 hexadecimal digits.
    package var hexadecimal: String {
        let digits = String(self, radix: 16)
        return String(repeating: "0", count: 16 - digits.utf8.count) + digits
    }
}
