#if os(Linux)
    import Foundation
    import Patchbay
    import PatchbayMigration
    import TestSupport
    import Testing

    extension SharedBehaviour {
        static let responses = [
            SharedBehaviour("1.2.8: JSON, text in its charset, a property list and bytes") { carrier in
                let list = try PropertyListEncoder().encode(["a": 1])
                let server = try RawServer { request in
                    switch request.target {
                    case "/json": json(#"{"a":[1,2]}"#)
                    case "/text": .response(["Content-Type": "text/plain; charset=iso-8859-1"], body: [0x63, 0xE9])
                    case "/list": .response(["Content-Type": "application/x-plist"], body: list)
                    default: .response(["Content-Type": "application/octet-stream"], body: [0, 1, 2])
                    }
                }
                let manager = manager(carrier, server)
                let tree = try await manager.send("json").value as? JSON
                #expect(tree == ["a": [1, 2]])
                let decoded = try await manager.get("json", as: [String: [Int]].self)
                #expect(decoded == ["a": [1, 2]])
                let text = try await manager.send("text").value as? String
                #expect(text == "c\u{E9}")
                let dictionary = try await manager.get("list", as: [String: Int].self)
                #expect(dictionary == ["a": 1])
                let raw = try await manager.send("raw")
                #expect(raw.outcome == .raw)
                #expect(raw.body.data == Data([0, 1, 2]))
            },
            SharedBehaviour("1.6.6: the body of an error is decoded into it") { carrier in
                let server = try RawServer(
                    always: .response(
                        status: 422, ["Content-Type": "application/problem+json"], body: #"{"title":"no"}"#))
                let error = await #expect(throws: SessionError.self) {
                    try await manager(carrier, server).get("a", as: [Int].self)
                }
                #expect(error?.code == .status)
                #expect(error?.head?.status == 422)
                #expect((error?.value as? Problem)?.title == "no")
            },
            SharedBehaviour(
                "1.12.3: a 401 is an answer like any other, with its body",
                {
                    carrier in
                    let server = try RawServer(
                        always: json(
                            #"{"why":"who?"}"#, status: 401, ["WWW-Authenticate": "Basic realm=\"x\""]))
                    let error = await #expect(throws: SessionError.self) {
                        try await manager(carrier, server).send("a")
                    }
                    #expect(error?.head?.status == 401)
                    #expect(error?.value as? JSON == ["why": "who?"])
                }),
            SharedBehaviour("1.6.7: a HEAD answers with its head") { carrier in
                let server = try RawServer(
                    always: .raw("HTTP/1.1 200 OK\r\nContent-Length: 9\r\nX-A: b\r\n\r\n", closing: false))
                let reply = try await manager(carrier, server).send(SessionRequest("a", method: "HEAD"))
                #expect(reply.outcome == .empty)
                #expect(reply.head.fields["X-A"] == "b")
                #expect(reply.head.fields["Content-Length"] == "9")
            },
            SharedBehaviour("1.2.3: no body is the empty value") { carrier in
                let server = try RawServer { request in
                    request.target == "/204" ? .response(status: 204) : .response(["Content-Type": "application/json"])
                }
                let manager = manager(carrier, server)
                for path in ["204", "200"] {
                    let outcome = try await manager.send(path).outcome
                    #expect(outcome == .empty)
                }
                let bytes = try await manager.get("204", as: Data.self)
                #expect(bytes.isEmpty)
                let missing = try await manager.get("204", as: Int?.self)
                #expect(missing == nil)
            },
            SharedBehaviour("a gzip is undone") { carrier in
                let server = try RawServer(
                    always: .response(
                        ["Content-Encoding": "gzip", "Content-Type": "text/plain"], body: BothTransportsTests.gzipped))
                let text = try await manager(carrier, server).get("a", as: String.self)
                #expect(text == "Hello, hello, hello!")
            },
            SharedBehaviour("1.5.6: a body cut short is an error, and its bytes are kept") { carrier in
                let server = try RawServer(
                    always: .raw("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 9\r\n\r\nabc"))
                let error = await #expect(throws: SessionError.self) { try await manager(carrier, server).send("a") }
                #expect((error?.cause as? TransportFailure)?.code == .truncatedBody)
                #expect(error?.head?.status == 200)
            },
            SharedBehaviour("1.1.28: a validator refuses before any serializer") { carrier in
                let server = try RawServer(always: json("["))
                var request = SessionRequest("a")
                request.responseValidators = [.contentType(["text/plain"])]
                let error = await #expect(throws: SessionError.self) {
                    try await manager(carrier, server).send(request)
                }
                #expect(error?.code == .validation)
            },
            SharedBehaviour("1.11.1: the steps of a call follow each other") { carrier in
                let server = try RawServer(always: json("1").sliced(into: 20))
                let timeline = try await manager(carrier, server).send(SessionRequest("a")).timeline
                #expect(.zero < timeline.head && timeline.head <= timeline.body && timeline.body <= timeline.serialized)
                #expect(timeline.exchange.total > .zero)
            },
            SharedBehaviour("of 100 calls at once each has its own answer") { carrier in
                let server = try RawServer(echo)
                let manager = manager(carrier, server)
                let wrong = try await withThrowingTaskGroup(of: Bool.self) { group in
                    for number in 0..<100 {
                        group.addTask {
                            let value = try await manager.post("\(number)", body: "b\(number)", as: JSON.self)
                            return value["target"]?.string != "/\(number)" || value["text"]?.string != "b\(number)"
                        }
                    }
                    return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
                }
                #expect(wrong == 0)
            },
        ]
    }
#endif
