import Foundation
import PatchbayJSON
import PatchbayPlatform
import PatchbayRegistry
import PatchbayTesting
import TestSupport
import Testing

@testable import PatchbayManager

@Suite("The log of the traffic", .timeLimit(.minutes(5))) struct TrafficLogTests {
    @Test("each call leaves a line for its decision", arguments: values + failures)
    func rows(_ row: Row) async throws {
        let fixture = TrafficFixture()
        let manager = try fixture.manager { _ in row.reply }
        do { try await row.call(manager) } catch { #expect(error is SessionError) }
        try await until { manager.tasks.isEmpty }
        await fixture.log.flush()
        guard !row.lines.isEmpty else { return #expect(fixture.folder.names == []) }
        let lines = try await fixture.lines()
        #expect(lines.map(\.settled.description) == row.lines)
        for line in lines {
            #expect(line.object?.first?.key == "patchbay")
            #expect(line["digest"]?.string == manager.registry.digest)
            let time = try #require(line["time"]?.string)
            #expect(time.wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/) != nil)
            #expect(try #require(line["exchange"]?.double) >= 0)
            let isMade = line["outcome"] != "error" && line["entry"] != "sentences"
            #expect((line["decoding"] != nil) == isMade)
        }
    }

    @Test("an attempt that is retried after a response has a line, and one without a response has none")
    func retries() async throws {
        let fixture = TrafficFixture()
        let (count, decodings) = (Shared(0), Shared<[Duration]>([]))
        let policy = MadeInterceptor(retry: { _, error in
            if error.head != nil, let times = error.timeline {
                decodings.withLock { $0.append(times.serialized - times.body) }
            }
            try? await Task.sleep(for: .milliseconds(20))
            return error.retries < 3 ? .retry : .doNotRetry
        })
        let manager = try fixture.manager(SessionConfiguration(interceptors: [policy])) { _ in
            let number = count.withLock { count in
                count += 1
                return count
            }
            switch number {
            case 1: return .json("{}", status: 503)
            case 2: throw TransportFailure(.lostConnection, "the connection was lost")
            case 3: return .json("{")
            default: return .json("1")
            }
        }
        #expect(try await manager.get("a", as: Int.self) == 1)
        let lines = try await fixture.lines()
        #expect(lines.map { $0["status"]?.int } == [503, 200, 200])
        #expect(lines.map { $0["error"]?.string } == ["status", "serialization", nil])
        #expect(lines.map { $0["retries"]?.int } == [nil, 2, 3])
        #expect(Set(lines.map { $0["time"]?.string }).count == 1)
        // The pause before the retry is not in the decoding.
        let milliseconds = decodings.withLock { $0.map { (Double($0.waitableNanoseconds) / 1_000).rounded() / 1_000 } }
        #expect(lines[0]["decoding"]?.double == milliseconds.first)
    }

    @Test("a redirect has no line; the last URL has one")
    func redirects() async throws {
        let fixture = TrafficFixture()
        let manager = try fixture.manager { request in
            request.head.url.path == "/b" ? .json("1") : .redirect(303, to: "/b?token=hush#part")
        }
        try await manager.post("a", body: "x")
        let lines = try await fixture.lines()
        #expect(lines.map { $0["url"]?.string } == ["http://origin.test/b"])
        #expect(lines.map { $0["method"]?.string } == ["GET"])
        #expect(lines[0]["written"] == nil)
    }

    @Test("each connection of a stream that goes on has a line")
    func connections() async throws {
        let fixture = TrafficFixture()
        let count = Shared(0)
        var configuration = SessionConfiguration()
        configuration.sleep = { _ in }
        let manager = try fixture.manager(configuration) { _ in
            let number = count.withLock { count in
                count += 1
                return count
            }
            guard number < 3 else { return StubReply(status: 204) }
            return StubReply(
                fields: ["Content-Type": "text/notes"], chunks: [Data("\(number)=One.".utf8)],
                failure: number == 1 ? nil : TransportFailure(.lostConnection, "lost"))
        }
        for try await _ in try await manager.stream("a", of: StreamFixture.Sentence.self, reconnecting: .standard) {}
        try await until { manager.tasks.isEmpty }
        let lines = try await fixture.lines()
        #expect(lines.map { $0["status"]?.int } == [200, 200, 204])
        #expect(lines.map { $0["error"]?.string } == [nil, "transport", nil])
        #expect(lines.map { $0["bytes"]?.int } == [6, 6, 0])
        #expect(lines.map { $0["entry"]?.string }.prefix(2) == ["notes", nil])
    }

    @Test("each log of a manager has all lines")
    func several() async throws {
        let folder = TemporaryFolder()
        let files = (0..<3).map { folder.url.appending(path: "\($0)") }
        let (manager, _) = try stubManager(
            configuration: SessionConfiguration(observers: files.map { TrafficLog(to: $0) })
        ) { _ in .json("1") }
        for page in ["a", "b"] { _ = try await manager.get(page, as: Int.self) }
        await manager.finishObserving()
        let logs = try files.map { try String(contentsOf: $0, encoding: .utf8) }
        #expect(Set(logs).count == 1)
        #expect(logs.first?.split(separator: "\n").count == 2)
    }

    @Test("the description has the reason while the file cannot be written, and no longer than that")
    func trouble() async throws {
        let folder = TemporaryFolder()
        let (missing, link) = (folder.url.appending(path: "missing/log"), folder.url.appending(path: "link"))
        try FileManager.default.createSymbolicLink(at: link, withDestinationURL: folder.url.appending(path: "file"))
        let logs = [missing, link, folder.url].map { TrafficLog(to: $0, maximumBytes: 1_000) }
        let (manager, _) = try stubManager(configuration: SessionConfiguration(observers: logs)) { _ in .json("1") }
        func told() async throws -> [String] {
            _ = try await manager.get("a", as: Int.self)
            await manager.finishObserving()
            return logs.map { "\($0)".replacing("\(folder.url.lastPathComponent)", with: "folder") }
        }
        let names = ["log", "link", "folder"].map { "file \($0), at most 1,000 bytes" }
        let reasons = [ENOENT, ELOOP, EISDIR].map { ", it cannot be written: \(SystemError.words($0))" }
        #expect(logs[0].description == names[0])
        #expect(try await told() == zip(names, reasons).map { $0 + $1 })
        try FileManager.default.createDirectory(
            at: missing.deletingLastPathComponent(), withIntermediateDirectories: false)
        #expect(try await told()[0] == names[0])
    }

    @Test("a call that is cancelled after the head has a line, and one before it has none")
    func cancelled() async throws {
        let fixture = TrafficFixture()
        let box = Shared<SessionManager?>(nil)
        let manager = SessionManager(
            baseURL: URL(string: "http://origin.test/"), registry: try TestRegistry.make(),
            transport: PlayedTransport { _, request, receiver throws(TransportFailure) in
                if request.head.url.path == "/b" {
                    _ = receiver.receive(status: 200, fields: ["Content-Type": "application/json"])
                }
                box.withLock { $0 }?.cancelAll()
                throw TransportFailure(.stopped, "the exchange was stopped")
            }, configuration: SessionConfiguration(observers: [fixture.log]))
        box.withLock { $0 = manager }
        defer { box.withLock { $0 = nil } }
        for path in ["a", "b"] {
            await #expect(throws: SessionError.self) { try await manager.get(path, as: Int.self) }
        }
        let lines = try await fixture.lines()
        #expect(lines.map { $0["url"]?.string } == ["http://origin.test/b"])
        #expect(lines.map { $0["error"]?.string } == ["cancelled"])
        #expect(lines[0]["entry"] == nil)
    }

    @Test("a stored response has `cache`, also one that was validated")
    func cache() async throws {
        let fixture = TrafficFixture()
        let manager = try fixture.manager(SessionConfiguration(cache: .memory(bytes: 1 << 20))) { request in
            if request.head.fields["If-None-Match"] != nil { return StubReply(status: 304) }
            let age = request.head.url.path == "/a" ? 600 : 0
            return StubReply(
                fields: ["Content-Type": "application/json", "ETag": "\"1\"", "Cache-Control": "max-age=\(age)"],
                body: "1")
        }
        for path in ["a", "a", "b", "b"] { _ = try await manager.get(path, as: Int.self) }
        let lines = try await fixture.lines()
        #expect(lines.map { $0["cache"]?.string } == [nil, "hit", nil, "hit"])
        #expect(lines.map { $0["bytes"]?.int } == [1, 1, 1, 1])
        #expect(lines.map { $0["status"]?.int } == [200, 200, 200, 200])
    }

    @Test("the entries that declined or failed before the entry are named in their order")
    func asked() async throws {
        let fixture = TrafficFixture()
        let registry = try TestRegistry.make(
            """
            [{ "id": "first", "factory": "words", "match": { "types": ["a/b"] }, "onFailure": "next" },
             { "id": "other", "factory": "words", "match": { "types": ["x/y"] } },
             { "id": "second", "factory": "json", "match": { "types": ["a/b"] }, "onFailure": "next" },
             { "id": "third", "factory": "json", "match": { "types": ["a/b"] } }]
            """)
        let (manager, _) = try stubManager(registry, configuration: SessionConfiguration(observers: [fixture.log])) {
            StubReply(fields: ["Content-Type": "a/b"], body: $0.head.url.path == "/a" ? #"["!"]"# : "!")
        }
        _ = try await manager.send("a")
        await #expect(throws: SessionError.self) { try await manager.send("b") }
        let lines = try await fixture.lines()
        #expect(lines.map { $0["entry"]?.string } == ["second", "third"])
        #expect(lines.map { $0["asked"] } == [["first"], ["first", "second"]])
    }

    @Test("a log can be named by two managers, beside other observers, and needs no event of theirs")
    func managers() async throws {
        let fixture = TrafficFixture()
        let others = EventLog()
        let first = try fixture.manager(SessionConfiguration(observers: [others])) { _ in .json("1") }
        let second = try fixture.manager { _ in .json("2") }
        _ = try await (first.get("a", as: Int.self), second.get("b", as: Int.self))
        await first.finishObserving()
        await second.finishObserving()
        #expect(others.lines(of: 1).last == "finished 1")
        let lines = try TrafficFixture.lines(fixture.url)
        #expect(lines.map { $0["url"]?.string } == ["http://origin.test/a", "http://origin.test/b"])
    }

    @Test("what waits is written when the log is let go of")
    func released() async throws {
        let folder = TemporaryFolder()
        let url = folder.url.appending(path: "log")
        do {
            let (manager, _) = try stubManager(
                configuration: SessionConfiguration(observers: [TrafficLog(to: url)])
            ) { _ in .json("1") }
            _ = try await manager.get("a", as: Int.self)
        }
        try await until { (try? TrafficFixture.lines(url).count) == 1 }
        #expect(folder.mode(of: "log") == 0o600)
    }

    @Test("10,000 calls at once, and a queue of 100: what is written and what is dropped are all")
    func dropped() async throws {
        let fixture = TrafficFixture(maximumBytes: 64 << 20, mostWaiting: 100)
        let manager = try fixture.manager { _ in .json("1") }
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<100 {
                group.addTask { for _ in 0..<100 { _ = try? await manager.get("a", as: Int.self) } }
            }
        }
        let counts = TrafficFixture.counts(try await fixture.lines())
        #expect(counts.written + counts.dropped == 10_000)
        #expect(counts.dropped > 0)
    }
}
