import PatchbayPlatform

#if os(Linux)
    import Foundation
    import Patchbay
    import TestSupport
    import Testing

    extension SharedBehaviour {
        /// What URLSession on Linux cannot do. Responses that end the process there are in `URLSessionTrapTests`.
        static let exceptions = [
            SharedBehaviour(
                "1.7.5: repeated fields are all kept",
                exception: "Foundation joins repeated fields by commas"
            ) { carrier in
                let server = try RawServer(always: json("1", ["X-A": "1", "X-A": "2"]))
                let reply = try await manager(carrier, server).send("a")
                #expect(reply.head.fields.values(for: "x-a") == ["1", "2"])
            },
            SharedBehaviour(
                "a head whose lines end in LF is read", exception: "Foundation fails the whole exchange"
            ) { carrier in
                let server = try RawServer(always: .raw("HTTP/1.1 200 OK\nContent-Length: 1\n\n1"))
                let bytes = try await manager(carrier, server).get("a", as: Data.self)
                #expect(bytes == Data("1".utf8))
            },
            SharedBehaviour(
                "a field without a space after its colon is read", exception: "Foundation fails the whole exchange"
            ) { carrier in
                let server = try RawServer(always: .raw("HTTP/1.1 200 OK\r\nContent-Length:1\r\n\r\n1"))
                let bytes = try await manager(carrier, server).get("a", as: Data.self)
                #expect(bytes == Data("1".utf8))
            },
            SharedBehaviour(
                "a status line that ends behind its number is read", exception: "Foundation fails the whole exchange"
            ) { carrier in
                let server = try RawServer(always: .raw("HTTP/1.1 200\r\nContent-Length: 1\r\n\r\n1"))
                let bytes = try await manager(carrier, server).get("a", as: Data.self)
                #expect(bytes == Data("1".utf8))
            },
            SharedBehaviour(
                "a field of blanks is read", exception: "Foundation fails the whole exchange"
            ) { carrier in
                let server = try RawServer(always: .raw("HTTP/1.1 200 OK\r\nX-A:   \r\nContent-Length: 1\r\n\r\n1"))
                let bytes = try await manager(carrier, server).get("a", as: Data.self)
                #expect(bytes == Data("1".utf8))
            },
            SharedBehaviour(
                "a field with bytes that are not UTF-8 is read", exception: "Foundation fails the whole exchange"
            ) { carrier in
                let head =
                    Array("HTTP/1.1 200 OK\r\nX-A: caf".utf8) + [0xE9] + Array("\r\nContent-Length: 1\r\n\r\n1".utf8)
                let server = try RawServer(always: .raw(head))
                let bytes = try await manager(carrier, server).get("a", as: Data.self)
                #expect(bytes == Data("1".utf8))
            },
            SharedBehaviour(
                "a 301 without a Location is a status, with its body", exception: "Foundation loses the body"
            ) { carrier in
                let server = try RawServer(always: json(#"{"a":1}"#, status: 301))
                let error = await #expect(throws: SessionError.self) { try await manager(carrier, server).send("a") }
                #expect(error?.value as? JSON == ["a": 1])
            },
            SharedBehaviour(
                "a gzip that breaks off is an error", exception: "Foundation takes it for a whole one"
            ) { carrier in
                let half = BothTransportsTests.gzipped.prefix(20)
                let server = try RawServer(
                    always: .response(["Content-Encoding": "gzip", "Content-Type": "text/plain"], body: half))
                let error = await #expect(throws: SessionError.self) { try await manager(carrier, server).send("a") }
                #expect((error?.cause as? TransportFailure)?.code == .undecodableContent)
            },
            SharedBehaviour(
                "1.11.2: the transport tells when it was connected, and which HTTP was spoken",
                exception: "Foundation never delivers its metrics"
            ) { carrier in
                let server = try RawServer(always: json("1"))
                let exchange = try await manager(carrier, server).send(SessionRequest("a")).timeline.exchange
                #expect(exchange.httpVersion == "1.1")
                #expect(exchange.connect != nil)
                #expect(exchange.firstByte != nil)
            },
            SharedBehaviour(
                "a reader may wait for as long as it likes, whatever the size of the body",
                exception: "URLSession cannot be paused: it fails when 16 MiB are undelivered"
            ) { carrier in
                let server = try RawServer(always: .response(body: [UInt8](repeating: 0x61, count: 17 << 20)))
                var request = TransportRequest(head: RequestHead(url: server.url()))
                request.sink = .stream
                let (first, goOn) = (OneShot(), OneShot())
                let recorder = Recorder { piece in
                    guard piece == 2 else { return .proceed }
                    first.fire()
                    return .wait(goOn)
                }
                let (transport, exchange) = (carrier.transport, request)
                let call = Task { _ = try await transport.perform(exchange, for: recorder) }
                await first.fired()
                if carrier == .urlSession { _ = await call.result }
                goOn.fire()
                try await call.value
                #expect(recorder.record.body.count == 17 << 20)
            },
        ]
    }
#endif
