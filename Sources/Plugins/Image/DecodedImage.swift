public import PatchbayPlatform
import PatchbayRegistry

/// An image: its dimensions, its encoded bytes, and its pixels once they are decoded.
public struct DecodedImage: Sendable, Hashable {
    /// How one pixel is stored; colours are sRGB, red first.
    public enum PixelFormat: Sendable, Hashable {
        /// Three bytes a pixel.
        case rgb8
        /// Four bytes a pixel, the colours not multiplied by alpha.
        case rgba8
        /// Four bytes a pixel, the colours multiplied by alpha: what Core Graphics draws.
        case premultipliedRGBA8

        /// Three or four.
        public var bytesPerPixel: Int { self == .rgb8 ? 3 : 4 }
    }

    /// The pixels of one frame, row by row from the top, not turned by the orientation.
    public struct Frame: Sendable, Hashable {
        /// How each of its pixels is stored.
        public let pixelFormat: PixelFormat
        /// From one row to the next, in bytes; the last row may be shorter.
        public let rowBytes: Int
        /// The bytes: `rowBytes` times the height, less what the last row leaves out.
        public let pixels: Data
        /// How long the frame is shown; nil for ever.
        public let delay: Duration?
    }

    /// The format of the file.
    public let format: ImageFormat
    /// In pixels.
    public let width: Int
    /// In pixels, before the orientation turns it.
    public let height: Int
    /// How many pixels make one point.
    public let scale: Double
    /// How it has to be turned to be seen upright, by the Exif of the file.
    public let orientation: ImageOrientation
    /// How many frames the file has.
    public let frameCount: Int
    /// The frames that are decoded: none before `inflated`, the first, or all.
    public internal(set) var frames: [Frame] = []
    /// The bytes that the image was made of.
    public let encoded: Data

    init(_ header: ImageHeader, scale: Double, _ body: ResponseBody) {
        format = header.format
        width = header.width
        height = header.height
        self.scale = scale
        orientation = header.orientation
        frameCount = header.frames
        encoded = body.data
    }

    /// The bytes of one pixel of a frame; nil outside the image and where nothing is decoded.
    public func pixel(x: Int, y: Int, frame: Int = 0) -> [UInt8]? {
        guard frames.indices.contains(frame), (0..<width).contains(x), (0..<height).contains(y) else { return nil }
        let frame = frames[frame]
        let size = frame.pixelFormat.bytesPerPixel
        let start = frame.pixels.startIndex + y * frame.rowBytes + x * size
        guard start + size <= frame.pixels.endIndex else { return nil }
        return Array(frame.pixels[start..<(start + size)])
    }
}

/// How an image is to be turned before it is shown, by the numbers of Exif.
public enum ImageOrientation: Int, Sendable, Hashable, CaseIterable {
    case up = 1
    case upMirrored
    case down
    case downMirrored
    case leftMirrored
    case right
    case rightMirrored
    case left
}

extension DecodedImage: CustomStringConvertible, CustomReflectable {
    /// `PNG image, 10 × 20 pixels`, and how many frames where there are several.
    public var description: String {
        "\(format.rawValue.uppercased()) image, \(width) × \(height) pixels"
            + (frameCount > 1 ? ", \(frameCount) frames" : "")
    }
    public var customMirror: Mirror { Mirror(described: self) }
}

extension DecodedImage.Frame: CustomStringConvertible, CustomReflectable {
    /// `rgba8, 800 bytes`
    public var description: String { "\(pixelFormat), \(ByteCount(pixels.count))" }
    public var customMirror: Mirror { Mirror(described: self) }
}
