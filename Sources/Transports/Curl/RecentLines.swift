import PatchbayPlatform
import PatchbayRegistry

/// The field lines of the latest head of one host, with the fields that were read from them.
///
/// A host repeats most lines of its heads, each in its place. A repeated line is compared and not read again, and its
/// texts are shared. Reading the eight lines of a small response takes 6,800 instructions, comparing them 2,400
/// (callgrind).
///
/// Used only in turns of the `EventLoop`, and without the exclusivity check at run time, because no function here calls
/// back.
final class RecentLines {
    struct Field {
        let name: String
        let value: String
        let known: KnownFields
    }

    /// The limits of the memory for a host.
    private static let mostBytes = 256
    private static let mostLines = 32

    @exclusivity(unchecked) private var lines: [(bytes: [UInt8], field: Field)] = []

    /// The field of the line at this place of the head; nil if the line is not the one of the latest head.
    func field(at place: Int, of line: UnsafeBufferPointer<UInt8>) -> Field? {
        guard place < lines.count, let start = line.baseAddress else { return nil }
        let isSame = lines[place].bytes.withUnsafeBufferPointer { bytes in
            bytes.count == line.count && bytes.baseAddress.map { memcmp($0, start, line.count) == 0 } ?? false
        }
        return isSame ? lines[place].field : nil
    }

    /// Keeps the line, unless it can be a secret: a cookie must not stay in memory longer than its response.
    func keep(_ line: UnsafeBufferPointer<UInt8>, at place: Int, _ field: Field) {
        if place == lines.count, place < Self.mostLines {
            // A line that is not kept has a place too, so that the lines after it have theirs. No line equals it.
            lines.append(([], Field(name: "", value: "", known: [])))
        }
        guard place < lines.count, line.count <= Self.mostBytes, !HeaderFields.matches(field.name, "Set-Cookie") else {
            return
        }
        lines[place].bytes.removeAll(keepingCapacity: true)
        lines[place].bytes.append(contentsOf: line)
        lines[place].field = field
    }
}
