#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A folder with a certificate authority made for one test, and what it has issued; made by the `openssl` command.
public struct CertificateFolder: Sendable {
    public static let program = "/usr/bin/openssl"
    public static let isPossible = FileManager.default.isExecutableFile(atPath: program)
    public static let absence = "openssl is not installed (Debian: openssl)"

    private static let elliptic = ["ec", "-pkeyopt", "ec_paramgen_curve:prime256v1"]

    public let url: URL

    public init() async throws {
        url = FileManager.default.temporaryDirectory.appending(path: "patchbay-tls-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        try Data("[req]\ndistinguished_name=dn\n[dn]\n".utf8).write(to: url.appending(path: "openssl.cnf"))
        try await make("ca", ["basicConstraints=critical,CA:TRUE"])
    }

    public func remove() { try? FileManager.default.removeItem(at: url) }

    public func path(_ file: String) -> String { url.appending(path: file).path }

    /// Makes `NAME.pem` and `NAME.key`, good for the names, by default those of this machine.
    /// - Parameter authority: who vouches for it; nil: itself.
    public func issue(
        _ name: String, for names: String = "IP:127.0.0.1,DNS:localhost", by authority: String? = "ca",
        isExpired: Bool = false, isWeak: Bool = false
    ) async throws {
        let signer = authority.map { ["-CA", "\($0).pem", "-CAkey", "\($0).key"] } ?? []
        try await make(name, ["subjectAltName=\(names)"], key: isWeak ? ["rsa:1024"] : Self.elliptic, signer)
        guard isExpired else { return }
        // Only `x509` takes a number of days that is over.
        let request = ["x509", "-x509toreq", "-in", "\(name).pem", "-signkey", "\(name).key", "-out", "\(name).csr"]
        try await run(request + ["-copy_extensions", "copy"])
        try await run(
            ["x509", "-req", "-in", "\(name).csr", "-days", "-1", "-CAcreateserial", "-copy_extensions", "copy"]
                + signer + ["-out", "\(name).pem"])
    }

    /// The SHA-256 digest of the public key of `NAME.pem`, in base64.
    public func pin(of name: String) async throws -> String {
        let made = try await ChildProcess.run(
            "/bin/sh",
            [
                "-c",
                """
                openssl x509 -in "$0".pem -pubkey -noout | openssl pkey -pubin -outform der |
                openssl dgst -sha256 -binary | openssl base64
                """, name,
            ], directory: url.path)
        guard made.end == .exited(0) else { throw ChildProcess.NotStarted(description: made.errorText) }
        return String(made.outputText.prefix { !$0.isNewline })
    }

    public func run(_ arguments: [String]) async throws {
        let made = try await ChildProcess.run(Self.program, arguments, directory: url.path)
        guard made.end == .exited(0) else { throw ChildProcess.NotStarted(description: made.errorText) }
    }

    private func make(
        _ name: String, _ extensions: [String], key: [String] = elliptic, _ signer: [String] = []
    ) async throws {
        try await run(
            ["req", "-x509", "-config", "openssl.cnf", "-nodes", "-subj", "/CN=\(name)", "-days", "2"]
                + ["-newkey"] + key + ["-keyout", "\(name).key", "-out", "\(name).pem"] + signer
                + extensions.flatMap { ["-addext", $0] })
    }
}
