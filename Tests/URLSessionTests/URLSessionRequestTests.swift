import Foundation
import Patchbay
import PatchbayCurl
import PatchbayManager
import PatchbayRegistry
import PatchbayURLSession
import TestSupport
import Testing

/// What goes over the wire, and what is refused before it does.
@Suite(.timeLimit(.minutes(5)))
struct URLSessionRequestTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        var method = "GET"
        var fields: HeaderFields = [:]
        var body: String?
        var sink = TransportRequest.Sink.memory(limit: nil)
        var isSuspendable = false
        /// The fields beside those that frame the message, as `name: value`, sorted.
        let expected: [String]
        var testDescription: String { name }
    }

    static let cases = [
        Case(name: "a bare GET", expected: []),
        Case(
            name: "fields as they are", fields: ["Accept": "a/b", "X-Empty": "", "User-Agent": "me"],
            expected: ["Accept: a/b", "User-Agent: me", "X-Empty: "]),
        Case(
            name: "repeated fields are joined", fields: ["X-A": "1", "x-a": "2"], expected: ["X-A: 1, 2"]),
        Case(name: "a POST without a type", method: "POST", body: "a=b", expected: ["Content-Length: 3"]),
        Case(
            name: "a PUT with a type", method: "PUT", fields: ["Content-Type": "text/plain"], body: "héllo",
            expected: ["Content-Length: 6", "Content-Type: text/plain"]),
        Case(name: "a PATCH of nothing", method: "PATCH", body: "", expected: ["Content-Length: 0"]),
        Case(name: "a DELETE", method: "DELETE", expected: ["Content-Length: 0"]),
        Case(name: "a HEAD", method: "HEAD", expected: []),
        Case(name: "a method nobody knows", method: "BREW", expected: ["Content-Length: 0"]),
        Case(name: "one of a task that can be suspended", isSuspendable: true, expected: ["Accept-Encoding: identity"]),
        Case(name: "a stream", sink: .stream, expected: ["Accept-Encoding: identity"]),
        Case(name: "a file", sink: .file, expected: []),
        Case(
            name: "a file of a task that can be suspended", sink: .file, isSuspendable: true,
            expected: ["Accept-Encoding: identity"]),
    ]

    @Test(arguments: cases) func sends(_ item: Case) async throws {
        let server = try RawServer(always: .response())
        var request = TransportRequest(
            head: RequestHead(method: item.method, url: server.url("/a?b=c"), fields: item.fields),
            body: item.body.map { .data(Data($0.utf8)) })
        (request.sink, request.isSuspendable) = (item.sink, item.isSuspendable)
        let recorder = Recorder()
        _ = try await URLSessionTransport().perform(request, for: recorder)

        let sent = try #require(server.requests.first)
        #expect(sent.method == item.method)
        #expect(sent.target == "/a?b=c")
        #expect(sent.text == item.body ?? "")
        #expect(recorder.record.sent == item.body?.utf8.count ?? 0)
        let framing =
            ["host", "connection"] + (item.expected == ["Accept-Encoding: identity"] ? [] : ["accept-encoding"])
        let fields = sent.fields.filter { !framing.contains($0.name.lowercased()) }.map { "\($0.name): \($0.value)" }
        #expect(fields.sorted() == item.expected)
    }

    /// The end of the sentences about what libcurl can do.
    private static let other = "; CurlTransport of PatchbayCurl can, on Linux and macOS"

    @Test func refusesAValueThatIsNotUTF8() async throws {
        let server = try RawServer(always: .response())
        var head = RequestHead(url: server.url(), fields: ["X-A": "é"])
        head.fields.set(FieldText(octets: [0x61, 0x3D, 0xE9]), for: "Cookie")
        let refused = TransportFailure(
            .unsupportedRequest,
            "URLSession cannot send the value of header field Cookie, which is not UTF-8" + Self.other)
        await #expect(throws: refused) {
            try await URLSessionTransport().perform(TransportRequest(head: head), for: Recorder())
        }
        #expect(server.requests.isEmpty)
    }

    @Test func makesNoCredentialsOfTheURL() async throws {
        let server = try RawServer(always: .response())
        let url = try #require(URL(string: "http://user:secret@127.0.0.1:\(server.port)/a?b=%20"))
        _ = try await URLSessionTransport().perform(TransportRequest(head: RequestHead(url: url)), for: Recorder())
        let sent = try #require(server.requests.first)
        #expect(sent.target == "/a?b=%20")
        #expect(sent.fields["Authorization"] == nil)
    }

    @Test func showsNothingOfARequestThatItSent() async throws {
        let server = try RawServer(always: .response())
        let transport = URLSessionTransport()
        let head = RequestHead(url: server.url("/?key=hush"), fields: ["Authorization": "hush"])
        _ = try await transport.perform(TransportRequest(head: head), for: Recorder())
        var dumped = ""
        dump(transport, to: &dumped)
        #expect(dumped == "- transport on URLSession #0\n")
    }

    @Test func keepsNoCookies() async throws {
        let server = try RawServer(always: .response(["Set-Cookie": "a=b"]))
        let transport = URLSessionTransport()
        for _ in 1...2 {
            let request = TransportRequest(head: RequestHead(url: server.url()))
            _ = try await transport.perform(request, for: Recorder())
        }
        #expect(server.requests.map { $0.fields["Cookie"] } == [nil, nil])
    }

    @Test func usesAConnectionAgain() async throws {
        let server = try RawServer(always: .response(body: "ok"))
        let transport = URLSessionTransport()
        for _ in 1...5 {
            let request = TransportRequest(head: RequestHead(url: server.url()))
            _ = try await transport.perform(request, for: Recorder())
        }
        #expect(server.connections == 1)
    }

    /// Foundation would send the request again with its length and without its body, and wait for ever.
    @Test func endsWhenTheConnectionClosesUnderABody() async throws {
        let server = try RawServer { request in
            request.target == "/first" ? .response(body: "ok") : RawReply([.close])
        }
        let transport = URLSessionTransport()
        let first = TransportRequest(
            head: RequestHead(method: "POST", url: server.url("/first")), body: .data(Data("a".utf8)))
        _ = try await transport.perform(first, for: Recorder())
        let second = TransportRequest(
            head: RequestHead(method: "POST", url: server.url("/second")), body: .data(Data("a".utf8)))
        let lost = TransportFailure(.lostConnection, "the connection was lost while the request was being sent")
        await #expect(throws: lost) { try await transport.perform(second, for: Recorder()) }
    }

    struct Refusal: Sendable, CustomTestStringConvertible {
        let name: String
        var url = "http://127.0.0.1:1/"
        var method = "GET"
        var fields: HeaderFields = [:]
        var body: String?
        let reason: String
        var testDescription: String { name }
    }

    static let refusals = [
        Refusal(
            name: "GET with a body", body: "a", reason: "URLSession cannot send a body with a GET request" + other),
        Refusal(name: "HEAD with a body", method: "HEAD", body: "a", reason: "a HEAD request cannot have a body"),
        Refusal(
            name: "a file", url: "file:///etc/hostname",
            reason: "URLSession carries only http and https URLs with a host"),
        Refusal(name: "no host", url: "http:/x", reason: "URLSession carries only http and https URLs with a host"),
        Refusal(
            name: "CR LF in the method", method: "GET / HTTP/1.1\r\nX: ",
            reason: "the method is not one that can be sent"),
        Refusal(
            name: "CR LF in a value", fields: ["X": "a\r\nY: b"],
            reason: "a header field has a character that cannot be sent"),
        Refusal(
            name: "NUL in a value", fields: ["X": "a\0b"], reason: "a header field has a character that cannot be sent"),
        Refusal(
            name: "a colon in a name", fields: ["X: y": "z"],
            reason: "a header field has a character that cannot be sent"),
    ]

    @Test(arguments: refusals) func refusesToSend(_ item: Refusal) async throws {
        let head = RequestHead(method: item.method, url: try #require(URL(string: item.url)), fields: item.fields)
        let request = TransportRequest(head: head, body: item.body.map { .data(Data($0.utf8)) })
        await #expect(throws: TransportFailure(.unsupportedRequest, item.reason)) {
            try await URLSessionTransport().perform(request, for: Recorder())
        }
    }

    /// A setting that is refused, and the reason.
    struct Setting: Sendable, CustomTestStringConvertible {
        let name: String
        let reason: String
        let change: @Sendable (inout ConnectionSettings) throws -> Void
        var testDescription: String { name }

        init(
            _ name: String, _ reason: String, _ change: @escaping @Sendable (inout ConnectionSettings) throws -> Void
        ) {
            (self.name, self.reason, self.change) = (name, reason, change)
        }
    }

    private static let authorities = "it trusts the authorities of the system, and no others"
    private static let ages = "it decides how long it keeps connections"
    private static let versions = "it has the versions of the system"

    static let settings = [
        Setting("tls = nil", "it has no setting that refuses https") { $0.tls = nil },
        Setting("tls.certificateAuthorities", authorities) { $0.tls?.certificateAuthorities = "ca.pem" },
        Setting("tls.certificateAuthorityData", authorities) { $0.tls?.certificateAuthorityData = Data() },
        Setting("tls.keepsSystemAuthorities", authorities) { $0.tls?.keepsSystemAuthorities = true },
        Setting("tls.clientCertificate", "it sends no certificate of a file") {
            $0.tls?.clientCertificate = ClientCertificate(certificate: "a.pem", key: "a.key")
        },
        Setting("tls.pinnedKeys", "it compares no keys") {
            $0.tls?.pinnedKeys = [try PublicKeyPin(Data(repeating: 1, count: 32).base64EncodedString())]
        },
        Setting("tls.maximumVersion", versions) { $0.tls?.maximumVersion = .tls12 },
        Setting("tls.minimumVersion", versions) { $0.tls?.minimumVersion = .tls13 },
        Setting("tls.unsafelyAcceptsAnyCertificate", "it checks every certificate") {
            $0.tls?.unsafelyAcceptsAnyCertificate = true
        },
        Setting("tls.acceptsMissingCloseNotify", "it decides when a body is complete") {
            $0.tls?.acceptsMissingCloseNotify = true
        },
        Setting("proxy", "it takes the proxy that the system names") { $0.proxy = .none },
        Setting("proxy", "it takes the proxy that the system names") {
            $0.proxy = try ProxySettings("http://127.0.0.1:1")
        },
        Setting("unixSocket", "it connects to no Unix socket") { $0.unixSocket = "/tmp/s" },
        Setting("address", "it connects to the host of the URL") { $0.address = "127.0.0.1" },
        Setting("ipVersion", "it chooses between IPv4 and IPv6") { $0.ipVersion = .v4 },
        Setting("http", "it chooses the version of HTTP") { $0.http = .http1 },
        Setting("maximumConnectionAge", ages) { $0.maximumConnectionAge = .seconds(1) },
        Setting("idleConnectionAge", ages) { $0.idleConnectionAge = .seconds(1) },
        Setting(
            "connectionsPerHost",
            "it has one limit for all hosts, which URLSessionTransport(maximumConnectionsPerHost:) sets"
        ) { $0.connectionsPerHost = 1 },
    ]

    @Test(
        "1.12.9: a connection setting that URLSession cannot apply fails the call before it is sent, and is named",
        arguments: settings, [true, false])
    func refusesSettings(_ setting: Setting, forOneHost: Bool) async throws {
        let server = try RawServer(always: .response(status: 204))
        var configuration = SessionConfiguration()
        var connection = ConnectionSettings()
        try setting.change(&connection)
        if forOneHost {
            configuration.connectionByHost["127.0.0.1"] = connection
        } else {
            configuration.connection = connection
        }
        let manager = SessionManager(
            registry: .standard, transport: URLSessionTransport(), configuration: configuration)
        let error = await #expect(throws: SessionError.self) { try await manager.send(server.url().absoluteString) }
        let reason = "URLSession cannot apply ConnectionSettings.\(setting.name) to a host, because \(setting.reason)"
        #expect(error?.cause as? TransportFailure == TransportFailure(.unsupportedRequest, reason + Self.other))
        #expect(server.requests.isEmpty)
    }

    @Test("CurlTransport takes what URLSession refuses of a request")
    func libcurlCan() async throws {
        let server = try RawServer(always: .response(status: 204))
        var head = RequestHead(method: "GET", url: server.url())
        head.fields.set(FieldText(octets: [0x61, 0x3D, 0xE9]), for: "Cookie")
        let request = TransportRequest(head: head, body: .data(Data("a".utf8)))
        _ = try await CurlTransport().perform(request, for: Recorder())
        #expect(server.requests.map(\.text) == ["a"])
    }

    @Test("fields behind a body fail the call before it is sent")
    func refusesTrailers() async throws {
        let server = try RawServer(always: .response(status: 204))
        let manager = SessionManager(registry: .standard, transport: URLSessionTransport())
        let content = RequestContent.data(Data("a".utf8)).trailers("X-Sum") { ["X-Sum": "1"] }
        let request = SessionRequest(server.url().absoluteString, method: "POST", content: content)
        let error = await #expect(throws: SessionError.self) { try await manager.send(request) }
        #expect(
            error?.cause as? TransportFailure
                == TransportFailure(.unsupportedRequest, "URLSession cannot send trailer fields" + Self.other))
        #expect(server.requests.isEmpty)
    }
}
