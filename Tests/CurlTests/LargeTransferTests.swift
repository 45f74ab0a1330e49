import Foundation
import Patchbay
import PatchbayMigration
import PatchbayPlatform
import PatchbayRegistry
import TestSupport
import Testing

@Suite("Large bodies go up and come down", .timeLimit(.minutes(5)))
struct LargeTransferTests {
    private static let mebibyte = 1 << 20

    /// A server that gives as many bytes as its path says, in repeated pieces, and forgets what it gets.
    private static func server() throws -> RawServer {
        let piece = [UInt8](repeating: 0x61, count: mebibyte)
        return try RawServer(readsBodies: false) { request in
            if let count = request.fields["Content-Length"].flatMap({ Int($0) }), count > 0 {
                let reply = RawReply.response(["Content-Type": "text/plain"], body: "\(count)")
                return RawReply([.drop(count)] + reply.steps)
            }
            let pieces = Int(request.target.dropFirst()) ?? 0
            let head = "HTTP/1.1 200 OK\r\nContent-Length: \(pieces * mebibyte)\r\n\r\n"
            return RawReply([.send(Array(head.utf8))] + Array(repeating: .send(piece), count: pieces))
        }
    }

    private static func file(mebibytes: Int) throws -> URL {
        let url = FileManager.default.temporaryDirectory.appending(path: "patchbay-large-\(UUID().uuidString)")
        _ = FileManager.default.createFile(atPath: url.path, contents: nil)
        let handle = try FileHandle(forWritingTo: url)
        try handle.truncate(atOffset: UInt64(mebibytes * mebibyte))
        try handle.close()
        return url
    }

    /// What progress was told, and whether it only grew and ended at exactly 1.
    private final class Told: Sendable {
        private let list = Guarded<[TransferProgress]>([])
        func note(_ progress: TransferProgress) { list.withLock { $0.append(progress) } }

        func isMonotone(upTo count: Int) -> Bool {
            let list = list.withLock { $0 }
            return zip(list, list.dropFirst()).allSatisfy { $0.completedBytes <= $1.completedBytes }
                && list.last?.completedBytes == Int64(count) && list.last?.totalBytes == Int64(count)
                && list.last?.fractionCompleted == 1
        }
    }

    @Test("1.10.5, 1.11.3: 100 MiB go up from a file, with progress that only grows and ends at 1")
    func upload() async throws {
        let server = try Self.server()
        let manager = SessionManager(baseURL: server.url())
        let file = try Self.file(mebibytes: 100)
        defer { try? FileManager.default.removeItem(at: file) }
        let told = Told()
        var request = SessionRequest("up", method: "PUT", content: .file(file))
        request.onUploadProgress = told.note
        #expect(try await manager.send(request, as: String.self).value == "\(100 * Self.mebibyte)")
        #expect(told.isMonotone(upTo: 100 * Self.mebibyte))
    }

    @Test("1.10.5, 1.11.3: 100 MiB come down into a file, with progress that only grows and ends at 1")
    func download() async throws {
        let server = try Self.server()
        let manager = SessionManager(baseURL: server.url())
        let told = Told()
        var request = SessionRequest("100")
        request.onDownloadProgress = told.note
        let file = try await manager.download(request).value
        defer { try? FileManager.default.removeItem(at: file) }
        #expect(told.isMonotone(upTo: 100 * Self.mebibyte))
        let handle = try FileHandle(forReadingFrom: file)
        defer { try? handle.close() }
        let piece = Data(repeating: 0x61, count: Self.mebibyte)
        for _ in 0..<100 { #expect(try handle.read(upToCount: Self.mebibyte) == piece) }
        #expect(try handle.read(upToCount: 1)?.isEmpty ?? true)
    }

    #if os(Linux)
        @Test("1 GiB up from a file and down to one grow the memory of a child by no more than 48 MiB")
        func memory() async {
            let child = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
                let server = try LargeTransferTests.server()
                let manager = SessionManager(baseURL: server.url())
                // The first calls load what every call needs.
                for mebibytes in [1, 1024] {
                    let before = try PeakMemory.kibibytes()
                    let sent = try LargeTransferTests.file(mebibytes: mebibytes)
                    defer { try? FileManager.default.removeItem(at: sent) }
                    let count = try await manager.upload(.file(sent), to: "up", as: String.self)
                    try #require(count == "\(mebibytes << 20)")
                    let file = try await manager.download(SessionRequest("\(mebibytes)")).value
                    defer { try? FileManager.default.removeItem(at: file) }
                    let size = try FileManager.default.attributesOfItem(atPath: file.path)[.size] as? Int
                    try #require(size == mebibytes << 20)
                    let growth = try PeakMemory.kibibytes() - before
                    print("\(mebibytes) MiB up and down: \(growth) KiB more")
                    if mebibytes > 1 { try #require(growth <= 48 << 10) }
                }
            }
            print(String(decoding: child?.standardOutputContent ?? [], as: UTF8.self), terminator: "")
        }
    #endif
}
