#if Images
    import Foundation
    import PatchbayJSON
    import PatchbayPlatform
    import PatchbayRegistry
    import TestSupport
    import Testing

    @testable import PatchbayPlugins

    /// The frames of animations, and how many of them an image may have.
    @Suite(.timeLimit(.minutes(5))) struct ImageFrameTests {
        private static let red: [UInt8] = [255, 0, 0]
        private static let blue: [UInt8] = [0, 0, 255]

        private func decode(
            _ bytes: [UInt8], _ type: String?, _ serializer: ImageSerializer = ImageSerializer()
        ) throws -> DecodedImage {
            try serializer.serialize(ResponseBody(bytes), SampleImage.head(type))
        }

        @Test("the first frame of an animation, unless all are asked for")
        func frames() throws {
            let gif = SampleImage.gif([[1, 2], [2, 1], [3, 3]])
            #expect(try decode(gif, "image/gif").frames.count == 1)
            let all = try decode(gif, "image/gif", ImageSerializer(frames: .all))
            #expect(all.frameCount == 3)
            let later = try decode(gif, "image/gif", ImageSerializer(inflates: false, frames: .all))
            #expect(later.frames.isEmpty)
            #expect(try later.inflated() == all)
            #expect(all.frames.map(\.delay) == Array(repeating: .milliseconds(100), count: 3))
            #expect(
                (0..<3).map { all.pixel(x: 0, y: 0, frame: $0).map { Array($0.prefix(3)) } }
                    == [Self.red, Self.blue, [255, 255, 255]])
        }

        @Test("the frames of an animation count together")
        func manyFrames() throws {
            var header = Array(SampleImage.gif().prefix(25))
            header.replaceSubrange(6..<10, with: [0xFF, 0x0F, 0xFF, 0x0F])
            let frame = SampleImage.gif().dropFirst(25).dropLast()
            let gif = header + [UInt8](Array(repeating: frame, count: 3).joined()) + [0x3B]
            let image = try decode(gif, "image/gif", ImageSerializer(inflates: false, frames: .all))
            let failure = #expect(throws: FormatFailure.self) { try image.inflated() }
            #expect(failure?.code == .limit)
            #expect(failure?.description == ImageFailure.tooManyBytes(limit: 160 << 20).description)
        }

        @Test(
            "an image of too many frames is refused, whichever are decoded, and a pixel of none is decoded",
            arguments: ImageSerializer.Frames.allCases, [true, false])
        func tooManyFrames(_ frames: ImageSerializer.Frames, _ inflates: Bool) throws {
            var serializer = ImageSerializer(inflates: inflates, frames: frames)
            for bytes in [SampleImage.frames(200_000), SampleImage.icons(65_535)] {
                #expect(throws: ImageFailure.tooManyFrames(limit: 10_000)) { try decode(bytes, nil, serializer) }
            }
            serializer.limits.frames = 3
            #expect(throws: ImageFailure.tooManyFrames(limit: 3)) { try decode(SampleImage.frames(4), nil, serializer) }
            let image = try decode(SampleImage.frames(3), nil, serializer)
            #expect(image.frameCount == 3)
            #expect(try image.inflated().frames.count == (frames == .all ? 3 : 1))
        }

        @Test("an image of 10,000 frames is decoded whole, and an entry can allow more")
        func manySmallFrames() throws {
            let all = try decode(SampleImage.frames(10_000), "image/gif", ImageSerializer(frames: .all))
            #expect(all.frames.count == 10_000)
            #expect(all.pixel(x: 1, y: 0, frame: 9_999)?.prefix(3) == Self.blue[...])
            // The limit of the entry holds for `inflated` too.
            var more = ImageSerializer(inflates: false)
            more.limits.frames = 10_001
            #expect(try decode(SampleImage.frames(10_001), nil, more).inflated().frames.count == 1)
        }

        @Test("frames that are larger than the image count with all of their pixels")
        func largeFrames() throws {
            // Each of the two has nearly as many pixels as are allowed for all frames together.
            let gif = SampleImage.frames(2, width: 6_300, height: 6_300)
            let header = try ImageHeader(Data(gif))
            #expect(header.pixels == 2 * 6_300 * 6_300)
            let image = DecodedImage(header, scale: 1, Data(gif))
            var all = image
            all.inflatesAllFrames = true
            let failure = #expect(throws: FormatFailure.self) { try all.inflated() }
            #expect(failure?.description == ImageFailure.tooManyBytes(limit: 160 << 20).description)
        }

        private func inCancelledTask(_ work: @escaping @Sendable () throws -> Int) async -> Result<Int, any Error> {
            await Task {
                withUnsafeCurrentTask { $0?.cancel() }
                return try work()
            }.result
        }

        @Test("a cancelled task does not decode the frames of an image")
        func cancelled() async throws {
            let bytes = SampleImage.frames(1_000)
            let result = await inCancelledTask { try decode(bytes, nil, ImageSerializer(frames: .all)).frames.count }
            #expect(throws: CancellationError.self) { try result.get() }
        }

        @Test("a call that is over does not decode the frames of an image")
        func isOver() throws {
            final class Owner: Sendable {}
            let (owner, bytes) = (Owner(), SampleImage.frames(1_000))
            let interruption = Interruption.begin(for: owner) { _ in true }
            defer { _ = withExtendedLifetime(owner) { interruption.end() } }
            #expect(throws: CancellationError.self) { try decode(bytes, nil, ImageSerializer(frames: .all)) }
            #expect(Interruption.isNoticed)
        }

        @Test("a cancelled task decodes the first frame, and what `inflated` decodes")
        func cancelledLater() async throws {
            let bytes = SampleImage.frames(1_000)
            let first = await inCancelledTask { try decode(bytes, nil).frames.count }
            #expect(try first.get() == 1)
            let later = try decode(bytes, nil, ImageSerializer(inflates: false, frames: .all))
            #expect(try await inCancelledTask { try later.inflated().frames.count }.get() == 1_000)
        }
    }
#endif
