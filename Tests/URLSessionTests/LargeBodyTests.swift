#if os(Linux)
    import Foundation
    import Patchbay
    import PatchbayMigration
    import PatchbayURLSession
    import TestSupport
    import Testing

    /// Streamed bodies that are larger than what `URLSessionTransport` holds in memory.
    @Suite(.timeLimit(.minutes(5)))
    struct LargeBodyTests {
        typealias Carrier = URLSessionTests.Carrier

        /// More than 16 MiB, and no multiple of the size of a piece.
        private static let count = (16 << 20) + 300_001
        private static let bytes: Data = {
            // A piece of a prime number of bytes, so that no two pieces of a body are the same.
            let piece = Data((0..<65_521).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 8) })
            var bytes = Data()
            while bytes.count < count { bytes.append(piece) }
            return Data(bytes.prefix(count))
        }()

        private static let chunks: @Sendable () -> AsyncThrowingStream<Data, any Error> = {
            AsyncThrowingStream { continuation in
                for start in stride(from: 0, to: count, by: 1 << 20) {
                    continuation.yield(bytes[start..<min(start + (1 << 20), count)])
                }
                continuation.finish()
            }
        }

        private func manager(_ carrier: Carrier, _ server: RawServer) -> SessionManager {
            SessionManager(baseURL: server.url(), registry: .standard, transport: carrier.transport)
        }

        @Test(
            "1.5.16: a large body arrives whole, its length known or not, and once more after a redirect",
            arguments: Carrier.allCases, [true, false])
        func arrivesWhole(_ carrier: Carrier, isLengthKnown: Bool) async throws {
            let server = try RawServer { request in
                request.target == "/end"
                    ? .response(["Content-Type": "application/json"], body: "[1]")
                    : .response(status: 307, ["Location": "/end"])
            }
            let content = RequestContent.stream(
                Anew(Self.chunks), length: isLengthKnown ? Int64(Self.count) : nil, isRepeatable: true)
            #expect(try await manager(carrier, server).upload(content, to: "start", as: [Int].self) == [1])
            #expect(server.requests.map(\.target) == ["/start", "/end"])
            for request in server.requests {
                #expect(request.body.count == Self.count)
                #expect(Data(request.body) == Self.bytes)
                let isChunked = carrier == .libcurl && !isLengthKnown
                #expect(request.fields["Content-Length"] == (isChunked ? nil : "\(Self.count)"))
            }
        }

        @Test("a large body is sent again after a 401, whole and with the new credentials", arguments: Carrier.allCases)
        func arrivesAfterAChallenge(_ carrier: Carrier) async throws {
            let server = try RawServer { request in
                request.fields["Authorization"] == "Bearer new"
                    ? .response(status: 204) : .response(status: 401, ["WWW-Authenticate": "Bearer realm=\"x\""])
            }
            let token = Shared("old")
            let content = RequestContent.stream(Anew(Self.chunks), isRepeatable: true)
            var request = SessionRequest("x", method: "PUT", content: content)
            request.interceptors = [
                ClosureInterceptor(
                    adapt: { request in
                        var request = request
                        request.headers["Authorization"] = "Bearer \(token.withLock { $0 })"
                        return request
                    },
                    retry: { _, error in
                        guard error.head?.status == 401 else { return .doNotRetry }
                        token.withLock { $0 = "new" }
                        return .retry
                    })
            ]
            let reply = try await manager(carrier, server).send(request)
            #expect(reply.head.status == 204)
            #expect(server.requests.map { $0.fields["Authorization"] } == ["Bearer old", "Bearer new"])
            #expect(server.requests.allSatisfy { Data($0.body) == Self.bytes })
        }

        /// A stream that is not what it should be.
        enum Fault: String, CaseIterable, Sendable {
            case throwing, short, long

            var length: Int64? {
                switch self {
                case .throwing: nil
                case .short: Int64(count + 1)
                case .long: Int64(count - 1)
                }
            }

            @Sendable func chunks() -> AsyncThrowingStream<Data, any Error> {
                guard self == .throwing else { return LargeBodyTests.chunks() }
                return AsyncThrowingStream { continuation in
                    continuation.yield(bytes)
                    continuation.finish(throwing: CancelledByTest())
                }
            }
        }

        private struct CancelledByTest: Error {}

        @Test(
            "1.5.16: a large stream that throws half way, or has another length, fails the call, and no server takes it",
            arguments: Carrier.allCases, Fault.allCases)
        func refusesFaults(_ carrier: Carrier, _ fault: Fault) async throws {
            let server = try RawServer(always: .response(body: "ok"))
            let content = RequestContent.stream(Anew(fault.chunks), length: fault.length, isRepeatable: true)
            let error = await #expect(throws: SessionError.self) {
                try await manager(carrier, server).send(SessionRequest("x", method: "POST", content: content))
            }
            #expect(error?.code == .unreadableContent)
            #expect(server.requests.isEmpty)
        }

        /// Counts the pieces of a body that the transport says it has read.
        private final class Moving: TimedReceiver {
            let (stop, isOutOfTime, moves) = (OneShot(), false, Shared(0))

            func moved() { moves.withLock { $0 += 1 } }
            func waitForConnection(because reason: String) {}
            func endWaitForConnection() {}
            func note(_ clause: String) {}
            func sent(_ bytes: Int) {}
            func receive(status: Int, fields: HeaderFields) -> TransportFlow { .proceed }
            func receive(_ chunk: UnsafeRawBufferPointer) -> TransportFlow { .proceed }
        }

        @Test("the idle timeout is told of each piece of a body that is read before it is sent")
        func moves() async throws {
            let (server, receiver) = (try RawServer(always: .response(status: 204)), Moving())
            let request = TransportRequest(
                head: RequestHead(method: "POST", url: server.url()), body: .source(Source(Self.count)))
            _ = try await URLSessionTransport().perform(request, for: receiver)
            #expect(receiver.moves.withLock { $0 } == (Self.count + 65_535) / 65_536)
        }

        @Test("a server that answers before it reads a large body gets no more of it", arguments: Carrier.allCases)
        func answersEarly(_ carrier: Carrier) async throws {
            let server = try RawServer(readsBodies: false) { _ in
                RawReply([.send(Array("HTTP/1.1 413 Large\r\nContent-Length: 3\r\n\r\nbig".utf8)), .hang])
            }
            let content = RequestContent.stream(Anew(Self.chunks), isRepeatable: true)
            let error = await #expect(throws: SessionError.self) {
                try await manager(carrier, server).send(SessionRequest("x", method: "POST", content: content))
            }
            #expect(error?.head?.status == 413)
            #expect(error?.body?.data == Data("big".utf8))
        }

        // MARK: What is left

        /// Gives so many bytes, and then waits for ever, or ends.
        private final class Source: RequestBodySource {
            let length: Int64? = nil
            let never = OneShot()
            private let waits: Bool
            private let rest: Shared<Int>

            init(_ count: Int, waits: Bool = false) { (rest, self.waits) = (Shared(count), waits) }

            func read(into buffer: UnsafeMutableRawBufferPointer) -> RequestBodyPiece {
                rest.withLock { rest in
                    let count = min(rest, buffer.count)
                    rest -= count
                    guard count == 0 else { return .bytes(count) }
                    return waits ? .wait(never) : .end()
                }
            }

            func rewind() {}
        }

        /// An end of an exchange with a large body.
        enum Ending: String, CaseIterable, Sendable {
            case whole, refusedEarly, stoppedUnread, stoppedWhileWaiting, cancelledWhileWaiting

            var code: TransportFailure.Code? {
                switch self {
                case .whole, .refusedEarly: nil
                case .stoppedUnread, .stoppedWhileWaiting, .cancelledWhileWaiting: .stopped
                }
            }

            func server() throws -> RawServer {
                switch self {
                case .whole: try RawServer(always: .response(status: 204))
                case .refusedEarly:
                    try RawServer(readsBodies: false) { _ in
                        RawReply([.send(Array("HTTP/1.1 413 Large\r\nContent-Length: 0\r\n\r\n".utf8)), .hang])
                    }
                case .stoppedUnread, .stoppedWhileWaiting, .cancelledWhileWaiting:
                    try RawServer(readsBodies: false) { _ in RawReply([.hang]) }
                }
            }

            /// Has such an exchange, and returns its failure.
            fileprivate func exchange(
                _ transport: URLSessionTransport, _ server: RawServer
            ) async throws -> TransportFailure.Code? {
                let sent = server.requests.count
                let waits = self == .stoppedWhileWaiting || self == .cancelledWhileWaiting
                let source = Source(LargeBodyTests.count, waits: waits)
                let request = TransportRequest(
                    head: RequestHead(method: "PUT", url: server.url()), body: .source(source))
                let recorder = Recorder()
                let exchange = Task { () -> TransportFailure.Code? in
                    do throws(TransportFailure) {
                        _ = try await transport.perform(request, for: recorder)
                        return nil
                    } catch {
                        return error.code
                    }
                }
                if self == .stoppedUnread {
                    await server.requests(atLeast: sent + 1)
                    recorder.stop.fire()
                } else if waits {
                    await until { source.never.listenerCount == 1 }
                    // The file has no name, so that nobody can replace it, and a process that is killed leaves none.
                    try #require(try LargeBodyTests.files().isEmpty)
                    if self == .stoppedWhileWaiting { recorder.stop.fire() } else { exchange.cancel() }
                }
                let code = await exchange.value
                try #require(source.never.listenerCount == 0)
                try #require(recorder.stop.listenerCount == 0)
                try #require(server.requests.count == (waits ? sent : sent + 1))
                return code
            }
        }

        private static func until(_ isSo: () throws -> Bool) async rethrows {
            while try !isSo() { try? await Task.sleep(for: .milliseconds(1)) }
        }

        /// The files in the folder for temporary files.
        private static func files() throws -> [String] {
            try FileManager.default.contentsOfDirectory(atPath: URL.temporaryDirectory.path(percentEncoded: false))
        }

        private static func count(in folder: String) throws -> Int {
            try FileManager.default.contentsOfDirectory(atPath: folder).count
        }

        @Test("an exchange leaves no temporary file, descriptor or thread, however it ends", arguments: Ending.allCases)
        func leavesNothing(_ ending: Ending) async throws {
            let folder = FileManager.default.temporaryDirectory.appending(path: "patchbay-\(UUID().uuidString)")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(at: folder) }
            await #expect(processExitsWith: .success) {
                [path = folder.path as String, name = ending.rawValue as String] in
                alarm(100)
                setenv("TMPDIR", path, 1)
                let ending = try #require(Ending(rawValue: name))
                let (transport, kept) = (URLSessionTransport(), try ending.server())
                func left(after count: Int) async throws -> (descriptors: Int, threads: Int) {
                    for _ in 0..<count {
                        // The connection of a whole exchange is kept; a server that does not read would keep any other.
                        let server = ending == .whole ? kept : try ending.server()
                        try #require(try await ending.exchange(transport, server) == ending.code)
                        try await Self.until { try Self.files().isEmpty }
                        guard ending != .whole else { continue }
                        server.stop()
                        await Self.until { server.openConnections == 0 }
                    }
                    return (try Self.count(in: "/proc/self/fd"), try Self.count(in: "/proc/self/task"))
                }
                let first = try await left(after: 2)
                let last = try await left(after: 10)
                // A descriptor or a thread of each exchange would be 10 more.
                try #require(last.descriptors < first.descriptors + 8, "\(first), \(last)")
                try #require(last.threads < first.threads + 8, "\(first), \(last)")
            }
        }

        /// Foundation would send the request again, without its body.
        @Test("a large body on a kept connection that was closed is reported, and not sent again by the transport")
        func lostConnection() async throws {
            let server = try RawServer { request in
                request.target == "/first" ? .response(body: "ok") : RawReply([.close])
            }
            let transport = URLSessionTransport()
            func send(_ path: String) async throws {
                let head = RequestHead(method: "POST", url: server.url(path))
                let request = TransportRequest(head: head, body: .source(Source(Self.count)))
                _ = try await transport.perform(request, for: Recorder())
            }
            try await send("/first")
            let lost = TransportFailure(.lostConnection, "the connection was lost while the request was being sent")
            await #expect(throws: lost) { try await send("/second") }
            #expect(server.requests.filter { $0.target == "/second" }.count == 1)
        }

        @Test("a large body gets no fields of Foundation's own")
        func fields() async throws {
            let server = try RawServer(always: .response(status: 204))
            let head = RequestHead(method: "POST", url: server.url(), fields: ["X-A": "b"])
            let request = TransportRequest(head: head, body: .source(Source(Self.count)))
            _ = try await URLSessionTransport().perform(request, for: Recorder())
            let names = server.requests.flatMap { $0.fields.map { $0.name.lowercased() } }.sorted()
            #expect(names == ["accept-encoding", "connection", "content-length", "host", "x-a"])
            #expect(server.requests.map(\.body.count) == [Self.count])
        }

        @Test(
            "a large body that no temporary file can hold is refused, and a small one needs none",
            arguments: ["No such file or directory", "File too large"])
        func noFile(_ words: String) async throws {
            await #expect(processExitsWith: .success) { [words = words as String] in
                alarm(200)
                if words == "File too large" {
                    var limit = rlimit(rlim_cur: 1 << 20, rlim_max: 1 << 20)
                    try #require(setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0)
                } else {
                    setenv("TMPDIR", "/proc/self/missing", 1)
                }
                let server = try RawServer(always: .response(status: 204))
                let transport = URLSessionTransport()
                func send(_ count: Int) async throws {
                    let head = RequestHead(method: "PUT", url: server.url())
                    let request = TransportRequest(head: head, body: .source(Source(count)))
                    _ = try await transport.perform(request, for: Recorder())
                }
                try await send(16 << 20)
                let failure = TransportFailure(
                    .unsupportedRequest,
                    "URLSession cannot send a body of more than 16777216 bytes without a temporary file, which cannot "
                        + "be written (\(words)); CurlTransport of PatchbayCurl can, on Linux and macOS")
                await #expect(throws: failure) { try await send((16 << 20) + 1) }
                try #require(server.requests.map(\.body.count) == [16 << 20])
            }
        }

        @Test("a large body takes no more memory than a small one, wherever it comes from")
        func memory() async {
            await #expect(processExitsWith: .success) {
                alarm(200)
                let server = try RawServer(readsBodies: false) { request in
                    let count = request.fields["Content-Length"].flatMap { Int($0) } ?? 0
                    return RawReply([.drop(count)] + RawReply.response(status: 204).steps)
                }
                let transport = URLSessionTransport()
                func send(_ count: Int) async throws {
                    let head = RequestHead(method: "PUT", url: server.url())
                    let request = TransportRequest(head: head, body: .source(Source(count)))
                    _ = try await transport.perform(request, for: Recorder())
                }
                try await send(20 << 20)
                let before = try PeakMemory.kibibytes()
                try await send(256 << 20)
                let grown = try PeakMemory.kibibytes() - before
                try #require(grown < 48 << 10, "\(grown) KiB")
            }
        }
    }
#endif
