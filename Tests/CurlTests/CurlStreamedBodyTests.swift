import Foundation
import PatchbayCurl
import PatchbayManager
import PatchbayPlatform
import PatchbayRegistry
import TestSupport
import Testing

@Suite("CurlTransport reads request bodies while it sends them", .timeLimit(.minutes(5)))
struct CurlStreamedBodyTests {
    @Test(
        "A body of a known length has that Content-Length, one of an unknown length is chunked",
        arguments: [true, false])
    func framing(isLengthKnown: Bool) async throws {
        let server = try RawServer(always: .response(body: "ok"))
        let source = CountingSource(pieces: 300, waiting: false, hasLength: isLengthKnown)
        let end = await CurlTransport().exchange(server.url(), method: "PUT", source: source)
        #expect(end.code == nil)
        let request = try #require(server.requests.first)
        #expect(request.body == CountingSource.bytes(300))
        #expect(request.fields["Content-Length"] == (isLengthKnown ? "307200" : nil))
        #expect(request.fields["Transfer-Encoding"] == (isLengthKnown ? nil : "chunked"))
        #expect(end.record.counts.sent >= 307_200)
    }

    @Test("A source that has nothing yet is asked again when its signal fires, and holds up no other exchange")
    func waits() async throws {
        let server = try RawServer(always: .response(body: "ok"))
        let source = CountingSource(pieces: 20, waiting: true, hasLength: true)
        let transport = CurlTransport()
        async let slow = transport.exchange(server.url("/slow"), method: "POST", source: source)
        let quick = await transport.exchange(server.url("/quick"))
        #expect(quick.code == nil)
        let end = await slow
        #expect(end.code == nil)
        #expect(server.requests.first { $0.target == "/slow" }?.body == CountingSource.bytes(20))
    }

    @Test("A source that fails ends the exchange")
    func failure() async throws {
        let server = try RawServer(always: .response(body: "ok"))
        let source = CountingSource(pieces: 20, waiting: false, hasLength: true, failingAt: 3)
        let end = await CurlTransport().exchange(server.url(), method: "POST", source: source)
        #expect(end.code == .unreadableBody)
    }
}

/// A source of kilobytes, each full of its number.
final class CountingSource: RequestBodySource {
    struct Failure: Error {}

    let length: Int64?
    private let pieces: Int
    private let isWaiting: Bool
    private let failingAt: Int?
    private let state = Guarded((next: 0, hasWaited: false))

    init(pieces: Int, waiting: Bool, hasLength: Bool, failingAt: Int? = nil) {
        self.pieces = pieces
        isWaiting = waiting
        self.failingAt = failingAt
        length = hasLength ? Int64(pieces * 1024) : nil
    }

    static func bytes(_ pieces: Int) -> [UInt8] {
        (0..<pieces).flatMap { [UInt8](repeating: UInt8(truncatingIfNeeded: $0), count: 1024) }
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws -> RequestBodyPiece {
        try state.withLock { state in
            if state.next == failingAt { throw Failure() }
            guard state.next < pieces else { return .end() }
            if isWaiting, !state.hasWaited {
                state.hasWaited = true
                let signal = OneShot()
                Task { signal.fire() }
                return .wait(signal)
            }
            state.hasWaited = false
            buffer.copyBytes(from: [UInt8](repeating: UInt8(truncatingIfNeeded: state.next), count: 1024))
            state.next += 1
            return .bytes(1024)
        }
    }

    func rewind() throws { state.withLock { $0 = (0, false) } }
}
