import Foundation
import Patchbay
import PatchbayTesting
import TestSupport
import Testing

/// The end of a stream as its observers hear it: it is known when the loop has ended, not when the body is complete.
@Suite("Observers hear how the loop of a stream ended", .timeLimit(.minutes(5)))
struct StreamOutcomeTests {
    private struct Item: Decodable, Sendable { let id: Int }

    private struct Ends: SessionObserver {
        let ends = Shared<[String]>([])

        func observe(_ event: SessionEvent) async {
            guard case .finished(let result) = event.stage else { return }
            let end = if case .failure(let error) = result { "\(error.code)" } else { "success" }
            let status = event.attributes["http.response.status_code"]?.int ?? 0
            ends.withLock { $0.append("\(end) \(status)") }
        }
    }

    private func until(_ isSo: () -> Bool) async throws {
        while !isSo() { try await Task.sleep(for: .milliseconds(2)) }
    }

    private func ends(
        _ body: String, times: Int = 1, type: String = "application/x-ndjson",
        _ read: (ResponseStream<Item>) async throws -> Void
    ) async throws -> [String] {
        let ends = Ends()
        var configuration = SessionConfiguration()
        configuration.observers = [ends]
        let stub = StubTransport { _ in
            StubReply(fields: ["Content-Type": type], chunks: Array(repeating: Data(body.utf8), count: times))
        }
        let manager = SessionManager(
            baseURL: URL(string: "https://api.example.com"), transport: stub, configuration: configuration)
        try await read(try await manager.stream("items", of: Item.self))
        // Releasing a stream ends its call a little later.
        try await until { manager.tasks.isEmpty }
        await manager.finishObserving()
        return ends.ends.withLock(\.self)
    }

    @Test(
        "a body that cannot be read is a failure, wherever its fault is",
        arguments: [
            ("{\"id\":1}\n{\"id\":2}\n", "application/x-ndjson", "success"),
            ("{\"id\":1}\n{\"id\":2", "application/x-ndjson", "serialization"),
            ("{\"id\":1}\n{\"id\":\"2\"}\n", "application/x-ndjson", "serialization"),
            ("[{\"id\":1}, {\"id\" 2}]", "application/json", "serialization"),
            ("[{\"id\":1}", "application/json", "serialization"),
            ("id\n1\nx\n", "text/csv", "serialization"),
        ])
    func faults(_ body: String, _ type: String, _ end: String) async throws {
        for _ in 0..<20 {
            let thrown = Shared("success")
            let heard = try await ends(body, type: type) { stream in
                do throws(SessionError) { for try await _ in stream {} } catch {
                    thrown.withLock { $0 = "\(error.code)" }
                }
            }
            #expect(heard == ["\(end) 200"])
            #expect(thrown.withLock(\.self) == end)
        }
    }

    @Test("a loop that is left, and a stream that nobody reads, end well if the body is complete")
    func left() async throws {
        let body = "{\"id\":1}\n{\"id\":2}\n"
        let first = try await ends(body) { stream in
            try await until { stream.trailers != nil }
            for try await item in stream where item.id == 1 { break }
        }
        #expect(first == ["success 200"])
        #expect(try await ends(body) { stream in try await until { stream.trailers != nil } } == ["success 200"])
    }

    @Test("a loop that is left while the body arrives ends as cancelled")
    func leftEarly() async throws {
        // More than the bytes that may wait for the reader.
        let line = "{\"id\":1}\n" + String(repeating: "\n", count: 100_000)
        #expect(try await ends(line, times: 64) { stream in for try await _ in stream { break } } == ["cancelled 200"])
    }

    @Test("a cancelled reader is a failure, also if the body is complete")
    func cancelled() async throws {
        let heard = try await ends("{\"id\":1}\n") { stream in
            try await until { stream.trailers != nil }
            let reader = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                for try await _ in stream {}
            }
            await #expect(throws: SessionError.self) { try await reader.value }
        }
        #expect(heard == ["cancelled 200"])
    }
}
