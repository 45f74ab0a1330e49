import PatchbayManager
import PatchbayRegistry
import TestSupport
import Testing

@testable import PatchbayCurl

/// What comes over the wire, and what is made of it: a value or a typed failure, never a trap.
@Suite("CurlTransport reads responses", .timeLimit(.minutes(5)))
struct CurlResponseTests {
    enum Outcome: Sendable, Equatable {
        case value(Int, String)
        case failure(TransportFailure.Code)
    }

    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var method = "GET"
        let reply: RawReply
        let outcome: Outcome
        /// The fields of the head, where they matter.
        var fields: HeaderFields?
        /// What a later libcurl makes of it, where that differs.
        var later: Outcome?

        init(
            _ name: String, _ raw: String, _ outcome: Outcome, method: String = "GET", fields: HeaderFields? = nil
        ) {
            self.init(name, .raw(raw), outcome, method: method, fields: fields)
        }

        init(
            _ name: String, _ reply: RawReply, _ outcome: Outcome, method: String = "GET",
            fields: HeaderFields? = nil
        ) {
            testDescription = name
            (self.reply, self.outcome, self.method, self.fields) = (reply, outcome, method, fields)
        }
    }

    private static let ok = "HTTP/1.1 200 OK\r\n"

    static let values = [
        Case("a length", ok + "Content-Length: 3\r\n\r\nabc", .value(200, "abc")),
        Case("chunks", ok + "Transfer-Encoding: Chunked\r\n\r\n2;x=y\r\nab\r\n1\r\nc\r\n0\r\n\r\n", .value(200, "abc")),
        Case("no chunk but the last", ok + "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n", .value(200, "")),
        Case(
            "a trailer is left out",
            ok + "Trailer: X-T\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nbody\r\n0\r\nX-T: 1\r\n\r\n",
            .value(200, "body"), fields: ["Trailer": "X-T", "Transfer-Encoding": "chunked"]),
        Case("until the end", ok + "\r\nabc", .value(200, "abc")),
        Case("HTTP/1.0", "HTTP/1.0 200 OK\r\n\r\nold", .value(200, "old")),
        Case("lines that end with LF", "HTTP/1.1 200 OK\nContent-Length: 2\n\nok", .value(200, "ok")),
        Case(
            "no space after the colon", ok + "Content-Type:application/json\r\nContent-Length:2\r\n\r\n[]",
            .value(200, "[]"), fields: ["Content-Type": "application/json", "Content-Length": "2"]),
        Case("no reason and no space", "HTTP/1.1 404\r\nContent-Length: 2\r\n\r\nno", .value(404, "no")),
        Case("a status beyond the classes", "HTTP/1.1 999 ?\r\nContent-Length: 1\r\n\r\nx", .value(999, "x")),
        Case(
            "a field that is not UTF-8",
            .raw(
                Array("HTTP/1.1 200 OK\r\nX-Name: na".utf8) + [0xEF, 0x76, 0x65]
                    + Array("\r\nContent-Length: 1\r\n\r\nx".utf8)),
            .value(200, "x"), fields: ["X-Name": "na\u{EF}ve", "Content-Length": "1"]),
        Case(
            "a field that is UTF-8", ok + "X-Name: na\u{EF}ve\r\nContent-Length: 1\r\n\r\nx",
            .value(200, "x"), fields: ["X-Name": "na\u{EF}ve", "Content-Length": "1"]),
        Case(
            "a value of blanks, and blanks around one", ok + "X-B:  \t \r\nX-C: \t a b \t\r\nContent-Length: 0\r\n\r\n",
            .value(200, ""), fields: ["X-B": "", "X-C": "a b", "Content-Length": "0"]),
        Case(
            "a folded value", ok + "X-F: one\r\n  two\r\n\tthree\r\nContent-Length: 0\r\n\r\n", .value(200, ""),
            fields: ["X-F": "one two three", "Content-Length": "0"]),
        Case(
            "interim responses are left out",
            "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </s>\r\n\r\n" + ok
                + "X-A: 1\r\nContent-Length: 2\r\n\r\n{}",
            .value(200, "{}"), fields: ["X-A": "1", "Content-Length": "2"]),
        Case(
            "a challenge",
            "HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Basic realm=\"r\"\r\nContent-Length: 4\r\n\r\nnope",
            .value(401, "nope")),
        Case("a redirect to nowhere", "HTTP/1.1 301 Moved\r\nContent-Length: 4\r\n\r\nlost", .value(301, "lost")),
        Case(
            "a redirect to an IPv6 literal without a scheme",
            "HTTP/1.1 307 Temporary\r\nLocation: //[::1]:2/y\r\nContent-Length: 0\r\n\r\n", .value(307, ""),
            fields: ["Location": "//[::1]:2/y", "Content-Length": "0"]),
        Case(
            "a field twice, in two spellings",
            ok + "Content-Type: text/csv\r\ncontent-type: text/plain\r\nContent-Length: 1\r\n\r\nx", .value(200, "x"),
            fields: ["Content-Type": "text/csv", "content-type": "text/plain", "Content-Length": "1"]),
        Case(
            "a field twice", ok + "Content-Type: text/csv\r\nContent-Type: text/plain\r\nContent-Length: 1\r\n\r\nx",
            .value(200, "x"),
            fields: ["Content-Type": "text/csv", "Content-Type": "text/plain", "Content-Length": "1"]),
        Case(
            "a space before the semicolon",
            ok + "Content-Type: text/csv ; header=present\r\nContent-Length: 1\r\n\r\nx",
            .value(200, "x"), fields: ["Content-Type": "text/csv ; header=present", "Content-Length": "1"]),
        Case(
            "a parameter in capitals", ok + "Content-Type: text/csv; CHARSET=UTF-8\r\nContent-Length: 1\r\n\r\nx",
            .value(200, "x"), fields: ["Content-Type": "text/csv; CHARSET=UTF-8", "Content-Length": "1"]),
        Case("204", "HTTP/1.1 204 No Content\r\n\r\n", .value(204, "")),
        Case("304 with a length", "HTTP/1.1 304 Not Modified\r\nContent-Length: 9\r\n\r\n", .value(304, "")),
        Case("HEAD with a length", ok + "Content-Length: 9\r\n\r\n", .value(200, ""), method: "HEAD"),
        Case("a length twice", ok + "Content-Length: 2\r\nContent-Length: 2\r\n\r\nhi", .value(200, "hi")),
        Case("a length twice in one line", ok + "Content-Length: 2, 2\r\n\r\nhi", .value(200, "hi")),
        Case("bytes after the body", ok + "Content-Length: 2\r\n\r\nhi there", .value(200, "hi")),
        Case("a coding that changes nothing", ok + "Transfer-Encoding: identity\r\n\r\nplain", .value(200, "plain")),
        Case("byte by byte", RawReply.raw(ok + "Content-Length: 3\r\n\r\nabc").sliced(into: 1), .value(200, "abc")),
    ]

    /// No body can come here, so that nothing depends on what these say of its length (RFC 9112, section 6.3).
    static let bodilessLengths = [
        ("99999999", "a large length"), ("9223372036854775807", "the largest length"),
        ("99999999999999999999", "a length beyond 64 bits"), ("3\r\nContent-Length: 5", "two lengths"),
        ("3\r\nTransfer-Encoding: chunked", "a length and chunks"), ("3, 5", "a list of lengths"),
    ].flatMap { length, name in
        var head = Case("HEAD with \(name)", ok + "Content-Length: \(length)\r\n\r\n", .value(200, ""), method: "HEAD")
        // libcurl 8.23 refuses lengths that differ (RFC 9112, section 6.3, lets it), also where no body can come.
        if length.contains("5") { head.later = .failure(.malformedResponse) }
        return [
            Case("204 with \(name)", "HTTP/1.1 204 No Content\r\nContent-Length: \(length)\r\n\r\n", .value(204, "")),
            Case("304 with \(name)", "HTTP/1.1 304 Not Modified\r\nContent-Length: \(length)\r\n\r\n", .value(304, "")),
            head,
        ]
    }

    static let failures = [
        Case(
            "a length that no body has", ok + "Content-Length: 9223372036854775807\r\nX-A: b\r\n\r\nabc",
            .failure(.truncatedBody)),
        Case(
            "a length beyond 64 bits", ok + "Content-Length: 18446744073709551617\r\n\r\nabc",
            .failure(.malformedResponse)),
        Case("a body one byte short", ok + "Content-Length: 4\r\n\r\nabc", .failure(.truncatedBody)),
        Case(
            "a status line over the limit", "HTTP/1.1 200 " + String(repeating: "x", count: 150_000) + "\r\n\r\n",
            .failure(.malformedResponse)),
        Case("two lengths", ok + "Content-Length: 4\r\nContent-Length: 6\r\n\r\nabcdef", .failure(.malformedResponse)),
        Case("two lengths in one line", ok + "Content-Length: 4, 6\r\n\r\nabcdef", .failure(.malformedResponse)),
        Case("a length with a sign", ok + "Content-Length: +3\r\n\r\nabc", .failure(.malformedResponse)),
        Case("a negative length", ok + "Content-Length: -3\r\n\r\nabc", .failure(.malformedResponse)),
        Case("a length in hexadecimal", ok + "Content-Length: 0x3\r\n\r\nabc", .failure(.malformedResponse)),
        Case("an empty length", ok + "Content-Length:\r\n\r\nabc", .failure(.malformedResponse)),
        Case(
            "a length and chunks", ok + "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n",
            .failure(.malformedResponse)),
        Case("a coding nobody asked for", ok + "Transfer-Encoding: gzip\r\n\r\nabc", .failure(.malformedResponse)),
        Case(
            "chunks inside a coding", ok + "Transfer-Encoding: chunked, identity\r\n\r\n3\r\nabc\r\n0\r\n\r\n",
            .failure(.malformedResponse)),
        Case("a chunk that is cut", ok + "Transfer-Encoding: chunked\r\n\r\n5\r\nabc", .failure(.truncatedBody)),
        Case("no last chunk", ok + "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n", .failure(.truncatedBody)),
        Case(
            "a chunk size that is none", ok + "Transfer-Encoding: chunked\r\n\r\nq\r\nabc", .failure(.malformedResponse)
        ),
        Case(
            "a chunk size beyond 64 bits", ok + "Transfer-Encoding: chunked\r\n\r\nFFFFFFFFFFFFFFFFF\r\nabc",
            .failure(.malformedResponse)),
        Case(
            "a trailer with a NUL", ok + "Transfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\nX: \0\r\n\r\n",
            .failure(.malformedResponse)),
        Case("the end inside the head", ok + "X-Half: 1\r\n", .failure(.malformedResponse)),
        Case("the end inside a line", ok + "X-Ha", .failure(.malformedResponse)),
        Case("the end inside the last line's end", "HTTP/1.1 200 OK\nX: y\n\r", .failure(.malformedResponse)),
        Case("only interim responses", "HTTP/1.1 100 Continue\r\n\r\n", .failure(.malformedResponse)),
        Case(
            "another protocol, unasked", "HTTP/1.1 101 Switching\r\nUpgrade: x\r\n\r\nabc", .failure(.malformedResponse)
        ),
        Case("a status below 100", "HTTP/1.1 099 Low\r\nContent-Length: 0\r\n\r\n", .failure(.malformedResponse)),
        Case("a status of four digits", "HTTP/1.1 2000 OK\r\nContent-Length: 0\r\n\r\n", .failure(.malformedResponse)),
        Case("a status of letters", "HTTP/1.1 two OK\r\nContent-Length: 0\r\n\r\n", .failure(.malformedResponse)),
        Case(
            "two blanks before the status", "HTTP/1.1  200 OK\r\nContent-Length: 0\r\n\r\n",
            .failure(.malformedResponse)),
        Case("HTTP/0.9", "just text", .failure(.malformedResponse)),
        Case("HTTP/3.7", "HTTP/3.7 200 OK\r\n\r\n", .failure(.malformedResponse)),
        Case("a NUL in a value", ok + "X: a\0b\r\nContent-Length: 0\r\n\r\n", .failure(.malformedResponse)),
        Case("a CR in a value", ok + "X: a\rb\r\nContent-Length: 0\r\n\r\n", .failure(.malformedResponse)),
        Case("a line without a colon", ok + "X-None\r\nContent-Length: 0\r\n\r\n", .failure(.malformedResponse)),
        Case("a blank before the colon", ok + "X-B : 1\r\nContent-Length: 0\r\n\r\n", .failure(.malformedResponse)),
        Case("a field without a name", ok + ": 1\r\nContent-Length: 0\r\n\r\n", .failure(.malformedResponse)),
        Case("a fold before any field", ok + " x\r\nContent-Length: 0\r\n\r\n", .failure(.malformedResponse)),
        Case(
            "a thousand fields and one", ok + String(repeating: "X: y\r\n", count: 1_000) + "\r\n",
            .failure(.malformedResponse)),
        Case(
            "a line of 200 KB", ok + "X: " + String(repeating: "y", count: 200_000) + "\r\n\r\n",
            .failure(.malformedResponse)),
        Case(
            "a head of 400 KB",
            ok + String(repeating: "X: \(String(repeating: "y", count: 990))\r\n", count: 400) + "\r\n",
            .failure(.malformedResponse)),
        Case("nothing", "", .failure(.lostConnection)),
        Case("a reset before the head", RawReply([.reset]), .failure(.lostConnection)),
        Case(
            "a reset in the body", RawReply([.send(Array((ok + "Content-Length: 9\r\n\r\nabc").utf8)), .reset]),
            .failure(.lostConnection)),
        Case(
            "an unknown content coding", ok + "Content-Encoding: rot13\r\nContent-Length: 3\r\n\r\nabc",
            .failure(.undecodableContent)),
        Case(
            "a broken content coding", ok + "Content-Encoding: gzip\r\nContent-Length: 3\r\n\r\nabc",
            .failure(.undecodableContent)),
    ]

    /// What follows the status line of a response, and what is wrong with it.
    static let refusals = [
        ("Content-Length: 3\r\nTransfer-Encoding: chunked", "it has both a Content-Length and a Transfer-Encoding"),
        ("Transfer-Encoding: gzip", "its Transfer-Encoding is not the one that was asked for"),
        ("Transfer-Encoding: gzip\r\nContent-Length: 3", "its Transfer-Encoding is not the one that was asked for"),
        (
            "transfer-encoding: chunked\r\nTransfer-Encoding: chunked",
            "its Transfer-Encoding is not the one that was asked for"
        ),
        ("Content-Length: 3\r\nX: y\r\ncontent-length: 4", "its Content-Length values differ"),
        ("Content-Length: 3, 4", "its Content-Length values differ"),
        ("Content-Length: 3,", "its Content-Length values differ"),
        ("Content-Length: 3\r\n 4", "its Content-Length is not a length"),
        ("X: \0", "a header line has a NUL or CR in it"), ("X\0: y", "a header line has a NUL or CR in it"),
        ("X", "a header line has no colon"), ("X : y", "a header field has a name that is none"),
        (" X: y", "its first header line begins with a blank"),
    ]

    @Test("A head that is refused says why, where libcurl has let it pass", arguments: refusals)
    func sentences(_ fields: String, _ reason: String) throws {
        var reader = ResponseHeadReader(method: "GET")
        let failure = #expect(throws: TransportFailure.self) {
            for line in (Self.ok + fields + "\r\n\r\n").split(separator: "\r\n", omittingEmptySubsequences: false)
                .dropLast()
            {
                _ = try Array("\(line)\r\n".utf8).withUnsafeBytes { try reader.read($0) }
            }
        }
        #expect(failure == TransportFailure(.malformedResponse, "the response is malformed: \(reason)"))
    }

    @Test("A line without its end is refused", arguments: ["HTTP/1.1 200 OK", "HTTP/1.1 200 OK\r", "\r", ""])
    func cutLines(_ line: String) {
        var reader = ResponseHeadReader(method: "GET")
        #expect(throws: TransportFailure.self) { try Array(line.utf8).withUnsafeBytes { try reader.read($0) } }
    }

    @Test("Every response is a value or a typed failure", arguments: values + bodilessLengths + failures)
    func outcome(_ expected: Case) async throws {
        let server = try RawServer(always: expected.reply)
        let exchange = await CurlTransport().exchange(server.url(), method: expected.method)
        switch exchange.result {
        case .success:
            let status = try #require(exchange.record.status)
            #expect(Outcome.value(status, exchange.record.text) == expected.outcome)
            if let fields = expected.fields { #expect(exchange.record.fields == fields) }
        case .failure(let failure):
            let outcome = Outcome.failure(failure.code)
            #expect([expected.outcome, expected.later].contains(outcome), "\(failure)")
        }
    }
}
