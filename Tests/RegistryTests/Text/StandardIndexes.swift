#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The indexes of the WHATWG Encoding Standard, read from the folder of its `index-*.txt` (section 5).
struct StandardIndexes: Sendable {
    /// Code points by pointer, by the name between `index-` and `.txt`.
    let all: [String: [Int: UInt32]]
    /// The same in the order of pointers, for the four-byte form of gb18030.
    private let ranges: [(pointer: Int, scalar: UInt32)]
    private let tables: [String: [UInt32?]]

    static var folder: String? {
        ProcessInfo.processInfo.environment["PATCHBAY_SUITES"].map { $0 + "/encoding" }
    }

    /// Those of the folder, read once.
    static let read = Result { try StandardIndexes(folder ?? "") }

    private init(_ folder: String) throws {
        var all: [String: [Int: UInt32]] = [:]
        for file in try FileManager.default.contentsOfDirectory(atPath: folder) {
            guard file.hasPrefix("index-"), file.hasSuffix(".txt") else { continue }
            let text = String(decoding: try Data(contentsOf: URL(filePath: "\(folder)/\(file)")), as: UTF8.self)
            var index: [Int: UInt32] = [:]
            for line in text.utf8.split(separator: UInt8(ascii: "\n")) where line.first != UInt8(ascii: "#") {
                let cells = line.split(separator: UInt8(ascii: "\t"))
                guard cells.count >= 2 else { continue }
                let number = String(Substring(cells[0])).drop { $0 == " " }
                guard let pointer = Int(number), let scalar = UInt32(Substring(cells[1]).dropFirst(2), radix: 16) else {
                    throw UnreadableLine(file: file, line: String(Substring(line)))
                }
                index[pointer] = scalar
            }
            all[String(file.dropFirst(6).dropLast(4))] = index
        }
        self.all = all
        ranges = (all["gb18030-ranges"] ?? [:]).sorted { $0.key < $1.key }.map { (pointer: $0.key, scalar: $0.value) }
        tables = all.filter { $0.key != "gb18030-ranges" }.mapValues { index in
            (0...(index.keys.max() ?? 0)).map { index[$0] }
        }
    }

    struct UnreadableLine: Error {
        let file: String
        let line: String
    }

    subscript(index: String, pointer: Int) -> UInt32? {
        guard let table = tables[index], table.indices.contains(pointer) else { return nil }
        return table[pointer]
    }

    /// "Index gb18030 ranges code point".
    func gb18030Ranges(_ pointer: Int) -> UInt32? {
        if pointer > 39_419 && pointer < 189_000 || pointer > 1_237_575 { return nil }
        if pointer == 7_457 { return 0xE7C7 }
        guard let range = ranges.last(where: { $0.pointer <= pointer }) else { return nil }
        return range.scalar + UInt32(pointer - range.pointer)
    }
}
