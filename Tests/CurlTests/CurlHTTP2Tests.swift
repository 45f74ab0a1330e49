import Foundation
import Patchbay
import PatchbayCodings
import PatchbayCurl
import PatchbayMigration
import PatchbayPlatform
import PatchbayRegistry
import TestSupport
import Testing

@testable import PatchbayManager

/// Against nginx, which speaks HTTP/2, with a certificate made for the run.
@Suite("CurlTransport over HTTP/2", .timeLimit(.minutes(5)))
struct CurlHTTP2Tests {
    private static let program = "/usr/sbin/nginx"
    static let isPossible =
        CertificateFolder.isPossible && FileManager.default.isExecutableFile(atPath: program)

    /// Ends the server when the file `run` is gone, or after some 100 s; after more where more rounds are asked for.
    private static let script = """
        /usr/sbin/nginx -p "$PWD" -c "$PWD/nginx.conf" >log 2>&1 </dev/null &
        steps=0
        while [ -e run ] && kill -0 $! && [ $steps -lt \(seconds * 50) ]; do sleep 0.02; steps=$((steps + 1)); done
        kill -9 $!  # a child of a test has every milder signal blocked
        """

    /// How many rounds of downloads there are; `PATCHBAY_DOWNLOAD_ROUNDS=1000` asks for more, in a run of its own.
    private static let rounds =
        ProcessInfo.processInfo.environment["PATCHBAY_DOWNLOAD_ROUNDS"].flatMap { Int($0) } ?? 20
    private static let seconds = rounds > 20 ? 270 : 100

    private static func configuration(_ port: UInt16, streams: Int) -> String {
        """
        daemon off; master_process off; pid nginx.pid; error_log log;
        events {}
        http {
            access_log off; default_type text/plain;
            client_body_temp_path tmp; proxy_temp_path tmp; fastcgi_temp_path tmp; uwsgi_temp_path tmp; scgi_temp_path tmp;
            server {
                listen 127.0.0.1:\(port) ssl http2;
                http2_max_concurrent_streams \(streams); keepalive_requests 100000;
                ssl_certificate host.pem; ssl_certificate_key host.key; ssl_protocols TLSv1.2 TLSv1.3;
                root .;
                location /slow { limit_rate 500; }
                location /connection { return 200 $connection; }
                location /told { return 200 $http_trailer; }
                location /te { return 200 "$server_protocol,$http_te,$http_connection\n"; }
                location /gzip { add_header Content-Encoding gzip; }
                location /trailers {
                    add_trailer X-Sum $arg_sum;
                    add_trailer X-More a;
                    location /trailers-gzip { add_header Content-Encoding gzip; }
                    # Whose length is not known beforehand.
                    location /trailers-ssi { ssi on; ssi_types *; }
                }
            }
        }
        """
    }

    /// Serves the files of a folder, and small ones as often as they are asked for, until the test is over.
    static func serving(
        _ files: [(String, [UInt8])], writing more: (_ folder: URL) throws -> Void = { _ in },
        total: Int = 256, perHost: Int? = nil, streams: Int = 128,
        _ test: (ConnectedTransport, _ origin: URL) async throws -> Void
    ) async throws {
        let folder = try await CertificateFolder()
        defer { folder.remove() }
        try await folder.issue("host")
        // A port that was free a moment ago.
        let free = try RawServer(always: RawReply([.close]))
        let port = free.port
        free.stop()
        let own = [
            ("small", Array("small".utf8)), ("nginx.conf", Array(configuration(port, streams: streams).utf8)),
            ("run", [UInt8]()),
        ]
        for (name, bytes) in files + own { try Data(bytes).write(to: folder.url.appending(path: name)) }
        try more(folder.url)
        async let server = ChildProcess.run(
            "/bin/sh", ["-c", script], directory: folder.url.path, limit: .seconds(seconds + 10))
        let transport = ConnectedTransport(
            CurlTransport(maximumConnections: total),
            tls: TLSSettings(certificateAuthorities: folder.path("ca.pem")), connectionsPerHost: perHost)
        let origin = try #require(URL(string: "https://127.0.0.1:\(port)/"))
        var tries = 0
        while await transport.exchange(origin.appending(path: "small")).code != nil, tries < 500 {
            tries += 1
            try await Task.sleep(for: .milliseconds(10))
        }
        let result: Result<Void, any Error>
        do { result = .success(try await test(transport, origin)) } catch { result = .failure(error) }
        try FileManager.default.removeItem(atPath: folder.path("run"))
        _ = try await server
        try result.get()
    }

