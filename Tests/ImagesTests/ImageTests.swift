#if Images
    import Foundation
    import PatchbayJSON
    import PatchbayRegistry
    import PatchbayTesting
    import TestSupport
    import Testing

    @testable import PatchbayPlugins

    /// Images through the serializer: the trait Images is on.
    @Suite(.timeLimit(.minutes(5))) struct ImageTests {
        private static let red: [UInt8] = [255, 0, 0]
        private static let blue: [UInt8] = [0, 0, 255]

        private func decode(
            _ bytes: [UInt8], _ type: String?, _ serializer: ImageSerializer = ImageSerializer()
        ) throws -> DecodedImage {
            try serializer.serialize(ResponseBody(bytes), SampleImage.head(type))
        }

        @Test(
            "1.1.22: two pixels of every format, under AFNetworking's types",
            arguments: [
                (SampleImage.png, "image/png", [red, blue]), (SampleImage.gif(), "image/gif", [red, blue]),
                (SampleImage.tiff, "image/tiff", [blue, red]), (SampleImage.bmp, "image/bmp", [red, blue]),
                (SampleImage.bmp, "image/x-bmp", [red, blue]), (SampleImage.bmp, "image/x-win-bitmap", [red, blue]),
                (SampleImage.ico, "image/ico", [red, blue]), (SampleImage.ico, "image/x-icon", [red, blue]),
                (SampleImage.ico, "image/x-win-bitmap", [red, blue]),
                (SampleImage.xbm, "image/x-xbitmap", [[0, 0, 0], [255, 255, 255]]),
                (SampleImage.png, "application/octet-stream", [red, blue]),
            ] as [([UInt8], String, [[UInt8]])])
        func pixels(_ bytes: [UInt8], _ type: String, _ expected: [[UInt8]]) throws {
            let image = try decode(bytes, type)
            #expect((image.width, image.height) == (2, 1))
            #expect(image.frames.count == 1)
            #expect((0..<2).map { image.pixel(x: $0, y: 0).map { Array($0.prefix(3)) } } == expected)
            #expect(image.pixel(x: 2, y: 0) == nil)
            #expect(image.scale == 1)
            #expect(Array(image.encoded) == bytes)
        }

        @Test("1.1.22: a JPEG, its pixels as stored and its orientation beside them")
        func jpeg() throws {
            let image = try decode(SampleImage.jpeg(orientation: 6), "image/jpeg")
            #expect((image.width, image.height) == (8, 8))
            #expect(image.orientation == 6)
            let pixel = try #require(image.pixel(x: 7, y: 7))
            #expect(pixel[0] > 250 && pixel[1] < 5 && pixel[2] < 5)
        }

        @Test("1.1.22, 1.1.23: inflation is on, and can wait; a scale")
        func inflation() throws {
            let waiting = try decode(SampleImage.png, "image/png", ImageSerializer(inflates: false, scale: 2))
            #expect(waiting.frames.isEmpty && waiting.scale == 2 && waiting.width == 2)
            #expect(try waiting.inflated() == decode(SampleImage.png, "image/png", ImageSerializer(scale: 2)))
        }

        @Test("an image that code made is decoded from its bytes, which say how large it is")
        func made() throws {
            let png = Data(SampleImage.png)
            let image = try DecodedImage("image/gif", width: 0, height: 0, encoded: png).inflated()
            #expect(try image == decode(SampleImage.png, "image/png"))
            let failure = #expect(throws: FormatFailure.self) {
                try DecodedImage("image/png", width: 2, height: 1).inflated()
            }
            #expect(failure?.code == .unsupported)
        }

        @Test("bytes of another format than the declared, of none, or damaged")
        func refused() throws {
            #expect(throws: ImageFailure.wrongFormat(declared: "image/gif", found: .png)) {
                try decode(SampleImage.png, "image/gif")
            }
            for text in ["<svg/>", "/* XPM */", "icns", "RIFF    ACON", "P6 1 1 255 abc"] {
                #expect(throws: ImageFailure.unknownFormat) { try decode(Array(text.utf8), "image/png") }
            }
            var damaged = SampleImage.png
            damaged[45] ^= 0xFF
            #expect(throws: ImageFailure.self) { try decode(damaged, "image/png") }
        }

        @Test("a format that is not decoded is declined, so that it is raw")
        func declined() {
            let serializer = ImageSerializer()
            #expect(serializer.declineReason(SampleImage.head("image/webp")) == "its format is none that is decoded")
            #expect(serializer.declineReason(SampleImage.head("image/png")) == nil)
            #expect(serializer.declineReason(SampleImage.head(nil)) == nil)
        }

        @Test("60,000 by 60,000 pixels are refused while the memory of a child hardly grows")
        func bomb() async {
            await #expect(processExitsWith: .success) {
                let serializer = ImageSerializer()
                _ = try serializer.serialize(ResponseBody(SampleImage.png), SampleImage.head("image/png"))
                let before = try PeakMemory.kibibytes()
                for (_, bytes) in ImageHeaderTests.claims(60_000, 60_000) {
                    _ = try? serializer.serialize(ResponseBody(bytes), SampleImage.head(nil))
                }
                try #require(try PeakMemory.kibibytes() - before < 16 << 10)
            }
        }

        @Test("74 bytes of an image of 6,300 by 6,300 pixels are an error, and get no memory for the pixels")
        func truncatedGiant() async {
            await #expect(processExitsWith: .success) {
                let serializer = ImageSerializer()
                _ = try serializer.serialize(ResponseBody(SampleImage.png), SampleImage.head("image/png"))
                let before = try PeakMemory.kibibytes()
                for (name, bytes) in ImageHeaderTests.claims(6_300, 6_300) + SampleImage.beginnings(6_300, 6_300) {
                    let cut = ResponseBody(bytes + [UInt8](repeating: 1, count: max(74 - bytes.count, 0)))
                    let image = try? serializer.serialize(cut, SampleImage.head(nil))
                    try #require(image == nil, "\(name)")
                    let taken = try PeakMemory.kibibytes() - before
                    try #require(taken < 16 << 10, "\(name): \(taken) KiB")
                }
            }
        }

        @Test("the pixels of an image are in memory once: 6,300 by 6,300 of them take no more than the ceiling")
        func wholeGiant() async {
            await #expect(processExitsWith: .success) {
                let serializer = ImageSerializer()
                _ = try serializer.serialize(ResponseBody(SampleImage.png), SampleImage.head("image/png"))
                let body = ResponseBody(SampleImage.runs(side: 6_300))
                let before = try PeakMemory.kibibytes()
                let image = try serializer.serialize(body, SampleImage.head("image/bmp"))
                try #require(image.pixel(x: 6_299, y: 6_299)?.prefix(3) == [255, 0, 0])
                let taken = try PeakMemory.kibibytes() - before
                try #require(taken < 160 << 10, "\(taken) KiB")
            }
        }

        @Test(
            "an image that ends too early is an error, wherever it ends",
            arguments: [
                // Without the two bytes that fill its last row a bitmap has all of its pixels.
                ("PNG", SampleImage.png, 0), ("GIF", SampleImage.gif([[1, 2], [2, 1]]), 0), ("BMP", SampleImage.bmp, 2),
                ("BMP of runs", SampleImage.runs, 0), ("TIFF", SampleImage.tiff, 0),
            ])
        func truncated(_ name: String, _ bytes: [UInt8], _ spare: Int) throws {
            #expect(try decode(bytes, nil).frames.count == 1)
            let whole = (0..<(bytes.count - spare)).filter { (try? decode(Array(bytes.prefix($0)), nil)) != nil }
            #expect(whole == [], "of \(bytes.count) bytes")
        }

        @Test("a GIF whose codes stand for no pixel more than it has is decoded")
        func longestStrings() throws {
            let image = try decode(SampleImage.longestStrings(codes: 4, width: 10), "image/gif")
            #expect((0..<10).map { image.pixel(x: $0, y: 0)?.prefix(3) } == Array(repeating: Self.red[...], count: 10))
        }

        @Test("a JPEG without its end is an error, wherever it ends")
        func truncatedJPEG() throws {
            let bytes = try SampleImage.jpeg(orientation: 6)
            #expect(bytes.indices.filter { (try? decode(Array(bytes.prefix($0)), nil)) != nil } == [])
        }

        @Test(
            "a JPEG and a GIF without their ends are decoded where the framing proves the body whole",
            arguments: ["Content-Length", "Transfer-Encoding"])
        func endLeftOut(_ field: String) throws {
            func decode(_ bytes: [UInt8], _ type: String) throws -> DecodedImage {
                let url = SampleImage.head(nil).url
                let framing = field == "Content-Length" ? "\(bytes.count)" : "chunked"
                let head = ResponseHead(
                    status: 200, fields: ["Content-Type": type, field: framing], url: url,
                    request: RequestHead(url: url))
                return try ImageSerializer().serialize(ResponseBody(bytes), head)
            }
            let jpeg = try SampleImage.jpeg(orientation: 1)
            let whole = try decode(jpeg, "image/jpeg")
            let image = try decode(jpeg.dropLast(2), "image/jpeg")
            #expect(image.pixel(x: 0, y: 0) == whole.pixel(x: 0, y: 0))
            let gif = SampleImage.gif([[1, 2], [2, 1]])
            #expect(try decode(gif.dropLast(), "image/gif").pixel(x: 0, y: 0)?.prefix(3) == Self.red[...])
            // The pixels themselves are still asked for.
            #expect(throws: ImageFailure.self) { try decode(gif.dropLast(6), "image/gif") }
            let png = SampleImage.png
            #expect(throws: ImageFailure.self) { try decode(png.dropLast(12), "image/png") }
        }

        @Test("damaged images end in a value or an error, in a child")
        func damage() async {
            await #expect(processExitsWith: .success) {
                let serializer = ImageSerializer(frames: .all)
                for sample in [SampleImage.png, SampleImage.gif(), SampleImage.bmp, SampleImage.ico, SampleImage.tiff] {
                    for index in sample.indices {
                        var bytes = sample
                        bytes[index] ^= 0x55
                        _ = try? serializer.serialize(ResponseBody(bytes), SampleImage.head(nil))
                    }
                }
            }
        }

        @Test("images have a factory")
        func factory() {
            #expect(SerializerFactories.standard.names.contains("image"))
        }

        @Test func conformance() async throws {
            try await checkConformance(
                of: ImageSerializer(),
                good: [
                    ConformanceSample("a PNG", SampleImage.png, contentType: "image/png"),
                    ConformanceSample("a GIF", SampleImage.gif(), contentType: "image/gif"),
                ],
                bad: [
                    ConformanceSample("text", text: "this is not an image at all", contentType: "image/png"),
                    ConformanceSample("another format", SampleImage.gif(), contentType: "image/png"),
                ])
        }

        @Test(
            "options",
            arguments: [
                (#"{"inflate": false, "scale": 2, "frames": "all"}"#, nil),
                (#"{"maxFrames": 1000000}"#, nil),
                (#"{"maxFrames": 0}"#, "the option maxFrames is 0, and must be from 1 to 1000000"),
                (#"{"maxFrames": 1000001}"#, "the option maxFrames is 1000001, and must be from 1 to 1000000"),
                (#"{"scale": 0}"#, "the option scale is 0.0, and must be above 0, up to 16"),
                (#"{"frames": "last"}"#, #"the option frames must be one of "first", "all""#),
            ] as [(String, String?)])
        func options(_ options: String, _ sentence: String?) throws {
            let manifest = """
                {"manifestVersion": 1, "plugins": [{"id": "it", "factory": "image", "options": \(options)}]}
                """
            let sources = [ManifestSource.text(manifest, name: "test.json")]
            guard let sentence else {
                _ = try SerializerRegistry(sources: sources, factories: .standard)
                return
            }
            let failure = try #require(throws: ManifestFailure.self) {
                try SerializerRegistry(sources: sources, factories: .standard)
            }
            #expect("\(failure)".contains(sentence), "\(failure)")
        }

        /// A frame of a GIF, and whether there is a whole one before it.
        static let emptyFrames = [(0, 1), (1, 0), (0, 0)].flatMap { size in [false, true].map { (size.0, size.1, $0) } }

        @Test(
            "a GIF with a frame without width or height is refused, and the decoder says nothing",
            arguments: emptyFrames)
        func emptyFrame(_ width: Int, _ height: Int, _ isSecond: Bool) async {
            let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
                [width, height, isSecond] in
                // GLib reads it when it first has something to say: without it, the message is only printed.
                setenv("G_DEBUG", "fatal-criticals", 1)
                let whole = SampleImage.gif([[1, 2]])
                var empty = Array(whole[25...])
                empty.replaceSubrange(13..<17, with: SampleImage.little16(width) + SampleImage.little16(height))
                let bytes = isSecond ? whole.dropLast() + empty : Array(whole[..<25]) + empty
                for frames in ImageSerializer.Frames.allCases {
                    #expect(throws: ImageFailure.noDimensions) {
                        try ImageSerializer(frames: frames)
                            .serialize(ResponseBody(Array(bytes)), SampleImage.head("image/gif"))
                    }
                }
            }
            #expect(result?.standardErrorContent.isEmpty == true)
        }

        @Test("no damaged image makes the decoder complain on standard error")
        func silentDecoder() async {
            let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
                setenv("G_DEBUG", "fatal-criticals", 1)
                let samples = [
                    SampleImage.png, SampleImage.gif([[1, 2], [2, 1]]), SampleImage.bmp, SampleImage.runs,
                    SampleImage.ico,
                    SampleImage.xbm, SampleImage.tiff, try SampleImage.jpeg(orientation: 6),
                ]
                let serializer = ImageSerializer(frames: .all)
                for sample in samples {
                    for index in sample.indices {
                        for byte in [0, 1, 0x7F, 0x80, 0xFF, sample[index] ^ 1, sample[index] &+ 1] as [UInt8] {
                            var bytes = sample
                            bytes[index] = byte
                            _ = try? serializer.serialize(ResponseBody(bytes), SampleImage.head(nil))
                        }
                    }
                }
            }
            let said = result.map { String(decoding: $0.standardErrorContent, as: UTF8.self) }
            #expect(said?.contains("GdkPixbuf-CRITICAL") == false, "\(said ?? "")")
        }
    }
#endif
