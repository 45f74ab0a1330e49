import Foundation
import Patchbay
import PatchbayCurl
import PatchbayRegistry
import TestSupport
import Testing

@testable import PatchbayManager

/// Bodies that are made while they are sent, and answered before they have ended.
@Suite("Bodies of sequences over CurlTransport", .timeLimit(.minutes(5)))
struct CurlSequenceBodyTests {
    struct Note: Codable, Equatable, Sendable {
        let number: Int
        var text = "a\n\u{1F600}"
    }

    /// Numbers from 0 on that count themselves, and say when nobody asks for more.
    struct Numbers: AsyncSequence, Sendable {
        typealias Element = Data
        struct Broken: Error {}

        var size = 1
        var count = Int.max
        var fails = false
        /// Waits for good behind the last.
        var hangs = false
        let made = Shared(0)
        private let isAsked = Shared(false)
        private let isLetGo = OneShot()

        func makeAsyncIterator() -> Iterator {
            isAsked.withLock { $0 = true }
            return Iterator(numbers: self, hold: Hold(isLetGo))
        }

        /// Returns once nobody has its iterator any longer; at once where nobody had: a body that the answer overtakes is not asked for.
        func letGo() async {
            if isAsked.withLock(\.self) { await isLetGo.fired() }
        }

        /// What goes with the iterator.
        final class Hold: Sendable {
            private let signal: OneShot
            init(_ signal: OneShot) { self.signal = signal }
            deinit { signal.fire() }
        }

        struct Iterator: AsyncIteratorProtocol {
            let numbers: Numbers
            let hold: Hold

            mutating func next() async throws -> Data? {
                if Task.isCancelled { return nil }
                let made = numbers.made.withLock { made in
                    defer { made += 1 }
                    return made
                }
                guard made >= numbers.count else {
                    return Data(repeating: UInt8(truncatingIfNeeded: made), count: numbers.size)
                }
                if numbers.fails { throw Broken() }
                guard numbers.hangs else { return nil }
                try? await Task.sleep(for: .seconds(3_600))
                return nil
            }
        }
    }

    private static func manager(_ server: RawServer) -> SessionManager {
        SessionManager(baseURL: server.url(), registry: .standard, transport: CurlTransport())
    }

    private static func head(_ status: Int = 200, _ fields: [String] = [], version: String = "1.1") -> String {
        (["HTTP/\(version) \(status) Status", "Content-Type: text/plain"] + fields).joined(separator: "\r\n")
            + "\r\n\r\n"
    }

    private static let chunked = head(200, ["Transfer-Encoding: chunked"])

    /// Answers at once, and sends every chunk back as it came.
    private static func echo(greeting: [UInt8]? = nil, _ chunks: Shared<[[UInt8]]>) throws -> RawServer {
        try RawServer(readsBodies: false) { _ in
            RawReply([
                .converse { peer in
                    peer.send(chunked)
                    if let greeting { peer.sendChunk(greeting) }
                    while let chunk = peer.readChunk() {
                        chunks.withLock { $0.append(chunk) }
                        if chunk.isEmpty { _ = peer.readTrailers() }
                        peer.sendChunk(chunk)
                        if chunk.isEmpty { return }
                    }
                }
            ])
        }
    }

    @Test(
        "1,000 pieces of one byte are echoed, each sent when the echo of the last has arrived",
        arguments: [false, true])
    func echo(_ serverSpeaksFirst: Bool) async throws {
        let chunks = Shared<[[UInt8]]>([])
        let server = try Self.echo(greeting: serverSpeaksFirst ? [0xFF] : nil, chunks)
        let (pieces, feed) = AsyncStream.makeStream(of: Data.self)
        var sent: [UInt8] = []
        func sendNext() {
            guard sent.count < 1_000 else { return feed.finish() }
            sent.append(UInt8(sent.count % 251))
            feed.yield(Data(sent.suffix(1)))
        }
        if !serverSpeaksFirst { sendNext() }
        let request = SessionRequest("echo", method: "POST", content: .stream(pieces))
        var received: [UInt8] = []
        for try await piece in try await Self.manager(server).stream(request, of: Data.self) {
            for byte in piece {
                received.append(byte)
                sendNext()
            }
        }
        #expect(sent.count == 1_000)
        #expect(received == (serverSpeaksFirst ? [0xFF] : []) + sent)
        #expect(chunks.withLock { $0 } == sent.map { [$0] } + [[]])
        #expect(server.requests.first?.fields["Transfer-Encoding"] == "chunked")
    }

