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

/// Against `openssl s_server`, with a certificate made for the run.
@Suite("CurlTransport checks certificates", .timeLimit(.minutes(1)))
struct CurlSecurityTests {
    private static let program = "/usr/bin/openssl"
    private static let hasProgram = FileManager.default.isExecutableFile(atPath: program)

    /// A folder with `key.pem` and `cert.pem`, good for the one name.
    private static func certificate(for name: String) async throws -> URL {
        let folder = FileManager.default.temporaryDirectory.appending(path: "patchbay-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let made = try await ChildProcess.run(
            program,
            [
                "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", "key.pem", "-out", "cert.pem", "-days", "2",
                "-subj", "/CN=\(name)", "-addext", "subjectAltName=\(name)",
            ], directory: folder.path)
        try #require(made.end == .exited(0), "\(made.errorText)")
        return folder
    }

    /// Runs a server for so many connections and calls the test with its port.
    private func withServer(
        certificate folder: URL, connections: Int, _ test: (Int) async throws -> Void
    ) async throws {
        let log = folder.appending(path: "log").path
        async let server = ChildProcess.run(
            "/bin/sh",
            [
                "-c",
                "exec \(Self.program) s_server -accept 127.0.0.1:0 -www -naccept \(connections) -key key.pem -cert cert.pem >log",
            ], directory: folder.path, limit: .seconds(20))
        await until {
            (try? String(contentsOfFile: log, encoding: .utf8))?.contains("ACCEPT 127.0.0.1:") == true
        }
        let text = try String(contentsOfFile: log, encoding: .utf8)
        let port = text.split(separator: "\n").first { $0.hasPrefix("ACCEPT") }?.split(separator: ":").last.flatMap {
            Int($0)
        }
        try await test(try #require(port))
        _ = try await server
    }

    @Test(
        "A known authority is trusted, an unknown one and another name are not",
        .enabled(if: hasProgram, "openssl is not installed"))
    func trust() async throws {
        let folder = try await Self.certificate(for: "IP:127.0.0.1")
        defer { try? FileManager.default.removeItem(at: folder) }
        let untrusted = TransportFailure(.insecureConnection, "the certificate of the host is not to be trusted")
        try await withServer(certificate: folder, connections: 3) { port in
            let here = try #require(URL(string: "https://127.0.0.1:\(port)/"))
            let elsewhere = try #require(URL(string: "https://localhost:\(port)/"))
            let knowing = CurlTransport(
                configuration: .init(certificateAuthorities: folder.appending(path: "cert.pem").path))
            let exchange = await knowing.exchange(here)
            #expect(exchange.record.status == 200)
            #expect(exchange.timings?.secureConnect != nil)
            #expect(await CurlTransport().exchange(here).result.failure == untrusted)
            #expect(await knowing.exchange(elsewhere).result.failure == untrusted)
        }
    }

    @Test("Authorities that cannot be read are a failure of their own")
    func noAuthorities() async throws {
        let transport = CurlTransport(configuration: .init(certificateAuthorities: "/does/not/exist.pem"))
        let server = try RawServer(onConnect: RawReply([.hang]))
        let url = try #require(URL(string: "https://127.0.0.1:\(server.port)/"))
        #expect(
            await transport.exchange(url).result.failure
                == TransportFailure(.insecureConnection, "the certificate authorities to trust could not be read"))
    }
}
