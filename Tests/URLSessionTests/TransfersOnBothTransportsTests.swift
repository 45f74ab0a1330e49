import PatchbayPlatform

#if os(Linux)
    import Foundation
    import Patchbay
    import PatchbayRegistry
    import PatchbayURLSession
    import TestSupport
    import Testing
    import PatchbayMigration

    /// Large bodies come out alike on both transports.
    @Suite(.timeLimit(.minutes(5)))
    struct TransfersOnBothTransportsTests {
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
            form.append(length: isLengthKnown ? 0 : nil, name: "empty") { NoBytes() }
            form.append(Data(body), name: "full")
            var request = SessionRequest("x", method: "POST", content: .multipart(form))
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

        @Test(
            "1.5.16, 1.5.21: a file and streams arrive whole, and once more after a redirect",
            arguments: Carrier.allCases)
        func sendsFilesAndStreams(_ carrier: Carrier) async throws {
            let server = try RawServer { request in
                request.target == "/end"
                    ? .response(["Content-Type": "application/json"], body: "[1]")
                    : .response(status: 307, ["Location": "/end"])
            }
            let bytes = Data((0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 8) })
            let file = FileManager.default.temporaryDirectory.appending(path: "patchbay-\(UUID().uuidString).bin")
            try bytes.write(to: file)
            defer { try? FileManager.default.removeItem(at: file) }
            let chunks = stride(from: 0, to: bytes.count, by: 70_000).map { bytes[$0..<min($0 + 70_000, bytes.count)] }
            let stream: @Sendable () -> AsyncStream<Data> = {
                AsyncStream { continuation in
                    for chunk in chunks { continuation.yield(chunk) }
                    continuation.finish()
                }
            }
            let manager = manager(carrier, server)
            for content in [
                RequestContent.file(file), .stream(Anew(stream), length: 300_000, isRepeatable: true),
                .stream(Anew(stream), isRepeatable: true),
            ] {
                #expect(try await manager.upload(content, to: "start", as: [Int].self) == [1])
            }
            #expect(server.requests.map(\.target) == Array(repeating: ["/start", "/end"], count: 3).flatMap(\.self))
            #expect(server.requests.allSatisfy { $0.body == Array(bytes) })
            // URLSession is given a stream that was read to its end, and so always knows its length.
            let chunked = server.requests.map { $0.fields["Content-Length"] == nil }
            let isStreamed = carrier == .libcurl
            #expect(chunked == [false, false, false, false, isStreamed, isStreamed])
        }

        @Test(
            "1.5.16: a stream that is shorter or longer than it said fails the call", arguments: Carrier.allCases,
            [2, 3, 5])
        func refusesAnotherLength(_ carrier: Carrier, _ length: Int) async throws {
            let server = try RawServer(always: .response(body: "ok"))
            let content = RequestContent.stream(
                Anew {
                    AsyncStream { continuation in
                        for text in ["ab", "c", "d"] { continuation.yield(Data(text.utf8)) }
                        continuation.finish()
                    }
                }, length: Int64(length), isRepeatable: true)
            let error = await #expect(throws: SessionError.self) {
                try await manager(carrier, server).send(SessionRequest("x", method: "POST", content: content))
            }
            #expect(error?.code == .unreadableContent)
            #expect(
                error?.reason
                    == "the content could not be read: the content has more or fewer bytes than were announced")
            #expect(error?.cause == nil)
        }

        @Test(
            "1.7.2: a download that is suspended stands still, and is whole when it goes on",
            arguments: Carrier.allCases)
        func pauses(_ carrier: Carrier) async throws {
            // Its rest is more than the buffers of two sockets hold, and less than URLSession may be behind.
            let body = [UInt8](repeating: 0x61, count: 15 << 20)
            let allSent = OneShot()
            let gate = Gate()
            let server = try RawServer { request in
                guard request.target == "/large" else { return .response(body: "small") }
                let head = "HTTP/1.1 200 OK\r\nContent-Length: \(body.count)\r\n\r\n"
                return RawReply([
                    .send(Array(head.utf8) + body.prefix(1 << 20)), .wait(gate), .send(Array(body.dropFirst(1 << 20))),
                    .run { allSent.fire() },
                ])
            }
            let manager = manager(carrier, server)
            var request = SessionRequest("large")
            request.isPausable = true
            let call = manager.downloadTask(request)
            defer { call.cancel() }
            for await progress in call.resume().task.downloadProgressUpdates where progress.completedBytes > 0 { break }
            call.task.suspend()
            _ = try await manager.send("small")
            let count = call.task.downloadProgress.completedBytes
            #expect(count <= 1 << 20)
            gate.open()
            for _ in 0..<100 { _ = try await manager.send("small") }
            #expect(call.task.downloadProgress.completedBytes == count)
            switch carrier {
            case .libcurl: #expect(!allSent.hasFired)
            case .urlSession:
                // A call that fails sends no more.
                Task {
                    _ = try? await call.reply
                    allSent.fire()
                }
                await allSent.fired()
                withKnownIssue("URLSession cannot be paused: the bytes go on arriving, and wait in memory") {
                    #expect(!allSent.hasFired)
                }
            }
            let file = try await call.resume().reply.value
            defer { try? FileManager.default.removeItem(at: file) }
            #expect(try Data(contentsOf: file) == Data(body))
        }

        @Test("1.7.2: an upload that is suspended stands still, and is whole when it goes on")
        func pausesUploads() async throws {
            let server = try RawServer { request in
                request.target == "/large" ? .response(body: "\(request.body.count)") : .response(body: "small")
            }
            let manager = manager(.libcurl, server)
            let gate = OneShot()
            let next = Guarded(0)
            var request = SessionRequest(
                "large", method: "POST",
                content: .stream(
                    Anew {
                        AsyncStream {
                            let index = next.withLock { next in
                                next += 1
                                return next
                            }
                            if index == 2 { await gate.fired() }
                            return index <= 128 ? Data(repeating: 0x61, count: 64 << 10) : nil
                        }
                    }, isRepeatable: true))
            request.isPausable = true
            let call = manager.uploadTask(request, as: Data.self)
            defer { call.cancel() }
            for await progress in call.resume().task.uploadProgressUpdates where progress.completedBytes > 0 { break }
            call.task.suspend()
            gate.fire()
            for _ in 0..<100 { _ = try await manager.send("small") }
            #expect(call.task.uploadProgress.completedBytes <= 64 << 10)
            // 256 KiB are read ahead, and no more.
            #expect(next.withLock { $0 } <= 7)
            #expect(try await call.resume().reply.value == Data("\(8 << 20)".utf8))
            #expect(call.task.uploadProgress.completedBytes == 8 << 20)
            #expect(call.task.uploadProgress.fractionCompleted == 1)
        }

        private final class NoBytes: RequestBodySource {
            let length: Int64? = nil
            func read(into buffer: UnsafeMutableRawBufferPointer) -> RequestBodyPiece { .end() }
            func rewind() {}
        }
    }
#endif
