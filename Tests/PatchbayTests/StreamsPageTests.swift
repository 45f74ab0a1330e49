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
        #expect(try page.swift(missingIn: ["Tests/PatchbayTests/StreamExamples.swift"]) == [])
        #expect(try page.expectManifests() > 0)
    }

    @Test("its entry for lines that are called JSON reads them, and changes no body that is sent")
    func linesCalledJSON() async throws {
        let block = try #require(try Markdown("Documentation/Streams.md").blocks(of: "json").last)
        let registry = try SerializerRegistry.standard.overlaid(by: .text(block, name: "page"))
        let stub = StubTransport { _ in StubReply(fields: ["Content-Type": "application/json"], body: "1\n2\n") }
        let manager = SessionManager(
            baseURL: URL(string: "https://log.example.com"), registry: registry, transport: stub)
        #expect(try await manager.get("x", as: [Int].self) == [1, 2])
        try await manager.post("x", body: [3, 4])
        #expect(stub.requests.last?.body?.data == Data("[3,4]".utf8))
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

    @Test("the failure of an element is an error whatever onFailure says; a call for one value asks the next entry")
    func failures() async throws {
        for choice in ["next", "raw"] {
            let manifest = """
                { "manifestVersion": 1, "plugins": [
                    { "id": "old", "factory": "json", "match": { "types": ["text/html"] }, "onFailure": "\(choice)" }
                ] }
                """
            let registry = try SerializerRegistry.standard.overlaid(by: .text(manifest, name: "old"))
            let page = StubTransport { _ in StubReply(fields: ["Content-Type": "text/html"], body: "<p>") }
            let manager = SessionManager(
                baseURL: URL(string: "https://example.com"), registry: registry, transport: page)
            let value = try await manager.send("x").value
            #expect(choice == "next" ? value as? String == "<p>" : value is ResponseBody)
            let stream = try await manager.stream("x")
            let error = await #expect(throws: SessionError.self) { for try await _ in stream {} }
            #expect(error?.code == .serialization)
            #expect(error?.decision?.entry == "old")
        }
    }
}
