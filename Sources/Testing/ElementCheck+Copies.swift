import PatchbayPlatform
import PatchbayRegistry

/// The search for parsers that copy the bytes that they hold for each piece, which takes time with the square of an
/// element.
extension ElementCheck {
    /// The number of bytes of an element that is made longer, less than any parser holds by mistake.
    private static var addedBytes: Int { 88 }
    /// A length that is made larger by a byte can be more than the memory.
    private static var maximumElementBytes: Int { 1 << 16 }

    /// Searches without an element that does not end. The elements of the sample can be too short to tell, so longer
    /// ones are made of it: a byte that is changed or added can belong to the length of an element.
    func checkCopies(_ sample: ConformanceSample) {
        let body = sample.body
        guard let last = body.last, !isCopying(sample, from: [], body) else { return }
        let filler = [UInt8](repeating: last, count: Self.addedBytes)
        var tries = 16
        for place in stride(from: 0, to: body.count, by: max(1, body.count / 64)) {
            for byte in [0x7F, 0xFF, UInt8(ascii: "9")] as [UInt8] {
                for next in [place, place + 1] where tries > 0 {
                    let start = body[..<place] + [byte]
                    let rest = Array((body[next...] + filler).prefix(Self.addedBytes))
                    guard isHeld(sample, Array(start), rest) else { continue }
                    tries -= 1
                    if isCopying(sample, from: Array(start), rest) { return }
                }
            }
        }
    }

    /// Whether a parser takes the bytes without an error, and without an element after `start`.
    private func isHeld(_ sample: ConformanceSample, _ start: [UInt8], _ rest: [UInt8]) -> Bool {
        do {
            var isHeld = true
            var parser = try makeParser(sample.head, Self.maximumElementBytes)
            try parser.parse(start) { _ in }
            try parser.parse(rest) { _ in isHeld = false }
            return isHeld && !parser.isFinished
        } catch {
            return false
        }
    }

    /// Whether the parser copies what it holds while it gets `rest` byte by byte after the body of the sample, or after
    /// `start`. If so, that is recorded.
    func isCopying(_ sample: ConformanceSample, from start: [UInt8]? = nil, _ rest: [UInt8]) -> Bool {
        do {
            var count = MoveCount()
            var parser = try makeParser(sample.head, Self.maximumElementBytes)
            let start = start ?? sample.body
            try parser.parse(start) { _ in }
            for byte in rest {
                try parser.parse([byte]) { _ in }
                count.look(at: parser)
                guard !count.isCopying else {
                    let pieces = "\(count.moves) of \(count.steps) pieces of one byte"
                    findings.add(sample, "its parser copies the bytes that it holds: they had moved after \(pieces)")
                    return true
                }
            }
        } catch {
            // What is refused holds nothing.
        }
        return false
    }
}

/// Counts the pieces after which the bytes that a parser holds have another address.
///
/// The bytes are found by reflection: arrays of bytes, `Data` and text in the stored properties of the parser. A buffer
/// that grows by a factor moves a few times, however long it gets. A buffer that is copied for each piece moves each
/// time: the copy is made while the old bytes are still there.
struct MoveCount {
    private struct Held {
        let address: UInt
        let count: Int
    }

    /// Shorter text can be stored without an address.
    private static let leastBytes = 24
    private static let leastSteps = 40
    private static let (maximumDepth, maximumChildren) = (8, 64)

    private var held: Held?
    /// The pieces since the longest buffer last became shorter, and those of them after which it had moved.
    private(set) var steps = 0
    private(set) var moves = 0

    /// Whether the bytes moved at more than half of many pieces in a row.
    var isCopying: Bool { steps >= Self.leastSteps && moves * 2 > steps }

    /// Looks at the parser after a piece.
    mutating func look(at parser: Any) {
        var found: Held?
        Self.visit(parser, 0) { address, count in
            if count >= Self.leastBytes, count > found?.count ?? 0 { found = Held(address: address, count: count) }
        }
        defer { held = found }
        guard let found, let held, found.count >= held.count else {
            (steps, moves) = (0, 0)
            return
        }
        steps += 1
        if found.address != held.address { moves += 1 }
    }

    private static func visit(_ value: Any, _ depth: Int, _ found: (UInt, Int) -> Void) {
        guard depth < maximumDepth else { return }
        func note(_ bytes: UnsafeRawBufferPointer) { found(UInt(bitPattern: bytes.baseAddress), bytes.count) }
        // The type first: a cast of an array tries to cast each element.
        switch type(of: value) {
        case is [UInt8].Type: (value as? [UInt8])?.withUnsafeBytes(note)
        case is ArraySlice<UInt8>.Type: (value as? ArraySlice<UInt8>)?.withUnsafeBytes(note)
        case is ContiguousArray<UInt8>.Type: (value as? ContiguousArray<UInt8>)?.withUnsafeBytes(note)
        case is Data.Type: (value as? Data)?.withUnsafeBytes(note)
        case is String.Type:
            (value as? String)?.utf8.withContiguousStorageIfAvailable { note(UnsafeRawBufferPointer($0)) }
        default:
            var mirror: Mirror? = Mirror(reflecting: value)
            while let layer = mirror {
                for child in layer.children.prefix(maximumChildren) { visit(child.value, depth + 1, found) }
                mirror = layer.superclassMirror
            }
        }
    }
}
