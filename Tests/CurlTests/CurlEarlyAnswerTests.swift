import Foundation
import Patchbay
import PatchbayCurl
import PatchbayMigration
import PatchbayRegistry
import TestSupport
import Testing

@testable import PatchbayManager

/// Responses that are complete while the body of the request is not.
@Suite("Answers before the end of a body over CurlTransport", .serialized, .timeLimit(.minutes(5)))
struct CurlEarlyAnswerTests {
    typealias Numbers = CurlSequenceBodyTests.Numbers

    /// A response that leaves its connection open, unless it says otherwise.
    struct Answer: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let status: Int
        let steps: [RawReply.Step]
        let text: String
        let trailers: HeaderFields

        /// - Parameter pieces: what is sent, one after the other.
        init(
            _ name: String, status: Int = 200, _ fields: [String], _ pieces: [[UInt8]], text: String = "ok",
            trailers: HeaderFields = [:], closes: Bool = false
        ) {
            (testDescription, self.status, self.text, self.trailers) = (name, status, text, trailers)
            let head = (["HTTP/1.1 \(status) Status", "Content-Type: text/plain"] + fields).joined(separator: "\r\n")
            let first = Array((head + "\r\n\r\n").utf8) + (pieces.first ?? [])
            steps =
                [.send(first)] + pieces.dropFirst().flatMap { [.pause(.milliseconds(30)), .send($0)] }
                + (closes ? [.converse { $0.endSending() }] : [])
        }
    }

    private static func bytes(_ texts: String...) -> [[UInt8]] { texts.map { Array($0.utf8) } }

    private static let gzip = StoredCoding.gzip.code(Array("ok".utf8))
    private static let chunked = "Transfer-Encoding: chunked"

    private static let answers = [
        Answer("a length", ["Content-Length: 2"], bytes("ok")),
        Answer("a length, the body later", ["Content-Length: 2"], bytes("", "o", "k")),
        Answer("chunks", [chunked], bytes("2\r\nok\r\n0\r\n\r\n")),
        Answer("chunks, one by one", [chunked], bytes("", "1\r\no\r\n", "1\r\nk\r\n", "0\r\n\r\n")),
        Answer("chunks, cut anywhere", [chunked], bytes("2", "\r\no", "k\r\n0\r", "\n\r", "\n")),
        Answer("no chunk", [chunked], bytes("0\r\n\r\n"), text: ""),
        Answer(
            "trailers", [chunked], bytes("2\r\nok\r\n0\r\nX-Sum: 6\r\n", "X-More: a\r\n\r\n"),
            trailers: ["X-Sum": "6", "X-More": "a"]),
        Answer("no content", status: 204, [], [], text: ""),
        Answer("a length of 0", ["Content-Length: 0"], [], text: ""),
        Answer("a coding", ["Content-Encoding: gzip", "Content-Length: \(gzip.count)"], [gzip]),
        Answer(
            "a coding in chunks", ["Content-Encoding: gzip", chunked],
            [Array("\(String(gzip.count, radix: 16))\r\n".utf8) + gzip, Array("\r\n0\r\n\r\n".utf8)]),
        Answer("a length, and closes", ["Content-Length: 2"], bytes("ok"), closes: true),
        Answer("chunks, and closes", [chunked], bytes("2\r\nok\r\n0\r\n\r\n"), closes: true),
        Answer("chunks one by one, and closes", [chunked], bytes("2\r\nok\r\n", "0\r\n\r\n"), closes: true),
        Answer(
            "chunks, and says that it closes", [chunked, "Connection: close"], bytes("2\r\nok\r\n0\r\n\r\n"),
            closes: true),
        Answer("up to the end of the connection", [], bytes("ok"), closes: true),
    ]

    /// Reads the first chunk, or none, answers and then reads to the end of the connection.
    private static func answering(
        _ answer: Answer, after chunk: Bool, _ rest: Shared<[UInt8]?>, _ over: OneShot
    ) throws -> RawServer {
        try RawServer(readsBodies: false) { request in
            guard request.target == "/a" else { return .response(["Content-Type": "text/plain"], body: "next") }
            let first: [RawReply.Step] = chunk ? [.converse { _ = $0.readChunk() }] : []
            let last = RawReply.Step.converse { peer in
                let bytes = peer.readToEnd()
                rest.withLock { $0 = bytes }
                over.fire()
            }
            return RawReply(first + answer.steps + [last, .close])
        }
    }

    private static func manager(_ server: RawServer) -> SessionManager {
        SessionManager(baseURL: server.url(), registry: .standard, transport: CurlTransport())
    }

    @Test(
        "A body that only waits is stopped when the response is complete, which is the reply",
        arguments: answers, [true, false])
    func stops(_ answer: Answer, _ waitsBefore: Bool) async throws {
        let (rest, over) = (Shared<[UInt8]?>(nil), OneShot())
        let server = try Self.answering(answer, after: waitsBefore, rest, over)
        let manager = Self.manager(server)
        let numbers = Numbers(count: 1, hangs: true)
        var request = SessionRequest("a", method: "POST", content: .stream(numbers))
        // The first piece waits for all tests that start at once.
        request.idleTimeout = .seconds(60)
        let reply = try await manager.send(request)
        #expect(reply.head.status == answer.status)
        #expect(reply.value as? String ?? "" == answer.text)
        #expect(reply.trailers == answer.trailers)
        // Nobody asks for more, and no server takes the body for a whole one.
        await numbers.letGo()
        #expect(try await manager.get("b", as: String.self) == "next")
        #expect(server.connections == 2)
        await over.fired()
        let bytes = try #require(rest.withLock { $0 })
        #expect((waitsBefore ? "" : "1\r\n\0\r\n").hasPrefix(String(decoding: bytes, as: UTF8.self)))
        #expect(server.requests.map(\.target) == ["/a", "/b"])
    }

    @Test("So does a stream end, behind its elements", arguments: answers, [true, false])
    func ends(_ answer: Answer, _ waitsBefore: Bool) async throws {
        let (rest, over) = (Shared<[UInt8]?>(nil), OneShot())
        let server = try Self.answering(answer, after: waitsBefore, rest, over)
        let numbers = Numbers(count: 1, hangs: true)
        var request = SessionRequest("a", method: "POST", content: .stream(numbers))
        request.idleTimeout = .seconds(60)
        let stream = try await Self.manager(server).stream(request, of: Data.self)
        var text = ""
        for try await piece in stream { text += String(decoding: piece, as: UTF8.self) }
        #expect(text == answer.text)
        #expect(stream.trailers == answer.trailers)
        await numbers.letGo()
        await over.fired()
        let bytes = try #require(rest.withLock { $0 })
        #expect(!String(decoding: bytes, as: UTF8.self).hasSuffix("0\r\n\r\n"))
    }

    /// A body that has bytes to give, and how it looks at the server.
    struct Content: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let content: @Sendable (_ folder: URL) throws -> RequestContent
        let bytes: [UInt8]
        /// How many chunks there have to be; nil for any number.
        var chunks: Int?
    }

    private static let thousand = (0..<1_000).map { UInt8(truncatingIfNeeded: $0) }
    private static let large = (0..<(3 << 20)).map { UInt8(truncatingIfNeeded: $0 &* $0 >> 7) }

    private static let contents = [
        Content(
            testDescription: "1,000 pieces of one byte", content: { _ in .stream(Numbers(count: 1_000)) },
            bytes: thousand),
        Content(
            testDescription: "1,000 pieces of one byte that take their time",
            content: { _ in
                .stream(
                    Numbers(count: 1_000).map { piece in
                        await Task.yield()
                        return piece
                    })
            }, bytes: thousand),
        Content(
            testDescription: "pieces with a known length",
            content: { _ in .stream(Numbers(count: 1_000), length: 1_000) },
            bytes: thousand),
        Content(
            testDescription: "a file",
            content: { folder in
                let file = folder.appending(path: "large")
                try Data(large).write(to: file)
                return .file(file)
            }, bytes: large),
        Content(testDescription: "bytes at hand", content: { _ in .data(Data(large)) }, bytes: large),
    ]

    @Test("A body that has bytes to give goes on, though the response is complete", arguments: contents, [true, false])
    func goesOn(_ body: Content, _ isChunked: Bool) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let (received, over) = (Shared<[UInt8]>([]), OneShot())
        let answer = Self.answers[isChunked ? 2 : 0]
        let server = try RawServer(readsBodies: false) { request in
            guard request.target == "/a" else { return .response(["Content-Type": "text/plain"], body: "next") }
            let length = request.fields["Content-Length"].flatMap { Int($0) }
            return RawReply(
                answer.steps + [
                    .converse { peer in
                        defer { over.fire() }
                        if let length {
                            received.withLock { $0 = peer.read(length) ?? [] }
                            return
                        }
                        while let chunk = peer.readChunk() {
                            received.withLock { $0 += chunk }
                            if chunk.isEmpty {
                                _ = peer.readTrailers()
                                return
                            }
                        }
                    }
                ])
        }
        let manager = Self.manager(server)
        let reply = try await manager.send(SessionRequest("a", method: "POST", content: try body.content(folder)))
        #expect(reply.value as? String == "ok")
        await over.fired()
        #expect(received.withLock { $0 } == body.bytes)
        // The connection is good for another request.
        #expect(try await manager.get("b", as: String.self) == "next")
        #expect(server.connections == 1)
    }

    @Test("A body that waits while its task is suspended goes on when that is resumed")
    func suspended() async throws {
        let answer = Self.answers[2]
        let (isRead, over, rest) = (OneShot(), OneShot(), Shared<[[UInt8]]>([]))
        let server = try RawServer(readsBodies: false) { _ in
            RawReply(
                [.converse { _ = $0.readChunk() }] + answer.steps + [
                    .run { isRead.fire() },
                    .converse { peer in
                        defer { over.fire() }
                        while let chunk = peer.readChunk() {
                            rest.withLock { $0.append(chunk) }
                            if chunk.isEmpty { return }
                        }
                    },
                ])
        }
        let (pieces, feed) = AsyncStream.makeStream(of: Data.self)
        feed.yield(Data("a".utf8))
        var request = SessionRequest("a", method: "POST", content: .stream(pieces))
        request.isPausable = true
        let task = Self.manager(server).uploadTask(request)
        task.resume()
        await isRead.fired()
        task.task.suspend()
        for text in ["b", "c"] { feed.yield(Data(text.utf8)) }
        feed.finish()
        try await Task.sleep(for: .milliseconds(400))
        task.resume()
        #expect(try await task.reply.value as? String == "ok")
        await over.fired()
        let chunks = rest.withLock { $0 }
        #expect(String(decoding: chunks.joined(), as: UTF8.self) == "bc")
        #expect(chunks.last == [], "the last chunk was sent")
    }

    @Test(
        "A server that answers and reads no more does not end the call with its idle timeout", arguments: [true, false])
    func stuck(_ hasLength: Bool) async throws {
        let server = try RawServer(readsBodies: false) { _ in RawReply(Self.answers[2].steps + [.hang]) }
        let numbers = Numbers(size: 64 << 10, count: hasLength ? 4_096 : .max)
        var request = SessionRequest(
            "a", method: "POST", content: .stream(numbers, length: hasLength ? Int64(4_096) << 16 : nil))
        request.idleTimeout = .seconds(2)
        let reply = try await Self.manager(server).send(request)
        #expect(reply.value as? String == "ok")
        await numbers.letGo()
    }

    enum Ending: CaseIterable { case closed, closedWithKnownLength, reset, resetWithKnownLength }

    /// The server closes before it has read everything. Its system then resets the connection, and the next piece of the body fails.
    @Test(
        "A server that answers, reads no more and closes has answered",
        arguments: [answers[0], answers[2], answers[6], answers[7], answers[9], answers[10]], Ending.allCases)
    func closed(_ answer: Answer, _ ending: Ending) async throws {
        let isReset = ending == .reset || ending == .resetWithKnownLength
        // A reset may overtake the answer: this one leaves time to read it.
        let end: [RawReply.Step] = isReset ? [.pause(.milliseconds(100)), .reset] : [.close]
        let server = try RawServer(readsBodies: false) { _ in RawReply(answer.steps + end) }
        let manager = Self.manager(server)
        for _ in 0..<3 {
            let numbers = Numbers(count: 50, hangs: true)
            let length: Int64? = ending == .closed || ending == .reset ? nil : 100
            let content = RequestContent.stream(numbers, length: length)
            let reply = try await manager.send(SessionRequest("a", method: "POST", content: content))
            #expect(reply.value as? String ?? "" == answer.text)
            #expect(reply.trailers == answer.trailers)
        }
    }

    @Test("So has one that closes while the body still has bytes to give", arguments: 0..<3)
    func closedBeforeEnd(_ kind: Int) async throws {
        // More than the buffers of both sockets hold.
        let count = 64 << 20
        let file = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: file) }
        let content: RequestContent
        switch kind {
        case 0: content = .data(Data(count: count))
        case 1:
            try Data(count: count).write(to: file)
            content = .file(file)
        default: content = .stream(Numbers(size: 64 << 10, count: count >> 16))
        }
        // The system of a server that closes with unread bytes resets the connection, here after the answer was read.
        let isRead = Gate()
        let server = try RawServer(readsBodies: false) { _ in
            RawReply(Self.answers[0].steps + [.wait(isRead), .reset])
        }
        var configuration = SessionConfiguration()
        configuration.observers = [ClosureObserver { if case .received = $0.stage { isRead.open() } }]
        let manager = SessionManager(
            baseURL: server.url(), registry: .standard, transport: CurlTransport(), configuration: configuration)
        let task = manager.uploadTask(SessionRequest("a", method: "POST", content: content))
        let reply = try await task.resume().reply
        #expect(reply.head.status == 200)
        #expect(reply.value as? String == "ok")
        #expect(task.task.uploadProgress.completedBytes < count, "the rest of the body was not sent")
    }

    /// What is sent after the reset fails, and libcurl then reads no more.
    @Test("A server that answers and resets the connection at once has answered, or the connection was lost")
    func resetAtOnce() async throws {
        let answer = Self.answers[0]
        let server = try RawServer(readsBodies: false) { _ in RawReply(answer.steps + [.reset]) }
        let manager = Self.manager(server)
        for _ in 0..<100 {
            let content = RequestContent.stream(Numbers(count: 50, hangs: true))
            do throws(SessionError) {
                let reply = try await manager.send(SessionRequest("a", method: "POST", content: content))
                #expect(reply.value as? String ?? "" == answer.text)
            } catch {
                #expect(error.code == .transport)
                #expect(error.reason == "the connection was lost")
            }
        }
    }

    @Test("A call whose response is whole is not lost to its total timeout")
    func totalTimeout() async throws {
        let server = try RawServer(readsBodies: false) { _ in RawReply(Self.answers[2].steps + [.hang]) }
        let numbers = Numbers(size: 64 << 10, count: .max)
        var request = SessionRequest("a", method: "POST", content: .stream(numbers))
        (request.idleTimeout, request.totalTimeout) = (.seconds(60), .milliseconds(800))
        #expect(try await Self.manager(server).send(request, as: String.self).value == "ok")
        // Where there is no value the time is over: nobody is asked whether to try again.
        let retries = Shared(0)
        var configuration = SessionConfiguration()
        configuration.interceptors = [
            ClosureInterceptor(retry: { _, _ in
                retries.withLock { $0 += 1 }
                return .retry
            })
        ]
        let manager = SessionManager(
            baseURL: server.url(), registry: .standard, transport: CurlTransport(), configuration: configuration)
        request.content = .stream(Numbers(size: 64 << 10, count: .max))
        let again = request
        let error = await #expect(throws: SessionError.self) { try await manager.send(again, as: [Int].self) }
        #expect(error?.code == .totalTimeout)
        #expect(retries.withLock { $0 } == 0)
    }

    @Test("A body with a known length that only waits is stopped, too")
    func knownLength() async throws {
        let (rest, over) = (Shared<[UInt8]?>(nil), OneShot())
        let server = try Self.answering(Self.answers[2], after: false, rest, over)
        let numbers = Numbers(count: 2, hangs: true)
        let request = SessionRequest("a", method: "POST", content: .stream(numbers, length: 100))
        let reply = try await Self.manager(server).send(request)
        #expect(reply.value as? String == "ok")
        await numbers.letGo()
        await over.fired()
        #expect(rest.withLock { $0 } == [0, 1])
    }

    @Test("A stream that is read slowly is read to its end, though the body waits")
    func slowReader() async throws {
        let lines = (0..<40_000).map { "\($0) \(String(repeating: "x", count: 60))" }
        let body = Array((lines.joined(separator: "\n") + "\n").utf8)
        let answer = Answer("long", ["Content-Length: \(body.count)"], [body])
        let server = try RawServer(readsBodies: false) { _ in RawReply(answer.steps + [.hang]) }
        var configuration = SessionConfiguration()
        configuration.maximumWaitingStreamBytes = 64 << 10
        let manager = SessionManager(
            baseURL: server.url(), registry: .standard, transport: CurlTransport(), configuration: configuration)
        let numbers = Numbers(count: 1, hangs: true)
        let stream = try await manager.stream(
            SessionRequest("a", method: "POST", content: .stream(numbers)), of: String.self)
        var count = 0
        for try await line in stream {
            #expect(line == lines[count])
            count += 1
            if count % 8_000 == 0 { try await Task.sleep(for: .milliseconds(150)) }
        }
        #expect(count == lines.count)
        await numbers.letGo()
    }

    @Test(
        "What a server that was asked whether to continue answers instead is the reply, and the next request is clean",
        arguments: [true, false])
    func expecting(_ isSequence: Bool) async throws {
        let server = try RawServer(readsBodies: false) { request in
            request.target == "/a"
                ? RawReply(Self.answers[0].steps) : .response(["Content-Type": "text/plain"], body: "next")
        }
        let manager = Self.manager(server)
        let numbers = Numbers(count: 1, hangs: true)
        var request = SessionRequest("a", method: "POST", content: isSequence ? .stream(numbers) : .value("abcdef"))
        request.headers["Expect"] = "100-continue"
        #expect(try await manager.send(request).value as? String == "ok")
        for _ in 0..<3 { #expect(try await manager.get("b", as: String.self) == "next") }
        #expect(server.requests.map(\.target) == ["/a", "/b", "/b", "/b"])
        #expect(server.requests.map(\.method) == ["POST", "GET", "GET", "GET"])
        // A server would read the next request as the body that was not sent.
        #expect(server.connections == 2)
    }
}
