import PatchbayPlatform

/// The properties of an image that are known before any pixel is decoded.
struct ImageHeader: Sendable, Hashable {
    let format: ImageFormat
    /// The width of the whole image or, in an ICO file, of the largest image.
    var width: Int
    /// The height of the whole image or, in an ICO file, of the largest image.
    var height: Int
    var frames = 1
    /// The pixels that are decoded for all frames. A frame of a GIF can be larger than the image.
    var pixels: Int
    /// The Exif orientation, 1 to 8.
    var orientation = 1

    /// Reads format, dimensions, frames and orientation.
    ///
    /// - Throws: `ImageFailure` if the format is not supported, if there are no dimensions, or if any part of the image
    ///   is larger than the limits.
    init(_ data: Data, limits: ImageLimits = ImageLimits()) throws(ImageFailure) {
        self = try data.withUnsafeBytes { buffer in
            Result { () throws(ImageFailure) in
                let bytes = ImageBytes(buffer)
                guard let format = ImageFormat(signature: bytes) else { throw .unknownFormat }
                return try ImageHeaderReader(bytes: bytes, format: format, limits: limits).read()
            }
        }.get()
    }

    /// The sides are within the limits.
    init(_ format: ImageFormat, width: Int, height: Int) {
        self.format = format
        self.width = width
        self.height = height
        pixels = width * height
    }
}

struct ImageHeaderReader {
    let bytes: ImageBytes
    let format: ImageFormat
    let limits: ImageLimits

    func read() throws(ImageFailure) -> ImageHeader {
        switch format {
        case .png: try png(at: 0)
        case .jpeg: try jpeg()
        case .gif: try gif()
        case .tiff: try tiff()
        case .bmp: try bmp(at: 14)
        case .ico: try ico()
        case .xbm: try xbm()
        }
    }

    private func header(_ width: Int?, _ height: Int?) throws(ImageFailure) -> ImageHeader {
        guard let width, let height else { throw .noDimensions }
        try limits.check(width, height)
        return ImageHeader(format, width: width, height: height)
    }

    /// PNG, section 11.2.2: IHDR is the first chunk.
    private func png(at start: Int) throws(ImageFailure) -> ImageHeader {
        guard bytes.matches("IHDR", at: start + 12) else { throw .noDimensions }
        return try header(
            bytes.number(4, at: start + 16, bigEndian: true), bytes.number(4, at: start + 20, bigEndian: true))
    }

    /// ITU T.81, annex B: segments up to the start of a frame. Exif data before the frame gives the orientation.
    private func jpeg() throws(ImageFailure) -> ImageHeader {
        var position = 2
        var orientation: Int?
        while let mark = bytes[position], mark == 0xFF, let marker = bytes[position + 1] {
            guard marker != 0xFF else {
                position += 1
                continue
            }
            guard let length = bytes.number(2, at: position + 2, bigEndian: true), length >= 2 else { break }
            switch marker {
            case 0xC0...0xC3, 0xC5...0xC7, 0xC9...0xCB, 0xCD...0xCF:
                var header = try header(
                    bytes.number(2, at: position + 7, bigEndian: true),
                    bytes.number(2, at: position + 5, bigEndian: true))
                header.orientation = orientation ?? 1
                try limits.check(scans: bytes.scans(after: position))
                return header
            // The first counts: each can name a directory of 65,535 entries.
            case 0xE1 where orientation == nil && bytes.matches("Exif\0\0", at: position + 4):
                orientation = TIFFDirectory(bytes, start: position + 10)?.orientation ?? 1
            default: break
            }
            position += 2 + length
        }
        throw .noDimensions
    }

    /// GIF89a, section 17: blocks up to the trailer. Each frame has its own size.
    private func gif() throws(ImageFailure) -> ImageHeader {
        var header = try header(bytes.number(2, at: 6, bigEndian: false), bytes.number(2, at: 8, bigEndian: false))
        var (frames, pixels) = (0, 0)
        var position = 13 + bytes.colours(at: 10)
        blocks: while let kind = bytes[position] {
            switch kind {
            // Without an end of the blocks, nothing follows.
            case 0x21: position = bytes.blocks(at: position + 2)?.end ?? bytes.count
            case 0x2C:
                guard let width = bytes.number(2, at: position + 5, bigEndian: false),
                    let height = bytes.number(2, at: position + 7, bigEndian: false)
                else { break blocks }
                try limits.check(width, height)
                frames += 1
                try limits.check(frames: frames)
                pixels += max(header.pixels, width * height)
                position = bytes.blocks(at: position + 11 + bytes.colours(at: position + 9))?.end ?? bytes.count
            default: break blocks
            }
        }
        if frames > 0 { (header.frames, header.pixels) = (frames, pixels) }
        return header
    }

    /// TIFF 6.0, section 2: the first directory.
    private func tiff() throws(ImageFailure) -> ImageHeader {
        guard let directory = TIFFDirectory(bytes, start: 0) else { throw .noDimensions }
        var header = try header(directory.value(of: 256), directory.value(of: 257))
        header.orientation = Self.remaining(of: directory.orientation ?? 1)
        return header
    }

