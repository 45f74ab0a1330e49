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
        guard has(text, at: offset) else { return false }
        offset += text.utf8CodeUnitCount
        return true
    }

    /// Moves behind the next place of a name with its colon.
    mutating func find(_ name: StaticString) -> Bool {
        let first = offset + name.utf8CodeUnitCount
        while offset < line.count {
            offset = line.firstIndex(of: UInt8(ascii: ":"), from: offset) + 1
            if offset >= first, has(name, at: offset - name.utf8CodeUnitCount) { return true }
        }
        return false
    }

    private func has(_ text: StaticString, at start: Int) -> Bool {
        guard line.count - start >= text.utf8CodeUnitCount, let base = line.baseAddress else { return false }
        return memcmp(base + start, text.utf8Start, text.utf8CodeUnitCount) == 0
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
        guard let whole = digits(), whole.scale == 10 || line[start] != UInt8(ascii: "0") else { return nil }
        guard skip(".") else { return Double(whole.value) }
        guard let part = digits(), whole.scale <= 1_000_000_000_000_000 / part.scale else { return nil }
        return Double(whole.value * part.scale + part.value) / Double(part.scale)
    }

    /// At most 12 digits, and ten to the power of their number.
    private mutating func digits() -> (value: Int, scale: Int)? {
        var (value, scale) = (0, 1)
        while offset < line.count, scale < 1_000_000_000_000 {
            let digit = line[offset] &- UInt8(ascii: "0")
            guard digit <= 9 else { break }
            (value, scale, offset) = (value * 10 + Int(digit), scale * 10, offset + 1)
        }
        return scale > 1 ? (value, scale) : nil
    }
}
