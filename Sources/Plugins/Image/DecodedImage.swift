package import PatchbayJSON
public import PatchbayPlatform
public import PatchbayRegistry

/// An image: its dimensions, its encoded bytes and, if they are decoded, its pixels.
public struct DecodedImage: Sendable, Hashable {
    /// The format of one pixel; colours are sRGB, red first.
    #if hasAttribute(nonexhaustive)
        @nonexhaustive
    #endif
    public enum PixelFormat: Sendable, Hashable {
        /// Three bytes a pixel.
        case rgb8
        /// Four bytes a pixel, the colours not multiplied by alpha.
        case rgba8
        /// Four bytes a pixel, the colours multiplied by alpha: the format that Core Graphics draws.
        case premultipliedRGBA8

        /// Three or four.
        public var bytesPerPixel: Int { self == .rgb8 ? 3 : 4 }
    }

    /// The pixels of one frame, row by row from the top. The orientation is not applied.
    public struct Frame: Sendable, Hashable {
        /// The format of each pixel.
        public let pixelFormat: PixelFormat
        /// The distance in bytes from the start of one row to the start of the next. The last row can be shorter.
        public let rowBytes: Int
        /// The bytes of all rows: `rowBytes` times the height. The padding after the last row can be missing.
        public let pixels: Data
        /// The time for which the frame is shown; nil if the frame stays without a time limit.
        public let delay: Duration?

        /// A frame with the pixels row by row from the top. Each row begins `rowBytes` bytes after the row above.
        public init(pixelFormat: PixelFormat, rowBytes: Int, pixels: Data, delay: Duration? = nil) {
            self.pixelFormat = pixelFormat
            self.rowBytes = rowBytes
            self.pixels = pixels
            self.delay = delay
        }
    }

    /// The media type of the file's format, such as `image/png`. It is taken from the bytes, not from Content-Type.
    public let mediaType: MediaType
    /// The width in pixels.
    public let width: Int
    /// The height in pixels, before the orientation is applied.
    public let height: Int
    /// The number of pixels for each point, along one side.
    public let scale: Double
    /// The Exif orientation, 1 to 8.
    ///
    /// To see the image upright, turn its pixels by half a turn for 3, by a quarter turn clockwise for 6, and by a
    /// quarter turn counterclockwise for 8. For 2, 4, 5 and 7 mirror them left to right first, then turn them as for 1,
    /// 3, 8 and 6.
    public let orientation: Int
    /// The number of frames in the file.
    public let frameCount: Int
    /// The decoded frames: none before `inflated`, the first one, or all.
    public internal(set) var frames: [Frame] = []
    /// The encoded bytes of the image. If a JPEG or a GIF arrived without its end marker, the end marker has been
    /// added.
    public let encoded: Data
    /// Whether `inflated` decodes every frame: the option `frames` of the entry.
    var inflatesAllFrames = false
    /// The limits for `inflated`: the number of frames is the option `maxFrames` of the entry.
    var limits = ImageLimits()

    /// An image without a file, for tests of code with an image parameter. `frameCount` is the number of `frames`, but
    /// at least one.
    /// - Parameters:
    ///   - type: the media type of the image's format.
    ///   - width: in pixels.
    ///   - height: in pixels.
    ///   - scale: the number of pixels for each point, along one side.
    ///   - orientation: the Exif orientation, 1 to 8.
    ///   - frames: the frames that are decoded.
    ///   - encoded: the bytes of the file, which `inflated` reads.
    public init(
        _ type: MediaType, width: Int, height: Int, scale: Double = 1, orientation: Int = 1, frames: [Frame] = [],
        encoded: Data = Data()
    ) {
        mediaType = type
        self.width = width
        self.height = height
        self.scale = scale
        self.orientation = orientation
        self.frames = frames
        frameCount = max(frames.count, 1)
        self.encoded = encoded
    }

    init(_ header: ImageHeader, scale: Double, _ encoded: Data) {
        mediaType = header.format.mediaType
        width = header.width
        height = header.height
        self.scale = scale
        orientation = header.orientation
        frameCount = header.frames
        self.encoded = encoded
    }

    /// The bytes of one pixel of a frame; nil outside the image, or if the frame is not decoded.
    public func pixel(x: Int, y: Int, frame: Int = 0) -> [UInt8]? {
        guard frames.indices.contains(frame), x >= 0, x < width, y >= 0, y < height else { return nil }
        let frame = frames[frame]
        let size = frame.pixelFormat.bytesPerPixel
        // An image that was built in code can have any numbers, so the products can overflow.
        let (row, isRowTooFar) = y.multipliedReportingOverflow(by: frame.rowBytes)
        let (column, isColumnTooFar) = x.multipliedReportingOverflow(by: size)
        let (offset, isTooFar) = row.addingReportingOverflow(column)
        guard !isRowTooFar, !isColumnTooFar, !isTooFar, offset >= 0, offset <= frame.pixels.count - size else {
            return nil
        }
        return Array(frame.pixels.dropFirst(offset).prefix(size))
    }
}

extension DecodedImage: CustomStringConvertible, CustomReflectable {
    /// `image/png, 10 × 20 pixels`, and the number of frames if there are several.
    public var description: String {
        "\(mediaType.essence), \(width) × \(height) pixels" + (frameCount > 1 ? ", \(frameCount) frames" : "")
    }
    public var customMirror: Mirror { Mirror(described: self) }
}

