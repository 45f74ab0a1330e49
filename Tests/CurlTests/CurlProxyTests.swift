#if canImport(Glibc)
    import CTestResolver
    import Glibc
    import PatchbayCurl
    import PatchbayManager
    import PatchbayRegistry
    import TestSupport
    import Testing

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
                failure: .init(.refusedConnection, "no connection could be made to the proxy")),
            Row(
                name: "nobody listens, for https", proxy: http, variable: "https_proxy", reply: nil,
                failure: .init(.refusedConnection, "no connection could be made to the proxy")),
            Row(
                name: "nobody listens, by SOCKS", proxy: "socks5://user:s3cret@127.0.0.1:PORT", variable: "all_proxy",
                reply: nil, failure: .init(.refusedConnection, "no connection could be made to the proxy")),
            Row(
                name: "a name that nobody has", proxy: "http://user:s3cret@missing.test:PORT", variable: "http_proxy",
                reply: nil, failure: .init(.unresolvedHost, "the host name of the proxy could not be resolved")),
            Row(
                name: "a scheme that no proxy has", proxy: "foo://user:s3cret@127.0.0.1:PORT", variable: "http_proxy",
                reply: nil, failure: .init(.other, "the environment names a proxy that libcurl cannot use")),
            Row(
                name: "no URL", proxy: "http://user:s3cret@[x:PORT", variable: "http_proxy", reply: nil,
                failure: .init(.other, "the environment names a proxy that libcurl cannot use")),
            Row(
                name: "a password is asked for", proxy: http, variable: "https_proxy",
                reply: .response(status: 407, ["Proxy-Authenticate": "Basic realm=\"s3cret\""]),
                failure: .init(.refusedConnection, "the proxy asks for a user name and a password")),
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
        ]

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
                    #expect(exchange.result.failure == row.failure, "\(row.name)")
                    unsetenv(row.variable)
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
                let refused = TransportFailure(.refusedConnection, "no connection could be made to the host")
                for host in ["127.0.0.1", "0x7F.1", "LOCALHOST", "[::1]"] {
                    let url = try #require(URL(string: "http://\(host):\(server.port)/"))
                    #expect(await CurlTransport().exchange(url).result.failure == refused, "\(host)")
                }
            }
        }
    }
#endif