    @Test(
        "elements are sent and answered by turns, as lines of JSON or as a sequence of JSON texts",
        arguments: [false, true])
    func elements(_ isSequence: Bool) async throws {
        let type = isSequence ? "application/json-seq" : "application/x-ndjson"
        let chunks = Shared<[[UInt8]]>([])
        let server = try RawServer(readsBodies: false) { _ in
            RawReply([
                .converse { peer in
                    peer.send("HTTP/1.1 200 OK\r\nContent-Type: \(type)\r\nTransfer-Encoding: chunked\r\n\r\n")
                    while let chunk = peer.readChunk() {
                        chunks.withLock { $0.append(chunk) }
                        peer.sendChunk(chunk)
                        if chunk.isEmpty { return }
                    }
                }
            ])
        }
        let (notes, feed) = AsyncStream.makeStream(of: Note.self)
        feed.yield(Note(number: 0))
        let content: RequestContent =
            isSequence ? .elements(notes, in: "application/json-seq") : .elements(notes, in: .ndjson)
        let request = SessionRequest("notes", method: "POST", content: content)
        var received: [Note] = []
        for try await note in try await Self.manager(server).stream(request, of: Note.self) {
            received.append(note)
            if received.count < 20 { feed.yield(Note(number: received.count)) } else { feed.finish() }
        }
        #expect(received == (0..<20).map { Note(number: $0) })
        let texts = chunks.withLock { $0 }.map { String(decoding: $0, as: UTF8.self) }
        let mark = isSequence ? "\u{1E}" : ""
        #expect(texts == (0..<20).map { "\(mark){\"number\":\($0),\"text\":\"a\\n\u{1F600}\"}\n" } + [""])
        #expect(server.requests.first?.fields["Content-Type"] == type)
    }

    @Test("a server that does not read stops the sequence, which goes on when it does", .timeLimit(.minutes(5)))
    func backPressure() async throws {
        let gate = Gate()
        let total = Shared(0)
        let server = try RawServer(readsBodies: false) { _ in
            RawReply([
                .wait(gate),
                .converse { peer in
                    while let chunk = peer.readChunk(), !chunk.isEmpty { total.withLock { $0 += chunk.count } }
                    _ = peer.readTrailers()
                }, .send(Array((Self.head(200, ["Content-Length: 2"]) + "ok").utf8)),
            ])
        }
        let numbers = Numbers(size: 16 << 10, count: 4_096)
        let manager = Self.manager(server)
        async let answer = manager.upload(.stream(numbers), to: "a", as: String.self)
        // Until no more are asked for for a while.
        var made = -1
        while made != numbers.made.withLock({ $0 }) || made <= 0 {
            made = numbers.made.withLock { $0 }
            try await Task.sleep(for: .milliseconds(300))
        }
        // 64 MiB are to come; what the sockets hold is a few.
        #expect(made < 2_048)
        gate.open()
        #expect(try await answer == "ok")
        #expect(total.withLock { $0 } == 64 << 20)
    }

    /// How a server says that it wants no more.
    struct Refusal: Sendable, CustomTestStringConvertible {
        let name: String
        let steps: [RawReply.Step]
        var testDescription: String { name }

        init(_ name: String, _ head: String, _ rest: String = "", closes: Bool) {
            self.name = name
            // What comes later must be looked for while the body waits.
            let later: [RawReply.Step] = [.pause(.milliseconds(50)), .send(Array(rest.utf8))]
            steps = [.send(Array(head.utf8))] + (rest.isEmpty ? [] : later) + [closes ? .close : .hang]
        }
    }

    private static let refusals: [Refusal] = [
        Refusal("with a length", head(413, ["Content-Length: 5"]) + "large", closes: false),
        Refusal("with a length, its body later", head(413, ["Content-Length: 5"]), "large", closes: false),
        Refusal("chunked", head(413, ["Transfer-Encoding: chunked"]) + "5\r\nlarge\r\n0\r\n\r\n", closes: false),
        Refusal(
            "chunked, its end later", head(413, ["Transfer-Encoding: chunked"]) + "5\r\nlarge\r\n", "0\r\n\r\n",
            closes: false),
        Refusal("and closes", head(413, ["Content-Length: 5"]) + "large", closes: true),
        Refusal(
            "and says that it closes", head(413, ["Content-Length: 5", "Connection: close"]) + "large", closes: true),
        Refusal(
            "and says that it closes, its body later", head(413, ["Content-Length: 5", "Connection: close"]), "large",
            closes: true),
        Refusal(
            "and says that it closes, but does not", head(413, ["Content-Length: 5", "Connection: close"]) + "large",
            closes: false),
        Refusal(
            "chunked, and says that it closes, its end later",
            head(413, ["Transfer-Encoding: chunked", "Connection: close"]) + "5\r\nlarge\r\n", "0\r\n\r\n", closes: true
        ),
        Refusal("up to the end of the connection", head(413) + "large", closes: true),
        Refusal("over HTTP/1.0", head(413, version: "1.0"), "large", closes: true),
    ]

