import Foundation
import Patchbay
import PatchbayCurl
import PatchbayRegistry
import TestSupport
import Testing

@testable import PatchbayManager

/// Each setting of a connection against a real server or proxy.
@Suite("CurlTransport connects as the settings say", .timeLimit(.minutes(5)))
struct ConnectionSettingsTests {
    private static func get(
        _ url: String, _ settings: ConnectionSettings, _ transport: CurlTransport = CurlTransport()
    ) async throws -> Exchange {
        await ConnectedTransport(transport, settings).exchange(try #require(URL(string: url)))
    }

    // MARK: The connect timeout

    @Test("a host that takes no connection fails with connectTimeout")
    func connectTimeout() async throws {
        let full = try FullListener()
        defer { full.close() }
        let found = try await Self.get(
            "http://127.0.0.1:\(full.port)/", ConnectionSettings(connectTimeout: .seconds(0.3)))
        #expect(
            found.result.failure
                == TransportFailure(.connectTimeout, "no connection to 127.0.0.1:\(full.port) within 0.3 s"))
    }

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
        let settings = ConnectionSettings(connectionsPerHost: 1, connectTimeout: .milliseconds(200))
        let transport = CurlTransport()
        async let slow = Self.get("http://127.0.0.1:\(server.port)/slow", settings, transport)
        async let second = Self.get("http://127.0.0.1:\(server.port)/", settings, transport)
        try await Task.sleep(for: .milliseconds(600))
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

    // MARK: Unix sockets

    @Test("a Unix socket is connected to, and the URL gives the Host field", .enabled(if: LocalService.nginx != nil))
    func unixSocket() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "patchbay-\(UInt32.random(in: 0 ... .max))")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.path + "/socket"
        let configuration = """
            daemon off; master_process off; pid nginx.pid; error_log log;
            events {}
            http {
                access_log off; client_body_temp_path tmp; proxy_temp_path tmp; fastcgi_temp_path tmp; uwsgi_temp_path tmp;
                scgi_temp_path tmp;
                server { listen unix:\(path); location / { return 200 "$host $uri"; } }
            }
            """
        try Data(configuration.utf8).write(to: folder.appending(path: "nginx.conf"))
        let nginx = try #require(LocalService.nginx)
        try await LocalService.run([nginx, "-p", folder.path, "-c", folder.path + "/nginx.conf"]) {
            FileManager.default.fileExists(atPath: path)
        } test: {
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
            let refused = try await Self.get(
                "https://127.0.0.1:\(server.port)/", ConnectionSettings(proxy: try ProxySettings(proxy)))
            #expect(
                refused.result.failure
                    == TransportFailure(.refusedConnection, "the proxy asks for a user name and a password"))
        }
        let gone = try await Self.get(
            "http://127.0.0.1:\(server.port)/", ConnectionSettings(proxy: try ProxySettings("http://127.0.0.1:\(port)"))
        )
        #expect(
            gone.result.failure == TransportFailure(.refusedConnection, "no connection could be made to the proxy"))
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
            #expect(refused.code == .lostConnection, "\(refused.result)")
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
