import Foundation
import Patchbay
import PatchbayMigration

extension Row {
    /// The verbs and the calls of content and requests.
    static let verbs = [
        Row("SessionManager.get(_:parameters:query:headers:)") { here, ending in
            defer { here.preconditionIsolated() }
            _ = try await ending.manager.get("x")
        },
        Row("SessionManager.get(_:as:parameters:query:headers:)") { here, ending in
            defer { here.preconditionIsolated() }
            _ = try await ending.manager.get("x", as: [Int].self)
        },
        Row("SessionManager.stream(_:of:parameters:query:headers:reconnecting:)") { here, ending in
            defer { here.preconditionIsolated() }
            _ = try await ending.manager.stream("x", of: [Int].self)
        },
        Row("SessionManager.stream(_:parameters:query:headers:reconnecting:)") { here, ending in
            defer { here.preconditionIsolated() }
            _ = try await ending.manager.stream("x")
        },
        Row("SessionManager.stream(_:reconnecting:)") { here, ending in
            defer { here.preconditionIsolated() }
            _ = try await ending.manager.stream(SessionRequest("GET", "x"))
        },
        Row("SessionManager.stream(_:of:reconnecting:)") { here, ending in
            defer { here.preconditionIsolated() }
            _ = try await ending.manager.stream(SessionRequest("GET", "x"), of: [Int].self)
        },
        Row("ResponseStream.AsyncIterator.next(isolation:)") { here, ending in
            let transport = StubTransport { _ in
                StubReply(
                    fields: ["Content-Type": "application/json"], chunks: [Data("[1]".utf8)],
                    failure: ending == .success ? nil : TransportFailure(.lostConnection, "the connection was lost"))
            }
            let manager = SessionManager(
                baseURL: URL(string: "http://origin.test/"), registry: .standard, transport: transport)
            var iterator = try await manager.stream("x", of: JSON.self).makeAsyncIterator()
            defer { here.preconditionIsolated() }
            while try await iterator.next(isolation: here) != nil {}
        },
        Row("SessionManager.head(_:parameters:query:headers:)") { here, ending in
            defer { here.preconditionIsolated() }
            _ = try await ending.manager.head("x")
        },
        Row("SessionManager.post(_:_:parameters:headers:)") { here, ending in
            defer { here.preconditionIsolated() }
            _ = try await ending.manager.post("x")
        },
        Row("SessionManager.post(_:_:as:parameters:headers:)") { here, ending in
            defer { here.preconditionIsolated() }
            _ = try await ending.manager.post("x", as: [Int].self)
        },
        Row("SessionVerb.callAsFunction(_:multipart:parameters:headers:)") { here, ending in
            defer { here.preconditionIsolated() }
            _ = try await ending.manager.post("x", multipart: MultipartFormData())
        },
        Row("SessionVerb.callAsFunction(_:multipart:parameters:as:headers:)") { here, ending in
            defer { here.preconditionIsolated() }
            _ = try await ending.manager.put("x", multipart: MultipartFormData(), as: [Int].self)
        },
        Row("SessionVerb.callAsFunction(_:parameters:query:headers:)") { here, ending in
            defer { here.preconditionIsolated() }
            _ = try await ending.manager.post("x", parameters: ["ending": ending.rawValue, "number": 1])
        },
        Row("SessionVerb.callAsFunction(_:as:parameters:query:headers:)") { here, ending in
            defer { here.preconditionIsolated() }
            _ = try await ending.manager.post(
                "x", as: [Int].self, parameters: ["ending": ending.rawValue, "number": 1])
        },
        Row("SessionVerb.callAsFunction(_:parameters:query:headers:)") { here, ending in
            defer { here.preconditionIsolated() }
            _ = try await ending.manager.get("x", parameters: [ending.rawValue: ending.rawValue].mapValues(\.count))
        },
        Row("SessionVerb.callAsFunction(_:as:parameters:query:headers:)") { here, ending in
            defer { here.preconditionIsolated() }
            _ = try await ending.manager.get(
                "x", as: [Int].self, parameters: [ending.rawValue: 1].mapValues(\.description))
        },
        Row("SessionManager.put(_:_:parameters:headers:)") { here, ending in
            defer { here.preconditionIsolated() }
            _ = try await ending.manager.put("x")
        },
        Row("SessionManager.put(_:_:as:parameters:headers:)") { here, ending in
            defer { here.preconditionIsolated() }
            _ = try await ending.manager.put("x", as: [Int].self)
        },
        Row("SessionManager.patch(_:_:parameters:headers:)") { here, ending in
            defer { here.preconditionIsolated() }
            _ = try await ending.manager.patch("x")
        },
        Row("SessionManager.patch(_:_:as:parameters:headers:)") { here, ending in
            defer { here.preconditionIsolated() }
            _ = try await ending.manager.patch("x", as: [Int].self)
        },
        Row("SessionManager.delete(_:parameters:query:headers:)") { here, ending in
            defer { here.preconditionIsolated() }
            _ = try await ending.manager.delete("x")
        },
        Row("SessionManager.delete(_:as:parameters:query:headers:)") { here, ending in
            defer { here.preconditionIsolated() }
            _ = try await ending.manager.delete("x", as: [Int].self)
        },
        Row("SessionManager.request(_:_:_:parameters:query:headers:)") { here, ending in
            defer { here.preconditionIsolated() }
            _ = try await ending.manager.request("GET", "x")
        },
        Row("SessionManager.request(_:_:_:as:parameters:query:headers:)") { here, ending in
            defer { here.preconditionIsolated() }
            _ = try await ending.manager.request("GET", "x", as: [Int].self)
        },
        Row("SessionManager.send(_:)") { here, ending in
            defer { here.preconditionIsolated() }
            _ = try await ending.manager.send(SessionRequest("GET", "x"))
        },
        Row("SessionManager.send(_:as:)") { here, ending in
            defer { here.preconditionIsolated() }
            _ = try await ending.manager.send(SessionRequest("GET", "x"), as: [Int].self)
        },
        Row("SessionManager.upload(_:to:method:headers:)") { here, ending in
            defer { here.preconditionIsolated() }
            _ = try await ending.manager.upload(.text("x"), to: "x")
        },
        Row("SessionManager.upload(_:to:as:method:headers:)") { here, ending in
            defer { here.preconditionIsolated() }
            _ = try await ending.manager.upload(.text("x"), to: "x", as: [Int].self)
        },
        Row("SessionManager.upload(_:)") { here, ending in
            defer { here.preconditionIsolated() }
            _ = try await ending.manager.upload(SessionRequest("POST", "x"))
        },
        Row("SessionManager.upload(_:as:)") { here, ending in
            defer { here.preconditionIsolated() }
            _ = try await ending.manager.upload(SessionRequest("POST", "x"), as: [Int].self)
        },
    ]

