#if os(Linux)
    import Foundation
    import PatchbayCurl
    import PatchbayManager
    import PatchbayRegistry
    import PatchbayURLSession
    import TestSupport
    import Testing

    /// One table of exchanges, carried by both transports: the same answers, but for the differences that a case names.
    @Suite(.timeLimit(.minutes(5)))
    struct BothTransportsTests {
        /// What came of an exchange, as far as both transports can tell.
        enum Answer: Sendable, Equatable {
            case whole(status: Int, fields: [String], body: String)
            case failed(TransportFailure.Code)
        }

        struct Case: Sendable, CustomTestStringConvertible {
            let name: String
            let reply: RawReply
            var method = "GET"
            let answer: Answer
            /// What URLSession on Linux answers instead, where it cannot do better.
            var urlSession: Answer?
            var testDescription: String { name }
        }

        private static func whole(_ status: Int, _ fields: [String], _ body: String) -> Answer {
            .whole(status: status, fields: fields, body: body)
        }

        /// "Hello, hello, hello!" as gzip makes it.
        static let gzipped: [UInt8] = [
            0x1F, 0x8B, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x03, 0xF3, 0x48, 0xCD, 0xC9, 0xC9, 0xD7, 0x51, 0xC8,
            0x40, 0xA2, 0x14, 0x01, 0xAC, 0xEB, 0x2E, 0xE4, 0x14, 0x00, 0x00, 0x00,
        ]

        static let cases = [
            Case(
                name: "a length", reply: .response(["Content-Type": "text/plain"], body: "abc"),
                answer: whole(200, ["content-length: 3", "content-type: text/plain"], "abc")),
            Case(
                name: "one byte at a time", reply: RawReply.response(body: "abcdef").sliced(into: 1),
                answer: whole(200, ["content-length: 6"], "abcdef")),
            Case(
                name: "chunks",
                reply: .raw("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n1\r\nc\r\n0\r\n\r\n"),
                answer: whole(200, ["transfer-encoding: chunked"], "abc")),
            Case(
                name: "until the end", reply: .raw("HTTP/1.1 200 OK\r\n\r\nabc"), answer: whole(200, [], "abc")),
            Case(
                name: "an error with a body", reply: .response(status: 404, body: "no"),
                answer: whole(404, ["content-length: 2"], "no")),
            Case(name: "204", reply: .response(status: 204), answer: whole(204, [], "")),
            Case(
                name: "304 with a length", reply: .raw("HTTP/1.1 304 Not Modified\r\nContent-Length: 3\r\n\r\n"),
                answer: whole(304, ["content-length: 3"], "")),
            Case(
                name: "HEAD with a length", reply: .raw("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n"), method: "HEAD",
                answer: whole(200, ["content-length: 3"], "")),
            Case(
                name: "HEAD with a length and a coding that is none",
                reply: .raw("HTTP/1.1 200 OK\r\nContent-Encoding: utf-8\r\nContent-Length: 99999999\r\n\r\n"),
                method: "HEAD", answer: whole(200, ["content-encoding: utf-8", "content-length: 99999999"], "")),
            Case(
                name: "304 with a length and a coding nobody knows",
                reply: .raw("HTTP/1.1 304 Same\r\nContent-Encoding: rot13\r\nContent-Length: 99999999\r\n\r\n"),
                answer: whole(304, ["content-encoding: rot13", "content-length: 99999999"], "")),
            Case(
                name: "304 with two lengths",
                reply: .raw("HTTP/1.1 304 Same\r\nContent-Length: 3\r\nContent-Length: 3\r\nX: y\r\n\r\n"),
                answer: whole(304, ["content-length: 3", "content-length: 3", "x: y"], ""),
                urlSession: whole(304, ["content-length: 3, 3", "x: y"], "")),
            Case(
                name: "a body with the coding identity",
                reply: .response(["Content-Encoding": "Identity"], body: "abc"),
                answer: whole(200, ["content-encoding: Identity", "content-length: 3"], "abc")),
            Case(
                name: "a body with a coding that is none", reply: .response(["Content-Encoding": "utf-8"], body: "abc"),
                answer: whole(200, ["content-encoding: utf-8", "content-length: 3"], "abc"),
                urlSession: .failed(.undecodableContent)),
            Case(
                name: "a POST", reply: .response(status: 201, body: "made"), method: "POST",
                answer: whole(201, ["content-length: 4"], "made")),
            Case(
                name: "interim responses",
                reply: .raw(
                    "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early\r\nA: b\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx"
                ), answer: whole(200, ["content-length: 1"], "x")),
            Case(
                name: "a redirect", reply: .response(status: 302, ["Location": "/x"], body: "abc"),
                answer: whole(302, ["content-length: 3", "location: /x"], "abc")),
            Case(
                name: "a redirect of a POST", reply: .response(status: 303, ["Location": "/x"], body: "abc"),
                method: "POST",
                answer: whole(303, ["content-length: 3", "location: /x"], "abc")),
            Case(
                name: "a redirect without a Location", reply: .response(status: 301, body: "abc"),
                answer: whole(301, ["content-length: 3"], "abc"), urlSession: .failed(.truncatedBody)),
            Case(
                name: "a Basic challenge",
                reply: .response(status: 401, ["WWW-Authenticate": "Basic realm=\"x\""], body: "no"),
                answer: whole(401, ["content-length: 2", "www-authenticate: Basic realm=\"x\""], "no")),
            Case(
                name: "a gzip", reply: .response(["Content-Encoding": "gzip"], body: gzipped),
                answer: whole(200, ["content-encoding: gzip", "content-length: 30"], "Hello, hello, hello!")),
            Case(
                name: "a gzip that is none", reply: .response(["Content-Encoding": "gzip"], body: "abc"),
                answer: .failed(.undecodableContent)),
            Case(
                name: "a body cut short", reply: .raw("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc"),
                answer: .failed(.truncatedBody)),
            Case(
                name: "a chunk cut short",
                reply: .raw("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nabc"),
                answer: .failed(.truncatedBody)),
            Case(
                name: "a chunk size of letters",
                reply: .raw("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nabc\r\n0\r\n\r\n"),
                answer: .failed(.malformedResponse)),
            Case(
                name: "two lengths",
                reply: .raw("HTTP/1.1 200 OK\r\nContent-Length: 3\r\nContent-Length: 5\r\n\r\nabcde"),
                answer: .failed(.malformedResponse)),
            Case(
                name: "a length and chunks",
                reply: .raw(
                    "HTTP/1.1 200 OK\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n"),
                answer: .failed(.malformedResponse)),
            Case(
                name: "a length with a sign", reply: .raw("HTTP/1.1 200 OK\r\nContent-Length: +3\r\n\r\nabc"),
                answer: .failed(.malformedResponse)),
            Case(name: "HTTP/0.9", reply: .raw("hello\r\n"), answer: .failed(.malformedResponse)),
            Case(
                name: "switching protocols", reply: .raw("HTTP/1.1 101 Switching\r\nUpgrade: x\r\n\r\nabc"),
                answer: .failed(.malformedResponse)),
            Case(
                name: "a line of 200 KB",
                reply: .raw("HTTP/1.1 200 OK\r\nX: \(String(repeating: "a", count: 200_000))\r\n\r\n"),
                answer: .failed(.malformedResponse)),
            Case(name: "nothing at all", reply: .raw(""), answer: .failed(.lostConnection)),
            Case(name: "a reset", reply: RawReply([.reset]), answer: .failed(.lostConnection)),
            Case(
                name: "lines that end in LF", reply: .raw("HTTP/1.1 200 OK\nContent-Length: 3\n\nabc"),
                answer: whole(200, ["content-length: 3"], "abc"), urlSession: .failed(.malformedResponse)),
            Case(
                name: "no space after the colon", reply: .raw("HTTP/1.1 200 OK\r\nContent-Length:3\r\n\r\nabc"),
                answer: whole(200, ["content-length: 3"], "abc"), urlSession: .failed(.malformedResponse)),
            Case(
                name: "repeated fields", reply: .response(["X-A": "1", "X-A": "2"]),
                answer: whole(200, ["content-length: 0", "x-a: 1", "x-a: 2"], ""),
                urlSession: whole(200, ["content-length: 0", "x-a: 1, 2"], "")),
        ]

        @Test(arguments: cases) func curl(_ item: Case) async throws {
            #expect(try await answer(of: CurlTransport(), to: item) == item.answer)
        }

        @Test(arguments: cases) func urlSession(_ item: Case) async throws {
            #expect(try await answer(of: URLSessionTransport(), to: item) == item.urlSession ?? item.answer)
        }

        /// URLSession leaves codings to libcurl 7.88, which does not look whether a coded body has come to its end.
        @Test func noticesAGzipCutShort() async throws {
            let item = Case(
                name: "a gzip cut short",
                reply: .response(["Content-Encoding": "gzip"], body: Self.gzipped.prefix(20)),
                answer: .failed(.undecodableContent))
            #expect(try await answer(of: CurlTransport(), to: item) == item.answer)
            let answer = try await answer(of: URLSessionTransport(), to: item)
            withKnownIssue("URLSession takes a gzip that breaks off for a whole one") {
                #expect(answer == item.answer)
            }
        }

        private func answer(of transport: some Transport, to item: Case) async throws -> Answer {
            let server = try RawServer(always: item.reply)
            let request = TransportRequest(
                head: RequestHead(method: item.method, url: server.url("/a")),
                body: item.method == "POST" ? .data(Data("abc".utf8)) : nil)
            let recorder = Recorder()
            do throws(TransportFailure) {
                _ = try await transport.perform(request, for: recorder)
            } catch {
                return .failed(error.code)
            }
            let record = recorder.record
            let head = try #require(record.heads.first)
            #expect(record.heads.count == 1)
            let fields = head.fields.map { "\($0.name.lowercased()): \($0.value)" }.sorted()
            return .whole(status: head.status, fields: fields, body: record.text)
        }
    }
#endif
