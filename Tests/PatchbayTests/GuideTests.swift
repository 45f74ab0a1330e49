import Foundation
import Patchbay
import TestSupport
import Testing

/// Holds the guide for those who come from AFNetworking or Alamofire to the code. Its states are held by `scripts/parity`.
@Suite(.timeLimit(.minutes(1)))
struct GuideTests {
    private let guide: Markdown

    init() throws { guide = try Markdown("Documentation/ComingFromAFNetworkingOrAlamofire.md") }

    @Test func itsSwiftIsCompiled() throws {
        #expect(guide.blocks(of: "swift").count >= 12)
        try guide.expectSwift(in: ["Tests/PatchbayTests/GuideExamples.swift"])
    }

    @Test func itsManifestsLoad() throws {
        let blocks = guide.blocks(of: "json")
        #expect(blocks.count >= 2)
        for block in blocks {
            _ = try SerializerRegistry.standard.overlaid(by: ManifestSource(name: "guide", block))
        }
    }

    @Test("Every example of ours stands beside one of theirs, which the compiler does not see")
    func beforeAndAfter() {
        #expect(guide.blocks(of: "objc").count + guide.blocks(of: "swift theirs").count >= 12)
    }

    @Test("The examples do what their comments say")
    func examples() async throws {
        let transport = StubTransport { request in
            switch request.head.url.path() {
            case "/users/2":
                StubReply(
                    status: 404, fields: ["Content-Type": "application/json"],
                    body: #"{"message": "gone", "reason": "moved"}"#)
            case "/log": StubReply(fields: ["Content-Type": "text/plain"], body: "one\ntwo\n")
            default: StubReply(fields: ["Content-Type": "application/json"], body: "{}")
            }
        }
        let manager = SessionManager(
            baseURL: URL(string: "http://origin.test"), registry: .standard, transport: transport)
        let printed = Guarded<[String]>([])
        try await Printed.$lines.withValue(printed) {
            var configuration = SessionConfiguration()
            try await GuideExamples.parameters(manager, &configuration, .init(name: "Ada"))
            try await GuideExamples.failure(manager)
            try await GuideExamples.serializer(manager)
            await GuideExamples.pair(manager)
        }
        let sent = transport.requests
        #expect(
            sent.prefix(3).map { $0.body?.data.map { String(decoding: $0, as: UTF8.self) } } == [
                "tags%5B%5D=green&tags%5B%5D=hot&title=Tea", nil, #"{"name":"Ada"}"#,
            ])
        #expect(sent.dropFirst().first?.head.url.query() == "page=2&q=tea")
        #expect(
            printed.withLock { $0 } == [
                #"{"message":"gone","reason":"moved"}"#, "moved", "2 2 one\ntwo\n", "gone",
            ])
        let request = try GuideExamples.validation()
        let error = await #expect(throws: SessionError.self) { try await manager.send(request) }
        #expect(error?.code == .validation)
        #expect(error?.cause is GuideExamples.NoETag)
    }
}
