import Foundation

/// The bytes of a binary property list and the table in them that says where each object is: every read is checked.
struct BinaryPropertyListBytes {
    /// The kinds of objects that a property list has.
    enum Kind {
        case bool(Bool)
        case integer, real, date, data, ascii, utf16, array, dictionary
    }

    /// What the first byte of an object says, and where its content is.
    struct Header {
        let kind: Kind
        let payload: Range<Int>
    }

    /// The whole list, its indices beginning at zero.
    let data: Data
    let objectCount: Int
    /// The number of the outermost object.
    let top: Int
    /// How many bytes a reference to another object takes.
    let referenceSize: Int
    private let offsetSize: Int
    private let table: Int

    /// Reads the trailer: the last 32 bytes.
    init(_ source: Data, maximumObjects: Int) throws(PropertyListFailure) {
        data = source.startIndex == 0 ? source : Data(source)
        guard data.starts(with: "bplist00".utf8), data.count >= 8 + 32 else {
            throw PropertyListFailure(.malformed, "it is cut off, or of another version than bplist00")
        }
        let trailer = data.count - 32
        offsetSize = Int(data[trailer + 6])
        referenceSize = Int(data[trailer + 7])
        guard (1...8).contains(offsetSize), (1...8).contains(referenceSize),
            let count = Self.unsigned(data, at: trailer + 8, size: 8),
            let top = Self.unsigned(data, at: trailer + 16, size: 8),
            let table = Self.unsigned(data, at: trailer + 24, size: 8)
        else { throw PropertyListFailure(.malformed, "its trailer is broken") }
        let (length, overflow) = count.multipliedReportingOverflow(by: offsetSize)
        guard !overflow, top < count, table >= 8, table <= trailer, length <= trailer - table else {
            throw PropertyListFailure(.malformed, "its table of objects is not inside it")
        }
        guard count <= maximumObjects else {
            throw PropertyListFailure(.size, "it has more than \(maximumObjects) objects")
        }
        objectCount = count
        self.top = top
        self.table = table
    }

    /// Reads what kind an object is of, and where its content is.
    func header(of number: Int) throws(PropertyListFailure) -> Header {
        guard let offset = Self.unsigned(data, at: table + number * offsetSize, size: offsetSize), offset >= 8,
            offset < table
        else { throw PropertyListFailure(.malformed, "an object is not inside it") }
        let marker = data[offset]
        let low = Int(marker & 0x0F)
        switch marker >> 4 {
        case 0x0 where marker == 0x08 || marker == 0x09:
            return Header(kind: .bool(marker == 0x09), payload: (offset + 1)..<(offset + 1))
        case 0x1 where low <= 4: return try header(.integer, at: offset + 1, count: 1 << low, unit: 1)
        case 0x2 where low == 2 || low == 3: return try header(.real, at: offset + 1, count: 1 << low, unit: 1)
        case 0x3 where low == 3: return try header(.date, at: offset + 1, count: 8, unit: 1)
        case 0x4: return try counted(.data, low, at: offset, unit: 1)
        case 0x5: return try counted(.ascii, low, at: offset, unit: 1)
        case 0x6: return try counted(.utf16, low, at: offset, unit: 2)
        case 0xA: return try counted(.array, low, at: offset, unit: referenceSize)
        case 0xD: return try counted(.dictionary, low, at: offset, unit: 2 * referenceSize)
        case 0x8: throw PropertyListFailure(.unsupported, "it has a UID, as keyed archives do")
        case 0xC: throw PropertyListFailure(.unsupported, "it has a set")
        default: throw PropertyListFailure(.unsupported, "it has an object of an unknown kind")
        }
    }

    /// The number of the object that a reference names.
    func reference(at position: Int) throws(PropertyListFailure) -> Int {
        guard let number = Self.unsigned(data, at: position, size: referenceSize) else {
            throw PropertyListFailure(.malformed, "it refers to an object that is not there")
        }
        return number
    }

    /// Up to four bytes are unsigned, eight are signed, and sixteen hold what eight cannot.
    func integer(_ payload: Range<Int>) throws(PropertyListFailure) -> PropertyList {
        let words = data[payload].reduce(into: (high: UInt64(0), low: UInt64(0))) { words, byte in
            words.high = words.high << 8 | words.low >> 56
            words.low = words.low << 8 | UInt64(byte)
        }
        if payload.count <= 8 { return .integer(Int64(bitPattern: words.low)) }
        if words.high == 0 {
            return Int64(exactly: words.low).map(PropertyList.integer) ?? .unsigned(words.low)
        }
        guard words.high == .max, words.low >> 63 == 1 else {
            throw PropertyListFailure(.malformed, "an integer has more than 64 bits")
        }
        return .integer(Int64(bitPattern: words.low))
    }

    func double(_ payload: Range<Int>) throws(PropertyListFailure) -> Double {
        let bits = data[payload].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return payload.count == 4
            ? Double(Float(bitPattern: UInt32(truncatingIfNeeded: bits))) : Double(bitPattern: bits)
    }

    func ascii(_ payload: Range<Int>) throws(PropertyListFailure) -> String {
        guard data[payload].allSatisfy({ $0 < 0x80 }) else {
            throw PropertyListFailure(.malformed, "an ASCII string has other characters")
        }
        return String(decoding: data[payload], as: UTF8.self)
    }

    func utf16(_ payload: Range<Int>) throws(PropertyListFailure) -> String {
        let units = stride(from: payload.lowerBound, to: payload.upperBound, by: 2).map {
            UInt16(data[$0]) << 8 | UInt16(data[$0 + 1])
        }
        guard let string = String(validating: units, as: UTF16.self) else {
            throw PropertyListFailure(.malformed, "a string has half a surrogate pair")
        }
        return string
    }

    /// An object whose first byte has its count, or is followed by an integer that has.
    private func counted(_ kind: Kind, _ low: Int, at offset: Int, unit: Int) throws(PropertyListFailure) -> Header {
        guard low == 0x0F else { return try header(kind, at: offset + 1, count: low, unit: unit) }
        let start = offset + 1
        guard start < table, data[start] >> 4 == 0x1, data[start] & 0x0F <= 3 else {
            throw PropertyListFailure(.malformed, "an object has no length")
        }
        let size = 1 << Int(data[start] & 0x0F)
        guard let count = Self.unsigned(data, at: start + 1, size: size) else {
            throw PropertyListFailure(.malformed, "an object has no length")
        }
        return try header(kind, at: start + 1 + size, count: count, unit: unit)
    }

    private func header(_ kind: Kind, at start: Int, count: Int, unit: Int) throws(PropertyListFailure) -> Header {
        let (length, overflow) = count.multipliedReportingOverflow(by: unit)
        guard !overflow, start <= table, length <= table - start else {
            throw PropertyListFailure(.malformed, "an object goes on past its end")
        }
        return Header(kind: kind, payload: start..<(start + length))
    }

    /// A big-endian integer; nil where it is not inside the data or is too large for an `Int`.
    private static func unsigned(_ data: Data, at position: Int, size: Int) -> Int? {
        guard position >= 0, position <= data.count, size <= data.count - position else { return nil }
        return Int(exactly: data[position..<(position + size)].reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
    }
}
