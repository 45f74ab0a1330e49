import PatchbayManager
import Testing

@testable import PatchbayCurl

@Suite("What libcurl's texts tell")
struct LibcurlTextTests {
    typealias Fact = @Sendable (Libcurl.Text) -> Bool

    private static let facts: [(name: String, holds: Fact)] = [
        ("another host", { $0.namesOtherHost }), ("a version of TLS", { $0.namesTLSVersion }),
        ("a client certificate", { $0.asksForCertificate }), ("an alert", { $0.isAlert }),
        ("no end of TLS", { $0.lacksTLSEnd }), ("a chunk", { $0.isBrokenChunk }), ("a long head", { $0.isLongHead }),
        ("a stream that libcurl reset", { $0.leavesResetOpen }), ("a proxy", { $0.isUnusableProxy }),
        ("no connection", { $0.isUnconnected }), ("no thread", { $0.lacksThread }),
        ("a refused certificate", { $0.refusesCertificate }), ("an expired one", { $0.findsExpired }),
        ("an unknown authority", { $0.knowsNoAuthority }), ("a broken certificate", { $0.namesCertificate }),
    ]

    /// Texts of 7.88.1 and of 8.23.0.
    private static let rows: [(text: String, facts: [String])] = [
        ("", ["a stream that libcurl reset"]),
        ("HTTP/2 stream 1 reset by curl (error 0x7)", ["a stream that libcurl reset"]),
        ("HTTP/2 stream 1 was not closed cleanly: CANCEL (err 8)", []),
        ("SSL: certificate subject name 'a.test' does not match target host name 'b.test'", ["another host"]),
        ("error:0A00042E:SSL routines::tlsv1 alert protocol version", ["a version of TLS", "an alert"]),
        ("error:0A000102:SSL routines::unsupported protocol", ["a version of TLS"]),
        (
            "OpenSSL SSL_read: error:0A00045C:SSL routines::tlsv13 alert certificate required, errno 0",
            ["a client certificate", "an alert", "a refused certificate"]
        ),
        (
            "OpenSSL SSL_read: OpenSSL/3.0.19: error:0A000415:SSL routines::sslv3 alert certificate expired, errno 0",
            ["an alert", "a refused certificate", "an expired one"]
        ),
        (
            "OpenSSL SSL_read: OpenSSL/3.6.5: error:0A000415:SSL routines::ssl/tls alert certificate expired, errno 0",
            ["an alert", "a refused certificate", "an expired one"]
        ),
        ("SSL certificate verification failed", ["a refused certificate", "an expired one"]),
        (
            "TLS connect error: error:0A000418:SSL routines::tlsv1 alert unknown ca",
            ["an alert", "a refused certificate", "an unknown authority"]
        ),
        (
            "error:0A000412:SSL routines::sslv3 alert bad certificate", ["an alert", "a refused certificate"]
        ),
        (
            "could not load PEM client certificate from CURLOPT_SSLCERT_BLOB, OpenSSL error error:04800064:PEM routines::bad "
                + "base64 decode, (no key found, wrong passphrase, or wrong file format?)", ["a broken certificate"]
        ),
        (
            "OpenSSL SSL_read: OpenSSL/3.0.17: error:0A000126:SSL routines::unexpected eof while reading, errno 0",
            ["no end of TLS"]
        ),
        ("GnuTLS recv error (-110): The TLS connection was non-properly terminated.", ["no end of TLS"]),
        ("Illegal or missing hexadecimal sequence in chunked-encoding", ["a chunk"]),
        ("Too large response headers: 307201 > 307200", ["a long head"]),
        ("Unsupported proxy scheme for 'foo://127.0.0.1:1'", ["a proxy"]),
        ("Failed to connect to 127.0.0.1 port 1 after 0 ms: Couldn't connect to server", ["no connection"]),
        ("getaddrinfo() thread failed to start", ["no thread"]),
        ("a text that no version has", []),
    ]

    @Test("A text tells what its words say, and one with other words nothing", arguments: rows.indices)
    func tells(_ index: Int) {
        let row = Self.rows[index]
        let text = Libcurl.Text(words: row.text)
        #expect(Self.facts.filter { $0.holds(text) }.map(\.name) == row.facts, "\(row.text)")
    }

    @Test("A handshake or a certificate that fails with an unknown text is refused, for no reason by name")
    func unknown() {
        let text = Libcurl.Text(words: "a text that no version has")
        #expect(TransportFailure.handshake(text, with: .host).code == .insecureConnection)
        #expect(TransportFailure.certificate(nil, text, of: .host).code == .refusedCertificate)
        #expect(TransportFailure.certificate(1, text, of: .host).code == .wrongHostCertificate)
    }
}
