/// Puts binary property lists together, byte by byte, broken ones included.
struct BinaryPropertyList {
    var objects: [[UInt8]]
    var top = 0
    var referenceSize = 1
    /// In place of the true number of objects, offset of the table, or offsets.
    var objectCount: UInt64?
    var tableOffset: UInt64?
    var offsets: [Int: Int] = [:]

    init(_ objects: [[UInt8]]) { self.objects = objects }

    var bytes: [UInt8] {
        var bytes = Array("bplist00".utf8)
        var places: [Int] = []
        for object in objects {
            places.append(bytes.count)
            bytes += object
        }
        let table = bytes.count
        for (index, place) in places.enumerated() { bytes += Self.big(UInt64(offsets[index] ?? place), 4) }
        bytes += [0, 0, 0, 0, 0, 0, 4, UInt8(referenceSize)]
        bytes += Self.big(objectCount ?? UInt64(objects.count), 8)
        bytes += Self.big(UInt64(top), 8)
        bytes += Self.big(tableOffset ?? UInt64(table), 8)
        return bytes
    }

    static func big(_ value: UInt64, _ size: Int) -> [UInt8] {
        (0..<size).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * UInt64($0))) }
    }

    static func array(_ references: Int..., size: Int = 1) -> [UInt8] { array(references, size: size) }

    static func array(_ references: [Int], size: Int = 1) -> [UInt8] {
        counted(0xA0, references.count) + references.flatMap { big(UInt64($0), size) }
    }

    static func dictionary(_ members: (Int, Int)...) -> [UInt8] {
        counted(0xD0, members.count) + members.map { UInt8($0.0) } + members.map { UInt8($0.1) }
    }

    static func ascii(_ text: String) -> [UInt8] { counted(0x50, text.utf8.count) + Array(text.utf8) }

    static func counted(_ marker: UInt8, _ count: Int) -> [UInt8] {
        count < 15 ? [marker | UInt8(count)] : [marker | 0x0F, 0x12] + big(UInt64(count), 4)
    }
}
