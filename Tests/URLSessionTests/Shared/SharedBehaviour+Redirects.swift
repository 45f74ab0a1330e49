import PatchbayPlatform

#if os(Linux)
    import Foundation
    import Patchbay
    import TestSupport
    import Testing

    extension SharedBehaviour {
        static let redirects = [
            SharedBehaviour("1.12.1: a redirect is followed, with the method and body that its status leaves") {
                carrier in
                let server = try RawServer { request in
                    request.target == "/end"
                        ? echo(request)
                        : .response(status: Int(request.target.dropFirst()) ?? 500, ["Location": "/end"])
                }
                let manager = manager(carrier, server)
                for (status, method, text) in [
                    (301, "GET", ""), (302, "GET", ""), (303, "GET", ""), (307, "POST", "abc"), (308, "POST", "abc"),
                ] {
                    let reply = try await manager.send(
                        SessionRequest("\(status)", body: "abc"), as: JSON.self)
                    #expect(reply.value["method"]?.string == method)
                    #expect(reply.value["text"]?.string == text)
                    #expect(reply.head.url.path() == "/end")
                    #expect(reply.timeline.redirects == 1)
                }
            },
            SharedBehaviour("1.12.1: a redirect that is not followed is its status, with its body") { carrier in
                let server = try RawServer(always: json(#"{"moved":true}"#, status: 302, ["Location": "/b"]))
                var request = SessionRequest("a")
                request.redirects = .doNotFollow
                let error = await #expect(throws: SessionError.self) {
                    try await manager(carrier, server).send(request)
                }
                #expect(error?.head?.status == 302)
                #expect(error?.value as? JSON == ["moved": true])
                #expect(server.requests.count == 1)
            },
            SharedBehaviour(
                "1.12.1: credentials are dropped on the way to another port, and stay dropped on the way back"
            ) {
                carrier in
                let home = Guarded<URL?>(nil)
                let other = try RawServer { _ in
                    .response(status: 302, ["Location": home.withLock { $0 }?.absoluteString ?? ""])
                }
                let origin = try RawServer { request in
                    request.target == "/start"
                        ? .response(status: 302, ["Location": other.url("/middle").absoluteString]) : echo(request)
                }
                home.withLock { $0 = origin.url("/end") }
                let value = try await manager(carrier, origin).get(
                    "start", headers: ["Authorization": "Bearer secret", "X-Kept": "yes"], as: JSON.self)
                #expect(value["target"] == "/end")
                #expect(value["authorization"]?.string == nil)
                #expect(origin.requests.map { $0.fields["Authorization"] } == ["Bearer secret", nil])
                #expect(other.requests.map { $0.fields["Authorization"] } == [nil])
                #expect(origin.requests.last?.fields["X-Kept"] == "yes")
            },
            SharedBehaviour("1.12.1: a redirect to another scheme is refused, and redirects have an end") { carrier in
                let server = try RawServer { request in
                    .response(status: 302, ["Location": request.target == "/file" ? "file:///etc/hostname" : "/again"])
                }
                let manager = manager(carrier, server)
                let refused = await #expect(throws: SessionError.self) { try await manager.send("file") }
                #expect(refused?.code == .redirectRefused)
                let endless = await #expect(throws: SessionError.self) { try await manager.send("again") }
                #expect(endless?.code == .tooManyRedirects)
            },
        ]
    }
#endif
