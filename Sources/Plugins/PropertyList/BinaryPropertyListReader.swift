import PatchbayJSON
import PatchbayPlatform

/// Reads a binary property list (`bplist00`, the format of CoreFoundation's `CFBinaryPList.c`).
///
/// Objects refer to each other by number, so a few bytes can encode a cycle, or a tree that takes years to walk. Each
/// object is therefore read once and stored with the total size of the value that it expands to.
struct BinaryPropertyListReader {
    /// The value of an object, with the number of values that it expands to, including the object itself, and the number of
    /// bytes of their text and data.
    private typealias Read = (value: PropertyList, nodes: Int, bytes: Int)

    private enum Slot {
        case unread, reading
        case read(Read)
    }

    let bytes: BinaryPropertyListBytes
    private let limits: PropertyListLimits
    private var slots: [Slot]
    private var depth = 0
    /// The total size of the objects read so far. If it exceeds the size of the list, objects overlap.
    private var consumed = 0

    static func read(_ data: Data, _ limits: PropertyListLimits) throws(FormatFailure) -> PropertyList {
        var reader = try BinaryPropertyListReader(data, limits)
        return try reader.object(reader.bytes.top).value
    }

    private init(_ data: Data, _ limits: PropertyListLimits) throws(FormatFailure) {
        bytes = try BinaryPropertyListBytes(data, maximumObjects: limits.nodes)
        self.limits = limits.allowing(bodyOf: data.count)
        slots = Array(repeating: .unread, count: bytes.objectCount)
    }

    private mutating func object(_ number: Int) throws(FormatFailure) -> Read {
        guard slots.indices.contains(number) else { throw malformed("it refers to an object that is not there") }
        switch slots[number] {
        case .read(let read): return read
        case .reading: throw malformed("an object contains itself")
        case .unread: break
        }
        slots[number] = .reading
        let read = try readObject(number)
        try checkSize(read.nodes, read.bytes)
        slots[number] = .read(read)
        return read
    }

    private mutating func readObject(_ number: Int) throws(FormatFailure) -> Read {
        let header = try bytes.header(of: number)
        try consume(header.payload.count + 1)
        switch header.kind {
        case .bool(let value): return leaf(.bool(value))
        case .integer: return leaf(try bytes.integer(header.payload))
        case .real: return leaf(.real(try bytes.double(header.payload)))
        case .date:
            let interval = try bytes.double(header.payload)
            let date = Date(timeIntervalSinceReferenceDate: interval)
            // The XML format has the same range.
            guard Date.iso8601Years.contains(date) else { throw malformed("a date is not in the years 1 to 9999") }
            return leaf(.date(date))
        case .data: return leaf(.data(Data(bytes.data[header.payload])), bytes: header.payload.count)
        case .ascii: return leaf(.string(try bytes.ascii(header.payload)), bytes: header.payload.count)
        case .utf16: return leaf(.string(try bytes.utf16(header.payload)), bytes: header.payload.count)
        case .array: return try container { reader throws(FormatFailure) in try reader.array(header.payload) }
        case .dictionary:
            return try container { reader throws(FormatFailure) in try reader.dictionary(header.payload) }
        }
    }

    private func leaf(_ value: PropertyList, bytes: Int = 0) -> Read { (value: value, nodes: 1, bytes: bytes) }

    private mutating func container(_ read: (inout Self) throws(FormatFailure) -> Read) throws(FormatFailure) -> Read {
        depth += 1
        guard depth <= limits.depth else { throw limits.tooDeep }
        defer { depth -= 1 }
        return try read(&self)
    }

    private mutating func array(_ payload: Range<Int>) throws(FormatFailure) -> Read {
        var elements: [PropertyList] = []
        var nodes = 1
        var size = 0
        for position in stride(from: payload.lowerBound, to: payload.upperBound, by: bytes.referenceSize) {
            let element = try object(try bytes.reference(at: position))
            nodes += element.nodes
            size += element.bytes
            elements.append(element.value)
            try checkSize(nodes, size)
        }
        return (value: .array(elements), nodes: nodes, bytes: size)
    }

