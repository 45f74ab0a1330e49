#if Images && !canImport(ImageIO)
    import CPatchbayGdkPixbuf

    import PatchbayPlatform

    /// Decodes images with gdk-pixbuf. Their headers have already been checked against the limits.
    enum ImageDecoder {
        /// Collects the frames that the C code delivers.
        private final class Collector {
            let width: Int
            let height: Int
            let isOver: () -> Bool
            var frames: [DecodedImage.Frame] = []

            init(_ header: ImageHeader, unless isOver: @escaping () -> Bool) {
                self.isOver = isOver
                width = header.width
                height = header.height
            }

            /// Returns false if the frame doesn't match the header, or isn't needed any longer.
            func take(_ frame: PatchbayImageFrame) -> Bool {
                guard frames.isEmpty || !isOver() else { return false }
                let (row, bytes) = (Int(frame.row_bytes), Int(frame.pixel_bytes))
                guard Int(frame.width) == width, Int(frame.height) == height, let pixels = frame.pixels,
                    frame.channels == 3 || frame.channels == 4, row >= width * Int(frame.channels),
                    bytes >= row * (height - 1) + width * Int(frame.channels)
                else { return false }
                var data = Data(bytes: pixels, count: frame.owner == nil ? bytes : 0)
                if let owner = frame.owner {
                    // A copy would need the memory of a second image, which exceeds the limit that was checked for one.
                    // Sharing is safe only if no other code writes or frees the pixels: the decoder no longer uses
                    // them, and `owner` is a reference that is released with the last copy of the Data.
                    data = Data(
                        bytesNoCopy: UnsafeMutableRawPointer(mutating: pixels), count: bytes,
                        deallocator: .custom { _, _ in patchbay_image_release(owner) })
                }
                let delay = frame.delay_milliseconds < 0 ? nil : Duration.milliseconds(frame.delay_milliseconds)
                frames.append(
                    DecodedImage.Frame(
                        pixelFormat: frame.channels == 3 ? .rgb8 : .rgba8, rowBytes: row,
                        pixels: data, delay: delay))
                return true
            }
        }

        /// - Parameter isOver: asked between two frames. If it returns true, decoding fails.
        static func frames(
            of encoded: Data, _ header: ImageHeader, _ count: Int, unless isOver: () -> Bool
        ) throws(ImageFailure) -> [DecodedImage.Frame] {
            try withoutActuallyEscaping(isOver) { isOver throws(ImageFailure) in
                try frames(of: encoded, count, Collector(header, unless: isOver), header.format)
            }
        }

        private static func frames(
            of encoded: Data, _ count: Int, _ collector: Collector, _ format: ImageFormat
        ) throws(ImageFailure) -> [DecodedImage.Frame] {
            let code = encoded.withUnsafeBytes { bytes in
                patchbay_image_decode(
                    format.rawValue, bytes.bindMemory(to: UInt8.self).baseAddress, bytes.count,
                    Int32(collector.width), Int32(collector.height), Int32(clamping: count),
                    { context, frame in
                        guard let context, let frame else { return false }
                        return Unmanaged<Collector>.fromOpaque(context).takeUnretainedValue().take(frame.pointee)
                    }, Unmanaged.passUnretained(collector).toOpaque())
            }
            // The C code holds a plain pointer, which keeps nothing alive. Without this line, the optimiser could
            // release the collector early.
            withExtendedLifetime(collector) {}
            guard Int(code) != PATCHBAY_IMAGE_NO_LIBRARY else { throw .missingDecoder }
            guard code == 0, !collector.frames.isEmpty else { throw .undecodable(format, code: Int(code)) }
            return collector.frames
        }
    }
#endif
