import Foundation
import PatchbayRegistry
import Testing

/// Small images of two pixels, red and then blue, written byte by byte.
enum SampleImage {
    /// The head of a response with this Content-Type, or without one.
    static func head(_ contentType: String?) -> ResponseHead {
        let url = URL(filePath: "/")
        let fields = HeaderFields(contentType.map { [("Content-Type", $0)] } ?? [])
        return ResponseHead(status: 200, fields: fields, url: url, request: RequestHead(url: url))
    }

    static let png = png(width: 2, height: 1, rows: [0, 255, 0, 0, 0, 0, 255])

    /// A PNG of RGB rows, each with its filter byte in front; the deflate data are stored as they are.
    static func png(width: Int, height: Int, rows: [UInt8]) -> [UInt8] {
        let size = UInt16(rows.count)
        let zlib =
            [0x78, 0x01, 0x01] + little16(Int(size)) + little16(Int(~size)) + rows + big32(Int(adler32(rows)))
        return [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
            + chunk("IHDR", big32(width) + big32(height) + [8, 2, 0, 0, 0]) + chunk("IDAT", zlib) + chunk("IEND", [])
    }

    /// As many frames of one row, with pixels given as indices into black, red, blue, white; 100 ms each.
    static func gif(_ frames: [[UInt8]] = [[1, 2]]) -> [UInt8] {
        let width = frames.first?.count ?? 0
        var bytes = Array("GIF89a".utf8) + little16(width) + little16(1) + [0x81, 0, 0]
        bytes += [0, 0, 0, 255, 0, 0, 0, 0, 255, 255, 255, 255]
        for frame in frames {
            bytes += [0x21, 0xF9, 4, 4, 10, 0, 0, 0, 0x2C] + little16(0) + little16(0) + little16(width) + little16(1)
            bytes += [0, 2]
            // Codes of three bits: clear, the pixels, end.
            var bits = 0
            var count = 0
            for code in [4] + frame + [5] {
                bits |= Int(code) << count
                count += 3
            }
            let data = (0..<((count + 7) / 8)).map { UInt8(truncatingIfNeeded: bits >> ($0 * 8)) }
            bytes += [UInt8(data.count)] + data + [0]
        }
        return bytes + [0x3B]
    }

    /// A GIF of two pixels and so many equal frames; a frame can claim another size than the image.
    static func frames(_ count: Int, width: Int = 2, height: Int = 1) -> [UInt8] {
        let one = gif()
        var frame = Array(one.dropFirst(25).dropLast())
        frame.replaceSubrange(13..<17, with: little16(width) + little16(height))
        return Array(one.prefix(25)) + [UInt8](Array(repeating: frame, count: count).joined()) + [0x3B]
    }

    /// An icon whose directory names one image so many times, each time as larger.
    static func icons(_ count: Int) -> [UInt8] {
        let image = Array(ico.dropFirst(22))
        let place: [UInt8] = little32(image.count) + little32(6 + 16 * count)
        var bytes: [UInt8] = [0, 0, 1, 0] + little16(count)
        for index in 0..<count {
            let side = UInt8(1 + index * 254 / count)
            bytes += [side, side, 0, 0, 1, 0, 32, 0]
            bytes += place
        }
        return bytes + image
    }

    /// A GIF of one row whose codes, of a byte each, stand for 1, 2, 3 and more pixels, as many as they can; neither the code that
    /// clears nor that for the end is among them.
    static func longestStrings(codes: Int, width: Int) -> [UInt8] {
        var bytes = Array("GIF89a".utf8) + little16(width) + little16(1) + [0x86, 0, 0]
        bytes += Array(repeating: [255, 0, 0] as [UInt8], count: 128).joined()
        bytes += [0x2C] + little16(0) + little16(0) + little16(width) + little16(1) + [0, 7]
        // The code that the decoder is about to enter, which is the last string and its first pixel once more.
        let data = [5] + (1..<codes).map { UInt8(129 + $0) }
        return bytes + [UInt8(data.count)] + data + [0, 0x3B]
    }

    static let bmp: [UInt8] = {
        let pixels: [UInt8] = [0, 0, 255, 255, 0, 0, 0, 0]
        return Array("BM".utf8) + little32(54 + pixels.count) + little32(0) + little32(54)
            + bitmapHeader(width: 2, height: 1, bits: 24, size: pixels.count) + pixels
    }()

    /// As many rows as columns of red pixels, as runs; the side is 252 or a multiple of it.
    static func runs(side: Int) -> [UInt8] {
        let row = Array(repeating: [252, 1] as [UInt8], count: side / 252).joined() + [0, 0]
        return runs(side, side, Array(Array(repeating: row, count: side).joined()) + [0, 1])
    }

    /// Four pixels as runs: one of one pixel, three literally, the end.
    static let runs: [UInt8] = runs(4, 1, [1, 1, 0, 3, 1, 0, 1, 0, 0, 1])

    /// A bitmap of two colours whose pixels are written as runs.
    private static func runs(_ width: Int, _ height: Int, _ data: [UInt8]) -> [UInt8] {
        Array("BM".utf8) + little32(62 + data.count) + little32(0) + little32(62) + little32(40) + little32(width)
            + little32(height) + [1, 0, 8, 0] + little32(1) + little32(data.count) + little32(0) + little32(0)
            + little32(2)
            + little32(0) + [255, 0, 0, 0, 0, 0, 255, 0] + data
    }

    /// Images of these dimensions with an end, but with next to nothing before it.
    static func beginnings(_ width: Int, _ height: Int) -> [(String, [UInt8])] {
        let frame: [UInt8] = Array(gif().prefix(25)) + [0x2C] + little32(0) + little16(width) + little16(height)
        var screen = frame + [0, 2, 4, 0x84, 0x8F, 0xA9, 0xCB, 0, 0x3B]
        screen.replaceSubrange(6..<10, with: little16(width) + little16(height))
        return [
            ("PNG with an end", png(width: width, height: height, rows: [0, 1, 2, 3])),
            ("GIF with an end", screen), ("BMP of runs", Array(runs(width, height, [4, 1, 4, 1]))),
        ]
    }

    /// An icon of one image of 32 bits a pixel, with the mask that follows it.
    static let ico: [UInt8] = {
        let image =
            bitmapHeader(width: 2, height: 2, bits: 32, size: 8) + [0, 0, 255, 255, 255, 0, 0, 255] + [0, 0, 0, 0]
        return [0, 0, 1, 0, 1, 0, 2, 1, 0, 0, 1, 0, 32, 0] + little32(image.count) + little32(22) + image
    }()

    static let xbm = Array("#define it_width 2\n#define it_height 1\nstatic char it_bits[] = {\n0x01 };\n".utf8)

    static let tiff: [UInt8] = {
        let entries: [(tag: Int, type: Int, count: Int, value: Int)] = [
            (256, 3, 1, 2), (257, 3, 1, 1), (258, 3, 3, 134), (259, 3, 1, 1), (262, 3, 1, 2), (273, 4, 1, 140),
            (274, 3, 1, 3), (277, 3, 1, 3), (278, 3, 1, 1), (279, 4, 1, 6),
        ]
        var bytes: [UInt8] = [0x49, 0x49, 0x2A, 0] + little32(8) + little16(entries.count)
        for entry in entries {
            bytes += little16(entry.tag) + little16(entry.type) + little32(entry.count) + little32(entry.value)
        }
        return bytes + little32(0) + little16(8) + little16(8) + little16(8) + [255, 0, 0, 0, 0, 255]
    }()

    /// Eight by eight pixels of red, with the Exif orientation given.
    static func jpeg(orientation: UInt8? = nil) throws -> [UInt8] {
        let plain = Array(try #require(Data(base64Encoded: jpegText)))
        guard let orientation else { return plain }
        let exif: [UInt8] =
            Array("Exif\0\0MM".utf8) + [0, 42] + big32(8) + [0, 1, 0x01, 0x12, 0, 3] + big32(1)
            + [0, orientation, 0, 0] + big32(0)
        return Array(plain.prefix(2)) + [0xFF, 0xE1] + [0, UInt8(exif.count + 2)] + exif + plain.dropFirst(2)
    }

    // MARK: Parts

    private static func bitmapHeader(width: Int, height: Int, bits: Int, size: Int) -> [UInt8] {
        little32(40) + little32(width) + little32(height) + little16(1) + little16(bits) + little32(0) + little32(size)
            + little32(0) + little32(0) + little32(0) + little32(0)
    }

    private static func chunk(_ name: String, _ data: [UInt8]) -> [UInt8] {
        let typed = Array(name.utf8) + data
        return big32(data.count) + typed + big32(Int(crc32(typed)))
    }

    static func little16(_ value: Int) -> [UInt8] { (0..<2).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) } }
    static func little32(_ value: Int) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) } }
    static func big32(_ value: Int) -> [UInt8] { little32(value).reversed() }

    private static func crc32(_ bytes: [UInt8]) -> UInt32 {
        ~bytes.reduce(UInt32.max) { crc, byte in
            (0..<8).reduce(crc ^ UInt32(byte)) { crc, _ in crc >> 1 ^ (crc & 1 == 1 ? 0xEDB8_8320 : 0) }
        }
    }

    private static func adler32(_ bytes: [UInt8]) -> UInt32 {
        let sums = bytes.reduce((UInt32(1), UInt32(0))) { sums, byte in
            let first = (sums.0 + UInt32(byte)) % 65_521
            return (first, (sums.1 + first) % 65_521)
        }
        return sums.1 << 16 | sums.0
    }
}
