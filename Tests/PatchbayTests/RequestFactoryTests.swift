import Foundation
import Patchbay
import Testing

/// A serializer that a request has a factory of the registry make for it.
@Suite(.timeLimit(.minutes(5))) struct RequestFactoryTests {
    private static func made() -> (SessionManager, StubTransport) {
        let stub = StubTransport { _ in StubReply(fields: ["Content-Type": "text/plain"], body: Data([0xE9])) }
        return (SessionManager(baseURL: URL(string: "http://a.example"), registry: .standard, transport: stub), stub)
    }

    @Test("its options are those of an entry of the manifest")
    func options() async throws {
        let (manager, _) = Self.made()
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
        try factories.register("length") { (_: NoOptions, _) in Length() }
        let (manager, _) = Self.made()
        manager.registry = try SerializerRegistry.standard.overlaid(
            by: ManifestSource(name: "own", #"{"manifestVersion": 1}"#), factories: factories)
        #expect(try await manager.send(SessionRequest("a", using: .factory("length")), as: Int.self).value == 1)
    }

    /// A factory with options, and a part of the sentence about it.
    static let refusals: [(name: String, options: JSON, part: String)] = [
        ("txet", [:], #"the factory "txet" of the entry "using" is not registered"#),
        ("text", ["chraset": "latin1"], #"the factory "text" has no option "chraset""#),
        ("text", ["charset": 1], #"the factory "text" cannot read this option"#),
        ("text", ["charset": "klingon"], #"the factory "text" refused the entry "using""#),
    ]

    @Test("what the registry cannot make fails the call before anything is sent", arguments: refusals)
    func refused(_ item: (name: String, options: JSON, part: String)) async throws {
        let (manager, stub) = Self.made()
        let error = await #expect(throws: SessionError.self) {
            try await manager.send(SessionRequest("a", using: .factory(item.name, options: item.options)))
        }
        #expect(error?.code == .invalidRequest)
        #expect(error?.cause is ManifestFailure)
        #expect(error?.description.contains(item.part) == true, "\(error.map { "\($0)" } ?? "")")
        #expect(stub.requests.isEmpty)
    }
}
