import Foundation
import Patchbay
import TestSupport
import Testing

@testable import PatchbayCurl
@testable import PatchbayManager

/// The sentences about files of `TLSSettings` that cannot be used, each of which names the file and its fault.
@Suite(
    .timeLimit(.minutes(5)), .enabled(if: CertificateFolder.isPossible, "\(CertificateFolder.absence)"))
struct TLSFaultTests {
    /// Files of a client certificate or of the authorities, and the sentence of the failure, with FOLDER for the folder.
    struct Row: Sendable, CustomTestStringConvertible {
        let name: String
        var certificate = "client.pem"
        var key = "client.key"
        var passphrase: String?
        var authorities = "ca.pem"
        let sentence: String?
        var testDescription: String { name }

        func sentence(in folder: CertificateFolder) -> String? {
            sentence?.replacing("FOLDER/", with: folder.path("") + "/")
        }
    }

    private static let authorities = "of TLSSettings.certificateAuthorities"
    private static let broken = "cannot be read: its PEM is broken"

    static let rows = [
        Row(name: "good", sentence: nil),
        Row(name: "one file for both", certificate: "both.pem", key: "both.pem", sentence: nil),
        Row(name: "an encrypted key", key: "locked.key", passphrase: "s3cret", sentence: nil),
        Row(name: "a passphrase that no key needs", passphrase: "s3cret", sentence: nil),
        Row(
            name: "no certificate", certificate: "none.pem",
            sentence:
                "the file FOLDER/none.pem of ClientCertificate.certificate cannot be read: No such file or directory"),
        Row(
            name: "no key", key: "none.key",
            sentence: "the file FOLDER/none.key of ClientCertificate.key cannot be read: No such file or directory"),
        Row(
            name: "a path below a file", key: "client.pem/none",
            sentence: "the file FOLDER/client.pem/none of ClientCertificate.key cannot be read: Not a directory"),
        Row(
            name: "an unreadable key", key: "../../proc/self/mem",
            sentence: "the file FOLDER/../../proc/self/mem of ClientCertificate.key cannot be read: Input/output error"),
        Row(
            name: "a folder", certificate: "folder",
            sentence: "the file FOLDER/folder of ClientCertificate.certificate is a folder"),
        Row(
            name: "an empty certificate", certificate: "empty.pem",
            sentence: "the file FOLDER/empty.pem of ClientCertificate.certificate is empty"),
        Row(
            name: "an empty key", key: "empty.pem",
            sentence: "the file FOLDER/empty.pem of ClientCertificate.key is empty"),
        Row(
            name: "the two exchanged", certificate: "client.key", key: "client.pem",
            sentence: "the file FOLDER/client.key of ClientCertificate.certificate has no certificate in PEM"),
        Row(
            name: "a certificate as the key", key: "client.pem",
            sentence: "the file FOLDER/client.pem of ClientCertificate.key has no private key in PEM"),
        Row(
            name: "a public key", key: "public.pem",
            sentence: "the file FOLDER/public.pem of ClientCertificate.key has no private key in PEM"),
        Row(
            name: "a certificate in DER", certificate: "client.der",
            sentence: "the file FOLDER/client.der of ClientCertificate.certificate has no certificate in PEM"),
        Row(
            name: "a request for a certificate", certificate: "client.csr",
            sentence: "the file FOLDER/client.csr of ClientCertificate.certificate has no certificate in PEM"),
        Row(
            name: "a broken certificate", certificate: "broken.pem",
            sentence: "a certificate in FOLDER/broken.pem \(broken)"),
        Row(name: "a broken key", key: "broken.key", sentence: "the private key in FOLDER/broken.key \(broken)"),
        Row(
            name: "the key of another certificate", key: "other.key",
            sentence: "the private key in FOLDER/other.key does not belong to the certificate in FOLDER/client.pem"),
        Row(
            name: "a key of another kind", key: "rsa.key",
            sentence: "the private key in FOLDER/rsa.key does not belong to the certificate in FOLDER/client.pem"),
        Row(
            name: "an encrypted key without a passphrase", key: "locked.key",
            sentence: "the private key in FOLDER/locked.key is encrypted, and ClientCertificate.passphrase is nil"),
        Row(
            name: "a wrong passphrase", key: "locked.key", passphrase: "wrong",
            sentence: "ClientCertificate.passphrase does not decrypt the private key in FOLDER/locked.key"),
        Row(
            name: "an old encrypted key without a passphrase", key: "old.key",
            sentence: "the private key in FOLDER/old.key is encrypted, and ClientCertificate.passphrase is nil"),
        Row(
            name: "a certificate that has run out", certificate: "expired.pem", key: "expired.key",
            sentence: "the host refused the client certificate FOLDER/expired.pem: it has run out"),
        Row(
            name: "a certificate of an authority that the host does not know", certificate: "unknown.pem",
            key: "unknown.key",
            sentence: "the host refused the client certificate FOLDER/unknown.pem: it knows no authority of it"),
        Row(
            name: "no authorities", authorities: "none.pem",
            sentence: "the file FOLDER/none.pem \(authorities) cannot be read: No such file or directory"),
        Row(
            name: "a folder of authorities", authorities: "folder",
            sentence: "the file FOLDER/folder \(authorities) is a folder"),
        Row(
            name: "empty authorities", authorities: "empty.pem",
            sentence: "the file FOLDER/empty.pem \(authorities) is empty"),
        Row(
            name: "a key as authorities", authorities: "ca.key",
            sentence: "the file FOLDER/ca.key \(authorities) has no certificate in PEM"),
        Row(
            name: "a broken authority", authorities: "broken.pem",
            sentence: "the certificate authorities in FOLDER/broken.pem cannot be read: their PEM is broken"),
    ]

