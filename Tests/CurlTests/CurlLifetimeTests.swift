import PatchbayCurl
import PatchbayManager
import PatchbayRegistry
import TestSupport
import Testing

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif
#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// In child processes, where no other test opens files or starts threads.
@Suite("CurlTransport leaves nothing behind", .timeLimit(.minutes(5)))
struct CurlLifetimeTests {
    private static let hasProc = FileManager.default.fileExists(atPath: "/proc/self/task")

    private static func count(_ folder: String) throws -> Int {
        try FileManager.default.contentsOfDirectory(atPath: "/proc/self/\(folder)").count
    }

    @Test(
        "Threads and files are back where they were once a transport is released", .enabled(if: hasProc, "needs /proc"))
    func released() async {
        await #expect(processExitsWith: .success) {
            let server = try RawServer(always: .response(body: "x"))
            func use() async {
                let transport = CurlTransport()
                for _ in 0..<3 { _ = await transport.exchange(server.url()) }
            }
            await use()
            await until { server.openConnections == 0 }
            let files = try Self.count("fd")
            let threads = try Self.count("task")
            for _ in 0..<50 { await use() }
            await until { server.openConnections == 0 }
            await until { ((try? Self.count("task")) ?? .max) <= threads + 2 }
            await until { ((try? Self.count("fd")) ?? .max) <= files + 2 }
        }
    }

    @Test("A transport that was released ends the exchange it has begun")
    func releasedEarly() async throws {
        let gate = Gate()
        let server = try RawServer(always: .response(body: "late").after(gate))
        let task = Task { await CurlTransport().exchange(server.url()) }
        await server.requests(atLeast: 1)
        gate.open()
        #expect(await task.value.record.text == "late")
    }

    @Test("A transport that was never used starts no thread", .enabled(if: hasProc, "needs /proc"))
    func unused() async {
        await #expect(processExitsWith: .success) {
            let before = try Self.count("task")
            let transports = (0..<20).map { _ in CurlTransport() }
            try #require(try Self.count("task") <= before + 2)
            withExtendedLifetime(transports) {}
        }
    }

    @Test("Without a file to spare an exchange fails, and the next one with files succeeds")
    func starved() async {
        await #expect(processExitsWith: .success) {
            let server = try RawServer(always: .raw("HTTP/1.0 200 OK\r\n\r\nx"))
            let transport = CurlTransport()
            try #require(await transport.exchange(server.url()).code == nil)
            await until { server.openConnections == 0 }
            var held: [Int32] = []
            repeat { held.append(open("/dev/null", O_RDONLY)) } while held.last != -1
            let noFiles = TransportFailure(.outOfMemory, "the process may open no more files (EMFILE)")
            try #require(await transport.exchange(server.url()).result.failure == noFiles)
            let named = try #require(URL(string: "http://missing.test/"))
            try #require(await transport.exchange(named).result.failure == noFiles)
            // One that was made meanwhile is as good as any later.
            let other = CurlTransport()
            try #require(await other.exchange(server.url()).result.failure == noFiles)
            for file in held { close(file) }
            try #require(await transport.exchange(server.url()).code == nil)
            try #require(await other.exchange(server.url()).code == nil)
        }
    }

    @Test("Between exchanges no thread is busy", .enabled(if: hasProc, "needs /proc"))
    func asleep() async {
        await #expect(processExitsWith: .success) {
            let server = try RawServer(always: .response(body: "x"))
            let transport = CurlTransport()
            for _ in 0..<3 { try #require(await transport.exchange(server.url()).code == nil) }
            await until { Self.othersSleep() }
            for _ in 0..<200 { try #require(Self.othersSleep()) }
            withExtendedLifetime(transport) {}
        }
    }

    /// Whether every thread but this one is asleep.
    private static func othersSleep() -> Bool {
        let files = FileManager.default
        let own = (try? files.destinationOfSymbolicLink(atPath: "/proc/thread-self"))?
            .split(separator: "/").last.map(String.init)
        guard let own, let threads = try? files.contentsOfDirectory(atPath: "/proc/self/task") else { return false }
        return threads.allSatisfy { thread in
            // The state follows the name, which is in parentheses.
            let stat = try? String(contentsOfFile: "/proc/self/task/\(thread)/stat", encoding: .utf8)
            return thread == own || stat?.split(separator: ")").last?.hasPrefix(" S") == true
        }
    }
}