    /// The orientation that remains after a TIFF is decoded. libtiff turns the pixels of orientations 1 to 4 upright.
    /// Orientations 5 to 8 would swap width and height; libtiff treats each of them as one of the first four.
    private static func remaining(of orientation: Int) -> Int {
        #if canImport(ImageIO)
            orientation
        #else
            switch orientation {
            case 5, 7: 5
            case 6, 8: 7
            default: 1
            }
        #endif
    }

    /// A BITMAPCOREHEADER or a BITMAPINFOHEADER and its successors.
    private func bmp(at start: Int, halfHeight: Bool = false) throws(ImageFailure) -> ImageHeader {
        guard let size = bytes.number(4, at: start, bigEndian: false) else { throw .noDimensions }
        guard size != 12 else {
            return try header(
                bytes.number(2, at: start + 4, bigEndian: false), bytes.number(2, at: start + 6, bigEndian: false))
        }
        guard size >= 16, let width = bytes.number(4, at: start + 4, bigEndian: false),
            let height = bytes.number(4, at: start + 8, bigEndian: false)
        else { throw .noDimensions }
        // A negative height means that the image begins with its top row.
        let rows = Int(clamping: Int32(truncatingIfNeeded: height).magnitude)
        return try header(width, halfHeight ? rows / 2 : rows)
    }

    /// A directory of images, each a bitmap without its file header, or a PNG file.
    private func ico() throws(ImageFailure) -> ImageHeader {
        guard let count = bytes.number(2, at: 4, bigEndian: false) else { throw .noDimensions }
        try limits.check(frames: count)
        var largest: ImageHeader?
        for index in 0..<count {
            guard let start = bytes.number(4, at: 6 + index * 16 + 12, bigEndian: false) else { throw .noDimensions }
            let isPNG = bytes.matches("PNG", at: start + 1)
            let image = try isPNG ? png(at: start) : bmp(at: start, halfHeight: true)
            if image.width * image.height > largest.map({ $0.width * $0.height }) ?? 0 { largest = image }
        }
        guard let largest else { throw .noDimensions }
        return largest
    }

    /// X bitmaps are C source: `#define name_width 16`.
    private func xbm() throws(ImageFailure) -> ImageHeader {
        var width: Int?
        var height: Int?
        for line in bytes.text(4_096).split(whereSeparator: \.isNewline) {
            let words = line.split { $0 == " " || $0 == "\t" }
            guard words.count >= 3, words[0] == "#define" else { continue }
            if words[1] == "width" || words[1].hasSuffix("_width") { width = width ?? Int(words[2]) }
            if words[1] == "height" || words[1].hasSuffix("_height") { height = height ?? Int(words[2]) }
        }
        return try header(width, height)
    }
}

/// The first directory of a TIFF file, or of Exif data, which has the same structure (TIFF 6.0, section 2).
struct TIFFDirectory {
    private let bytes: ImageBytes
    private let bigEndian: Bool
    /// The position of the first entry.
    private let entries: Int
    /// The number of entries.
    private let count: Int

    /// - Parameter start: the position of the byte order mark, from which offsets count.
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

    /// The orientation tag, 1 to 8; nil if it is missing or has another value.
    var orientation: Int? { value(of: 0x0112).flatMap { (1...8).contains($0) ? $0 : nil } }

    /// The first number of a tag, of two or four bytes; nil if there is none.
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

/// The bytes of an image, read at positions that the image itself contains. A position outside the image gives nil.
struct ImageBytes {
    private let bytes: UnsafeRawBufferPointer

    init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    var count: Int { bytes.count }

    subscript(position: Int) -> Int? {
        position >= 0 && position < bytes.count ? Int(bytes[position]) : nil
    }

    func starts(with prefix: [UInt8]) -> Bool { bytes.starts(with: prefix) }

    func matches(_ text: StaticString, at position: Int) -> Bool {
        let end = position.addingReportingOverflow(text.utf8CodeUnitCount)
        guard position >= 0, !end.overflow, end.partialValue <= bytes.count else { return false }
        return text.withUTF8Buffer { bytes[position..<end.partialValue].elementsEqual($0) }
    }

    /// An unsigned number of two or four bytes.
    func number(_ size: Int, at position: Int, bigEndian: Bool) -> Int? {
        guard position >= 0, position <= bytes.count - size else { return nil }
        let places = position..<(position + size)
        return (bigEndian ? Array(bytes[places]) : bytes[places].reversed()).reduce(0) { $0 << 8 | Int($1) }
    }

    /// The number of bytes in the colour table of a GIF that the flags at a position announce.
    func colours(at position: Int) -> Int {
        guard let flags = self[position], flags & 0x80 != 0 else { return 0 }
        return 3 << ((flags & 7) + 1)
    }

    /// The number of scans of a JPEG after a position: of markers SOS, which coded data cannot contain.
    func scans(after position: Int) -> Int {
        guard let base = bytes.baseAddress else { return 0 }
        var (scans, position) = (0, position)
        while position < count - 1, let found = memchr(base + position, 0xFF, count - 1 - position) {
            position = UnsafeRawPointer(found) - base + 1
            if bytes[position] == 0xDA { scans += 1 }
        }
        return scans
    }

    /// The first bytes as text, for the only text format, XBM.
    func text(_ limit: Int) -> String { String(decoding: bytes.prefix(limit), as: UTF8.self) }
}
