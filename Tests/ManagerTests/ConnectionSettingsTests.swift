import Foundation
import PatchbayJSON
import PatchbayRegistry
import PatchbayTesting
import TestSupport
import Testing

@testable import PatchbayManager

@Suite("Connection settings", .timeLimit(.minutes(5))) struct ConnectionSettingsTests {
    /// Settings that tell themselves apart by their limit; those of patterns have no TLS.
    private static func settings(_ limit: Int, isSecure: Bool = false) -> ConnectionSettings {
        var settings = ConnectionSettings()
        settings.connectionsPerHost = limit
        if !isSecure { settings.tls = nil }
        return settings
    }

    private static func configuration(_ byHost: [HostPattern: Int]) -> SessionConfiguration {
        var configuration = SessionConfiguration()
        configuration.connection = settings(0, isSecure: true)
        configuration.connectionByHost = byHost.mapValues { settings($0) }
        return configuration
    }

    private static let patterns: [HostPattern: Int] = [
        "*.example.com": 1, "a.example.com": 2, "a.example.com:81": 3, "*.a.example.com": 4, "127.0.0.1": 5,
        "[::1]": 6, "127.0.0.1:81": 7, "0x7f.0.3": 8, "[::ffff:127.0.0.4]": 9,
    ]

    @Test(
        "the most specific pattern applies, and its settings replace the others whole",
        arguments: [
            ("http://b.example.com/", 1), ("http://a.example.com/", 2), ("https://a.example.com/", 2),
            ("http://A.Example.com.:81/", 3), ("http://c.a.example.com:81/", 4), ("http://example.com/", 0),
            ("http://127.0.0.1/", 5), ("http://127.1/", 5), ("http://0x7f.0.0.1/", 5), ("http://2130706433:80/", 5),
            ("http://%31%32%37.0.0.1/", 5), ("http://0177.0.0.1:81/", 7), ("http://[0:0::1]/", 6),
            ("http://127.0.0.2/", 0), ("http://other.test/", 0), ("http://[::ffff:127.0.0.1]/", 5),
            ("http://[::ffff:7f00:1]:81/", 7), ("http://[::1%25lo]/", 6), ("http://[::2%25lo]/", 0),
            ("http://127.0.0.3/", 8), ("http://2130706435/", 8), ("http://127.4/", 9),
        ])
    func patterns(_ url: String, _ limit: Int) async throws {
        let (manager, stub) = try stubManager(configuration: Self.configuration(Self.patterns)) { _ in .json("1") }
        _ = try await manager.send(url)
        #expect(stub.requests.map(\.connection) == [Self.settings(limit, isSecure: limit == 0)])
    }

    @Test(
        "after a redirect, the settings for the host that it leads to apply, and after an interceptor those of its URL")
    func hops() async throws {
        var configuration = Self.configuration(["a.test": 1, "b.test": 2, "c.test": 3])
        configuration.interceptors = [
            ClosureAdapter { request in
                var request = request
                if request.target == "http://z.test/" { request.target = "http://a.test/" }
                return request
            }
        ]
        let (manager, stub) = try stubManager(configuration: configuration) { request in
            switch request.head.url.host() {
            case "a.test": .redirect(302, to: "https://b.test/")
            case "b.test": .redirect(307, to: "https://d.test/")
            case "d.test": .redirect(307, to: "https://c.test/")
            default: .json("1")
            }
        }
        _ = try await manager.send("http://z.test/")
        #expect(stub.requests.map(\.connection.connectionsPerHost) == [1, 2, 0, 3])
        #expect(stub.requests.map { $0.connection.tls == nil } == [true, true, false, true])
    }

    @Test("requests to one host share one copy of their settings")
    func shared() async throws {
        let (manager, stub) = try stubManager(configuration: Self.configuration(["a.test": 1])) { _ in .json("1") }
        for _ in 0..<2 {
            _ = try await manager.send("http://a.test/")
            _ = try await manager.send("http://b.test/")
        }
        let shared = stub.requests.map(\.sharedConnection)
        #expect(shared[0] === shared[2] && shared[1] === shared[3] && shared[0] !== shared[1])
    }

    @Test("the defaults are TLS 1.2 with the authorities of the system, and the transport's own limit")
    func defaults() async throws {
        let (manager, stub) = try stubManager { _ in .json("1") }
        _ = try await manager.send("a")
        let settings = try #require(stub.requests.first).connection
        #expect(settings == ConnectionSettings())
        #expect(settings.tls == TLSSettings())
        #expect(settings.connectionsPerHost == nil)
        #expect(settings.connectTimeout == .seconds(10))
        #expect(settings.proxy == .environment)
        #expect(settings.http == .automatic)
        var request = TransportRequest(head: RequestHead(url: URL(filePath: "/")))
        #expect(request.connection == settings)
        request.connection.connectionsPerHost = 3
        #expect(request.connection == Self.settings(3, isSecure: true))
    }

    @Test(
        "a proxy is a URL with a scheme that is known, a host and a port",
        arguments: [
            ("proxy.example:3128", "the URL of the proxy is not a URL with a scheme and a host"),
            ("", "the URL of the proxy is not a URL with a scheme and a host"),
            ("http://", "the URL of the proxy is not a URL with a scheme and a host"),
            ("ftp://proxy.example:3128", "the URL of the proxy has the scheme ftp; known are http, https and socks5"),
            ("http://proxy.example", "the URL of the proxy has no port"),
            ("http://proxy.example:0", "the URL of the proxy has no port"),
            ("http://proxy.example:3128/path", "the URL of the proxy has a path, a query or a fragment"),
            ("http://proxy.example:3128?a", "the URL of the proxy has a path, a query or a fragment"),
        ])
    func refusedProxies(_ url: String, _ reason: String) throws {
        let failure = #expect(throws: FormatFailure.self) { try ProxySettings(url) }
        #expect(failure?.reason == reason)
    }

    @Test("the user and the password of a proxy come from its URL or from the call, and are never written")
    func proxies() throws {
        let inURL = try ProxySettings("HTTP://ada:s%3Ccret@proxy.example:3128/")
        #expect(inURL == (try ProxySettings("http://proxy.example:3128", user: "ada", password: "s<cret")))
        #expect(inURL != (try ProxySettings("http://proxy.example:3128")))
        #expect(inURL.description == "the proxy http://proxy.example:3128")
        #expect(String(reflecting: inURL) == inURL.description)
        #expect(ProxySettings.none.description == "no proxy")
        #expect(ProxySettings.environment.description == "the proxy of the environment")
    }

    private struct ClosureAdapter: RequestInterceptor {
        let change: @Sendable (SessionRequest) -> SessionRequest
        init(_ change: @escaping @Sendable (SessionRequest) -> SessionRequest) { self.change = change }
        func adapt(_ request: SessionRequest) async throws -> SessionRequest { change(request) }
    }
}
