#if canImport(ImageIO)
    public import CoreGraphics
    import ImageIO
    import PatchbayPlatform

    /// Decodes images with ImageIO. Their headers have already been checked against the limits.
    enum ImageDecoder {
        /// - Parameter isOver: asked between two frames. If it returns true, decoding fails.
        static func frames(
            of encoded: Data, _ header: ImageHeader, _ count: Int, unless isOver: () -> Bool
        ) throws(ImageFailure) -> [DecodedImage.Frame] {
            guard let source = CGImageSourceCreateWithData(encoded as CFData, nil) else {
                throw .undecodable(header.format, code: -1)
            }
            var frames: [DecodedImage.Frame] = []
            for index in 0..<min(count, CGImageSourceGetCount(source)) {
                guard index == 0 || !isOver() else { throw .undecodable(header.format, code: -4) }
                guard let decoded = CGImageSourceCreateImageAtIndex(source, index, nil),
                    let pixels = pixels(of: decoded, header.width, header.height)
                else { throw .undecodable(header.format, code: -2) }
                let properties = CGImageSourceCopyPropertiesAtIndex(source, index, nil) as? [CFString: Any]
                let gif = properties?[kCGImagePropertyGIFDictionary] as? [CFString: Any]
                let delay = (gif?[kCGImagePropertyGIFDelayTime] as? Double).map { Duration.seconds($0) }
                frames.append(
                    DecodedImage.Frame(
                        pixelFormat: .premultipliedRGBA8, rowBytes: header.width * 4, pixels: pixels, delay: delay))
            }
            guard !frames.isEmpty else { throw .undecodable(header.format, code: -3) }
            return frames
        }

        private static func pixels(of image: CGImage, _ width: Int, _ height: Int) -> Data? {
            let context = CGContext(
                data: nil, width: width, height: height, bitsPerComponent: 8, bytesPerRow: width * 4,
                space: CGColorSpaceCreateDeviceRGB(), bitmapInfo: CGImageAlphaInfo.premultipliedLast.rawValue)
            guard let context else { return nil }
            context.draw(image, in: CGRect(x: 0, y: 0, width: width, height: height))
            return context.data.map { Data(bytes: $0, count: width * height * 4) }
        }
    }

    extension DecodedImage {
        /// The first frame, for drawing.
        public var cgImage: CGImage? {
            CGImageSourceCreateWithData(encoded as CFData, nil).flatMap { CGImageSourceCreateImageAtIndex($0, 0, nil) }
        }
    }
#endif
