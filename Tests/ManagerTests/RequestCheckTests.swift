import PatchbayRegistry
import PatchbayTesting
import Testing

@testable import PatchbayManager

@Suite struct RequestCheckTests {
    @Test(
        "a field that could break the message is refused before anything is sent",
        arguments: [
            ("X-A", "a\r\nX-B: c", "the value of header field X-A has a carriage return in it"),
            ("X-A", "a\nb", "the value of header field X-A has a line feed in it"),
            ("X-A", "a\0b", "the value of header field X-A has a NUL in it"),
            ("X-A", "a\u{1B}[0m", "the value of header field X-A has a control character in it"),
            ("X A", "a", "a header field name is not a token"),
            ("", "a", "a header field name is not a token"),
            ("X-A:\r\nX-B", "a", "a header field name is not a token"),
            ("content-length", "3", "header field content-length is written by the transport and cannot be set"),
            (
                "Transfer-Encoding", "chunked",
                "header field Transfer-Encoding is written by the transport and cannot be set"
            ),
        ])
    func fields(_ name: String, _ value: String, _ reason: String) async throws {
        #expect(throws: Refusal(reason)) { try RequestCheck.check(HeaderFields([(name, value)])) }
        let (manager, stub) = try stubManager { _ in StubReply() }
        let error = await #expect(throws: SessionError.self) {
            try await manager.send("a", headers: HeaderFields([(name, value)]))
        }
        #expect(error?.code == .invalidRequest)
        #expect(error?.description == "the request was not sent: \(reason)")
        #expect(stub.requests.isEmpty)
    }

    @Test("a tab and bytes beyond ASCII may be in a value")
    func allowed() throws {
        try RequestCheck.check(["X-A": "a\tb", "X-B": "caf\u{E9}", "X-C": ""])
    }

    @Test("a method must be a token", arguments: ["", "GE T", "GET\r\nX: y", "G\u{E9}T"])
    func method(_ method: String) async throws {
        let (manager, stub) = try stubManager { _ in StubReply() }
        let error = await #expect(throws: SessionError.self) {
            try await manager.send(SessionRequest("a", method: method))
        }
        #expect(error?.description == "the request was not sent: the method is not a token")
        #expect(stub.requests.isEmpty)
    }

    @Test("content that cannot be made fails the request before it is sent")
    func content() async throws {
        let (manager, stub) = try stubManager { _ in StubReply() }
        let content = RequestContent("text/plain", making: { throw TestRegistry.Shout() })
        let error = await #expect(throws: SessionError.self) {
            try await manager.send(SessionRequest("a", method: "POST", content: content))
        }
        #expect(error?.description == "the request was not sent: its content could not be made")
        #expect(error?.cause as? TestRegistry.Shout == TestRegistry.Shout())
        #expect(stub.requests.isEmpty)
    }
}
