import PatchbayRegistry

/// Reads bytes from outside.
struct ByteReader {
    private(set) var rest: ArraySlice<UInt8>

    /// A number of 8 bytes; nil at the end.
    mutating func number() -> UInt64? {
        guard rest.count >= 8 else { return nil }
        defer { rest = rest.dropFirst(8) }
        return rest.withUnsafeBytes { UInt64(littleEndian: $0.loadUnaligned(as: UInt64.self)) }
    }

    /// A number that can be one of bytes; nil also for a larger one.
    mutating func count() -> Int? { number().flatMap { Int(exactly: $0) } }

    /// Bytes behind their number; nil at the end.
    mutating func text() -> ArraySlice<UInt8>? {
        guard let count = count(), count <= rest.count else { return nil }
        defer { rest = rest.dropFirst(count) }
        return rest.prefix(count)
    }
}

extension StoredHead {
    /// The head in the form of a file.
    var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(number: status)
        for number in [born.bitPattern, received.bitPattern, variant.digest] { bytes.append(number: number) }
        bytes.append(number: variant.names.count)
        for name in variant.names { bytes.append(text: name.utf8) }
        for (position, field) in fields.enumerated() {
            bytes.append(text: field.name.utf8)
            bytes.append(text: fields.octets(at: position))
        }
        return bytes
    }

    /// Reads a head in the form of a file; nil if it is damaged.
    init?(_ bytes: ArraySlice<UInt8>) {
        var reader = ByteReader(rest: bytes)
        guard let status = reader.count(), (200...599).contains(status),
            let born = reader.number().map(Double.init(bitPattern:)), born.isFinite,
            let received = reader.number().map(Double.init(bitPattern:)), received.isFinite,
            let digest = reader.number(), let count = reader.count()
        else { return nil }
        var names: [String] = []
        while names.count < count {
            guard let name = reader.text() else { return nil }
            names.append(String(decoding: name, as: UTF8.self))
        }
        var (fields, latin1): ([HeaderFields.Element], [Int]) = ([], [])
        while !reader.rest.isEmpty {
            guard let name = reader.text(), let octets = reader.text() else { return nil }
            let value = FieldText(octets: octets)
            if value.isLatin1 { latin1.append(fields.count) }
            fields.append((String(decoding: name, as: UTF8.self), value.text))
        }
        self.init(
            status, HeaderFields(fields, latin1: latin1),
            Variant(names: names, digest: digest), born: born, received: received)
    }
}
