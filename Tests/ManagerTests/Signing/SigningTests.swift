import Foundation
import PatchbayPlatform
import PatchbayRegistry
import PatchbayTesting
import TestSupport
import Testing

@testable import PatchbayManager

/// Adds its name and a number to a field, and notes what it is asked about.
private struct Signer: RequestInterceptor {
    struct Asked: Sendable {
        let head: RequestHead
        let body: RequestBody?
    }

    var name = "s"
    var field = "X-Signature"
    let asked = Shared<[Asked]>([])
    /// What it does to the head besides.
    var change: @Sendable (inout RequestHead) async throws -> Void = { _ in }
    var decision: RetryDecision = .doNotRetry

    func sign(_ head: inout RequestHead, body: RequestBody?) async throws {
        let count = asked.withLock { [head] asked in
            asked.append(Asked(head: head, body: body))
            return asked.count
        }
        head.fields.append("\(name)\(count)", for: field)
        try await change(&head)
    }

    func retry(_ request: SessionRequest, after error: SessionError) async -> RetryDecision { decision }

    var heads: [RequestHead] { asked.withLock { $0.map(\.head) } }
    var bodies: [RequestBody?] { asked.withLock { $0.map(\.body) } }
}

@Suite("Signing", .timeLimit(.minutes(5))) struct SigningTests {
    private func configuration(_ interceptors: any RequestInterceptor...) -> SessionConfiguration {
        var configuration = SessionConfiguration()
        configuration.headers = ["X-Own": "o"]
        configuration.interceptors = interceptors
        return configuration
    }

    private func signatures(_ stub: StubTransport) -> [[String]] {
        stub.requests.map { $0.head.fields.values(for: "X-Signature") }
    }

    @Test("a signer sees the body that is written and every field, and what it adds is sent, once")
    func once() async throws {
        let signer = Signer()
        let (manager, stub) = try stubManager(configuration: configuration(signer)) { _ in .json("[1]") }
        _ = try await manager.post("a?b=c", body: [1], as: [Int].self)
        try await manager.post("a", body: Data("raw".utf8))
        _ = try await manager.get("a", as: [Int].self)
        #expect(signer.bodies.map { $0?.data } == [Data("[1]".utf8), Data("raw".utf8), nil])
        #expect(signer.heads.map(\.method) == ["POST", "POST", "GET"])
        #expect(signer.heads.first?.url.absoluteString == "http://origin.test/a?b=c")
        for (asked, sent) in zip(signer.heads, stub.requests) {
            var fields = sent.head.fields
            fields["X-Signature"] = nil
            #expect(fields == asked.fields)
        }
        let names = stub.requests.map { $0.head.fields.map(\.name).sorted() }
        #expect(
            names == [
                ["Accept", "Content-Type", "X-Own", "X-Signature"], ["Accept", "Content-Type", "X-Own", "X-Signature"],
                ["Accept", "X-Own", "X-Signature"],
            ])
    }

    @Test("a body that is read while it is sent is there to see, and left unread")
    func streamed() async throws {
        let signer = Signer()
        let (manager, stub) = try stubManager(configuration: configuration(signer)) { _ in .json("1") }
        let chunks = AsyncStream<Data> { _ = ($0.yield(Data("abc".utf8)), $0.finish()) }
        try await manager.upload(.stream(chunks), to: "a")
        guard case .source? = signer.bodies.first else {
            Issue.record("\(signer.bodies)")
            return
        }
        #expect(stub.requests.map { $0.body?.data } == [Data("abc".utf8)])
        #expect(signatures(stub) == [["s1"]])
    }

    @Test("a signer that reads a streamed body fails the call, and takes nothing of the body")
    func reading() async throws {
        struct Reader: RequestInterceptor {
            func sign(_ head: inout RequestHead, body: RequestBody?) async throws {
                guard case .source(let source)? = body else { return }
                try withUnsafeTemporaryAllocation(byteCount: 4, alignment: 1) { _ = try source.read(into: $0) }
            }
        }
        let (manager, stub) = try stubManager(configuration: configuration(Reader())) { _ in .json("1") }
        let chunks = AsyncStream<Data> { _ = ($0.yield(Data("abc".utf8)), $0.finish()) }
        let error = await #expect(throws: SessionError.self) { try await manager.upload(.stream(chunks), to: "a") }
        #expect(error?.code == .adaptation)
        #expect(error?.reason == "the request was not sent: a body that is streamed can be read only while it is sent")
        #expect(stub.requests.isEmpty)
    }

    @Test("several sign in order, the manager's first, each with the fields of those before it")
    func order() async throws {
        let (first, second) = (Signer(name: "a"), Signer(name: "b"))
        let (manager, stub) = try stubManager(configuration: configuration(first)) { _ in .json("1") }
        var request = SessionRequest("a")
        request.interceptors = [second]
        _ = try await manager.send(request)
        #expect(second.heads.map { $0.fields.values(for: "X-Signature") } == [["a1"]])
        #expect(signatures(stub) == [["a1", "b1"]])
    }

    @Test("changes of the method and of the URL have no effect, and a field can be replaced or taken away")
    func fieldsOnly() async throws {
        let signer = Signer(change: { head in
            head.method = "DELETE"
            head.url = URL(filePath: "/elsewhere")
            head.fields["X-Own"] = nil
            head.fields["Accept"] = "a/b"
        })
        let (manager, stub) = try stubManager(configuration: configuration(signer)) { _ in .json("1") }
        let reply = try await manager.send("a")
        let sent = try #require(stub.requests.first?.head)
        #expect(sent.method == "GET")
        #expect(sent.url.absoluteString == "http://origin.test/a")
        #expect(reply.head.url.absoluteString == "http://origin.test/a")
        #expect(sent.fields.values(for: "Accept") == ["a/b"])
        #expect(sent.fields["X-Own"] == nil)
    }

    @Test("each try is signed anew, from the fields without a signature")
    func retries() async throws {
        let signer = Signer(decision: .retry)
        let (manager, stub) = try stubManager(configuration: configuration(signer)) { [signer] _ in
            .json("1", status: signer.heads.count < 3 ? 503 : 200)
        }
        try await manager.post("a", body: [1])
        #expect(signatures(stub) == [["s1"], ["s2"], ["s3"]])
        #expect(signer.heads.allSatisfy { $0.fields["X-Signature"] == nil })
    }

    @Test(
        "a redirect within the origin is signed again; one out of it is not signed, nor is one that comes back",
        arguments: [
            (["/b"], [["s1"], ["s2"]]),
            (["/b", "http://origin.test:80/c"], [["s1"], ["s2"], ["s3"]]),
            (["http://other.test/b"], [["s1"], []]),
            (["http://other.test/b", "http://other.test/c"], [["s1"], [], []]),
            (["http://other.test/b", "http://origin.test/c"], [["s1"], [], []]),
            (["/b", "http://origin.test:81/c"], [["s1"], ["s2"], []]),
        ] as [([String], [[String]])])
    func redirects(_ locations: [String], _ expected: [[String]]) async throws {
        let signer = Signer()
        let rest = Shared(locations)
        let (manager, stub) = try stubManager(configuration: configuration(signer)) { _ in
            let next = rest.withLock { $0.isEmpty ? nil : $0.removeFirst() }
            return next.map { .redirect(307, to: $0) } ?? .json("1")
        }
        try await manager.post("a", body: [1])
        #expect(signatures(stub) == expected)
        #expect(signer.heads.allSatisfy { $0.fields["X-Signature"] == nil })
        #expect(signer.heads.count == expected.count { !$0.isEmpty })
        #expect(stub.requests.map { $0.body?.data } == expected.map { _ in Data("[1]".utf8) })
        #expect(stub.requests.allSatisfy { $0.head.fields.values(for: "Accept").count == 1 })
    }

    @Test("a redirect to a GET is signed without a body")
    func toGet() async throws {
        let signer = Signer()
        let (manager, stub) = try stubManager(configuration: configuration(signer)) { request in
            request.head.method == "POST" ? .redirect(303, to: "/b") : .json("1")
        }
        try await manager.post("a", body: [1])
        #expect(signer.heads.map(\.method) == ["POST", "GET"])
        #expect(signer.heads.map { $0.fields["Content-Type"] } == ["application/json", nil])
        #expect(signer.bodies.map { $0?.data } == [Data("[1]".utf8), nil])
        #expect(signatures(stub) == [["s1"], ["s2"]])
    }

    @Test("a redirect handler is shown no signature, and what it sets is signed")
    func handler() async throws {
        let signer = Signer()
        var configuration = configuration(signer)
        let shown = Shared<[String?]>([])
        configuration.redirects = RedirectHandler { next, _ in
            shown.withLock { [next] in $0.append(next.fields["X-Signature"]) }
            next.fields["X-Hop"] = "1"
            return true
        }
        let (manager, stub) = try stubManager(configuration: configuration) { request in
            request.head.url.path() == "/a" ? .redirect(302, to: "/b") : .json("1")
        }
        _ = try await manager.send("a")
        #expect(shown.withLock { $0 } == [nil])
        #expect(signer.heads.map { $0.fields["X-Hop"] } == [nil, "1"])
        #expect(signatures(stub) == [["s1"], ["s2"]])
    }

    @Test(
        "a signature that is a credential is known to be gone after a redirect to another origin",
        arguments: [("http://other.test/b", true), ("/b", false)])
    func dropped(_ location: String, _ isDropped: Bool) async throws {
        let signer = Signer(field: "Authorization")
        let (manager, stub) = try stubManager(configuration: configuration(signer)) { request in
            request.head.url.path() == "/a" ? .redirect(307, to: location) : .json("{}", status: 401)
        }
        let error = await #expect(throws: SessionError.self) { try await manager.send("a") }
        #expect(error?.code == .status)
        #expect(error?.droppedCredentials == isDropped)
        #expect(stub.requests.map { $0.head.fields["Authorization"] == nil } == [false, isDropped])
    }

    @Test("what a signer throws fails the try before anything is sent, and may be tried again")
    func throwing() async throws {
        let signer = Signer(change: { _ in throw TestRegistry.Shout() }, decision: .doNotRetry)
        let (manager, stub) = try stubManager(configuration: configuration(signer)) { _ in .json("1") }
        let error = await #expect(throws: SessionError.self) { try await manager.send("a") }
        #expect(error?.code == .adaptation)
        #expect(error?.cause is TestRegistry.Shout)
        #expect(
            error?.description == "GET origin.test/a: the request was not sent: an interceptor threw Shout")
        #expect(stub.requests.isEmpty)

        let tries = Shared(0)
        let second = Signer(
            change: { _ in
                let isFirst = tries.withLock { tries in
                    tries += 1
                    return tries == 1
                }
                if isFirst { throw TestRegistry.Shout() }
            }, decision: .retry)
        let (again, sent) = try stubManager(configuration: configuration(second)) { _ in .json("1") }
        _ = try await again.send("a")
        #expect(signatures(sent) == [["s2"]])
    }

    @Test(
        "a field that cannot be sent is refused",
        arguments: [
            ("X Y", "1", "a header field name is not a token"),
            ("X-A", "1\r\nX-B: 2", "the value of header field X-A has a carriage return in it"),
            ("Content-Length", "1", "header field Content-Length is written by the transport and cannot be set"),
        ])
    func refused(_ name: String, _ value: String, _ reason: String) async throws {
        let signer = Signer(change: { $0.fields.append(value, for: name) })
        let (manager, stub) = try stubManager(configuration: configuration(signer)) { _ in .json("1") }
        let error = await #expect(throws: SessionError.self) { try await manager.send("a") }
        #expect(error?.code == .adaptation)
        #expect(error?.reason == "the request was not sent: \(reason)")
        #expect(error?.cause == nil)
        #expect(stub.requests.isEmpty)
    }

    @Test("a call that is cancelled while its signer works does not wait for it", arguments: [false, true])
    func ended(_ hasTimeout: Bool) async throws {
        let (reached, never) = (OneShot(), OneShot())
        let signer = Signer(change: { _ in
            reached.fire()
            await never.fired()
        })
        let (manager, stub) = try stubManager(configuration: configuration(signer)) { _ in .json("1") }
        let call = Task {
            var request = SessionRequest("a")
            request.totalTimeout = hasTimeout ? .milliseconds(20) : nil
            return try await manager.send(request)
        }
        if !hasTimeout {
            await reached.fired()
            call.cancel()
        }
        let error = await #expect(throws: SessionError.self) { try await call.value }
        #expect(error?.code == (hasTimeout ? .totalTimeout : .cancelled))
        #expect(stub.requests.isEmpty)
        never.fire()
    }

    @Test("the range of a download that goes on is there to be signed")
    func resumed() async throws {
        let signer = Signer()
        let origin = ResumableOrigin(cuts: [5_000])
        let manager = try origin.manager(configuration: configuration(signer))
        let (_, resumption) = try await origin.begin(manager: manager)
        _ = try await manager.download(SessionRequest("file"), to: .rest(of: resumption))
        #expect(signer.heads.map { $0.fields["Range"] } == [nil, "bytes=5000-"])
        #expect(origin.requests.map { $0.fields.values(for: "X-Signature") } == [["s1"], ["s2"]])
        #expect(try Data(contentsOf: origin.url) == origin.body)
    }

    @Test("a stream that is asked for again is signed again, with its place")
    func reconnected() async throws {
        let signer = Signer()
        let sent = Shared<[[String]]>([])
        var configuration = configuration(signer)
        configuration.sleep = { _ in }
        let manager = try StreamFixture.manager(configuration) { number, request, receiver throws(TransportFailure) in
            sent.withLock { $0.append(request.head.fields.values(for: "X-Signature")) }
            let isLast = number > 2
            _ = receiver.receive(
                status: isLast ? 204 : 200, fields: ["Content-Type": isLast ? "text/plain" : "text/notes"])
            if !isLast { try await receiver.offer("\(number)=Some.") }
        }
        var sentences: [StreamFixture.Sentence] = []
        for try await sentence in try await manager.stream(
            SessionRequest("a"), of: StreamFixture.Sentence.self, reconnecting: .standard)
        {
            sentences.append(sentence)
        }
        #expect(sentences == ["Some", "Some"])
        #expect(signer.heads.map { $0.fields["Last-Event-ID"] } == [nil, "1", "2"])
        #expect(sent.withLock { $0 } == [["s1"], ["s2"], ["s3"]])
    }
}
