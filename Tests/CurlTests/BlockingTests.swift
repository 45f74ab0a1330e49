import Dispatch
import Foundation
import Patchbay
import PatchbayCurl
import PatchbayMigration
import PatchbayPlatform
import PatchbayRegistry
import TestSupport
import Testing

@testable import PatchbayManager

@Suite("What blocks holds up one call and no other", .timeLimit(.minutes(5)))
struct BlockingTests {
    /// Something that does not return before it is let go on.
    private final class Block: Sendable {
        private let gate = DispatchSemaphore(value: 0)
        private let state = Guarded((isReached: false, isOpen: false))

        var isReached: Bool { state.withLock(\.isReached) }
        var isOpen: Bool { state.withLock(\.isOpen) }

        func wait() {
            let isOpen = state.withLock { state in
                state.isReached = true
                return state.isOpen
            }
            guard !isOpen else { return }
            gate.wait()
            gate.signal()
        }

        func open() {
            state.withLock { $0.isOpen = true }
            gate.signal()
        }
    }

    /// Gives 4 MiB, and blocks before the second of them.
    private final class BlockingSource: RequestBodySource {
        let length: Int64? = 4 << 20
        private let block: Block
        private let given = Guarded(0)

        init(_ block: Block) { self.block = block }

        func read(into buffer: UnsafeMutableRawBufferPointer) -> RequestBodyPiece {
            let first = given.withLock { $0 }
            if first >= 1 << 20 { block.wait() }
            let count = min(buffer.count, 4 << 20 - first)
            for index in 0..<count { buffer[index] = UInt8(truncatingIfNeeded: (first + index) >> 10) }
            given.withLock { $0 = first + count }
            return count > 0 ? .bytes(count) : .end()
        }

        func rewind() { given.withLock { $0 = 0 } }
    }

    enum Place: CaseIterable { case write, create, choice, source, redirect }

    private static let mebibytes = 40
    private static func piece(_ number: Int) -> [UInt8] { [UInt8](repeating: UInt8(number), count: 1 << 20) }

    /// Gives a body of numbered mebibytes to whoever asks for it, and to others a small one, or as many bytes as were sent.
    private static func server() throws -> RawServer {
        try RawServer { request in
            if request.target == "/moved" { return .response(status: 302, ["Location": "/large"]) }
            guard request.target == "/large" else {
                return .response(
                    ["Content-Type": "text/plain"], body: request.body.isEmpty ? "small" : "\(request.body.count)")
            }
            let head = "HTTP/1.1 200 OK\r\nContent-Length: \(mebibytes << 20)\r\n\r\n"
            return RawReply([.send(Array(head.utf8))] + (0..<mebibytes).map { .send(piece($0)) })
        }
    }

