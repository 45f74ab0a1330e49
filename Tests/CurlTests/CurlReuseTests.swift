import CTestResolver
import Patchbay
import PatchbayCurl
import PatchbayManager
import PatchbayPlatform
import PatchbayRegistry
import TestSupport
import Testing

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Where libcurl lets it, a handle that has carried one exchange carries another.
@Suite("CurlTransport forgets one exchange before the next", .timeLimit(.minutes(5)))
struct CurlReuseTests {
    /// An exchange with something that none of the others has.
    enum Kind: String, CaseIterable, Sendable {
        case get, head, post, emptyPost, put, streamed, chunked, delete, credentials, ownFields, ownCodings, ownCookie
        case paused, coded, named
        case folded, brokenChunk, unknownCoding, reset, refusedHead, notSent, stopped

        func run(on transport: CurlTransport, _ server: RawServer) async throws -> Outcome {
            let seen = server.requests.count
            let receiver = self == .paused ? RecordingReceiver.hesitant(1) : RecordingReceiver()
            if self == .stopped { receiver.stop.fire() }
            let isEndless = Guarded(false)
            let deadline = Task {
                try await Task.sleep(for: .seconds(60))
                isEndless.withLock { $0 = true }
                receiver.stop.fire()
            }
            defer { deadline.cancel() }
            let result: Result<ExchangeTimings, TransportFailure>
            do throws(TransportFailure) {
                result = .success(try await transport.perform(request(server), for: receiver))
            } catch {
                result = .failure(error)
            }
            guard !isEndless.withLock({ $0 }) else { throw Endless() }
            return Outcome(
                failure: result.failure, version: (try? result.get())?.httpVersion, status: receiver.record.status,
                body: receiver.record.text, sent: receiver.counts.sent,
                requests: Set(server.requests[seen...].map(Self.text)))
        }

        private func request(_ server: RawServer) -> TransportRequest {
            var request = TransportRequest(head: RequestHead(url: server.url("/\(rawValue)")))
            switch self {
            case .head: request.head.method = "HEAD"
            case .post: (request.head.method, request.body) = ("POST", .data(Data("a=b".utf8)))
            case .emptyPost: request.head.method = "POST"
            case .put:
                (request.head.method, request.body) = ("PUT", .data(Data(repeating: 0x61, count: 70_000)))
                request.head.fields = ["Content-Type": "text/plain", "Expect": ""]
            case .streamed, .chunked:
                request.head.method = "PUT"
                request.body = .source(CountingSource(pieces: 40, waiting: false, hasLength: self == .streamed))
            case .delete: request.head.method = "DELETE"
            case .credentials: request.head.fields = ["Authorization": "Basic czNjcmV0"]
            case .ownFields:
                request.head.fields = ["Host": "other.example", "User-Agent": "own/1", "X-Empty": "", "Accept": "a/b"]
            case .ownCodings: request.head.fields = ["Accept-Encoding": "gzip"]
            case .ownCookie: request.head.fields = ["Cookie": "own=1"]
            case .paused: request.isSuspendable = true
            case .named:
                if let url = URL(string: "http://me:s3cret@127.0.0.1:\(server.port)/named?a=b#c") {
                    request.head.url = url
                }
            case .notSent: request.head.fields = ["Content-Length": "1"]
            default: break
            }
            return request
        }

        /// Everything that was asked, to hold it against another.
        private static func text(_ request: RawServer.Request) -> String {
            let fields = request.fields.map { "\($0.name): \($0.value)" }.joined(separator: "\n")
            return "\(request.method) \(request.target)\n\(fields)\n\(request.body.count) \(request.body.hashValue)"
        }
    }

    /// Nothing has come of an exchange for a minute.
    private struct Endless: Error {}

    struct Outcome: Equatable, Sendable {
        let failure: TransportFailure?
        let version: String?
        let status: Int?
        let body: String
        let sent: Int
        let requests: Set<String>
    }

