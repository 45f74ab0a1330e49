import Foundation
import Patchbay
import PatchbayMigration
import PatchbayPlatform
import PatchbayRegistry
import Testing

/// Bodies that are sent and received as files.
extension HTTPBinTests {
    @Test("1.10.5, 1.11.3, 1.5.16: 100 MiB go up from a file and come back into one, with progress both ways")
    func aHundredMebibytesGoUpAndComeDown() async throws {
        let folder = FileManager.default.temporaryDirectory
        let sent = folder.appending(path: "patchbay-\(UUID().uuidString).txt")
        defer { try? FileManager.default.removeItem(at: sent) }
        let piece = Data((0..<(1 << 20)).map { UInt8(ascii: "a") + UInt8($0 % 26) })
        _ = FileManager.default.createFile(atPath: sent.path, contents: nil)
        let writer = try FileHandle(forWritingTo: sent)
        for _ in 0..<100 { try writer.write(contentsOf: piece) }
        try writer.close()

        let told = Guarded<(up: [TransferProgress], down: [TransferProgress])>(([], []))
        var request = SessionRequest("anything", method: "PUT", content: .file(sent))
        request.onUploadProgress = { progress in told.withLock { $0.up.append(progress) } }
        request.onDownloadProgress = { progress in told.withLock { $0.down.append(progress) } }
        request.idleTimeout = .seconds(55)
        let echo = try await manager.download(request).value
        defer { try? FileManager.default.removeItem(at: echo) }

        let size = try #require(try FileManager.default.attributesOfItem(atPath: echo.path)[.size] as? Int)
        let (up, down) = told.withLock { $0 }
        for (list, count) in [(up, 100 << 20), (down, size)] {
            #expect(zip(list, list.dropFirst()).allSatisfy { $0.completedBytes <= $1.completedBytes })
            #expect(list.last?.completedBytes == Int64(count))
            #expect(list.last?.totalBytes == Int64(count))
            #expect(list.last?.fractionCompleted == 1)
        }
        // The answer is a JSON object with what was sent in the member `data`.
        let reader = try FileHandle(forReadingFrom: echo)
        defer { try? reader.close() }
        let head = try #require(try reader.read(upToCount: 1024))
        let start = try #require(head.range(of: Data(#""data": ""#.utf8))?.upperBound)
        try reader.seek(toOffset: UInt64(start))
        for _ in 0..<100 { #expect(try reader.read(upToCount: piece.count) == piece) }
        #expect(try reader.read(upToCount: 1) == Data("\"".utf8))
    }
}
