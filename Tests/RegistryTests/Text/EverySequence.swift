import PatchbayRegistry

/// All that a legacy encoding has a character for, and short sequences that it has none for.
enum EverySequence {
    static let singleByte = TextEncodingName.allCases.filter { encoding in
        let others: Set<TextEncodingName> = [
            .utf8, .utf16BE, .utf16LE, .gbk, .gb18030, .big5, .eucJP, .iso2022JP, .shiftJIS, .eucKR, .replacement,
            .userDefined,
        ]
        return !others.contains(encoding)
    }

    /// Bodies with every byte or pair of bytes, an exclamation mark behind each; of EUC-JP also the pairs behind 8F, of
    /// ISO-2022-JP those behind an escape sequence, and of gb18030 the sequences of four bytes for characters up to U+FFFF.
    static func bodies(of encoding: TextEncodingName) -> [[UInt8]] {
        let high = Array(UInt8(0x80)...0xFF)
        if singleByte.contains(encoding) || encoding == .userDefined { return [high.flatMap { [$0, 0x21] }] }
        var starts = high.map { [$0] }
        var end: [UInt8] = [0x21]
        if encoding == .eucJP { starts += high.map { [0x8F, $0] } }
        if encoding == .iso2022JP {
            starts = (UInt8(0x20)...0x80).map { [0x1B, 0x24, 0x42, $0] }
            end = [0x1B, 0x28, 0x42, 0x21]
        }
        var bodies = starts.map { start in (UInt8.min...UInt8.max).flatMap { start + [$0] + end } }
        if encoding == .gb18030 {
            bodies += (0..<40).map { block in (0..<1_260).flatMap { fourBytes(block * 1_260 + $0) } }
        }
        return bodies
    }

    /// The four bytes of a pointer of gb18030.
    static func fourBytes(_ pointer: Int) -> [UInt8] {
        [0x81 + pointer / 12_600, 0x30 + pointer / 1_260 % 10, 0x81 + pointer / 10 % 126, 0x30 + pointer % 10].map {
            UInt8(truncatingIfNeeded: $0)
        }
    }

    /// What the standard's decoder makes of all the bodies, for machines that lack its indexes.
    static let digests: [(encoding: TextEncodingName, digest: String)] = [
        (.ibm866, "70ddf26125d3a61f"), (.latin2, "3e20c8dc33dfb3c1"), (.latin3, "805a9e2c89206704"),
        (.latin4, "14b65c8b2fd1a36e"), (.cyrillic, "102362c19d4043f6"), (.arabic, "cced5f52c321b51f"),
        (.greek, "bd8965244212a872"), (.hebrew, "b9b767bdaf5eb018"), (.logicalHebrew, "b9b767bdaf5eb018"),
        (.latin6, "23b0530e4a6939ce"), (.latin7, "6259450835b4ae14"), (.latin8, "606ddde718c9e9de"),
        (.latin9, "cd05911222a7eb33"), (.latin10, "7f9242b86d3595ad"), (.koi8R, "10ca9b01f408de28"),
        (.koi8U, "53e303c0b3fb371c"), (.macintosh, "fbe810d283a7cb78"), (.windows874, "988c1428cd0a08e4"),
        (.windows1250, "dcb8e97feccc9dda"), (.windows1251, "3fd5541afeaebb08"), (.windows1252, "0755b9d31c560a65"),
        (.windows1253, "a260b76b029a7429"), (.windows1254, "ea46209529db9745"), (.windows1255, "7fe5b38fe9fc2480"),
        (.windows1256, "8aa1b578be2eff90"), (.windows1257, "680c21e31efdd7d3"), (.windows1258, "86d6855103620654"),
        (.macCyrillic, "442046ea0f539cfa"), (.userDefined, "5fcd9aad28fa6f6e"), (.gbk, "17e034c199a21004"),
        (.gb18030, "89ff103db21d0c6d"), (.big5, "f798e3748fdff0d6"), (.eucJP, "bc49f8c079bf2f53"),
        (.iso2022JP, "a817377e1ec05ff7"), (.shiftJIS, "21e5257e092e7b83"), (.eucKR, "f454d55978f360e4"),
    ]
}