    private static func answer(_ request: RawServer.Request) -> RawReply {
        let target = request.target.dropFirst().prefix { $0 != "?" }
        let ok = "HTTP/1.1 200 OK\r\n"
        switch Kind(rawValue: String(target)) {
        case .head: return .raw(ok + "Content-Length: 5\r\n\r\n", closing: false)
        case .coded:
            let coded = CodedBody.all[0]
            return .response(["Content-Encoding": coded.coding], body: coded.bytes)
        case .folded: return .raw(ok + " X: y\r\nContent-Length: 0\r\n\r\n")
        case .brokenChunk: return .raw(ok + "Transfer-Encoding: chunked\r\n\r\nq\r\nabc")
        case .unknownCoding: return .response(["Content-Encoding": "rot13"], body: "abc")
        case .reset: return RawReply([.reset])
        case .refusedHead: return .raw(ok + "Content-Length: 1, 2\r\n\r\nab")
        default: return .response(["Set-Cookie": "set=\(target)"], body: String(target))
        }
    }

    @Test("An exchange is sent and received as if it were the first, whatever came before", arguments: Kind.allCases)
    func pairs(_ second: Kind) async throws {
        let server = try RawServer { Self.answer($0) }
        let alone = try await second.run(on: CurlTransport(), server)
        for first in Kind.allCases {
            let transport = CurlTransport()
            // With a success between them, and without.
            for kind in [first, .get] { _ = try await kind.run(on: transport, server) }
            #expect(try await second.run(on: transport, server) == alone, "after \(first) and get")
            _ = try await first.run(on: transport, server)
            #expect(try await second.run(on: transport, server) == alone, "after \(first)")
        }
    }

    @Test("A descriptor whose number is used again is watched again")
    func descriptors() async throws {
        let server = try RawServer { request in
            request.target == "/closed" ? .raw("HTTP/1.0 200 OK\r\n\r\nx") : .response(body: "x")
        }
        let transport = CurlTransport()
        let count = TestLength.count(1_600, of: 59_000, "exchanges whose descriptors are used again")
        let right = await withTaskGroup { group in
            for lane in 0..<16 {
                group.addTask {
                    var right = 0
                    for number in stride(from: lane, to: count, by: 16) {
                        // Every second connection ends with its response. Every fourth host has a name of its own:
                        // libcurl opens a pair of sockets for its look-up.
                        let isLookedUp = number % 4 == 3 && patchbay_test_resolver_is_there() == 1
                        let host = isLookedUp ? "loopback\(number).example.com" : "127.0.0.1"
                        let path = number % 2 == 0 ? "closed" : "kept"
                        guard let url = URL(string: "http://\(host):\(server.port)/\(path)") else { continue }
                        right += await transport.exchange(url).record.text == "x" ? 1 : 0
                    }
                    return right
                }
            }
            return await group.reduce(0, +)
        }
        #expect(right == count)
    }

    /// Bytes that a server sends on its own account after a complete response.
    private static let bytes = [
        "a response": "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nwrong", "a body": "wrong", "a line end": "\r\n",
    ]

    @Test(
        "A connection with bytes that no request asked for is not used again", arguments: bytes.keys.sorted(),
        ["GET", "POST"])
    func unasked(_ name: String, _ method: String) async throws {
        let bytes = Array(try #require(Self.bytes[name]).utf8)
        let gate = Gate()
        let server = try RawServer { request in
            guard request.target == "/first" else { return .response(body: "right") }
            let first = Array("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n1".utf8)
            return RawReply([.send(first), .wait(gate), .send(bytes)])
        }
        let transport = CurlTransport()
        #expect(await transport.exchange(server.url("/first")).record.text == "1")
        gate.open()
        // The bytes must have arrived: without a look at the socket, nothing tells when.
        try await Task.sleep(for: .milliseconds(100))
        for _ in 0..<3 {
            let next = await transport.exchange(
                server.url("/next"), method: method, body: method == "POST" ? Array("text".utf8) : nil)
            #expect(next.record.text == "right")
        }
        #expect(server.connections == 2)
    }

    @Test("A thousand exchanges at once and one after the other are each their own")
    func many() async throws {
        let server = try RawServer { request in
            .response(
                ["X-Target": request.target], body: request.body.isEmpty ? Array(request.target.utf8) : request.body)
        }
        let transport = CurlTransport()
        for round in 0..<5 {
            let right = await withTaskGroup { group in
                for number in 0..<200 {
                    let text = "/\(round)-\(number)"
                    group.addTask {
                        let sends = number % 3 == 0
                        let exchange = await transport.exchange(
                            server.url(text), method: sends ? "POST" : "GET", body: sends ? Array(text.utf8) : nil)
                        return exchange.record.text == text && exchange.record.fields["X-Target"] == text
                    }
                }
                return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
            }
            #expect(right == 200)
        }
    }
}
