import Dispatch
import Foundation
import PatchbayPlatform
import PatchbayRegistry
import Testing

@testable import PatchbayManager

@Suite(.timeLimit(.minutes(5))) struct FetchedSourceTests {
    private let io = IOExecutor()

    /// Numbers without an end, of which each read counts; blocks where it is told to.
    private final class Numbers: RequestBodySource {
        let length: Int64? = nil
        let given = Guarded(0)
        let isReading = Guarded(false)
        let released = OneShot()
        private let heldAt: Int?
        private let gate = DispatchSemaphore(value: 0)

        init(heldAt: Int? = nil) { self.heldAt = heldAt }

        deinit { released.fire() }

        func read(into buffer: UnsafeMutableRawBufferPointer) -> RequestBodyPiece {
            isReading.withLock { $0 = true }
            let first = given.withLock { $0 }
            if let heldAt, first >= heldAt { gate.wait() }
            for index in buffer.indices { buffer[index] = UInt8(truncatingIfNeeded: (first + index) % 251) }
            given.withLock { $0 = first + buffer.count }
            isReading.withLock { $0 = false }
            return .bytes(buffer.count)
        }

        func rewind() { given.withLock { $0 = 0 } }

        func open() { for _ in 0..<1_000 { gate.signal() } }
    }

    /// Reads so many bytes or to the end, in pieces of a size.
    private func read(_ source: some RequestBodySource, upTo count: Int = .max, by size: Int = 1_000) async throws
        -> [UInt8]
    {
        var bytes: [UInt8] = []
        var space = [UInt8](repeating: 0, count: size)
        while bytes.count < count {
            switch try space[..<min(size, count - bytes.count)].withUnsafeMutableBytes({ try source.read(into: $0) }) {
            case .bytes(let count): bytes += space[..<count]
            case .wait(let signal): try await until { signal.hasFired }
            case .end: return bytes
            }
        }
        return bytes
    }

    private func numbers(_ range: Range<Int>) -> [UInt8] { range.map { UInt8(truncatingIfNeeded: $0 % 251) } }

    @Test("each byte comes once and in order, whatever the sizes, where the source waits, too", arguments: 1...7)
    func everyByte(_ size: Int) async throws {
        let steps: [ScriptedSource.Step] = [.text("ab"), .pause, .text("c"), .pause, .pause, .text("defgh"), .pause]
        let ahead = FetchedSource(ScriptedSource(steps, length: 8), on: io)
        #expect(ahead.length == 8)
        for pass in 0..<3 {
            #expect(String(decoding: try await read(ahead, by: size), as: UTF8.self) == "abcdefgh")
            #expect(try await read(ahead).isEmpty)
            // By whoever can wait for it, and by whoever cannot.
            if pass == 0 { try await ahead.rewound() } else { ahead.rewind() }
        }
    }

    @Test("so much is read ahead and not more, until some of it is taken")
    func limit() async throws {
        let source = Numbers()
        let ahead = FetchedSource(source, on: io)
        #expect(source.given.withLock { $0 } == 0)
        #expect(try await read(ahead, upTo: 1) == [0])
        for _ in 0..<3 {
            while source.given.withLock({ $0 }) < FetchedSource.limit || source.isReading.withLock({ $0 }) {
                await Task.yield()
            }
            await settle()
            let before = source.given.withLock { $0 }
            #expect(try await read(ahead, upTo: 70_000).count == 70_000)
            while source.given.withLock({ $0 }) == before { await Task.yield() }
        }
        #expect(source.given.withLock { $0 } <= 1 + 3 * 70_000 + FetchedSource.limit)
        #expect(try await read(ahead, upTo: 1 << 20) == numbers(210_001..<210_001 + (1 << 20)))
    }

    @Test("a source that blocks holds nobody up: the reader is told to wait, and goes on when there is more")
    func blocked() async throws {
        let source = Numbers(heldAt: 64 << 10)
        let ahead = FetchedSource(source, on: io)
        #expect(try await read(ahead, upTo: 64 << 10) == numbers(0..<64 << 10))
        var space: [UInt8] = [0]
        for _ in 0..<10 {
            guard case .wait = try space.withUnsafeMutableBytes({ try ahead.read(into: $0) }) else {
                Issue.record("there is something to read")
                continue
            }
        }
        source.open()
        #expect(try await read(ahead, upTo: 100_000) == numbers(64 << 10..<(64 << 10) + 100_000))
    }

    @Test("a source that fails gives what came before, then what it threw, as often as it is asked")
    func failure() async throws {
        let ahead = FetchedSource(ScriptedSource([.text("ab"), .pause, .failure]), on: io)
        #expect(try await read(ahead, upTo: 2) == Array("ab".utf8))
        for _ in 0..<3 { await #expect(throws: ScriptedSource.Failure.self) { try await read(ahead) } }
        try await ahead.rewound()
        #expect(try await read(ahead, upTo: 2) == Array("ab".utf8))
    }

    @Test("a source that says it gave more than there was room for is refused")
    func liar() async throws {
        final class Liar: RequestBodySource {
            let length: Int64? = nil
            func read(into buffer: UnsafeMutableRawBufferPointer) -> RequestBodyPiece { .bytes(1 << 30) }
            func rewind() {}
        }
        await #expect(throws: ContentFailure.self) { try await read(FetchedSource(Liar(), on: io)) }
    }

    @Test(
        "going back in the middle of a read that blocks waits for it, and gives nothing of it",
        arguments: [true, false])
    func rewindInTheMiddle(waits: Bool) async throws {
        let source = Numbers(heldAt: 128 << 10)
        let ahead = FetchedSource(source, on: io)
        #expect(try await read(ahead, upTo: 10) == numbers(0..<10))
        while source.given.withLock({ $0 }) < 128 << 10 || !source.isReading.withLock({ $0 }) { await Task.yield() }
        if waits {
            async let back: Void = ahead.rewound()
            await settle()
            source.open()
            try await back
        } else {
            ahead.rewind()
            source.open()
        }
        #expect(try await read(ahead, upTo: 1 << 20) == numbers(0..<1 << 20))
    }

    @Test("a source that cannot be read twice says so to whoever waits, and to others at the next read")
    func notTwice() async throws {
        let ahead = FetchedSource(ScriptedSource([.text("ab")], rewinds: false), on: io)
        #expect(try await read(ahead).count == 2)
        await #expect(throws: ScriptedSource.Failure.self) { try await ahead.rewound() }
        await #expect(throws: ScriptedSource.Failure.self) { try await read(ahead) }
        ahead.rewind()
        await #expect(throws: ScriptedSource.Failure.self) { try await read(ahead) }
    }

    @Test("a source is released when its reader is let go of in the middle, at the latest when its read has returned")
    func abandoned() async throws {
        for heldAt in [nil, 128 << 10] {
            var source: Numbers? = Numbers(heldAt: heldAt)
            let released = try #require(source?.released)
            var ahead: FetchedSource? = try FetchedSource(#require(source), on: io)
            #expect(try await read(#require(ahead), upTo: 1) == [0])
            ahead = nil
            source?.open()
            source = nil
            try await until { released.hasFired }
        }
    }

    @Test("a source that is waited for is released with its reader")
    func abandonedWait() async throws {
        final class Never: RequestBodySource {
            let length: Int64? = nil
            let released: OneShot
            private let something = OneShot()
            init(_ released: OneShot) { self.released = released }
            deinit { released.fire() }
            func read(into buffer: UnsafeMutableRawBufferPointer) -> RequestBodyPiece { .wait(something) }
            func rewind() {}
        }
        let released = OneShot()
        var ahead: FetchedSource? = FetchedSource(Never(released), on: io)
        var space: [UInt8] = [0]
        guard case .wait = try space.withUnsafeMutableBytes({ try #require(ahead).read(into: $0) }) else {
            Issue.record("there is something to read")
            return
        }
        await settle()
        ahead = nil
        try await until { released.hasFired }
    }

    @Test("bytes at hand and sequences go past the executor, files and sources of others do not")
    func whatIsWrapped() throws {
        let folder = try PartFiles()
        var form = MultipartFormData()
        form.append("Tea", name: "title")
        var withFile = form
        withFile.append(file: try folder.write("x", as: "x.txt"), name: "file")
        let rows: [(RequestBody, isWrapped: Bool)] = [
            (.data(Data([1])), false), (.source(try form.makeSource()), false),
            (.source(SequenceSource { AsyncStream<Data> { $0.finish() } }), false),
            (.source(try withFile.makeSource()), true),
            (.source(ScriptedSource([])), true), (.source(try FileSource(folder.file("x.txt"))), true),
        ]
        for (body, isWrapped) in rows {
            guard case .source(let source) = body.readAhead(on: io) else {
                #expect(!isWrapped)
                continue
            }
            #expect((source is FetchedSource) == isWrapped)
        }
    }
}
