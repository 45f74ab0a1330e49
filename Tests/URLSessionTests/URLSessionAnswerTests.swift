import Foundation
import PatchbayManager
import PatchbayRegistry
import PatchbayURLSession
import TestSupport
import Testing

/// What each response becomes: a status and a body, or a failure with its code and sentence.
@Suite(.timeLimit(.minutes(5)))
struct URLSessionAnswerTests {
    struct Good: Sendable, CustomTestStringConvertible {
        let name: String
        let raw: String
        let status: Int
        let body: String
        var method = "GET"
        var testDescription: String { name }
    }

    struct Bad: Sendable, CustomTestStringConvertible {
        let name: String
        let raw: String
        let failure: TransportFailure
        var testDescription: String { name }
    }

    private static let broken = TransportFailure(.malformedResponse, "the response breaks the rules of HTTP")
    private static let cut = TransportFailure(.truncatedBody, "the body ended before its announced end")
    private static let undecodable = TransportFailure(
        .undecodableContent, "the body could not be decoded from its content coding")
    private static let lost = TransportFailure(.lostConnection, "the connection was lost")

    static let good = [
        Good(
            name: "a length", raw: "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc", status: 200, body: "abc"),
        Good(
            name: "chunks", raw: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n1\r\nc\r\n0\r\n\r\n",
            status: 200, body: "abc"),
        Good(name: "until the end", raw: "HTTP/1.1 200 OK\r\n\r\nabc", status: 200, body: "abc"),
        Good(
            name: "an error status", raw: "HTTP/1.1 503 No\r\nContent-Length: 2\r\n\r\nno", status: 503, body: "no"),
        Good(
            name: "a status nobody knows", raw: "HTTP/1.1 799 X\r\nContent-Length: 1\r\n\r\nx", status: 799, body: "x"),
        Good(name: "204", raw: "HTTP/1.1 204 No Content\r\n\r\n", status: 204, body: ""),
        Good(
            name: "304 with a length", raw: "HTTP/1.1 304 Not Modified\r\nContent-Length: 30\r\n\r\n", status: 304,
            body: ""),
        Good(
            name: "HEAD with a length", raw: "HTTP/1.1 200 OK\r\nContent-Length: 30\r\n\r\n", status: 200, body: "",
            method: "HEAD"),
        Good(
            name: "an interim response first",
            raw: "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok",
            status: 200, body: "ok"),
        Good(
            name: "a redirect is handed over",
            raw: "HTTP/1.1 302 Found\r\nLocation: /x\r\nContent-Length: 3\r\n\r\nabc", status: 302, body: "abc"),
        Good(
            name: "a redirect of a POST is handed over",
            raw: "HTTP/1.1 303 See Other\r\nLocation: /x\r\nContent-Length: 3\r\n\r\nabc", status: 303, body: "abc",
            method: "POST"),
        Good(
            name: "a redirect without Location or body", raw: "HTTP/1.1 301 Moved\r\nContent-Length: 0\r\n\r\n",
            status: 301, body: ""),
        Good(
            name: "a redirect after an interim response",
            raw: "HTTP/1.1 103 Early\r\n\r\nHTTP/1.1 301 Moved\r\nLocation: /x\r\nContent-Length: 3\r\n\r\nabc",
            status: 301, body: "abc"),
        Good(
            name: "401 with a Basic challenge",
            raw: "HTTP/1.1 401 No\r\nWWW-Authenticate: Basic realm=\"x\"\r\nContent-Length: 2\r\n\r\nno", status: 401,
            body: "no"),
        Good(
            name: "401 with a Digest challenge",
            raw: "HTTP/1.1 401 No\r\nWWW-Authenticate: Digest realm=\"x\", nonce=\"y\"\r\nContent-Length: 2\r\n\r\nno",
            status: 401, body: "no"),
        Good(
            name: "401 with a challenge without a realm",
            raw: "HTTP/1.1 401 No\r\nWWW-Authenticate: Basic\r\nContent-Length: 2\r\n\r\nno", status: 401, body: "no"),
        Good(
            name: "401 with a Bearer challenge",
            raw: "HTTP/1.1 401 No\r\nWWW-Authenticate: Bearer\r\nContent-Length: 2\r\n\r\nno", status: 401, body: "no"),
        Good(
            name: "the same length twice",
            raw: "HTTP/1.1 200 OK\r\nContent-Length: 3\r\nContent-Length: 3\r\n\r\nabc", status: 200, body: "abc"),
    ]

