#if Images || canImport(ImageIO)
    public import PatchbayJSON
    import PatchbayPlatform
    package import PatchbayRegistry

    /// Decodes images in the formats of `ImageFormat`, with gdk-pixbuf on Linux and ImageIO on Apple platforms.
    ///
    /// The bytes must be of the format that the Content-Type declares, and the image must have its end marker. Only a
    /// JPEG or a GIF is allowed to lack its end marker, if the response has a Content-Length or a Transfer-Encoding,
    /// which proves that its body is complete. The header is read first. An image of more than 40,000,000 pixels,
    /// 16,384 pixels a side or 160 MiB decoded is refused before memory is allocated for it. These limits also apply to
    /// each frame of an animation. A file of more than 10,000 frames or 100 scans is refused too, whether they are
    /// decoded or not. A GIF can have sides of up to 65,535 pixels, so some valid GIFs are refused. If one frame is
    /// decoded, its pixels are in memory once.
    package struct ImageSerializer: ResponseSerializer {
        package enum Frames: String, Sendable, Hashable, CaseIterable { case first, all }

        /// Whether `serialize` decodes the pixels; otherwise `inflated` decodes them later.
        package var inflates: Bool
        /// The number of pixels for each point, along one side.
        package var scale: Double
        /// The frames that are decoded if pixels are decoded.
        package var frames: Frames
        var limits = ImageLimits()

        package init(inflates: Bool = true, scale: Double = 1, frames: Frames = .first) {
            self.inflates = inflates
            self.scale = scale
            self.frames = frames
        }

        /// Declines a response whose image type is of an unsupported format, such as `image/webp`. Its body is then
        /// raw.
        package func declineReason(_ head: ResponseHead) -> String? {
            guard let declared = ImageFormat.declared(by: head.mediaType), declared.isEmpty else { return nil }
            return "its format is none that is decoded"
        }

        /// - Throws: `ImageFailure`; `CancellationError` if the call is over, or the task cancelled, between two frames.
        package func serialize(_ body: ResponseBody, _ head: ResponseHead) throws -> DecodedImage {
            let header = try ImageHeader(body.data, limits: limits)
            if let declared = ImageFormat.declared(by: head.mediaType), !declared.contains(header.format) {
                throw ImageFailure.wrongFormat(declared: head.mediaType?.essence ?? "", found: header.format)
            }
            let isFramed = head.fields["Content-Length"] != nil || head.fields["Transfer-Encoding"] != nil
            guard let encoded = Self.whole(body.data, header, isFramed: isFramed) else {
                throw ImageFailure.truncated(header.format)
            }
            var image = DecodedImage(header, scale: scale, encoded)
            image.inflatesAllFrames = frames == .all
            image.limits = limits
            guard inflates else { return image }
            // A program can also decode an image outside of a call, in a task that is cancelled.
            func isOver() -> Bool { Task.isCancelled || Interruption.isOver }
            do throws(ImageFailure) {
                try image.inflate(header, unless: isOver)
            } catch {
                throw isOver() ? CancellationError() : error
            }
            return image
        }

        /// The image with its end marker; nil if it is truncated.
        ///
        /// Some encoders leave out the marker EOI of a JPEG (ITU T.81, annex B) or the trailer of a GIF (GIF89a,
        /// section 27). Browsers show such images. gdk-pixbuf shows other pixels for such a JPEG and refuses such a
        /// GIF, so the missing end marker is added.
        private static func whole(_ bytes: Data, _ header: ImageHeader, isFramed: Bool) -> Data? {
            func isWhole(_ bytes: Data) -> Bool {
                bytes.withUnsafeBytes { ImageBytes($0).isWhole(header) }
            }
            if isWhole(bytes) { return bytes }
            let end: [UInt8]? = [.jpeg: [0xFF, 0xD9], .gif: [0x3B]][header.format]
            guard isFramed, let end, isWhole(bytes + end) else { return nil }
            return bytes + end
        }
    }

    extension DecodedImage {
        /// This image with its pixels: the pixels of the first frame, or of all frames if the option `frames` of its
        /// entry says so. The pixels are decoded from `encoded`, which also determines the size of the image.
        ///
        /// - Throws: `FormatFailure` of the format `image`.
        public func inflated() throws(FormatFailure) -> DecodedImage {
            do throws(ImageFailure) {
                let header = try ImageHeader(encoded, limits: limits)
                var image = DecodedImage(header, scale: scale, encoded)
                image.inflatesAllFrames = inflatesAllFrames
                image.limits = limits
                try image.inflate(header) { false }
                return image
            } catch {
                throw error.formatFailure
            }
        }

        /// - Parameter isOver: asked between two frames. If it returns true, decoding fails.
        fileprivate mutating func inflate(
            _ header: ImageHeader, unless isOver: () -> Bool
        ) throws(ImageFailure) {
            let (wanted, pixels) = inflatesAllFrames ? (frameCount, header.pixels) : (1, width * height)
            guard pixels <= limits.decodedBytes / 4 else { throw .tooManyBytes(limit: limits.decodedBytes) }
            frames = try ImageDecoder.frames(of: encoded, header, wanted, unless: isOver)
        }
    }

    struct ImageOptions: Decodable, Sendable {
        var inflate: Bool?
        var scale: Double?
        var frames: Choice<ImageSerializer.Frames>?
        var maxFrames: Int?

        func serializer() throws -> ImageSerializer {
            let scale = scale ?? 1
            guard scale > 0, scale <= 16 else {
                throw OptionFailure("scale", "is \(scale), and must be above 0, up to 16")
            }
            var serializer = ImageSerializer(inflates: inflate ?? true, scale: scale, frames: frames?.value ?? .first)
            if let maxFrames {
                serializer.limits.frames = try OptionFailure.check("maxFrames", maxFrames, in: 1...1_000_000)
            }
            return serializer
        }
    }
#endif
