import Foundation
import Patchbay
import PatchbayMigration
import PatchbayTesting

extension Row {
    /// The verbs and the calls of content and requests.
    static let verbs = [
        Row("SessionManager.get(_:path:query:headers:as:)") { here, ending in
            defer { here.preconditionIsolated() }
            _ = try await ending.manager.get("x", as: [Int].self)
        },
        Row("SessionManager.get(_:query:headers:as:)") { here, ending in
            defer { here.preconditionIsolated() }
            _ = try await ending.manager.get(Ending.url, as: [Int].self)
        },
        Row("SessionManager.head(_:path:query:headers:)") { here, ending in
            defer { here.preconditionIsolated() }
            _ = try await ending.manager.head("x")
        },
        Row("SessionManager.post(_:path:body:in:query:headers:as:)") { here, ending in
            defer { here.preconditionIsolated() }
            _ = try await ending.manager.post("x", body: "x", as: [Int].self)
        },
        Row("SessionManager.put(_:path:body:in:query:headers:as:)") { here, ending in
            defer { here.preconditionIsolated() }
            _ = try await ending.manager.put("x", body: "x", as: [Int].self)
        },
        Row("SessionManager.patch(_:path:body:in:query:headers:as:)") { here, ending in
            defer { here.preconditionIsolated() }
            _ = try await ending.manager.patch("x", body: "x", as: [Int].self)
        },
        Row("SessionManager.delete(_:path:query:headers:as:)") { here, ending in
            defer { here.preconditionIsolated() }
            _ = try await ending.manager.delete("x", as: [Int].self)
        },
        Row("SessionManager.upload(_:to:path:method:headers:as:)") { here, ending in
            defer { here.preconditionIsolated() }
            _ = try await ending.manager.upload(.value("x"), to: "x", as: [Int].self)
        },
        Row("SessionManager.watch(_:onChange:)", throwsFailure: false) { here, ending in
            defer { here.preconditionIsolated() }
            let manifest = ending == .success ? #"{ "manifestVersion": 1 }"# : "{"
            withUnsafeCurrentTask { $0?.cancel() }
            await ending.manager.watch([.text(manifest)]) { _ in }
        },
        Row("SessionManager.shutdown(within:)", throwsFailure: false) { here, ending in
            defer { here.preconditionIsolated() }
            let manager = ending.manager
            let call = Task { try await manager.get("x", as: [Int].self) }
            if ending == .failure { withUnsafeCurrentTask { $0?.cancel() } }
            await manager.shutdown()
            _ = await call.result
        },
        Row("SessionManager.finishObserving()", throwsFailure: false) { here, ending in
            defer { here.preconditionIsolated() }
            let manager = ending.manager
            _ = try? await manager.get("x", as: [Int].self)
            if ending == .failure { withUnsafeCurrentTask { $0?.cancel() } }
            await manager.finishObserving()
        },
        Row("SessionManager.send(_:as:)") { here, ending in
            defer { here.preconditionIsolated() }
            _ = try await ending.manager.send(SessionRequest("x"))
        },
        Row("SessionManager.send(_:path:query:headers:as:)") { here, ending in
            defer { here.preconditionIsolated() }
            _ = try await ending.manager.send("x", as: [Int].self)
        },
        Row("SessionManager.send(_:query:headers:as:)") { here, ending in
            defer { here.preconditionIsolated() }
            _ = try await ending.manager.send(Ending.url, as: [Int].self)
        },
        Row("SessionManager.stream(_:path:query:headers:of:reconnecting:)") { here, ending in
            defer { here.preconditionIsolated() }
            _ = try await ending.manager.stream("x", of: [Int].self)
        },
        Row("SessionManager.stream(_:of:reconnecting:)") { here, ending in
            defer { here.preconditionIsolated() }
            _ = try await ending.manager.stream(SessionRequest("x"))
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
    ]

    /// Those of `PatchbayMigration` that take parameters.
    static let parameters = [
        Row("SessionManager.get(_:parameters:query:headers:)") { here, ending in
            defer { here.preconditionIsolated() }
            _ = try await ending.manager.get("x", parameters: ["n": 1])
        },
        Row("SessionManager.get(_:as:parameters:query:headers:)") { here, ending in
            defer { here.preconditionIsolated() }
            _ = try await ending.manager.get("x", as: [Int].self, parameters: ["n": 1])
        },
        Row("SessionManager.head(_:parameters:query:headers:)") { here, ending in
            defer { here.preconditionIsolated() }
            _ = try await ending.manager.head("x", parameters: ["n": 1])
        },
        Row("SessionManager.post(_:parameters:query:headers:)") { here, ending in
            defer { here.preconditionIsolated() }
            _ = try await ending.manager.post("x", parameters: ["n": 1])
        },
        Row("SessionManager.post(_:as:parameters:query:headers:)") { here, ending in
            defer { here.preconditionIsolated() }
            _ = try await ending.manager.post("x", as: [Int].self, parameters: ["n": 1])
        },
        Row("SessionManager.put(_:parameters:query:headers:)") { here, ending in
            defer { here.preconditionIsolated() }
            _ = try await ending.manager.put("x", parameters: ["n": 1])
        },
        Row("SessionManager.put(_:as:parameters:query:headers:)") { here, ending in
            defer { here.preconditionIsolated() }
            _ = try await ending.manager.put("x", as: [Int].self, parameters: ["n": 1])
        },
        Row("SessionManager.patch(_:parameters:query:headers:)") { here, ending in
            defer { here.preconditionIsolated() }
            _ = try await ending.manager.patch("x", parameters: ["n": 1])
        },
        Row("SessionManager.patch(_:as:parameters:query:headers:)") { here, ending in
            defer { here.preconditionIsolated() }
            _ = try await ending.manager.patch("x", as: [Int].self, parameters: ["n": 1])
        },
        Row("SessionManager.delete(_:parameters:query:headers:)") { here, ending in
            defer { here.preconditionIsolated() }
            _ = try await ending.manager.delete("x", parameters: ["n": 1])
        },
        Row("SessionManager.delete(_:as:parameters:query:headers:)") { here, ending in
            defer { here.preconditionIsolated() }
            _ = try await ending.manager.delete("x", as: [Int].self, parameters: ["n": 1])
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
    ]

    static let downloads = [
        Row("SessionManager.download(_:path:query:headers:to:)") { here, ending in
            defer { here.preconditionIsolated() }
            _ = try await ending.manager.download("x", to: .file(Ending.newFile()))
        },
        Row("SessionManager.download(_:to:)") { here, ending in
            defer { here.preconditionIsolated() }
            _ = try await ending.manager.download(SessionRequest("x"), to: .file(Ending.newFile()))
        },
        Row("SessionManager.download(_:to:as:)") { here, ending in
            defer { here.preconditionIsolated() }
            _ = try await ending.manager.download(SessionRequest("x"), to: .file(Ending.newFile()), as: [Int].self)
        },
    ]

    /// Those that return what went wrong, and those whose call was made before.
    static let responses = [
        Row("SessionManager.response(_:as:)", throwsFailure: false) { here, ending in
            defer { here.preconditionIsolated() }
            _ = await ending.manager.response(SessionRequest("x"), as: [Int].self)
        },
        Row("SessionManager.response(_:to:)", throwsFailure: false) { here, ending in
            defer { here.preconditionIsolated() }
            _ = await ending.manager.response(SessionRequest("x"), to: .file(Ending.newFile()))
        },
        Row("SessionManager.response(_:to:as:)", throwsFailure: false) { here, ending in
            defer { here.preconditionIsolated() }
            _ = await ending.manager.response(
                SessionRequest("x"), to: .file(Ending.newFile()), as: [Int].self)
        },
        Row("SessionManager.pair(_:_:)", throwsFailure: false) { here, ending in
            defer { here.preconditionIsolated() }
            _ = await ending.manager.pair(SessionRequest("x"), .json)
        },
        Row("ResponseCache.clear()", throwsFailure: false) { here, _ in
            defer { here.preconditionIsolated() }
            await ResponseCache.memory(bytes: 1_000).clear()
        },
        Row("DataTask.reply") { here, ending in
            defer { here.preconditionIsolated() }
            _ = try await ending.manager.task(SessionRequest("x"), as: [Int].self).resume().reply
        },
    ]
}