    @Test(
        "an error status ends the body, which waits or not, and is thrown with its own body",
        .timeLimit(.minutes(5)), arguments: refusals, [true, false])
    func refusal(_ refusal: Refusal, _ waits: Bool) async throws {
        let server = try RawServer(readsBodies: false) { _ in RawReply(refusal.steps) }
        // A body without an end: its elements come when they are asked for, or not at all.
        let numbers = Numbers(size: waits ? 1 : 8 << 10, count: waits ? 1 : .max, hangs: true)
        let error = await #expect(throws: SessionError.self) {
            try await Self.manager(server).upload(.stream(numbers), to: "a", as: String.self)
        }
        #expect(error?.code == .status, "\(error.map { "\($0)" } ?? "")")
        #expect(error?.value as? String == "large")
        await numbers.letGo()
        let elements = Numbers(count: 1, hangs: true)
        let second = await #expect(throws: SessionError.self) {
            let request = SessionRequest("a", method: "POST", content: .stream(elements))
            _ = try await Self.manager(server).stream(request, of: Note.self)
        }
        #expect(second?.code == .status)
        #expect(second?.value as? String == "large")
        await elements.letGo()
    }

    @Test(
        "a server that goes away while the body waits ends the call", .timeLimit(.minutes(5)),
        arguments: [
            "", "HTTP/1.1 200 OK\r\nContent-", chunked, chunked + "1\r\na\r\n", chunked + "5\r\nab",
            head(200, ["Content-Length: 3"]) + "a",
        ], [true, false])
    func lost(_ answer: String, _ resets: Bool) async throws {
        let server = try RawServer(readsBodies: false) { _ in
            RawReply([
                .converse { _ = $0.readChunk() }, .send(Array(answer.utf8)), .pause(.milliseconds(50)),
                resets ? .reset : .close,
            ])
        }
        let numbers = Numbers(count: 1, hangs: true)
        let error = await #expect(throws: SessionError.self) {
            let request = SessionRequest("a", method: "POST", content: .stream(numbers))
            for try await _ in try await Self.manager(server).stream(request, of: Data.self) {}
        }
        #expect(error?.code == .transport, "\(error.map { "\($0)" } ?? "")")
        await numbers.letGo()
    }

    @Test("a success that is complete does not end a body that has more", arguments: [true, false], [true, false])
    func earlySuccess(_ readsBefore: Bool, _ isChunked: Bool) async throws {
        let (pieces, feed) = AsyncStream.makeStream(of: Data.self)
        let chunks = Shared<[[UInt8]]>([])
        let over = OneShot()
        let server = try RawServer(readsBodies: false) { _ in
            RawReply([
                .converse { peer in
                    if readsBefore {
                        let chunk = peer.readChunk() ?? []
                        chunks.withLock { $0.append(chunk) }
                    }
                    for text in ["b", "c"] { feed.yield(Data(text.utf8)) }
                    feed.finish()
                    peer.send(
                        isChunked
                            ? Self.chunked + "2\r\nok\r\n0\r\n\r\n" : Self.head(200, ["Content-Length: 2"]) + "ok")
                    defer { over.fire() }
                    while let chunk = peer.readChunk() {
                        chunks.withLock { $0.append(chunk) }
                        if chunk.isEmpty { return }
                    }
                }
            ])
        }
        feed.yield(Data("a".utf8))
        let request = SessionRequest("a", method: "POST", content: .stream(pieces))
        let reply = try await Self.manager(server).send(request)
        #expect(reply.value as? String == "ok")
        await over.fired()
        let sent = chunks.withLock { $0 }
        #expect(String(decoding: sent.joined(), as: UTF8.self) == "abc")
        #expect(sent.last == [], "the last chunk was sent")
    }

    /// Answers at once, and keeps what comes of the body until its connection ends.
    private static func reading(_ rest: Shared<[UInt8]?>, until over: OneShot) throws -> RawServer {
        try RawServer(readsBodies: false) { _ in
            RawReply([
                .converse { peer in
                    peer.send(chunked)
                    let bytes = peer.readToEnd()
                    rest.withLock { $0 = bytes }
                    over.fire()
                }, .close,
            ])
        }
    }

    @Test("a sequence that fails fails the call, and no last chunk is sent", arguments: [0, 1, 300])
    func failure(_ count: Int) async throws {
        let rest = Shared<[UInt8]?>(nil)
        let over = OneShot()
        let server = try Self.reading(rest, until: over)
        let numbers = Numbers(size: 7, count: count, fails: true)
        let error = await #expect(throws: SessionError.self) {
            let request = SessionRequest("a", method: "POST", content: .stream(numbers))
            for try await _ in try await Self.manager(server).stream(request, of: Data.self) {}
        }
        #expect(error?.code == .unreadableContent)
        #expect(error?.cause is Numbers.Broken)
        await over.fired()
        let bytes = try #require(rest.withLock { $0 })
        #expect(!String(decoding: bytes, as: UTF8.self).hasSuffix("0\r\n\r\n"))
    }

    /// Writes each element as its position, and fails at the third one behind the first.
    private struct Rows: ElementWritingSerializer {
        struct Fault: Error {}

        func writeElement(_ value: some Encodable, at position: Int, as type: MediaType) throws -> Data {
            if position == 3 { throw Fault() }
            return Data("row \(position)\n".utf8)
        }
    }

    @Test("an element that cannot be written cuts the body: the server never sees the last chunk")
    func unwritten() async throws {
        let rest = Shared<[UInt8]?>(nil)
        let over = OneShot()
        let server = try Self.reading(rest, until: over)
        let manager = SessionManager(
            baseURL: server.url(), registry: try .standard.adding("rows", Rows(), types: ["x/rows"]),
            transport: CurlTransport())
        let (elements, feed) = AsyncStream.makeStream(of: Int.self)
        for element in 0..<10 { feed.yield(element) }
        feed.finish()
        let error = await #expect(throws: SessionError.self) {
            try await manager.upload(.elements(elements, in: "x/rows"), to: "a")
        }
        #expect(error?.code == .writing)
        #expect(error?.cause is Rows.Fault)
        #expect(error?.written?.entry == "rows")
        await over.fired()
        let bytes = try #require(rest.withLock { $0 })
        #expect(!String(decoding: bytes, as: UTF8.self).hasSuffix("0\r\n\r\n"))
    }

    @Test("cancelling the call, and leaving its loop, end the sequence and the connection", arguments: [true, false])
    func letGo(_ cancels: Bool) async throws {
        let chunks = Shared<[[UInt8]]>([])
        let server = try Self.echo(chunks)
        let numbers = Numbers(count: 1, hangs: true)
        let stream = try await Self.manager(server).stream(
            SessionRequest("a", method: "POST", content: .stream(numbers)), of: Data.self)
        if cancels {
            let task = stream.task
            let error = await #expect(throws: SessionError.self) { for try await _ in stream { task.cancel() } }
            #expect(error?.code == .cancelled)
        } else {
            for try await _ in stream { break }
        }
        await numbers.letGo()
        await until { server.openConnections == 0 }
        #expect(chunks.withLock { $0 } == [[0]])
    }

    @Test("a server that closes in the middle of the body, at any place, ends the call, and never with a success")
    func closingAnywhere() async throws {
        let rounds = ProcessInfo.processInfo.environment["PATCHBAY_CLOSING_ROUNDS"].flatMap { Int($0) } ?? 40
        let manager = SessionManager(registry: .standard, transport: CurlTransport())
        try await withThrowingTaskGroup(of: Void.self) { group in
            for round in 0..<rounds {
                if round >= 8 { _ = try await group.next() }
                group.addTask {
                    let server = try RawServer(readsBodies: false) { _ in
                        RawReply([
                            .converse { peer in
                                if round % 3 == 0 { peer.send(Self.chunked) }
                                // At every byte of the first 180, of which there are 200 and more.
                                _ = peer.read(round * 7 % 181)
                            }, round % 2 == 0 ? .close : .reset,
                        ])
                    }
                    let numbers = Numbers(size: 1 + round % 40, count: round % 2 == 0 ? 200 : .max, hangs: true)
                    let error = await #expect(throws: SessionError.self) {
                        let request = SessionRequest(url: server.url(), method: "POST", content: .stream(numbers))
                        for try await _ in try await manager.stream(request, of: Data.self) {}
                    }
                    #expect(error?.code == .transport, "\(round): \(error.map { "\($0)" } ?? "")")
                    await numbers.letGo()
                }
            }
            try await group.waitForAll()
        }
    }
}
