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

    @Test("Six codings are too many")
    func manyCodings() async throws {
        let server = try RawServer(always: reply(Array(repeating: "gzip", count: 6).joined(separator: ","), [1]))
        let exchange = await CurlTransport().exchange(server.url())
        #expect(
            exchange.result.failure
                == TransportFailure(.undecodableContent, "the body has more than 5 content codings"))
    }

    @Test("A receiver cannot hold a coded body up that it did not announce to")
    func waitUnannounced() async throws {
        let gzip = try #require(CodedBody.all.first { $0.coding == "gzip" })
        let server = try RawServer(always: reply("gzip", gzip.bytes))
        let receiver = RecordingReceiver(answerChunk: { _ in .wait(Signal()) })
        #expect(await CurlTransport().exchange(server.url(), receiver: receiver).code == .other)
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
        let server = try RawServer(always: reply("gzip", Bomb.gzip))
        let limit = 1 << 20
        let receiver = RecordingReceiver(answerChunk: { $0.bytes > limit ? .stop : .proceed })
        let exchange = await CurlTransport().exchange(server.url(), receiver: receiver)
        #expect(exchange.result.failure == TransportFailure(.stopped, "the exchange was stopped"))
        #expect((limit...limit + (1 << 16)).contains(exchange.record.body.count))
    }
}
