import Foundation
import PatchbayJSON
import PatchbayPlatform
import PatchbayRegistry
import PatchbayTesting
import TestSupport
import Testing

@testable import PatchbayManager

/// The names of OpenTelemetry that events have.
@Suite(.timeLimit(.minutes(5))) struct EventAttributeTests {
    /// A stub whose exchanges tell a version and a peer.
    private struct Wired: Transport {
        let stub: StubTransport
        var endsWhenStopped: Bool { true }

        func perform(
            _ request: TransportRequest, for receiver: some ExchangeReceiver
        ) async throws(TransportFailure) -> ExchangeTimings {
            var timings = try await stub.perform(request, for: receiver)
            (timings.httpVersion, timings.remoteAddress, timings.remotePort) = ("2", "192.0.2.7", 8443)
            return timings
        }
    }

    /// Keeps the events of one call.
    final class Events: SessionObserver {
        private let kept = Guarded<[SessionEvent]>([])
        private let end = OneShot()

        func observe(_ event: SessionEvent) async {
            kept.withLock { $0.append(event) }
            if case .finished = event.stage { end.fire() }
        }

        /// All events, once the call has ended.
        func all() async -> [SessionEvent] {
            await end.fired()
            return kept.withLock { $0 }
        }

        /// `stage: name=value, …`, in the order of the names; counts of bytes are left out.
        func lines() async -> [String] {
            await all().compactMap { event in
                let word = EventLog.line(event).split(separator: " ")[0]
                guard !["sent", "received"].contains(word) else { return nil }
                return "\(word): \(EventAttributeTests.text(event.attributes))"
            }
        }
    }

    static func text(_ attributes: [String: JSON]) -> String {
        attributes.inOrder { $0.key < $1.key }
            .map { "\($0.key)=\($0.value.string ?? $0.value.int.map(String.init) ?? "?")" }.joined(separator: ", ")
    }

    private func events(
        _ request: SessionRequest, base: String? = "https://api.test/v1", masked: Set<String> = [],
        interceptors: [any RequestInterceptor] = [],
        _ reply: @escaping @Sendable (TransportRequest) async throws -> StubReply
    ) async throws -> Events {
        let events = Events()
        var configuration = SessionConfiguration()
        (configuration.observers, configuration.interceptors) = ([events], interceptors)
        configuration.maskedPathSegments = masked
        let manager = SessionManager(
            baseURL: base.flatMap { URL(string: $0) }, registry: try TestRegistry.make(),
            transport: Wired(stub: StubTransport(reply)), configuration: configuration)
        _ = try? await manager.send(request)
        return events
    }

    private static let server = "http.request.method=GET, "
    private static let at = "server.address=api.test, server.port=443, url.full=https://api.test/v1/"
    private static let peer =
        "network.peer.address=192.0.2.7, network.peer.port=8443, network.protocol.version=2, "

    @Test("each event of a call has what is known at its time")
    func everyStage() async throws {
        let events = try await events(SessionRequest("users", body: "xyz")) { _ in
            StubReply(fields: ["Content-Type": "application/json", "Content-Length": "2"], body: "[]")
        }
        let sent = "http.request.body.size=3, http.request.method=POST, "
        let response = "http.response.body.size=2, http.response.status_code=200, "
        let entry = "patchbay.entry=json, "
        #expect(
            await events.lines() == [
                "created: http.request.method=POST",
                "resumed: http.request.method=POST",
                "sending: \(sent)\(Self.at)users",
                "head: \(sent)\(response)\(entry)\(Self.at)users",
                "serialized: \(sent)\(response)\(entry)\(Self.at)users",
                "finished: \(sent)\(response)\(Self.peer)\(entry)\(Self.at)users",
            ])
        let received = try #require(await events.all().first { if case .received = $0.stage { true } else { false } })
        #expect(received.attributes["http.response.status_code"] == 200)
    }

    @Test("the events that end a call or an attempt have its times", arguments: [200, 404])
    func timeline(status: Int) async throws {
        let retry = MadeInterceptor(retry: { _, error in error.retries == 0 ? .retry : .doNotRetry })
        let tries = Guarded(0)
        let events = try await events(SessionRequest("a"), interceptors: [retry]) { _ in
            let isFirst = tries.withLock { tries in
                tries += 1
                return tries == 1
            }
            return .json("1", status: isFirst ? 503 : status)
        }
        let timed = await events.all().filter { $0.timeline != nil }
        #expect(timed.map { EventLog.line($0).split(separator: " ")[0] } == ["retrying", "finished"])
        #expect(timed.map { $0.timeline?.retries } == [0, 1])
        #expect(timed.allSatisfy { $0.timeline.map { $0.serialized >= $0.head } == true })
    }

    @Test("a request that is sent again has its number, after a redirect and after a retry, and each has its own URL")
    func resends() async throws {
        let tries = Guarded(0)
        let retry = MadeInterceptor(retry: { _, error in error.retries == 0 ? .retry : .doNotRetry })
        let events = try await events(SessionRequest("a"), interceptors: [retry]) { request in
            guard request.head.url.path() == "/v1/b" else { return .redirect(307, to: "b") }
            let number = tries.withLock { tries in
                tries += 1
                return tries
            }
            return number == 1 ? .json("1", status: 503) : .json("1")
        }
        let lines = await events.lines().map { line in
            line.replacing(Self.server, with: "").replacing(Self.at, with: "").replacing(Self.peer, with: "")
        }
        func count(_ number: Int) -> String { "http.request.resend_count=\(number), " }
        let (failed, read) = ("http.response.status_code=503, ", "http.response.status_code=200, patchbay.entry=json, ")
        #expect(
            lines == [
                "created: http.request.method=GET", "resumed: http.request.method=GET",
                "adapted: a", "sending: a", "redirected: http.response.status_code=307, a",
                "sending: \(count(1))b", "head: error.type=503, \(count(1))\(failed)patchbay.entry=json, b",
                "retrying: error.type=503, \(count(1))\(failed)patchbay.entry=json, b",
                "adapted: a", "sending: \(count(2))a", "redirected: \(count(2))http.response.status_code=307, a",
                "sending: \(count(3))b", "head: \(count(3))\(read)b", "serialized: \(count(3))\(read)b",
                "finished: \(count(3))\(read)b",
            ])
    }

    @Test(
        "error.type is the status that the request does not accept, or the code of the error",
        arguments: [
            ("404", "404", "http.response.status_code=404"), ("accepted", "none", "http.response.status_code=404"),
            ("302", "302", "http.response.status_code=302"),
            ("lost", "transport", "server.address=api.test"), ("broken", "serialization", "patchbay.entry=json"),
            ("ftp://x/", "invalidRequest", "http.request.method=GET"), ("refused", "adaptation", "http.request.method"),
        ])
    func failures(_ target: String, _ type: String, _ part: String) async throws {
        var request = SessionRequest(target)
        if target == "accepted" { request.acceptableStatus = [200, 404] }
        request.redirects = .doNotFollow
        let refuser = MadeInterceptor(adapt: { request in
            if request.target == "refused" { throw TestRegistry.Shout() }
            return request
        })
        let events = try await events(request, interceptors: [refuser]) { request in
            switch request.head.url.lastPathComponent {
            case "404", "accepted": return .json("1", status: 404)
            case "302": return .redirect(302, to: "/elsewhere")
            case "lost": throw TransportFailure(.lostConnection, "the connection was lost")
            default: return .json("{")
            }
        }
        let last = try #require(await events.all().last)
        #expect(last.attributes["error.type"]?.string ?? "none" == type)
        #expect(Self.text(last.attributes).contains(part))
        for event in await events.all() {
            if case .head = event.stage {
                let isOfStatus = ["404", "302"].contains(type)
                #expect(event.attributes["error.type"]?.string == (isOfStatus ? type : nil))
            }
        }
    }

    @Test("the end of a call that no entry can read has the code noReader")
    func codes() async throws {
        let events = Events()
        var configuration = SessionConfiguration()
        configuration.observers = [events]
        let (manager, _) = try stubManager(configuration: configuration) { _ in
            StubReply(fields: ["Content-Type": "application/zip"], body: "1")
        }
        await #expect(throws: SessionError.self) { try await manager.get("a", as: [Int].self) }
        #expect(await events.all().last?.attributes["error.type"] == "noReader")
    }

    @Test(
        "a method that OpenTelemetry does not name is _OTHER, in the case that it was written in",
        arguments: ["GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "TRACE", "PATCH", "PURGE", "get", "PROPFIND"])
    func methods(_ method: String) async throws {
        let isKnown = !["PURGE", "get", "PROPFIND"].contains(method)
        let events = try await events(SessionRequest("a", method: method)) { _ in .json("1") }
        for event in await events.all() {
            #expect(event.attributes["http.request.method"]?.string == (isKnown ? method : "_OTHER"))
            #expect(event.attributes["http.request.method_original"]?.string == (isKnown ? nil : method))
        }
    }

    @Test(
        "server.port is that of the scheme if the URL has none, and server.address has no brackets",
        arguments: [
            ("http://api.test/a", "api.test", 80), ("https://api.test/a", "api.test", 443),
            ("https://API.test:8443/a", "api.test", 8443), ("HTTPS://api.test/a", "api.test", 443),
            ("http://[::1]:8080/a", "::1", 8080),
            ("http://192.0.2.1/", "192.0.2.1", 80),
        ])
    func servers(_ target: String, _ address: String, _ port: Int) async throws {
        let events = try await events(SessionRequest(target), base: nil) { _ in .json("1") }
        let sending = try #require(await events.all().first { if case .sending = $0.stage { true } else { false } })
        #expect(sending.attributes["server.address"]?.string == address)
        #expect(sending.attributes["server.port"]?.int == port)
    }

    @Test("no attribute has a secret of the request, of its URL or of its response")
    func secrets() async throws {
        var request = SessionRequest(
            "https://user1:pass2@api.test/key3/door/a1b2c3d4e5f6a7b8c9d0e1f2/x;s=param4?token=query5&query6#frag7",
            body: "body8", headers: ["Authorization": "Bearer field9", "Cookie": "c=cookie10"])
        request.redirects = .follow
        let events = try await events(request, masked: ["key3", "door/"]) { request in
            guard request.head.url.path().hasSuffix("/end") else {
                return .redirect(307, to: "https://user11:pass12@api.test/end?token=query13#frag14")
            }
            return StubReply(
                status: 500, fields: ["Content-Type": "application/json", "X-Key": "field15"], body: #"{"k": "body16"}"#
            )
        }
        let secrets = [
            "user1", "pass2", "key3", "a1b2c3", "param4", "query5", "query6", "frag7", "body8", "field9", "cookie10",
            "user11", "pass12", "query13", "frag14", "field15", "body16",
        ]
        let all = await events.all()
        #expect(all.count > 3)
        for event in all {
            let text = Self.text(event.attributes)
            for secret in secrets { #expect(!text.contains(secret), "\(text)") }
        }
    }

    @Test("the masked text of a URL is that of errors, with the segments that the configuration names")
    func maskedText() throws {
        var configuration = SessionConfiguration()
        configuration.maskedPathSegments = ["key", "door/"]
        let (manager, _) = try stubManager(configuration: configuration) { _ in .json("1") }
        let rows = [
            ("https://api.test/key/a?x=1&y#z", "https://api.test/***/a?x=***&***#***"),
            ("https://u:p@api.test:8443/door/17", "https://***@api.test:8443/door/***"),
            ("https://api.test/a1b2c3d4e5f6a7b8c9d0e1f2", "https://api.test/***"),
            ("http://api.test/", "http://api.test/"),
        ]
        for (text, masked) in rows {
            let url = try #require(URL(string: text))
            #expect(manager.maskedText(of: url) == masked)
        }
    }

    @Test("a size that nobody has told is left out")
    func sizes() async throws {
        let chunks = AsyncStream<Data> { continuation in
            continuation.yield(Data("xyz".utf8))
            continuation.finish()
        }
        let streamed = try await events(SessionRequest("a", method: "POST", content: .stream(chunks))) { _ in
            .json("1")
        }
        let head = try await events(SessionRequest("a", method: "HEAD")) { _ in
            StubReply(fields: ["Content-Type": "application/json", "Content-Length": "12"])
        }
        for events in [streamed, head] {
            for event in await events.all() {
                #expect(event.attributes["http.request.body.size"] == nil)
                #expect(event.attributes["http.response.body.size"] == nil)
            }
        }
        let last = try #require(await head.all().last)
        #expect(last.attributes["http.response.status_code"] == 200)
    }

    @Test("an event that a test makes has the attributes of its stage; one of the manager has none")
    func made() throws {
        let url = try #require(URL(string: "https://api.test/a?b=c"))
        let head = RequestHead(method: "PUT", url: url)
        #expect(
            Self.text(SessionEvent(.sending(head)).attributes)
                == "http.request.method=PUT, server.address=api.test, server.port=443, "
                + "url.full=https://api.test/a?b=***")
        let error = SessionError(.totalTimeout, reason: "too late", request: head)
        #expect(SessionEvent(.finished(.failure(error))).attributes["error.type"] == "totalTimeout")
        for stage in [SessionEvent.Stage.invalidated, .created, .received(bytes: 1)] {
            #expect(SessionEvent(stage).attributes.isEmpty)
        }
    }
}
