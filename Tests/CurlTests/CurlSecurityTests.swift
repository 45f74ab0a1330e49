import Patchbay
import PatchbayRegistry
import TestSupport
import Testing

@testable import PatchbayCurl
@testable import PatchbayManager

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Against `openssl s_server`, with certificates made for the run.
@Suite("TLS of CurlTransport", .timeLimit(.minutes(5)))
struct CurlSecurityTests {
    /// What a server shows, and the failure of a client that trusts the test's authority; nil for none.
    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        var names = "IP:127.0.0.1"
        var authority: String? = "ca"
        var isExpired = false
        var isWeak = false
        var options: [String] = []
        var minimum = TLSSettings.Version.tls12
        /// Whether the client trusts the authority, and not another one.
        var isTrusting = true
        let failure: TransportFailure?
        var testDescription: String { name }
    }

    private static let old = TransportFailure(.outdatedTLS, "the host speaks no version of TLS that is new enough")
    private static let unknown = TransportFailure(
        .unknownAuthority, "the certificate of the host leads to no authority that is trusted")
    private static let wrongHost = TransportFailure(.wrongHostCertificate, "the certificate is for another host")

    static let cases = [
        Case(name: "good", failure: nil),
        Case(
            name: "expired", isExpired: true,
            failure: TransportFailure(
                .expiredCertificate, "the certificate of the host has run out, or is not valid yet")),
        Case(name: "for another address", names: "IP:127.0.0.2", failure: wrongHost),
        Case(name: "for a name", names: "DNS:localhost", failure: wrongHost),
        Case(
            name: "self-signed", authority: nil,
            failure: TransportFailure(.selfSignedCertificate, "the certificate of the host vouches for itself")),
        Case(name: "from an unknown authority", isTrusting: false, failure: unknown),
        Case(
            name: "from an unknown authority that it shows", options: ["-cert_chain", "ca.pem"], isTrusting: false,
            failure: unknown),
        Case(
            name: "a weak key", isWeak: true, options: ["-cipher", "DEFAULT@SECLEVEL=0"],
            failure: TransportFailure(.weakCertificate, "the certificate of the host, or one above it, is too weak")),
        Case(name: "TLS 1.1", options: ["-tls1_1", "-cipher", "DEFAULT@SECLEVEL=0"], failure: old),
        Case(name: "TLS 1.2", options: ["-tls1_2"], failure: nil),
        Case(name: "TLS 1.2, where 1.3 is wanted", options: ["-tls1_2"], minimum: .tls13, failure: old),
        Case(name: "TLS 1.3, where it is wanted", options: ["-tls1_3"], minimum: .tls13, failure: nil),
        Case(
            name: "a client certificate is wanted", options: ["-tls1_3", "-Verify", "1", "-verify_return_error"],
            failure: TransportFailure(.clientCertificateRequired, "the host wants a client certificate")),
    ]

    private func url(_ port: Int, _ host: String = "127.0.0.1") throws -> URL {
        try #require(URL(string: "https://\(host):\(port)/"))
    }

    private func transport(_ settings: TLSSettings) -> ConnectedTransport { ConnectedTransport(tls: settings) }

    /// The end of one call of a manager whose settings differ by host: nil for a response.
    private func failure(
        _ url: URL, _ transport: CurlTransport, _ byHost: [HostPattern: TLSSettings], others: TLSSettings? = nil
    ) async -> TransportFailure? {
        var configuration = SessionConfiguration()
        configuration.connection.tls = others
        configuration.connectionByHost = byHost.mapValues { tls in
            var settings = ConnectionSettings()
            settings.tls = tls
            return settings
        }
        let manager = SessionManager(registry: .standard, transport: transport, configuration: configuration)
        do throws(SessionError) {
            _ = try await manager.send(url.absoluteString)
            return nil
        } catch {
            return error.cause as? TransportFailure ?? TransportFailure(.other, "\(error)")
        }
    }

    @Test(
        "1.12.9: each reason not to trust a host is a failure of its own",
        .enabled(if: CertificateFolder.isPossible, "\(CertificateFolder.absence)"), arguments: cases)
    func reasons(_ item: Case) async throws {
        let folder = try await CertificateFolder()
        defer { folder.remove() }
        try await folder.issue("other", by: nil)
        try await folder.issue(
            "host", for: item.names, by: item.authority, isExpired: item.isExpired, isWeak: item.isWeak)
        try await TLSServer.run("host", in: folder, item.options) { port in
            let here = try url(port)
            let authorities = folder.path(item.isTrusting ? "ca.pem" : "other.pem")
            let exchange = await transport(
                TLSSettings(certificateAuthorities: authorities, minimumVersion: item.minimum)
            ).exchange(here)
            #expect(exchange.result.failure == item.failure)
            #expect(exchange.record.status == (item.failure == nil ? 200 : nil))
            #expect((exchange.timings?.secureConnect != nil) == (item.failure == nil))
            // The system's authorities know none of these.
            let system = await transport(TLSSettings()).exchange(here)
            #expect(system.record.status == nil)
            // Where nothing is checked, only what cannot be spoken is left.
            let unsafe = await transport(TLSSettings(unsafelyAcceptsAnyCertificate: true)).exchange(here)
            #expect(
                (unsafe.record.status == 200) == !["TLS 1.1", "a client certificate is wanted"].contains(item.name))
        }
    }

    @Test(
        "a manager trusts the authority that it is made with, and no other",
        .enabled(if: CertificateFolder.isPossible, "\(CertificateFolder.absence)"))
    func manager() async throws {
        let folder = try await CertificateFolder()
        defer { folder.remove() }
        try await folder.issue("host")
        try await TLSServer.run("host", in: folder) { port in
            let here = try url(port)
            var configuration = SessionConfiguration()
            configuration.connection.tls = TLSSettings(certificateAuthorities: folder.path("ca.pem"))
            let trusting = SessionManager(baseURL: here, configuration: configuration)
            #expect(try await trusting.send("x").head.status == 200)
            #expect(trusting.registry.digest == SerializerRegistry.standard.digest)
            let error = await #expect(throws: SessionError.self) { try await SessionManager(baseURL: here).send("x") }
            #expect(error?.cause as? TransportFailure == Self.unknown)
        }
    }

    @Test(
        "1.12.9: the key of a host is held against the pinned ones, whatever else is checked",
        .enabled(if: CertificateFolder.isPossible, "\(CertificateFolder.absence)"))
    func pins() async throws {
        let folder = try await CertificateFolder()
        defer { folder.remove() }
        try await folder.issue("host")
        try await folder.issue("backup")
        let (pin, backup) = (
            try PublicKeyPin(try await folder.pin(of: "host")),
            try PublicKeyPin("sha256//" + (try await folder.pin(of: "backup")))
        )
        let mismatch = TransportFailure(.mismatchedPin, "the key of the host is not one of those pinned for it")
        try await TLSServer.run("host", in: folder) { port in
            let here = try url(port)
            for (pins, isUnsafe, failure) in [
                ([pin], false, nil), ([backup], false, mismatch), ([pin, backup], false, nil), ([pin], true, nil),
                ([backup], true, mismatch),
            ] as [(Set<PublicKeyPin>, Bool, TransportFailure?)] {
                let settings = TLSSettings(
                    certificateAuthorities: folder.path("ca.pem"), pinnedKeys: pins,
                    unsafelyAcceptsAnyCertificate: isUnsafe)
                #expect(await transport(settings).exchange(here).result.failure == failure)
            }
            // A pin does not make good what is wrong otherwise.
            let settings = TLSSettings(pinnedKeys: [pin])
            #expect(await transport(settings).exchange(here).result.failure == Self.unknown)
        }
    }

    @Test(
        "1.12.9: the narrowest pattern that matches decides how a host is checked",
        .enabled(if: CertificateFolder.isPossible, "\(CertificateFolder.absence)"))
    func patterns() async throws {
        let folder = try await CertificateFolder()
        defer { folder.remove() }
        try await folder.issue("host")
        let good = TLSSettings(certificateAuthorities: folder.path("ca.pem"))
        var pinned = good
        pinned.pinnedKeys = [try PublicKeyPin(Data(repeating: 1, count: 32).base64EncodedString())]
        try await TLSServer.run("host", in: folder) { port in
            let (here, localhost) = (try url(port), try url(port, "LOCALHOST"))
            let settings = [
                try HostPattern(pattern: "127.0.0.1"): pinned, try HostPattern(pattern: "127.0.0.1:\(port)"): good,
                try HostPattern(pattern: "localhost"): pinned, try HostPattern(pattern: "*.example.com"): good,
            ]
            let transport = CurlTransport()
            // In turn, on one transport: what is trusted for one host is not for the other.
            for _ in 0..<2 {
                #expect(await failure(here, transport, settings) == nil)
                #expect(await failure(localhost, transport, settings)?.code == .mismatchedPin)
            }
            let some = [try HostPattern(pattern: "127.0.0.1"): good]
            #expect(await failure(here, transport, some) == nil)
            #expect(
                await failure(localhost, transport, some)
                    == TransportFailure(
                        .unlistedHost, "the connection settings for the host refuse https: their tls is nil"))
        }
    }

    @Test(
        "1.12.9: a connection is used again only by exchanges with the same settings",
        .enabled(if: CurlHTTP2Tests.isPossible, "needs nginx and openssl (Debian: nginx-light, openssl)"))
    func otherSettings() async throws {
        try await CurlHTTP2Tests.serving([]) { connected, origin in
            let good = try #require(connected.connection.tls)
            let folder = try #require(good.certificateAuthorities).dropLast("ca.pem".count)
            var (pinned, newer, shown, keyless) = (good, good, good, good)
            pinned.pinnedKeys = [try PublicKeyPin(Data(repeating: 1, count: 32).base64EncodedString())]
            newer.minimumVersion = .tls13
            shown.clientCertificate = ClientCertificate(certificate: folder + "host.pem", key: folder + "host.key")
            keyless.clientCertificate = ClientCertificate(certificate: folder + "host.pem", key: folder + "none.key")
            // The settings, and the failure of an exchange or whether it uses a connection again, in the first round.
            let rows: [(String, TLSSettings, TransportFailure.Code?, Bool?)] = [
                ("the same", good, nil, true), ("unsafe", TLSSettings(unsafelyAcceptsAnyCertificate: true), nil, false),
                ("other authorities", TLSSettings(), .unknownAuthority, nil),
                ("pins", pinned, .mismatchedPin, nil), ("a version", newer, nil, false),
                ("a certificate", shown, nil, false), ("another key of it", keyless, .insecureConnection, nil),
            ]
            for round in 0..<2 {
                for (name, settings, code, isReused) in rows {
                    let transport = ConnectedTransport(connected.base, tls: settings)
                    let exchange = await transport.exchange(origin.appending(path: "small"))
                    #expect(exchange.code == code, "\(name), \(round)")
                    #expect(exchange.timings?.reusedConnection == isReused.map { $0 || round > 0 }, "\(name), \(round)")
                }
            }
        }
    }

    @Test("1.6.8: a host with pinned keys is not asked over http; others are, also where https needs settings")
    func pinsOverHTTP() async throws {
        let server = try RawServer(always: .response(status: 204))
        let pin = try PublicKeyPin(Data(repeating: 1, count: 32).base64EncodedString())
        let pattern = try HostPattern(pattern: "127.0.0.1")
        let (transport, pinned) = (CurlTransport(), [pattern: TLSSettings(pinnedKeys: [pin])])
        let unchecked = TransportFailure(.insecureConnection, "the host has pinned keys, which http cannot check")
        #expect(await failure(server.url(), transport, pinned) == unchecked)
        // No other spelling of the address is another host.
        for host in ["0x7f.0.0.1", "127.1", "2130706433", "0177.0.0.1", "%31%32%37.0.0.1", "127.0.0.1."] {
            let there = try #require(URL(string: "http://\(host):\(server.port)/"))
            #expect(await failure(there, transport, pinned) == unchecked, "\(host)")
        }
        #expect(server.requests.isEmpty)
        for settings in [[pattern: TLSSettings()], [:]] {
            #expect(await failure(server.url(), transport, settings) == nil)
        }
    }

    @Test(
        "libcurl gets the host that the settings were found by, however the URL spells it",
        arguments: [
            ("https://0x7F.1:81/%20?a=%31", "https://127.0.0.1:81/%20?a=%31"),
            ("https://%41.example/", "https://a.example/"), ("https://A.example./", "https://A.example./"),
            ("https://[::1]:81/", "https://[::1]:81/"), ("https://1.2.3.4/", "https://1.2.3.4/"),
            ("https://1.2.3.04/", "https://1.2.3.4/"), ("https://1.2.3.0x4/", "https://1.2.3.4/"),
            ("https://1.2.3/", "https://1.2.0.3/"), ("https://1.2.3.4./", "https://1.2.3.4/"),
            ("https://a:81@b.example:82/", "https://b.example:82/"), ("https://a:@b.example", "https://b.example"),
            ("https://b.example:443?a@c", "https://b.example:443?a@c"),
            ("https://b-1.example#@c", "https://b-1.example#@c"),
            // libidn2 would drop the soft hyphen, too, where the locale lets it.
            ("https://local%C2%ADhost/", "https://localhost/"), ("https://%E1%BA%9E.test/", "https://xn--zca.test/"),
            ("https://b.1.2.3/", "https://b.1.2.3/"), ("https://256.1.1.1/", "https://256.1.1.1/"),
        ])
    func spelledHosts(_ written: String, _ sent: String) throws {
        let url = try #require(URL(string: written))
        let request = try WireRequest(TransportRequest(head: RequestHead(url: url)))
        #expect(request.url.text == sent)
        #expect(URL(string: request.url.text).flatMap { CanonicalHost(url: $0) } == request.url.host)
        // What a call has made of it needs no second look, and comes out the same.
        let target = try RequestTarget(written, base: nil)
        let once = try WireURL(target.url, host: target.host)
        let twice = try WireURL(target.url, host: nil)
        #expect((once.text, once.host, once.isSecure) == (twice.text, twice.host, twice.isSecure))
    }

    // libidn2 drops what joins and hyphenates softly, where the locale lets it, and would ask another host.
    @Test(
        "a host with a character that may not stand there is not asked",
        arguments: ["https://a%E2%80%8Db.example/", "https://me:secret@a%E2%80%8Db.example/"])
    func unmappedHosts(_ written: String) throws {
        let url = try #require(URL(string: written))
        let failure = #expect(throws: TransportFailure.self) {
            try WireRequest(TransportRequest(head: RequestHead(url: url)))
        }
        #expect(failure?.code == .unsupportedRequest)
        #expect(failure?.reason.contains("secret") == false)
    }

    @Test(
        "1.12.9: a client certificate is shown, with a key that may be encrypted",
        .enabled(if: CertificateFolder.isPossible, "\(CertificateFolder.absence)"))
    func clientCertificate() async throws {
        let folder = try await CertificateFolder()
        defer { folder.remove() }
        try await folder.issue("host")
        try await folder.issue("client", for: "DNS:client")
        try await folder.run(["pkey", "-in", "client.key", "-aes128", "-passout", "pass:s3cret", "-out", "locked.key"])
        let options = ["-Verify", "1", "-verify_return_error", "-CAfile", "ca.pem"]
        try await TLSServer.run("host", in: folder, options) { port in
            let here = try url(port)
            for (key, passphrase, code) in [
                ("client.key", nil, nil), ("locked.key", "s3cret", nil), ("locked.key", nil, .insecureConnection),
                ("locked.key", "wrong", .insecureConnection), ("host.key", nil, .insecureConnection),
                ("none.key", nil, .insecureConnection),
            ] as [(String, String?, TransportFailure.Code?)] {
                let own = ClientCertificate(
                    certificate: folder.path("client.pem"), key: folder.path(key), passphrase: passphrase)
                #expect(!"\(own)".contains("s3cret") && !String(reflecting: own).contains("s3cret"))
                let settings = TLSSettings(certificateAuthorities: folder.path("ca.pem"), clientCertificate: own)
                #expect(await transport(settings).exchange(here).code == code, "\(key)")
            }
        }
    }

    @Test(
        "1.12.9: a certificate that one host is shown is not shown to another, in turn on one transport",
        .enabled(if: CertificateFolder.isPossible, "\(CertificateFolder.absence)"))
    func certificatesInTurn() async throws {
        let folder = try await CertificateFolder()
        defer { folder.remove() }
        try await folder.issue("host")
        try await folder.issue("client", for: "DNS:client")
        let own = ClientCertificate(certificate: folder.path("client.pem"), key: folder.path("client.key"))
        let authority = folder.path("ca.pem")
        let wanting = ["-tls1_3", "-Verify", "1", "-verify_return_error", "-CAfile", "ca.pem"]
        try await TLSServer.run("host", in: folder, wanting) { port in
            let settings = [
                try HostPattern(pattern: "127.0.0.1"): TLSSettings(
                    certificateAuthorities: authority, clientCertificate: own),
                try HostPattern(pattern: "localhost"): TLSSettings(unsafelyAcceptsAnyCertificate: true),
            ]
            let transport = CurlTransport()
            for _ in 0..<3 {
                #expect(await failure(try url(port), transport, settings) == nil)
                #expect(
                    await failure(try url(port, "localhost"), transport, settings)?.code == .clientCertificateRequired)
            }
        }
    }

    @Test(
        "1.12.9: what is accepted of one host is not of another, in turn on one transport",
        .enabled(if: CertificateFolder.isPossible, "\(CertificateFolder.absence)"))
    func trustInTurn() async throws {
        let folder = try await CertificateFolder()
        defer { folder.remove() }
        try await folder.issue("host")
        try await folder.issue("other", by: nil)
        try await TLSServer.run("host", in: folder) { port in
            let settings = [
                try HostPattern(pattern: "127.0.0.1"): TLSSettings(unsafelyAcceptsAnyCertificate: true),
                try HostPattern(pattern: "localhost"): TLSSettings(certificateAuthorities: folder.path("other.pem")),
            ]
            let transport = CurlTransport()
            for _ in 0..<3 {
                #expect(await failure(try url(port), transport, settings) == nil)
                #expect(await failure(try url(port, "localhost"), transport, settings) == Self.unknown)
            }
        }
    }

    @Test(
        "1.12.9: a pin that is none is refused when it is made",
        arguments: [
            ("", "the pin \"\" is of 0 bytes, and a SHA-256 digest of 32"),
            ("sha256/AAAA", "the pin \"sha256/AAAA\" is of 3 bytes, and a SHA-256 digest of 32"),
            ("sha256//not base64", "the pin \"sha256//not base64\" is not base64"),
            ("sha1/2jmj7l5rSw0yVb/vlWAYkK/YBwk=", "the pin \"sha1/2jmj7l5rSw0yVb/vlWAYkK/YBwk=\" is not base64"),
        ])
    func refusedPins(_ pin: String, _ reason: String) {
        let failure = #expect(throws: FormatFailure.self) { try PublicKeyPin(pin) }
        #expect(failure?.format == "pin")
        #expect(failure?.code == .malformed)
        #expect(failure?.reason == reason)
    }

    @Test("1.12.9: a pin has one spelling, whatever is in front of it")
    func spellings() throws {
        let digest = Data(repeating: 0xFB, count: 32).base64EncodedString()
        let pins = try ["", "sha256/", "sha256//"].map { try PublicKeyPin($0 + digest) }
        #expect(Set(pins).count == 1)
        #expect(pins.first.map { "\($0)" } == "sha256//" + digest)
    }

    @Test("Authorities that cannot be read are a failure of their own")
    func noAuthorities() async throws {
        let server = try RawServer(onConnect: RawReply([.hang]))
        let here = try url(Int(server.port))
        let exchange = await transport(TLSSettings(certificateAuthorities: "/does/not/exist.pem")).exchange(here)
        #expect(
            exchange.result.failure
                == TransportFailure(
                    .insecureConnection,
                    "the file /does/not/exist.pem of TLSSettings.certificateAuthorities cannot be read: No such file or directory"
                ))
    }
}
