#if canImport(Glibc)
    import CTestResolver
    import Glibc
    import Patchbay
    import PatchbayManager
    import PatchbayRegistry
    import TestSupport
    import Testing

    @testable import PatchbayCurl

    #if canImport(FoundationEssentials)
        import FoundationEssentials
    #else
        import Foundation
    #endif

    /// Proxies that fail: it is they that the failure names, and never with the credentials that the environment has for them.
    @Suite("CurlTransport behind a proxy", .timeLimit(.minutes(5)))
    struct CurlProxyTests {
        struct Row: Sendable {
            let name: String
            /// What the environment says, with `PORT` for the one where the proxy is.
            let proxy: String
            /// The variable, which is for the URLs of one scheme.
            let variable: String
            /// How the proxy answers; nil where nobody listens.
            let reply: RawReply?
            let failure: TransportFailure
        }

        private static let http = "http://user:s3cret@127.0.0.1:PORT"

        static let rows = [
            Row(
                name: "nobody listens", proxy: http, variable: "http_proxy", reply: nil,
                failure: .init(.refusedConnection, "the connection to port PORT of the proxy was refused")),
            Row(
                name: "nobody listens, for https", proxy: http, variable: "https_proxy", reply: nil,
                failure: .init(.refusedConnection, "the connection to port PORT of the proxy was refused")),
            Row(
                name: "nobody listens, by SOCKS", proxy: "socks5://user:s3cret@127.0.0.1:PORT", variable: "all_proxy",
                reply: nil, failure: .init(.refusedConnection, "the connection to port PORT of the proxy was refused")),
            Row(
                name: "a name that nobody has", proxy: "http://user:s3cret@missing.test:PORT", variable: "http_proxy",
                reply: nil, failure: .init(.unresolvedHost, "the host name of the proxy could not be resolved")),
            Row(
                name: "a scheme that no proxy has", proxy: "foo://user:s3cret@127.0.0.1:PORT", variable: "http_proxy",
                reply: nil, failure: .init(.other, "http_proxy names a proxy that libcurl cannot use")),
            Row(
                name: "no URL", proxy: "http://user:s3cret@[x:PORT", variable: "http_proxy", reply: nil,
                failure: .init(.other, "http_proxy names a proxy that libcurl cannot use")),
            Row(
                name: "a password is asked for", proxy: http, variable: "https_proxy",
                reply: .response(status: 407, ["Proxy-Authenticate": "Basic realm=\"s3cret\""]),
                failure: .init(.refusedConnection, "the proxy asks for a user name and a password")),
            Row(
                name: "a password is asked for, without a tunnel", proxy: http, variable: "http_proxy",
                reply: .response(status: 407, ["Proxy-Authenticate": "Basic realm=\"s3cret\""]),
                failure: .init(.refusedConnection, "the proxy asks for a user name and a password")),
            Row(
                name: "a reset before the tunnel", proxy: http, variable: "https_proxy", reply: RawReply([.reset]),
                failure: .init(.lostConnection, "the proxy made no connection to the host")),
            Row(
                name: "a reset", proxy: http, variable: "http_proxy", reply: RawReply([.reset]),
                failure: .init(.lostConnection, "the connection to the proxy was lost")),
            Row(
                name: "the host is forbidden", proxy: http, variable: "https_proxy", reply: .response(status: 403),
                failure: .init(.refusedConnection, "the proxy refused the connection to the host, with status 403")),
            Row(
                name: "no answer to CONNECT", proxy: http, variable: "https_proxy", reply: .raw(""),
                failure: .init(.lostConnection, "the proxy made no connection to the host")),
            Row(
                name: "no HTTP", proxy: http, variable: "https_proxy", reply: .raw("no HTTP\r\n\r\n"),
                failure: .init(.lostConnection, "the proxy made no connection to the host")),
            Row(
                name: "no answer", proxy: http, variable: "http_proxy", reply: .raw(""),
                failure: .init(.lostConnection, "the proxy closed the connection without a response")),
            Row(
                name: "no SOCKS", proxy: "socks5h://user:s3cret@127.0.0.1:PORT", variable: "all_proxy",
                reply: .raw("no SOCKS\r\n\r\n"),
                failure: .init(.lostConnection, "the proxy made no connection to the host")),
            socks(
                "a password is asked for", user: "", [5, 0xFF],
                .init(.refusedConnection, "the proxy asks for a user name and a password")),
            socks(
                "the password is wrong", [5, 2, 1, 1],
                .init(.refusedConnection, "the proxy refused the user name and the password")),
            socks(
                "the host is forbidden", answer(2),
                .init(.refusedConnection, "the proxy does not allow connections to the host")),
            socks(
                "the host refuses", answer(5),
                .init(.refusedConnection, "the host refused the connection of the proxy")),
            socks("no way to the host", answer(4), .init(.refusedConnection, "the proxy found no way to the host")),
            socks("a fault", answer(1), .init(.lostConnection, "the proxy made no connection to the host")),
        ]

        private static func socks(
            _ name: String, user: String = "user:s3cret@", _ bytes: [UInt8], _ failure: TransportFailure
        ) -> Row {
            Row(
                name: "\(name), by SOCKS", proxy: "socks5h://\(user)127.0.0.1:PORT", variable: "all_proxy",
                reply: .raw(bytes), failure: failure)
        }

        /// Takes the client without a password, and answers its request (RFC 1928, section 6).
        private static func answer(_ reply: UInt8) -> [UInt8] { [5, 0, 5, reply, 0, 1, 0, 0, 0, 0, 0, 0] }

        @Test(
            "A proxy that fails is named as the proxy",
            .enabled(if: patchbay_test_resolver_is_there() == 1, "the tests' own resolver is not in this build"))
        func named() async {
            await #expect(processExitsWith: .success) {
                for name in ["no_proxy", "NO_PROXY"] { unsetenv(name) }
                for row in Self.rows {
                    let reply = row.reply ?? .response()
                    // A SOCKS greeting has no end that a server of HTTP would see.
                    let server =
                        try row.proxy.hasPrefix("socks") ? RawServer(onConnect: reply) : RawServer(always: reply)
                    if row.reply == nil { server.stop() }
                    setenv(row.variable, row.proxy.replacing("PORT", with: "\(server.port)"), 1)
                    let scheme = row.variable == "https_proxy" ? "https" : "http"
                    let url = try #require(URL(string: "\(scheme)://loopback.example.com/"))
                    let exchange = await CurlTransport().exchange(url)
                    let failure = TransportFailure(
                        row.failure.code, row.failure.reason.replacing("PORT", with: "\(server.port)"))
                    #expect(exchange.result.failure == failure, "\(row.name): \(exchange.result)")
                    unsetenv(row.variable)
                }
            }
        }

        /// Entries of no_proxy, the host of a URL, and whether it is connected to without the proxy. Each other entry is noted.
        private static let exceptions: [(entry: String, host: String, isExcepted: Bool)] = [
            ("*", "127.0.0.1", true), ("localhost", "localhost", true), (".localhost", "localhost", true),
            ("LOCALHOST", "a.localhost", true), ("localhost.", "localhost", true), (".localhost", "a.localhost", true),
            ("127.0.0.1", "127.0.0.1", true), ("127.0.0.0/8", "127.0.0.1", true), ("::1", "[::1]", true),
            ("10.0.0.0/8, 127.0.0.1", "127.0.0.1", true), ("127.0.0.0/33", "127.0.0.1", false),
            ("127.0.0.1:PORT", "127.0.0.1", false), ("x,*", "127.0.0.1", false), ("127.*", "127.0.0.1", false),
            (".127.0.0.1", "127.0.0.1", false), ("x;127.0.0.1", "127.0.0.1", false), ("127.1", "127.0.0.1", false),
            ("http://127.0.0.1", "127.0.0.1", false), ("0x7f.1", "127.0.0.1", false), ("[::1]", "[::1]", false),
            ("::1/129", "[::1]", false), ("*.localhost", "a.localhost", false), ("*localhost", "localhost", false),
            ("localhost:PORT", "localhost", false), ("http://me:s3cret@localhost", "localhost", false),
        ]

        @Test("An entry of no_proxy that libcurl does not read is noted, and each other one excepts its host")
        func noted() async {
            await #expect(processExitsWith: .success) {
                for name in ["http_proxy", "HTTP_PROXY", "NO_PROXY", "all_proxy", "ALL_PROXY"] { unsetenv(name) }
                let server = try RawServer(always: .response())
                let port = server.port
                server.stop()
                setenv("http_proxy", "http://127.0.0.1:1", 1)
                for row in Self.exceptions {
                    let entry = row.entry.replacing("PORT", with: "\(port)")
                    let notes = ProxyVariables.notes(isSecure: false) {
                        ["http_proxy": "http://127.0.0.1:1", "NO_PROXY": entry][$0]
                    }
                    #expect(notes.isEmpty == row.isExcepted, "\(entry): \(notes)")
                    #expect(!"\(notes)".contains("s3cret"))
                    setenv("no_proxy", entry, 1)
                    let url = try #require(URL(string: "http://\(row.host):\(port)/"))
                    let reason = await CurlTransport().exchange(url).result.failure?.reason
                    let peer = row.isExcepted ? "host" : "proxy"
                    #expect(reason?.contains(" of the \(peer) was refused") == true, "\(entry): \(reason ?? "")")
                }
            }
        }

        @Test("Each host behind a proxy has its own limit of connections", arguments: [false, true])
        func limits(_ isFromEnvironment: Bool) async {
            await #expect(processExitsWith: .success) { [isFromEnvironment] in
                for name in ["no_proxy", "NO_PROXY"] { unsetenv(name) }
                let gate = Gate()
                let head = "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n"
                let proxy = try RawServer(always: RawReply([.send(Array(head.utf8)), .wait(gate), .send([97])]))
                var settings = ConnectionSettings(connectionsPerHost: 1)
                if isFromEnvironment {
                    setenv("http_proxy", "http://127.0.0.1:\(proxy.port)", 1)
                } else {
                    settings.proxy = try ProxySettings("http://127.0.0.1:\(proxy.port)")
                }
                let transport = ConnectedTransport(CurlTransport(), settings)
                let texts = await withTaskGroup(of: String.self) { group in
                    for host in ["a.test", "b.test", "c.test", "d.test"] {
                        guard let url = URL(string: "http://\(host)/") else { continue }
                        group.addTask { await transport.exchange(url).record.text }
                    }
                    // An exit test has no time limit.
                    for _ in 0..<6_000 where proxy.requests.count < 4 { try? await Task.sleep(for: .milliseconds(10)) }
                    #expect(proxy.requests.count == 4)
                    gate.open()
                    return await group.reduce(into: []) { $0.append($1) }
                }
                #expect(texts == ["a", "a", "a", "a"])
            }
        }

        @Test("A variable that has no effect is noted for the URLs that it is meant for")
        func ignoredVariables() {
            let proxy = "http://127.0.0.1:1"
            let unread =
                #"no_proxy has parts that libcurl passes over: "*.a.test", "b.test:80"; use domains, addresses, networks such "#
                + "as 10.0.0.0/8, or * alone"
            let lower = "HTTP_PROXY has no effect; use http_proxy, in lower case"
            for (variables, plain, secure) in [
                ([:], [], []), (["no_proxy": "*.a.test"], [], []), (["HTTP_PROXY": proxy], [lower], []),
                (["HTTP_PROXY": proxy, "all_proxy": proxy], [], []),
                (["HTTP_PROXY": proxy, "http_proxy": proxy], [], []),
                (["HTTPS_PROXY": proxy, "no_proxy": "*.a.test,b.test:80,c.test"], [], [unread]),
                (
                    ["HTTPS_PROXY": proxy, "no_proxy": "http://u:hush@a.test:1 u:hush,a.test?token=hush"], [],
                    [unread.replacing(#""*.a.test", "b.test:80""#, with: #""…", "…", "…""#)]
                ),
                (["http_proxy": proxy, "no_proxy": "*.a.test b.test:80", "NO_PROXY": "*"], [unread], []),
                (["SSL_CERT_DIR": "/does/not/exist"], [], ["SSL_CERT_DIR names no folder"]),
                (["SSL_CERT_DIR": "/does/not/exist:/"], [], []),
            ] as [([String: String], [String], [String])] {
                #expect(ProxyVariables.notes(isSecure: false) { variables[$0] } == plain, "\(variables)")
                #expect(ProxyVariables.notes(isSecure: true) { variables[$0] } == secure, "\(variables)")
            }
        }

        @Test(
            "A part of the environment without effect is an event of the first call, and is in the sentence of its failure"
        )
        func told() async {
            await #expect(processExitsWith: .success) {
                for name in ["NO_PROXY", "HTTP_PROXY", "all_proxy", "ALL_PROXY"] { unsetenv(name) }
                let server = try RawServer(always: .response(status: 403))
                server.stop()
                setenv("http_proxy", "http://127.0.0.1:\(server.port)", 1)
                setenv("no_proxy", "*.a.test", 1)
                let note =
                    #"no_proxy has parts that libcurl passes over: "*.a.test"; use domains, addresses, networks such as "#
                    + "10.0.0.0/8, or * alone"
                let notes = Shared<[String]>([])
                let isOver = OneShot()
                var configuration = SessionConfiguration()
                configuration.observers = [
                    MadeObserver { event in
                        if case .noted(let clause) = event.stage { notes.withLock { $0.append(clause) } }
                        if case .invalidated = event.stage { isOver.fire() }
                    }
                ]
                let manager = SessionManager(
                    registry: .standard, transport: CurlTransport(), configuration: configuration)
                for _ in 0..<2 {
                    let error = await #expect(throws: SessionError.self) { try await manager.send("http://x.a.test/") }
                    #expect(error?.reason == "the connection to port \(server.port) of the proxy was refused; \(note)")
                }
                await manager.shutdown()
                await isOver.fired()
                #expect(notes.withLock { $0 } == [note])
            }
        }

        @Test("A host that fails behind the tunnel of a proxy is named as the host")
        func tunnelled() async throws {
            let tunnel = Array("HTTP/1.1 200 Connected\r\n\r\n".utf8)
            for (steps, failure) in [
                (
                    [.send(tunnel), .reset],
                    TransportFailure(.insecureConnection, "no secure connection could be made to the host")
                ),
                (
                    [.send(tunnel + Array("no TLS\r\n".utf8)), .close],
                    TransportFailure(.insecureConnection, "no secure connection could be made to the host")
                ),
            ] as [([RawReply.Step], TransportFailure)] {
                let server = try RawServer(always: RawReply(steps))
                let settings = ConnectionSettings(proxy: try ProxySettings("http://127.0.0.1:\(server.port)"))
                let url = try #require(URL(string: "https://host.example/"))
                #expect(await ConnectedTransport(CurlTransport(), settings).exchange(url).result.failure == failure)
            }
        }

        @Test("A status 407 of a host without a proxy is a response")
        func own407() async throws {
            let server = try RawServer(always: .response(status: 407, body: "a"))
            let settings = ConnectionSettings(proxy: .none)
            let found = await ConnectedTransport(CurlTransport(), settings).exchange(server.url())
            #expect(found.record.status == 407)
            #expect(found.record.text == "a")
        }

        /// `openssl s_server` as a proxy, with a certificate for `names`.
        private static func secured(
            for names: String = "IP:127.0.0.1", by authority: String?,
            _ test: (ProxySettings, CertificateFolder) async throws -> Void
        ) async throws {
            let folder = try await CertificateFolder()
            defer { folder.remove() }
            try await folder.issue("proxy", for: names, by: authority)
            try await TLSServer.run("proxy", in: folder) { port in
                try await test(try ProxySettings("https://127.0.0.1:\(port)"), folder)
            }
        }

        /// Requests both kinds of URL by the proxy, and expects the failure.
        private static func expect(_ failure: TransportFailure, by proxy: ProxySettings) async throws {
            for url in ["http://host.example/", "https://host.example/"] {
                let transport = ConnectedTransport(CurlTransport(), ConnectionSettings(proxy: proxy))
                let found = await transport.exchange(try #require(URL(string: url)))
                #expect(found.result.failure == failure, "\(url)")
            }
        }

        @Test(
            "The certificate of an https proxy is named as the proxy's",
            .enabled(if: CertificateFolder.isPossible, "\(CertificateFolder.absence)"))
        func certificate() async throws {
            try await Self.secured(by: nil) { proxy, _ in
                let failure = TransportFailure(
                    .selfSignedCertificate, "the certificate of the proxy vouches for itself")
                try await Self.expect(failure, by: proxy)
            }
            try await Self.secured(by: "ca") { proxy, _ in
                let failure = TransportFailure(
                    .unknownAuthority, "the certificate of the proxy leads to no authority that is trusted")
                try await Self.expect(failure, by: proxy)
            }
            try await Self.secured(for: "DNS:other.example", by: "ca") { proxy, folder in
                await #expect(processExitsWith: .success) {
                    [url = proxy.description as String, authority = folder.path("ca.pem") as String] in
                    // The authorities of the environment are those for the proxy too, so that only the name is wrong.
                    setenv("SSL_CERT_FILE", authority, 1)
                    let failure = TransportFailure(
                        .wrongHostCertificate, "the certificate of the proxy is for another host")
                    try await Self.expect(failure, by: try ProxySettings(url.replacing("the proxy ", with: "")))
                }
            }
        }

        @Test("A host that fails is not taken for the proxy, though the environment names one for others")
        func notNamed() async {
            await #expect(processExitsWith: .success) {
                let server = try RawServer(always: .response())
                server.stop()
                setenv("http_proxy", "http://127.0.0.1:1", 1)
                setenv("no_proxy", "127.0.0.1,::1,localhost", 1)
                let refused = TransportFailure(
                    .refusedConnection, "the connection to port \(server.port) of the host was refused")
                for host in ["127.0.0.1", "0x7F.1", "LOCALHOST", "[::1]"] {
                    let url = try #require(URL(string: "http://\(host):\(server.port)/"))
                    #expect(await CurlTransport().exchange(url).result.failure == refused, "\(host)")
                }
            }
        }
    }
#endif
