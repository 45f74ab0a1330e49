import Foundation
import Glibc
import Patchbay

/// Streams from a socket to the loop that reads them.
struct StreamSocketRows {
    private let stopwatch: Stopwatch
    private let isQuick: Bool

    init(_ stopwatch: Stopwatch, isQuick: Bool) { (self.stopwatch, self.isQuick) = (stopwatch, isQuick) }

    func rows() async throws -> [Row] {
        try await [events(), singleEvents(), large(), asleep(), endless(), ends()].flatMap(\.self)
    }

    private struct Token: Decodable, Sendable {
        let id: Int
        let token: String
    }

    private static func event(_ id: Int) -> [UInt8] { Array("data: {\"id\":\(id),\"token\":\"t\(id)\"}\n\n".utf8) }

    private func events() async throws -> [Row] {
        let count = 200_000
        let body = (0..<count).flatMap(Self.event)
        let server = try LoopbackServer { connection in
            _ = connection.send(LoopbackServer.head("text/event-stream")) && connection.send(body)
        }
        return [
            try await rate("events of \(body.count / count) bytes through a socket into a Decodable", count, server)
        ]
    }

    /// As from a server that writes each event when it has it.
    private func singleEvents() async throws -> [Row] {
        let events = (0..<50_000).map(Self.event)
        let server = try LoopbackServer { connection in
            guard connection.send(LoopbackServer.head("text/event-stream")) else { return }
            for event in events where !connection.send(event) { return }
        }
        return [try await rate("the same, each written alone", events.count, server)]
    }

    private func rate(_ row: String, _ count: Int, _ server: LoopbackServer) async throws -> Row {
        let manager = SessionManager(baseURL: server.origin)
        let seconds = try await stopwatch.medians([
            { times in
                for _ in 0..<times {
                    var sum = 0
                    for try await token in try await manager.stream("", of: Token.self) { sum += token.id }
                    guard sum == count * (count - 1) / 2 else { throw WorkFailure("other events than were sent") }
                }
            }
        ])[0]
        let rate = Double(count) / seconds
        return Row(
            row: row, against: "the figure to reach", ratio: rate / 50_000, goal: 1, ours: rate, theirs: 50_000,
            unit: "events/s")
    }

