import Foundation
import Patchbay

/// What the page on requests shows, for `RequestsPageTests` to run and to compare.
enum RequestExamples {
    struct Order: Codable, Sendable { let item: String, count: Int }
    struct Visit: Codable, Sendable { let userName: String, startedAt: Date }
    struct Basket: Codable, Sendable {
        let buyer: [String: String], tags: [String], lines: [Order]
    }

    static func value(_ manager: SessionManager, _ order: Order) async throws -> Order {
        let made = try await manager.post("orders", body: order, as: Order.self)
        try await manager.put("orders/1", body: order)  // without `as:` only the status is judged
        return made
    }

    static func format(_ manager: SessionManager, _ order: Order) async throws {
        try await manager.post("orders", body: order, in: .form)
        try await manager.put("orders/1", body: order, in: "application/x-plist")
    }

    static func host(_ manager: SessionManager, _ order: Order) async throws {
        try await manager.post("https://legacy.example/orders", body: order)
    }

    static func patched(_ manager: SessionManager, _ count: Int, _ note: String?) async throws {
        let change: JSON = ["count": JSON(count), "note": try JSON(encoding: note), "state": "open"]
        try await manager.patch("orders/1", body: change, in: "application/merge-patch+json")
    }

    static func bytes(_ manager: SessionManager, _ png: Data) async throws {
        try await manager.put("photos/1", body: png, in: "image/png")
        try await manager.post("notes", body: "Crème brûlée")
        try await manager.post("notes", body: "Crème brûlée", in: "text/plain; charset=iso-8859-1")
    }

    static func cookies(of file: URL, _ calls: (CookieJar) async throws -> Void) async throws {
        let jar = try FileManager.default.fileExists(atPath: file.path) ? CookieJar(contentsOf: file) : CookieJar()
        try await calls(jar)
        try jar.write(to: file)  // without session cookies; only you can read the file
    }

    static func keepLogin(in jar: CookieJar) {
        for cookie in jar.cookies where cookie.name == "login" { jar.set(cookie) }
    }

    struct CookieLog: SessionObserver {
        func observe(_ event: SessionEvent) async {
            guard case .cookies(let report) = event.stage else { return }
            for notice in report where notice.name == "login" { print(notice) }
        }
    }

    static func coded(_ manager: SessionManager, _ visit: Visit) async throws -> Visit {
        let answer = try await manager.post("visits", body: visit, as: Visit.self)
        return answer
    }

    static func codedInCode(_ manager: SessionManager) throws {
        let options = JSON.CodingOptions(keys: .snakeCase, dates: .iso8601)
        manager.registry = try manager.registry.replacing("json", with: JSONSerializer(coding: options))
    }

    static func pinned(_ configuration: inout SessionConfiguration, _ current: String, _ next: String) throws {
        let pins: Set = [try PublicKeyPin(current), try PublicKeyPin(next)]
        configuration.connectionByHost["*.bank.example"] = ConnectionSettings(tls: TLSSettings(pinnedKeys: pins))
    }

    static func certified(_ configuration: inout SessionConfiguration) {
        configuration.connection.tls?.clientCertificate = ClientCertificate(
            certificate: "client.pem", key: "client.key")
    }

    static func codedOnce(_ manager: SessionManager, _ visit: Visit) async throws -> Visit {
        let options = JSON.CodingOptions(keys: .snakeCase, dates: .iso8601)
        var request = SessionRequest("visits", body: try JSON(encoding: visit, options: options))
        request.using = .serializer(JSONSerializer(coding: options))
        let answer = try await manager.send(request, as: Visit.self).value
        return answer
    }

    static func elements(_ manager: SessionManager, _ orders: [Order], _ queue: AsyncStream<Order>) async throws {
        try await manager.post("orders", body: orders, in: .ndjson)
        try await manager.put("prices", body: [["tea", "2.50"], ["coffee", "3.20"]], in: "text/csv")
        try await manager.upload(.elements(queue, in: .ndjson), to: "orders")
    }

    static func rows(_ manager: SessionManager, _ queue: AsyncStream<Order>) async throws {
        try await manager.upload(.elements(queue, in: "text/csv"), to: "orders")
    }

