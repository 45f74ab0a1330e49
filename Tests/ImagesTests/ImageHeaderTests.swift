import Foundation
import PatchbayRegistry
import TestSupport
import Testing

@testable import PatchbayPlugins

/// What is read of an image before any pixel is decoded, with and without a decoder in the build.
@Suite(.timeLimit(.minutes(5))) struct ImageHeaderTests {
    @Test(
        "1.1.22: format, dimensions and frames of each format",
        arguments: [
            (SampleImage.png, .png, 2, 1, 1), (SampleImage.gif([[1, 2], [2, 1]]), .gif, 2, 1, 2),
            (SampleImage.bmp, .bmp, 2, 1, 1), (SampleImage.ico, .ico, 2, 1, 1), (SampleImage.xbm, .xbm, 2, 1, 1),
            (SampleImage.tiff, .tiff, 2, 1, 1),
        ] as [([UInt8], ImageFormat, Int, Int, Int)])
    func headers(_ bytes: [UInt8], _ format: ImageFormat, _ width: Int, _ height: Int, _ frames: Int) throws {
        let header = try ImageHeader(Data(bytes))
        #expect(header.format == format)
        #expect((header.width, header.height, header.frames) == (width, height, frames))
    }

    @Test("1.1.22: the orientation is kept: Exif of a JPEG, the tag of a TIFF")
    func orientation() throws {
        #expect(try ImageHeader(Data(SampleImage.jpeg())).orientation == 1)
        for orientation in 1...8 {
            let header = try ImageHeader(Data(SampleImage.jpeg(orientation: UInt8(orientation))))
            #expect(header.orientation == orientation)
            #expect((header.width, header.height) == (8, 8))
        }
        #expect(try ImageHeader(Data(SampleImage.jpeg(orientation: 9))).orientation == 1)
        // The decoder turns it.
        #expect(try ImageHeader(Data(SampleImage.tiff)).orientation == 1)
    }

    @Test(
        "the ten types of AFNetworking and others stand for formats, the rest for none",
        arguments: [
            ("image/tiff", [.tiff]), ("image/jpeg", [.jpeg]), ("image/gif", [.gif]), ("image/png", [.png]),
            ("image/ico", [.ico]), ("image/x-icon", [.ico]), ("image/bmp", [.bmp]), ("image/x-bmp", [.bmp]),
            ("image/x-xbitmap", [.xbm]), ("image/x-win-bitmap", [.bmp, .ico]), ("image/webp", []),
            ("application/octet-stream", nil),
        ] as [(String, [ImageFormat]?)])
    func declared(_ type: String, _ formats: [ImageFormat]?) {
        #expect(ImageFormat.declared(by: MediaType(parsing: type)) == formats)
    }

    /// Headers without an image behind them, that claim these dimensions.
    static func claims(_ width: Int, _ height: Int) -> [(String, [UInt8])] {
        let little = (SampleImage.little16(width) + SampleImage.little16(height), SampleImage.little32(width))
        let big: [UInt8] = SampleImage.big32(width) + SampleImage.big32(height)
        let png: [UInt8] = Array(SampleImage.png.prefix(16)) + big + [8, 2, 0, 0, 0]
        let info: [UInt8] = SampleImage.little32(40) + little.1
        let rest: [UInt8] = [1, 0, 24, 0] + [UInt8](repeating: 0, count: 24)
        let file: [UInt8] = Array(SampleImage.bmp.prefix(14))
        var tiff: [UInt8] = [0x49, 0x49, 0x2A, 0, 8, 0, 0, 0, 2, 0]
        for (tag, value) in [(256, width), (257, height)] {
            tiff += SampleImage.little16(tag)
            tiff += [4, 0, 1, 0, 0, 0]
            tiff += SampleImage.little32(value)
        }
        let frame: [UInt8] = Array(SampleImage.gif().prefix(33)) + [0x2C, 0, 0, 0, 0] + little.0 + [0, 2, 0]
        let sides: [UInt8] = Array(big[6...7]) + Array(big[2...3])
        return [
            ("PNG", png),
            ("BMP", file + info + SampleImage.little32(height) + rest),
            ("BMP from the top", file + info + SampleImage.little32(-height)),
            ("ICO of a PNG", Array(SampleImage.ico.prefix(18)) + SampleImage.little32(22) + png),
            ("TIFF", tiff),
            ("XBM", Array("#define a_width \(width)\n#define a_height \(height)\n".utf8)),
            ("GIF", Array("GIF89a".utf8) + little.0 + [0, 0, 0]),
            ("frame of a GIF", frame),
            ("JPEG", [0xFF, 0xD8, 0xFF, 0xC0, 0, 17, 8] + sides),
        ]
    }

    @Test("a header that claims 60,000 by 60,000 pixels is refused in every format", arguments: claims(60_000, 60_000))
    func tooLarge(_ name: String, _ bytes: [UInt8]) {
        #expect(throws: ImageFailure.tooLarge(width: 60_000, height: 60_000)) { try ImageHeader(Data(bytes)) }
    }

    @Test(
        "the height of a BMP is a signed number of 32 bits",
        arguments: [
            (0x7FFF_FFFF, 0x7FFF_FFFF), (-0x7FFF_FFFF, 0x7FFF_FFFF), (-0x8000_0000, 0x8000_0000), (-16_385, 16_385),
        ])
    func signedHeight(_ written: Int, _ height: Int) {
        let bytes = Self.claims(1, written)[1].1
        #expect(throws: ImageFailure.tooLarge(width: 1, height: height)) { try ImageHeader(Data(bytes)) }
    }

    @Test("the limits, exactly and one more")
    func limits() throws {
        func width(_ width: Int, _ height: Int) -> Int? {
            try? ImageHeader(Data(Self.claims(width, height)[0].1)).width
        }
        #expect(width(16_384, 2_441) == 16_384)
        #expect(width(16_384, 2_442) == nil)
        #expect(width(16_385, 1) == nil)
        #expect(width(0, 1) == nil)
        #expect(width(5_000, 8_000) == 5_000)
        #expect(width(5_000, 8_001) == nil)
    }

    struct FrameRow: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let bytes: [UInt8]
        var limit = 10_000
        /// The frames and their pixels; nil if the image has too many frames.
        let found: (frames: Int, pixels: Int)?
    }

    static let frameRows: [FrameRow] = [
        FrameRow(testDescription: "a GIF of 10,000", bytes: SampleImage.frames(10_000), found: (10_000, 20_000)),
        FrameRow(testDescription: "a GIF of 10,001", bytes: SampleImage.frames(10_001), found: nil),
        FrameRow(testDescription: "a GIF of 200,000", bytes: SampleImage.frames(200_000), found: nil),
        FrameRow(
            testDescription: "a GIF of 10,001 without its end", bytes: Array(SampleImage.frames(10_001).dropLast()),
            found: nil),
        FrameRow(testDescription: "a GIF of 3 of 3", bytes: SampleImage.frames(3), limit: 3, found: (3, 6)),
        FrameRow(testDescription: "a GIF of 4 of 3", bytes: SampleImage.frames(4), limit: 3, found: nil),
        FrameRow(
            testDescription: "a GIF of 20,000, which are allowed", bytes: SampleImage.frames(20_000), limit: 20_000,
            found: (20_000, 40_000)),
        FrameRow(testDescription: "a GIF of none", bytes: SampleImage.frames(0), found: (1, 2)),
        FrameRow(
            testDescription: "a GIF whose frames are larger", bytes: SampleImage.frames(5, width: 100, height: 50),
            found: (5, 25_000)),
        FrameRow(testDescription: "an ICO of 10,000", bytes: SampleImage.icons(10_000), found: (1, 2)),
        FrameRow(testDescription: "an ICO of 10,001", bytes: SampleImage.icons(10_001), found: nil),
        FrameRow(testDescription: "an ICO of 65,535", bytes: SampleImage.icons(65_535), found: nil),
        FrameRow(testDescription: "a PNG", bytes: SampleImage.png, limit: 1, found: (1, 2)),
    ]

    @Test("frames are counted before they are decoded, up to a limit", arguments: frameRows)
    func frameLimit(_ row: FrameRow) throws {
        var limits = ImageLimits()
        if row.limit != 10_000 { limits.frames = row.limit }
        guard let found = row.found else {
            #expect(throws: ImageFailure.tooManyFrames(limit: row.limit)) {
                try ImageHeader(Data(row.bytes), limits: limits)
            }
            return
        }
        let header = try ImageHeader(Data(row.bytes), limits: limits)
        #expect(header.frames == found.frames)
        #expect(header.pixels == found.pixels)
    }

    @Test("of several Exif segments the first counts")
    func firstExif() throws {
        func segment(_ orientation: UInt8) -> [UInt8] {
            let tiff: [UInt8] = [77, 77, 0, 42, 0, 0, 0, 8, 0, 1, 1, 0x12, 0, 3, 0, 0, 0, 1, 0, orientation, 0, 0]
            return [0xFF, 0xE1, 0, UInt8(8 + tiff.count)] + Array("Exif\0\0".utf8) + tiff
        }
        let plain = try SampleImage.jpeg()
        for (first, second) in [(3, 6), (9, 6)] as [(UInt8, UInt8)] {
            let bytes = plain.prefix(2) + segment(first) + segment(second) + plain.dropFirst(2)
            #expect(try ImageHeader(Data(bytes)).orientation == (first == 9 ? 1 : 3))
        }
    }

    @Test(
        "the scans of a JPEG are counted before they are decoded, up to 100",
        arguments: [(1, true), (100, true), (101, false), (100_000, false)])
    func scans(_ count: Int, _ isRead: Bool) throws {
        let one = try SampleImage.jpeg(orientation: 6)
        let start = try #require(one.indices.dropLast().first { one[$0] == 0xFF && one[$0 + 1] == 0xDA })
        let scan = Array(one[start...].dropLast(2))
        let bytes = Array(one[..<start]) + [UInt8](Array(repeating: scan, count: count).joined()) + [0xFF, 0xD9]
        guard !isRead else {
            #expect(try ImageHeader(Data(bytes)).orientation == 6)
            return
        }
        #expect(throws: ImageFailure.tooManyScans(limit: 100)) { try ImageHeader(Data(bytes)) }
        // The marker alone, at the very end.
        #expect(throws: ImageFailure.tooManyScans(limit: 100)) {
            try ImageHeader(Data(one[..<start]) + Data(Array(repeating: [0xFF, 0xDA] as [UInt8], count: 101).joined()))
        }
    }

    @Test("every truncation and every changed byte of a header is a header or an error")
    func damage() throws {
        let samples = [
            SampleImage.png, SampleImage.gif(), SampleImage.bmp, SampleImage.ico, SampleImage.xbm, SampleImage.tiff,
        ]
        for sample in samples + [try SampleImage.jpeg(orientation: 6)] {
            for length in 0..<sample.count { _ = try? ImageHeader(Data(Array(sample.prefix(length)))) }
            for index in sample.indices {
                for change in [0x01, 0x7F, 0x80, 0xFF] as [UInt8] {
                    var bytes = sample
                    bytes[index] ^= change
                    _ = try? ImageHeader(Data(bytes))
                }
            }
        }
    }

    @Test(
        "so many codes of a GIF stand for so many pixels, and not for one more",
        arguments: [(1, 1), (2, 3), (3, 6), (4, 10), (5, 15), (6, 21)])
    func codes(_ codes: Int, _ pixels: Int) throws {
        for (width, isWhole) in [(pixels, true), (pixels + 1, false)] {
            let body = ResponseBody(SampleImage.longestStrings(codes: codes, width: width))
            let header = try ImageHeader(body.data)
            #expect(
                body.withUnsafeBytes { ImageBytes($0).isWhole(header) } == isWhole,
                "\(width)")
        }
    }

    static let failures: [(ImageFailure, String)] = [
        (.unknownFormat, "the image is in none of the formats png, jpeg, gif, tiff, bmp, ico, xbm"),
        (.wrongFormat(declared: "image/png", found: .gif), "the image is declared as image/png, and is gif"),
        (.noDimensions, "the header of the image has no dimensions"),
        (.tooLarge(width: 1, height: 2), "the image of 1 by 2 pixels is larger than is allowed"),
        (.tooManyBytes(limit: 3), "the image has more than 3 bytes when it is decoded"),
        (.tooManyFrames(limit: 3), "the image has more than 3 frames (maxFrames)"),
        (.tooManyScans(limit: 3), "the image has more than 3 scans"),
        (.truncated(.gif), "the gif image ends too early"),
        (.undecodable(.png, code: 4), "the png image could not be decoded (code 4)"),
        (.missingDecoder, "libgdk_pixbuf-2.0.so.0 cannot be loaded: install libgdk-pixbuf-2.0-0"),
    ]

    @Test("the sentences of the failures", arguments: failures)
    func sentences(_ failure: ImageFailure, _ sentence: String) {
        #expect(failure.description == sentence)
    }

    @Test("no case of an image's failure is without its sentence")
    func complete() throws {
        let cases: Set = [
            "unknownFormat", "wrongFormat", "noDimensions", "tooLarge", "tooManyBytes", "tooManyFrames", "tooManyScans",
            "truncated", "undecodable", "missingDecoder",
        ]
        #expect(try DeclaredErrors.cases(of: "ImageFailure") == cases)
        #expect(Set(Self.failures.map(\.0.description)).count == cases.count)
    }

    @Test("an image of a program's own may say any numbers: a pixel outside of its bytes is none")
    func absurdSizes() {
        let rows: [(rowBytes: Int, width: Int, height: Int, x: Int, y: Int)] = [
            (.max, .max, .max, 0, 2), (4, .max, 1, .max - 1, 0), (4, -1, 1, 0, 0), (-4, 1, 2, 0, 1), (.min, 1, 3, 0, 2),
            (4, 1, -1, 0, 0), (4, 2, 1, 1, 0),
        ]
        for row in rows {
            let frame = DecodedImage.Frame(pixelFormat: .rgba8, rowBytes: row.rowBytes, pixels: Data([1, 2, 3, 4]))
            let image = DecodedImage("image/png", width: row.width, height: row.height, frames: [frame])
            #expect(image.pixel(x: row.x, y: row.y) == nil, "\(row)")
        }
    }
}
