/// The decimal value of a number in the form that equal numbers share: `0.10`, `1e-1` and `0.1` are one digit and an
/// exponent.
///
/// A number written with more digits than its Double has is read from its text. Every other number is read from the
/// shortest text that gives its Double, which is the written value if it has at most 15 digits. A number too small for
/// a Double is zero.
struct DecimalForm: Hashable {
    private let isNegative: Bool
    /// From 0 to 9, without zeros at either end; empty for zero.
    private let digits: [UInt8]
    /// The power of ten of the last digit.
    private let exponent: Int

    private init(_ value: Double, text: String?) {
        if let text, value != 0 {
            let form = DecimalForm(text.utf8)
            // Zeros at the start and the end of the text are not in `digits`. Without them, the number can be short.
            if form.digits.count > LongNumber.digitsOfDouble {
                self = form
                return
            }
        }
        self.init(value.description.utf8)
    }

    /// - Parameter text: the written digits, if the Double does not have all of them.
    init(_ number: Number, text: String?) {
        switch number {
        case .int(let value): self.init(value.description.utf8)
        case .uint(let value): self.init(value.description.utf8)
        case .double(let value): self.init(value, text: text)
        }
    }

    /// - Parameter number: a JSON number in the range of Double, so its exponent is far within an Int.
    private init(_ number: String.UTF8View) {
        var digits: [UInt8] = []
        var exponent = 0
        var number = number[...]
        let isNegative = number.first == UInt8(ascii: "-")
        if isNegative { number.removeFirst() }
        var isFraction = false
        while let byte = number.popFirst() {
            switch byte {
            case UInt8(ascii: "."): isFraction = true
            case UInt8(ascii: "0")...UInt8(ascii: "9"):
                if isFraction { exponent -= 1 }
                if !digits.isEmpty || byte > UInt8(ascii: "0") { digits.append(byte - UInt8(ascii: "0")) }
            default:
                exponent += Int(Substring(number)) ?? 0
                number = number.suffix(0)
            }
        }
        while digits.last == 0 {
            digits.removeLast()
            exponent += 1
        }
        self.isNegative = isNegative && !digits.isEmpty
        self.digits = digits
        self.exponent = digits.isEmpty ? 0 : exponent
    }

    /// The number in a type that holds it exactly; otherwise nil.
    func integer<Value: FixedWidthInteger>(as type: Value.Type = Value.self) -> Value? {
        // More digits than the widest integers have.
        guard exponent >= 0, digits.count + exponent < 64 else { return nil }
        var value: Value = 0
        for digit in digits + Array(repeating: 0, count: exponent) {
            let (product, isTooLong) = value.multipliedReportingOverflow(by: 10)
            guard !isTooLong, let digit = Value(exactly: digit) else { return nil }
            let (sum, isTooLarge) =
                isNegative ? product.subtractingReportingOverflow(digit) : product.addingReportingOverflow(digit)
            guard !isTooLarge else { return nil }
            value = sum
        }
        return value
    }
}

extension Tape {
    /// The number at `index` as an integer of this type; nil if it does not fit, and for any other value.
    @inline(__always)
    func integer<Value: FixedWidthInteger>(at index: Int) -> Value? {
        switch number(at: index) {
        case .int(let value): Value(exactly: value)
        case .uint(let value): Value(exactly: value)
        case .double(let value): integer(at: index, value)
        case nil: nil
        }
    }

    /// A Double below 2^53 with all digits is exact. Any other Double can have been rounded.
    private func integer<Value: FixedWidthInteger>(at index: Int, _ value: Double) -> Value? {
        let text = digits(at: index)
        guard text != nil || value.magnitude >= 0x1p53 else { return Value(exactly: value) }
        return DecimalForm(.double(value), text: text).integer()
    }

    /// Whether the number at `index` has the same decimal value as a number of another tape.
    func isNumber(at index: Int, _ number: Number, equalTo other: Tape, at place: Int) -> Bool {
        guard let second = other.number(at: place) else { return false }
        switch (number, second) {
        case (.int(let left), .int(let right)): return left == right
        case (.uint(let left), .uint(let right)): return left == right
        case (.int, .uint), (.uint, .int): return false
        default: break
        }
        // Different decimals can have the same nearest Double, so their digits are compared afterwards.
        guard number.nearest == second.nearest else { return false }
        let (text, otherText) = (digits(at: index), other.digits(at: place))
        if text == otherText, text != nil || number.nearest.magnitude < 0x1p53 { return true }
        return DecimalForm(number, text: text) == DecimalForm(second, text: otherText)
    }

    /// Numbers that `isNumber(at:_:equalTo:at:)` finds equal get equal hashes.
    func hash(_ number: Number, at index: Int, into hasher: inout Hasher) {
        if let value: Int64 = integer(at: index) { return hasher.combine(value) }
        if let value: UInt64 = integer(at: index) { return hasher.combine(value) }
        hasher.combine(number.nearest)
        // Without the digits, a document could contain any number of different values with one hash.
        guard let text = digits(at: index) else { return }
        let form = DecimalForm(number, text: text)
        if form != DecimalForm(number, text: nil) { hasher.combine(form) }
    }
}
