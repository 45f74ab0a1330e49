import Foundation
import TestSupport
import Testing

/// Downloads of a whole process that runs out of room, or is killed.
@Suite(.timeLimit(.minutes(5))) struct DownloadFaultTests {
    private let folder: TemporaryFolder
    private let server: RawServer
    private static let body = [UInt8](repeating: 0x78, count: 3 << 20)

    init() throws {
        folder = try TemporaryFolder()
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
        #expect(child.errorText == "patchbay: GET 127.0.0.1:\(server.port): x cannot be written: File too large\n")
        #expect(try folder.names == [])
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

    @Test func `a process that is killed leaves a part at most, and the name to whole files only`() async throws {
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
            process.arguments = ["get", server.url().absoluteString, "-o", "\(folder.path)/\(round)"]
            process.environment = ["SWIFT_BACKTRACE": "enable=no", "no_proxy": "*"]
            process.standardError = FileHandle.nullDevice
            try process.run()
            isStarted.open()
            process.waitUntilExit()
            // One that was quicker than the shot has done its work.
            let isDone = process.terminationReason == .exit
            #expect(process.terminationStatus == (isDone ? 0 : SIGKILL))
            #expect(!isDone || point == pieces)
            let names = try folder.names
            #expect(names.count <= 1)
            for name in names {
                let path = "\(folder.path)/\(name)"
                if !name.hasSuffix(".part") {
                    whole += 1
                    #expect(name == "\(round)")
                    #expect(FileManager.default.contents(atPath: path)?.count == piece.count * pieces)
                }
                try FileManager.default.removeItem(atPath: path)
            }
        }
        #expect(whole <= 15)
    }
}
