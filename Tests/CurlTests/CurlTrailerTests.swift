import Foundation
import Patchbay
import PatchbayCurl
import PatchbayRegistry
import TestSupport
import Testing

@testable import PatchbayManager

/// The fields behind the body of a request, as they are on the wire.
@Suite("Trailers of requests over CurlTransport", .timeLimit(.minutes(5)))
struct CurlTrailerTests {
    private static func manager(_ server: RawServer) -> SessionManager {
        SessionManager(baseURL: server.url(), registry: .standard, transport: CurlTransport())
    }

    private static let contents: [(String, RequestContent, body: String)] = [
        ("an empty one", .data(Data()), ""),
        ("a small one", .value("abc"), "abc"),
        ("one of 200 KB", .value(String(repeating: "x", count: 200_000)), String(repeating: "x", count: 200_000)),
        ("an empty stream", .stream(AsyncStream<Data> { $0.finish() }), ""),
        (
            "a stream of a known length",
            .stream(
                Anew { AsyncStream { _ = ($0.yield(Data("abc".utf8)), $0.finish()) } }, length: 3, isRepeatable: true),
            "abc"
        ),
        ("elements", .value([1, 2], in: .ndjson), "1\n2\n"),
    ]

    @Test("They come behind the last chunk, announced, whatever the content is", arguments: 0..<contents.count)
    func bytes(_ index: Int) async throws {
        let (name, content, body) = Self.contents[index]
        let server = try RawServer(always: .response(["Content-Type": "text/plain"], body: "ok"))
        let trailed = content.trailers("X-Sum", "X-Empty", "x-more") {
            ["X-Sum": "6", "X-Empty": "", "x-more": "a, b"]
        }
        let request = SessionRequest("a", method: "POST", content: trailed)
        let manager = Self.manager(server)
        #expect(try await manager.send(request, as: String.self).value == "ok", "\(name)")
        let sent = try #require(server.requests.first)
        #expect(sent.fields["Transfer-Encoding"] == "chunked", "\(name)")
        #expect(sent.fields["Content-Length"] == nil, "\(name)")
        #expect(sent.fields["Trailer"] == "X-Sum, X-Empty, x-more", "\(name)")
        #expect(sent.text == body, "\(name)")
        #expect(sent.trailers == ["X-Sum: 6", "X-Empty: ", "x-more: a, b"], "\(name)")
        // The connection is good for another request.
        #expect(try await manager.get("b", as: String.self) == "ok")
        #expect(server.connections == 1)
    }

    @Test("They are made when the content has ended, so that they can tell of it")
    func digest() async throws {
        let server = try RawServer(always: .response(["Content-Type": "text/plain"], body: "ok"))
        let sum = Shared(0)
        let numbers = AsyncStream<Int> { feed in
            for number in 1...4 { feed.yield(number) }
            feed.finish()
        }.map { number in
            sum.withLock { $0 += number }
            return number
        }
        let content = RequestContent.elements(numbers, in: .ndjson)
            .trailers("X-Sum") { ["X-Sum": "\(sum.withLock { $0 })"] }
        let request = SessionRequest("a", method: "POST", content: content)
        _ = try await Self.manager(server).send(request)
        #expect(server.requests.first?.trailers == ["X-Sum: 10"])
    }

    @Test("Fields that cannot be made, or were not announced, leave no body that looks whole")
    func failing() async throws {
        struct NoSum: Error {}
        let rows: [(@Sendable () throws -> HeaderFields, String)] = [
            ({ throw NoSum() }, "its source threw NoSum"),
            ({ ["X-Other": "1"] }, "a field behind it was not announced"),
            ({ ["X-Sum": "1\r\nX: 2"] }, "behind it the value of header field X-Sum has a carriage return in it"),
        ]
        for (make, reason) in rows {
            let bytes = Shared<[UInt8]>([])
            let over = OneShot()
            let server = try RawServer(readsBodies: false) { _ in
                RawReply([
                    .converse { peer in
                        let read = peer.readToEnd()
                        bytes.withLock { $0 = read }
                        over.fire()
                    }, .close,
                ])
            }
            let content = RequestContent.value("abc").trailers("X-Sum", making: make)
            let request = SessionRequest("a", method: "POST", content: content)
            let error = await #expect(throws: SessionError.self) { try await Self.manager(server).send(request) }
            #expect(error?.code == .unreadableContent)
            #expect(error?.reason == "the content could not be read: \(reason)")
            await over.fired()
            // The last byte waits for the end, and so do those that are read with it where the end is there already.
            let sent = bytes.withLock { String(decoding: $0, as: UTF8.self) }
            #expect(["", "2\r\nab\r\n"].contains(sent), "\(sent)")
        }
    }