    @Test(
        "a write, an open, a choice of place, a read and a redirect handler that block hold up their call; 1,000 others pass",
        arguments: Place.allCases)
    func blocked(_ place: Place) async throws {
        let block = Block()
        // What fails here must not hang.
        let guardian = Task {
            try await Task.sleep(for: .seconds(90))
            block.open()
        }
        defer { guardian.cancel() }
        let folder = FileManager.default.temporaryDirectory.appending(path: "patchbay-blocking-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let server = try Self.server()
        var configuration = SessionConfiguration()
        let held = Guarded<Int32?>(nil)
        switch place {
        case .write:
            configuration.fileCalls.write = { file, bytes in
                let isHeld = held.withLock { held in
                    held = held ?? file
                    return held == file
                }
                if isHeld, !block.isOpen { block.wait() }
                return FileCalls.system.write(file, bytes)
            }
        case .create:
            configuration.fileCalls.create = { folder, name in
                if name.hasPrefix(".large") { block.wait() }
                return FileCalls.system.create(folder, name)
            }
        case .choice, .source, .redirect: break
        }
        let manager = SessionManager(baseURL: server.url(), configuration: configuration)
        let file = folder.appending(path: "large")
        let idle = Duration.seconds(4)
        let call = Task {
            var request = SessionRequest("large")
            switch place {
            case .source:
                request = SessionRequest(
                    "up", method: "PUT",
                    content: RequestContent("text/plain", making: { .source(BlockingSource(block)) }))
                #expect(try await manager.send(request, as: String.self).value == "\(4 << 20)")
            case .choice:
                let chosen = DownloadDestination.chosen { _ in
                    block.wait()
                    return .file(file)
                }
                _ = try await manager.download(request, to: chosen)
            case .redirect:
                request.target = "moved"
                request.redirects = RedirectHandler { _, _ in
                    block.wait()
                    return true
                }
                _ = try await manager.download(request, to: .file(file))
            case .write, .create:
                request.idleTimeout = idle
                _ = try await manager.download(request, to: .file(file))
            }
        }
        await until { block.isReached }
        let start = ContinuousClock.now
        repeat {
            try await withThrowingTaskGroup { group in
                for number in 0..<1_000 {
                    group.addTask {
                        guard number % 10 == 0 else {
                            let text = try await manager.get("small", as: String.self)
                            #expect(text == "small")
                            return
                        }
                        let small = try await manager.download(SessionRequest("small")).value
                        #expect(try Data(contentsOf: small) == Data("small".utf8))
                        try FileManager.default.removeItem(at: small)
                    }
                }
                try await group.waitForAll()
            }
            // Longer than the call may be idle, which it is not while the sender has to wait for us.
        } while start.duration(to: .now) < idle * 1.5
        #expect(!block.isOpen)
        block.open()
        try await call.value
        guard place != .source else { return }
        let handle = try FileHandle(forReadingFrom: file)
        defer { try? handle.close() }
        for number in 0..<Self.mebibytes { #expect(try handle.read(upToCount: 1 << 20) == Data(Self.piece(number))) }
        #expect(try handle.read(upToCount: 1)?.isEmpty ?? true)
    }

    @Test("no byte is lost where writes are held back again and again, coded or not", arguments: ["identity", "gzip"])
    func heldBack(_ coding: String) async throws {
        let body = (0..<(1 << 20)).map { UInt8(truncatingIfNeeded: $0 &* $0 >> 7) }
        let coded = coding == "gzip" ? StoredCoding.gzip.code(body) : body
        let server = try RawServer(always: .response(["Content-Encoding": coding], body: coded))
        let configuration = SessionConfiguration.heldBack(queueLimit: 64 << 10, oneOf: 8, microseconds: 500, seed: 7)
        let manager = SessionManager(baseURL: server.url(), configuration: configuration)
        try await withThrowingTaskGroup { group in
            for _ in 0..<10 {
                group.addTask {
                    for _ in 0..<5 {
                        let file = try await manager.download(SessionRequest("a")).value
                        #expect(try Data(contentsOf: file) == Data(body))
                        try FileManager.default.removeItem(at: file)
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    #if os(Linux)
        @Test("a disk that is slower than its network grows the memory of a child by no more than 48 MiB")
        func memory() async {
            let child = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
                let server = try BlockingTests.server()
                var configuration = SessionConfiguration()
                let isSlow = Guarded(false)
                configuration.fileCalls.write = { file, bytes in
                    if isSlow.withLock({ $0 }) { usleep(200) }
                    return FileCalls.system.write(file, bytes)
                }
                let manager = SessionManager(baseURL: server.url(), configuration: configuration)
                // The first calls load what every call needs, and the server its pieces.
                for slow in [false, true] {
                    isSlow.withLock { $0 = slow }
                    let before = try PeakMemory.kibibytes()
                    for _ in 0..<(slow ? 5 : 1) {
                        let file = try await manager.download(SessionRequest("large")).value
                        try FileManager.default.removeItem(at: file)
                    }
                    let growth = try PeakMemory.kibibytes() - before
                    print("slow: \(slow), \(growth) KiB more")
                    if slow { try #require(growth <= 48 << 10) }
                }
            }
            print(String(decoding: child?.standardOutputContent ?? [], as: UTF8.self), terminator: "")
        }
    #endif
}

extension SessionConfiguration {
    /// For a disk that holds back one write of so many, at random, and a queue before it that is soon full.
    static func heldBack(
        queueLimit: Int, oneOf count: UInt64, microseconds: UInt32, seed: UInt64
    ) -> SessionConfiguration {
        var configuration = SessionConfiguration()
        configuration.fileQueueLimit = queueLimit
        let random = Guarded(SplitMix(seed: seed))
        configuration.fileCalls.write = { file, bytes in
            if random.withLock({ $0.next() }) % count == 0 { usleep(microseconds) }
            return FileCalls.system.write(file, bytes)
        }
        return configuration
    }
}
