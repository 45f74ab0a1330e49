import Foundation
import PatchbayRegistry
import PatchbayTesting
import TestSupport
import Testing

@testable import PatchbayManager

@Suite(.timeLimit(.minutes(5))) struct RequestBodyTests {
    @Test("content that is read while it is sent arrives whole, with waits in between")
    func source() async throws {
        let (manager, stub) = try stubManager { _ in .json("1") }
        let source = ScriptedSource([.text("ab"), .pause, .text("c")])
        _ = try await manager.send(
            SessionRequest("a", method: "POST", content: RequestContent("text/x", making: { .source(source) })))
        #expect(stub.requests.first?.body?.data == Data("abc".utf8))
        #expect(stub.requests.first?.head.fields["Content-Type"] == "text/x")
    }

    @Test("a source that fails ends the call, and the reason says so")
    func failure() async throws {
        let (manager, stub) = try stubManager { _ in .json("1") }
        let source = ScriptedSource([.text("ab"), .failure])
        let content = RequestContent("text/x", making: { .source(source) })
        let error = await #expect(throws: SessionError.self) {
            try await manager.send(SessionRequest("a", method: "POST", content: content))
        }
        #expect(error?.code == .unreadableContent)
        #expect(error?.cause is ScriptedSource.Failure)
        #expect(error?.description == "POST origin.test/a: the content could not be read: its source threw Failure")
        #expect(stub.requests.isEmpty)
    }

    @Test(
        "a source that claims to have written more bytes than there is room for, or fewer than none, ends the call",
        arguments: [-5, Int.min, 1 << 30])
    func impossibleCount(_ count: Int) async throws {
        let (manager, stub) = try stubManager { _ in .json("1") }
        let content = RequestContent("text/x", making: { .source(ClaimingSource(count)) })
        let error = await #expect(throws: SessionError.self) {
            try await manager.send(SessionRequest("a", method: "POST", content: content))
        }
        #expect(error?.code == .unreadableContent)
        #expect(
            error?.reason.hasSuffix("the content could not be read: its source wrote \(count) of at most 65,536 bytes")
                == true)
        #expect(stub.requests.isEmpty)
    }

    private final class Stuck: RequestBodySource {
        let length: Int64? = 0
        func read(into buffer: UnsafeMutableRawBufferPointer) throws -> RequestBodyPiece { .end() }
        func rewind() throws { throw ContentFailure(.unreadableFile, "all threads wait") }
    }

    @Test("the sentence about a body that is not sent again has the reason, for a redirect and for a retry")
    func stuck() async throws {
        var configuration = SessionConfiguration()
        configuration.interceptors = [MadeInterceptor(retry: { _, _ in .retry })]
        let (manager, _) = try stubManager(configuration: configuration) { request in
            request.head.url.path() == "/a" ? .redirect(307, to: "/end") : StubReply(status: 503)
        }
        let content = RequestContent("text/x", making: { .source(Stuck()) })
        for (target, clause) in [("a", "was refused: "), ("end", "it was not tried again, because ")] {
            let error = await #expect(throws: SessionError.self) {
                try await manager.send(SessionRequest(target, method: "POST", content: content))
            }
            let reason = "\(clause)the body of the request cannot be sent again: all threads wait"
            #expect(error?.reason.contains(reason) == true, "\(String(describing: error))")
        }
    }

    @Test("a redirect that keeps the body reads its source again, and one that cannot be read again is refused")
    func rewind() async throws {
        let (manager, stub) = try stubManager { request in
            request.head.url.path() == "/end" ? .json("1") : .redirect(307, to: "/end")
        }
        let content = RequestContent("text/x", making: { .source(ScriptedSource([.text("abc")])) })
        _ = try await manager.send(SessionRequest("a", method: "POST", content: content))
        #expect(stub.requests.map { $0.body?.data } == [Data("abc".utf8), Data("abc".utf8)])

        let once = RequestContent(
            "text/x", making: { .source(ScriptedSource([.text("abc")], rewinds: false)) })
        let error = await #expect(throws: SessionError.self) {
            try await manager.send(SessionRequest("a", method: "POST", content: once))
        }
        #expect(error?.code == .redirectRefused)
        #expect(
            error?.description
                == "POST origin.test/a: the redirect of status 307 was refused: the body of the request cannot be sent twice"
        )
    }
}
