import Foundation
import PatchbayRegistry
import PatchbayTesting
import TestSupport
import Testing

@testable import PatchbayManager

/// Which entry writes a body, and what reply and error say of it.
@Suite("The entry that writes a body", .timeLimit(.minutes(5))) struct WriterChoiceTests {
    private static let plugins = """
        [{ "id": "a", "factory": "a", "match": { "types": ["x/a", "x/both"] } },
         { "id": "b", "factory": "b", "match": { "types": ["x/b", "x/both"] } },
         { "id": "json", "factory": "json", "match": { "types": ["@json"] } },
         { "id": "words", "factory": "words", "match": { "types": ["text/words", "x/a"] } }]
        """

    private func candidates(_ decision: Decision?) -> [String]? { decision?.candidates.map(\.description) }

    @Test("the first that covers the type writes; reply and decision say so")
    func first() async throws {
        let (manager, stub) = try stubManager(MarkedWriter.registry(Self.plugins)) { _ in .json("[1]") }
        let reply = try await manager.send(SessionRequest("x", body: [1], in: "x/b"), as: [Int].self)
        #expect(stub.requests.first?.body?.data == Data("b x/b [1]".utf8))
        #expect(reply.written?.outcome == .entry)
        #expect(reply.written?.entry == "b")
        #expect(reply.written?.mediaType == "x/b")
        #expect(reply.entry == "json")
        #expect(
            candidates(reply.written) == ["a: declined: x/b is outside x/a, x/both", "b: chosen: writes x/b"])
    }

    @Test("an entry that declines passes the value on; one that only reads does too")
    func declining() async throws {
        let registry = try MarkedWriter.registry(Self.plugins)
        let (manager, stub) = try stubManager(registry) { _ in .json("1") }
        let error = await #expect(throws: SessionError.self) {
            try await manager.post("x", body: Declined(), in: "x/a")
        }
        #expect(error?.code == .noWriter)
        #expect(
            error?.reason
                == "the request was not sent: no entry writes Declined as x/a; asked: a (a wants no such value), "
                + "words (it only reads responses), and 2 that do not cover x/a")
        #expect(error?.written?.outcome == .error)
        #expect(error?.written?.entry == nil)
        #expect(error?.written?.candidates.map(\.entry) == ["a", "b", "json", "words"])
        #expect(stub.requests.isEmpty)
        let taking = try registry.replacing("b", with: TestRegistry.TestJSONSerializer())
        let (next, sent) = try stubManager(taking) { _ in .json("1") }
        try await next.post("x", body: Declined(), in: "x/both")
        #expect(sent.requests.first?.body?.data == Data("{}".utf8))
    }

    @Test("a writer that throws ends the call: nothing is sent, and no other entry is asked")
    func throwing() async throws {
        let log = Shared<[String]>([])
        let (manager, stub) = try stubManager(MarkedWriter.registry(Self.plugins, log)) { _ in .json("1") }
        let error = try #require(
            await #expect(throws: SessionError.self) { try await manager.post("x", body: Unencodable(), in: "x/both") })
        #expect(error.code == .writing)
        #expect(error.cause is Unencodable.Fault)
        #expect(
            error.reason
                == "the request was not sent: the entry a could not write x/both: its serializer threw Fault")
        #expect(error.written?.outcome == .error)
        #expect(error.written?.entry == "a")
        #expect(candidates(error.written) == ["a: failed: Fault"])
        #expect(error.written?.candidates.first?.error is Unencodable.Fault)
        #expect(log.withLock { $0 } == ["a x/both"])
        #expect(stub.requests.isEmpty)
        #expect(error.description == "POST origin.test/x: " + error.reason)
        #expect(error.request?.method == "POST")
    }

    @Test("excluding takes an entry away from writing too, and using does not")
    func overrides() async throws {
        let (manager, stub) = try stubManager(MarkedWriter.registry(Self.plugins)) { _ in .json("[1]") }
        var request = SessionRequest("x", body: [1], in: "x/both")
        request.excluding = ["a"]
        let reply = try await manager.send(request)
        #expect(
            candidates(reply.written) == ["a: declined: the request excludes it", "b: chosen: writes x/both"])
        request.excluding = []
        request.using = .entry("json")
        #expect(try await manager.send(request).written?.entry == "a")
        request.excluding = ["a", "b"]
        let error = await #expect(throws: SessionError.self) { try await manager.send(request) }
        #expect(error?.code == .noWriter)
        #expect(
            stub.requests.map { $0.body?.data } == [Data("b x/both [1]".utf8), Data("a x/both [1]".utf8)])
    }

    @Test("the entries of the host's section come first, and its name is in the sentence")
    func hosts() async throws {
        let registry = try MarkedWriter.registry(
            Self.plugins,
            hosts: """
                { "own.test": { "plugins": [{ "id": "c", "factory": "c", "match": { "types": ["x/a"] } }] },
                  "alone.test": { "use": ["json"] } }
                """)
        let (manager, stub) = try stubManager(registry) { _ in .json("1") }
        let reply = try await manager.send(SessionRequest("http://own.test/", body: [1], in: "x/a"))
        #expect(stub.requests.first?.body?.data == Data("c x/a [1]".utf8))
        #expect(reply.written?.hostSection == "own.test")
        let error = await #expect(throws: SessionError.self) {
            try await manager.post("http://alone.test/", body: [1], in: "x/a")
        }
        #expect(
            error?.reason
                == "the request was not sent: no entry writes [Int] as x/a for the host alone.test; "
                + "the only entry, json, does not cover this type")
    }

    @Test("a field that is no media type names no entry, and nobody is asked")
    func noType() async throws {
        let log = Shared<[String]>([])
        let (manager, stub) = try stubManager(MarkedWriter.registry(#"[{ "id": "a", "factory": "a" }]"#, log)) { _ in
            .json("1")
        }
        for field in ["", "json", "a/", "/b", "a b/c", "x/\u{E9}"] {
            let error = await #expect(throws: SessionError.self) {
                try await manager.post("x", body: [1], headers: ["Content-Type": field])
            }
            #expect(error?.code == .noWriter)
            #expect(
                error?.reason
                    == "the request was not sent: its Content-Type is not a media type, so no entry can write the body"
            )
            #expect(error?.written == nil)
        }
        #expect(log.withLock { $0 } == [])
        #expect(stub.requests.isEmpty)
    }

    static let endings: [(name: String, reply: StubReply, code: SessionError.Code)] = [
        ("status", .json("{}", status: 500), .status),
        ("serialization", .json("{"), .serialization),
        ("transport", StubReply(status: 200, failure: TransportFailure(.lostConnection, "lost")), .transport),
        ("too large", .json("[1, 2, 3]"), .bodyTooLarge),
        ("an entry for other values", .words("a"), .noReader),
        ("the total timeout", StubReply(delay: .seconds(3_600)), .totalTimeout),
    ]

    @Test("the decision stays on the error of every stage", arguments: endings.indices)
    func errors(_ index: Int) async throws {
        let (name, reply, code) = Self.endings[index]
        let (manager, _) = try stubManager { _ in reply }
        var request = SessionRequest("x", body: [1])
        request.maximumBodyBytes = 4
        request.totalTimeout = code == .totalTimeout ? .milliseconds(20) : nil
        let error = await #expect(throws: SessionError.self, "\(name)") {
            try await manager.send(request, as: [Int].self)
        }
        #expect(error?.code == code)
        #expect(error?.written?.entry == "json")
        let get = await #expect(throws: SessionError.self) {
            var request = SessionRequest("x")
            request.maximumBodyBytes = 4
            request.totalTimeout = code == .totalTimeout ? .milliseconds(20) : nil
            return try await manager.send(request, as: [Int].self)
        }
        #expect(get?.written == nil)
    }

    @Test("it stays where a validator, an interceptor, the end of the call or a signer ends it")
    func otherEnds() async throws {
        var request = SessionRequest("x", body: [1])
        request.validators = [{ _, _ in throw TestRegistry.Shout() }]
        let (manager, _) = try stubManager { _ in .json("1") }
        #expect(await #expect(throws: SessionError.self) { try await manager.send(request) }?.written?.entry == "json")

        // The second try is not adapted.
        let count = Shared(0)
        request.validators = []
        request.interceptors = [
            MadeInterceptor(
                adapt: { request in
                    let isFirst = count.withLock { count in
                        count += 1
                        return count == 1
                    }
                    guard isFirst else { throw TestRegistry.Shout() }
                    return request
                }, retry: { _, error in error.code == .status ? .retry : .doNotRetry })
        ]
        let (failing, _) = try stubManager { _ in .json("1", status: 503) }
        let adapting = await #expect(throws: SessionError.self) { try await failing.send(request) }
        #expect(adapting?.code == .adaptation)
        #expect(adapting?.written?.entry == "json")

        // Cancelled while it waits for the next try.
        let waiting = OneShot()
        var configuration = SessionConfiguration()
        configuration.sleep = { _ in
            waiting.fire()
            await OneShot().fired()
        }
        configuration.interceptors = [MadeInterceptor(retry: { _, _ in .retryAfter(.seconds(1)) })]
        let (slow, _) = try stubManager(configuration: configuration) { _ in .json("1", status: 503) }
        let call = Task { try await slow.send(SessionRequest("x", body: [1])) }
        await waiting.fired()
        call.cancel()
        let cancelled = await #expect(throws: SessionError.self) { try await call.value }
        #expect(cancelled?.code == .cancelled)
        #expect(cancelled?.written?.entry == "json")
    }

    @Test("a call without content that is written has no such decision; a download and a stream have theirs")
    func kinds() async throws {
        let (manager, _) = try stubManager { _ in .json("[1]") }
        #expect(try await manager.send("x").written == nil)
        #expect(try await manager.send(SessionRequest("x", method: "POST", content: .data(Data()))).written == nil)
        let folder = TemporaryFolder()
        let reply = try await manager.download(
            SessionRequest("x", body: [1]), to: .file(folder.url.appending(path: "file")))
        #expect(reply.written?.entry == "json")
    }
}
