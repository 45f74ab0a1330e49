import Foundation
import Patchbay
import PatchbayPlatform
import PatchbayRegistry
import TestSupport
import Testing

@testable import PatchbayCurl
@testable import PatchbayManager

/// Each setting of a connection against a real server or proxy.
@Suite("CurlTransport connects as the settings say", .timeLimit(.minutes(5)))
struct CurlConnectionSettingsTests {
    private static func get(
        _ url: String, _ settings: ConnectionSettings, _ transport: CurlTransport = CurlTransport()
    ) async throws -> Exchange {
        await ConnectedTransport(transport, settings).exchange(try #require(URL(string: url)))
    }

    // MARK: The connect timeout

    #if os(Linux)
        @Test("a host that takes no connection fails with connectTimeout")
        func connectTimeout() async throws {
            let full = try FullListener()
            defer { full.close() }
            let found = try await Self.get(
                "http://127.0.0.1:\(full.port)/", ConnectionSettings(connectTimeout: .seconds(0.3)))
            #expect(
                found.result.failure
                    == TransportFailure(
                        .connectTimeout, "no connection to 127.0.0.1:\(full.port) within 0.3 s (1 address tried)"))
        }
    #endif

    @Test("a host that does not answer the TLS handshake fails with tlsTimeout")
    func tlsTimeout() async throws {
        let gate = Gate()
        defer { gate.open() }
        let server = try RawServer(onConnect: RawReply([.wait(gate), .close]))
        let found = try await Self.get(
            "https://127.0.0.1:\(server.port)/", ConnectionSettings(connectTimeout: .seconds(0.3)))
        #expect(
            found.result.failure
                == TransportFailure(
                    .tlsTimeout, "the TLS handshake with 127.0.0.1:\(server.port) did not end within 0.3 s"))
    }

    @Test("a server that is slow to answer, and a wait for a connection, do not count")
    func connected() async throws {
        let gate = Gate()
        let server = try RawServer { request in
            request.target == "/slow"
                ? RawReply([.wait(gate)] + RawReply.response(body: "a").steps) : .response(body: "b")
        }
        let settings = ConnectionSettings(connectionsPerHost: 1, connectTimeout: .seconds(1))
        let transport = CurlTransport()
        async let slow = Self.get("http://127.0.0.1:\(server.port)/slow", settings, transport)
        async let second = Self.get("http://127.0.0.1:\(server.port)/", settings, transport)
        try await Task.sleep(for: .seconds(1.5))
        gate.open()
        #expect(try await slow.code == nil)
        #expect(try await second.code == nil)
    }

    @Test("a retry policy tries both codes again")
    func retries() {
        #expect(RetryPolicy().transportFailures.isSuperset(of: [.connectTimeout, .tlsTimeout]))
    }

    // MARK: Addresses

    @Test("an address stands in for the host and port of the URL, and for no other exchange of the transport")
    func address() async throws {
        let servers = try ["a", "b"].map { name in
            try RawServer { .response(body: "\(name) \($0.fields["Host"] ?? "")") }
        }
        let transport = CurlTransport()
        for round in 0..<2 {
            for (server, name) in zip(servers, ["a", "b"]) {
                let found = try await Self.get(
                    "http://api.example.com/\(round)", ConnectionSettings(address: "127.0.0.1:\(server.port)"),
                    transport)
                #expect(found.record.text == "\(name) api.example.com")
            }
        }
        let port = servers[0].port
        let same = try await Self.get(
            "http://api.example.com:\(port)/", ConnectionSettings(address: "127.0.0.1"), transport)
        #expect(same.record.text == "a api.example.com:\(port)")
        let none = try await Self.get(
            "http://api.example.com/", ConnectionSettings(address: "no host at all"), transport)
        #expect(none.code == .unsupportedRequest)
    }

    @Test("one version of IP is used")
    func ipVersion() async throws {
        let server = try RawServer(always: .response(body: "a"))
        let url = "http://localhost:\(server.port)/"
        #expect(try await Self.get(url, ConnectionSettings(ipVersion: .v4)).code == nil)
        let failure = try #require(try await Self.get(url, ConnectionSettings(ipVersion: .v6)).result.failure)
        #expect([.refusedConnection, .unresolvedHost].contains(failure.code))
    }

    @Test(
        "HTTP/2 is used where it may be",
        .enabled(if: CurlHTTP2Tests.isPossible, "needs nginx and openssl (Debian: nginx-light, openssl)"))
    func http() async throws {
        try await CurlHTTP2Tests.serving([]) { transport, origin in
            let url = origin.appending(path: "small")
            #expect(await transport.exchange(url).timings?.httpVersion == "2")
            var settings = transport.connection
            settings.http = .http1
            #expect(await ConnectedTransport(transport.base, settings).exchange(url).timings?.httpVersion == "1.1")
        }
    }

    @Test(
        "SSL_CERT_FILE and SSL_CERT_DIR replace the system's authorities",
        .enabled(if: CertificateFolder.isPossible, "\(CertificateFolder.absence)"))
    func environmentAuthorities() async throws {
        let folder = try await CertificateFolder()
        defer { folder.remove() }
        try await folder.issue("host")
        try await TLSServer.run("host", in: folder) { port in
            let file = folder.path("ca.pem")
            await #expect(processExitsWith: .success) { [port = port as Int, file = file as String] in
                setenv("SSL_CERT_FILE", file, 1)
                try await Self.expect(port, succeeds: true)
            }
            let rehash = try await ChildProcess.run(
                CertificateFolder.program, ["rehash", "."], directory: folder.url.path)
            try #require(rehash.end == .exited(0), "\(rehash.errorText)")
            await #expect(processExitsWith: .success) { [port = port as Int, place = folder.url.path as String] in
                setenv("SSL_CERT_DIR", place, 1)
                setenv("SSL_CERT_FILE", "", 1)
                try await Self.expect(port, succeeds: true)
            }
            await #expect(processExitsWith: .success) { [port = port as Int] in
                setenv("SSL_CERT_FILE", "/none.pem", 1)
                try await Self.expect(port, succeeds: false)
            }
        }
    }

    private static func expect(_ port: Int, succeeds: Bool) async throws {
        let url = try #require(URL(string: "https://localhost:\(port)/"))
        let found = await ConnectedTransport(CurlTransport(), ConnectionSettings()).exchange(url)
        try #require((found.code == nil) == succeeds, "\(found.result)")
    }

    // MARK: Unix sockets

    @Test(
        "HTTP/2 is used without asking, over http too, and its connection is shared if this libcurl can",
        .enabled(if: LocalService.nginx != nil))
    func priorKnowledge() async throws {
        let settings = ConnectionSettings(http: .http2)
        try await LocalService.runNginx(
            "listen 127.0.0.1:PORT http2; default_type text/plain; location / { return 200 $connection; }"
        ) { _, port in
            let url = try #require(URL(string: "http://127.0.0.1:\(port)/"))
            let transport = ConnectedTransport(CurlTransport(), settings)
            for _ in 0..<3 {
                let connections = await withTaskGroup { group in
                    for _ in 0..<40 { group.addTask { await transport.exchange(url) } }
                    return await group.reduce(into: Set<String>()) { connections, found in
                        #expect(found.timings?.httpVersion == "2", "\(found.result)")
                        connections.insert(found.record.text)
                    }
                }
                #expect(connections.count == (Libcurl.reusesHandles ? 1 : 40))
            }
            // A stream goes over it, too.
            let manager = SessionManager(baseURL: url, registry: .standard, transport: transport)
            for try await line in try await manager.stream("lines", of: String.self) { #expect(!line.isEmpty) }
            // But no trailer fields, which libcurl would not send.
            let request = SessionRequest("a", method: "POST", content: .value("a").trailers("X-Sum") { ["X-Sum": "6"] })
            let error = await #expect(throws: SessionError.self) { try await manager.send(request) }
            #expect((error?.cause as? TransportFailure)?.code == .unsupportedRequest)
        }
    }

    @Test(
        "A host that gives no answer over HTTP/2 may not speak it, and the failure names the setting",
        arguments: ["closed", "reset", "400 and closed", "400 and open"], ["GET", "POST"])
    func withoutHTTP2(_ answer: String, _ method: String) async throws {
        let refusal = RawReply.response(status: 400, body: "no")
        let server = try RawServer { _ in
            switch answer {
            case "closed": RawReply([.close])
            case "reset": RawReply([.reset])
            case "400 and closed": RawReply(refusal.steps + [.close])
            default: refusal
            }
        }
        let transport = ConnectedTransport(CurlTransport(), ConnectionSettings(http: .http2))
        let found = await transport.exchange(server.url(), method: method, body: method == "POST" ? [0x61] : nil)
        let failure = try #require(found.result.failure)
        #expect(failure.code == .lostConnection)
        #expect(
            failure.reason.hasSuffix(
                "; perhaps the host does not speak HTTP/2, which ConnectionSettings.http asks for"),
            "\(failure.reason)")
    }

    @Test(
        "A host that has spoken HTTP/2 and closes its connections is only lost",
        .enabled(if: HTTP2Server.isPossible, HTTP2Server.absence))
    func lostHTTP2() async throws {
        try await HTTP2Server.run { server in
            let transport = ConnectedTransport(CurlTransport(), ConnectionSettings(http: .http2))
            #expect(await transport.exchange(server.plainURL).timings?.httpVersion == "2")
            server.begin { _ in nil }
            let failure = try #require(await transport.exchange(server.plainURL).result.failure)
            #expect(failure.code == .lostConnection)
            #expect(!failure.reason.contains("ConnectionSettings"), "\(failure.reason)")
        }
    }

    // MARK: Ages

    @Test("a connection past its age, or idle for too long, takes no new exchange")
    func ages() async throws {
        let server = try RawServer(always: .response(body: "a"))
        let old = ConnectionSettings(maximumConnectionAge: .seconds(1))
        let idle = ConnectionSettings(idleConnectionAge: .milliseconds(900))
        for (settings, kept) in [(old, false), (idle, false), (ConnectionSettings(), true)] {
            let transport = ConnectedTransport(CurlTransport(), settings)
            // Again if this machine was too busy for the second exchange to come before the age.
            var isInTime = false
            for attempt in 0..<10 where !isInTime {
                if attempt > 0 { try await Task.sleep(for: .seconds(2.1)) }
                let start = ContinuousClock.now
                #expect(await transport.exchange(server.url()).timings?.reusedConnection == (attempt > 0 && kept))
                let isReused = await transport.exchange(server.url()).timings?.reusedConnection
                isInTime = .now - start < .milliseconds(900)
                #expect(isReused == true || !isInTime)
            }
            #expect(isInTime)
            try await Task.sleep(for: .seconds(2.1))
            #expect(await transport.exchange(server.url()).timings?.reusedConnection == kept)
        }
        // Ages that are none.
        for age in [Duration.zero, .seconds(-5), .seconds(Int64.max), .seconds(Int64.max) * 10] {
            let settings = ConnectionSettings(
                connectTimeout: max(age, .seconds(1)), maximumConnectionAge: age, idleConnectionAge: age)
            #expect(await ConnectedTransport(CurlTransport(), settings).exchange(server.url()).code == nil)
        }
    }

    // MARK: TLS

    @Test(
        "authorities come as bytes, and beside the system's; a newest version is kept",
        .enabled(if: CertificateFolder.isPossible, "\(CertificateFolder.absence)"))
    func authorities() async throws {
        let folder = try await CertificateFolder()
        defer { folder.remove() }
        try await folder.issue("host")
        try await folder.issue("other", by: nil)
        let own = try Data(contentsOf: URL(filePath: folder.path("ca.pem")))
        let other = try Data(contentsOf: URL(filePath: folder.path("other.pem")))
        try await TLSServer.run("host", in: folder) { port in
            let url = try #require(URL(string: "https://localhost:\(port)/"))
            func code(_ change: (inout TLSSettings) -> Void) async -> TransportFailure.Code? {
                var settings = TLSSettings()
                change(&settings)
                return await ConnectedTransport(tls: settings).exchange(url).code
            }
            #expect(await code { $0.certificateAuthorityData = own } == nil)
            #expect(await code { $0.certificateAuthorityData = other } == .unknownAuthority)
            #expect(await code { $0.certificateAuthorityData = Data() } == .insecureConnection)
            #expect(await code { $0.certificateAuthorityData = Data("no PEM".utf8) } == .insecureConnection)
            #expect(
                await code {
                    ($0.certificateAuthorities, $0.certificateAuthorityData) = (folder.path("other.pem"), own)
                } == nil)
            let tooMany = Data(repeating: 0x0A, count: 9_000_000)
            #expect(await code { $0.certificateAuthorityData = tooMany } == .unsupportedRequest)
            try #require(mkfifo(folder.path("pipe"), 0o600) == 0)
            #expect(await code { $0.certificateAuthorities = folder.path("pipe") } == .insecureConnection)
            #expect(await code { $0.keepsSystemAuthorities = true } == .unknownAuthority)
            #expect(await code { ($0.keepsSystemAuthorities, $0.certificateAuthorityData) = (true, own) } == nil)
            #expect(
                await code { ($0.keepsSystemAuthorities, $0.certificateAuthorities) = (true, folder.path("ca.pem")) }
                    == nil)
            #expect(
                await code { ($0.keepsSystemAuthorities, $0.certificateAuthorities) = (true, folder.path("none.pem")) }
                    == .insecureConnection)
            let newest = ConnectedTransport(
                tls: TLSSettings(certificateAuthorityData: own, maximumVersion: .tls12))
            #expect(await newest.exchange(url).timings?.tlsVersion == "TLSv1.2")
            #expect(
                await code {
                    ($0.certificateAuthorityData, $0.minimumVersion, $0.maximumVersion) = (own, .tls13, .tls12)
                }
                    == .unsupportedRequest)
        }
    }

    @Test("a Unix socket is connected to, and the URL gives the Host field", .enabled(if: LocalService.nginx != nil))
    func unixSocket() async throws {
        try await LocalService.runNginx("listen unix:FOLDER/socket; location / { return 200 \"$host $uri\"; }") {
            folder, _ in
            LocalService.isListening(at: folder.path + "/socket")
        } test: { folder, _ in
            let path = folder.path + "/socket"
            let transport = CurlTransport()
            for _ in 0..<3 {
                let found = try await Self.get(
                    "http://docker.local/v1", ConnectionSettings(unixSocket: path), transport)
                #expect(found.record.text == "docker.local /v1", "\(found.result)")
            }
            // Several at once, each on a connection of its own.
            await withTaskGroup { group in
                for _ in 0..<20 {
                    group.addTask {
                        let found = try? await Self.get(
                            "http://docker.local/v2", ConnectionSettings(unixSocket: path), transport)
                        #expect(found?.record.text == "docker.local /v2")
                    }
                }
            }
        }
    }

    @Test("a server in the network sends no request into a Unix socket", arguments: [307, 308])
    func redirectedToUnixSocket(_ status: Int) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "patchbay-\(UInt32.random(in: 0 ... .max))")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.path + "/socket"
        let listener = socket(AF_UNIX, SystemCall.streamSocket, 0)
        defer { close(listener) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let isBound = withUnsafePointer(to: &address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        try #require(isBound == 0 && listen(listener, 8) == 0)
        let server = try RawServer(
            always: .response(status: status, ["Location": "http://docker.local/containers/create"]))
        var configuration = SessionConfiguration()
        configuration.connectionByHost["docker.local"] = ConnectionSettings(unixSocket: path)
        let manager = SessionManager(baseURL: server.url(), configuration: configuration)
        let error = await #expect(throws: SessionError.self) {
            try await manager.send(SessionRequest("a", method: "POST", content: .data(Data("body".utf8))))
        }
        #expect(error?.code == .redirectRefused, "\(error.map { "\($0)" } ?? "-")")
        // No connection waits at the socket.
        var events = pollfd(fd: listener, events: Int16(POLLIN), revents: 0)
        #expect(poll(&events, 1, 0) == 0)
    }

    @Test("a path that is no Unix socket to connect to is named")
    func noUnixSocket() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "patchbay-\(UInt32.random(in: 0 ... .max))")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.path + "/file"
        try Data().write(to: URL(filePath: file))
        let rows: [(String, TransportFailure)] = [
            (
                folder.path + "/none",
                TransportFailure(
                    .refusedConnection,
                    "the Unix socket \(folder.path)/none cannot be reached: No such file or directory")
            ),
            (file, TransportFailure(.refusedConnection, "\(file) is not a Unix socket")),
            (
                "/" + String(repeating: "x", count: 107),
                TransportFailure(
                    .unsupportedRequest, "the path of a Unix socket has 1 to 107 bytes, and this one 108")
            ),
        ]
        for (path, failure) in rows {
            #expect(try await Self.get("http://h/", ConnectionSettings(unixSocket: path)).result.failure == failure)
        }
    }

    // MARK: Proxies

    @Test("an http proxy carries http and https, with its password, and not for hosts that go round it")
    func httpProxy() async throws {
        let program = try #require(LocalService.tinyproxy)
        let server = try RawServer { .response(body: $0.fields["Via"] == nil ? "direct" : "proxied") }
        let port = try LocalService.freePort()
        let folder = FileManager.default.temporaryDirectory.appending(path: "patchbay-\(UInt32.random(in: 0 ... .max))")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try Data("Port \(port)\nListen 127.0.0.1\nTimeout 20\nMaxClients 20\nBasicAuth ada s3cret\n".utf8)
            .write(to: folder.appending(path: "tinyproxy.conf"))
        try await LocalService.run([program, "-d", "-c", folder.path + "/tinyproxy.conf"]) {
            LocalService.takesConnections(port)
        } test: {
            let url = "http://127.0.0.1:\(server.port)/"
            let proxy = "http://127.0.0.1:\(port)"
            let named = try ProxySettings(proxy, user: "ada", password: "s3cret")
            #expect(try await Self.get(url, ConnectionSettings(proxy: named)).record.text == "proxied")
            let inURL = try ProxySettings("http://ada:s3cret@127.0.0.1:\(port)")
            #expect(try await Self.get(url, ConnectionSettings(proxy: inURL)).record.text == "proxied")
            let around = try ProxySettings(proxy, user: "ada", password: "s3cret", except: ["127.0.0.1"])
            #expect(try await Self.get(url, ConnectionSettings(proxy: around)).record.text == "direct")
            #expect(try await Self.get(url, ConnectionSettings(proxy: .none)).record.text == "direct")
            // Over https the proxy is asked for a tunnel first, and refuses it without a password.
            for scheme in ["http", "https"] {
                let refused = try await Self.get(
                    "\(scheme)://127.0.0.1:\(server.port)/", ConnectionSettings(proxy: try ProxySettings(proxy)))
                #expect(
                    refused.result.failure
                        == TransportFailure(.refusedConnection, "the proxy asks for a user name and a password"))
            }
        }
        let gone = try await Self.get(
            "http://127.0.0.1:\(server.port)/", ConnectionSettings(proxy: try ProxySettings("http://127.0.0.1:\(port)"))
        )
        #expect(
            gone.result.failure
                == TransportFailure(.refusedConnection, "the connection to port \(port) of the proxy was refused"))
    }

    @Test(
        "the hosts that go round a proxy are found in every spelling of an address",
        arguments: [
            ("127.0.0.1", "127.0.0.1"), ("127.0.0.1", "2130706433"), ("127.0.0.1", "0x7f.1"), ("127.0.0.1", "127.1"),
            ("127.0.0.1", "127.0.0.1."), ("2130706433", "127.0.0.1"), ("0177.1", "0x7f000001"),
            ("[::ffff:127.0.0.1]", "127.1"),
        ])
    func roundProxy(_ pattern: String, _ host: String) async throws {
        let server = try RawServer(always: .response(body: "direct"))
        // Nothing listens on port 1.
        let proxy = try ProxySettings("http://127.0.0.1:1", except: [try HostPattern(parsing: pattern)])
        let found = try await Self.get("http://\(host):\(server.port)/", ConnectionSettings(proxy: proxy))
        #expect(found.record.text == "direct", "\(found.result)")
        let other = try await Self.get("http://localhost:\(server.port)/", ConnectionSettings(proxy: proxy))
        #expect(other.result.failure?.code == .refusedConnection)
    }

    @Test("a SOCKS proxy looks up the name of the host")
    func socks() async throws {
        let program = try #require(LocalService.microsocks)
        let server = try RawServer { .response(body: $0.fields["Host"] ?? "") }
        let port = try LocalService.freePort()
        try await LocalService.run([program, "-i", "127.0.0.1", "-p", "\(port)", "-u", "ada", "-P", "s3cret"]) {
            LocalService.takesConnections(port)
        } test: {
            let proxy = "socks5://127.0.0.1:\(port)"
            let named = try ProxySettings(proxy, user: "ada", password: "s3cret")
            let found = try await Self.get("http://localhost:\(server.port)/", ConnectionSettings(proxy: named))
            #expect(found.record.text == "localhost:\(server.port)", "\(found.result)")
            let refused = try await Self.get(
                "http://localhost:\(server.port)/", ConnectionSettings(proxy: try ProxySettings(proxy)))
            let asked = TransportFailure(.refusedConnection, "the proxy asks for a user name and a password")
            #expect(refused.result.failure == asked)
            let wrong = try ProxySettings(proxy, user: "ada", password: "bad")
            let rejected = try await Self.get("http://localhost:\(server.port)/", ConnectionSettings(proxy: wrong))
            let reason = "the proxy refused the user name and the password"
            #expect(rejected.result.failure == TransportFailure(.refusedConnection, reason))
        }
    }

    @Test("the environment's proxy is used by default, and not with .none")
    func environment() async {
        await #expect(processExitsWith: .success) {
            let server = try RawServer(always: .response(body: "a"))
            for name in ["no_proxy", "NO_PROXY"] { unsetenv(name) }
            setenv("http_proxy", "http://127.0.0.1:1", 1)
            let url = try #require(URL(string: "http://127.0.0.1:\(server.port)/"))
            let byDefault = await CurlTransport().exchange(url)
            #expect(byDefault.code == .refusedConnection)
            let without = await ConnectedTransport(CurlTransport(), ConnectionSettings(proxy: .none)).exchange(url)
            #expect(without.code == nil)
        }
    }
}
