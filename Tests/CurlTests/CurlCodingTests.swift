import Foundation
import Patchbay
import PatchbayCurl
import PatchbayManager
import PatchbayRegistry
import TestSupport
import Testing

@Suite("CurlTransport undoes content codings", .timeLimit(.minutes(5)))
struct CurlCodingTests {
    private func reply(_ coding: String, _ body: [UInt8], length: Bool = true) -> RawReply {
        let head = "HTTP/1.1 200 OK\r\nContent-Encoding: \(coding)\r\n"
        return .raw(Array((head + (length ? "Content-Length: \(body.count)\r\n\r\n" : "\r\n")).utf8) + body)
    }

    @Test("The body is what was coded", arguments: CodedBody.all)
    func whole(_ coded: CodedBody) async throws {
        let server = try RawServer(always: reply(coded.coding, coded.bytes))
        let exchange = await CurlTransport().exchange(server.url())
        #expect(exchange.result.failure == nil)
        #expect(exchange.record.text == CodedBody.text)
        #expect(exchange.record.fields["Content-Encoding"] == coded.coding)
    }

    @Test("A coded body that is cut is no success", arguments: CodedBody.all)
    func cut(_ coded: CodedBody) async throws {
        let server = try RawServer(always: reply(coded.coding, coded.bytes.dropLast(9)))
        let exchange = await CurlTransport().exchange(server.url())
        #expect(exchange.result.failure?.code == .undecodableContent)
    }

    @Test("A coded body that is cut by the end of the connection is no success", arguments: CodedBody.all)
    func cutByClose(_ coded: CodedBody) async throws {
        let server = try RawServer(always: reply(coded.coding, coded.bytes.dropLast(9), length: false))
        let exchange = await CurlTransport().exchange(server.url())
        #expect(exchange.result.failure?.code == .undecodableContent)
    }

    @Test("Bytes behind a coded body are no success", arguments: CodedBody.all)
    func garbage(_ coded: CodedBody) async throws {
        let server = try RawServer(always: reply(coded.coding, coded.bytes + [0x47, 0x47, 0x47, 0x47]))
        let exchange = await CurlTransport().exchange(server.url())
        #expect(exchange.result.failure?.code == .undecodableContent)
    }

    @Test("The body is the same byte by byte", arguments: CodedBody.all)
    func byteByByte(_ coded: CodedBody) async throws {
        let server = try RawServer(always: reply(coded.coding, coded.bytes).sliced(into: 1))
        #expect(await CurlTransport().exchange(server.url()).record.text == CodedBody.text)
    }

    @Test("A resumable download, which asks for no coding, gets what was coded all the same", arguments: CodedBody.all)
    func unaskedCoding(_ coded: CodedBody) async throws {
        let server = try RawServer(always: reply(coded.coding, coded.bytes))
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = DownloadDestination.file(folder.appending(path: "x")).creatingFolders()
        let manager = SessionManager(registry: .standard, transport: CurlTransport())
        for destination in [file.resumable(), file.replacingFile()] {
            let made = try await manager.download(SessionRequest(server.url().absoluteString), to: destination).value
            #expect(try String(contentsOf: made, encoding: .utf8) == CodedBody.text)
        }
        #expect(server.requests.map { $0.fields["Accept-Encoding"] == "identity" } == [true, false])
        // Without a file, a request with the field does its own decoding.
        let raw = try await manager.send(
            SessionRequest(server.url().absoluteString, headers: ["Accept-Encoding": "identity"]), as: Data.self)
        #expect(Array(raw.value) == coded.bytes)
    }

    /// A server that codes what it sends, as nginx does: only for who takes it, and then it knows no ranges.
    private static func codingServer() throws -> RawServer {
        try RawServer { request in
            let text = Array(CodedBody.text.utf8)
            guard request.fields["Accept-Encoding"] == "identity" else {
                return .response(
                    ["Content-Type": "text/plain", "Content-Encoding": "gzip"], body: StoredCoding.gzip.code(text))
            }
            return .response(
                status: 206, ["Content-Type": "text/plain", "Content-Range": "bytes 0-3/\(text.count)"],
                body: Array(text.prefix(4)))
        }
    }

