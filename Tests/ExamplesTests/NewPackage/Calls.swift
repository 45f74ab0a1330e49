// What a user writes, with no more than Patchbay imported: built in a package of its own, in Swift 5 and Swift 6 mode. Nothing here
// is run.
import Foundation
import Patchbay

struct User: Decodable, Sendable { let id: Int, name: String }

func targets(_ manager: SessionManager, _ text: String, _ url: URL, _ content: RequestContent) async throws {
    _ = try await manager.get("users/1")
    _ = try await manager.get("users/\(text)")
    _ = try await manager.get(text)
    _ = try await manager.get(text.prefix(2))
    _ = try await manager.get(url)
    let user = try await manager.get(url, as: User.self)
    let name: String = try await manager.get("users/\(user.id)", as: User.self).name
    _ = try await manager.head(url)
    _ = try await manager.post(url, content)
    _ = try await manager.post(url, as: User.self, parameters: ["name": .string(name)])
    _ = try await manager.put(url, .json(["name": name]), as: User.self)
    _ = try await manager.patch(url, content)
    _ = try await manager.delete(url, as: EmptyValue.self)
    _ = try await manager.request("QUERY", url)
    _ = try await manager.request("QUERY", "users", as: User.self, query: ["q": "a"])
    _ = try await manager.upload(content, to: url)
    _ = try await manager.upload(content, to: "users", as: User.self, method: "PUT")
    _ = try await manager.download(url, to: url)
    _ = try await manager.post(url, multipart: MultipartFormData(), as: User.self)
    _ = try await manager.send(SessionRequest("users/1"))
    _ = try await manager.send(SessionRequest("POST", "users"), as: User.self)
    _ = [SessionRequest(url), SessionRequest("PUT", url), SessionRequest(url: url), SessionRequest(text, text)]
}

func queries(
    _ manager: SessionManager, _ text: String, _ dictionary: [String: String], _ pairs: [(name: String, value: String)],
    _ ordered: KeyValuePairs<String, String>, _ items: [URLQueryItem]
) async throws {
    _ = try await manager.get("search", query: ["q": "a", "q": "b"])
    _ = try await manager.get("search", as: User.self, query: ["q": text, "r": "\(text)"])
    _ = try await manager.get("search", query: [("q", "a"), ("q", text)])
    _ = try await manager.get("search", query: [(name: "q", value: "a")])
    _ = try await manager.get("search", parameters: ["a": 1], query: [:])
    _ = try await manager.get("search", query: QueryItems(dictionary))
    _ = try await manager.get("search", query: QueryItems(pairs))
    _ = try await manager.delete("search", query: .init(ordered))
    _ = try await manager.request("GET", "search", query: .init(items))
    var request = SessionRequest("search", query: ["q": "a"])
    request.query = ["q": text]
    request.query.append((name: "r", value: text))
    request.query += pairs
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
    _ = try await manager.get("posts", query: ["title": title, "page": page, "note": note, "all": true])
    _ = try await manager.send(SessionRequest("POST", "posts", parameters: ["title": title, "page": page]))
    _ = HeaderFields(filters)
}

func statuses(_ low: Int, _ high: Int) throws {
    var request = SessionRequest("a")
    request.acceptableStatus = 200..<300
    request.acceptableStatus = 200...299
    request.acceptableStatus = [200, 404]
    request.acceptableStatus = ["2XX", 404, 500..<504]
    request.acceptableStatus = "2XX"
    request.acceptableStatus = 304
    request.acceptableStatus = try StatusSet(low..<high)
    request.acceptableStatus = try StatusSet(["2XX"])
    request.validators = [.status([304]), .status("3XX"), .status(200..<300), .status()]
    let range = low..<high
    let constant = 0..<3
    for number in 0..<3 where range.contains(number) && constant.contains(number) && (1...9).contains(number) {}
    switch low {
    case 200..<300, 400...499: break
    default: break
    }
    _ = Array(0..<3) + [1, 2, 3][0...1]
}

@MainActor func onTheMainActor(_ manager: SessionManager, _ url: URL) async throws -> User {
    _ = try await manager.get(url)
    return try await manager.get("users/1", as: User.self, query: ["q": "a"])
}

actor Caller {
    let manager = SessionManager(baseURL: URL(string: "http://127.0.0.1:8080"))

    func call(_ url: URL) async throws -> User {
        _ = try await manager.get(url)
        try manager.reload(manifests: [url])
        _ = try await manager.post("users", parameters: ["url": url, "page": 1])
        return try await manager.get("users/1", as: User.self, query: ["q": "a"])
    }
}
