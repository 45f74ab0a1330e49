import Foundation
import Patchbay
import PatchbayCurl
import PatchbayRegistry
import TestSupport
import Testing

@testable import PatchbayManager

/// Against nginx, which speaks HTTP/2, with a certificate made for the run.
@Suite("CurlTransport over HTTP/2", .timeLimit(.minutes(5)))
struct CurlHTTP2Tests {
    private static let program = "/usr/sbin/nginx"
    private static let isPossible =
        CertificateFolder.isPossible && FileManager.default.isExecutableFile(atPath: program)

    /// Ends the server when the file `run` is gone, or after 100 s.
    private static let script = """
        /usr/sbin/nginx -p "$PWD" -c "$PWD/nginx.conf" >log 2>&1 </dev/null &
        steps=0
        while [ -e run ] && kill -0 $! && [ $steps -lt 5000 ]; do sleep 0.02; steps=$((steps + 1)); done
        kill -9 $!  # a child of a test has every milder signal blocked
        """

    private static func configuration(_ port: UInt16) -> String {
        """
        daemon off; master_process off; pid nginx.pid; error_log log;
        events {}
        http {
            access_log off; default_type text/plain;
            client_body_temp_path tmp; proxy_temp_path tmp; fastcgi_temp_path tmp; uwsgi_temp_path tmp; scgi_temp_path tmp;
            server {
                listen 127.0.0.1:\(port) ssl http2;
                ssl_certificate host.pem; ssl_certificate_key host.key;
                root .;
                location /gzip { add_header Content-Encoding gzip; }
            }
        }
        """
    }

    /// Serves the files of a folder, and small ones as often as they are asked for, until the test is over.
    private static func serving(
        _ files: [(String, [UInt8])], _ test: (CurlTransport, _ origin: URL) async throws -> Void
    ) async throws {
        let folder = try await CertificateFolder()
        defer { folder.remove() }
        try await folder.issue("host")
        // A port that was free a moment ago.
        let free = try RawServer(always: RawReply([.close]))
        let port = free.port
        free.stop()
        let own = [
            ("small", Array("small".utf8)), ("nginx.conf", Array(configuration(port).utf8)), ("run", [UInt8]()),
        ]
        for (name, bytes) in files + own { try Data(bytes).write(to: folder.url.appending(path: name)) }
        async let server = ChildProcess.run(
            "/bin/sh", ["-c", script], directory: folder.url.path, limit: .seconds(110))
        let transport = CurlTransport(
            configuration: .init(tls: TLSSettings(certificateAuthorities: folder.path("ca.pem"))))
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
            let isOver = Signal()
            // A connection that a download has left is used again, whatever its version is.
            let others = (0..<8).map { _ in
                Task {
                    var isEverHTTP2 = false
                    while !isOver.hasFired {
                        let reply = try await manager.send(HTTPRequest("GET", "small"), as: String.self)
                        #expect(reply.value == "small")
                        isEverHTTP2 = isEverHTTP2 || reply.timeline.exchange.httpVersion == "2"
                    }
                    return isEverHTTP2
                }
            }
            let downloads: Result<Void, any Error>
            do {
                for round in 0..<20 {
                    let name = round % 2 == 0 ? "body" : "gzip-body"
                    async let first = manager.download(HTTPRequest("GET", name))
                    for reply in [try await manager.download(HTTPRequest("GET", name)), try await first] {
                        #expect(try Data(contentsOf: reply.value) == whole)
                        try FileManager.default.removeItem(at: reply.value)
                        #expect(reply.head.fields.hasContentCoding == (round % 2 == 1))
                    }
                }
                downloads = .success(())
            } catch {
                downloads = .failure(error)
            }
            isOver.fire()
            var isEverHTTP2 = false
            for other in others { isEverHTTP2 = try await other.value || isEverHTTP2 }
            try downloads.get()
            #expect(isEverHTTP2)
        }
    }
}
