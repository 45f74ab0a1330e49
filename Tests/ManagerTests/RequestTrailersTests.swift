import Foundation
import PatchbayRegistry
import PatchbayTesting
import TestSupport
import Testing

@testable import PatchbayManager

@Suite("Trailers of requests", .timeLimit(.minutes(5))) struct RequestTrailersTests {
    @Test("a stub is given the fields behind the body, and the head announces them")
    func stub() async throws {
        let (manager, stub) = try stubManager { _ in .json("1") }
        let content = RequestContent.value("abc")
        let contents: [(RequestContent, HeaderFields)] = [
            (content.trailers("X-Sum", "X-More") { ["X-Sum": "6", "X-Sum": "7", "X-More": "a"] }, [:]),
            (content.trailers("X-Late", "X-Never") { ["x-late": "1"] }, ["Trailer": "x-late"]), (content, [:]),
        ]
        for (content, headers) in contents {
            _ = try await manager.send(SessionRequest("a", method: "POST", content: content, headers: headers))
        }
        #expect(stub.requests.map(\.head.fields["Trailer"]) == ["X-Sum, X-More", "x-late", nil])
        #expect(stub.requests.map(\.trailers) == [["X-Sum": "6", "X-Sum": "7", "X-More": "a"], ["x-late": "1"], [:]])
        #expect(stub.requests.map { $0.body?.data } == Array(repeating: Data("abc".utf8), count: 3))
    }

    private static let behind = "cannot be sent behind the content (RFC 9110, section 6.5.1)"

    @Test(
        "what cannot be sent behind the content is refused before anything is sent",
        arguments: [
            ("POST", "Content-Length", "field Content-Length \(behind)"),
            ("POST", "transfer-encoding", "field transfer-encoding \(behind)"),
            ("POST", "HOST", "field HOST \(behind)"), ("POST", "Authorization", "field Authorization \(behind)"),
            ("POST", "Cookie", "field Cookie \(behind)"), ("PUT", "Content-Type", "field Content-Type \(behind)"),
            ("POST", "Content-Encoding", "field Content-Encoding \(behind)"),
            ("POST", "Trailer", "field Trailer \(behind)"),
            ("POST", "Cache-Control", "field Cache-Control \(behind)"),
            ("POST", "If-Match", "field If-Match \(behind)"),
            ("POST", "a b", "a trailer field name is not a token"), ("POST", "", "a trailer field name is not a token"),
            ("GET", "X-Sum", "a GET request cannot have content"),
            ("HEAD", "X-Sum", "a HEAD request cannot have content"),
        ])
    func refused(_ method: String, _ name: String, _ reason: String) async throws {
        let (manager, stub) = try stubManager { _ in .json("1") }
        let isMade = Shared(false)
        let content = RequestContent.value("abc").trailers("X-First", name) {
            isMade.withLock { $0 = true }
            return [:]
        }
        let request = SessionRequest("a", method: method, content: content)
        let error = await #expect(throws: SessionError.self) { try await manager.send(request) }
        #expect(error?.code == .invalidRequest)
        #expect(error?.reason == "the request was not sent: \(reason)")
        #expect(stub.requests.isEmpty)
        #expect(!isMade.withLock { $0 })
    }

    @Test("no names at all are refused")
    func noNames() async throws {
        let (manager, _) = try stubManager { _ in .json("1") }
        let request = SessionRequest("a", method: "POST", content: .value("abc").trailers { [:] })
        let error = await #expect(throws: SessionError.self) { try await manager.send(request) }
        #expect(error?.reason == "the request was not sent: its trailers have no names")
    }

    @Test("a transport that sends none learns of them before it sends, and its failure is that of the call")
    func unable() async throws {
        let transport = PlayedTransport { _, request, receiver throws(TransportFailure) in
            guard !request.announcesTrailers else {
                throw TransportFailure(.unsupportedRequest, "no fields behind the content")
            }
            Issue.record("it was sent")
            _ = receiver.receive(status: 200, fields: [:])
        }
        let manager = SessionManager(
            baseURL: URL(string: "http://origin.test/"), registry: try TestRegistry.make(), transport: transport)
        let request = SessionRequest("a", method: "POST", content: .value("abc").trailers("X-Sum") { ["X-Sum": "6"] })
        let error = await #expect(throws: SessionError.self) { try await manager.send(request) }
        #expect(error?.code == .transport)
        #expect(error?.reason == "no fields behind the content")
    }

    /// Has no bytes, and a field behind them.
    private final class Trailed: RequestBodySource {
        var length: Int64? { 0 }
        func read(into buffer: UnsafeMutableRawBufferPointer) -> RequestBodyPiece { .end(trailers: ["X-Own": "1"]) }
        func rewind() {}
    }

    @Test("a source of its own gives fields with its last piece, before those that are made", arguments: [false, true])
    func ownSource(_ isMade: Bool) async throws {
        let (manager, stub) = try stubManager { _ in .json("1") }
        let own = RequestContent("text/plain", making: { .source(Trailed()) })
        let content = isMade ? own.trailers("X-Sum") { ["X-Sum": "6"] } : own
        _ = try await manager.send(
            SessionRequest("a", method: "POST", content: content, headers: ["Trailer": "X-Own, X-Sum"]))
        #expect(stub.requests.map(\.trailers) == [isMade ? ["X-Own": "1", "X-Sum": "6"] : ["X-Own": "1"]])
    }

    @Test("fields that no Trailer field announces fail the call")
    func unannounced() async throws {
        let (manager, stub) = try stubManager { _ in .json("1") }
        let content = RequestContent("text/plain", making: { .source(Trailed()) })
        let request = SessionRequest("a", method: "POST", content: content)
        let error = await #expect(throws: SessionError.self) { try await manager.send(request) }
        #expect(error?.code == .unreadableContent)
        #expect(error?.reason == "the content could not be read: a field behind it was not announced")
        #expect(stub.requests.isEmpty)
    }
}