    /// The connections that 64 calls at once were served on.
    private static func burst(_ transport: ConnectedTransport, _ origin: URL) async -> Set<String> {
        await withTaskGroup { group in
            for _ in 0..<64 {
                group.addTask { await transport.exchange(origin.appending(path: "connection")) }
            }
            var connections: Set<String> = []
            for await exchange in group {
                #expect(exchange.code == nil, "\(exchange.result)")
                connections.insert(exchange.record.text)
            }
            return connections
        }
    }

    @Test(
        "A burst opens one connection where the host allows 100 streams, first and again",
        .enabled(if: isPossible, "needs nginx and openssl (Debian: nginx-light, openssl)"))
    func burst() async throws {
        try await Self.serving([], streams: 100) { transport, origin in
            for _ in 0..<5 {
                // With another transport, nothing is known of the host.
                let fresh = ConnectedTransport(CurlTransport(), transport.connection)
                #expect(await Self.burst(fresh, origin).count == 1)
                #expect(await Self.burst(fresh, origin).count == 1)
            }
        }
    }

    @Test(
        "A burst succeeds where the host allows one stream, on as many connections as may be",
        .enabled(if: isPossible, "needs nginx and openssl (Debian: nginx-light, openssl)"))
    func burstOfSingleStreams() async throws {
        try await Self.serving([], perHost: 8, streams: 1) { transport, origin in
            for _ in 0..<3 {
                let fresh = ConnectedTransport(CurlTransport(), transport.connection)
                #expect((1...64).contains(await Self.burst(fresh, origin).count))
            }
        }
    }

