import Foundation
import Patchbay
import TestSupport
import Testing

/// Runs the lines of `openssl` that the page on security has, and gives the result to calls.
@Suite(
    .timeLimit(.minutes(5)), .enabled(if: CertificateFolder.isPossible, "\(CertificateFolder.absence)"))
struct OpenSSLLinesTests {
    /// The lines of a block, by its place on the page.
    private static func lines(_ block: Int) throws -> [String] {
        let blocks = try Markdown("Documentation/Security.md").blocks(of: "sh")
        try #require(blocks.count == 3)
        return blocks[block].split(separator: "\n").map(String.init)
    }

    private static func run(_ line: String, in folder: CertificateFolder) async throws -> String {
        let made = try await ChildProcess.run("/bin/sh", ["-c", line], directory: folder.url.path)
        try #require(made.end == .exited(0), "\(line): \(made.errorText)")
        return made.outputText.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    private func code(_ settings: TLSSettings, _ port: Int, _ host: String = "127.0.0.1") async -> TransportFailure
        .Code?
    {
        var configuration = SessionConfiguration()
        configuration.connection.tls = settings
        let manager = SessionManager(baseURL: URL(string: "https://\(host):\(port)"), configuration: configuration)
        do throws(SessionError) {
            _ = try await manager.send("x")
            return nil
        } catch {
            return (error.cause as? TransportFailure)?.code
        }
    }

    @Test("the pins of a host that is asked, and of a key without a certificate")
    func pins() async throws {
        let (folder, lines) = (try await CertificateFolder(), try Self.lines(0))
        defer { folder.remove() }
        try await folder.issue("shown")
        try await folder.issue("next")
        try #require(lines.count == 3)
        try await TLSServer.run("shown", in: folder) { port in
            _ = try await Self.run(lines[0].replacing("api.bank.example:443", with: "127.0.0.1:\(port)"), in: folder)
            let (current, next) = (
                try await Self.run(lines[1], in: folder), try await Self.run(lines[2], in: folder)
            )
            #expect(current != next)
            var settings = TLSSettings(certificateAuthorities: folder.path("ca.pem"))
            for (pins, code) in [([current, next], nil), ([current], nil), ([next], .mismatchedPin)]
                as [([String], TransportFailure.Code?)]
            {
                settings.pinnedKeys = Set(try pins.map { try PublicKeyPin($0) })
                #expect(await self.code(settings, port) == code, "\(pins)")
            }
        }
        // What the first server has left.
        for name in ["log", "ended"] { try FileManager.default.removeItem(atPath: folder.path(name)) }
        try await TLSServer.run("next", in: folder) { port in
            var settings = TLSSettings(certificateAuthorities: folder.path("ca.pem"))
            settings.pinnedKeys = [try PublicKeyPin(try await Self.run(lines[2], in: folder))]
            #expect(await self.code(settings, port) == nil)
        }
    }

    @Test("a key with its request, and the two files of a PKCS #12 file")
    func clientCertificate() async throws {
        let (folder, lines) = (try await CertificateFolder(), try Self.lines(1))
        defer { folder.remove() }
        try await folder.issue("host")
        try await folder.issue("ada", for: "DNS:client")
        try #require(lines.count == 3)
        _ = try await Self.run(lines[0], in: folder)
        _ = try await Self.run("openssl req -in client.csr -verify -noout && test -s client.key", in: folder)
        try await folder.run(
            ["pkcs12", "-export", "-in", "ada.pem", "-inkey", "ada.key", "-out", "client.p12", "-passout", "pass:hush"])
        for line in lines.dropFirst() {
            _ = try await Self.run(line.replacing("client.p12", with: "client.p12 -passin pass:hush"), in: folder)
        }
        let options = ["-Verify", "1", "-verify_return_error", "-CAfile", "ca.pem"]
        try await TLSServer.run("host", in: folder, options) { port in
            var settings = TLSSettings(certificateAuthorities: folder.path("ca.pem"))
            #expect(await code(settings, port) != nil)
            settings.clientCertificate = ClientCertificate(
                certificate: folder.path("client.pem"), key: folder.path("client.key"))
            #expect(await code(settings, port) == nil)
        }
    }

    @Test("an authority, a host and a client on one machine")
    func ownMachine() async throws {
        let (folder, lines) = (try await CertificateFolder(), try Self.lines(2))
        defer { folder.remove() }
        try FileManager.default.removeItem(atPath: folder.path("ca.pem"))
        try #require(lines.count == 5)
        _ = try await Self.run(lines.dropLast().joined(separator: " && "), in: folder)
        let server = lines[4].replacing(" 8443 ", with: " 127.0.0.1:0 ").split(separator: " ").map(String.init)
        try await TLSServer.run(server, in: folder) { port in
            var settings = TLSSettings(certificateAuthorities: folder.path("ca.pem"))
            #expect(await code(settings, port) != nil)
            settings.clientCertificate = ClientCertificate(
                certificate: folder.path("client.pem"), key: folder.path("client.key"))
            #expect(await code(settings, port) == nil)
            #expect(await code(settings, port, "localhost") == nil)
        }
    }
}