    static func decodedElements(_ manager: SessionManager, _ decoder: JSONDecoder) async throws -> [Visit] {
        var visits: [Visit] = []
        for try await element in try await manager.stream("visits", of: JSON.self) {
            visits.append(try decoder.decode(Visit.self, from: Data(element.serialized().utf8)))
        }
        return visits
    }

    static func form(_ manager: SessionManager, _ photo: URL, _ png: Data, _ order: Order) async throws {
        var form = MultipartFormData()
        form.append("Tea", name: "title")
        form.append(file: photo, name: "photo")
        form.append(png, name: "thumbnail", fileName: "small.png", type: "image/png")
        form.append(.value(order, in: .json), headers: ["Content-Disposition": #"form-data; name="order""#])
        try await manager.upload(.multipart(form), to: "photos")
    }

    struct TSV: ResponseSerializer, RequestSerializer {
        func serialize(_ body: ResponseBody, _ head: ResponseHead) throws -> [[String]] {
            try body.text(head.mediaType).split(whereSeparator: \.isNewline).map { line in
                line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
            }
        }

        func write(_ value: some Encodable, as type: MediaType) throws -> Data {
            guard let rows = value as? [[String]] else {
                throw FormatFailure("tsv", .unsupported, "the value is not a list of rows")
            }
            return Data(rows.map { $0.joined(separator: "\t") + "\n" }.joined().utf8)
        }
    }

    static func ownTypeInCode() throws -> SerializerRegistry {
        let registry = try SerializerRegistry.standard.adding("tsv", TSV(), types: ["text/tab-separated-values"])
        return registry
    }

    /// JSON in the charset that Content-Type names.
    struct CharsetJSON: UnwrappingSerializer {
        func unwrap(_ body: ResponseBody, _ head: ResponseHead) throws -> (ResponseBody, MediaType) {
            (ResponseBody(Array(try body.text(head.mediaType).utf8)), .json)
        }
    }

    static func unwrapping() throws -> SerializerRegistry {
        let registry = try SerializerRegistry.standard.adding("charset-json", CharsetJSON(), types: ["@json"])
        return registry
    }

    static func ownTypeByManifest(_ manifest: URL) throws -> SerializerRegistry {
        var factories = SerializerFactories.standard
        try factories.register("tsv") { TSV() }
        let registry = try SerializerRegistry([.file(manifest)], factories: factories)
        return registry
    }

    static func ownType(_ manager: SessionManager, _ rows: [[String]]) async throws -> [[String]] {
        let table = try await manager.post("tables", body: rows, in: "text/tab-separated-values", as: [[String]].self)
        return table
    }

    /// A line for each member, such as `item: "tea"`.
    struct Fields: DecodingSerializer, RequestSerializer {
        func serialize(_ body: ResponseBody, _ head: ResponseHead) throws -> JSON {
            let lines = try body.text(head.mediaType).split(whereSeparator: \.isNewline)
            let members = try lines.map { line in
                let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
                return (key: String(parts.first ?? ""), value: try JSON(parsing: String(parts.last ?? "")))
            }
            return JSON(members)
        }

        func decode<Value: Decodable & Sendable>(
            _ type: Value.Type, from body: ResponseBody, _ head: ResponseHead
        ) throws -> Value {
            try serialize(body, head).decode(type)
        }

        func write(_ value: some Encodable, as type: MediaType) throws -> Data {
            guard let members = try JSON(encoding: value).object else {
                throw FormatFailure("fields", .unsupported, "the value is not an object")
            }
            return Data(members.map { "\($0.key): \($0.value.serialized())\n" }.joined().utf8)
        }
    }

    struct Enveloped: RequestSerializer {
        func write(_ value: some Encodable, as type: MediaType) throws -> Data {
            let body: JSON = ["data": try JSON(encoding: value)]
            return Data(body.serialized().utf8)
        }
    }

    struct Envelope<Content: Decodable & Sendable>: Decodable, Sendable { let data: Content }

    static func enveloped(_ manager: SessionManager) async throws -> Order {
        let order = try await manager.get("orders/1", as: Envelope<Order>.self).data
        return order
    }

    struct DataMember: UnwrappingSerializer {
        func unwrap(_ body: ResponseBody, _ head: ResponseHead) throws -> (ResponseBody, MediaType) {
            let type = head.mediaType ?? .json
            guard let data = try JSON(parsing: body.text())["data"] else { return (body, type) }
            return (ResponseBody(Array(data.serialized().utf8)), type)
        }
    }

    static func unwrapped() throws -> SerializerRegistry {
        let registry = try SerializerRegistry.standard.adding(
            "data-member", DataMember(), types: ["@json"], host: "api.example.com")
        return registry
    }

    static func oneSide(_ manager: SessionManager) throws {
        manager.registry = try manager.registry.replacing("json", with: Enveloped(), host: "api.example.com")
    }

    static func explained(_ manager: SessionManager, _ order: Order) async throws {
        print(manager.registry.explain(writing: order, host: "api.example.com"))
        let reply = try await manager.send(SessionRequest("orders", body: order))
        print(reply.written?.entry ?? "no entry was asked")
    }

    static func retrying(_ configuration: inout SessionConfiguration) {
        var retries = RetryPolicy()
        retries.methods.insert("POST")  // only if the server takes a repeated POST for one
        configuration.interceptors = [retries]
    }

    /// Sends a GET that got a 503 again after each of these pauses.
    struct SteppedRetries: RequestInterceptor {
        var pauses: [Duration] = [.milliseconds(100), .seconds(1), .seconds(5)]

        func retry(_ request: SessionRequest, after error: SessionError) async -> RetryDecision {
            guard request.method == "GET", error.head?.status == 503, error.retries < pauses.count else {
                return .doNotRetry
            }
            return .retryAfter(pauses[error.retries])
        }
    }

    static func stepped(_ configuration: inout SessionConfiguration) {
        configuration.interceptors = [SteppedRetries(), RetryPolicy()]
    }

    static func refreshing(_ base: URL, _ stored: BearerScheme.Credential) -> SessionManager {
        struct Token: Decodable { let access: String }
        let signIn = SessionManager(baseURL: base)  // not the one below, whose calls wait for the refresh
        let scheme = BearerScheme { old in
            let token = try await signIn.post("token", body: ["refresh": old.refreshToken], as: Token.self)
            return BearerScheme.Credential(token: token.access, refreshToken: old.refreshToken)
        }
        var configuration = SessionConfiguration()
        configuration.interceptors = [AuthenticationInterceptor(scheme, credential: stored), RetryPolicy()]
        return SessionManager(baseURL: base, configuration: configuration)
    }

    static func settings() -> ConnectionSettings {
        ConnectionSettings(
            tls: TLSSettings(), connectionsPerHost: nil, connectTimeout: .seconds(10), proxy: .environment,
            unixSocket: nil, address: nil, ipVersion: nil, http: .automatic, maximumConnectionAge: nil,
            idleConnectionAge: nil)
    }

    static func resuming(_ configuration: inout SessionConfiguration) {
        configuration.interceptors = [RetryPolicy()]
    }

    static func resumed(_ api: SessionManager, _ file: URL) async throws -> URL {
        return try await api.download("film.mp4", to: .file(file).resumable()).value
    }

    struct Signer: RequestInterceptor {
        enum Refusal: Error { case bodyIsStreamed }

        let signature: @Sendable (_ path: String, _ body: Data) -> String

        func sign(_ head: inout RequestHead, body: RequestBody?) async throws {
            let bytes =
                switch body {
                case .data(let bytes)?: bytes
                case .source?: throw Refusal.bodyIsStreamed
                case nil: Data()
                }
            head.fields["X-Signature"] = signature(head.url.path(), bytes)
        }
    }

    static func signed(
        _ configuration: inout SessionConfiguration,
        with signature: @escaping @Sendable (_ path: String, _ body: Data) -> String
    ) {
        configuration.interceptors = [Signer(signature: signature)]
    }

    static func unsupported(_ manager: SessionManager, _ order: Order) async {
        do throws(SessionError) {
            try await manager.post("orders", body: order)
        } catch {
            print(error)
        }
    }

    static func unwritten(_ manager: SessionManager, _ order: Order) async throws {
        try await manager.post("pages", body: order, in: "text/html")
    }
}

#if os(Linux)
    func bootLine() -> String {
        guard let libcurl = CurlTransport.libcurlVersion else {
            return "libcurl is missing: install the package libcurl4"
        }
        return libcurl  // such as libcurl/7.88.1 OpenSSL/3.0.19 zlib/1.2.13
    }
#endif
