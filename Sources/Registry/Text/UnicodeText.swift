/// Decodes UTF-8 and UTF-16 (WHATWG Encoding, sections 8 and 14.4). Byte order marks are gone already.
enum UnicodeText {
    static func decodeUTF8(_ bytes: UnsafeRawBufferPointer, lossy: Bool) throws(TextFault) -> String {
        if lossy { return String(decoding: bytes, as: UTF8.self) }
        if let text = String(validating: bytes, as: UTF8.self) { return text }
        throw .malformed(offset: firstInvalidUTF8(bytes))
    }

    static func decodeUTF16(
        _ bytes: UnsafeRawBufferPointer, isBigEndian: Bool, lossy: Bool
    ) throws(TextFault) -> String {
        let count = bytes.count / 2
        let units = [UInt16](unsafeUninitializedCapacity: count) { units, written in
            for index in 0..<count {
                let unit = bytes.loadUnaligned(fromByteOffset: index * 2, as: UInt16.self)
                units[index] = isBigEndian ? UInt16(bigEndian: unit) : UInt16(littleEndian: unit)
            }
            written = count
        }
        let isOdd = bytes.count % 2 == 1
        if lossy {
            // A leading surrogate at the end, and half a unit behind it, are one error.
            let isReplaced = units.last.map(UTF16.isLeadSurrogate) ?? false
            return String(decoding: units, as: UTF16.self) + (isOdd && !isReplaced ? "\u{FFFD}" : "")
        }
        guard let text = String(validating: units, as: UTF16.self) else {
            throw .malformed(offset: firstLoneSurrogate(units) * 2)
        }
        guard !isOdd else { throw .malformed(offset: bytes.count - 1) }
        return text
    }

    /// Where the first sequence begins that is not UTF-8.
    private static func firstInvalidUTF8(_ bytes: UnsafeRawBufferPointer) -> Int {
        var parser = Unicode.UTF8.ForwardParser()
        var iterator = bytes.makeIterator()
        var offset = 0
        while case .valid(let sequence) = parser.parseScalar(from: &iterator) { offset += sequence.count }
        return offset
    }

    private static func firstLoneSurrogate(_ units: [UInt16]) -> Int {
        var index = 0
        while index < units.count, !UTF16.isTrailSurrogate(units[index]) {
            guard UTF16.isLeadSurrogate(units[index]) else {
                index += 1
                continue
            }
            guard index + 1 < units.count, UTF16.isTrailSurrogate(units[index + 1]) else { break }
            index += 2
        }
        return index
    }
}