    @Test("A range is of the content, not of a coding of it: in memory, in a file, and in a stream")
    func range() async throws {
        let server = try Self.codingServer()
        let manager = SessionManager(registry: .standard, transport: CurlTransport())
        let request = SessionRequest(server.url().absoluteString, headers: ["Range": "bytes=0-3"])
        let part = Data(CodedBody.text.utf8.prefix(4))
        let reply = try await manager.send(request, as: Data.self)
        #expect((reply.head.status, reply.value) == (206, part))
        let file = try await manager.download(request).value
        #expect(try Data(contentsOf: file) == part)
        try FileManager.default.removeItem(at: file)
        var streamed = Data()
        for try await piece in try await manager.stream(request, of: Data.self) { streamed += piece }
        #expect(streamed == part)
        // Without a range, the coding is asked for and undone.
        let whole = try await manager.send(SessionRequest(server.url().absoluteString), as: Data.self)
        #expect(whole.value == Data(CodedBody.text.utf8))
    }

    @Test("A part of coded content is given as it came, and the whole of it decoded", arguments: CodedBody.all)
    func codedRange(_ coded: CodedBody) async throws {
        let manager = SessionManager(registry: .standard, transport: CurlTransport())
        let part = Array(coded.bytes.prefix(9))
        for (status, body, content) in [
            (206, part, part), (200, coded.bytes, Array(CodedBody.text.utf8)),
        ] {
            var fields: HeaderFields = ["Content-Encoding": coded.coding]
            if status == 206 { fields["Content-Range"] = "bytes 0-8/99" }
            let server = try RawServer(always: .response(status: status, fields, body: body))
            let request = SessionRequest(server.url().absoluteString, headers: ["Range": "bytes=0-8"])
            #expect(try await manager.send(request, as: Data.self).value == Data(content))
            let file = try await manager.download(request).value
            #expect(try Data(contentsOf: file) == Data(content))
            try FileManager.default.removeItem(at: file)
        }
    }

    @Test("A gzip body of two members is both of them")
    func members() async throws {
        let gzip = try #require(CodedBody.all.first { $0.coding == "gzip" })
        let server = try RawServer(always: reply("x-gzip", gzip.bytes + gzip.bytes))
        let exchange = await CurlTransport().exchange(server.url())
        #expect(exchange.record.text == CodedBody.text + CodedBody.text)
    }

    @Test("No bytes are no coded bytes", arguments: ["GET", "HEAD"])
    func empty(_ method: String) async throws {
        let server = try RawServer(always: reply("gzip, br", []))
        let exchange = await CurlTransport().exchange(server.url(), method: method)
        #expect(exchange.result.failure == nil)
        #expect(exchange.record.body.isEmpty)
    }

