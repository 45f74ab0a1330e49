// Everyday tasks, each as a user writes it, with no more than Patchbay imported: built in a package of its own, in Swift 5 and Swift 6
// mode. Nothing here is run.
import Foundation
import Patchbay

struct Hit: Codable, Sendable { let title: String }
struct Reading: Codable, Sendable { let value: Double }

// MARK: The tasks of the three users of the library

struct CBOR: DecodingSerializer, RequestSerializer {
    func serialize(_ body: ResponseBody, _ head: ResponseHead) throws -> [UInt8] {
        guard let first = body.data.first else { throw FormatFailure("cbor", .empty, "there is no byte") }
        return [first]
    }
    func decode<Value: Decodable & Sendable>(
        _ type: Value.Type, from body: ResponseBody, _ head: ResponseHead
    ) throws -> Value {
        throw FormatFailure("cbor", .unsupported, "only bytes can be read", offset: 0)
    }
    func write(_ value: some Encodable, as type: MediaType) throws -> Data {
        guard let bytes = value as? [UInt8] else {
            throw FormatFailure("cbor", .unsupported, "only bytes can be written")
        }
        return Data(bytes)
    }
}

struct Signer: RequestInterceptor {
    func sign(_ head: inout RequestHead, body: RequestBody?) async throws {
        guard case .data(let bytes)? = body else { return }
        head.fields["X-Signature"] = "\(bytes.count) \(head.url.path())"
    }
}

struct TableOptions: Decodable { let separator: String }

struct Table: ResponseSerializer {
    let separator: Character

    init(_ options: TableOptions) throws(FormatFailure) {
        guard let only = options.separator.first, options.separator.count == 1 else {
            throw FormatFailure("table", .range, "separator must be one character")
        }
        separator = only
    }

    func serialize(_ body: ResponseBody, _ head: ResponseHead) throws -> [[String]] {
        try body.text(head.mediaType).split(whereSeparator: \.isNewline).map { line in
            line.split(separator: separator, omittingEmptySubsequences: false).map(String.init)
        }
    }
}

func ownContentType(_ base: URL) throws -> SessionManager {
    let registry = try SerializerRegistry.standard.adding("cbor", CBOR(), types: ["application/cbor"], before: "json")
    return SessionManager(baseURL: base, registry: registry)
}

func bothWays(_ api: SessionManager, _ host: String) async throws -> [UInt8] {
    let registry = try api.registry.replacing("json", with: JSONSerializer(coding: .init(keys: .snakeCase)), host: host)
    print(registry.explain(writing: ["a": 1], in: .json, host: host), registry.explain(writing: "text"))
    let reply = try await api.send(SessionRequest("bytes", body: [1, 2] as [Int], in: .ndjson), as: [UInt8].self)
    print(reply.written?.entry ?? "no entry was asked")
    do throws(SessionError) {
        return try await api.put("bytes", body: ["a": 1], in: "application/cbor", as: [UInt8].self)
    } catch {
        switch error.code {
        case .noWriter, .writing: print(error.written?.candidates ?? [])
        default: break
        }
        throw error
    }
}

func orderByManifest(_ base: URL, _ manifest: URL) throws -> SessionManager {
    var factories = SerializerFactories.standard
    try factories.register("cbor") { CBOR() }
    try factories.register("table") { (options: TableOptions) in try Table(options) }
    return SessionManager(baseURL: base, registry: try SerializerRegistry([.file(manifest)], factories: factories))
}

func oneHost(_ base: URL, _ hosts: String) throws -> SessionManager {
    let registry = try SerializerRegistry([.text(hosts, name: "hosts.json")])
        .adding("legacy", factory: "json", types: ["text/html"], host: "legacy.example")
        .replacing("json", with: JSONSerializer(coding: .init(keys: .snakeCase, dates: .iso8601)))
    return SessionManager(baseURL: base, registry: registry)
}

// MARK: Calls

