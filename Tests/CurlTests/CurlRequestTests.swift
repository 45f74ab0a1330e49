import Patchbay
import PatchbayCurl
import PatchbayManager
import PatchbayMigration
import PatchbayRegistry
import TestSupport
import Testing

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

@Suite("CurlTransport sends requests", .timeLimit(.minutes(5)))
struct CurlRequestTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var method = "GET"
        var fields: HeaderFields = [:]
        var body: [UInt8]?
        /// The head as it goes over the wire, without `Host`.
        let head: [String]
    }

    static let codings = "Accept-Encoding: gzip, deflate, br, zstd"

    static let cases = [
        Case(testDescription: "plain GET", head: ["GET /a?b=c HTTP/1.1", codings]),
        Case(
            testDescription: "fields exactly as given", fields: ["X-One": "1", "x-one": "2", "Accept": "a/b"],
            head: ["GET /a?b=c HTTP/1.1", codings, "X-One: 1", "x-one: 2", "Accept: a/b"]),
        Case(
            testDescription: "empty and blank values", fields: ["X-Empty": "", "X-Blank": "  "],
            head: ["GET /a?b=c HTTP/1.1", codings, "X-Empty:", "X-Blank:"]),
        Case(
            testDescription: "own Accept-Encoding", fields: ["Accept-Encoding": "gzip"],
            head: ["GET /a?b=c HTTP/1.1", "Accept-Encoding: gzip"]),
        Case(testDescription: "HEAD", method: "HEAD", head: ["HEAD /a?b=c HTTP/1.1", codings]),
        Case(testDescription: "DELETE without a body", method: "DELETE", head: ["DELETE /a?b=c HTTP/1.1", codings]),
        Case(
            testDescription: "POST without a body", method: "POST",
            head: ["POST /a?b=c HTTP/1.1", codings, "Content-Length: 0"]),
        Case(
            testDescription: "PUT with a body", method: "PUT", fields: ["Content-Type": "text/plain"],
            body: Array("hello".utf8),
            head: ["PUT /a?b=c HTTP/1.1", codings, "Content-Type: text/plain", "Content-Length: 5"]),
        Case(
            testDescription: "GET with a body", body: Array("q".utf8),
            head: ["GET /a?b=c HTTP/1.1", codings, "Content-Length: 1"]),
        Case(
            testDescription: "a method of one's own", method: "PURGE", head: ["PURGE /a?b=c HTTP/1.1", codings]),
        Case(
            testDescription: "a large body, without Expect", method: "POST",
            body: Array(repeating: 0x61, count: 3 << 20),
            head: ["POST /a?b=c HTTP/1.1", codings, "Content-Length: 3145728"]),
    ]

    @Test("The request goes over the wire as it is", arguments: cases)
    func wire(_ expected: Case) async throws {
        let server = try RawServer(always: .response(body: ""))
        let exchange = await CurlTransport().exchange(
            server.url("/a?b=c"), method: expected.method, fields: expected.fields, body: expected.body)
        #expect(exchange.code == nil)
        let request = try #require(server.requests.first)
        let lines = String(decoding: request.rawHead, as: UTF8.self).split(separator: "\r\n").map(String.init)
        #expect(lines.first == expected.head.first)
        #expect(Set(lines) == Set(expected.head + ["Host: 127.0.0.1:\(server.port)"]))
        #expect(lines.count == expected.head.count + 1)
        #expect(request.body == expected.body ?? [])
        #expect(exchange.record.counts.sent == expected.body?.count ?? 0)
    }

    @Test(
        "A stream asks for the fields behind its body, unless it has one of the two fields itself, and keeps its connection"
    )
    func trailersWanted() async throws {
        let rows: [(name: String, fields: HeaderFields, lines: [String])] = [
            ("none of its own", [:], ["TE: trailers", "Connection: TE"]),
            ("TE", ["te": "deflate"], ["te: deflate"]),
            ("Connection", ["Connection": "X-One"], ["Connection: X-One"]),
            ("both", ["TE": "gzip", "Connection": "TE"], ["TE: gzip", "Connection: TE"]),
        ]
        let server = try RawServer(always: .response(["Content-Type": "text/plain"], body: "1"))
        let manager = SessionManager(baseURL: server.url(), registry: .standard, transport: CurlTransport())
        for (name, fields, expected) in rows {
            var request = SessionRequest("a")
            request.headers = ["Accept": "a/b", "User-Agent": "me"]
            for field in fields { request.headers[field.name] = field.value }
            for try await line in try await manager.stream(request, of: String.self) { #expect(line == "1") }
            let sent = try #require(server.requests.last)
            let lines = String(decoding: sent.rawHead, as: UTF8.self).split(separator: "\r\n").map(String.init)
                .filter { !$0.hasPrefix("Accept-Encoding:") }
            #expect(
                Set(lines)
                    == Set(
                        expected + [
                            "GET /a HTTP/1.1", "Host: 127.0.0.1:\(server.port)", "Accept: a/b",
                            "User-Agent: me",
                        ]), "\(name)")
            #expect(lines.count == expected.count + 4, "\(name)")
        }
        // What is no stream, and cannot go over HTTP/2, is as it was.
        var plain = SessionRequest("a")
        plain.isPausable = true
        _ = try await manager.send(plain)
        let last = try #require(server.requests.last)
        #expect(last.fields["TE"] == nil)
        #expect(last.fields["Connection"] == nil)
        #expect(server.connections == 1)
    }

    @Test("A user name in the URL makes no credentials, and dot segments stay")
    func urls() async throws {
        let server = try RawServer(always: .response(body: "x"))
        let transport = CurlTransport()
        let plain = server.url("/a/../b/./c").absoluteString
        let secret = try #require(URL(string: plain.replacing("//", with: "//user:secret@", maxReplacements: 1)))
        let exchange = await transport.exchange(secret)
        #expect(exchange.record.text == "x")
        let request = try #require(server.requests.first)
        #expect(request.target == "/a/../b/./c")
        #expect(request.fields["Authorization"] == nil)
    }

    struct Refusal: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var url = "http://127.0.0.1:1/"
        var method = "GET"
        var fields: HeaderFields = [:]
        var body: [UInt8]?
        let reason: String
    }

    static let refusals = [
        Refusal(testDescription: "ftp", url: "ftp://127.0.0.1/", reason: "only http and https URLs can be requested"),
        Refusal(
            testDescription: "a name in brackets", url: "http://[127.0.0.1]/",
            reason: "the URL has no host or port that can be asked"),
        Refusal(
            testDescription: "a port that is none", url: "http://127.0.0.1:65536/",
            reason: "the URL has no host or port that can be asked"),
        Refusal(testDescription: "file", url: "file:///etc/hosts", reason: "only http and https URLs can be requested"),
        Refusal(
            testDescription: "CR LF in the method", method: "GET / HTTP/1.1\r\nX: ",
            reason: "the method is not one that can be sent"),
        Refusal(testDescription: "CONNECT", method: "CONNECT", reason: "the method is not one that can be sent"),
        Refusal(
            testDescription: "CR LF in a value", fields: ["X": "a\r\nY: b"],
            reason: "a header field has a character that cannot be sent"),
        Refusal(
            testDescription: "NUL in a value", fields: ["X": "a\0b"],
            reason: "a header field has a character that cannot be sent"),
        Refusal(
            testDescription: "colon in a name", fields: ["X: y": "z"],
            reason: "a header field has a character that cannot be sent"),
        Refusal(
            testDescription: "empty name", fields: ["": "z"],
            reason: "a header field has a character that cannot be sent"),
        Refusal(
            testDescription: "own Transfer-Encoding", fields: ["transfer-encoding": "chunked"],
            reason: "Transfer-Encoding is for the transport to choose"),
        Refusal(
            testDescription: "wrong Content-Length", fields: ["Content-Length": "3"], body: [1],
            reason: "Content-Length is not the length of the body"),
        Refusal(
            testDescription: "a field of 1 MiB", fields: ["X": String(repeating: "a", count: 1 << 20)],
            reason: "the URL and the header fields have more bytes than the 1 MiB that libcurl sends"),
        Refusal(
            testDescription: "a URL of 1 MiB", url: "http://127.0.0.1:1/" + String(repeating: "a", count: 1 << 20),
            reason: "the URL and the header fields have more bytes than the 1 MiB that libcurl sends"),
        Refusal(
            testDescription: "HEAD with a body", method: "HEAD", body: [1], reason: "a HEAD request cannot have a body"),
    ]

    @Test("What cannot be sent is refused before anything is sent", arguments: refusals)
    func refuses(_ refusal: Refusal) async throws {
        let url = try #require(URL(string: refusal.url))
        let exchange = await CurlTransport().exchange(
            url, method: refusal.method, fields: refusal.fields, body: refusal.body)
        #expect(exchange.result == .failure(TransportFailure(.unsupportedRequest, refusal.reason)))
    }

    @Test("A status line of HTTP/2 that was never agreed on hides no length")
    func falseVersion() async throws {
        let server = try RawServer(always: .raw("HTTP/2 200 OK\r\nContent-Length: 2\r\n\r\nabcdef"))
        let exchange = await CurlTransport().exchange(server.url("/"))
        // libcurl 8 refuses the response.
        #expect(exchange.record.text == "ab" || exchange.code == .malformedResponse, "\(exchange.result)")
    }

    /// In a child process, because Foundation ends it where it is handed such a host.
    @Test("A host that no URL can be written with is refused")
    func unwritableHost() async {
        await #expect(processExitsWith: .success) {
            for host in ["a%7Bb", "a%22b", "a%60b", "u@a%7Db"] {
                let url = try #require(URL(string: "http://\(host)/"))
                let refused = TransportFailure(
                    .unsupportedRequest, "the host of the URL has a character that no host has")
                #expect(await CurlTransport().exchange(url).result.failure == refused, "\(host)")
            }
        }
    }
}
