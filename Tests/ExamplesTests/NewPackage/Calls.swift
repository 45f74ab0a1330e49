// What a user writes, with no more than Patchbay imported: built in a package of its own, in Swift 5 and Swift 6 mode. Nothing here
// is run.
import Foundation
import Patchbay

struct User: Codable, Sendable { let id: Int, name: String }

func verbs(_ manager: SessionManager, _ text: String, _ url: URL, _ user: User?) async throws {
    let user = try await manager.get("users/{name}", path: ["name": text], as: User.self)
    let users: [User] = try await manager.get(text, query: ["page": 1], headers: ["X-A": "1"], as: [User].self)
    let name: String = try await manager.get("users/\(user.id)", as: User.self).name
    let length = try await manager.head("users/1").fields["Content-Length"]
    try await manager.post("users", body: user)
    let made = try await manager.post("users", body: user, as: User.self)
    try await manager.post("login", body: ["user": name, "pass": text], in: .form)
    try await manager.post("notes", body: text)
    try await manager.post("notes", body: "a note of \(name)", in: "text/markdown")
    try await manager.post("rows", body: users, in: .ndjson)
    try await manager.post("numbers", body: 7, query: ["page": 1])
    try await manager.post("seen")
    try await manager.put("users/1", body: ["name": JSON(name), "age": JSON(users.count)] as JSON)
    try await manager.patch("users/1", body: ["age": users.count])
    try await manager.delete("users/1")
    try? await manager.delete("users/{id}", path: ["id": made.id])
    let gone = try await manager.delete("users/1", as: User.self)
    let anything: any Sendable = try await manager.put("users/1", body: gone, as: (any Sendable).self)
    print(anything, length ?? "none")
}

func requests(_ manager: SessionManager, _ text: String, _ url: URL, _ content: RequestContent, _ user: User)
    async throws
{
    let reply = try await manager.send("status")
    print(reply.value, reply.decision)
    _ = try await manager.send(text, query: ["q": text], as: User.self)
    _ = try await manager.send(SessionRequest(url: url))
    _ = try await manager.send(.init("users/1"))
    _ = try await manager.send(SessionRequest("users", method: "QUERY", query: ["q": "a"]), as: User.self).value
    _ = try await manager.send(SessionRequest("users", body: user), as: Void.self)
    _ = try await manager.send(SessionRequest("users", method: "PUT", body: ["n": 1], in: .form))
    _ = try await manager.send(SessionRequest(url: url, method: "POST", content: content))
    for try await row in try await manager.stream("rows", of: User.self) { print(row.name) }
    for try await row in try await manager.stream(text) { print(row) }
    for try await row in try await manager.stream(SessionRequest("rows", body: user), of: User.self) { print(row.id) }
    _ = try await manager.download("film.mp4").value
    _ = try await manager.download("film.mp4", query: ["q": text], to: .file(url).resumable())
    _ = try await manager.download(SessionRequest(url: url), to: .folder(url))
}

func contents(
    _ manager: SessionManager, _ file: URL, _ chunks: AsyncStream<Data>, _ users: AsyncStream<User>,
    _ form: MultipartFormData,
    _ digest: @escaping @Sendable () -> String
) async throws {
    try await manager.upload(.file(file), to: "films")
    try await manager.upload(.data(Data(), type: "image/png"), to: "films", method: "PUT", headers: ["X-A": "1"])
    try await manager.upload(.multipart(form), to: "photos")
    let kept = try await manager.upload(.stream(chunks, type: .octetStream, length: 12), to: "films", as: User.self)
    try await manager.upload(.elements(users, in: .ndjson), to: "rows")
    try await manager.upload(.value([kept], in: "application/json-seq"), to: "rows")
    try await manager.upload(
        .file(file).trailers("Content-Digest") { ["Content-Digest": digest()] }, to: "films")
    try await manager.upload(RequestContent("text/csv") { .data(Data("a,b".utf8)) }, to: "tables")
}

func queries(
    _ manager: SessionManager, _ text: String, _ dictionary: [String: String], _ pairs: [(name: String, value: String)],
    _ items: [URLQueryItem], _ page: Int, _ note: String?
) async throws {
    _ = try await manager.send("search", query: ["q": "a", "q": "b"])
    _ = try await manager.get("search", query: ["q": text, "r": "\(text)"], as: User.self)
    _ = try await manager.send("search", query: [("q", "a"), ("q", text)])
    _ = try await manager.send("search", query: [(name: "q", value: "a")])
    _ = try await manager.send("search", query: [:])
    _ = try await manager.send("search", query: QueryItems(dictionary))
    _ = try await manager.send("search", query: QueryItems(pairs))
    _ = try await manager.send(SessionRequest("search", method: "DELETE", query: .init(dictionary)))
    _ = try await manager.send(SessionRequest("search", query: .init(items)))
    _ = try await manager.send("posts", query: ["title": text, "page": page, "note": note, "all": true])
    var request = SessionRequest("search", query: ["q": "a"])
    request.query = ["q": text]
    request.query.append((name: "r", value: text))
    request.query += pairs
    _ = HeaderFields(dictionary)
}

func statuses(_ low: Int, _ high: Int) throws {
    var request = SessionRequest("a")
    request.acceptableStatus = "200-299"
    request.acceptableStatus = StatusSet(200...299)
    request.acceptableStatus = [200, 404]
    request.acceptableStatus = ["2XX", 404, "500-503"]
    request.acceptableStatus = "2XX"
    request.acceptableStatus = 304
    request.acceptableStatus = StatusSet(low...high)
    request.acceptableStatus = try StatusSet(parsing: ["2XX"])
    request.validators = [{ head, body in guard head.status == low, !body.isEmpty else { throw CancellationError() } }]
    let range = low..<high
    let constant = 0..<3
    for number in 0..<3 where range.contains(number) && constant.contains(number) && (1...9).contains(number) {}
    switch low {
    case 200..<300, 400...499: break
    default: break
    }
    _ = Array(0..<3) + [1, 2, 3][0...1]
}

@MainActor func onTheMainActor(_ manager: SessionManager, _ text: String) async throws -> User {
    _ = try await manager.send(text)
    try await manager.post("users", body: ["name": text])
    return try await manager.get("users/1", query: ["q": "a"], as: User.self)
}

actor Caller {
    let manager = SessionManager(baseURL: URL(string: "http://127.0.0.1:8080"))

    func call(_ text: String, _ manifest: URL) async throws -> User {
        _ = try await manager.send(text)
        try manager.reload([.file(manifest)])
        try await manager.post("users", body: ["url": text])
        return try await manager.get("users/1", query: ["q": "a"], as: User.self)
    }
}
