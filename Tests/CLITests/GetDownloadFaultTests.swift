import Foundation
import PatchbayPlatform
import PatchbayRegistry
import TestSupport
import Testing

/// Downloads of a whole process that runs out of room, or is killed.
@Suite(.timeLimit(.minutes(5))) struct GetDownloadFaultTests {
    private let folder: TemporaryFolder
    private let server: RawServer
    private static let body = [UInt8](repeating: 0x78, count: 3 << 20)

    init() throws {
        folder = TemporaryFolder()
        server = try RawServer(always: .response(body: Self.body))
    }

    private func run(_ script: String) async throws -> ChildProcess {
        try await ChildProcess.run(
            "/bin/sh", ["-c", script, try Binary.path, server.url().absoluteString, folder.path],
            environment: ["no_proxy": "*"])
    }

    @Test func `a file that grows beyond what the process may write is an error, and no signal ends the process`()
        async throws
    {
        // In blocks of 512 bytes, or of 1,024 where the shell is bash.
        let child = try await run("ulimit -f 1000; exec \"$0\" get \"$1\" -o \"$2/x\"")
        #expect(child.end == .exited(7))
        // A line of progress comes before it where the machine is slow.
        #expect(
            child.errorText.hasSuffix("patchbay: GET 127.0.0.1:\(server.port): x cannot be written: File too large\n"))
        #expect(folder.names == [])
    }

    @Test func `a file that is there is kept under the name of the server, and the sentence names the option`()
        async throws
    {
        try folder.write("mine", to: "file")
        let child = try await run("cd \"$2\" && exec \"$0\" get \"$1/file\" -O")
        #expect(child.end == .exited(7))
        #expect(child.errorText.hasSuffix(": file cannot be written: File exists; -o FILE replaces it\n"))
        #expect(try String(contentsOf: folder.url.appending(path: "file"), encoding: .utf8) == "mine")
    }

    @Test(arguments: ["000", "022", "027", "077"])
    func `the finished file has the mode that the umask gives, and nothing has a wider one before`(
        _ umask: String
    ) async throws {
        let seen = Guarded<[String]>([])
        let folder = folder.path
        let server = try RawServer { _ in
            let look = RawReply.Step.run {
                var names: [String] = []
                for _ in 0..<10_000 where names.isEmpty {
                    usleep(1_000)
                    names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
                }
                let modes = names.map { Self.mode("\(folder)/\($0)") }
                seen.withLock { $0 = modes }
            }
            return RawReply([.send(Array("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\na".utf8)), look, .send([0x61])])
        }
        let child = try await ChildProcess.run(
            "/bin/sh",
            [
                "-c", "umask \(umask); exec \"$0\" get \"$1\" -o \"$2/x\"", try Binary.path,
                server.url().absoluteString, folder,
            ],
            environment: ["no_proxy": "*"])
        #expect(child.end == .exited(0))
        #expect(seen.withLock { $0 } == ["600"])
        let expected = 0o666 & ~(try #require(Int(umask, radix: 8)))
        #expect(Self.mode("\(folder)/x") == String(expected, radix: 8))
    }

    private static func mode(_ path: String) -> String {
        let mode = (try? FileManager.default.attributesOfItem(atPath: path))?[.posixPermissions] as? Int
        return mode.map { String($0, radix: 8) } ?? "none"
    }

    @Test func `two processes get one file at once, and neither removes what the other writes`() async throws {
        let isDone = Gate()
        let count = Guarded(0)
        let server = try RawServer { _ in
            let number = count.withLock { count in
                count += 1
                return count
            }
            let head = Array("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\na".utf8)
            guard number == 1 else { return RawReply([.send(head), .send([0x62])]) }
            return RawReply([.send(head), .wait(isDone), .send([0x61])])
        }
        let path = folder.path
        let arguments = ["get", server.url().absoluteString, "-o", "\(path)/x"]
        let binary = try Binary.path
        async let first = ChildProcess.run(binary, arguments, environment: ["no_proxy": "*"])
        while folder.names.isEmpty { await Task.yield() }
        let held = folder.names
        let second = try await ChildProcess.run(binary, arguments, environment: ["no_proxy": "*"])
        #expect(second.end == .exited(0))
        #expect(folder.names == held + ["x"])
        isDone.open()
        #expect(try await first.end == .exited(0))
        #expect(folder.names == ["x"])
        #expect(FileManager.default.contents(atPath: "\(path)/x") == Data("aa".utf8))
    }

    /// Whether a process may have mounts of its own here.
    private static let mayMount: Bool = {
        let process = Process()
        process.executableURL = URL(filePath: "/bin/sh")
        process.arguments = ["-c", namespace + " sh -c 'mount -t tmpfs -o size=1m tmpfs /mnt' >/dev/null 2>&1"]
        guard (try? process.run()) != nil else { return false }
        process.waitUntilExit()
        return process.terminationStatus == 0
    }()

    private static let namespace = "unshare --user --map-root-user --mount"

    @Test(.enabled(if: mayMount, "no tmpfs can be mounted here: it takes unshare and user namespaces"))
    func `a disk of 1 MiB that is full is an error, and nothing is left on it`() async throws {
        let child = try await run(
            Self.namespace + " sh -c 'mount -t tmpfs -o size=1m tmpfs \"$2\" && \"$0\" get \"$1\" -o \"$2/x\"; "
                + "echo $? $(ls -A \"$2\")' \"$0\" \"$1\" \"$2\"")
        #expect(child.outputText == "7\n")
        #expect(
            child.errorText == "patchbay: GET 127.0.0.1:\(server.port): x cannot be written: No space left on device\n")
    }

    @Test
    func
        `a process that is killed leaves a part at most, which one two days later removes, and the name to whole files only`()
        async throws
    {
        let piece = [UInt8](repeating: 0x79, count: 1_000)
        let pieces = 20
        var whole = 0
        for round in 0..<50 {
            // The first are killed when all of it is sent, and the file may get its name any time.
            let point = round < 15 ? pieces : Int.random(in: 0..<pieces)
            let isStarted = Gate()
            let process = Process()
            let server = try RawServer { _ in
                let head = "HTTP/1.1 200 OK\r\nContent-Length: \(piece.count * pieces)\r\n\r\n"
                let steps = [.send(Array(head.utf8))] + [RawReply.Step](repeating: .send(piece), count: point)
                let shot = RawReply.Step.run {
                    usleep(UInt32.random(in: 0...3_000))
                    kill(process.processIdentifier, SIGKILL)
                }
                return RawReply(steps + [.wait(isStarted), shot, .hang])
            }
            process.executableURL = URL(filePath: try Binary.path)
            process.arguments = ["get", server.url().absoluteString, "-o", "\(folder.path)/x"]
            process.environment = ["SWIFT_BACKTRACE": "enable=no", "no_proxy": "*"]
            process.standardError = FileHandle.nullDevice
            try process.run()
            isStarted.open()
            process.waitUntilExit()
            // One that was quicker than the shot has done its work.
            let isDone = process.terminationReason == .exit
            #expect(process.terminationStatus == (isDone ? 0 : SIGKILL))
            #expect(!isDone || point == pieces)
            let names = folder.names
            // No more than the one part: what the rounds before left is gone. Beside it there can be the empty file that
            // shows the mode of a new file, for the moment between its making and its removal.
            let parts = try names.filter { $0.hasSuffix(".part") }.map { name in
                try #require(FileManager.default.contents(atPath: "\(folder.path)/\(name)")).count
            }
            #expect(parts.count <= 1 || (parts.count == 2 && parts.contains(0)), "\(parts)")
            for name in names where name.hasSuffix(".part") {
                try FileManager.default.setAttributes(
                    [.modificationDate: Date() - 2 * 86_400], ofItemAtPath: "\(folder.path)/\(name)")
            }
            if names.contains("x") {
                whole += 1
                #expect(FileManager.default.contents(atPath: "\(folder.path)/x")?.count == piece.count * pieces)
                try FileManager.default.removeItem(atPath: "\(folder.path)/x")
            }
        }
        #expect(whole <= 15)
        #expect(try await run("exec \"$0\" get \"$1\" -o \"$2/x\"").end == .exited(0))
        #expect(folder.names == ["x"])
    }
}
