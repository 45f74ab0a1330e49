import Foundation

/// Reads a binary property list (`bplist00`, the format of CoreFoundation's `CFBinaryPList.c`).
///
/// Objects refer to each other by number, so a few bytes can stand for a cycle, or for a tree that takes years to walk. Each
/// object is therefore read once, and carries the size of all that it stands for.
struct BinaryPropertyListReader {
    private struct Read {
        let value: PropertyList
        /// How many values it stands for, itself included.
        let nodes: Int
        /// How many bytes of text and data it stands for.
        let bytes: Int
    }

    private enum Slot {
        case unread, reading
        case read(Read)
    }

    let bytes: BinaryPropertyListBytes
    private let limits: PropertyListLimits
    private var slots: [Slot]
    private var depth = 0
    /// How many bytes the objects read so far take up: more than there are means that they overlap.
    private var consumed = 0

    static func read(_ data: Data, _ limits: PropertyListLimits) throws(PropertyListFailure) -> PropertyList {
        var reader = try BinaryPropertyListReader(data, limits)
        return try reader.object(reader.bytes.top).value
    }

    private init(_ data: Data, _ limits: PropertyListLimits) throws(PropertyListFailure) {
        bytes = try BinaryPropertyListBytes(data, maximumObjects: limits.nodes)
        self.limits = limits.allowing(bodyOf: data.count)
        slots = Array(repeating: .unread, count: bytes.objectCount)
    }

    private mutating func object(_ number: Int) throws(PropertyListFailure) -> Read {
        guard slots.indices.contains(number) else { throw malformed("it refers to an object that is not there") }
        switch slots[number] {
        case .read(let read): return read
        case .reading: throw malformed("an object contains itself")
        case .unread: break
        }
        slots[number] = .reading
        let read = try readObject(number)
        guard read.nodes <= limits.nodes else {
            throw PropertyListFailure(.size, "it stands for more than \(limits.nodes) values")
        }
        guard read.bytes <= limits.bytes else {
            throw PropertyListFailure(.size, "it stands for more than \(limits.bytes) bytes of text and data")
        }
        slots[number] = .read(read)
        return read
    }

    private mutating func readObject(_ number: Int) throws(PropertyListFailure) -> Read {
        let header = try bytes.header(of: number)
        try consume(header.payload.count + 1)
        switch header.kind {
        case .bool(let value): return leaf(.bool(value))
        case .integer: return leaf(try bytes.integer(header.payload))
        case .real: return leaf(.real(try bytes.double(header.payload)))
        case .date:
            let interval = try bytes.double(header.payload)
            // The range of the XML format; Foundation's calendar ends the process on dates far outside.
            guard (-63_114_076_800...252_455_615_999).contains(interval) else {
                throw malformed("a date is not in the years 1 to 9999")
            }
            return leaf(.date(Date(timeIntervalSinceReferenceDate: interval)))
        case .data: return leaf(.data(Data(bytes.data[header.payload])), bytes: header.payload.count)
        case .ascii: return leaf(.string(try bytes.ascii(header.payload)), bytes: header.payload.count)
        case .utf16: return leaf(.string(try bytes.utf16(header.payload)), bytes: header.payload.count)
        case .array: return try container { reader throws(PropertyListFailure) in try reader.array(header.payload) }
        case .dictionary:
            return try container { reader throws(PropertyListFailure) in try reader.dictionary(header.payload) }
        }
    }

    private func leaf(_ value: PropertyList, bytes: Int = 0) -> Read { Read(value: value, nodes: 1, bytes: bytes) }

    private mutating func container(
        _ read: (inout Self) throws(PropertyListFailure) -> Read
    ) throws(PropertyListFailure) -> Read {
        depth += 1
        guard depth <= limits.depth else { throw .depth(limits.depth) }
        defer { depth -= 1 }
        return try read(&self)
    }

    private mutating func array(_ payload: Range<Int>) throws(PropertyListFailure) -> Read {
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
        return Read(value: .array(elements), nodes: nodes, bytes: size)
    }

    private mutating func dictionary(_ payload: Range<Int>) throws(PropertyListFailure) -> Read {
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
        return Read(value: .dictionary(members), nodes: nodes, bytes: size)
    }

    /// Stops a container as soon as it has outgrown the limits, before the sums could overflow.
    private func checkSize(_ nodes: Int, _ size: Int) throws(PropertyListFailure) {
        guard nodes <= limits.nodes else {
            throw PropertyListFailure(.size, "it stands for more than \(limits.nodes) values")
        }
        guard size <= limits.bytes else {
            throw PropertyListFailure(.size, "it stands for more than \(limits.bytes) bytes of text and data")
        }
    }

    private mutating func consume(_ count: Int) throws(PropertyListFailure) {
        consumed += count
        guard consumed <= bytes.data.count else { throw malformed("its objects overlap") }
    }

    private func malformed(_ reason: String) -> PropertyListFailure { PropertyListFailure(.malformed, reason) }
}
