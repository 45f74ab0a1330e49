import Foundation
import Patchbay
import PatchbayRegistry
import TestSupport
import Testing

@testable import PatchbayCurl
@testable import PatchbayManager

private let python = ["/usr/bin/python3", "/usr/local/bin/python3"].first {
    FileManager.default.isExecutableFile(atPath: $0)
}

/// A body that ends with the connection, over TLS that the host ends or does not end (RFC 9112, section 9.8).
@Suite(
    .timeLimit(.minutes(5)),
    .enabled(
        if: CertificateFolder.isPossible && python != nil,
        "needs openssl and python3 (Debian: openssl, python3)"))
struct TLSEndTests {
    /// Answers a request for `/NAME/notify` or `/NAME/cut` with the bytes of the file `NAME`, and then ends TLS, or only
    /// the connection: `close` of Python's module sends no close_notify, `unwrap` does.
    private static let server = #"""
        import socket, ssl, sys
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain('host.pem', 'host.key')
        listener = socket.create_server(('127.0.0.1', 0))
        print('ACCEPT 127.0.0.1:%d' % listener.getsockname()[1], flush=True)
        while True:
            plain, _ = listener.accept()
            plain.settimeout(20)
            try:
                connection = context.wrap_socket(plain, server_side=True)
                head = b''
                while b'\r\n\r\n' not in head: head += connection.recv(65536)
                # Unread bytes would reset the connection. The body of a POST has two.
                while head.startswith(b'POST') and not head.endswith(b'xy'): head += connection.recv(65536)
                _, name, end = head.split()[1].decode().split('/')
                connection.sendall(open(name, 'rb').read())
                connection.settimeout(0)
                try:
                    if end == 'notify': connection.unwrap()
                except ssl.SSLError: pass  # The client's own end of TLS is not waited for.
                connection.close()
            except Exception as error:
                print(error, flush=True)
            plain.close()
        """#

    private static let rows: [(name: String, method: String, head: String, body: String, isFramed: Bool)] = [
        ("1.0", "GET", "HTTP/1.0 200 OK\r\n", "some words", false),
        ("1.1", "GET", "HTTP/1.1 200 OK\r\nConnection: close\r\n", "some words", false),
        ("post", "POST", "HTTP/1.1 200 OK\r\n", "some words", false),
        ("identity", "GET", "HTTP/1.1 200 OK\r\nTransfer-Encoding: identity\r\n", "some words", false),
        ("empty", "GET", "HTTP/1.1 200 OK\r\n", "", false),
        ("error", "GET", "HTTP/1.1 500 No\r\n", "some words", false),
        ("large", "GET", "HTTP/1.1 200 OK\r\n", String(repeating: "words ", count: 500_000), false),
        ("length", "GET", "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n", "some words", true),
        ("none", "GET", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n", "", true),
        ("chunks", "GET", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n", "4\r\nsome\r\n0\r\n\r\n", true),
        ("no-content", "GET", "HTTP/1.1 204 No Content\r\n", "", true),
        ("head", "HEAD", "HTTP/1.1 200 OK\r\n", "", true),
    ]

    private static func serving(_ test: (_ folder: CertificateFolder, _ origin: URL) async throws -> Void) async throws
    {
        let folder = try await CertificateFolder()
        defer { folder.remove() }
        try await folder.issue("host")
        for row in rows {
            try Data((row.head + "Content-Type: text/plain\r\n\r\n" + row.body).utf8)
                .write(to: folder.url.appending(path: row.name))
        }
        try Data(server.utf8).write(to: folder.url.appending(path: "server.py"))
        try await TLSServer.run([try #require(python), "server.py"], in: folder) { port in
            try await test(folder, try #require(URL(string: "https://127.0.0.1:\(port)/")))
        }
    }

    @Test(
        "a body that only the end of the connection ends is whole where TLS has ended, or the settings accept that it has not",
        arguments: [TLSSettings.Version.tls12, .tls13])
    func ends(_ version: TLSSettings.Version) async throws {
        try await Self.serving { folder, origin in
            for accepts in [false, true] {
                var settings = TLSSettings(
                    certificateAuthorities: folder.path("ca.pem"), minimumVersion: version, maximumVersion: version)
                settings.acceptsMissingCloseNotify = accepts
                let transport = ConnectedTransport(tls: settings)
                for row in Self.rows {
                    for end in ["notify", "cut"] {
                        let url = origin.appending(path: row.name + "/" + end)
                        let exchange = await transport.exchange(
                            url, method: row.method, body: row.method == "POST" ? Array("xy".utf8) : nil)
                        let isWhole = row.isFramed || end == "notify" || accepts
                        #expect(
                            exchange.result.failure == (isWhole ? nil : .missingCloseNotify),
                            "\(row.name), \(end), \(accepts)")
                        if !row.isFramed { #expect(exchange.record.text == row.body, "\(row.name), \(end)") }
                    }
                }
            }
        }
    }

    @Test("a call, a stream and a download fail with the body that arrived, and an error keeps its status")
    func calls() async throws {
        try await Self.serving { folder, origin in
            var configuration = SessionConfiguration()
            configuration.connection.tls = TLSSettings(certificateAuthorities: folder.path("ca.pem"))
            let manager = SessionManager(baseURL: origin, configuration: configuration)
            let sentence =
                "GET 127.0.0.1:\(origin.port ?? 0)/1.0/cut: the connection ended without the end of TLS (close_notify), so "
                + "the body can be cut; TLSSettings.acceptsMissingCloseNotify accepts it"
            let error = await #expect(throws: SessionError.self) { try await manager.get("1.0/cut", as: String.self) }
            #expect(error?.code == .transport)
            #expect(error?.description == sentence)
            var text = Data()
            let late = await #expect(throws: SessionError.self) {
                for try await piece in try await manager.stream("1.0/cut", of: Data.self) { text += piece }
            }
            #expect((late?.cause as? TransportFailure)?.code == .truncatedBody)
            #expect(text == Data("some words".utf8))
            let file = folder.url.appending(path: "saved")
            let unsaved = await #expect(throws: SessionError.self) {
                try await manager.download("1.0/cut", to: .file(file))
            }
            #expect((unsaved?.cause as? TransportFailure)?.code == .truncatedBody)
            #expect(!FileManager.default.fileExists(atPath: file.path))
            let status = await #expect(throws: SessionError.self) { try await manager.send("error/cut") }
            #expect((status?.code, status?.head?.status) == (.status, 500))
            configuration.connection.tls?.acceptsMissingCloseNotify = true
            let accepting = SessionManager(baseURL: origin, configuration: configuration)
            let accepted = try await accepting.get("1.0/cut", as: String.self)
            #expect(accepted == "some words")
        }
    }
}