extension DecodedImage.Frame: CustomStringConvertible, CustomReflectable {
    /// `rgba8, 800 bytes`
    public var description: String { "\(pixelFormat), \(ByteCount(pixels.count))" }
    public var customMirror: Mirror { Mirror(described: self) }
}

/// The image formats that are decoded. Other formats are refused, whatever loaders the system has.
package enum ImageFormat: String, Sendable, CaseIterable {
    case png, jpeg, gif, tiff, bmp, ico, xbm

    /// The registered media type, or the customary one if none is registered.
    var mediaType: MediaType {
        switch self {
        case .png: "image/png"
        case .jpeg: "image/jpeg"
        case .gif: "image/gif"
        case .tiff: "image/tiff"
        case .bmp: "image/bmp"
        case .ico: "image/vnd.microsoft.icon"
        case .xbm: "image/x-xbitmap"
        }
    }

    /// The format that the first bytes identify; nil for any other format.
    init?(signature bytes: ImageBytes) {
        let found = Self.allCases.first { format in
            switch format {
            case .png: bytes.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A])
            case .jpeg: bytes.starts(with: [0xFF, 0xD8, 0xFF])
            case .gif: bytes.starts(with: Array("GIF87a".utf8)) || bytes.starts(with: Array("GIF89a".utf8))
            case .tiff: bytes.starts(with: [0x49, 0x49, 0x2A, 0]) || bytes.starts(with: [0x4D, 0x4D, 0, 0x2A])
            case .bmp: bytes.starts(with: Array("BM".utf8))
            case .ico: bytes.starts(with: [0, 0, 1, 0])
            case .xbm: bytes.starts(with: Array("#define ".utf8))
            }
        }
        guard let found else { return nil }
        self = found
    }

    /// The formats that a declared media type can mean, empty for an unsupported image type; nil if the type is not an
    /// image type.
    static func declared(by mediaType: MediaType?) -> [ImageFormat]? {
        guard let mediaType, mediaType.type == "image" else { return nil }
        return declarations[mediaType.essence] ?? []
    }

    /// The ten media types of AFNetworking's image serializer, and the registered and customary names of the same
    /// formats.
    private static let declarations: [String: [ImageFormat]] = [
        "image/png": [.png], "image/x-png": [.png], "image/jpeg": [.jpeg], "image/jpg": [.jpeg], "image/pjpeg": [.jpeg],
        "image/gif": [.gif], "image/tiff": [.tiff], "image/bmp": [.bmp], "image/x-bmp": [.bmp],
        "image/x-ms-bmp": [.bmp], "image/ico": [.ico], "image/x-icon": [.ico], "image/vnd.microsoft.icon": [.ico],
        "image/x-win-bitmap": [.bmp, .ico], "image/x-xbitmap": [.xbm], "image/x-xbm": [.xbm],
    ]
}

/// The reason that a body can't be decoded as an image.
package enum ImageFailure: Error, Sendable, Hashable, CustomStringConvertible {
    /// The first bytes identify no supported format.
    case unknownFormat
    /// The bytes are of another format than the Content-Type says.
    case wrongFormat(declared: String, found: ImageFormat)
    case noDimensions
    case tooLarge(width: Int, height: Int)
    /// All frames together have more than this many bytes.
    case tooManyBytes(limit: Int)
    /// The file has more than this many frames, or images if it is an ICO file.
    case tooManyFrames(limit: Int)
    /// The JPEG has more than this many scans.
    case tooManyScans(limit: Int)
    /// The image lacks its end marker, or has too few bytes for its pixels.
    case truncated(ImageFormat)
    /// The decoder refused the image, with an error code of the decoder.
    case undecodable(ImageFormat, code: Int)
    /// The library that decodes images is not installed.
    case missingDecoder

    package var description: String {
        switch self {
        case .unknownFormat:
            "the image is in none of the formats \(ImageFormat.allCases.map(\.rawValue).joined(separator: ", "))"
        case .wrongFormat(let declared, let found):
            "the image is declared as \(declared.prefix(100)), and is \(found.rawValue)"
        case .noDimensions: "the header of the image has no dimensions"
        case .tooLarge(let width, let height): "the image of \(width) by \(height) pixels is larger than is allowed"
        case .tooManyBytes(let limit): "the image has more than \(limit) bytes when it is decoded"
        case .tooManyFrames(let limit): "the image has more than \(limit) frames (maxFrames)"
        case .tooManyScans(let limit): "the image has more than \(limit) scans"
        case .truncated(let format): "the \(format.rawValue) image ends too early"
        case .undecodable(let format, let code): "the \(format.rawValue) image could not be decoded (code \(code))"
        case .missingDecoder: "libgdk_pixbuf-2.0.so.0 cannot be loaded: install libgdk-pixbuf-2.0-0"
        }
    }
}

extension ImageFailure: FormatFault {
    package var formatFailure: FormatFailure {
        let code: FormatFailure.Code =
            switch self {
            case .unknownFormat, .missingDecoder: .unsupported
            case .wrongFormat: .wrongFormat
            case .tooLarge, .tooManyBytes, .tooManyFrames, .tooManyScans: .limit
            case .truncated: .truncated
            case .noDimensions, .undecodable: .malformed
            }
        return FormatFailure(self, "image", code, description)
    }
}