    /// Runs a host that wants a client certificate, and makes the files of the rows.
    private func serving(
        _ options: [String], _ test: (URL, CertificateFolder) async throws -> Void
    ) async throws {
        let folder = try await CertificateFolder()
        defer { folder.remove() }
        for name in ["host", "client", "other"] { try await folder.issue(name) }
        try await folder.issue("expired", isExpired: true)
        try await folder.issue("unknown", by: nil)
        let locking = ["-in", "client.key", "-aes128", "-passout", "pass:s3cret", "-out"]
        for arguments in [
            ["pkey"] + locking + ["locked.key"], ["ec"] + locking + ["old.key"],
            ["pkey", "-in", "client.key", "-pubout", "-out", "public.pem"],
            ["x509", "-in", "client.pem", "-outform", "der", "-out", "client.der"],
            ["x509", "-x509toreq", "-in", "client.pem", "-signkey", "client.key", "-out", "client.csr"],
            ["genrsa", "-out", "rsa.key", "2048"],
        ] { try await folder.run(arguments) }
        try FileManager.default.createDirectory(atPath: folder.path("folder"), withIntermediateDirectories: false)
        let texts = try ["client.pem", "client.key"].map {
            try String(contentsOf: folder.url.appending(path: $0), encoding: .utf8)
        }
        for (name, text) in [
            ("both.pem", texts[0] + texts[1]), ("empty.pem", ""),
            ("broken.pem", texts[0].replacing("MI", with: "!!", maxReplacements: 1)),
            ("broken.key", texts[1].replacing("MI", with: "!!", maxReplacements: 1)),
        ] { try Data(text.utf8).write(to: folder.url.appending(path: name)) }
        let wanting = ["-Verify", "1", "-verify_return_error", "-CAfile", "ca.pem"]
        try await TLSServer.run("host", in: folder, wanting + options) { port in
            try await test(try #require(URL(string: "https://127.0.0.1:\(port)/")), folder)
        }
    }

    @Test(
        "1.12.9: a file of TLSSettings that cannot be used is named, with its fault",
        arguments: [[], ["-tls1_2"]])
    func faults(_ options: [String]) async throws {
        try await serving(options) { here, folder in
            for row in Self.rows {
                let own = ClientCertificate(
                    certificate: folder.path(row.certificate), key: folder.path(row.key), passphrase: row.passphrase)
                let settings = TLSSettings(
                    certificateAuthorities: folder.path(row.authorities), clientCertificate: own)
                let failure = await ConnectedTransport(tls: settings).exchange(here).result.failure
                #expect(failure?.reason == row.sentence(in: folder), "\(row.name)")
                #expect(failure == nil || failure?.code == .insecureConnection, "\(row.name)")
            }
        }
    }

    @Test("bytes of authorities that cannot be used are named as the setting")
    func authorityData() async throws {
        try await serving([]) { here, folder in
            let broken = try Data(contentsOf: folder.url.appending(path: "broken.pem"))
            let path = folder.path("ca.pem")
            let (setting, unread) = ("TLSSettings.certificateAuthorityData", "cannot be read: their PEM is broken")
            for (bytes, path, sentence) in [
                (Data(), nil, "\(setting) has no certificate in PEM"),
                (Data("text".utf8), nil, "\(setting) has no certificate in PEM"),
                (Data("text".utf8), path, "\(setting) has no certificate in PEM"),
                (broken, nil, "the certificate authorities in \(setting) \(unread)"),
                (broken, path, "the certificate authorities in \(path) or \(setting) \(unread)"),
            ] as [(Data, String?, String)] {
                let settings = TLSSettings(certificateAuthorities: path, certificateAuthorityData: bytes)
                let failure = await ConnectedTransport(tls: settings).exchange(here).result.failure
                #expect(failure == TransportFailure(.insecureConnection, sentence))
            }
        }
    }

    @Test("the file of SSL_CERT_FILE that cannot be used is named, with its fault")
    func environment() async throws {
        try await serving([]) { here, folder in
            for (name, sentence) in [
                ("none.pem", "the file PATH of SSL_CERT_FILE cannot be read: No such file or directory"),
                ("client.key", "the file PATH of SSL_CERT_FILE has no certificate in PEM"),
                ("broken.pem", "the certificate authorities in PATH cannot be read: their PEM is broken"),
            ] {
                await #expect(processExitsWith: .success) {
                    [
                        here = here.absoluteString as String, path = folder.path(name) as String,
                        sentence = sentence as String
                    ] in
                    setenv("SSL_CERT_FILE", path, 1)
                    let transport = ConnectedTransport(CurlTransport(), ConnectionSettings())
                    let failure = await transport.exchange(try #require(URL(string: here))).result.failure
                    try #require(failure?.reason == sentence.replacing("PATH", with: path))
                }
            }
        }
    }
}
