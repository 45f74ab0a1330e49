import PatchbayPlatform
import PatchbayRegistry
import TestSupport
import Testing

@testable import PatchbayManager

@Suite struct BodyPipeTests {
    private struct Broken: Error, Equatable {}
    private typealias Pipe = BodyPipe<Broken>

    private func write(_ count: Int, to pipe: inout Pipe, _ wakes: inout Wakes) -> TransportFlow {
        [UInt8](repeating: 7, count: count).withUnsafeBytes { pipe.write($0, &wakes) }
    }

    private func read(_ count: Int, of pipe: inout Pipe, _ wakes: inout Wakes) throws -> RequestBodyPiece {
        var buffer = [UInt8](repeating: 0, count: count)
        return try buffer.withUnsafeMutableBytes { try pipe.read(into: $0, &wakes) }
    }

    @Test("bytes come as they were written, taken as pieces or copied, in any sizes")
    func everyByte() throws {
        var random = SplitMix(seed: 57)
        for _ in 0..<50 {
            var (pipe, wakes) = (Pipe(limit: 1 << 30), Wakes())
            var (given, taken) = ([UInt8](), [UInt8]())
            while given.count < 1 << 20 || pipe.count > 0 {
                if given.count < 1 << 20 {
                    let piece = (0..<Int(random.next() % 100_000)).map {
                        UInt8(truncatingIfNeeded: $0 &* 31 &+ given.count)
                    }
                    given += piece
                    let flow =
                        random.next() % 2 == 0
                        ? pipe.write(piece, &wakes) : piece.withUnsafeBytes { pipe.write($0, &wakes) }
                    guard case .proceed = flow else { throw Broken() }
                }
                var buffer = [UInt8](repeating: 0, count: Int(random.next() % 80_000) + 1)
                switch try buffer.withUnsafeMutableBytes({ try pipe.read(into: $0, &wakes) }) {
                case .bytes(let count): taken += buffer.prefix(count)
                case .wait, .end: #expect(pipe.count == 0)
                }
            }
            // Compared outside the expectation, which would look for the shortest way from the one to the other.
            let isEqual = taken == given
            #expect(isEqual)
            for size in [1, 70_000, 3] { _ = pipe.write(Array(given.prefix(size)), &wakes) }
            var pieces: [UInt8] = []
            while let piece = pipe.take(&wakes) { pieces += piece }
            let isWhole = pieces == Array([given.prefix(1), given.prefix(70_000), given.prefix(3)].joined())
            #expect(isWhole)
            #expect(pipe.count == 0)
        }
    }

    @Test("the writer waits where the bytes do not fit, until half of them are gone, and a large piece waits alone")
    func bound() throws {
        var (pipe, wakes) = (Pipe(limit: 100), Wakes())
        guard case .proceed = write(250, to: &pipe, &wakes) else { throw Broken() }
        #expect(pipe.heldUntil == nil)
        guard case .wait(let room) = write(1, to: &pipe, &wakes) else { throw Broken() }
        let before = Moment.now
        #expect(try #require(pipe.heldUntil) >= before)
        guard case .wait(let same) = write(1, to: &pipe, &wakes) else { throw Broken() }
        #expect(same === room)
        _ = try read(199, of: &pipe, &wakes)
        #expect(wakes.room == nil)
        _ = try read(1, of: &pipe, &wakes)
        #expect(wakes.room === room && !room.hasFired)
        let wentOn = try #require(pipe.heldUntil)
        #expect(pipe.heldUntil == wentOn)
        guard case .proceed = write(50, to: &pipe, &wakes) else { throw Broken() }
        guard case .wait = write(1, to: &pipe, &wakes) else { throw Broken() }
        // A taken piece counts until the next one is taken.
        #expect(pipe.take(&wakes) != nil)
        #expect(pipe.count == 100)
        #expect(pipe.take(&wakes) == nil)
        #expect(pipe.count == 0)
        pipe.isAwaited = true
        #expect(try #require(pipe.heldUntil) >= wentOn)
        pipe.isAwaited = false
        let awaited = try #require(pipe.heldUntil)
        #expect(pipe.heldUntil == awaited)
    }

