/// The bytes of an image, read at places that the image itself names: what is not there is nil.
struct ImageBytes {
    private let bytes: UnsafeRawBufferPointer

    init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    var count: Int { bytes.count }

    subscript(position: Int) -> Int? {
        position >= 0 && position < bytes.count ? Int(bytes[position]) : nil
    }

    func starts(with prefix: [UInt8]) -> Bool { bytes.starts(with: prefix) }

    func matches(_ text: StaticString, at position: Int) -> Bool {
        let end = position.addingReportingOverflow(text.utf8CodeUnitCount)
        guard position >= 0, !end.overflow, end.partialValue <= bytes.count else { return false }
        return text.withUTF8Buffer { bytes[position..<end.partialValue].elementsEqual($0) }
    }

    /// An unsigned number of two or four bytes.
    func number(_ size: Int, at position: Int, bigEndian: Bool) -> Int? {
        guard position >= 0, position <= bytes.count - size else { return nil }
        let places = position..<(position + size)
        return (bigEndian ? Array(bytes[places]) : bytes[places].reversed()).reduce(0) { $0 << 8 | Int($1) }
    }

    /// The first bytes as text, for the one format that is.
    func text(_ limit: Int) -> String { String(decoding: bytes.prefix(limit), as: UTF8.self) }
}