func fetch(_ api: SessionManager, _ id: Int, _ word: String, _ page: Int) async throws -> [Hit] {
    _ = try await api.get("users/{id}", path: ["id": id], as: User.self)
    let reply = try await api.send("status")
    print(reply.value, reply.decision, reply.entry ?? "none", reply.outcome)
    return try await api.get("search", query: ["q": word, "page": page], as: [Hit].self)
}

func posts(_ api: SessionManager, _ id: Int) async throws -> [Hit] {
    return try await api.get("users/{id}/posts", path: ["id": id], as: [Hit].self)
}

func signIn(_ api: SessionManager, _ name: String, _ password: String) async throws {
    try await api.post("login", body: ["user": name, "pass": password], in: .form)
    api.setHeader(try HeaderFields.basic(user: name, password: password), for: "Authorization")
    api.setHeader("Bearer \(password)", for: "Authorization")
    api.setHeader(nil, for: "Authorization")
}

func snakeCase(_ api: SessionManager, _ hit: Hit, _ tags: [String]) async throws {
    try await api.post("hits", body: try JSON(encoding: hit, options: .init(keys: .snakeCase, dates: .iso8601)))
    var query: QueryItems = ["page": 1]
    for tag in tags { query.append((name: "tag", value: tag)) }
    _ = try await api.send("hits", query: query)
}

func retryingPosts() -> RetryPolicy {
    var policy = RetryPolicy()
    policy.limit = 4
    policy.methods.insert("POST")
    return policy
}

func twoTimeouts(_ api: SessionManager) async throws -> JSON {
    var request = SessionRequest("slow")
    request.idleTimeout = .seconds(5)
    request.totalTimeout = .seconds(20)
    return try await api.send(request, as: JSON.self).value
}

@MainActor func fifty(_ api: SessionManager) async throws -> [User] {
    try await withThrowingTaskGroup(of: User.self) { group in
        for id in 1...50 { group.addTask { try await api.get("users/{id}", path: ["id": id], as: User.self) } }
        var users: [User] = []
        for try await user in group { users.append(user) }
        return users
    }
}

func pages(_ api: SessionManager) async throws -> [Hit] {
    var hits: [Hit] = []
    var target: String? = "hits"
    while let page = target {
        let reply = try await api.send(page, as: [Hit].self)
        hits += reply.value
        target = reply.head.links.first { $0.has("next") }?.target.absoluteString
    }
    return hits
}

func uploadWithProgress(_ api: SessionManager, _ film: URL) async throws {
    var request = SessionRequest("films", method: "POST", content: .file(film))
    request.onUploadProgress = { progress in print(progress.fractionCompleted ?? 0) }
    _ = try await api.send(request, as: Void.self)
}

func form(_ api: SessionManager, _ photo: URL, _ title: String) async throws {
    var form = MultipartFormData()
    form.append(title, name: "title")
    form.append(file: photo, name: "photo", type: "image/jpeg")
    try await api.upload(.multipart(form), to: "photos")
}

func downloadAndResume(_ api: SessionManager, _ file: URL) async throws -> URL {
    do throws(SessionError) {
        return try await api.download("film.mp4", to: .file(file).resumable()).value
    } catch {
        guard let rest = error.resumption else { throw error }
        return try await api.download("film.mp4", to: .file(file).resuming(rest)).value
    }
}

func rememberedResumption(_ rest: DownloadResumption) throws -> DownloadResumption {
    try JSONDecoder().decode(DownloadResumption.self, from: try JSONEncoder().encode(rest))
}

func streams(_ api: SessionManager, _ questions: AsyncStream<Hit>) async throws {
    for try await reading in try await api.stream("readings", of: Reading.self) { print(reading.value) }
    for try await event in try await api.stream("events", of: ServerSentEvent.self, reconnecting: .standard) {
        print(event.data)
    }
    let talk = SessionRequest("talk", method: "POST", content: .elements(questions, in: .ndjson))
    for try await answer in try await api.stream(talk, of: Reading.self) { print(answer) }
}

