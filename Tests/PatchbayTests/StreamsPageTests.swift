import Foundation
import Patchbay
import PatchbayTesting
import TestSupport
import Testing

/// Holds the page on streams to the code.
@Suite struct StreamsPageTests {
    @Test("its Swift is compiled and its manifests load")
    func examples() throws {
        let page = try Markdown("Documentation/Streams.md")
        #expect(page.blocks(of: "swift").count == 8)
        try page.expectSwift(in: ["Tests/PatchbayTests/StreamExamples.swift"])
        for block in page.blocks(of: "json") {
            _ = try SerializerRegistry.standard.overlaid(by: .text(block, name: "page"))
        }
    }

    @Test(
        "the button of the page stops an answer, and its stub gives pieces and then an error", .timeLimit(.minutes(5)))
    @MainActor func button() async throws {
        let server = try #require(URL(string: "https://example.com"))
        let cut = Answer()
        cut.ask(stubbed(server), SessionRequest("answers/1"))
        while cut.problem == nil { await Task.yield() }
        #expect(cut.text == "Hello")
        #expect(cut.problem == "GET example.com/answers/1: the connection was lost")

        let stopped = Answer()
        let endless = StubTransport { _ in
            try await Task.sleep(for: .seconds(600))
            return StubReply()
        }
        stopped.ask(
            SessionManager(baseURL: server, registry: .standard, transport: endless), SessionRequest("answers/1"))
        stopped.stop()
        while stopped.problem == nil { await Task.yield() }
        #expect(stopped.problem == "stopped")
    }
}