    @Test("As many are sent as libcurl has room for, and more are named as what they are", arguments: [65_524, 65_525])
    func longest(_ count: Int) async throws {
        let server = try RawServer(always: .response(["Content-Type": "text/plain"], body: "ok"))
        let content = RequestContent.value("abc").trailers("X-Sum") { ["X-Sum": String(repeating: "1", count: count)] }
        let request = SessionRequest("a", method: "POST", content: content)
        guard count > 65_524 else {
            #expect(try await Self.manager(server).send(request, as: String.self).value == "ok")
            return
        }
        let error = await #expect(throws: SessionError.self) { try await Self.manager(server).send(request) }
        #expect(error?.code == .transport)
        #expect(error?.reason == "the fields behind the body are longer than the 64 KiB that libcurl sends")
    }

    @Test("A redirect that keeps the body sends them again; one that drops it drops them", arguments: [307, 303])
    func redirects(_ status: Int) async throws {
        let server = try RawServer { request in
            request.target == "/a"
                ? .response(status: status, ["Location": "/b"]) : .response(["Content-Type": "text/plain"], body: "ok")
        }
        let count = Shared(0)
        let content = RequestContent.value("abc").trailers("X-Count") {
            let number = count.withLock { count in
                count += 1
                return count
            }
            return ["X-Count": "\(number)"]
        }
        let request = SessionRequest("a", method: "POST", content: content)
        _ = try await Self.manager(server).send(request)
        let second = try #require(server.requests.last)
        #expect(second.target == "/b")
        #expect(server.requests.first?.trailers == ["X-Count: 1"])
        #expect(second.trailers == (status == 307 ? ["X-Count: 2"] : []))
        #expect(second.fields["Trailer"] == (status == 307 ? "X-Count" : nil))
    }

    /// Has three bytes, and a field behind them.
    private final class Trailed: RequestBodySource {
        let length: Int64?
        private let isOver = Shared(false)
        init(length: Int64?) { self.length = length }
        func read(into buffer: UnsafeMutableRawBufferPointer) -> RequestBodyPiece {
            guard !isOver.withLock({ $0 }) else { return .end(trailers: ["X-Own": "1"]) }
            isOver.withLock { $0 = true }
            buffer.copyBytes(from: "abc".utf8)
            return .bytes(3)
        }
        func rewind() { isOver.withLock { $0 = false } }
    }

    @Test("A source of its own gives fields with its last piece, and fails where no Trailer field announces them")
    func ownSource() async throws {
        let server = try RawServer(always: .response(["Content-Type": "text/plain"], body: "ok"))
        let manager = Self.manager(server)
        for length in [nil, 3] as [Int64?] {
            let content = RequestContent("text/plain", making: { .source(Trailed(length: length)) })
            var request = SessionRequest("a", method: "POST", content: content, headers: ["Trailer": "X-Own"])
            _ = try await manager.send(request)
            request.headers["Trailer"] = nil
            let error = await #expect(throws: SessionError.self) { try await manager.send(request) }
            #expect(error?.code == .unreadableContent)
            #expect(error?.reason == "the content could not be read: a field behind it was not announced")
        }
        #expect(server.requests.filter { $0.fields["Trailer"] != nil }.map(\.trailers) == [["X-Own: 1"], ["X-Own: 1"]])
    }
}
