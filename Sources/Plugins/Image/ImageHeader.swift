import PatchbayRegistry

/// What an image says of itself before any pixel is decoded.
struct ImageHeader: Sendable, Hashable {
    let format: ImageFormat
    /// Of the whole image; of the largest one in an ICO file.
    var width: Int
    var height: Int
    var frames = 1
    var orientation = ImageOrientation.up

    /// Reads format, dimensions, frames and orientation.
    ///
    /// - Throws: `ImageFailure` where the format is none of those decoded, where there are no dimensions, and where any part of
    ///   the image is larger than the limits.
    init(_ body: ResponseBody, limits: ImageLimits = ImageLimits()) throws(ImageFailure) {
        self = try body.withUnsafeBytes { (buffer) throws(ImageFailure) in
            let bytes = ImageBytes(buffer)
            guard let format = ImageFormat(signature: bytes) else { throw .unknownFormat }
            let reader = ImageHeaderReader(bytes, format, limits)
            return try reader.read()
        }
    }

    init(_ format: ImageFormat, width: Int, height: Int) {
        self.format = format
        self.width = width
        self.height = height
    }
}

/// What an image may be, whatever its file says.
struct ImageLimits: Sendable {
    var pixels = 40_000_000
    var side = 16_384
    /// Of all frames that are decoded, at four bytes a pixel.
    var decodedBytes = 160 << 20

    func check(_ width: Int, _ height: Int) throws(ImageFailure) {
        guard width > 0, height > 0 else { throw .noDimensions }
        guard width <= side, height <= side, width * height <= pixels else {
            throw .tooLarge(width: width, height: height)
        }
    }
}
