import PatchbayPlatform

#if os(Linux)
    import Foundation
    import Patchbay
    import PatchbayMigration
    import TestSupport
    import Testing

    extension SharedBehaviour {
        private static func withFolder(_ body: (URL) async throws -> Void) async throws {
            let folder = FileManager.default.temporaryDirectory.appending(path: "patchbay-shared-\(UUID().uuidString)")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(at: folder) }
            try await body(folder)
        }

        private static func names(in folder: URL) -> [String] {
            ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? ["(unreadable)"]).sorted()
        }

        static let transfers = [
            SharedBehaviour("1.10.1, 1.10.2: a download goes into its file, under the name that the server suggests") {
                carrier in
                let bytes = (0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
                let server = try RawServer(
                    always: .response(["Content-Disposition": "attachment; filename=\"a.bin\""], body: bytes))
                try await withFolder { folder in
                    let file = try await manager(carrier, server).download("x", to: .folder(folder)).value
                    #expect(file.lastPathComponent == "a.bin")
                    #expect(try Data(contentsOf: file) == Data(bytes))
                    #expect(names(in: folder) == ["a.bin"])
                }
            },
            SharedBehaviour("1.10.6: an error status leaves no file, and its body is decoded into the error") {
                carrier in
                let server = try RawServer(always: json(#"{"why":"gone"}"#, status: 404))
                try await withFolder { folder in
                    let error = await #expect(throws: SessionError.self) {
                        try await manager(carrier, server).download("x", to: .file(folder.appending(path: "x"))).value
                    }
                    #expect(error?.value as? JSON == ["why": "gone"])
                    #expect(names(in: folder).isEmpty)
                }
            },
            SharedBehaviour("1.10.3: a download that breaks off leaves no file") { carrier in
                let server = try RawServer(always: .raw("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc"))
                try await withFolder { folder in
                    let error = await #expect(throws: SessionError.self) {
                        try await manager(carrier, server).download("x", to: .file(folder.appending(path: "x"))).value
                    }
                    #expect(error?.code == .transport)
                    #expect(names(in: folder).allSatisfy { $0 != "x" })
                }
            },
            SharedBehaviour("1.7.3: a call is cancelled before its response and inside its body") { carrier in
                let server = try RawServer { request in
                    request.target == "/silent"
                        ? RawReply([.hang])
                        : RawReply([.send(Array("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc".utf8)), .hang])
                }
                let heard = OneShot()
                var configuration = SessionConfiguration()
                configuration.observers = [
                    ClosureObserver { event in if case .received = event.stage { heard.fire() } }
                ]
                let manager = manager(carrier, server, configuration)
                for path in ["silent", "half"] {
                    let call = manager.task(SessionRequest(path)).resume()
                    if path == "silent" { await server.requests(atLeast: 1) } else { await heard.fired() }
                    call.cancel()
                    let error = await #expect(throws: SessionError.self) { try await call.reply }
                    #expect(error?.code == .cancelled)
                }
                #expect(manager.tasks.isEmpty)
            },
            SharedBehaviour("a call ends with the clock that runs out, before its response and inside its body") {
                carrier in
                let server = try RawServer { request in
                    request.target == "/silent"
                        ? RawReply([.hang])
                        : RawReply([.send(Array("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc".utf8)), .hang])
                }
                let manager = manager(carrier, server)
                for path in ["silent", "half"] {
                    var request = SessionRequest(path)
                    request.idleTimeout = .milliseconds(200)
                    let idle = await #expect(throws: SessionError.self) { try await manager.send(request) }
                    #expect(idle?.code == .idleTimeout)
                    request.idleTimeout = .seconds(50)
                    request.totalTimeout = .milliseconds(200)
                    let total = await #expect(throws: SessionError.self) { try await manager.send(request) }
                    #expect(total?.code == .totalTimeout)
                }
            },
            SharedBehaviour("a body that is too large is stopped, announced or not") { carrier in
                let server = try RawServer { request in
                    let body = [UInt8](repeating: 0x61, count: 4 << 20)
                    guard request.target == "/announced" else {
                        return .raw(Array("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n".utf8) + body)
                    }
                    return .response(["Content-Type": "text/plain"], body: body)
                }
                for path in ["announced", "endless"] {
                    var request = SessionRequest(path)
                    request.maximumBodyBytes = 100_000
                    let error = await #expect(throws: SessionError.self) {
                        try await manager(carrier, server).send(request)
                    }
                    #expect(error?.code == .bodyTooLarge)
                }
            },
            SharedBehaviour("1.11.4: an observer hears the stages in the same order") { carrier in
                let server = try RawServer { request in
                    request.target == "/start" ? .response(status: 307, ["Location": "/end"]) : json("[1]")
                }
                let stages = Guarded<[String]>([])
                let isOver = OneShot()
                var configuration = SessionConfiguration()
                configuration.observers = [
                    ClosureObserver { event in
                        let name = String("\(event.stage)".prefix(while: \.isLetter))
                        stages.withLock { if $0.last != name { $0.append(name) } }
                        if case .finished = event.stage { isOver.fire() }
                    }
                ]
                _ = try await manager(carrier, server, configuration).send(SessionRequest("start", body: "abc"))
                await isOver.fired()
                #expect(
                    stages.withLock { $0 } == [
                        "created", "resumed", "sending", "sent", "redirected", "sending", "sent", "head", "received",
                        "serialized", "finished",
                    ])
            },
            SharedBehaviour("one connection carries call after call") { carrier in
                let server = try RawServer(always: json("1"))
                let manager = manager(carrier, server)
                for _ in 0..<5 { _ = try await manager.send("a") }
                #expect(server.connections == 1)
            },
        ]
    }
#endif
