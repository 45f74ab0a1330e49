import Foundation
import PatchbayManager
import PatchbayPlatform
import PatchbayRegistry
import PatchbayTesting
import PatchbayURLSession
import TestSupport
import Testing

#if os(Linux)
    import PatchbayCurl
    import Glibc
#endif

/// What exchanges leave on signals that outlive them.
@Suite("A wait that ends takes its listener with it", .timeLimit(.minutes(5)))
struct WaitTests {
    /// A byte at a time, each after a wait for a signal of its own or for one that never fires.
    private final class SlowSource: RequestBodySource {
        let length: Int64? = nil
        private let count: Int
        private let never: OneShot?
        private let state = Guarded((given: 0, isReady: false))

        init(_ count: Int, never: OneShot? = nil) { (self.count, self.never) = (count, never) }

        func read(into buffer: UnsafeMutableRawBufferPointer) -> RequestBodyPiece {
            if let never { return .wait(never) }
            let (given, isReady) = state.withLock { state in
                defer { state.isReady = !state.isReady }
                if state.isReady { state.given += 1 }
                return (state.given, state.isReady)
            }
            if given > count { return .end() }
            guard isReady else {
                let signal = OneShot()
                Task { signal.fire() }
                return .wait(signal)
            }
            buffer[0] = 0x61
            return .bytes(1)
        }

        func rewind() { state.withLock { $0 = (0, false) } }
    }

    private static let transports: [any Transport] = {
        #if os(Linux)
            [URLSessionTransport(), CurlTransport(), StubTransport { _ in StubReply(body: "ok") }]
        #else
            [URLSessionTransport(), StubTransport { _ in StubReply(body: "ok") }]
        #endif
    }()

    private static func request(_ server: RawServer, _ body: RequestBody? = nil) -> TransportRequest {
        TransportRequest(head: RequestHead(method: body == nil ? "GET" : "POST", url: server.url()), body: body)
    }

    @Test("a receiver of many exchanges has no listener on its signal when they are over")
    func exchanges() async throws {
        let server = try RawServer(always: .response(body: "ok"))
        for transport in Self.transports {
            let recorder = Recorder()
            for _ in 0..<20 { _ = try await transport.perform(Self.request(server), for: recorder) }
            #expect(recorder.stop.listenerCount == 0, "\(transport)")
            let slow = SlowSource(100)
            _ = try await transport.perform(Self.request(server, .source(slow)), for: recorder)
            #expect(recorder.stop.listenerCount == 0, "\(transport)")
        }
    }

    @Test("an exchange that is stopped while it waits leaves no listener on what it waited for", arguments: [1, 2])
    func stoppedReceivers(_ waiting: Int) async throws {
        let server = try RawServer(always: .response(body: "ok"))
        for transport in Self.transports {
            let never = OneShot()
            for _ in 0..<5 {
                let recorder = Recorder { $0 == waiting ? .wait(never) : .proceed }
                let exchange = Task { try await transport.perform(Self.request(server), for: recorder) }
                await until { never.listenerCount == 1 }
                recorder.stop.fire()
                _ = await exchange.result
                try #require(never.listenerCount == 0, "\(transport)")
            }
        }
    }

    @Test("an exchange that is stopped while its body waits leaves no listener on what that waited for")
    func stoppedSources() async throws {
        let server = try RawServer(readsBodies: false, { _ in RawReply([.hang]) })
        for transport in Self.transports {
            let never = OneShot()
            for _ in 0..<5 {
                let recorder = Recorder()
                let body = RequestBody.source(SlowSource(1, never: never))
                let exchange = Task { try await transport.perform(Self.request(server, body), for: recorder) }
                await until { never.listenerCount == 1 }
                recorder.stop.fire()
                _ = await exchange.result
                try #require(never.listenerCount == 0, "\(transport)")
            }
        }
    }

    private func until(_ isSo: () -> Bool) async {
        while !isSo() { try? await Task.sleep(for: .milliseconds(1)) }
    }

    #if os(Linux)
        @Test("100,000 chunks of one byte from a slow producer take no memory that stays")
        func manyChunks() async {
            await #expect(processExitsWith: .success) {
                alarm(200)
                let server = try RawServer(always: .response(body: "ok"))
                let transport = URLSessionTransport()
                let recorder = Recorder()
                _ = try await transport.perform(Self.request(server, .source(SlowSource(1_000))), for: recorder)
                let before = try PeakMemory.kibibytes()
                _ = try await transport.perform(Self.request(server, .source(SlowSource(100_000))), for: recorder)
                let grown = try PeakMemory.kibibytes() - before
                try #require(grown < 4 << 10, "\(grown) KiB")
                try #require(recorder.stop.listenerCount == 0)
            }
        }

        @Test("100,000 chunks of one byte of a sequence take no memory that stays")
        func manyChunksOfASequence() async {
            await #expect(processExitsWith: .success) {
                alarm(200)
                let server = try RawServer(always: .response(body: "ok"))
                let manager = SessionManager(
                    baseURL: server.url(),
                    registry: try SerializerRegistry(sources: [], factories: SerializerFactories()),
                    transport: URLSessionTransport())
                func send(_ count: Int) async throws {
                    let content = RequestContent.stream(
                        Anew { Bytes(count: count) }, type: "text/plain", isRepeatable: true)
                    _ = try await manager.send(SessionRequest("a", method: "POST", content: content), as: Data.self)
                }
                try await send(1_000)
                let before = try PeakMemory.kibibytes()
                try await send(100_000)
                let grown = try PeakMemory.kibibytes() - before
                try #require(grown < 4 << 10, "\(grown) KiB")
            }
        }
    #endif

    /// One byte, a moment later than it is asked for.
    private struct Bytes: AsyncSequence, AsyncIteratorProtocol, Sendable {
        var count: Int

        mutating func next() async -> Data? {
            for _ in 0..<5 { await Task.yield() }
            count -= 1
            return count < 0 ? nil : Data([0x61])
        }

        func makeAsyncIterator() -> Bytes { self }
    }
}
