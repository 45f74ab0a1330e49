import Foundation
import Patchbay
import PatchbayTesting
import Testing

/// A serializer that a request has a factory of the registry make for it.
@Suite(.timeLimit(.minutes(5))) struct RequestFactoryTests {
    private static func manager() -> (SessionManager, StubTransport) {
        let stub = StubTransport { _ in StubReply(fields: ["Content-Type": "text/plain"], body: Data([0xE9])) }
        return (SessionManager(baseURL: URL(string: "http://a.example"), registry: .standard, transport: stub), stub)
    }

    private static func request(_ using: SessionRequest.Using) -> SessionRequest {
        var request = SessionRequest("a")
        request.using = using
        return request
    }

    @Test("its options are those of an entry of the manifest")
    func options() async throws {
        let (manager, _) = Self.manager()
        var request = SessionRequest("a")
        request.using = .factory("text", options: ["charsetOverride": "latin1"])
        let reply = try await manager.send(request)
        #expect(reply.value as? String == "é")
        #expect(reply.entry == nil)
        #expect(try await manager.send(request, as: String.self).value == "é")
        request.using = .factory("text")
        let error = await #expect(throws: SessionError.self) { try await manager.send(request, as: String.self) }
        #expect(error?.code == .serialization)
    }

    @Test("it is one of the registry in force, own factories included")
    func own() async throws {
        struct Length: ResponseSerializer {
            func serialize(_ body: ResponseBody, _ head: ResponseHead) -> Int { body.count }
        }
        var factories = SerializerFactories.standard
        try factories.register("length") { Length() }
        let (manager, _) = Self.manager()
        manager.registry = try SerializerRegistry.standard.with(factories)
        #expect(try await manager.send(Self.request(.factory("length")), as: Int.self).value == 1)
    }

    @Test("a request that was refused for its factory has its content still")
    func contentIsLeft() async throws {
        let (manager, stub) = Self.manager()
        var request = SessionRequest("a", method: "POST", content: .stream(AsyncStream { $0.finish() }.map { Data() }))
        request.using = .factory("txet")
        await #expect(throws: SessionError.self) { try await manager.send(request) }
        request.using = .factory("text", options: ["lossy": true])
        #expect(try await manager.send(request).value as? String == "\u{FFFD}")
        #expect(stub.requests.count == 1)
    }

    @Test("code has a serializer made in the same way")
    func made() throws {
        let url = try #require(URL(string: "http://a.example"))
        let head = ResponseHead(status: 200, fields: [:], url: url, request: RequestHead(url: url))
        let serializer = try SerializerRegistry.standard.serializer(
            factory: "text", options: ["charsetOverride": "latin1"])
        #expect(try serializer.serialize(ResponseBody([0xE9]), head) as? String == "é")
        let refused = #expect(throws: ManifestFailure.self) {
            try SerializerRegistry.standard.serializer(factory: "text", options: ["a": 1, "b": 2])
        }
        #expect(refused?.issues.map(\.pointer) == ["/a", "/b"])
    }

    /// The largest body that the factory is told is that of the registry.
    @Test("a factory is told that it is for no entry, and how large a body may be")
    func context() throws {
        struct Told: ResponseSerializer {
            let context: FactoryContext
            func serialize(_ body: ResponseBody, _ head: ResponseHead) -> String {
                "\(context.entryID) \(context.maximumBodyBytes)"
            }
        }
        var factories = SerializerFactories()
        try factories.register("told", types: []) { (_: NoOptions, context) in Told(context: context) }
        let manifest = """
            { "manifestVersion": 1,
              "hosts": { "a.example": { "policy": { "limits": { "maxBodyBytes": 100000000 } } } } }
            """
        let registry = try SerializerRegistry(
            sources: [.text(manifest, name: "told")], factories: factories)
        let told = try registry.serializer(factory: "told") as? Told
        #expect(told?.context.entryID == "(request)")
        #expect(told?.context.maximumBodyBytes == 100_000_000)
    }

    /// A factory with options, and the sentence about it.
    static let refusals: [(name: String, options: JSON, sentence: String)] = [
        ("txet", [:], #"factory: the factory "txet" is not registered; did you mean "text"?"#),
        (
            "text", ["charset": 1],
            #"options: /charset: the factory "text" cannot read this option: expected String"#
        ),
        (
            "text", ["chraset": "latin1"],
            #"options: /chraset: the factory "text" has no option "chraset"; known are charset, charsetOverride, lossy; did you mean "charset"?"#
        ),
    ]

    @Test("what the registry cannot make fails the call before anything is sent", arguments: refusals)
    func refused(_ item: (name: String, options: JSON, sentence: String)) async throws {
        let (manager, stub) = Self.manager()
        let error = await #expect(throws: SessionError.self) {
            try await manager.send(Self.request(.factory(item.name, options: item.options)))
        }
        #expect(error?.code == .invalidRequest)
        #expect(error?.cause is ManifestFailure)
        #expect(error?.description.contains("\n") == false)
        #expect(error?.reason == "the request was not sent: \(item.sentence)")
        #expect(stub.requests.isEmpty)
    }
}
