import PatchbayRegistry

/// The field lines of one request in libcurl's notation, each with a NUL after it: `Name: value`, `Name;` for an empty
/// value, `Name:` to leave out a field that libcurl would add.
struct FieldLines: Sendable {
    private(set) var bytes: [UInt8] = []
    private(set) var count = 0

    init() { bytes.reserveCapacity(512) }

    /// Adds a line. Neither the name nor the value contains NUL.
    mutating func append(_ name: String, _ value: String) {
        append(name)
        if value.utf8.first(where: { $0 != 0x20 && $0 != 0x09 }) == nil {
            bytes.append(UInt8(ascii: ";"))
        } else {
            append(": ")
            append(value)
        }
        end()
    }

    /// Adds a line with a value in octets, which are not all blank.
    mutating func append(_ name: String, octets: [UInt8]) {
        append(name)
        append(": ")
        bytes.append(contentsOf: octets)
        end()
    }

    /// Leaves out a field that libcurl would add.
    mutating func leaveOut(_ name: String) {
        append(name)
        bytes.append(UInt8(ascii: ":"))
        end()
    }

    private mutating func append(_ text: String) {
        var text = text
        // Appends all bytes at once: appending one byte after the other costs several times as much.
        text.withUTF8 { bytes.append(contentsOf: $0) }
    }

    private mutating func end() {
        bytes.append(0)
        count += 1
    }
}

/// The header fields of a message that frame it, or that libcurl or this transport writes.
struct KnownFields: OptionSet, Sendable {
    let rawValue: UInt8

    static let accept = Self(rawValue: 1)
    static let acceptEncoding = Self(rawValue: 1 << 1)
    static let contentLength = Self(rawValue: 1 << 2)
    static let contentType = Self(rawValue: 1 << 3)
    static let expect = Self(rawValue: 1 << 4)
    static let transferEncoding = Self(rawValue: 1 << 5)
    static let contentEncoding = Self(rawValue: 1 << 6)
    static let range = Self(rawValue: 1 << 7)

    /// The field with this name, without regard to ASCII case; empty for all other names.
    static func named(_ name: UnsafeBufferPointer<UInt8>) -> KnownFields {
        guard let first = name.first else { return [] }
        // Length and first letter distinguish most names, so that most other names are never compared.
        let (field, spelling): (KnownFields, StaticString) =
            switch (name.count, first | 0x20) {
            case (5, UInt8(ascii: "r")): (.range, "range")
            case (6, UInt8(ascii: "a")): (.accept, "accept")
            case (6, UInt8(ascii: "e")): (.expect, "expect")
            case (12, UInt8(ascii: "c")): (.contentType, "content-type")
            case (14, UInt8(ascii: "c")): (.contentLength, "content-length")
            case (15, UInt8(ascii: "a")): (.acceptEncoding, "accept-encoding")
            case (16, UInt8(ascii: "c")): (.contentEncoding, "content-encoding")
            case (17, UInt8(ascii: "t")): (.transferEncoding, "transfer-encoding")
            default: ([], "")
            }
        guard !field.isEmpty else { return [] }
        for index in 0..<name.count where FieldByte.lowercased(name[index]) != spelling.utf8Start[index] { return [] }
        return field
    }

    static func named(_ name: String) -> KnownFields {
        var name = name
        return name.withUTF8 { named($0) }
    }
}

extension UnsafeBufferPointer<UInt8> {
    /// Whether the bytes begin with the bytes of an ASCII text.
    func begins(with text: StaticString) -> Bool {
        guard count >= text.utf8CodeUnitCount else { return false }
        for index in 0..<text.utf8CodeUnitCount where self[index] != text.utf8Start[index] { return false }
        return true
    }
}