func errors(_ api: SessionManager) async -> String {
    do throws(SessionError) {
        return try await api.get("users/2", as: User.self).name
    } catch {
        switch error.code {
        case .status: return (try? error.decode(as: Problem.self))?.detail ?? "\(error)"
        case .serialization:
            return (error.cause as? FormatFailure).map { "line \($0.line ?? 0): \($0.reason)" } ?? "\(error)"
        case .transport:
            return (error.cause as? TransportFailure)?.code == .unresolvedHost ? "no such host" : "\(error)"
        default: return "\(error): \(error.original?.reason ?? error.reason)"
        }
    }
}

func mayBeMissing(_ api: SessionManager) async throws -> User? {
    var request = SessionRequest("users/9")
    request.acceptableStatus = ["2XX", 404]
    let reply = try await api.send(request)
    return reply.head.status == 404 ? nil : try reply.decode(as: User.self)
}

func firstHit(_ api: SessionManager) async throws -> Hit? {
    return try await api.get("search/first", as: Hit?.self)
}

func jsonText(_ api: SessionManager) async throws {
    try await api.post("notes", body: JSON("Crème brûlée"))
}

func conditional(_ api: SessionManager, _ earlier: Reply<Hit>) async throws -> Hit? {
    var request = SessionRequest("page")
    request.onlyIfChanged(since: earlier.head)
    return try await api.send(request, as: Hit?.self).value  // nil: it has not changed
}

func cookies(_ base: URL) throws -> SessionManager {
    var configuration = SessionConfiguration()
    configuration.cookies = CookieJar([try Cookie("theme", "dark", domain: "example.com")])
    return SessionManager(baseURL: base, configuration: configuration)
}

func connections(_ secret: String) throws -> SessionConfiguration {
    var configuration = SessionConfiguration()
    configuration.connection.connectTimeout = .seconds(3)
    configuration.connectionByHost["*.lab.example"] = ConnectionSettings(connectionsPerHost: 2)
    configuration.connection.proxy = try ProxySettings(
        "http://proxy.example:3128", user: "ada", password: secret, except: ["*.internal.example"])
    configuration.connectionByHost["api.example.com"] = ConnectionSettings(address: "127.0.0.1:8443")
    configuration.connectionByHost["v4.example.com"] = ConnectionSettings(ipVersion: .v4)
    configuration.connectionByHost["old.example.com"] = ConnectionSettings(http: .http1)
    return configuration
}

func docker(_ settings: SessionConfiguration) async throws -> JSON {
    var configuration = settings
    configuration.connectionByHost["docker.local"] = ConnectionSettings(unixSocket: "/var/run/docker.sock")
    let manager = SessionManager(configuration: configuration)
    let version = try await manager.get("http://docker.local/version", as: JSON.self)
    return version
}

func bounded(_ settings: SessionConfiguration) -> SessionConfiguration {
    var configuration = settings
    configuration.connection = ConnectionSettings(connectionsPerHost: 8, http: .http1)
    return configuration
}

func certificates(_ base: URL, _ authorities: String, _ pin: String) throws -> SessionManager {
    var configuration = SessionConfiguration()
    configuration.connection.tls = TLSSettings(certificateAuthorities: authorities)
    configuration.connection.connectionsPerHost = 2
    let pinned = ConnectionSettings(tls: TLSSettings(pinnedKeys: [try PublicKeyPin(pin)]))
    configuration.connectionByHost = ["*.bank.example": pinned]
    configuration.credentialHosts = [try HostPattern(parsing: "*.example.com")]
    return SessionManager(baseURL: base, configuration: configuration)
}

struct Log: SessionObserver {
    func observe(_ event: SessionEvent) async {
        switch event.stage {
        case .head(let head, let decision): print(head.status, decision)
        case .finished(.failure(let error)): print(error)
        default: break
        }
    }
}

