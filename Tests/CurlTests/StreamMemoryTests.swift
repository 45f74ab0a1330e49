import Foundation
import Patchbay
import PatchbayRegistry
import TestSupport
import Testing

#if os(Linux)
    import Glibc

    /// What streams take at most above what the process had before, in child processes.
    @Suite("Streams take little memory, whatever comes", .timeLimit(.minutes(5)))
    struct StreamMemoryTests {
        private struct Item: Decodable, Sendable {
            let id: Int
            let text: String
        }

        private struct Unexpected: Error {}

        private static func head(_ type: String, coding: String? = nil) -> [UInt8] {
            let coding = coding.map { "Content-Encoding: \($0)\r\n" } ?? ""
            return Array("HTTP/1.1 200 OK\r\nContent-Type: \(type)\r\n\(coding)\r\n".utf8)
        }

        /// A manager that has read a stream before, so that what is made once is there.
        private static func manager(_ server: RawServer) async throws -> SessionManager {
            let manager = SessionManager(baseURL: server.url())
            let small = try RawServer(
                always: .response(["Content-Type": "application/x-ndjson"], body: #"{"id":1,"text":"a"}"#))
            for try await _ in try await manager.stream(small.target(), of: Item.self) {}
            return manager
        }

        @Test("64 MiB of lines into a type take less than 32 MiB")
        func lines() async {
            await #expect(processExitsWith: .success) {
                alarm(200)
                let line = #"{"id":1,"text":"\#(String(repeating: "a", count: 16_000))"}"# + "\n"
                let lines = Array(String(repeating: line, count: 64).utf8)
                let server = try RawServer(
                    always: RawReply(
                        [.send(Self.head("application/x-ndjson"))] + Array(repeating: .send(lines), count: 64)
                            + [.close]))
                let manager = try await Self.manager(server)
                let before = try PeakMemory.kibibytes()
                var count = 0
                for try await item in try await manager.stream("lines", of: Item.self) { count += item.id }
                try #require(count == 64 * 64)
                try #require(try PeakMemory.kibibytes() - before < 32 << 10)
            }
        }

        @Test("Events that nobody reads take no more than may wait")
        func asleep() async {
            await #expect(processExitsWith: .success) {
                alarm(200)
                let event = "data: {\"id\":1,\"text\":\"\(String(repeating: "a", count: 170))\"}\n\n"
                let events = Array(String(repeating: event, count: 5_000).utf8)
                let server = try RawServer(
                    always: RawReply(
                        [.send(Self.head("text/event-stream"))] + Array(repeating: .send(events), count: 64)))
                let manager = try await Self.manager(server)
                let before = try PeakMemory.kibibytes()
                let stream = try await manager.stream("events", of: Item.self)
                for try await _ in stream { break }
                let sleeping = try await manager.stream("events", of: Item.self)
                var iterator = sleeping.makeAsyncIterator()
                _ = try await iterator.next()
                // Until nothing more arrives for a while.
                var received = Int64(-1)
                while sleeping.task.downloadProgress.completedBytes != received {
                    received = sleeping.task.downloadProgress.completedBytes
                    try await Task.sleep(for: .milliseconds(300))
                }
                // Of 64 MB to come. What may wait, and the pieces that one is busy with.
                try #require(received < 2 << 20)
                try #require(try PeakMemory.kibibytes() - before < 8 << 10)
                _ = try await iterator.next()
            }
        }

        @Test(
            "A body without an end that was coded into next to nothing takes less than 32 MiB, and ends when it is cancelled",
            arguments: EndlessBody.all)
        func endless(_ body: EndlessBody) async {
            await #expect(processExitsWith: .success) { [body] in
                // A loop that does not get its turn again can be ended in no other way.
                alarm(100)
                let some = Array(repeatElement(body.repeated, count: (4 << 10) / body.repeated.count + 1).joined())
                let begun = OneShot()
                let server = try RawServer(
                    always: RawReply(
                        [.send(Self.head(body.content.type, coding: body.coding) + body.start), .send(some)]
                            + [.run { begun.fire() }] + Array(repeating: .send(some), count: 10_000)))
                let manager = try await Self.manager(server)
                let before = try PeakMemory.kibibytes()
                let reader = Task {
                    for try await _ in try await manager.stream("endless", of: JSON.self) { throw Unexpected() }
                }
                await begun.fired()
                if body.content == .oneLine {
                    // It is too long at some time, and an error then.
                    guard case .failure(let error as SessionError) = await reader.result else { throw Unexpected() }
                    try #require(error.code == .bodyTooLarge)
                } else {
                    try await Task.sleep(for: .milliseconds(500))
                    let cancelled = ContinuousClock.now
                    reader.cancel()
                    guard case .failure(let error as SessionError) = await reader.result else { throw Unexpected() }
                    try #require(error.code == .cancelled)
                    // In some milliseconds, that is, on a machine that has others to serve.
                    try #require(ContinuousClock.now - cancelled < .seconds(2))
                }
                await until { server.openConnections == 0 }
                try #require(try PeakMemory.kibibytes() - before < 32 << 10)
            }
        }
    }

    extension EndlessBody: CustomTestStringConvertible {
        var testDescription: String { "\(content.rawValue), \(coding)" }
    }
#endif
