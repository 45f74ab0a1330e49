#if Images && !canImport(ImageIO)
    import CPatchbayGdkPixbuf

    import PatchbayPlatform

    /// gdk-pixbuf, given images whose header has been read and found to be within the limits.
    enum ImageDecoder {
        /// What the C door hands over, frame by frame.
        private final class Collector {
            let width: Int
            let height: Int
            var frames: [DecodedImage.Frame] = []

            init(_ header: ImageHeader) {
                width = header.width
                height = header.height
            }

            /// False where the frame is not what the header said.
            func take(_ frame: PatchbayImageFrame) -> Bool {
                let (row, bytes) = (Int(frame.row_bytes), Int(frame.pixel_bytes))
                guard Int(frame.width) == width, Int(frame.height) == height, let pixels = frame.pixels,
                    frame.channels == 3 || frame.channels == 4, row >= width * Int(frame.channels),
                    bytes >= row * (height - 1) + width * Int(frame.channels)
                else { return false }
                var data = Data(bytes: pixels, count: frame.owner == nil ? bytes : 0)
                if let owner = frame.owner {
                    // A copy would take the memory of a second image, above the limit that was checked for one. Sharing is safe only
                    // where nobody writes or frees: the decoder is done with these pixels, and `owner` is a reference of ours, which
                    // the last copy of the Data gives back.
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

        static func frames(of encoded: Data, _ header: ImageHeader, _ count: Int) throws(ImageFailure) -> [DecodedImage
            .Frame]
        {
            let collector = Collector(header)
            let code = encoded.withUnsafeBytes { bytes in
                patchbay_image_decode(
                    header.format.rawValue, bytes.bindMemory(to: UInt8.self).baseAddress, bytes.count,
                    Int32(header.width), Int32(header.height), Int32(clamping: count),
                    { context, frame in
                        guard let context, let frame else { return false }
                        return Unmanaged<Collector>.fromOpaque(context).takeUnretainedValue().take(frame.pointee)
                    }, Unmanaged.passUnretained(collector).toOpaque())
            }
            // The C code has it as a plain pointer, which keeps nothing alive: without this the optimiser could release it early.
            withExtendedLifetime(collector) {}
            guard code == 0, !collector.frames.isEmpty else { throw .undecodable(header.format, code: Int(code)) }
            return collector.frames
        }
    }
#endif