    private mutating func dictionary(_ payload: Range<Int>) throws(FormatFailure) -> Read {
        var members: [String: PropertyList] = [:]
        var nodes = 1
        var size = 0
        let half = payload.count / 2
        for offset in stride(from: 0, to: half, by: bytes.referenceSize) {
            let key = try object(try bytes.reference(at: payload.lowerBound + offset))
            guard case .string(let name) = key.value else {
                throw malformed("a dictionary has a key that is not a string")
            }
            let value = try object(try bytes.reference(at: payload.lowerBound + half + offset))
            nodes += key.nodes + value.nodes
            size += key.bytes + value.bytes
            guard members.updateValue(value.value, forKey: name) == nil else {
                throw malformed("a dictionary has the same key twice")
            }
            try checkSize(nodes, size)
        }
        return (value: .dictionary(members), nodes: nodes, bytes: size)
    }

    /// Stops a container as soon as it exceeds the limits, before the sums can overflow.
    private func checkSize(_ nodes: Int, _ size: Int) throws(FormatFailure) {
        guard nodes <= limits.nodes else { throw limits.tooManyNodes }
        guard size <= limits.bytes else {
            throw .propertyList(.limit, "it stands for more than \(limits.bytes) bytes of text and data")
        }
    }

    private mutating func consume(_ count: Int) throws(FormatFailure) {
        consumed += count
        guard consumed <= bytes.data.count else { throw malformed("its objects overlap") }
    }

    private func malformed(_ reason: String) -> FormatFailure { .propertyList(.malformed, reason) }
}

/// The bytes of a binary property list, with its table of the offset of each object. Every read is checked.
struct BinaryPropertyListBytes {
    /// The kinds of objects that a property list can contain.
    enum Kind {
        case bool(Bool)
        case integer, real, date, data, ascii, utf16, array, dictionary
    }

    /// The kind of an object, from its first byte, and the range of its content.
    typealias Header = (kind: Kind, payload: Range<Int>)

    /// The whole list, with indices that begin at zero.
    let data: Data
    let objectCount: Int
    let top: Int
    let referenceSize: Int
    private let offsetSize: Int
    private let table: Int

    /// Reads the trailer: the last 32 bytes.
    init(_ source: Data, maximumObjects: Int) throws(FormatFailure) {
        data = source.startIndex == 0 ? source : Data(source)
        guard data.starts(with: "bplist00".utf8), data.count >= 8 + 32 else {
            throw .propertyList(.malformed, "it is cut off, or of another version than bplist00")
        }
        let trailer = data.count - 32
        offsetSize = Int(data[trailer + 6])
        referenceSize = Int(data[trailer + 7])
        guard (1...8).contains(offsetSize), (1...8).contains(referenceSize),
            let count = Self.unsigned(data, at: trailer + 8, size: 8),
            let top = Self.unsigned(data, at: trailer + 16, size: 8),
            let table = Self.unsigned(data, at: trailer + 24, size: 8)
        else { throw .propertyList(.malformed, "its trailer is broken") }
        let (length, overflow) = count.multipliedReportingOverflow(by: offsetSize)
        guard !overflow, top < count, table >= 8, table <= trailer, length <= trailer - table else {
            throw .propertyList(.malformed, "its table of objects is not inside it")
        }
        guard count <= maximumObjects else {
            throw .propertyList(.limit, "it has more than \(maximumObjects) objects")
        }
        objectCount = count
        self.top = top
        self.table = table
    }

    /// Reads the kind of an object and the range of its content.
    func header(of number: Int) throws(FormatFailure) -> Header {
        guard let offset = Self.unsigned(data, at: table + number * offsetSize, size: offsetSize), offset >= 8,
            offset < table
        else { throw .propertyList(.malformed, "an object is not inside it") }
        let marker = data[offset]
        let low = Int(marker & 0x0F)
        switch marker >> 4 {
        case 0x0 where marker == 0x08 || marker == 0x09:
            return (kind: .bool(marker == 0x09), payload: (offset + 1)..<(offset + 1))
        case 0x1 where low <= 4: return try header(.integer, at: offset + 1, count: 1 << low, unit: 1)
        case 0x2 where low == 2 || low == 3: return try header(.real, at: offset + 1, count: 1 << low, unit: 1)
        case 0x3 where low == 3: return try header(.date, at: offset + 1, count: 8, unit: 1)
        case 0x4: return try counted(.data, low, at: offset, unit: 1)
        case 0x5: return try counted(.ascii, low, at: offset, unit: 1)
        case 0x6: return try counted(.utf16, low, at: offset, unit: 2)
        case 0xA: return try counted(.array, low, at: offset, unit: referenceSize)
        case 0xD: return try counted(.dictionary, low, at: offset, unit: 2 * referenceSize)
        case 0x8: throw .propertyList(.unsupported, "it has a UID, as keyed archives do")
        case 0xC: throw .propertyList(.unsupported, "it has a set")
        default: throw .propertyList(.unsupported, "it has an object of an unknown kind")
        }
    }

