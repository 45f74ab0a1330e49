import Patchbay
import PatchbayPlatform

/// Finds the parts of a line that differ from call to call, in a line as a `TrafficLog` writes it. The line is not parsed,
/// so it may only be used if an equal line, but for these parts, is known as JSON.
struct LineScanner {
    let line: UnsafeRawBufferPointer
    private(set) var offset = 0

    init(_ line: UnsafeRawBufferPointer) { self.line = line }

    /// Moves behind a text, if it is next.
    mutating func skip(_ text: StaticString) -> Bool {
        let length = text.utf8CodeUnitCount
        guard line.count - offset >= length, let start = line.baseAddress,
            memcmp(start + offset, text.utf8Start, length) == 0
        else { return false }
        offset += length
        return true
    }

    /// Moves behind the next place of a name with its colon.
    mutating func find(_ name: StaticString) -> Bool {
        let length = name.utf8CodeUnitCount
        var end = offset
        while end < line.count {
            end = line.firstIndex(of: UInt8(ascii: ":"), from: end) + 1
            guard end <= line.count else { break }
            guard end - offset >= length else { continue }
            let start = offset
            offset = end - length
            if skip(name) { return true }
            offset = start
        }
        return false
    }

    /// Moves to the end of a string; nil if it has an escape, or is not ASCII.
    mutating func string() -> UnsafeRawBufferPointer? {
        let end = line.firstIndex(of: UInt8(ascii: "\""), from: offset)
        let string = UnsafeRawBufferPointer(rebasing: line[offset..<end])
        guard end < line.count, string.allSatisfy({ 0x20...0x7E ~= $0 && $0 != UInt8(ascii: "\\") }) else { return nil }
        offset = end
        return string
    }

    /// Moves behind a number without a sign and an exponent, as JSON writes it, of so few digits that its double is exact.
    mutating func number() -> Double? {
        let start = offset
        guard let whole = digits(), whole.count == 1 || line[start] != UInt8(ascii: "0") else { return nil }
        guard skip(".") else { return Double(whole.value) }
        guard let part = digits(), whole.count + part.count <= 15 else { return nil }
        return (Double(whole.value) * Self.powers[part.count] + Double(part.value)) / Self.powers[part.count]
    }

    private mutating func digits() -> (value: Int, count: Int)? {
        let start = offset
        var value = 0
        while offset < line.count, offset - start <= 12, case let digit = line[offset] &- UInt8(ascii: "0"), digit <= 9 {
            value = value * 10 + Int(digit)
            offset += 1
        }
        return 1...12 ~= offset - start ? (value, offset - start) : nil
    }

    private static let powers = (0...15).reduce(into: [1.0]) { powers, _ in powers.append(powers[powers.count - 1] * 10) }
}
