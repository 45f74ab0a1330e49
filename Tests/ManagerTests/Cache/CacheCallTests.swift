import Foundation
import PatchbayJSON
import PatchbayPlatform
import PatchbayRegistry
import PatchbayTesting
import TestSupport
import Testing

@testable import PatchbayManager

/// A stored answer on its way through a call: the rest of the call sees it as one from the network.
@Suite("Calls with a cache", .timeLimit(.minutes(5))) struct CacheCallTests {
    private static let json: HeaderFields = ["Content-Type": "application/json", "Cache-Control": "max-age=60"]

    private static func manager(
        _ given: SessionConfiguration = SessionConfiguration(), bytes: Int = 1 << 20,
        _ reply: @escaping @Sendable (TransportRequest) async throws -> StubReply
    ) throws -> (SessionManager, StubTransport) {
        var configuration = given
        configuration.cache = given.cache ?? .memory(bytes: bytes)
        let registry = try TestRegistry.make(
            TestRegistry.formats.replacingOccurrences(
                of: #""application/x-ndjson"] }, "reads": false"#, with: #""application/x-ndjson"] }"#))
        return try stubManager(registry, configuration: configuration, reply)
    }

    @Test("a typed call, bytes, elements and a file can have one stored answer, if they ask for the same types")
    func kinds() async throws {
        let (manager, stub) = try Self.manager { _ in
            StubReply(
                fields: ["Content-Type": "application/x-ndjson", "Cache-Control": "max-age=60"], body: "1\n2\n3\n")
        }
        let accept: HeaderFields = ["Accept": "application/x-ndjson"]
        let request = SessionRequest("page", headers: accept)
        let first = try await manager.send(request, as: [Int].self)
        #expect(first.value == [1, 2, 3])
        #expect(first.cacheStatus.map { "\($0)" } == "fwd=miss; stored; ttl=60")
        let second = try await manager.send(request, as: [Int].self)
        #expect(second.value == [1, 2, 3])
        #expect(second.cacheStatus?.isHit == true)
        #expect(second.head.fields["Age"] == "0")
        #expect(second.timeline.exchange.firstByte == nil && second.timeline.exchange.httpVersion == nil)
        let bytes = try await manager.send(request, as: Data.self)
        #expect(bytes.value == Data("1\n2\n3\n".utf8))
        let elements = try await manager.stream(request, of: Int.self)
        var sum = 0
        for try await element in elements { sum += element }
        #expect(sum == 6)
        let folder = TemporaryFolder()
        let file = try await manager.download(request, to: .file(folder.url.appending(path: "page")))
        #expect(try Data(contentsOf: file.value) == Data("1\n2\n3\n".utf8))
        #expect(file.cacheStatus?.isHit == true)
        #expect(stub.requests.count == 1)
    }

    @Test("an answer for a String is not given to a typed call, whatever Vary says")
    func accept() async throws {
        let (manager, stub) = try Self.manager { request in
            let wantsJSON = request.head.fields["Accept"]?.contains("json") == true
            return StubReply(
                fields: wantsJSON ? Self.json : ["Content-Type": "text/html", "Cache-Control": "max-age=60"],
                body: wantsJSON ? "7" : "<p>")
        }
        #expect(try await manager.get("page", as: String.self) == "<p>")
        #expect(try await manager.get("page", as: Int.self) == 7)
        #expect(try await manager.get("page", as: String.self) == "<p>")
        #expect(try await manager.get("page", as: Int.self) == 7)
        #expect(stub.requests.count == 2)
    }

    @Test("a redirect is stored, and followed from the cache")
    func redirect() async throws {
        let (manager, stub) = try Self.manager { request in
            request.head.url.path == "/old"
                ? StubReply(status: 301, fields: ["Location": "/new", "Cache-Control": "max-age=60"])
                : StubReply(fields: Self.json, body: "7")
        }
        for _ in 0..<2 { #expect(try await manager.get("old", as: Int.self) == 7) }
        #expect(stub.requests.map(\.head.url.path) == ["/old", "/new"])
    }

    @Test("a hit sets no cookie again, and a cookie of the jar selects the answer")
    func cookies() async throws {
        let jar = CookieJar()
        let (manager, stub) = try Self.manager(SessionConfiguration(cookies: jar)) { request in
            let count = request.head.fields["Cookie"] ?? "none"
            return StubReply(
                fields: Self.json.with(["Set-Cookie": "a=1; Path=/"]), body: "\"\(count)\"")
        }
        #expect(try await manager.get("page", as: JSON.self) == "none")
        #expect(try await manager.get("page", as: JSON.self) == "a=1")
        jar.removeAll()
        #expect(try await manager.get("page", as: JSON.self) == "none")
        #expect(jar.cookies.isEmpty)
        #expect(stub.requests.count == 2)
    }

    @Test("two users of one cache never get each other's answers")
    func users() async throws {
        let cache = ResponseCache.memory(bytes: 1 << 20)
        let users = try ["a", "b"].map { user in
            try Self.manager(SessionConfiguration(headers: ["Authorization": "Bearer \(user)"], cache: cache)) {
                request in
                StubReply(fields: Self.json, body: "\"\(request.head.fields["Authorization"] ?? "none")\"")
            }
        }
        for _ in 0..<2 {
            for (name, user) in zip(["a", "b"], users) {
                #expect(try await user.0.get("page", as: JSON.self) == "Bearer \(name)")
            }
        }
        #expect(users.map(\.1.requests.count) == [1, 1])
    }

    private struct NameSigner: RequestInterceptor {
        let name: String

        func sign(_ head: inout RequestHead, body: RequestBody?) async throws { head.fields["Signature"] = name }
    }

    @Test("two users whose requests are signed never get each other's answers")
    func signers() async throws {
        let cache = ResponseCache.memory(bytes: 1 << 20)
        for _ in 0..<2 {
            for name in ["a", "b"] {
                let signer = NameSigner(name: name)
                let (manager, _) = try Self.manager(SessionConfiguration(interceptors: [signer], cache: cache)) {
                    request in
                    StubReply(fields: Self.json, body: "\"\(request.head.fields["Signature"] ?? "none")\"")
                }
                #expect(try await manager.get("page", as: JSON.self) == .init(stringLiteral: name))
            }
        }
    }

    @Test("a write that succeeded removes the answer, even if nobody takes its body")
    func untakenBody() async throws {
        let content = Shared(1)
        let (manager, _) = try Self.manager { request in
            guard request.head.method == "GET" else {
                content.withLock { $0 += 1 }
                let length: HeaderFields = request.head.fields["X-Length"] == nil ? [:] : ["Content-Length": "400000"]
                return StubReply(fields: length, chunks: Array(repeating: Data(count: 50_000), count: 8))
            }
            return StubReply(fields: Self.json, body: "\(content.withLock { $0 })")
        }
        #expect(try await manager.get("page", as: Int.self) == 1)
        _ = try await manager.send(SessionRequest("page", method: "PUT"), as: Void.self)
        #expect(try await manager.get("page", as: Int.self) == 2)
        var limited = SessionRequest("page", method: "PUT")
        limited.maximumBodyBytes = 10
        await #expect(throws: SessionError.self) { try await manager.send(limited, as: Data.self) }
        #expect(try await manager.get("page", as: Int.self) == 3)
        limited.headers["X-Length"] = "1"
        await #expect(throws: SessionError.self) { try await manager.send(limited, as: Data.self) }
        #expect(try await manager.get("page", as: Int.self) == 4)
    }

    @Test("a retry asks the server, even if the answer that was no good is stored")
    func retry() async throws {
        let count = Shared(0)
        let policy = RetryPolicy(exponentialBase: 1, scale: .milliseconds(1))
        let (manager, _) = try Self.manager(SessionConfiguration(interceptors: [policy])) { _ in
            let number = count.withLock { count in
                count += 1
                return count
            }
            return StubReply(status: number == 1 ? 503 : 200, fields: Self.json, body: "\(number)")
        }
        #expect(try await manager.get("page", as: Int.self) == 2)
        #expect(try await manager.get("page", as: Int.self) == 2)
    }

    @Test("over plain http, the proxy selects the answer")
    func proxy() async throws {
        let cache = ResponseCache.memory(bytes: 1 << 20)
        for round in 0..<2 {
            for (number, proxy) in [ProxySettings.none, try ProxySettings("http://127.0.0.1:1")].enumerated() {
                let connection = ConnectionSettings(proxy: proxy)
                let (manager, stub) = try Self.manager(SessionConfiguration(cache: cache, connection: connection)) {
                    _ in
                    StubReply(fields: Self.json, body: "\(number)")
                }
                #expect(try await manager.get("page", as: Int.self) == number)
                #expect(stub.requests.count == 1 - round)
            }
        }
    }

    @Test(
        "the status says why an answer is not stored",
        arguments: [
            (200, "no-store", "", "no-store"), (206, "max-age=60", "", "status 206"), (200, "max-age=60", "*", "Vary"),
            (200, "x", "", "no lifetime and no validator"), (299, "must-understand, max-age=60", "", "status 299"),
        ])
    func reason(status: Int, control: String, vary: String, detail: String) async throws {
        var fields: HeaderFields = ["Content-Type": "application/json", "Cache-Control": control]
        if !vary.isEmpty { fields["Vary"] = vary }
        let (manager, _) = try Self.manager { [fields] _ in StubReply(status: status, fields: fields, body: "7") }
        let reply = try await manager.send(SessionRequest("page"), as: Int.self)
        #expect(reply.cacheStatus.map { "\($0)" } == "fwd=miss; detail=\"\(detail)\"")
    }

    @Test(
        "nothing of an only-if-cached request is sent, whatever its method",
        arguments: ["GET", "HEAD", "POST", "OPTIONS"])
    func neverSent(method: String) async throws {
        let (manager, stub) = try Self.manager { _ in StubReply() }
        let request = SessionRequest("page", method: method, headers: ["Cache-Control": "only-if-cached"])
        let error = await #expect(throws: SessionError.self) { try await manager.send(request) }
        #expect(error?.code == .notCached)
        #expect(stub.requests.isEmpty)
    }

    @Test("only-if-cached without an answer is the failure notCached, and nothing is sent")
    func onlyIfCached() async throws {
        let (manager, stub) = try Self.manager { _ in StubReply(fields: Self.json, body: "7") }
        let request = SessionRequest("page", headers: ["Cache-Control": "only-if-cached"])
        let error = await #expect(throws: SessionError.self) { try await manager.send(request, as: Int.self) }
        #expect(error?.code == .notCached)
        #expect(stub.requests.isEmpty)
        _ = try await manager.send(SessionRequest("page"), as: Int.self)
        #expect(try await manager.send(request, as: Int.self).value == 7)
    }

    @Test("observers hear of the cache, and of no request that is not sent")
    func events() async throws {
        let log = EventLog()
        let (manager, _) = try Self.manager(SessionConfiguration(observers: [log])) { _ in
            StubReply(fields: Self.json, body: "7")
        }
        for _ in 0..<2 { _ = try await manager.get("page", as: Int.self) }
        await log.hears(ends: 2)
        let words = (1...2).flatMap { log.lines(of: $0) }
        #expect(words.filter { $0.hasPrefix("cache ") } == ["cache fwd=miss; stored; ttl=60", "cache hit; ttl=60"])
        #expect(words.filter { $0.hasPrefix("sending") }.count == 1)
    }

    @Test("what was used least recently goes first, and what is too large is not stored")
    func limits() async throws {
        let (manager, stub) = try Self.manager(bytes: 40_000) { request in
            let count = request.head.url.lastPathComponent == "large" ? 50_000 : 10_000
            return StubReply(fields: Self.json, body: "\"" + String(repeating: "a", count: count) + "\"")
        }
        func sends(_ name: String) async throws -> Bool {
            let count = stub.requests.count
            _ = try await manager.get(name, as: JSON.self)
            return stub.requests.count > count
        }
        for name in ["a", "b", "c", "large"] { #expect(try await sends(name)) }
        #expect(try await sends("large"))
        #expect(try await !sends("a"))
        #expect(try await sends("d"))
        #expect(try await !sends("a"))
        #expect(try await sends("b"))
        await manager.configuration.cache?.clear()
        #expect(try await sends("a"))
    }

    @Test("bodies on their way have no more memory than the cache")
    func arriving() async throws {
        let store = MemoryStore(limit: 10_000)
        let head = StoredHead(200, [:], Variant(names: [], digest: 0), born: 0, received: 0)
        func finished(_ writer: any ResponseWriter) async -> String? {
            await writer.finish(replacing: { _ in false }, until: OneShot())
        }
        func bytes(_ count: Int, into writer: any ResponseWriter) {
            [UInt8](repeating: 0, count: count).withUnsafeBytes { writer.append($0) }
        }
        let urls = (0..<3).map { KeyedDigest().value(of: [UInt8($0)]) }
        let writers = urls.map { store.writer($0, head) }
        bytes(6_000, into: writers[0])
        bytes(6_000, into: writers[1])
        #expect(await finished(writers[1]) == "")
        bytes(3_000, into: writers[2])
        #expect(await finished(writers[0]) == nil)
        writers[2].abandon()
        // What was let go counts no more.
        let last = store.writer(urls[1], head)
        bytes(9_000, into: last)
        #expect(await finished(last) == nil)
    }

    @Test("a body that was cut off is not stored")
    func cutBody() async throws {
        let count = Shared(0)
        let (manager, _) = try Self.manager { _ in
            let isFirst = count.withLock { count in
                count += 1
                return count == 1
            }
            return StubReply(
                fields: Self.json, body: "7", failure: isFirst ? TransportFailure(.truncatedBody, "it is short") : nil)
        }
        await #expect(throws: SessionError.self) { try await manager.get("page", as: Int.self) }
        #expect(try await manager.send(SessionRequest("page"), as: Int.self).cacheStatus?.isHit == false)
        #expect(try await manager.send(SessionRequest("page"), as: Int.self).cacheStatus?.isHit == true)
    }

    @Test("a hundred variants of one URL stay within a bound")
    func variants() async throws {
        let (manager, stub) = try Self.manager { _ in
            StubReply(fields: Self.json.with(["Vary": "X-A"]), body: "7")
        }
        for round in 0..<2 {
            for number in 0..<100 {
                let request = SessionRequest("page", headers: ["X-A": "\(99 * round + number * (1 - 2 * round))"])
                _ = try await manager.send(request, as: Int.self)
            }
        }
        // The newest ones are there.
        #expect(stub.requests.count == 100 + 100 - CacheIndex<Int>.mostVariants)
    }
}