func observed(_ base: URL) -> SessionManager {
    var configuration = SessionConfiguration()
    configuration.observers = [Log()]
    configuration.taskLabel = "sync"
    return SessionManager(baseURL: base, configuration: configuration)
}

struct RequestID: RequestInterceptor {
    func adapt(_ request: SessionRequest) async throws -> SessionRequest {
        var request = request
        request.headers["X-Request-ID"] = UUID().uuidString
        return request
    }
}

func validated(_ api: SessionManager) async throws -> JSON {
    struct WrongTenant: Error {}
    var request = SessionRequest("account")
    request.validators = [
        { head, body in guard head.fields["X-Tenant"] == "a", !body.isEmpty else { throw WrongTenant() } }
    ]
    return try await api.send(request, as: JSON.self).value
}

func redirected(_ api: SessionManager) async throws -> URL {
    var request = SessionRequest("old")
    request.redirects = RedirectHandler { next, head in
        next.fields["X-From"] = head.url.path()
        return true
    }
    return try await api.send(request).head.url
}

func otherSerializer(_ api: SessionManager) async throws -> String {
    var request = SessionRequest("latin")
    request.using = .factory("text", options: ["charsetOverride": "windows-1252"])
    request.excluding = ["json"]
    request.maximumBodyBytes = 1 << 20
    return try await api.send(request, as: String.self).value
}

func cancelled(_ api: SessionManager) async {
    let call = Task { try await api.get("slow", as: JSON.self) }
    call.cancel()
    for task in api.tasks where task.request.target == "slow" { task.cancel() }
    await api.shutdown(within: .seconds(10))  // lets the running calls end
    api.invalidate()  // cancels them
}

func reloaded(_ api: SessionManager, _ manifest: URL) async throws {
    try api.reload([.file(manifest)])
    let watch = Task {
        await api.watch([.file(manifest)]) { result in
            if case .failure(let failure) = result { print(failure) }
        }
    }
    watch.cancel()
}

func explained(_ registry: SerializerRegistry) {
    let decision = registry.explain(contentType: "text/csv", status: 200, host: "legacy.example", as: [CSVRow].self)
    print(decision, decision.candidates.map(\.reason), registry.notes, registry.digest)
}

func values(_ json: JSON, _ rows: [CSVRow], _ tree: XMLTree, _ image: DecodedImage, _ list: PropertyList) throws {
    print(json["users"]?[0]?["name"]?.string ?? "", json.object?.first?.key ?? "", json.serialized(pretty: true))
    print(rows.first?["name"] ?? "", tree.root["a"]?.text ?? "", image.mediaType, list["key"]?.string ?? "")
    let made: JSON = ["name": "Ada", "tags": ["a", "b"], "age": 36]
    print(try made.decode(User.self), try JSON(encoding: Hit(title: "t")), try JSON(parsing: "[1]"))
}

@MainActor final class ProgressModel {
    var fraction = 0.0

    func load(_ api: SessionManager, _ file: URL) async throws {
        let (updates, feed) = AsyncStream.makeStream(of: TransferProgress.self, bufferingPolicy: .bufferingNewest(1))
        var request = SessionRequest("film.mp4")
        request.onDownloadProgress = { feed.yield($0) }
        Task { for await update in updates { fraction = update.fractionCompleted ?? 0 } }
        defer { feed.finish() }  // also if the download fails
        _ = try await api.download(request, to: .file(file))
    }
}

/// Ages of connections.
func connectionAges() -> SessionConfiguration {
    var configuration = SessionConfiguration()
    configuration.connection.maximumConnectionAge = .seconds(300)
    configuration.connection.idleConnectionAge = .seconds(30)
    return configuration
}

/// Authorities as bytes, beside the system's.
func ownAuthorities(_ pem: String) -> SessionConfiguration {
    var configuration = SessionConfiguration()
    configuration.connection.tls?.certificateAuthorityData = Data(pem.utf8)
    configuration.connection.tls?.keepsSystemAuthorities = true
    configuration.connection.tls?.maximumVersion = .tls12
    return configuration
}
