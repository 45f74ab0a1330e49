/// A number of bytes as a person writes it: `1 byte`, `1,024 bytes`.
package struct ByteCount: CustomStringConvertible {
    package let description: String

    package init(_ count: some BinaryInteger) {
        description = Self.grouped(count) + (count == 1 ? " byte" : " bytes")
    }

    /// The digits in groups of three, which no locale changes.
    package static func grouped(_ count: some BinaryInteger) -> String {
        let digits = Array("\(count.magnitude)")
        var text = count < 0 ? "-" : ""
        for (index, digit) in digits.enumerated() {
            if index > 0, (digits.count - index).isMultiple(of: 3) { text.append(",") }
            text.append(digit)
        }
        return text
    }
}
