#if os(Linux)
    import CTestResolver
    import Foundation
    import Patchbay
    import TestSupport
    import Testing

    @testable import PatchbayCurl
    @testable import PatchbayURLSession

    /// Every code of `TransportFailure`, brought about on each transport, with its exact sentence there.
    @Suite(.timeLimit(.minutes(5)))
    struct TransportFailureTests {
        struct Row: Sendable, CustomTestStringConvertible {
            let code: TransportFailure.Code
            let name: String
            /// The sentence on each transport; nil where it has none for this.
            let libcurl: String?
            let urlSession: String?
            let provoke: @Sendable (any Transport) async throws -> Void
            var testDescription: String { "\(code.rawValue): \(name)" }

            func sentence(on carrier: Carrier) -> String? { carrier == .libcurl ? libcurl : urlSession }
        }

        private final class Unreadable: RequestBodySource {
            var length: Int64? { 3 }
            func read(into buffer: UnsafeMutableRawBufferPointer) throws -> RequestBodyPiece {
                throw CocoaError(.fileReadUnknown)
            }
            func rewind() {}
        }

        private static func get(
            _ url: URL, _ method: String = "GET", _ body: RequestBody? = nil, by transport: any Transport,
            _ recorder: Recorder = Recorder()
        ) async throws {
            let head = RequestHead(method: method, url: url)
            _ = try await transport.perform(TransportRequest(head: head, body: body), for: recorder)
        }

        /// A row for what one response brings about.
        private static func reply(
            _ code: TransportFailure.Code, _ name: String, _ reply: RawReply, libcurl: String, urlSession: String
        ) -> Row {
            Row(code: code, name: name, libcurl: libcurl, urlSession: urlSession) { transport in
                let server = try RawServer(always: reply)
                try await get(server.url(), by: transport)
            }
        }

        /// A row for a connection that does not come about in time, with `PORT` for the port in its sentence.
        private static func late(
            _ code: TransportFailure.Code, _ scheme: String, _ sentence: String, urlSession: String? = nil
        ) -> Row {
            Row(code: code, name: "after 0.3 seconds", libcurl: sentence, urlSession: urlSession) { transport in
                let (full, gate) = (try FullListener(), Gate())
                defer {
                    full.close()
                    gate.open()
                }
                let silent = try RawServer(onConnect: RawReply([.wait(gate), .close]))
                let port = scheme == "https" ? silent.port : full.port
                var request = TransportRequest(
                    head: RequestHead(url: try #require(URL(string: "\(scheme)://127.0.0.1:\(port)/"))))
                request.connection = ConnectionSettings(connectTimeout: .seconds(0.3))
                do throws(TransportFailure) {
                    _ = try await transport.perform(request, for: Recorder())
                } catch {
                    throw TransportFailure(error.code, error.reason.replacing(":\(port)", with: ":PORT"))
                }
            }
        }

        /// A row for what libcurl says.
        private static func said(_ failure: TransportFailure, _ sentence: String) -> Row {
            Row(code: failure.code, name: "as libcurl says it", libcurl: sentence, urlSession: nil) { _ in
                throw failure
            }
        }

        private static func text(_ words: String) -> Libcurl.Text { Libcurl.Text(words: words) }

        static let rows: [Row] = [
            Row(
                code: .unresolvedHost, name: "a name that nobody has",
                libcurl: "the host name could not be resolved",
                urlSession: "the name of the host could not be resolved"
            ) { transport in try await get(try #require(URL(string: "http://missing.test/")), by: transport) },
            Row(
                code: .refusedConnection, name: "a port that nobody listens on",
                libcurl: "the connection to port PORT of the host was refused", urlSession: "the connection was refused"
            ) { transport in
                let server = try RawServer(always: .response())
                server.stop()
                do throws(TransportFailure) {
                    _ = try await transport.perform(
                        TransportRequest(head: RequestHead(url: server.url())), for: Recorder())
                } catch {
                    throw TransportFailure(error.code, error.reason.replacing("\(server.port)", with: "PORT"))
                }
            },
            late(
                .connectTimeout, "http", "no connection to 127.0.0.1:PORT within 0.3 s (1 address tried)",
                urlSession: "no answer from 127.0.0.1:PORT within 0.3 s, and URLSession does not tell whether it was "
                    + "connected"),
            late(.tlsTimeout, "https", "the TLS handshake with 127.0.0.1:PORT did not end within 0.3 s"),
            reply(
                .lostConnection, "nothing at all", .raw(""),
                libcurl: "the host closed the connection without a response", urlSession: "the connection was lost"),
            reply(
                .lostConnection, "a reset in the body",
                RawReply([.send(Array("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc".utf8)), .reset]),
                libcurl: "the connection was lost", urlSession: "the connection was lost"),
            Row(
                code: .insecureConnection, name: "a host without TLS",
                libcurl: "no secure connection could be made to the host",
                urlSession: "no secure connection could be made"
            ) { transport in
                let server = try RawServer(onConnect: .raw("no TLS here\r\n"))
                try await get(try #require(URL(string: "https://127.0.0.1:\(server.port)/")), by: transport)
            },
            reply(
                .malformedResponse, "two lengths",
                .raw("HTTP/1.1 200 OK\r\nContent-Length: 3\r\nContent-Length: 5\r\n\r\nabcde"),
                libcurl: "the response is malformed: its Content-Length values differ",
                urlSession: "the response is malformed: its Content-Length values differ"),
            reply(
                .malformedResponse, "HTTP/0.9", .raw("hello\r\n"),
                libcurl: "the response is malformed: it is not HTTP/1.0 or later",
                urlSession: "the response breaks the rules of HTTP"),
            reply(
                .truncatedBody, "a body cut short", .raw("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc"),
                libcurl: "the connection ended before the body was complete",
                urlSession: "the body ended before its announced end"),
            reply(
                .undecodableContent, "a gzip that is none", .response(["Content-Encoding": "gzip"], body: "abc"),
                libcurl: "the content coding of the body is broken",
                urlSession: "the body could not be decoded from its content coding"),
            reply(
                .undecodableContent, "a coding nobody knows", .response(["Content-Encoding": "rot13"], body: "abc"),
                libcurl: "the body has the content coding \"rot13\", which cannot be undone",
                urlSession: "the body could not be decoded from its content coding"),
            Row(
                code: .unsupportedRequest, name: "a HEAD with a body",
                libcurl: "a HEAD request cannot have a body",
                urlSession: "a HEAD request cannot have a body"
            ) { transport in
                let server = try RawServer(always: .response())
                try await get(server.url(), "HEAD", .data(Data("a".utf8)), by: transport)
            },
            Row(
                code: .unreadableBody, name: "a source that fails",
                libcurl: "the body of the request could not be read",
                urlSession: "the body of the request could not be read"
            ) { transport in
                let server = try RawServer(always: .response())
                try await get(server.url(), "POST", .source(Unreadable()), by: transport)
            },
            Row(
                code: .stopped, name: "a signal that fires",
                libcurl: "the exchange was stopped", urlSession: "the exchange was stopped"
            ) { transport in
                let server = try RawServer(always: RawReply([.hang]))
                let recorder = Recorder()
                async let exchange: Void = get(server.url(), by: transport, recorder)
                await server.requests(atLeast: 1)
                recorder.stop.fire()
                try await exchange
            },
            Row(
                code: .undeliveredBytes, name: "a reader that falls behind", libcurl: nil,
                urlSession: "the reader fell more than 16777216 bytes behind, and URLSession cannot be paused"
            ) { transport in
                let server = try RawServer(always: .response(body: [UInt8](repeating: 0x61, count: 17 << 20)))
                try await get(server.url(), by: transport, Recorder { _ in .wait(OneShot()) })
            },
            // Certificates and handshakes: CurlSecurityTests brings all but the first about with servers.
            said(
                .certificate(23, text("certificate revoked"), of: .host),
                "the certificate of the host is not to be trusted"),
            said(.certificate(10, text(""), of: .host), "the certificate of the host has run out, or is not valid yet"),
            said(.certificate(18, text(""), of: .host), "the certificate of the host vouches for itself"),
            said(
                .certificate(20, text(""), of: .host),
                "the certificate of the host leads to no authority that is trusted"),
            said(.certificate(66, text(""), of: .host), "the certificate of the host, or one above it, is too weak"),
            said(
                .certificate(1, text("no alternative certificate subject name matches"), of: .host),
                "the certificate is for another host"),
            said(.mismatchedPin, "the key of the host is not one of those pinned for it"),
            said(.unlistedHost, "the connection settings for the host refuse https: their tls is nil"),
            said(
                .handshake(text("tlsv1 alert protocol version"), with: .host),
                "the host speaks no version of TLS that is new enough"),
            said(
                .handshake(text("tlsv13 alert certificate required"), with: .host),
                "the host wants a client certificate"),
            // What CurlRepetitionTests bring about with servers of HTTP/2.
            said(.refusedTwice, "the host refused the request twice, and processed nothing of it"),
            said(
                .refusedSinglePass,
                "the host processed nothing of the request, and the body of the request cannot be sent twice"),
            // What no response brings about, as the transport says it.
            Row(
                code: .outOfMemory, name: "no memory for an exchange",
                libcurl: "libcurl could not take the exchange", urlSession: nil
            ) { _ in throw TransportFailure.noHandle },
            Row(
                code: .other, name: "an error that Foundation does not explain", libcurl: nil,
                urlSession: "URLSession failed with code -1"
            ) { _ in throw TransportFailure(NSError(domain: NSURLErrorDomain, code: NSURLErrorUnknown)) },
        ]

        /// Whether a row can be had here: names are looked up by the tests' own resolver.
        private static func isHere(_ row: Row) -> Bool {
            row.code != .unresolvedHost || patchbay_test_resolver_is_there() == 1
        }

        @Test("the sentence of every code on each transport", arguments: rows.filter(isHere), Carrier.allCases)
        func sentence(_ row: Row, _ carrier: Carrier) async throws {
            guard let sentence = row.sentence(on: carrier) else { return }
            let transport = carrier.transport
            let failure = try #require(
                await #expect(throws: TransportFailure.self) { try await row.provoke(transport) })
            #expect(failure.code == row.code)
            #expect(failure.description == sentence)
        }

        @Test("no code is without a row")
        func complete() throws {
            #expect(try DeclaredErrors.codes(of: "TransportFailure.Code") == Set(Self.rows.map(\.code.rawValue)))
        }
    }
#endif