    @Test(
        "The calls behind a first one that is cancelled, or that fails, go on",
        .enabled(if: isPossible, "needs nginx and openssl (Debian: nginx-light, openssl)"))
    func burstWithoutLeader() async throws {
        try await Self.serving([]) { transport, origin in
            for delay in [0, 1, 3, 10] {
                let fresh = ConnectedTransport(CurlTransport(), transport.connection)
                let leader = Task { await fresh.exchange(origin.appending(path: "small")) }
                try await Task.sleep(for: .milliseconds(1))
                async let rest = Self.burst(fresh, origin)
                try await Task.sleep(for: .milliseconds(delay))
                leader.cancel()
                _ = await leader.value
                #expect(await rest.count <= 2)
            }
            // Each of them fails, and none waits for the failures of the others.
            var unknown = transport.connection
            (unknown.tls, unknown.connectTimeout) = (TLSSettings(), nil)
            let strict = ConnectedTransport(CurlTransport(), unknown)
            await withTaskGroup { group in
                for _ in 0..<64 { group.addTask { await strict.exchange(origin).code } }
                for await code in group { #expect(code == .unknownAuthority) }
            }
        }
    }

    @Test(
        "A connection that is in use takes no new exchange past its age, and the new ones share another",
        .enabled(if: isPossible, "needs nginx and openssl (Debian: nginx-light, openssl)"),
        arguments: [false, true])
    func age(asBytes: Bool) async throws {
        try await Self.serving([("slow", [UInt8](repeating: 0x61, count: 6_000))]) { transport, origin in
            var settings = transport.connection
            // Longer than a burst of handshakes takes beside other work.
            settings.maximumConnectionAge = .seconds(4)
            if asBytes, let path = settings.tls?.certificateAuthorities {
                settings.tls?.certificateAuthorityData = try Data(contentsOf: URL(filePath: path))
                settings.tls?.certificateAuthorities = nil
            }
            // Again if this machine was too busy for the age to pass before the slow exchange was over.
            for attempt in 1...5 {
                let aging = ConnectedTransport(CurlTransport(), settings)
                // It keeps its connection in use for some 12 s, and without the age that connection would serve all others.
                let isOver = Shared(false)
                async let slow = {
                    let found = await aging.exchange(origin.appending(path: "slow"))
                    isOver.withLock { $0 = true }
                    return found
                }()
                var ids: [String] = []
                var first: ContinuousClock.Instant?
                var lastAsked = ContinuousClock.now
                while ids.last == ids.first, !isOver.withLock({ $0 }) {
                    lastAsked = .now
                    ids.append(await aging.exchange(origin.appending(path: "connection")).record.text)
                    first = first ?? .now
                    try await Task.sleep(for: .milliseconds(100))
                }
                // The time at which the connection was last chosen counts, not the time of its answer.
                let age = try #require(first).duration(to: lastAsked)
                let later = await Self.burst(aging, origin)
                #expect(await slow.timings?.httpVersion == "2")
                #expect(await slow.record.body.count == 6_000)
                if ids.first == ids.last, age < .seconds(6), attempt < 5 { continue }
                #expect(ids.first != ids.last, "after \(age): \(ids)")
                #expect(!later.contains(try #require(ids.first)), "it came back: \(ids), \(later)")
                #expect(later.count < 64, "none was shared: \(later)")
                break
            }
        }
    }

    @Test(
        "Calls behind a first one that cannot connect wait for one timeout, not for one each",
        .enabled(if: isPossible, "needs nginx and openssl (Debian: nginx-light, openssl)"))
    func burstWithoutHost() async throws {
        let gate = Gate()
        defer { gate.open() }
        let server = try RawServer(onConnect: RawReply([.wait(gate), .close]))
        let url = try #require(URL(string: "https://127.0.0.1:\(server.port)/"))
        let transport = ConnectedTransport(CurlTransport(), ConnectionSettings(connectTimeout: .seconds(0.5)))
        let start = ContinuousClock.now
        await withTaskGroup { group in
            for _ in 0..<40 { group.addTask { await transport.exchange(url).code } }
            for await code in group { #expect(code == .tlsTimeout) }
        }
        // One after the other, they would need 20 s.
        #expect(start.duration(to: .now) < .seconds(15))
    }

    @Test(
        "Coded bodies wait and take turns over HTTP/2, side by side on one connection",
        .enabled(if: isPossible, "needs nginx and openssl (Debian: nginx-light, openssl)"))
    func codings() async throws {
        let stored = (0..<(4 << 20)).map { UInt8(truncatingIfNeeded: $0 &* $0 >> 7) }
        // Zeros that take more than one turn, though they come in one piece.
        let member = GzipMember.repeating([0], count: 1 << 20)
        let memberCount = 1 + 258 * (((1 << 20) - 1 + 257) / 258)
        let files = [
            ("gzip-stored", StoredCoding.gzip.code(stored)),
            ("gzip-zeros", Array(repeatElement(member, count: 24).joined())),
        ]
        try await Self.serving(files) { transport, origin in
            func get(_ name: String, _ seed: UInt64? = nil) async -> Exchange {
                await transport.exchange(
                    origin.appending(path: name), receiver: seed.map { .hesitant($0) } ?? RecordingReceiver())
            }
            await withTaskGroup { group in
                for number in 0..<12 as Range<UInt64> {
                    group.addTask {
                        let seed = number % 2 == 0 ? number : nil
                        switch number % 3 {
                        case 0:
                            let exchange = await get("gzip-stored", seed)
                            #expect(exchange.code == nil)
                            #expect(exchange.record.body == stored)
                            #expect(exchange.timings?.httpVersion == "2")
                        case 1:
                            let exchange = await get("gzip-zeros", seed)
                            #expect(exchange.code == nil)
                            #expect(exchange.record.body.count == 24 * memberCount)
                        default:
                            for _ in 0..<20 {
                                let exchange = await get("small", seed)
                                #expect(exchange.record.text == "small")
                                #expect(exchange.timings?.httpVersion == "2")
                            }
                        }
                    }
                }
            }
        }
    }

    @Test(
        "The fields behind a body come over HTTP/2, whatever the exchange waits for, and are those of their own response",
        .enabled(if: isPossible, "needs nginx and openssl (Debian: nginx-light, openssl)"))
    func trailers() async throws {
        let text = Array("1\n2\n".utf8)
        let member = GzipMember.repeating([0], count: 1 << 20)
        let files = [
            ("trailers", text), ("trailers-ssi", text), ("trailers-none", []),
            ("trailers-gzip", StoredCoding.gzip.code(text)),
            ("trailers-gzip-in-turns", Array(repeatElement(member, count: 8).joined())),
        ]
        try await Self.serving(files) { transport, origin in
            await withTaskGroup { group in
                var sum = 0
                for (name, _) in files {
                    for wait in RecordingReceiver.Wait.allCases {
                        sum += 1
                        group.addTask { [sum] in
                            let url = origin.appending(path: name).appending(queryItems: [
                                .init(name: "sum", value: "\(sum)")
                            ])
                            let exchange = await transport.exchange(url, receiver: wait.receiver)
                            #expect(exchange.result.failure == nil, "\(name), \(wait)")
                            #expect(exchange.timings?.httpVersion == "2", "\(name), \(wait)")
                            #expect(exchange.record.trailers == ["x-sum": "\(sum)", "x-more": "a"], "\(name), \(wait)")
                            #expect(exchange.record.fields["X-Sum"] == nil, "\(name), \(wait)")
                            if !name.hasSuffix("none"), !name.hasSuffix("turns") {
                                #expect(exchange.record.body == text, "\(name), \(wait)")
                            }
                        }
                    }
                }
            }
        }
    }

    @Test(
        "A reply over HTTP/2 and a stream of the same server have the fields behind their bodies",
        .enabled(if: isPossible, "needs nginx and openssl (Debian: nginx-light, openssl)"))
    func trailersOfReplies() async throws {
        let text = "1\n2\n"
        let files = [("trailers", Array(text.utf8)), ("trailers-gzip", StoredCoding.gzip.code(Array(text.utf8)))]
        try await Self.serving(files) { transport, origin in
            let manager = SessionManager(baseURL: origin, registry: .standard, transport: transport)
            for (name, _) in files {
                let request = SessionRequest("\(name)?sum=6")
                let reply = try await manager.send(request, as: String.self)
                #expect(reply.value == text)
                #expect(reply.timeline.exchange.httpVersion == "2")
                #expect(reply.trailers["X-Sum"] == "6")
                #expect(reply.trailers["X-More"] == "a")
                let stream = try await manager.stream(request, of: String.self)
                var lines: [String] = []
                for try await line in stream { lines.append(line) }
                #expect(lines == ["1", "2"])
                #expect(stream.trailers?["X-Sum"] == "6")
                #expect(stream.trailers?["X-More"] == "a")
            }
        }
    }

    @Test(
        "A request with trailers goes over HTTP/1.1 to a host that offers HTTP/2",
        .enabled(if: isPossible, "needs nginx and openssl (Debian: nginx-light, openssl)"))
    func sentTrailers() async throws {
        try await Self.serving([]) { transport, origin in
            let manager = SessionManager(baseURL: origin, registry: .standard, transport: transport)
            for _ in 0..<3 {
                let plain = try await manager.send(SessionRequest("small"), as: String.self)
                #expect(plain.timeline.exchange.httpVersion == "2")
                let request = SessionRequest(
                    "told", method: "POST", content: .value("abc").trailers("X-Sum") { ["X-Sum": "6"] })
                let trailed = try await manager.send(request, as: String.self)
                #expect(trailed.timeline.exchange.httpVersion == "1.1")
                #expect(trailed.value == "X-Sum")
            }
        }
    }

    @Test(
        "TE: trailers goes with what may go over HTTP/2, and with streams, and Connection with the latter alone",
        .enabled(if: isPossible, "needs nginx and openssl (Debian: nginx-light, openssl)"))
    func trailersWanted() async throws {
        try await Self.serving([]) { transport, origin in
            let manager = SessionManager(baseURL: origin, registry: .standard, transport: transport)
            for _ in 0..<2 {
                #expect(try await manager.get("te", as: String.self) == "HTTP/2.0,trailers,\n")
                for try await line in try await manager.stream("te", of: String.self) {
                    #expect(line == "HTTP/1.1,trailers,TE")
                }
                // Kept from HTTP/2, and no stream.
                let trailed = SessionRequest(
                    "te", method: "POST", content: .value("a").trailers("X-Sum") { ["X-Sum": "6"] })
                #expect(try await manager.send(trailed, as: String.self).value == "HTTP/1.1,,\n")
                var own = SessionRequest("te")
                own.headers["TE"] = "trailers;q=0.5"
                #expect(try await manager.send(own, as: String.self).timeline.exchange.httpVersion == "2")
            }
        }
    }

    @Test(
        "A response over TLS that is complete before its body is the reply, whichever version of HTTP it goes over",
        .enabled(if: isPossible, "needs nginx and openssl (Debian: nginx-light, openssl)"))
    func earlyAnswers() async throws {
        try await Self.serving([]) { transport, origin in
            let manager = SessionManager(baseURL: origin, registry: .standard, transport: transport)
            for round in 0..<4 {
                let numbers = CurlSequenceBodyTests.Numbers(count: round, hangs: true)
                var request = SessionRequest("te", method: "POST", content: .stream(numbers))
                request.idleTimeout = .seconds(10)
                let reply = try await manager.send(request, as: String.self)
                let version = try #require(reply.timeline.exchange.httpVersion)
                let isOver2 = version == "2"
                #expect(reply.value == (isOver2 ? "HTTP/2.0,trailers,\n" : "HTTP/1.1,,\n"))
                await numbers.letGo()
                let next = try await manager.send(SessionRequest("te"), as: String.self)
                #expect(next.value == "HTTP/2.0,trailers,\n")
                print("a body without an end went over HTTP/\(version)")
            }
        }
    }

    @Test(
        "A body of a known length that nobody reads costs no reply over TLS",
        .enabled(if: isPossible, "needs nginx and openssl (Debian: nginx-light, openssl)"),
        arguments: [1, 1_000, 16_000, 65_536, 1_000_000])
    func unreadBodies(_ size: Int) async throws {
        try await Self.serving([]) { transport, origin in
            let manager = SessionManager(baseURL: origin, registry: .standard, transport: transport)
            _ = try await manager.get("te", as: String.self)
            for _ in 0..<10 {
                let request = SessionRequest("te", method: "POST", content: .data(Data(count: size)))
                let reply = try await manager.send(request, as: String.self)
                #expect(reply.value == "HTTP/2.0,trailers,\n")
                #expect(reply.timeline.exchange.httpVersion == "2")
            }
        }
    }

    @Test(
        "Downloads whose disk is behind are whole, coded or not, beside small responses over HTTP/2",
        .enabled(if: isPossible, "needs nginx and openssl (Debian: nginx-light, openssl)"))
    func downloads() async throws {
        let body = (0..<(2 << 20)).map { UInt8(truncatingIfNeeded: $0 &* $0 >> 7) }
        let whole = Data(body)
        try await Self.serving([("gzip-body", StoredCoding.gzip.code(body)), ("body", body)]) { transport, origin in
            let configuration = SessionConfiguration.heldBack(
                queueLimit: 256 << 10, oneOf: 4, microseconds: 1_000, seed: 3)
            let manager = SessionManager(
                baseURL: origin, registry: .standard, transport: transport, configuration: configuration)
            try await Self.besideSmallOnes(of: manager) {
                for round in 0..<Self.rounds {
                    let name = round % 2 == 0 ? "body" : "gzip-body"
                    async let first = manager.download(SessionRequest(name))
                    for reply in [try await manager.download(SessionRequest(name)), try await first] {
                        #expect(try Data(contentsOf: reply.value) == whole)
                        try FileManager.default.removeItem(at: reply.value)
                        #expect(reply.head.fields.hasContentCoding == (round % 2 == 1))
                    }
                }
            }
        }
    }

    /// Asks for small responses, eight at a time, until the downloads are over, and holds that there was HTTP/2 among them.
    private static func besideSmallOnes(
        of manager: SessionManager, _ downloads: () async throws -> Void
    ) async throws {
        let isOver = OneShot()
        // A connection that a download has left is used again, whatever its version is.
        let others = (0..<8).map { _ in
            Task {
                var counts = (all: 0, overHTTP2: 0)
                while !isOver.hasFired {
                    let reply = try await manager.send(SessionRequest("small"), as: String.self)
                    #expect(reply.value == "small")
                    counts.all += 1
                    if reply.timeline.exchange.httpVersion == "2" { counts.overHTTP2 += 1 }
                }
                return counts
            }
        }
        let result: Result<Void, any Error>
        do { result = .success(try await downloads()) } catch { result = .failure(error) }
        isOver.fire()
        var counts = (all: 0, overHTTP2: 0)
        for other in others {
            let own = try await other.value
            counts = (counts.all + own.all, counts.overHTTP2 + own.overHTTP2)
        }
        try result.get()
        #expect(counts.overHTTP2 > 0)
        print("\(counts.all) small responses beside downloads, \(counts.overHTTP2) of them over HTTP/2")
    }

    #if os(Linux)
        @Test(
            "A disk slower than its network, beside small responses over HTTP/2, grows the memory of a child by 48 MiB at most",
            .enabled(if: isPossible, "needs nginx and openssl (Debian: nginx-light, openssl)"))
        func memory() async {
            let child = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
                try await CurlHTTP2Tests.downloadSlowly()
            }
            print(String(decoding: child?.standardOutputContent ?? [], as: UTF8.self), terminator: "")
        }

        private static func downloadSlowly() async throws {
            let mebibytes = 96
            func piece(_ number: Int) -> Data { Data(repeating: UInt8(truncatingIfNeeded: number), count: 1 << 20) }
            func write(_ folder: URL) throws {
                let path = folder.appending(path: "large")
                try Data().write(to: path)
                let file = try FileHandle(forWritingTo: path)
                defer { try? file.close() }
                for number in 0..<mebibytes { try file.write(contentsOf: piece(number)) }
            }
            try await serving([], writing: write) { transport, origin in
                var configuration = SessionConfiguration()
                let isSlow = Guarded(false)
                configuration.fileCalls.write = { file, bytes in
                    if isSlow.withLock({ $0 }) { usleep(300) }
                    return FileCalls.system.write(file, bytes)
                }
                let manager = SessionManager(
                    baseURL: origin, registry: .standard, transport: transport, configuration: configuration)
                // The first calls load what every call needs.
                for slow in [false, true] {
                    isSlow.withLock { $0 = slow }
                    let before = try PeakMemory.kibibytes()
                    try await besideSmallOnes(of: manager) {
                        let url = try await manager.download(SessionRequest("large")).value
                        defer { try? FileManager.default.removeItem(at: url) }
                        let file = try FileHandle(forReadingFrom: url)
                        defer { try? file.close() }
                        for number in 0..<mebibytes { try #require(try file.read(upToCount: 1 << 20) == piece(number)) }
                        try #require(try file.read(upToCount: 1)?.isEmpty ?? true)
                    }
                    let growth = try PeakMemory.kibibytes() - before
                    print("slow: \(slow), \(growth) KiB more")
                    if slow { try #require(growth <= 48 << 10) }
                }
            }
        }
    #endif
}
