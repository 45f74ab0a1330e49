import PatchbayCurl
import PatchbayManager
import PatchbayRegistry
import TestSupport
import Testing

@Suite("CurlTransport keeps to the receiver's pace", .timeLimit(.minutes(5)))
struct CurlFlowTests {
    private static let body = (0..<(8 << 20)).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 8) }

    @Test("A piece that was not taken is offered again, the head included")
    func offeredAgain() async throws {
        let server = try RawServer(always: .response(body: "abc"))
        let head = Signal()
        let chunk = Signal()
        let receiver = RecordingReceiver(
            answerHead: { $0 == 1 ? .wait(head) : .proceed },
            answerChunk: { $0.offers == 1 ? .wait(chunk) : .proceed })
        async let exchange = CurlTransport().exchange(server.url(), mayPause: true, receiver: receiver)
        await until { receiver.counts.heads == 1 }
        head.fire()
        await until { receiver.counts.offers == 1 }
        #expect(receiver.counts.heads == 2)
        chunk.fire()
        let end = await exchange
        #expect(end.code == nil)
        #expect(end.record.text == "abc")
        #expect(receiver.counts.offers == 2)
    }

    @Test("A head without a body is offered again, too")
    func headOnly() async throws {
        let server = try RawServer(always: .response(status: 204))
        let signal = Signal()
        let receiver = RecordingReceiver(answerHead: { $0 == 1 ? .wait(signal) : .proceed })
        async let exchange = CurlTransport().exchange(server.url(), mayPause: true, receiver: receiver)
        await until { receiver.counts.heads == 1 }
        signal.fire()
        let end = await exchange
        #expect(end.code == nil)
        #expect(receiver.counts.heads == 2)
    }

    @Test("A signal that has fired before the answer holds nothing up")
    func firedBefore() async throws {
        let server = try RawServer(always: .response(body: Self.body))
        let fired = Signal()
        fired.fire()
        let receiver = RecordingReceiver(answerChunk: { $0.offers % 2 == 1 ? .wait(fired) : .proceed })
        let exchange = await CurlTransport().exchange(server.url(), mayPause: true, receiver: receiver)
        #expect(exchange.code == nil)
        #expect(exchange.record.body == Self.body)
        #expect(exchange.record.counts.offers == 2 * exchange.record.counts.chunks)
    }

    @Test("While a receiver waits the sender waits, and other exchanges do not")
    func backPressure() async throws {
        let isAllSent = Guarded(false)
        let large = [UInt8](repeating: 0x61, count: 64 << 20)
        let server = try RawServer { request in
            guard request.target == "/large" else { return .response(body: "small") }
            var reply = RawReply.response(body: large)
            reply.steps.append(.run { isAllSent.withLock { $0 = true } })
            return reply
        }
        let transport = CurlTransport()
        let signal = Signal()
        let receiver = RecordingReceiver(answerChunk: { $0.offers == 1 ? .wait(signal) : .proceed })
        async let exchange = transport.exchange(server.url("/large"), mayPause: true, receiver: receiver)
        await until { receiver.counts.offers == 1 }
        for _ in 0..<100 { #expect(await transport.exchange(server.url("/small")).record.text == "small") }
        #expect(!isAllSent.withLock { $0 })
        #expect(receiver.counts.offers == 1)
        signal.fire()
        let end = await exchange
        #expect(end.record.body.count == large.count)
        await until { isAllSent.withLock { $0 } }
    }

    @Test("A pausable exchange asks for identity over HTTP/1.1")
    func pausable() async throws {
        let server = try RawServer(always: .response(body: ""))
        let exchange = await CurlTransport().exchange(server.url(), mayPause: true)
        #expect(exchange.timings?.httpVersion == "1.1")
        #expect(server.requests.first?.fields.values(for: "Accept-Encoding") == ["identity"])
    }

    @Test("Sent bytes are reported as they go, and in all")
    func sent() async throws {
        let server = try RawServer(always: .response(body: ""))
        let exchange = await CurlTransport().exchange(server.url(), method: "PUT", body: Self.body)
        #expect(exchange.code == nil)
        #expect(exchange.record.counts.sent == Self.body.count)
        #expect(server.requests.first?.body == Self.body)
    }

    @Test("A response before the whole request is there is a response")
    func earlyResponse() async throws {
        let server = try RawServer(readsBodies: false) { _ in
            .raw("HTTP/1.1 413 Too Large\r\nConnection: close\r\nContent-Length: 2\r\n\r\nno")
        }
        let exchange = await CurlTransport().exchange(server.url(), method: "PUT", body: Self.body)
        #expect(exchange.record.status == 413)
        #expect(exchange.record.text == "no")
        #expect(exchange.code == nil)
    }
}
