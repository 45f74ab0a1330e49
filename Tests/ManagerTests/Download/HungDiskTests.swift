import Foundation
import PatchbayPlatform
import PatchbayRegistry
import PatchbayTesting
import TestSupport
import Testing

@testable import PatchbayManager

@Suite("A call ends though its disk hangs", .timeLimit(.minutes(5)))
struct HungDiskTests {
    /// Where the disk does not answer.
    struct Place: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var hang: @Sendable (inout FileCalls, HungCall) -> Void = { _, _ in }
        var destination: @Sendable (URL, HungCall) -> DownloadDestination = { url, _ in .file(url) }
        var isTyped = false
        /// Whether the call had failed before the disk hung.
        var hasFailed = false

        private static let hangingWrite: @Sendable (inout FileCalls, HungCall) -> Void = { calls, hung in
            calls.write = { file, bytes in
                hung.wait()
                return FileCalls.system.write(file, bytes)
            }
        }

        private static let hangingSync: @Sendable (inout FileCalls, HungCall) -> Void = { calls, hung in
            calls.sync = { file in
                hung.wait()
                return FileCalls.system.sync(file)
            }
        }

        private static let hangingRemoval: @Sendable (inout FileCalls, HungCall) -> Void = { calls, hung in
            calls.write = { _, _ in
                errno = EIO
                return -1
            }
            calls.remove = { folder, name in
                hung.wait()
                return FileCalls.system.remove(folder, name)
            }
        }