    private func large() async throws -> [Row] {
        let mebibytes = isQuick ? 64 : 1_024
        let line = Array(#"{"id":123456,"token":"a line of some sixty bytes, newline and all"}"#.utf8) + [0x0A]
        let lines = Array(repeatElement(line, count: (1 << 20) / line.count).joined())
        let server = try LoopbackServer { connection in
            guard connection.send(LoopbackServer.head("application/x-ndjson")) else { return }
            for _ in 0..<mebibytes where !connection.send(lines) { return }
        }
        let manager = SessionManager(baseURL: server.origin)
        var count = 0
        let grown = try await grownMemory {
            for try await _ in try await manager.stream("", of: Token.self) { count += 1 }
        }
        guard count == mebibytes * (lines.count / line.count) else { throw WorkFailure("\(count) lines") }
        return [limit("\(mebibytes) MiB of NDJSON, resident memory above the baseline", grown, most: 32, "MiB")]
    }

    private func asleep() async throws -> [Row] {
        let seconds = isQuick ? 2 : 10
        // 10,000 events/s, of which more come than may wait.
        let events = (0..<100).flatMap { _ in
            Array("data: {\"id\":1,\"token\":\"\(String(repeating: "t", count: 170))\"}\n\n".utf8)
        }
        let server = try LoopbackServer { connection in
            guard connection.send(LoopbackServer.head("text/event-stream")) else { return }
            while connection.send(events) { usleep(10_000) }
        }
        let manager = SessionManager(baseURL: server.origin)
        let grown = try await grownMemory {
            var count = 0
            for try await _ in try await manager.stream("", of: Token.self) {
                try await Task.sleep(for: .milliseconds(500))
                count += 1
                if count == 2 * seconds { break }
            }
        }
        return [limit("a reader asleep under 10,000 events/s, memory above the baseline", grown, most: 4, "MiB")]
    }

    /// Bodies that never end, and were coded into next to nothing.
    private func endless() async throws -> [Row] {
        var (grown, slowest) = (0.0, 0.0)
        for body in EndlessBody.all {
            let closed = AsyncStream.makeStream(of: Double.self)
            let server = try LoopbackServer { connection in
                let bytes = Array(repeatElement(body.repeated, count: (16 << 10) / body.repeated.count + 1).joined())
                _ = connection.send(LoopbackServer.head(body.content.type, coding: body.coding) + body.start)
                while connection.send(bytes) {}
                closed.continuation.yield(Meter.time.seconds)
            }
            let manager = SessionManager(baseURL: server.origin)
            var left = 0.0
            grown = max(
                grown,
                try await grownMemory {
                    let reader = Task {
                        for try await _ in try await manager.stream("", of: JSON.self) {
                            throw WorkFailure("an element of \(body.content.rawValue)")
                        }
                    }
                    // One line that is too long ends by itself.
                    if body.content == .oneLine {
                        guard case .failure(let error as SessionError) = await reader.result,
                            error.code == .bodyTooLarge
                        else { throw WorkFailure("a line without an end was no error") }
                    } else {
                        try await Task.sleep(for: .milliseconds(isQuick ? 300 : 2_000))
                        left = Meter.time.seconds
                        reader.cancel()
                        _ = await reader.result
                    }
                })
            for await moment in closed.stream {
                if left > 0 { slowest = max(slowest, moment - left) }
                break
            }
        }
        return [
            limit("endless gzip, br and zstd of nothing, memory above the baseline", grown, most: 32, "MiB"),
            limit("the same, from cancelling until the server sees it", slowest * 1e3, most: 100, "ms"),
        ]
    }

    private func ends() async throws -> [Row] {
        let closed = AsyncStream.makeStream(of: Double.self)
        let server = try LoopbackServer { connection in
            _ = connection.send(LoopbackServer.head("text/event-stream") + Self.event(1))
            connection.waitForClose()
            closed.continuation.yield(Meter.time.seconds)
        }
        let manager = SessionManager(baseURL: server.origin)
        var arrivals = closed.stream.makeAsyncIterator()
        var rows: [Row] = []
        for (name, end) in [
            ("leaving the loop", leave), ("cancelling the task", cancel), ("dropping the stream", drop),
        ] {
            var slowest = 0.0
            for _ in 0..<100 {
                let left = try await end(manager)
                guard let moment = await arrivals.next() else { throw WorkFailure("the server is gone") }
                slowest = max(slowest, moment - left)
            }
            rows.append(limit("\(name), until the server sees it, the slowest of 100", slowest * 1e3, most: 100, "ms"))
        }
        return rows
    }

    // Each gives the moment from which on the exchange is to end.

    private func leave(_ manager: SessionManager) async throws -> Double {
        var left = 0.0
        for try await _ in try await manager.stream("", of: Token.self) {
            left = Meter.time.seconds
            break
        }
        return left
    }

    private func cancel(_ manager: SessionManager) async throws -> Double {
        let begun = AsyncStream.makeStream(of: Void.self)
        let reader = Task {
            for try await _ in try await manager.stream("", of: Token.self) { begun.continuation.yield() }
        }
        for await _ in begun.stream { break }
        // So that it waits for the next element.
        try await Task.sleep(for: .milliseconds(2))
        let left = Meter.time.seconds
        reader.cancel()
        _ = await reader.result
        return left
    }

    private func drop(_ manager: SessionManager) async throws -> Double {
        let stream = try await manager.stream("", of: Token.self)
        let left = Meter.time.seconds
        withExtendedLifetime(stream) {}
        return left
    }

    /// How many MiB the work takes at most.
    private func grownMemory(_ work: () async throws -> Void) async throws -> Double {
        ResidentMemory.forgetPeak()
        let before = ResidentMemory.now
        try await work()
        return Double(max(ResidentMemory.peak - before, 1 << 16)) / Double(1 << 20)
    }

    private func limit(_ row: String, _ ours: Double, most: Double, _ unit: String) -> Row {
        Row(row: row, against: "the limit", ratio: most / ours, goal: 1, ours: ours, theirs: most, unit: unit)
    }
}