    /// The number of the object that the reference at this position points to.
    func reference(at position: Int) throws(FormatFailure) -> Int {
        guard let number = Self.unsigned(data, at: position, size: referenceSize) else {
            throw .propertyList(.malformed, "it refers to an object that is not there")
        }
        return number
    }

    /// Integers of up to four bytes are unsigned, and integers of eight bytes are signed. Integers of sixteen bytes are
    /// used for values that don't fit in eight.
    func integer(_ payload: Range<Int>) throws(FormatFailure) -> PropertyList {
        let words = data[payload].reduce(into: (high: UInt64(0), low: UInt64(0))) { words, byte in
            words.high = words.high << 8 | words.low >> 56
            words.low = words.low << 8 | UInt64(byte)
        }
        if payload.count <= 8 { return .integer(Int64(bitPattern: words.low)) }
        if words.high == 0 {
            return Int64(exactly: words.low).map(PropertyList.integer) ?? .unsigned(words.low)
        }
        guard words.high == .max, words.low >> 63 == 1 else {
            throw .propertyList(.malformed, "an integer has more than 64 bits")
        }
        return .integer(Int64(bitPattern: words.low))
    }

    func double(_ payload: Range<Int>) throws(FormatFailure) -> Double {
        let bits = data[payload].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return payload.count == 4
            ? Double(Float(bitPattern: UInt32(truncatingIfNeeded: bits))) : Double(bitPattern: bits)
    }

    func ascii(_ payload: Range<Int>) throws(FormatFailure) -> String {
        guard data[payload].allSatisfy({ $0 < 0x80 }) else {
            throw .propertyList(.malformed, "an ASCII string has other characters")
        }
        return String(decoding: data[payload], as: UTF8.self)
    }

    func utf16(_ payload: Range<Int>) throws(FormatFailure) -> String {
        let units = stride(from: payload.lowerBound, to: payload.upperBound, by: 2).map {
            UInt16(data[$0]) << 8 | UInt16(data[$0 + 1])
        }
        guard let string = String(validating: units, as: UTF16.self) else {
            throw .propertyList(.malformed, "a string has half a surrogate pair")
        }
        return string
    }

    /// An object with a count. The count is in the low half of its first byte or, if that is 15, in an integer after
    /// that byte.
    private func counted(_ kind: Kind, _ low: Int, at offset: Int, unit: Int) throws(FormatFailure) -> Header {
        guard low == 0x0F else { return try header(kind, at: offset + 1, count: low, unit: unit) }
        let start = offset + 1
        guard start < table, data[start] >> 4 == 0x1, data[start] & 0x0F <= 3 else {
            throw .propertyList(.malformed, "an object has no length")
        }
        let size = 1 << Int(data[start] & 0x0F)
        guard let count = Self.unsigned(data, at: start + 1, size: size) else {
            throw .propertyList(.malformed, "an object has no length")
        }
        return try header(kind, at: start + 1 + size, count: count, unit: unit)
    }

    private func header(_ kind: Kind, at start: Int, count: Int, unit: Int) throws(FormatFailure) -> Header {
        let (length, overflow) = count.multipliedReportingOverflow(by: unit)
        guard !overflow, start <= table, length <= table - start else {
            throw .propertyList(.malformed, "an object goes on past its end")
        }
        return (kind: kind, payload: start..<(start + length))
    }

    /// A big-endian integer; nil if it is outside the data or too large for an `Int`.
    private static func unsigned(_ data: Data, at position: Int, size: Int) -> Int? {
        guard position >= 0, position <= data.count, size <= data.count - position else { return nil }
        return Int(exactly: data[position..<(position + size)].reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
    }
}