        static let all = [
            Place(
                testDescription: "the choice of the place",
                destination: { url, hung in
                    .chosen { _ in
                        hung.wait()
                        return .file(url)
                    }
                }),
            Place(testDescription: "open") { calls, hung in
                calls.create = { folder, name in
                    hung.wait()
                    return FileCalls.system.create(folder, name)
                }
            },
            Place(testDescription: "lock") { calls, hung in
                calls.lock = { file in
                    hung.wait()
                    return FileCalls.system.lock(file)
                }
            },
            Place(testDescription: "write", hang: hangingWrite),
            Place(
                testDescription: "write of a part that would be kept", hang: hangingWrite,
                destination: { url, _ in .file(url).resumable() }),
            Place(testDescription: "fsync", hang: hangingSync),
            Place(
                testDescription: "fsync of a part that would be kept", hang: hangingSync,
                destination: { url, _ in .file(url).resumable() }),
            Place(testDescription: "link") { calls, hung in
                calls.link = { file, folder, name in
                    if name == "x" { hung.wait() }
                    return FileCalls.system.link(file, folder, name)
                }
            },
            Place(testDescription: "link that has been made") { calls, hung in
                calls.link = { file, folder, name in
                    let made = FileCalls.system.link(file, folder, name)
                    if name == "x" { hung.wait() }
                    return made
                }
            },
            Place(testDescription: "rename to a free name") { calls, hung in
                calls.link = { _, _, _ in
                    errno = EPERM
                    return -1
                }
                calls.renameToFree = { folder, from, to in
                    if to == "x" { hung.wait() }
                    return FileCalls.system.renameToFree(folder, from, to)
                }
            },
            Place(
                testDescription: "read",
                hang: { calls, hung in
                    calls.read = { file, bytes, offset in
                        hung.wait()
                        return FileCalls.system.read(file, bytes, offset)
                    }
                }, isTyped: true),
            Place(
                testDescription: "removal of what a call that failed has written", hang: hangingRemoval,
                destination: { url, _ in .file(url).replacingFile() }, hasFailed: true),
        ]
    }

    enum End: CaseIterable {
        case cancel, taskCancellation, totalTimeout

        func act(_ manager: SessionManager, _ cancelTask: () -> Void) {
            switch self {
            case .cancel: manager.cancelAll()
            case .taskCancellation: cancelTask()
            // By its clock: one that runs may run out before the disk hangs.
            case .totalTimeout: manager.taskList.check(at: .now + .seconds(7_200))
            }
        }
    }

    private static let body = StubReply(
        fields: ["Content-Type": "application/json", "ETag": "\"v1\"", "Content-Length": "3"], body: "[1]")

    /// A manager whose disk hangs, and what hangs.
    private func manager(
        first limit: Int = 1, _ hang: (inout FileCalls, HungCall) -> Void
    ) throws -> (SessionManager, HungCall) {
        let hung = HungCall(first: limit)
        var configuration = SessionConfiguration()
        hang(&configuration.fileCalls, hung)
        return (try stubManager(configuration: configuration) { _ in Self.body }.0, hung)
    }

    @Test(
        "an end of the call ends it, wherever the disk hangs, and when it answers nothing is left",
        arguments: Place.all, End.allCases)
    func ended(_ place: Place, by end: End) async throws {
        let folder = TemporaryFolder()
        let (manager, hung) = try manager { place.hang(&$0, $1) }
        var request = SessionRequest("file")
        if end == .totalTimeout { request.totalTimeout = .seconds(3_600) }
        let destination = place.destination(folder.url.appending(path: "x"), hung)
        let call = Task { [request] in
            do throws(SessionError) {
                if place.isTyped {
                    _ = try await manager.savedValue(of: request, to: destination, as: [Int].self)
                } else {
                    _ = try await manager.download(request, to: destination)
                }
                return SessionError?.none
            } catch {
                return error
            }
        }
        try await until { hung.made == 1 }
        end.act(manager) { call.cancel() }
        let error = try #require(await call.value)
        #expect(hung.count == 1 && !hung.isExpired)
        switch end {
        case .cancel, .taskCancellation: #expect(error.code == .cancelled)
        case .totalTimeout: #expect(error.code == (place.hasFailed ? .file : .totalTimeout))
        }
        #expect(error.resumption == nil)
        #expect(manager.tasks.isEmpty)
        hung.end()
        try await until { folder.isUntouched }
    }

    private static let hangingWrite: @Sendable (inout FileCalls, HungCall) -> Void = { calls, hung in
        calls.write = { file, bytes in
            hung.wait()
            return FileCalls.system.write(file, bytes)
        }
    }

    private static let refused =
        "cannot be written: all 8 threads for files wait for system calls that do not return"

    private func download(_ manager: SessionManager, to url: URL) -> Task<SessionError?, Never> {
        Task {
            do throws(SessionError) {
                _ = try await manager.download(SessionRequest("file"), to: .file(url))
                return nil
            } catch {
                return error
            }
        }
    }

    @Test("while all threads for files hang new file work fails at once, and goes on when one of them returns")
    func allHang() async throws {
        let folder = TemporaryFolder()
        let (manager, hung) = try manager(first: 8, Self.hangingWrite)
        let calls = (0..<8).map { download(manager, to: folder.url.appending(path: "\($0)")) }
        try await until { hung.made == 8 }
        manager.cancelAll()
        for call in calls { #expect(await call.value?.code == .cancelled) }
        try await until { manager.io.isExhausted }
        // No request is sent for a file that cannot be written.
        let ninth = await download(manager, to: folder.url.appending(path: "ninth")).value
        #expect(ninth?.code == .file)
        #expect(ninth?.description == "ninth \(Self.refused)")
        let upload = await #expect(throws: SessionError.self) {
            try await manager.send(SessionRequest("up", method: "POST", content: .file(URL(filePath: #filePath))))
        }
        #expect(
            upload?.description.contains("all 8 threads for files wait for system calls that do not return") == true)
        // What has no files goes on.
        #expect(try await manager.get("a", as: [Int].self) == [1])
        #expect(hung.count == 8 && !hung.isExpired)
        hung.end()
        try await until { !manager.io.isExhausted }
        #expect(await download(manager, to: folder.url.appending(path: "tenth")).value == nil)
        #expect(folder.names.contains("tenth"))
        hung.end(7)
        try await until { folder.names == ["tenth"] }
    }

    @Test("what waits for a thread when the last of them is given up fails, and does not wait for ever")
    func waitingBehind() async throws {
        let folder = TemporaryFolder()
        let (manager, hung) = try manager(first: 8, Self.hangingWrite)
        let calls = (0..<8).map { download(manager, to: folder.url.appending(path: "\($0)")) }
        try await until { hung.made == 8 }
        let hanging = manager.tasks
        let waiting = (0..<3).map { download(manager, to: folder.url.appending(path: "w\($0)")) }
        try await until { manager.tasks.count == 11 }
        await settle()
        for task in hanging { task.cancel() }
        for call in calls { #expect(await call.value?.code == .cancelled) }
        for (number, call) in waiting.enumerated() {
            #expect(await call.value?.description == "w\(number) \(Self.refused)")
        }
        #expect(hung.count == 8 && !hung.isExpired)
        hung.end(8)
        try await until { folder.isUntouched }
    }

    @Test("a manager is let go of while its disk hangs")
    func letGo() async throws {
        let folder = TemporaryFolder()
        var (kept, hung): (SessionManager?, HungCall) = try manager(Self.hangingWrite)
        weak let manager = kept
        if let manager = kept {
            let call = download(manager, to: folder.url.appending(path: "x"))
            try await until { hung.made == 1 }
            manager.invalidate(cancellingTasks: true)
            #expect(await call.value?.code == .cancelled)
        }
        kept = nil
        try await until { manager == nil }
        #expect(hung.count == 1 && !hung.isExpired)
        hung.end()
        try await until { folder.isUntouched }
    }

    @Test("a file that got its name too late takes it back, but where the file that it replaced is gone")
    func lateName() async throws {
        let folder = TemporaryFolder()
        try folder.make(.file, "x")
        let (manager, hung) = try manager { calls, hung in
            calls.rename = { folder, from, to in
                hung.wait()
                return FileCalls.system.rename(folder, from, to)
            }
        }
        let url = folder.url.appending(path: "x")
        let call = Task {
            try await manager.download(SessionRequest("file"), to: .file(url).replacingFile())
        }
        try await until { hung.made == 1 }
        manager.cancelAll()
        let error = await #expect(throws: SessionError.self) { try await call.value }
        #expect(error?.code == .cancelled)
        #expect(try Data(contentsOf: url) == Data("old".utf8))
        hung.end()
        try await until { folder.openFiles ?? [] == [] && folder.names == ["x"] }
        #expect(try Data(contentsOf: url) == Data("[1]".utf8))
    }

    @Test("a call whose disk hangs is not tried again")
    func noRetry() async throws {
        let folder = TemporaryFolder()
        let hung = HungCall()
        let asked = Guarded(0)
        var configuration = SessionConfiguration()
        Self.hangingWrite(&configuration.fileCalls, hung)
        configuration.interceptors = [
            MadeInterceptor(retry: { _, _ in
                asked.withLock { $0 += 1 }
                return .retry
            })
        ]
        configuration.idleTimeout = .seconds(3_600)
        let transport = SilentTransport()
        let manager = SessionManager(
            baseURL: URL(string: "http://origin.test/"), registry: try TestRegistry.make(), transport: transport,
            configuration: configuration)
        let call = download(manager, to: folder.url.appending(path: "x"))
        try await until { hung.made == 1 }
        manager.taskList.check(at: .now + .seconds(7_200))
        let error = try #require(await call.value)
        #expect(error.code == .idleTimeout)
        #expect(asked.withLock { $0 } == 0)
        #expect(hung.count == 1 && !hung.isExpired)
        hung.end()
        try await until { folder.isUntouched }
    }

    /// Gives a head and one byte, and then nothing until it is stopped.
    private struct SilentTransport: Transport {
        func perform(
            _ request: TransportRequest, for receiver: some ExchangeReceiver
        ) async throws(TransportFailure) -> ExchangeTimings {
            _ = receiver.receive(status: 200, fields: ["Content-Length": "2"])
            _ = [UInt8(1)].withUnsafeBytes { receiver.receive($0) }
            await receiver.stop.fired()
            throw TransportFailure(.stopped, "the exchange was stopped")
        }
    }

    @Test("a part that is gone on with and cannot be opened ends with its call", arguments: End.allCases)
    func resuming(_ end: End) async throws {
        let origin = ResumableOrigin(RangedFile(bytes: 3_000), cuts: [1_000])
        let (_, resumption) = try await origin.begin()
        let hung = HungCall()
        var configuration = SessionConfiguration()
        configuration.fileCalls.open = { folder, name in
            hung.wait()
            return FileCalls.system.open(folder, name)
        }
        var request = SessionRequest("file")
        if end == .totalTimeout { request.totalTimeout = .seconds(3_600) }
        let manager = try origin.manager(configuration: configuration)
        let call = Task { [request] in try await manager.download(request, to: .rest(of: resumption)) }
        try await until { hung.made == 1 }
        end.act(manager) { call.cancel() }
        let error = await #expect(throws: SessionError.self) { try await call.value }
        #expect(error?.code == (end == .totalTimeout ? .totalTimeout : .cancelled))
        #expect(hung.count == 1 && !hung.isExpired)
        hung.end()
        // What the call did not touch is as good as it was.
        try await until { (try? FileManager.default.attributesOfItem(atPath: resumption.part.path)) != nil }
        var reply: Reply<URL>?
        for _ in 0..<10_000 where reply == nil {
            reply = try? await origin.manager().download(SessionRequest("file"), to: .rest(of: resumption))
        }
        #expect(try Data(contentsOf: try #require(reply).value) == origin.body)
    }

    @Test("content that blocks while it is made or read ends with its call", arguments: [true, false], End.allCases)
    func content(whileMade: Bool, by end: End) async throws {
        let hung = HungCall()
        let (manager, _) = try stubManager { _ in Self.body }
        let content = RequestContent(
            "text/plain",
            making: {
                if whileMade { hung.wait() }
                return .source(HungSource(hung))
            })
        var request = SessionRequest("up", method: "PUT", content: content)
        if end == .totalTimeout { request.totalTimeout = .seconds(3_600) }
        let call = Task { [request] in try await manager.send(request) }
        try await until { hung.made == 1 }
        end.act(manager) { call.cancel() }
        let error = await #expect(throws: SessionError.self) { try await call.value }
        #expect(error?.code == (end == .totalTimeout ? .totalTimeout : .cancelled))
        #expect(hung.count == 1 && !hung.isExpired)
        hung.end()
    }

    private final class HungSource: RequestBodySource {
        let length: Int64? = nil
        private let hung: HungCall

        init(_ hung: HungCall) { self.hung = hung }

        func read(into buffer: UnsafeMutableRawBufferPointer) -> RequestBodyPiece {
            hung.wait()
            return .end()
        }

        func rewind() {}
    }

    @Test("sources that hang behind their calls stop all file work, with a sentence, until one of them returns")
    func hungSources() async throws {
        let folder = TemporaryFolder()
        let hung = HungCall(first: 8)
        let (manager, _) = try stubManager { _ in Self.body }
        let content = RequestContent("text/plain", making: { .source(HungSource(hung)) })
        let calls = (0..<8).map { _ in
            Task { try await manager.send(SessionRequest("up", method: "POST", content: content)) }
        }
        try await until { hung.made == 8 }
        manager.cancelAll()
        for call in calls { await #expect(throws: SessionError.self) { try await call.value } }
        try await until { manager.io.isExhausted }
        #expect(await download(manager, to: folder.url.appending(path: "x")).value?.description == "x \(Self.refused)")
        #expect(hung.count == 8 && !hung.isExpired)
        hung.end(8)
        try await until { !manager.io.isExhausted }
        #expect(await download(manager, to: folder.url.appending(path: "x")).value == nil)
    }
}
