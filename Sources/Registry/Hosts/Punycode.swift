/// Writes a label beyond ASCII in ASCII (RFC 3492, section 6.3).
enum Punycode {
    private static let base = 36, minimum = 1, maximum = 26, skew = 38, damp = 700
    private static let firstBeyondASCII = 0x80

    /// How many scalars a label of 63 bytes can hold at most.
    static let maximumLength = 63

    /// The label without `xn--`; nil where it has more scalars than a label of 63 bytes can hold.
    ///
    /// That cap also keeps every sum below 64 × 1,114,112 and the time, which grows with the square of the length, small.
    static func encode(_ label: [Unicode.Scalar]) -> String? {
        guard label.count <= maximumLength else { return nil }
        let values = label.map { Int($0.value) }
        let basic = values.filter { $0 < firstBeyondASCII }
        var output = basic.map { UInt8(truncatingIfNeeded: $0) }
        if !basic.isEmpty { output.append(UInt8(ascii: "-")) }

        var bias = 72
        var delta = 0
        var handled = basic.count
        var current = firstBeyondASCII
        while let next = values.filter({ $0 >= current }).min() {
            delta += (next - current) * (handled + 1)
            for value in values {
                if value < next { delta += 1 }
                guard value == next else { continue }
                appendInteger(delta, bias: bias, to: &output)
                bias = adapted(delta, count: handled + 1, isFirst: handled == basic.count)
                delta = 0
                handled += 1
            }
            delta += 1
            current = next + 1
        }
        return String(decoding: output, as: UTF8.self)
    }

    /// Appends a number of variable length: digits in base 36, each with its own threshold.
    private static func appendInteger(_ number: Int, bias: Int, to output: inout [UInt8]) {
        var rest = number
        var position = base
        while true {
            let threshold = min(max(position - bias, minimum), maximum)
            guard rest >= threshold else { break }
            output.append(digit(threshold + (rest - threshold) % (base - threshold)))
            rest = (rest - threshold) / (base - threshold)
            position += base
        }
        output.append(digit(rest))
    }

    private static func adapted(_ delta: Int, count: Int, isFirst: Bool) -> Int {
        var delta = isFirst ? delta / damp : delta / 2
        delta += delta / count
        var steps = 0
        while delta > (base - minimum) * maximum / 2 {
            delta /= base - minimum
            steps += base
        }
        return steps + (base - minimum + 1) * delta / (delta + skew)
    }

    private static func digit(_ value: Int) -> UInt8 {
        UInt8(truncatingIfNeeded: value < 26 ? value + 0x61 : value - 26 + 0x30)
    }
}
