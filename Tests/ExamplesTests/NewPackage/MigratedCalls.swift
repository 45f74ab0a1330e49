// What somebody writes who comes from AFNetworking or Alamofire: built beside `Calls.swift`, in Swift 5 and Swift 6 mode. Nothing here
// is run.
import Foundation
import Patchbay
import PatchbayMigration

#if canImport(FoundationXML)
    import FoundationXML
#endif

func callbacks(
    _ manager: SessionManager, _ url: String, _ title: String, _ page: Int, _ draft: Draft?, _ form: MultipartFormData
) {
    manager.get(url, as: User.self, success: { _ in }, failure: { _ in })
    manager.get("search", query: ["q": "a"], success: { _ in }, failure: { _ in })
    manager.post("posts", parameters: ["title": "Tea"]) { _ in
    } failure: { _ in
    }
    manager.post("posts", parameters: ["title": title, "page": page]) { _ in
    } failure: { _ in
    }
    manager.post("posts", as: User.self, parameters: draft, success: { _ in }, failure: { _ in })
    manager.put("posts/1", multipart: form, success: { _ in }, failure: { _ in })
    manager.task(SessionRequest("a")).whenDone { _ in }.resume()
}

struct Draft: Encodable { var title = "", page: Int?, tags: [String] = [] }

func parameters(
    _ manager: SessionManager, _ title: String, _ page: Int, _ note: String?, _ tags: [String], _ draft: Draft?,
    _ filters: [String: String], _ made: Parameters, _ form: MultipartFormData
) async throws {
    _ = try await manager.post(
        "posts", parameters: ["title": "Tea", "tags": ["green", 1, nil], "inner": ["a": [1, 2.5, true]]])
    _ = try await manager.post("posts", parameters: ["title": title, "page": page])
    _ = try await manager.post("posts", parameters: ["title": title, "other": title])
    _ = try await manager.get(
        "posts", as: User.self, parameters: ["title": title, "page": 1, "note": note, "tags": tags])
    _ = try await manager.get("search", parameters: ["a": 1], query: [:])
    _ = try await manager.put("posts", parameters: ["draft": draft, "made": made, "none": nil, "list": [1, 2]])
    _ = try await manager.patch(
        "posts", parameters: ["filter": ["name": .string(title), "age": 40] as Parameters, "a": page])
    _ = try await manager.delete("posts", parameters: filters)
    _ = try await manager.post("posts", as: User.self, parameters: draft)
    _ = try await manager.post("posts", parameters: Draft())
    _ = try await manager.post("posts", parameters: made)
    _ = try await manager.post("posts", parameters: [:])
    _ = try await manager.post("posts", parameters: nil)
    _ = try await manager.put("posts/1", multipart: form, as: User.self)
    _ = try await manager.send(SessionRequest("POST", "posts", parameters: ["title": title, "page": page]))
    // The verbs without parameters are there beside them.
    try await manager.post("posts", body: ["title": title])
    try await manager.delete("posts/1")
}

func responses(_ manager: SessionManager) async -> Response<User, SessionError> {
    // No call of one name is in the way of the other.
    _ = try? await manager.get("users/1", as: User.self)
    return await manager.response(SessionRequest("users/1"), as: User.self)
}

func document(_ server: URL) async throws -> Int {
    let manager = SessionManager(baseURL: server, registry: try .standard.with(.migration))
    let source = try await manager.get("feed.xml", as: XMLParserSource.self)
    return source.makeParser().lineNumber
}

func settings(_ configuration: inout SessionConfiguration) {
    configuration.requestSerializer = .alamofireForm.with { $0.rules.arrays = .noBrackets }
    configuration.interceptors = [RetryPolicy.alamofire]
    configuration.observers = [NotificationObserver()]
}