    static let bad = [
        Bad(name: "a body cut short", raw: "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc", failure: cut),
        Bad(
            name: "a chunk cut short", raw: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nabc",
            failure: cut),
        Bad(
            name: "no last chunk", raw: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n",
            failure: cut),
        Bad(
            name: "a chunk size of letters",
            raw: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nabc\r\n0\r\n\r\n", failure: broken),
        Bad(
            name: "a gzip that is none",
            raw: "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 3\r\n\r\nabc", failure: undecodable),
        Bad(
            name: "a coding nobody knows",
            raw: "HTTP/1.1 200 OK\r\nContent-Encoding: foo\r\nContent-Length: 3\r\n\r\nabc", failure: undecodable),
        Bad(
            name: "seven codings",
            raw: "HTTP/1.1 200 OK\r\nContent-Encoding: gzip,gzip,gzip,gzip,gzip,gzip,gzip\r\n\r\nabc",
            failure: undecodable),
        Bad(
            name: "two lengths", raw: "HTTP/1.1 200 OK\r\nContent-Length: 3\r\nContent-Length: 5\r\n\r\nabcde",
            failure: TransportFailure(.malformedResponse, "the response is malformed: its Content-Length values differ")
        ),
        Bad(
            name: "a list of lengths", raw: "HTTP/1.1 200 OK\r\nContent-Length: 5, 6\r\n\r\nabcde",
            failure: TransportFailure(.malformedResponse, "the response is malformed: its Content-Length values differ")
        ),
        Bad(
            name: "a length with a sign", raw: "HTTP/1.1 200 OK\r\nContent-Length: +5\r\n\r\nabcde",
            failure: TransportFailure(
                .malformedResponse, "the response is malformed: its Content-Length is not a length")),
        Bad(
            name: "a length in hexadecimal", raw: "HTTP/1.1 200 OK\r\nContent-Length: 0x5\r\n\r\nabcde",
            failure: TransportFailure(
                .malformedResponse, "the response is malformed: its Content-Length is not a length")),
        Bad(name: "a negative length", raw: "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\nabc", failure: broken),
        Bad(
            name: "a length and chunks",
            raw: "HTTP/1.1 200 OK\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n",
            failure: TransportFailure(
                .malformedResponse, "the response is malformed: it has both a Content-Length and a Transfer-Encoding")),
        Bad(
            name: "the body of a redirect without Location",
            raw: "HTTP/1.1 301 Moved\r\nContent-Length: 3\r\n\r\nabc",
            failure: TransportFailure(
                .truncatedBody, "URLSession drops the body of a 301 response without a usable Location")),
        Bad(
            name: "switching protocols", raw: "HTTP/1.1 101 Switching\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\nabc",
            failure: TransportFailure(.malformedResponse, "the response has no final status")),
        Bad(name: "a status of four digits", raw: "HTTP/1.1 1000 X\r\nContent-Length: 0\r\n\r\n", failure: broken),
        Bad(name: "HTTP/0.9", raw: "hello\r\n", failure: broken),
        Bad(name: "a NUL in a field", raw: "HTTP/1.1 200 OK\r\nX: a\0b\r\nContent-Length: 0\r\n\r\n", failure: broken),
        Bad(
            name: "a field without a colon", raw: "HTTP/1.1 200 OK\r\nXab\r\nContent-Length: 0\r\n\r\n", failure: broken
        ),
        Bad(
            name: "a line of 200 KB",
            raw: "HTTP/1.1 200 OK\r\nX: \(String(repeating: "a", count: 200_000))\r\n\r\n", failure: broken),
        Bad(
            name: "400 KB of fields",
            raw:
                "HTTP/1.1 200 OK\r\n\(String(repeating: "X: \(String(repeating: "a", count: 990))\r\n", count: 400))\r\n",
            failure: broken),
        Bad(name: "nothing at all", raw: "", failure: lost),
    ]

    #if canImport(FoundationNetworking)
        /// Responses that a lenient reader takes and Foundation on Linux does not: declared, and a typed failure.
        static let strict = [
            Bad(name: "lines that end in LF", raw: "HTTP/1.1 200 OK\nContent-Length: 3\n\nabc", failure: broken),
            Bad(
                name: "no space after the colon", raw: "HTTP/1.1 200 OK\r\nContent-Length:3\r\n\r\nabc", failure: broken
            ),
            Bad(name: "no second space", raw: "HTTP/1.1 200\r\nContent-Length: 3\r\n\r\nabc", failure: broken),
            Bad(name: "two blanks", raw: "HTTP/1.1 200 OK\r\nX:  \r\nContent-Length: 3\r\n\r\nabc", failure: broken),
        ]

        @Test(arguments: strict) func refusesWhatFoundationCannotRead(_ response: Bad) async throws {
            try await refuses(response)
        }

        @Test func refusesAFieldThatIsNotUTF8() async throws {
            let server = try RawServer(
                always: .raw(Array("HTTP/1.1 200 OK\r\nX: caf".utf8) + [0xE9] + Array("\r\n\r\n".utf8)))
            await #expect(throws: Self.broken) { try await exchange(server, Recorder()) }
        }
    #endif

    @Test(arguments: good) func handsOver(_ response: Good) async throws {
        let server = try RawServer(always: .raw(response.raw))
        let recorder = Recorder()
        try await exchange(server, recorder, method: response.method)
        let record = recorder.record
        #expect(record.heads.map(\.status) == [response.status])
        #expect(record.text == response.body)
    }

    @Test(arguments: bad) func refuses(_ response: Bad) async throws {
        let server = try RawServer(always: .raw(response.raw))
        await #expect(throws: response.failure) { try await exchange(server, Recorder()) }
    }

    @Test func tellsAResetFromAnEnd() async throws {
        let server = try RawServer(always: RawReply([.reset]))
        await #expect(throws: Self.lost) { try await exchange(server, Recorder()) }
    }

    @Test func tellsARefusedConnection() async throws {
        let server = try RawServer(always: .response())
        let url = server.url()
        server.stop()
        await #expect(throws: TransportFailure(.refusedConnection, "the connection was refused")) {
            try await URLSessionTransport().perform(TransportRequest(head: RequestHead(url: url)), for: Recorder())
        }
    }

    @Test func keepsTheContentTypeAsItWasSent() async throws {
        let server = try RawServer(
            always: .response(["Content-Type": "Text/Plain ; CHARSET=utf-8", "X-A": "1", "X-B": ""], body: "a"))
        let recorder = Recorder()
        try await exchange(server, recorder)
        #expect(recorder.record.fields["content-type"] == "Text/Plain ; CHARSET=utf-8")
        #expect(recorder.record.fields.map(\.name) == ["Content-Length", "Content-Type", "X-A", "X-B"])
    }

    private func exchange(_ server: RawServer, _ recorder: Recorder, method: String = "GET") async throws {
        let head = RequestHead(method: method, url: server.url("/a"))
        let body = method == "POST" ? RequestBody.data(Data("abc".utf8)) : nil
        _ = try await URLSessionTransport().perform(TransportRequest(head: head, body: body), for: recorder)
    }
}