    @Test("a reader that waits is woken by bytes, the end, a broken promise and the next exchange, each time once")
    func news() throws {
        typealias Act = (name: String, promises: Bool, act: (inout Pipe, inout Wakes) -> Void)
        let acts: [Act] = [
            ("bytes", false, { _ = $0.write([1], &$1) }),
            ("the end", false, { $0.finish(.success([:]), &$1) }),
            ("a failure", false, { $0.finish(.failure(Broken()), &$1) }),
            ("the end of the reader", false, { $0.close(&$1) }),
            ("another exchange", false, { $0.open(&$1) }),
            ("a broken promise", true, { $0.breakPromise(&$1) }),
        ]
        for (name, promises, act) in acts {
            var (pipe, wakes) = (Pipe(limit: 9, promisesBytes: promises), Wakes())
            guard case .wait(let news) = try read(1, of: &pipe, &wakes) else { throw Broken() }
            #expect(news.promisesBytes == promises, "\(name)")
            act(&pipe, &wakes)
            #expect(wakes.news === news && !news.hasFired, "\(name)")
            wakes.fire()
            #expect(news.hasFired, "\(name)")
            #expect(pipe.awaitNews() !== news, "\(name)")
            #expect(!promises || !pipe.awaitNews().promisesBytes, "\(name)")
        }
    }

    @Test("nothing at all is no piece: the end is where the bytes end")
    func emptyPiece() throws {
        var (pipe, wakes) = (Pipe(limit: 9), Wakes())
        _ = pipe.write([], &wakes)
        #expect(pipe.take(&wakes) == nil)
        for piece in [[], [1], [], [2], []] as [[UInt8]] { _ = pipe.write(piece, &wakes) }
        pipe.finish(.success(["X-Sum": "3"]), &wakes)
        guard case .bytes(2) = try read(9, of: &pipe, &wakes) else { throw Broken() }
        for _ in 0..<2 {
            guard case .end(let trailers) = try read(9, of: &pipe, &wakes) else { throw Broken() }
            #expect(trailers == ["X-Sum": "3"])
        }
    }

    @Test("a failure of the writer comes after its bytes, each time that it is asked for, and the first one counts")
    func failure() throws {
        var (pipe, wakes) = (Pipe(limit: 9), Wakes())
        _ = write(3, to: &pipe, &wakes)
        pipe.finish(.failure(Broken()), &wakes)
        pipe.finish(.success([:]), &wakes)
        guard case .bytes(3) = try read(9, of: &pipe, &wakes) else { throw Broken() }
        for _ in 0..<2 { #expect(throws: Broken()) { try read(9, of: &pipe, &wakes) } }
    }

    @Test("a reader that closes ends the exchange once, lets the writer go on and refuses its bytes")
    func closed() throws {
        var (pipe, wakes) = (Pipe(limit: 9), Wakes())
        let stop = OneShot()
        pipe.open(stop: stop, &wakes)
        _ = write(9, to: &pipe, &wakes)
        guard case .wait(let room) = write(1, to: &pipe, &wakes) else { throw Broken() }
        pipe.close(with: Broken(), &wakes)
        #expect(wakes.stop === stop && wakes.room === room && !stop.hasFired)
        #expect(pipe.count == 0 && pipe.isClosed && pipe.refusal == Broken())
        guard case .stop = write(0, to: &pipe, &wakes), case .stop = write(1, to: &pipe, &wakes) else {
            throw Broken()
        }
        wakes = Wakes()
        pipe.close(&wakes)
        #expect(wakes.stop == nil && pipe.refusal == Broken())
        pipe.open(&wakes)
        #expect(!pipe.isClosed && pipe.refusal == nil && pipe.end == nil)
        guard case .proceed = write(1, to: &pipe, &wakes) else { throw Broken() }
    }

    @Test("a reader that closes after the end of the bytes ends nothing")
    func closedAfterwards() {
        var (pipe, wakes) = (Pipe(limit: 9), Wakes())
        pipe.open(stop: OneShot(), &wakes)
        pipe.finish(.success([:]), &wakes)
        pipe.close(&wakes)
        #expect(wakes.stop == nil)
    }

    @Test("signals fire, and what is dropped is released, after the lock")
    func outsideTheLock() throws {
        let guarded = Guarded(Pipe(limit: 9))
        for _ in 0..<2 {
            let stop = OneShot()
            stop.whenFired { [parting = Parting()] in parting.isCalled() }
            guarded.waking { $0.open(stop: stop, &$1) }
            let news = guarded.withLock { $0.awaitNews() }
            news.whenFired { [parting = Parting()] in parting.isCalled() }
        }
        guarded.waking { $0.close(&$1) }
        let isClosed = guarded.withLock(\.isClosed)
        #expect(isClosed)
    }
}