    static let downloads = [
        Row("SessionManager.download(_:to:headers:)") { here, ending in
            defer { here.preconditionIsolated() }
            _ = try await ending.manager.download("x", to: Ending.newFile())
        },
        Row("SessionManager.download(_:to:)") { here, ending in
            defer { here.preconditionIsolated() }
            _ = try await ending.manager.download(SessionRequest("GET", "x"), to: .file(Ending.newFile()))
        },
        Row("SessionManager.download(_:to:as:)") { here, ending in
            defer { here.preconditionIsolated() }
            _ = try await ending.manager.download(
                SessionRequest("GET", "x"), to: .file(Ending.newFile()), as: [Int].self)
        },
        Row("SessionManager.download(_:resuming:)") { here, ending in
            defer { here.preconditionIsolated() }
            let (manager, rest) = try await ending.brokenDownload()
            _ = try await manager.download(SessionRequest("GET", "x"), resuming: rest)
        },
        Row("SessionManager.download(_:resuming:as:)") { here, ending in
            defer { here.preconditionIsolated() }
            let (manager, rest) = try await ending.brokenDownload()
            _ = try await manager.download(SessionRequest("GET", "x"), resuming: rest, as: [Int].self)
        },
    ]

    /// Those that return what went wrong, and those whose call was made before.
    static let responses = [
        Row("SessionManager.response(_:)", throwsFailure: false) { here, ending in
            defer { here.preconditionIsolated() }
            _ = await ending.manager.response(SessionRequest("GET", "x"))
        },
        Row("SessionManager.response(_:as:)", throwsFailure: false) { here, ending in
            defer { here.preconditionIsolated() }
            _ = await ending.manager.response(SessionRequest("GET", "x"), as: [Int].self)
        },
        Row("SessionManager.response(_:to:)", throwsFailure: false) { here, ending in
            defer { here.preconditionIsolated() }
            _ = await ending.manager.response(SessionRequest("GET", "x"), to: .file(Ending.newFile()))
        },
        Row("SessionManager.response(_:to:as:)", throwsFailure: false) { here, ending in
            defer { here.preconditionIsolated() }
            _ = await ending.manager.response(
                SessionRequest("GET", "x"), to: .file(Ending.newFile()), as: [Int].self)
        },
        Row("SessionManager.pair(_:_:)", throwsFailure: false) { here, ending in
            defer { here.preconditionIsolated() }
            _ = await ending.manager.pair(SessionRequest("GET", "x"), .json)
        },
        Row("DataTask.reply") { here, ending in
            defer { here.preconditionIsolated() }
            _ = try await ending.manager.task(SessionRequest("GET", "x"), as: [Int].self).resume().reply
        },
    ]
}
