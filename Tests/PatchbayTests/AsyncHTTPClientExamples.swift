import Foundation
import Patchbay
import PatchbayCurl
import PatchbayTesting
import TestSupport

/// What the page for those who come from AsyncHTTPClient shows of Patchbay, for `AsyncHTTPClientPageTests` to run and to compare.
enum AsyncHTTPClientExamples {
    struct Order: Codable, Sendable, Equatable { let item: String, count: Int }
    struct Complaint: Decodable { let reason: String }

    struct CallPrinter: SessionObserver {
        /// How many calls it has seen: only `running` makes one.
        static let finished = Shared(0)

        func observe(_ event: SessionEvent) async {
            guard case .finished = event.stage else { return }
            Self.finished.withLock { $0 += 1 }
        }
    }

    /// Only compiled: it has no stub.
    static func call(_ token: String, _ order: Order) async throws -> Order {
        let api = SessionManager(baseURL: URL(string: "https://api.example.com/v1"))
        api.setHeader("Bearer \(token)", for: "Authorization")
        let made = try await api.post("orders", body: order, as: Order.self)
        return made
    }

    /// Only compiled: the transport is libcurl.
    static func made(_ server: URL, _ configuration: SessionConfiguration) -> [SessionManager] {
        [
            SessionManager(baseURL: server, configuration: configuration),
            SessionManager(baseURL: server, transport: CurlTransport(maximumConnections: 32)),
        ]
    }

    static func stubbed(_ server: URL) -> SessionManager {
        SessionManager(baseURL: server, transport: StubTransport { _ in StubReply(status: 503) })
    }

    static func configured(_ configuration: inout SessionConfiguration, _ authorities: String) throws {
        configuration.headers["X-Client"] = "shop"
        configuration.connection.connectTimeout = .seconds(3)
        configuration.maximumRedirects = 5
        configuration.connection.proxy = try ProxySettings("http://proxy.example:3128")
        configuration.connection.tls?.certificateAuthorities = authorities
        configuration.connection.tls?.clientCertificate = ClientCertificate(certificate: "own.pem", key: "own.key")
        configuration.connectionByHost["*.lab.example"] = ConnectionSettings(connectTimeout: .seconds(1))
        configuration.connection.connectionsPerHost = 8
        configuration.connection.idleConnectionAge = .seconds(30)
        configuration.connection.maximumConnectionAge = .seconds(300)
        configuration.connection.http = .http1
        configuration.connectionByHost["docker.local"] = ConnectionSettings(unixSocket: "/var/run/docker.sock")
        configuration.connectionByHost["api.example.com"] = ConnectionSettings(address: "127.0.0.1")
        configuration.connectionByHost["grpc.example"] = ConnectionSettings(http: .http2)
    }

    static func running(_ configuration: inout SessionConfiguration) {
        configuration.redirects = .doNotFollow
        configuration.interceptors = [RetryPolicy()]
        configuration.cookies = CookieJar()
        configuration.observers = [CallPrinter()]
    }

    static func calls(_ api: SessionManager, _ id: String, _ order: Order) async throws -> [Order] {
        let one = try await api.get("orders/7", as: Order.self)
        let other = try await api.get("orders/{id}", path: ["id": id], as: Order.self)
        try await api.post("orders", body: order)
        let request = SessionRequest("orders/{id}", path: ["id": id])
        return [one, other, try await api.send(request, as: Order.self).value]
    }

    static func signedIn(_ api: SessionManager, _ name: String, _ password: String) throws {
        api.setHeader(try HeaderFields.basic(user: name, password: password), for: "Authorization")
    }

    static func request(_ trace: String) -> SessionRequest {
        var request = SessionRequest("report")
        request.headers["X-Trace"] = trace
        request.maximumBodyBytes = 1 << 20
        request.totalTimeout = .seconds(20)
        request.idleTimeout = .seconds(5)
        request.acceptableStatus = .any
        return request
    }

    static func reply(_ api: SessionManager) async throws -> String {
        let data = try await api.get("report", as: Data.self)
        let reply = try await api.send("report", as: Data.self)
        let exchange = reply.timeline.exchange
        return "\(data.count) \(reply.head.status) \(reply.head.fields["ETag"] ?? "") \(exchange.httpVersion ?? "")"
    }

    static func refused(_ api: SessionManager) async throws -> String {
        do throws(SessionError) {
            _ = try await api.get("missing", as: Order.self)
            return ""
        } catch {
            let status = error.head?.status
            let complaint = try error.decode(as: Complaint.self)
            return "\(status ?? 0) \(complaint.reason)"
        }
    }

    static func pieces(_ api: SessionManager) async throws -> (bytes: Int, orders: [Order]) {
        var bytes = 0
        for try await piece in try await api.stream("export", of: Data.self) { bytes += piece.count }
        var orders: [Order] = []
        for try await order in try await api.stream("export", of: Order.self) { orders.append(order) }
        return (bytes, orders)
    }

    static func sent(_ api: SessionManager, _ pieces: AsyncStream<Data>, _ film: URL) async throws {
        _ = try await api.send(SessionRequest("import", method: "POST", content: .stream(pieces)))
        try await api.upload(.stream(pieces), to: "import", method: "PUT")
        _ = try await api.send(SessionRequest("films", method: "POST", content: .file(film)))
    }

    static func saved(_ api: SessionManager, _ film: URL) async throws {
        _ = try await api.download("film.mp4", to: .file(film).resumable())
    }

    static func end(_ api: SessionManager) async {
        api.cancelAll()
        await api.shutdown(within: .seconds(10))
    }
}
