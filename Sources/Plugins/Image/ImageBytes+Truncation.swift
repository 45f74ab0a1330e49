// Finds truncated images: images without their end marker, and images with too few bytes for the pixels of their
// header.
//
// Decoders invent the missing pixels, and allocate memory for all of them. ICO, TIFF and XBM are not checked here:
// their decoders refuse a truncated file before they produce any pixel.
extension ImageBytes {
    /// Whether the image has its end marker, and enough bytes for its pixels.
    func isWhole(_ header: ImageHeader) -> Bool {
        switch header.format {
        case .png: isWholePNG(header)
        case .jpeg: isWholeJPEG
        case .gif: isWholeGIF
        case .bmp: isWholeBMP(header)
        case .ico, .tiff, .xbm: true
        }
    }

    /// PNG, section 5: chunks, up to IEND. One byte of deflate data yields at most 1,032 bytes: two bits can yield 258
    /// (RFC 1951, section 3.2.5).
    private func isWholePNG(_ header: ImageHeader) -> Bool {
        guard let depth = self[24], let colour = self[25] else { return false }
        // The header is within the limits, so the product fits in an Int.
        let row = (header.width * depth * ([2: 3, 4: 2, 6: 4][colour] ?? 1) + 7) / 8
        var data = 0
        var position = 8
        while let length = number(4, at: position, bigEndian: true) {
            let next = position + 12 + length
            guard next <= count else { return false }
            if matches("IDAT", at: position + 4) { data += length }
            if matches("IEND", at: position + 4) { return data >= row * header.height / 1_032 }
            position = next
        }
        return false
    }

    /// ITU T.81, annex B: segments up to the first scan, and after it the marker EOI, which coded data can't contain.
    private var isWholeJPEG: Bool {
        var position = 2
        while self[position] == 0xFF, let marker = self[position + 1] {
            guard marker != 0xFF else {
                position += 1
                continue
            }
            guard let length = number(2, at: position + 2, bigEndian: true), length >= 2 else { return false }
            guard marker != 0xDA else { break }
            position += 2 + length
        }
        guard self[position] == 0xFF, self[position + 1] == 0xDA else { return false }
        var end = count - 2
        while end > position, self[end] != 0xFF || self[end + 1] != 0xD9 { end -= 1 }
        return end > position
    }

    /// GIF89a, section 17: blocks up to the trailer, and enough codes in every image. The first code yields one pixel.
    /// Each other code yields at most one pixel more than the code before it, and never more than 4,096, since the code
    /// table is then full.
    private var isWholeGIF: Bool {
        var hasImage = false
        var position = 13 + colours(at: 10)
        while let kind = self[position] {
            switch kind {
            case 0x3B: return hasImage
            case 0x21:
                guard let (end, _) = blocks(at: position + 2) else { return false }
                position = end
            case 0x2C:
                let start = position + 10 + colours(at: position + 9)
                guard let width = number(2, at: position + 5, bigEndian: false),
                    let height = number(2, at: position + 7, bigEndian: false), let size = self[start],
                    let (end, data) = blocks(at: start + 1)
                else { return false }
                guard width * height <= mostPixels(ofCodes: data * 8 / (size + 1)) else { return false }
                hasImage = true
                position = end
            default: return false
            }
        }
        return false
    }

    /// The sum of 1 to n reaches n times 4,096 at 8,191 codes. It is not computed for more codes, so it can't overflow.
    private func mostPixels(ofCodes codes: Int) -> Int {
        codes < 8_191 ? codes * (codes + 1) / 2 : codes * 4_096
    }

    /// The end of a sequence of blocks and the number of data bytes in them; nil if they are truncated.
    func blocks(at start: Int) -> (end: Int, data: Int)? {
        var position = start
        var data = 0
        while let length = self[position] {
            position += 1 + length
            guard length > 0 else { return (position, data) }
            data += length
        }
        return nil
    }

    /// A BITMAPCOREHEADER or a BITMAPINFOHEADER: rows of a fixed length, or runs up to their end marker.
    private func isWholeBMP(_ header: ImageHeader) -> Bool {
        guard let pixels = number(4, at: 10, bigEndian: false),
            let size = number(4, at: 14, bigEndian: false),
            let bits = number(2, at: size == 12 ? 24 : 28, bigEndian: false)
        else { return false }
        let start = max(pixels, 14 + size)
        switch size < 20 ? 0 : number(4, at: 30, bigEndian: false) {
        case 1: return hasEndOfRuns(start, literal: 8)
        case 2: return hasEndOfRuns(start, literal: 4)
        default:
            // The last row can lack its padding to four bytes.
            let row = (header.width * bits + 31) / 32 * 4
            return start + row * (header.height - 1) + (header.width * bits + 7) / 8 <= count
        }
    }

    /// The run-length encoding of a BMP. A run is a count and a pixel. A count of 0 is followed by the end of a row,
    /// the end of the image, a step of two bytes, or a number of literal pixels, which are padded to an even number of
    /// bytes.
    private func hasEndOfRuns(_ start: Int, literal bits: Int) -> Bool {
        var position = start
        while let count = self[position], let value = self[position + 1] {
            position += 2
            guard count == 0 else { continue }
            switch value {
            case 0: break
            case 1: return true
            case 2: position += 2
            default: position += (value * bits + 15) / 16 * 2
            }
        }
        return false
    }
}
