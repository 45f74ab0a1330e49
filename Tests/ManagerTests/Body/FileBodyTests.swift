import Dispatch
import Foundation
import PatchbayPlatform
import PatchbayRegistry
import PatchbayTesting
import TestSupport
import Testing

@testable import PatchbayManager

@Suite(.timeLimit(.minutes(5))) struct FileBodyTests {
    private let folder = TemporaryFolder()
    private let io = IOExecutor()
    private var url: URL { folder.url.appending(path: "x") }

    /// Waits for a signal that comes at once where the code is right; without one all goes on, and the test has failed.
    private static func wait(for gate: DispatchSemaphore) -> Bool {
        guard gate.wait(timeout: .now() + 120) == .timedOut else { return true }
        Issue.record("nobody let it through for two minutes")
        return false
    }

    /// Writes that are held back until they are let through, one by one or all, and counted.
    private final class HeldWrites: Sendable {
        let begun = Guarded(0)
        private let gate = DispatchSemaphore(value: 0)

        var calls: FileCalls {
            var calls = FileCalls.system
            calls.write = { file, bytes in
                self.begun.withLock { $0 += 1 }
                if !FileBodyTests.wait(for: self.gate) { self.open() }
                return FileCalls.system.write(file, bytes)
            }
            return calls
        }

        func let1Through() { gate.signal() }
        func open() { for _ in 0..<100_000 { gate.signal() } }
    }

    private func head(_ status: Int = 200, _ fields: HeaderFields = [:]) throws -> ResponseHead {
        let url = try #require(URL(string: "http://origin.test/file"))
        let asked: HeaderFields = status == 206 ? ["Range": "bytes=9-"] : [:]
        return ResponseHead(status: status, fields: fields, url: url, request: RequestHead(url: url, fields: asked))
    }

    private func prepared(_ sink: FileBody) async throws -> OutgoingRequest {
        let (manager, _) = try stubManager { _ in StubReply() }
        var written: WrittenContent?
        var request = try SessionRequest("file").outgoing(of: manager, manager.registry, nil, &written)
        request = try await sink.prepare(request)
        return request
    }

    private func append(_ text: String, to sink: FileBody) -> TransportFlow {
        Array(text.utf8).withUnsafeBytes { sink.append($0) }
    }

    /// Appends pieces, waiting where it is told to.
    private func append(_ bytes: [UInt8], by size: Int, to sink: FileBody) async throws -> Bool {
        for start in stride(from: 0, to: bytes.count, by: size) {
            let piece = bytes[start..<min(start + size, bytes.count)]
            offering: while true {
                switch piece.withUnsafeBytes({ sink.append($0) }) {
                case .proceed: break offering
                case .wait(let room): try await until { room.hasFired }
                case .stop: return false
                }
            }
        }
        return true
    }

    private static let limited = SessionError(.cancelled, "the call was cancelled")

    @Test("what is taken is in the file, in order, when it gets its name; not before")
    func file() async throws {
        let sink = FileBody(.file(url), isSerialized: false, calls: .system, on: io)
        _ = try await prepared(sink)
        #expect(!sink.hasBody)
        sink.open(try head())
        let bytes = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 8) }
        #expect(try await append(bytes, by: 16_381, to: sink))
        #expect(sink.heldUntil == nil)
        #expect(await sink.settle() == nil)
        #expect(folder.names == [try #require(sink.partURL).lastPathComponent])
        #expect(try await sink.contents().count == bytes.count)
        #expect(try await sink.finish() == url)
        #expect(folder.names == ["x"])
        #expect(try Data(contentsOf: url) == Data(bytes))
        #expect(sink.hasBody)
    }

    @Test("after a write that failed, the next attempt writes its bytes")
    func failedWrite() async throws {
        let writes = Shared(0)
        var calls = FileCalls.system
        calls.write = { file, bytes in
            let count = writes.withLock { count in
                count += 1
                return count
            }
            guard count == 1 else { return FileCalls.system.write(file, bytes) }
            errno = EIO
            return -1
        }
        let sink = FileBody(.file(url), isSerialized: false, calls: calls, on: io, limit: 100_000)
        _ = try await prepared(sink)
        sink.open(try head())
        _ = append("abc", to: sink)
        try await until { if case .stop = append("d", to: sink) { true } else { false } }
        _ = await sink.failed(Self.limited, unless: OneShot())
        _ = try await prepared(sink)
        sink.open(try head())
        let bytes = [UInt8](repeating: 0x62, count: 1_000_000)
        #expect(try await append(bytes, by: 16_381, to: sink))
        #expect(await sink.settle() == nil)
        #expect(try await sink.finish() == url)
        #expect(try Data(contentsOf: url).count == bytes.count)
    }

    @Test("while a write blocks, so much is taken; then the sender waits, until half of it is written; nothing is lost")
    func blockedWrite() async throws {
        let writes = HeldWrites()
        let piece = String(repeating: "a", count: 40_000)
        let sink = FileBody(.file(url), isSerialized: false, calls: writes.calls, on: io, limit: 400_000)
        sink.open(try head())
        for _ in 0..<10 { guard case .proceed = append(piece, to: sink) else { throw Full() } }
        #expect(sink.heldUntil == nil)
        guard case .wait(let room) = append("b" + piece.dropFirst(), to: sink) else { throw NotFull() }
        let waits = Moment.now
        try await until { writes.begun.withLock { $0 } == 1 }
        let rest = try #require(sink.heldUntil)
        #expect(rest >= waits)
        for count in 2...5 {
            writes.let1Through()
            try await until { writes.begun.withLock { $0 } == count }
            await settle()
            #expect(!room.hasFired)
        }
        writes.let1Through()
        try await until { room.hasFired }
        let wentOn = try #require(sink.heldUntil)
        #expect(wentOn >= rest)
        await settle()
        #expect(sink.heldUntil == wentOn)
        writes.open()
        #expect(try await append(Array(("b" + piece.dropFirst()).utf8), by: 2_000, to: sink))
        #expect(await sink.settle() == nil)
        _ = try await sink.finish()
        #expect(
            try String(contentsOf: url, encoding: .utf8) == String(repeating: piece, count: 10) + "b"
                + piece.dropFirst())
    }

    @Test("while the last bytes wait for the disk no byte is to move, and so the call is not idle")
    func idleDisk() async throws {
        let writes = HeldWrites()
        let sink = FileBody(.file(url), isSerialized: false, calls: writes.calls, on: io)
        sink.open(try head())
        guard case .proceed = append("abc", to: sink) else { throw Full() }
        #expect(sink.heldUntil == nil)
        async let failure = sink.settle()
        defer { writes.open() }
        try await until { sink.heldUntil != nil }
        let settling = Moment.now
        #expect(try #require(sink.heldUntil) >= settling)
        writes.open()
        #expect(await failure == nil)
        let settled = try #require(sink.heldUntil)
        #expect(settled >= settling)
        #expect(sink.heldUntil == settled)
    }

    private struct Full: Error {}
    private struct NotFull: Error {}

    @Test(
        "a piece that is larger than what may wait is taken where nothing waits, and small ones are written together")
    func sizes() async throws {
        let writes = HeldWrites()
        let sink = FileBody(.file(url), isSerialized: false, calls: writes.calls, on: io, limit: 64 << 10)
        sink.open(try head())
        guard case .proceed = append(String(repeating: "a", count: 100_000), to: sink) else { throw Full() }
        guard case .wait(let room) = append("a", to: sink) else { throw NotFull() }
        try await until { writes.begun.withLock { $0 } == 1 }
        writes.let1Through()
        try await until { room.hasFired }
        var taken = 0
        while case .proceed = append("a", to: sink) { taken += 1 }
        #expect(taken == 64 << 10)
        writes.open()
        #expect(await sink.settle() == nil)
        #expect(writes.begun.withLock { $0 } <= 4)
        _ = try await sink.finish()
        #expect(try Data(contentsOf: url).count == 100_000 + taken)
    }

    @Test("opening may block, and so may the closure that chooses the place: bytes are taken meanwhile")
    func blockedOpen() async throws {
        let gate = DispatchSemaphore(value: 0)
        var calls = FileCalls.system
        calls.create = { folder, name in
            _ = Self.wait(for: gate)
            return FileCalls.system.create(folder, name)
        }
        let place = DownloadDestination.chosen { [url] _ in
            _ = Self.wait(for: gate)
            return .file(url)
        }
        let sink = FileBody(place, isSerialized: false, calls: calls, on: io)
        sink.open(try head())
        guard case .proceed = append("abc", to: sink) else { throw Full() }
        await settle()
        #expect(folder.names == [])
        async let settled = sink.settle()
        gate.signal()
        gate.signal()
        #expect(await settled == nil)
        _ = try await sink.finish()
        #expect(try Data(contentsOf: url) == Data("abc".utf8))
    }

    /// What goes wrong, and the sentence for it.
    struct Fault: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let reason: String
        var destination: @Sendable (URL) -> DownloadDestination = { .file($0) }
        var spoil: @Sendable (inout FileCalls) -> Void = { _ in }

        static let all = [
            Fault(
                testDescription: "create", reason: "x cannot be written: No space left on device",
                spoil: { calls in
                    calls.create = { _, _ in
                        errno = ENOSPC
                        return -1
                    }
                }),
            Fault(
                testDescription: "write", reason: "x cannot be written: No space left on device",
                spoil: { calls in
                    calls.write = { _, _ in
                        errno = ENOSPC
                        return -1
                    }
                }),
            Fault(
                testDescription: "no folder", reason: "y cannot be written: No such file or directory",
                destination: { .file($0.appending(path: "y")) }),
            Fault(
                testDescription: "the choice",
                reason: "the destination cannot be written: choosing it failed with Full",
                destination: { _ in .chosen { _ in throw Full() } }),
        ]
    }

    @Test(
        "what cannot be opened or written ends the exchange at once, though no more comes; nothing is left",
        arguments: Fault.all)
    func failure(_ fault: Fault) async throws {
        var calls = FileCalls.system
        fault.spoil(&calls)
        let sink = FileBody(fault.destination(url), isSerialized: false, calls: calls, on: io)
        _ = try await prepared(sink)
        let stopped = OneShot()
        sink.open(try head(), stop: stopped)
        _ = append("abc", to: sink)
        try await until { stopped.hasFired }
        guard case .stop = append("def", to: sink) else { throw NotFull() }
        let error = try #require(await sink.settle())
        #expect(error.code == .file)
        #expect(error.description == fault.reason)
        #expect(await sink.failed(error).resumption == nil)
        #expect(folder.names == [])
    }

    @Test("a sender that waits for a write that fails is told to stop")
    func failureWhileWaiting() async throws {
        let gate = DispatchSemaphore(value: 0)
        var calls = FileCalls.system
        calls.write = { _, _ in
            _ = Self.wait(for: gate)
            errno = EIO
            return -1
        }
        let sink = FileBody(.file(url), isSerialized: false, calls: calls, on: io, limit: 5)
        let stopped = OneShot()
        sink.open(try head(), stop: stopped)
        guard case .proceed = append("abc", to: sink), case .wait(let room) = append("def", to: sink) else {
            throw Full()
        }
        gate.signal()
        try await until { room.hasFired }
        try await until { stopped.hasFired }
        guard case .stop = append("def", to: sink) else { throw NotFull() }
        #expect(await sink.failed(try #require(await sink.settle())).code == .file)
        #expect(folder.names == [])
    }

    @Test("what waits when a try fails is written where the part is kept, and only there", arguments: [true, false])
    func failedWithBytesWaiting(isKept: Bool) async throws {
        let writes = HeldWrites()
        let place = DownloadDestination.file(url)
        let sink = FileBody(
            isKept ? place.resumable() : place, isSerialized: false, calls: writes.calls, on: io)
        _ = try await prepared(sink)
        sink.open(try head(200, ["ETag": "\"v1\"", "Content-Length": "12"]))
        for text in ["abc", "def", "ghi"] { guard case .proceed = append(text, to: sink) else { throw Full() } }
        try await until { writes.begun.withLock { $0 } == 1 }
        let failed = Guarded<SessionError?>(nil)
        Task {
            let error = await sink.failed(Self.limited)
            failed.withLock { $0 = error }
        }
        await settle()
        writes.let1Through()
        if isKept { writes.open() }
        defer { writes.open() }
        try await until { failed.withLock { $0 } != nil }
        let error = try #require(failed.withLock { $0 })
        // The one that was under way has all that was there when it began.
        guard isKept else {
            #expect(error.resumption == nil)
            #expect(folder.names == [])
            return
        }
        let resumption = try #require(error.resumption)
        #expect(try String(contentsOf: resumption.part, encoding: .utf8) == "abcdefghi")
        #expect(folder.names == [resumption.part.lastPathComponent])
        // The next try of the same call asks for the rest.
        let request = try await prepared(sink)
        #expect(request.fields["Range"] == "bytes=9-")
        sink.open(try head(206, ["ETag": "\"v1\"", "Content-Range": "bytes 9-11/12"]))
        guard case .proceed = append("jk", to: sink) else { throw Full() }
        // The last byte is missing, which is an error unless the exchange has failed anyway.
        #expect(await sink.settle(unless: OneShot(), isComplete: false) == nil)
        #expect(await sink.settle()?.cause as? TransportFailure == .cutRange)
        #expect(await sink.failed(Self.limited).resumption?.bytes == 11)
    }

    @Test("many files at once, with little room each, are whole", arguments: [1, 3])
    func sideBySide(_ threads: Int) async throws {
        let io = IOExecutor(maximumThreads: threads)
        try await withThrowingTaskGroup { group in
            for number in 0..<24 {
                group.addTask { [folder] in
                    let url = folder.url.appending(path: "\(number)")
                    let sink = FileBody(.file(url), isSerialized: false, calls: .system, on: io, limit: 10_000)
                    let bytes = (0..<300_000).map { UInt8(truncatingIfNeeded: ($0 &+ number) &* 31 >> 8) }
                    sink.open(try head())
                    #expect(try await append(bytes, by: 999 + number, to: sink))
                    #expect(await sink.settle() == nil)
                    _ = try await sink.finish()
                    #expect(try Data(contentsOf: url) == Data(bytes))
                }
            }
            try await group.waitForAll()
        }
    }
}

/// The same for a call that does not end.
extension FileBody {
    private struct Left: Error {}

    fileprivate func prepare(_ outgoing: OutgoingRequest) async throws -> OutgoingRequest {
        guard let request = try await prepare(outgoing, unless: OneShot()) else { throw Left() }
        return request
    }

    fileprivate func open(_ head: ResponseHead, stop: OneShot = OneShot()) {
        open(head, .judge(head, resumption), stop: stop)
    }

    fileprivate func settle() async -> SessionError? { await settle(unless: OneShot(), isComplete: true) }

    fileprivate func contents() async throws -> ResponseBody {
        guard let contents = try await contents(unless: OneShot()) else { throw Left() }
        return contents
    }

    fileprivate func finish() async throws -> URL {
        guard let file = try await finish(unless: OneShot()) else { throw Left() }
        return file
    }

    fileprivate func failed(_ failure: SessionError) async -> SessionError {
        await failed(failure, unless: OneShot()).error
    }
}
