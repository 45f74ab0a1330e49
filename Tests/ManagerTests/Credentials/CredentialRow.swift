import PatchbayRegistry
import PatchbayTesting
import Testing

@testable import PatchbayManager

/// One manager and one URL, and whether the manager's credentials go there.
struct CredentialRow: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let base: String?
    let hosts: [String]
    let target: String
    let isSent: Bool

    init(_ name: String, _ base: String?, _ hosts: [String], _ target: String, _ isSent: Bool) {
        (testDescription, self.base, self.hosts, self.target, self.isSent) = (name, base, hosts, target, isSent)
    }

    init(_ name: String, _ base: String?, _ target: String, _ isSent: Bool) {
        self.init(name, base, [], target, isSent)
    }

    private static let plain = "http://origin.test/api"
    private static let secure = "https://origin.test/api"

    /// Of managers with a base URL, with hosts, or with both.
    static let bounded = origins + named + spelled + loopback

    private static let origins = [
        CredentialRow("a relative target", plain, "x", true),
        CredentialRow("a query that is encoded", plain, "x?a=%20", true),
        CredentialRow("the base itself", plain, "", true),
        CredentialRow("the URL of the origin", plain, "http://origin.test/x", true),
        CredentialRow("the origin in other letters, with its port", plain, "HTTP://ORIGIN.test:80/x", true),
        CredentialRow("the origin with a dot at its end", plain, "http://origin.test./x", true),
        CredentialRow("a base in other letters", "HTTPS://Origin.TEST:443", "https://origin.test/x", true),
        CredentialRow("a base with a user", "http://ada:pw@origin.test/", "http://origin.test/x", true),
        CredentialRow("another scheme", plain, "https://origin.test/x", false),
        CredentialRow("another scheme on one port", "https://origin.test:81", "http://origin.test:81/x", false),
        CredentialRow("another port", plain, "http://origin.test:81/x", false),
        CredentialRow("another host", plain, "http://other.test/x", false),
        CredentialRow("another host, https", secure, "https://other.test/x", false),
        CredentialRow("a reference with a host", plain, "//other.test/x", false),
        CredentialRow("a subdomain", plain, "http://sub.origin.test/x", false),
        CredentialRow("a host that begins alike", plain, "http://origin.test.other.test/x", false),
        CredentialRow("a host that ends alike", plain, "http://aorigin.test/x", false),
        CredentialRow("a base without a host", "localhost:8090", "http://other.test/x", false),
    ]

    private static let named = [
        CredentialRow("a host of the list", secure, ["cdn.test"], "https://cdn.test/x", true),
        CredentialRow("a host of the list on any port", secure, ["cdn.test"], "https://cdn.test:444/x", true),
        CredentialRow("a host that is not in it", secure, ["cdn.test"], "https://other.test/x", false),
        CredentialRow("the base beside the list", secure, ["cdn.test"], "x", true),
        CredentialRow("a list without a base", nil, ["cdn.test"], "https://cdn.test/x", true),
        CredentialRow("another host than that of the list", nil, ["cdn.test"], "https://other.test/x", false),
        CredentialRow("a host of the list over http", secure, ["cdn.test"], "http://cdn.test/x", false),
        CredentialRow("a host over http without a base", nil, ["cdn.test"], "http://cdn.test/x", false),
        CredentialRow("the base's own host, named, over http", secure, ["origin.test"], "http://origin.test/x", false),
        CredentialRow("a host over http where the base is http", plain, ["cdn.test"], "http://cdn.test/x", true),
        CredentialRow("a host over https where the base is http", plain, ["cdn.test"], "https://cdn.test/x", true),
        CredentialRow("a pattern with a port", nil, ["cdn.test:444"], "https://cdn.test:444/x", true),
        CredentialRow("a pattern with another port", nil, ["cdn.test:444"], "https://cdn.test/x", false),
        CredentialRow("a subdomain of a pattern", nil, ["*.cdn.test"], "https://a.b.cdn.test/x", true),
        CredentialRow("no subdomain of a pattern", nil, ["*.cdn.test"], "https://cdn.test/x", false),
        CredentialRow("a host that ends like a pattern", nil, ["*.cdn.test"], "https://acdn.test/x", false),
        CredentialRow("the second of two", nil, ["a.test", "b.test"], "https://b.test/x", true),
    ]

    private static let spelled =
        [
            CredentialRow("a host in large letters", nil, ["cdn.test"], "https://CDN.Test./x", true),
            CredentialRow("a host beyond ASCII", nil, ["xn--bcher-kva.test"], "https://b\u{FC}cher.test/x", true),
            CredentialRow("a host that is encoded", nil, ["xn--bcher-kva.test"], "https://B%C3%BCcher.test/x", true),
            CredentialRow("an address", nil, ["[2001:db8::1]"], "https://[2001:DB8:0:0::1]/x", true),
            CredentialRow("another address", nil, ["[2001:db8::1]"], "https://[2001:db8::2]/x", false),
        ] + otherSpellings

    /// Connection settings and sections match these; credentials stay with the spelling that names them.
    private static let otherSpellings =
        ["3221225985", "0xC0.0x00.2.1", "192.0.513", "0300.0.2.1", "[::ffff:192.0.2.1]", "[::ffff:c000:201]"].flatMap {
            [
                CredentialRow("\($0) for an address of the list", nil, ["192.0.2.1"], "https://\($0)/x", false),
                CredentialRow("\($0) for the address of the base", "https://192.0.2.1/", "https://\($0)/x", false),
                CredentialRow("the address for \($0) of the list", nil, [$0], "https://192.0.2.1/x", false),
            ]
        } + [
            CredentialRow("a spelling that the list has", nil, ["3221225985"], "https://3221225985/x", true),
            CredentialRow("the address with a zone", nil, ["[fe80::1]"], "https://[fe80::1%25lo]/x", false),
        ]

    private static let loopback = [
        CredentialRow("localhost", nil, ["localhost"], "http://LOCALHOST:8080/x", true),
        CredentialRow("below localhost", nil, ["*.localhost"], "http://app.localhost/x", true),
        CredentialRow("127.0.0.1", nil, ["127.0.0.1"], "http://127.0.0.1:8080/x", true),
        CredentialRow("127.255.0.9", nil, ["127.255.0.9"], "http://127.255.0.9/x", true),
        CredentialRow("::1", nil, ["[::1]"], "http://[0:0::1]:8080/x", true),
        CredentialRow("loopback beside a base of https", secure, ["127.0.0.1"], "http://127.0.0.1/x", true),
        CredentialRow("loopback that is not named", secure, ["cdn.test"], "http://127.0.0.1/x", false),
        CredentialRow("127.1 over http", nil, ["127.1"], "http://127.1/x", false),
        CredentialRow("a number over http", nil, ["2130706433"], "http://2130706433/x", false),
        CredentialRow("127.0.0.1 in IPv6 over http", nil, ["[::ffff:127.0.0.1]"], "http://[::ffff:127.0.0.1]/x", false),
        CredentialRow("an address of the network", nil, ["10.0.0.1"], "http://10.0.0.1/x", false),
        CredentialRow("a name that begins with 127", nil, ["*.evil.test"], "http://127.0.0.1.evil.test/x", false),
        CredentialRow("a name of four labels", nil, ["127.0.0.x1"], "http://127.0.0.x1/x", false),
        CredentialRow("a name that ends in localhost", nil, ["alocalhost"], "http://alocalhost/x", false),
        CredentialRow("a name that begins with localhost", nil, ["localhost.test"], "http://localhost.test/x", false),
        CredentialRow("another address of IPv6", nil, ["[::2]"], "http://[::2]/x", false),
    ]

    /// Of managers that have neither.
    static let unbounded = [
        CredentialRow("https", nil, "https://other.test/x", true),
        CredentialRow("http", nil, "http://other.test/x", true),
        CredentialRow("an address", nil, "http://127.0.0.1:81/x", true),
    ]

    /// The manager of the row, with what a test adds to its configuration.
    func manager(
        _ reply: @escaping @Sendable (TransportRequest) -> StubReply = { _ in .json("1") },
        _ configure: (inout SessionConfiguration) throws -> Void
    ) throws -> (SessionManager, StubTransport) {
        var configuration = SessionConfiguration()
        configuration.credentialHosts = try hosts.map { try HostPattern(pattern: $0) }
        try configure(&configuration)
        return try stubManager(base: base, configuration: configuration) { reply($0) }
    }
}
