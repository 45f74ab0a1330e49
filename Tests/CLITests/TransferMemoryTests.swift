#if os(Linux)
    import Foundation
    import PatchbayPlatform
    import TestSupport
    import Testing

    /// The memory that the program has in use while much goes through it.
    @Suite(.timeLimit(.minutes(5))) struct TransferMemoryTests {
        private static let mebibytes = TestLength.count(
            128, of: 1024, "MiB of an upload and of a download by the program")
        private static let limit = 64 << 10
        private let folder: TemporaryFolder

        init() throws { folder = TemporaryFolder() }

        /// Runs the program and returns the most memory that it had when the server called `sample`, in KiB.
        private func peak(
            _ words: [String], _ server: (_ sample: @escaping @Sendable () -> Void) throws -> RawServer
        ) async throws -> Int {
            let process = Process()
            let peak = Guarded(0)
            let server = try server {
                let status = try? String(contentsOfFile: "/proc/\(process.processIdentifier)/status", encoding: .utf8)
                let line = status?.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
                peak.withLock { $0 = line.flatMap { Int($0.filter(\.isNumber)) } ?? .max }
            }
            process.executableURL = URL(fileURLWithPath: try Binary.path)
            process.arguments = ["get", "-s", server.target()] + words
            process.environment = ProcessInfo.processInfo.environment.merging(["no_proxy": "*"]) { $1 }
            process.currentDirectoryURL = URL(fileURLWithPath: folder.path)
            let status = try await withCheckedThrowingContinuation { continuation in
                process.terminationHandler = { continuation.resume(returning: $0.terminationStatus) }
                do { try process.run() } catch { continuation.resume(throwing: error) }
            }
            #expect(status == 0)
            return peak.withLock(\.self)
        }

        @Test func `an upload of 1 GiB stays under 64 MiB`() async throws {
            let size = Self.mebibytes << 20
            let file = folder.path + "/body"
            try #require(FileManager.default.createFile(atPath: file, contents: nil))
            try #require(truncate(file, off_t(size)) == 0)
            let memory = try await peak(["-T", "body"]) { sample in
                try RawServer(readsBodies: false) { _ in
                    RawReply([.drop(size), .run(sample)] + RawReply.response(body: "").steps)
                }
            }
            #expect(memory > 0 && memory < Self.limit, "\(memory) KiB")
        }

        @Test(arguments: [["-o", "out"], ["-O"]]) func `a download of 1 GiB stays under 64 MiB`(
            _ words: [String]
        ) async throws {
            let piece = [UInt8](repeating: 0x61, count: 1 << 20)
            let count = Self.mebibytes
            let memory = try await peak(words) { sample in
                try RawServer { _ in
                    let head =
                        "HTTP/1.1 200 OK\r\nContent-Disposition: attachment; filename=out\r\n"
                        + "Content-Length: \(count << 20)\r\n\r\n"
                    let pieces = [RawReply.Step](repeating: .send(piece), count: count - 1)
                    return RawReply([.send(Array(head.utf8))] + pieces + [.run(sample), .send(piece)])
                }
            }
            #expect(memory > 0 && memory < Self.limit, "\(memory) KiB")
            var status = stat()
            #expect(stat(folder.path + "/out", &status) == 0 && Int(status.st_size) == count << 20)
        }
    }
#endif