    @Test("Three codings are too many, and two are not, unless the transport allows others", arguments: [nil, 1, 3, 5])
    func manyCodings(_ limit: Int?) async throws {
        let transport = limit.map { CurlTransport(maximumContentCodings: $0) } ?? CurlTransport()
        let limit = limit ?? 2
        let text = Array(CodedBody.text.utf8)
        for count in [limit - 1, limit, limit + 1] where count > 0 {
            let coded = (0..<count).reduce(text) { bytes, _ in StoredCoding.gzip.code(bytes) }
            let codings = Array(repeating: "gzip", count: count).joined(separator: ", identity, ")
            let server = try RawServer(always: reply(codings, coded))
            let exchange = await transport.exchange(server.url())
            #expect(exchange.record.text == (count <= limit ? CodedBody.text : ""))
            #expect(
                exchange.result.failure
                    == (count <= limit
                        ? nil
                        : TransportFailure(
                            .undecodableContent,
                            "the body has more than \(limit) content coding\(limit == 1 ? "" : "s")")))
        }
    }

    /// What senders put into Content-Encoding that is no coding, or none that anybody knows.
    static let misused = ["utf-8", "UTF-8", "", " ", "identity", "Identity", "none", "binary", "BINARY, utf-8,, none"]

    @Test("What is no coding is left alone, with a body and without one", arguments: misused)
    func noCoding(_ value: String) async throws {
        let server = try RawServer(always: reply(value, Array("as it is".utf8)))
        let exchange = await CurlTransport().exchange(server.url())
        #expect(exchange.result.failure == nil)
        #expect(exchange.record.text == "as it is")
        #expect(exchange.record.fields["Content-Encoding"] == value.trimmingBlanks)
        let gzip = try #require(CodedBody.all.first)
        let both = try RawServer(always: reply("\(value), gzip, \(value)", gzip.bytes))
        #expect(await CurlTransport().exchange(both.url()).record.text == CodedBody.text)
    }

    struct Bodiless: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var method = "GET"
        let status: Int
        var length = 0
    }

    static let bodiless = [
        Bodiless(testDescription: "HEAD", method: "HEAD", status: 200, length: 100),
        Bodiless(testDescription: "204", status: 204),
        Bodiless(testDescription: "304", status: 304, length: 100),
        Bodiless(testDescription: "no bytes", status: 200),
    ]

    @Test(
        "A response without a body may name any coding", arguments: bodiless, misused + ["rot13", "gzip", "a, b, c, d"])
    func noBody(_ item: Bodiless, _ coding: String) async throws {
        let length = item.status == 204 ? "" : "Content-Length: \(item.length)\r\n"
        let head = "HTTP/1.1 \(item.status) Status\r\nContent-Encoding: \(coding)\r\n\(length)\r\n"
        let server = try RawServer(always: .raw(head, closing: false))
        let exchange = await CurlTransport().exchange(server.url(), method: item.method)
        #expect(exchange.result.failure == nil)
        #expect(exchange.record.status == item.status)
        #expect(exchange.record.body.isEmpty)
    }

    @Test(
        "An unknown coding of a body is named, cleanly and in short",
        arguments: [
            ("rot13", "\"rot13\""), ("gzip, ROT13", "\"rot13\""), ("compress", "\"compress\""),
            ("text/html; charset=\"x\"", "\"text/html; charset=?x?\""),
            ("a\u{1B}[2Jb\u{202E}\\c", "\"a?[2jb??c\""),
            (String(repeating: "x", count: 100), "\"\(String(repeating: "x", count: 40))…\""),
        ])
    func unknown(_ value: String, _ name: String) async throws {
        let server = try RawServer(always: reply(value, [1, 2, 3]))
        let exchange = await CurlTransport().exchange(server.url())
        #expect(
            exchange.result.failure
                == TransportFailure(
                    .undecodableContent, "the body has the content coding \(name), which cannot be undone"))
        #expect(exchange.record.status == 200)
        #expect(exchange.record.counts.offers == 0)
    }

    @Test("Whoever asks for codings gets them as they are", arguments: CodedBody.all)
    func asIs(_ coded: CodedBody) async throws {
        let server = try RawServer(always: reply(coded.coding, coded.bytes))
        let exchange = await CurlTransport().exchange(server.url(), fields: ["Accept-Encoding": "x"])
        #expect(exchange.result.failure == nil)
        #expect(exchange.record.body == coded.bytes)
    }

    @Test("A bomb is stopped where the receiver says")
    func bomb() async throws {
        // 64 MiB of zeros.
        let server = try RawServer(always: reply("gzip", GzipMember.bomb))
        let limit = 1 << 20
        let receiver = RecordingReceiver(answerChunk: { $0.bytes > limit ? .stop : .proceed })
        let exchange = await CurlTransport().exchange(server.url(), receiver: receiver)
        #expect(exchange.result.failure == TransportFailure(.stopped, "the exchange was stopped"))
        #expect((limit...limit + (1 << 16)).contains(exchange.record.body.count))
    }
}

extension String {
    /// The text without the blanks that a header field loses on its way.
    fileprivate var trimmingBlanks: String { String(drop { $0 == " " }) }
}
