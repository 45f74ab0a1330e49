import PatchbayCurl
import PatchbayManager
import PatchbayPlatform
import PatchbayRegistry
import TestSupport
import Testing

@Suite("CurlTransport keeps to the receiver's pace", .timeLimit(.minutes(5)))
struct CurlFlowTests {
    private static let body = (0..<(8 << 20)).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 8) }

    @Test("A piece that was not taken is offered again, the head included")
    func offeredAgain() async throws {
        let server = try RawServer(always: .response(body: "abc"))
        let head = OneShot()
        let chunk = OneShot()
        let receiver = RecordingReceiver(
            answerHead: { $0 == 1 ? .wait(head) : .proceed },
            answerChunk: { $0.offers == 1 ? .wait(chunk) : .proceed })
        async let exchange = CurlTransport().exchange(server.url(), isSuspendable: true, receiver: receiver)
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
        let signal = OneShot()
        let receiver = RecordingReceiver(answerHead: { $0 == 1 ? .wait(signal) : .proceed })
        async let exchange = CurlTransport().exchange(server.url(), isSuspendable: true, receiver: receiver)
        await until { receiver.counts.heads == 1 }
        signal.fire()
        let end = await exchange
        #expect(end.code == nil)
        #expect(receiver.counts.heads == 2)
    }

    @Test("A signal that has fired before the answer holds nothing up")
    func firedBefore() async throws {
        let server = try RawServer(always: .response(body: Self.body))
        let fired = OneShot()
        fired.fire()
        let receiver = RecordingReceiver(answerChunk: { $0.offers % 2 == 1 ? .wait(fired) : .proceed })
        let exchange = await CurlTransport().exchange(server.url(), isSuspendable: true, receiver: receiver)
        #expect(exchange.code == nil)
        #expect(exchange.record.body == Self.body)
        #expect(exchange.record.counts.offers == 2 * exchange.record.counts.chunks)
    }

    @Test("While a receiver waits the sender waits, and other exchanges do not", arguments: ["identity", "gzip"])
    func backPressure(_ coding: String) async throws {
        let isAllSent = Guarded(false)
        let large = [UInt8](repeating: 0x61, count: 64 << 20)
        let coded = coding == "gzip" ? StoredCoding.gzip.code(large) : large
        let server = try RawServer { request in
            guard request.target == "/large" else { return .response(body: "small") }
            var reply = RawReply.response(["Content-Encoding": coding], body: coded)
            reply.steps.append(.run { isAllSent.withLock { $0 = true } })
            return reply
        }
        let transport = CurlTransport()
        let signal = OneShot()
        let receiver = RecordingReceiver(answerChunk: { $0.offers == 1 ? .wait(signal) : .proceed })
        async let exchange = transport.exchange(server.url("/large"), isSuspendable: true, receiver: receiver)
        await until { receiver.counts.offers == 1 }
        for _ in 0..<100 { #expect(await transport.exchange(server.url("/small")).record.text == "small") }
        #expect(!isAllSent.withLock { $0 })
        #expect(receiver.counts.offers == 1)
        signal.fire()
        let end = await exchange
        #expect(end.record.body.count == large.count)
        await until { isAllSent.withLock { $0 } }
    }

    @Test("A pausable exchange goes over HTTP/1.1, with the codings of any other")
    func pausable() async throws {
        let server = try RawServer(always: .response(body: ""))
        let exchange = await CurlTransport().exchange(server.url(), isSuspendable: true)
        #expect(exchange.timings?.httpVersion == "1.1")
        #expect(server.requests.first?.fields.values(for: "Accept-Encoding").first?.contains("gzip") == true)
    }

    /// The bytes in the chunks of Transfer-Encoding, with a trailer.
    private static func chunked(_ bytes: [UInt8]) -> [UInt8] {
        let chunks = stride(from: 0, to: bytes.count, by: 9_999).flatMap { start in
            let chunk = bytes[start..<min(start + 9_999, bytes.count)]
            return Array("\(String(chunk.count, radix: 16))\r\n".utf8) + chunk + Array("\r\n".utf8)
        }
        return chunks + Array("0\r\nX-Trailer: 1\r\n\r\n".utf8)
    }

    @Test("A coded body can wait at any piece, whether that was announced or not", arguments: CodedBody.all)
    func codedWaits(_ coded: CodedBody) async throws {
        let text = (0..<TestLength.count(1 << 18, of: 1 << 20, "bytes in each coding")).map {
            UInt8(truncatingIfNeeded: $0 &* $0 >> 7)
        }
        let stored = StoredCoding.allCases.map { ($0.rawValue, $0.code(text)) }
        let twice = StoredCoding.allCases.map { ("\($0.rawValue), \(coded.stored)", coded.store($0.code(text))) }
        let bodies =
            (stored + twice).map { ($0.0, $0.1, text) } + [(coded.coding, coded.bytes, Array(CodedBody.text.utf8))]
        for (index, (coding, bytes, expected)) in bodies.enumerated() {
            let head = "HTTP/1.1 200 OK\r\nContent-Encoding: \(coding)\r\n"
            let framed: [UInt8]
            switch index % 3 {
            case 0: framed = Array("Content-Length: \(bytes.count)\r\n\r\n".utf8) + bytes
            case 1: framed = Array("\r\n".utf8) + bytes
            default: framed = Array("Transfer-Encoding: chunked\r\n\r\n".utf8) + Self.chunked(bytes)
            }
            let server = try RawServer(always: .raw(Array(head.utf8) + framed))
            let receiver = RecordingReceiver.hesitant(UInt64(index))
            let exchange = await CurlTransport().exchange(
                server.url(), isSuspendable: index % 2 == 0, receiver: receiver)
            #expect(exchange.result.failure == nil, "\(coding)")
            #expect(exchange.record.body == expected, "\(coding)")
        }
    }

    @Test("A coded body that waits is not over before its rest was taken, though the host has closed")
    func heldEnd() async throws {
        let gate = OneShot()
        let bytes = [UInt8](repeating: 0x61, count: 1 + 775 * 258)
        let server = try RawServer(
            always: .raw(
                Array("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n".utf8)
                    + GzipMember.repeating([0x61], count: bytes.count)))
        let transport = CurlTransport()
        let receiver = RecordingReceiver(answerChunk: { $0.offers == 2 ? .wait(gate) : .proceed })
        async let exchange = transport.exchange(server.url(), receiver: receiver)
        await until { receiver.counts.offers == 2 && server.openConnections == 0 }
        for _ in 0..<20 { #expect(await transport.exchange(server.url("/other")).record.body == bytes) }
        #expect(receiver.counts.chunks == 1)
        gate.fire()
        let end = await exchange
        #expect(end.code == nil)
        #expect(end.record.body == bytes)
    }

    // While an exchange waits, libcurl joins what comes for it.
    @Test(
        "The fields behind a body are the same, whatever the exchange waits for when they come",
        arguments: RecordingReceiver.Wait.allCases, ["identity", "gzip", "in turns"])
    func trailers(_ wait: RecordingReceiver.Wait, _ coding: String) async throws {
        let text = Array("abc".utf8)
        let members = coding == "in turns" ? 8 : 1
        let coded =
            switch coding {
            case "identity": text
            case "gzip": StoredCoding.gzip.code(text)
            default: Array(repeatElement(GzipMember.repeating([0x61], count: 1 << 20), count: members).joined())
            }
        let head = "HTTP/1.1 200 OK\r\n\(members > 1 || coding == "gzip" ? "Content-Encoding: gzip\r\n" : "")"
        let body = "Transfer-Encoding: chunked\r\n\r\n\(String(coded.count, radix: 16))\r\n"
        let end = "\r\n0\r\nX-Sum: 6\r\nX-More: a\r\nX-None:\r\n\r\n"
        let server = try RawServer(always: .raw(Array((head + body).utf8) + coded + Array(end.utf8)))
        let exchange = await CurlTransport().exchange(server.url(), isSuspendable: true, receiver: wait.receiver)
        #expect(exchange.result.failure == nil)
        #expect(members > 1 ? exchange.record.body.count >= members << 20 : exchange.record.body == text)
        #expect(exchange.record.trailers == ["X-Sum": "6", "X-More": "a", "X-None": ""])
        #expect(exchange.record.fields["X-Sum"] == nil)
    }

    @Test("A coded body that is cut or has bytes behind it is no success after a wait either", arguments: CodedBody.all)
    func damagedWaits(_ coded: CodedBody) async throws {
        for bytes in [Array(coded.bytes.dropLast(9)), coded.bytes + [0x47, 0x47, 0x47, 0x47]] {
            let server = try RawServer(always: .response(["Content-Encoding": coded.coding], body: bytes))
            let exchange = await CurlTransport().exchange(server.url(), receiver: .hesitant(7))
            #expect(exchange.code == .undecodableContent)
        }
    }

    @Test("A coded body that waits stops when asked", arguments: [true, false])
    func stoppedWait(_ bySignal: Bool) async throws {
        let gzip = try #require(CodedBody.all.first)
        let server = try RawServer(always: .response(["Content-Encoding": gzip.coding], body: gzip.bytes))
        let receiver = RecordingReceiver(answerChunk: { _ in .wait(OneShot()) })
        let task = Task { await CurlTransport().exchange(server.url(), receiver: receiver) }
        await until { receiver.counts.offers == 1 }
        if bySignal { receiver.stop.fire() } else { task.cancel() }
        #expect(await task.value.code == .stopped)
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
