import PatchbayPlatform

#if os(Linux)
    import Foundation
    import Patchbay
    import PatchbayURLSession
    import PatchbayMigration
    import TestSupport
    import Testing

    /// Downloads over sockets that break off, end or stall in the middle, and go on.
    @Suite(.timeLimit(.minutes(5)))
    struct ResumptionOnBothTransportsTests {
        private static let file = RangedFile(bytes: 200_000)

        enum Ending: String, CaseIterable, Sendable { case close, reset, cancel, idle, total }

        /// Breaks off the first answer after so many bytes of its body, and the others not.
        private func server(cutAt cut: Int, _ ending: Ending = .close) throws -> RawServer {
            try RawServer { request in
                let answer = Self.file.answer(to: request.fields)
                guard request.fields["Range"] == nil else {
                    return .response(status: answer.status, answer.fields, body: answer.body)
                }
                let head = "HTTP/1.1 200 OK\r\nETag: \"v1\"\r\nContent-Length: \(answer.body.count)\r\n\r\n"
                let end: RawReply.Step =
                    switch ending {
                    case .close: .close
                    case .reset: .reset
                    case .cancel, .idle, .total: .hang
                    }
                return RawReply([.send(Array(head.utf8) + answer.body.prefix(cut)), end])
            }
        }

        private func folder() throws -> URL {
            let url = FileManager.default.temporaryDirectory.appending(path: "patchbay-test-\(UUID().uuidString)")
            try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
            return url
        }

        @Test(
            "1.5.16, 1.10.4: what was cut off is resumed, equal byte for byte", arguments: Carrier.allCases,
            [1, 16_384, 100_000, 199_999])
        func resumes(_ carrier: Carrier, _ cut: Int) async throws {
            let server = try server(cutAt: cut)
            let folder = try folder()
            defer { try? FileManager.default.removeItem(at: folder) }
            let manager = SessionManager(baseURL: server.url(), registry: .standard, transport: carrier.transport)
            let url = folder.appending(path: "x")
            let error = await #expect(throws: SessionError.self) {
                try await manager.download(SessionRequest("file"), to: .file(url).resumable())
            }
            #expect((error?.cause as? TransportFailure)?.code == .truncatedBody)
            let resumption = try #require(error?.resumption)
            #expect(resumption.bytes == cut)
            let reply = try await manager.download(
                SessionRequest("file"), to: .file(resumption.file).resuming(resumption))
            #expect(try Data(contentsOf: reply.value) == Data(Self.file.body))
            #expect(server.requests.map { $0.fields["Range"] } == [nil, "bytes=\(cut)-"])
            #expect(server.requests.map { $0.fields.values(for: "Accept-Encoding") } == [["identity"], ["identity"]])
        }

        @Test(
            "1.10.4: so is what was reset, cancelled or out of time", arguments: Carrier.allCases, Ending.allCases)
        func resumesAfter(_ carrier: Carrier, _ ending: Ending) async throws {
            let server = try server(cutAt: 50_000, ending)
            let folder = try folder()
            defer { try? FileManager.default.removeItem(at: folder) }
            let received = Guarded(0)
            var configuration = SessionConfiguration()
            configuration.observers = [
                ClosureObserver { event in
                    guard ending == .cancel, case .received(let bytes) = event.stage else { return }
                    let sum = received.withLock { sum in
                        sum += bytes
                        return sum
                    }
                    if sum >= 50_000 { event.task?.cancel() }
                }
            ]
            let manager = SessionManager(
                baseURL: server.url(), registry: .standard, transport: carrier.transport, configuration: configuration)
            var request = SessionRequest("file")
            if ending == .idle { request.idleTimeout = .seconds(4) }
            if ending == .total { request.totalTimeout = .seconds(4) }
            let destination = DownloadDestination.file(folder.appending(path: "x")).resumable()
            let error = await #expect(throws: SessionError.self) {
                try await manager.download(request, to: destination)
            }
            let code: SessionError.Code =
                switch ending {
                case .close, .reset: .transport
                case .cancel: .cancelled
                case .idle: .idleTimeout
                case .total: .totalTimeout
                }
            #expect(error?.code == code)
            // A reset may overtake bytes that were on their way.
            guard let resumption = error?.resumption else {
                #expect(ending == .reset)
                return
            }
            if ending != .reset { #expect(resumption.bytes == 50_000) }
            let another = SessionManager(baseURL: server.url(), registry: .standard, transport: carrier.transport)
            let reply = try await another.download(
                SessionRequest("file"), to: .file(resumption.file).resuming(resumption))
            #expect(try Data(contentsOf: reply.value) == Data(Self.file.body))
        }

        typealias Carrier = ManagerOnBothTransportsTests.Carrier
    }
#endif
