/// Encodes labels beyond ASCII in ASCII, and decodes them (RFC 3492).
enum Punycode {
    private static let base = 36, minimum = 1, maximum = 26, skew = 38, damp = 700
    private static let firstBeyondASCII = 0x80

    /// The largest number of scalars in a label of 63 bytes.
    static let maximumLength = 63

    /// The label without `xn--` (section 6.3); nil if it has more scalars than a label of 63 bytes can hold.
    ///
    /// The limit keeps every sum below 64 × 1,114,112. It also bounds the time, which grows with the square of the
    /// length.
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

    /// Decodes the part of a label after `xn--` (section 6.2); nil if it is malformed or too long.
    static func decode(_ label: some Collection<Unicode.Scalar>) -> [Unicode.Scalar]? {
        guard label.count <= maximumLength, label.allSatisfy(\.isASCII) else { return nil }
        let label = Array(label)
        let delimiter = label.lastIndex(of: "-")
        var output = Array(label[..<(delimiter ?? 0)])
        var rest = label[(delimiter.map { $0 + 1 } ?? 0)...]
        var bias = 72
        var index = 0
        var current = firstBeyondASCII
        while !rest.isEmpty {
            let before = index
            var weight = 1
            var position = base
            while true {
                guard let next = rest.popFirst(), let digit = digit(next) else { return nil }
                // Sixty digits in base 36 overflow `Int`. A step above this limit can't lead to a scalar.
                let (step, isTooLarge) = digit.multipliedReportingOverflow(by: weight)
                guard !isTooLarge, step <= 0x10FFFF * (maximumLength + 1) else { return nil }
                index += step
                let threshold = min(max(position - bias, minimum), maximum)
                guard digit >= threshold else { break }
                let (larger, overflows) = weight.multipliedReportingOverflow(by: base - threshold)
                guard !overflows else { return nil }
                weight = larger
                position += base
            }
            let count = output.count + 1
            bias = adapted(index - before, count: count, isFirst: before == 0)
            current += index / count
            index %= count
            guard let value = UInt32(exactly: current), let scalar = Unicode.Scalar(value) else { return nil }
            output.insert(scalar, at: index)
            index += 1
        }
        return output
    }

    private static func digit(_ scalar: Unicode.Scalar) -> Int? {
        switch scalar {
        case "a"..."z": Int(scalar.value) - 0x61
        case "0"..."9": Int(scalar.value) - 0x30 + 26
        default: nil
        }
    }

    /// Appends a variable-length integer: digits in base 36, each with its own threshold.
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
