import Foundation
import Patchbay
import PatchbayMigration
import TestSupport
import Testing

/// Files, in one go and in several.
extension HTTPBinTests {
    /// What `/range` serves: the alphabet, again and again.
    private static func alphabet(_ count: Int) -> Data { Data((0..<count).map { UInt8(0x61 + $0 % 26) }) }

    @Test("1.5.16, 1.10.4: a download that is cancelled in the middle is resumed, equal byte for byte")
    func aCutDownloadIsResumed() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "patchbay-test-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        // Ten pieces, five a second: the first is there long before the rest.
        let request = SessionRequest("range/102400?duration=2&chunk_size=10240")
        let transport = WatchedTransport()
        let cut = SessionManager(baseURL: HTTPBin.url, registry: .standard, transport: transport)
        transport.atFirstBytes { cut.cancelAll() }
        let error = try await #require(throws: SessionError.self) {
            try await cut.download(request, to: .file(folder.appending(path: "x")).resumable())
        }
        #expect(error.code == .cancelled)
        let resumption = try #require(error.resumption)
        #expect((1..<102_400).contains(resumption.bytes))
        #expect(resumption.expectedBytes == 102_400)
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(names == [resumption.part.lastPathComponent])

        let reply = try await manager.download(request, to: .file(resumption.file).resuming(resumption))
        #expect(reply.head.status == 206)
        #expect(try Data(contentsOf: reply.value) == Self.alphabet(102_400))
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["x"])
    }
}
