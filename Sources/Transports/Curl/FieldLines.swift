/// The field lines of one request in libcurl's notation, each with a NUL behind it: `Name: value`, `Name;` for an empty value,
/// `Name:` to leave one of its own out.
struct FieldLines: Sendable {
    private(set) var bytes: [UInt8] = []
    private(set) var count = 0

    init() { bytes.reserveCapacity(512) }

    /// Adds a line; neither text has a NUL.
    mutating func append(_ name: String, _ value: String) {
        append(name)
        if value.utf8.allSatisfy({ $0 == 0x20 || $0 == 0x09 }) {
            bytes.append(UInt8(ascii: ";"))
        } else {
            bytes.append(UInt8(ascii: ":"))
            bytes.append(UInt8(ascii: " "))
            append(value)
        }
        end()
    }

    /// Leaves out what libcurl would add of its own accord.
    mutating func leaveOut(_ name: String) {
        append(name)
        bytes.append(UInt8(ascii: ":"))
        end()
    }

    private mutating func append(_ text: String) {
        var text = text
        // In one piece: byte by byte it costs several times as much.
        text.withUTF8 { bytes.append(contentsOf: $0) }
    }

    private mutating func end() {
        bytes.append(0)
        count += 1
    }
}
