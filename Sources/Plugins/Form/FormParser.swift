/// Parses `application/x-www-form-urlencoded` (WHATWG URL, section 5.1), in one pass.
///
/// The rules know no errors: a percent sign that begins no escape stands for itself, and bytes that are not UTF-8 become U+FFFD.
struct FormParser {
    private var fields: [FormFields.Field] = []
    private var name: [UInt8]?
    private var text: [UInt8] = []
    private var isEmpty = true

    static func parse(_ bytes: UnsafeRawBufferPointer, maximumFields: Int) throws(FormFailure) -> FormFields {
        var parser = FormParser()
        var position = 0
        while position < bytes.count {
            let byte = bytes[position]
            position += 1
            if byte == UInt8(ascii: "&") {
                parser.endField()
                guard parser.fields.count <= maximumFields else { throw FormFailure(maximumFields: maximumFields) }
                continue
            }
            parser.isEmpty = false
            if byte == UInt8(ascii: "="), parser.name == nil {
                parser.name = parser.text
                parser.text = []
            } else if byte == UInt8(ascii: "+") {
                parser.text.append(UInt8(ascii: " "))
            } else if byte == UInt8(ascii: "%"), bytes.count - position >= 2, let high = hexadecimal(bytes[position]),
                let low = hexadecimal(bytes[position + 1])
            {
                parser.text.append(high << 4 | low)
                position += 2
            } else {
                parser.text.append(byte)
            }
        }
        parser.endField()
        guard parser.fields.count <= maximumFields else { throw FormFailure(maximumFields: maximumFields) }
        return FormFields(parser.fields)
    }

    private mutating func endField() {
        if !isEmpty {
            let value = name == nil ? [] : text
            fields.append(
                FormFields.Field(
                    name: String(decoding: name ?? text, as: UTF8.self), value: String(decoding: value, as: UTF8.self)))
        }
        name = nil
        text = []
        isEmpty = true
    }

    private static func hexadecimal(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        default: nil
        }
    }
}
