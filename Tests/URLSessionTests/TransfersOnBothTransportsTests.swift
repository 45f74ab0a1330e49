#if os(Linux)
    import Foundation
    import Patchbay
    import PatchbayRegistry
    import PatchbayURLSession
    import TestSupport
    import Testing

    /// Large bodies come out alike on both transports.
    @Suite(.timeLimit(.minutes(1)))
    struct TransfersOnBothTransportsTests {
        typealias Carrier = ManagerOnBothTransportsTests.Carrier

        private func manager(_ carrier: Carrier, _ server: RawServer) -> SessionManager {
            SessionManager(baseURL: server.url(), registry: .standard, transport: carrier.transport)
        }

        @Test(
            "1.5.15, 1.10.5, 1.11.3: progress grows and ends at exactly 1, up and down, the length known or not",
            arguments: Carrier.allCases, [true, false])
        func tellsProgress(_ carrier: Carrier, isLengthKnown: Bool) async throws {
            let body = [UInt8](repeating: 0x61, count: 1 << 20)
            let chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n100000\r\n"
            let server = try RawServer(
                always: isLengthKnown
                    ? .response(body: body)
                    : .raw(Array(chunked.utf8) + body + Array("\r\n0\r\n\r\n".utf8), closing: false))
            let told = Guarded<(up: [TransferProgress], down: [TransferProgress])>(([], []))
            var form = MultipartFormData()
            try form.append(length: isLengthKnown ? 0 : nil, name: "empty") { NoBytes() }
            try form.append(Data(body), name: "full")
            var request = HTTPRequest("POST", "x", content: .multipart(form))
            request.onUploadProgress = { progress in told.withLock { $0.up.append(progress) } }
            request.onDownloadProgress = { progress in told.withLock { $0.down.append(progress) } }
            _ = try await manager(carrier, server).send(request)
            let (up, down) = told.withLock { $0 }
            let sent = Int64(try #require(server.requests.first).body.count)
            for (list, count, isKnown) in [(up, sent, isLengthKnown), (down, 1 << 20, isLengthKnown)] {
                #expect(zip(list, list.dropFirst()).allSatisfy { $0.completedBytes <= $1.completedBytes })
                #expect(list.last?.completedBytes == count)
                #expect(list.last?.totalBytes == count)
                #expect(list.last?.fractionCompleted == 1)
                #expect(isKnown || list.dropLast().allSatisfy { $0.totalBytes == nil })
            }
        }

        private final class NoBytes: RequestBodySource {
            let length: Int64? = nil
            func read(into buffer: UnsafeMutableRawBufferPointer) -> RequestBodyPiece { .end }
            func rewind() {}
        }
    }
#endif
