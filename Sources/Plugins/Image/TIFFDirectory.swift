/// The first directory of a TIFF file, or of the Exif data that is written like one (TIFF 6.0, section 2).
struct TIFFDirectory {
    private let bytes: ImageBytes
    private let bigEndian: Bool
    /// Where the entries are, and how many.
    private let entries: Int
    private let count: Int

    /// - Parameter start: where the byte order mark is, from which offsets count.
    init?(_ bytes: ImageBytes, start: Int) {
        self.bytes = bytes
        bigEndian = bytes.matches("MM", at: start)
        guard bigEndian || bytes.matches("II", at: start),
            let offset = bytes.number(4, at: start + 4, bigEndian: bigEndian),
            let count = bytes.number(2, at: start + offset, bigEndian: bigEndian)
        else { return nil }
        entries = start + offset + 2
        self.count = count
    }

    /// The first number of a tag, of two or four bytes; nil where there is none.
    func value(of tag: Int) -> Int? {
        for index in 0..<count {
            let entry = entries + index * 12
            guard let found = bytes.number(2, at: entry, bigEndian: bigEndian) else { return nil }
            guard found == tag else { continue }
            switch bytes.number(2, at: entry + 2, bigEndian: bigEndian) {
            case 3: return bytes.number(2, at: entry + 8, bigEndian: bigEndian)
            case 4: return bytes.number(4, at: entry + 8, bigEndian: bigEndian)
            default: return nil
            }
        }
        return nil
    }
}
