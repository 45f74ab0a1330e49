import Foundation
import Patchbay

struct User: Decodable { let id: Int, name: String }

func fail(at server: URL) async {
    let manager = SessionManager(baseURL: server)
    do throws(SessionError) {
        _ = try await manager.get("users/2", as: User.self)
    } catch {
        print(error)
        print((try? error.decode(as: Problem.self))?.detail ?? "no more is known")
    }
    do throws(SessionError) {
        _ = try await manager.send("users/3")
    } catch {
        print(error)
    }
}

func front() async throws {
    let api = SessionManager(baseURL: URL(string: "https://api.example.com"))
    let user = try await api.get("users/1", as: User.self)  // typed: an entry decodes it
    let reply = try await api.send("reports/today")  // dynamic: the response decides
    print(user.name, reply.value, reply.decision)  // which entries were asked, and why
    for try await user in try await api.stream("users", of: User.self) {  // one by one
        print(user.name)
    }
}

func follow(_ manager: SessionManager) async throws {
    for try await user in try await manager.stream("users", of: User.self) {
        print(user.name)
    }
    let all = try await manager.get("users", as: [User].self)  // the same entry, all at once
    print(all.count)
}

func signedIn(at server: URL, _ token: String) -> SessionManager {
    var configuration = SessionConfiguration()
    configuration.credentialHosts = ["*.example.com"]
    let manager = SessionManager(baseURL: server, configuration: configuration)
    manager.setHeader("Bearer \(token)", for: "Authorization")
    return manager
}

func trust(_ authorities: String, at server: URL) -> SessionManager {
    var configuration = SessionConfiguration()
    configuration.connection.tls = TLSSettings(certificateAuthorities: authorities)
    return SessionManager(baseURL: server, configuration: configuration)
}

struct FolderTransport: Transport {
    let folder: URL

    func perform(
        _ request: TransportRequest, for receiver: some ExchangeReceiver
    ) async throws(TransportFailure) -> ExchangeTimings {
        let start = ContinuousClock.now
        let file = try? Data(contentsOf: folder.appending(path: request.head.url.path()))
        try await offer(to: receiver) {
            receiver.receive(status: file == nil ? 404 : 200, fields: ["Content-Type": "application/json"])
        }
        try await offer(to: receiver) { (file ?? Data()).withUnsafeBytes { receiver.receive($0) } }
        var timings = ExchangeTimings()
        timings.total = start.duration(to: .now)
        return timings
    }

    /// A piece that is not taken yet is offered again once the signal has fired.
    private func offer(to receiver: some ExchangeReceiver, _ piece: () -> TransportFlow) async throws(TransportFailure)
    {
        while !receiver.stop.hasFired, !Task.isCancelled {
            switch piece() {
            case .proceed: return
            case .stop: throw TransportFailure(.stopped, "the receiver stopped the exchange")
            case .wait(let signal): await signal.fired(unless: receiver.stop)
            }
        }
        throw TransportFailure(.stopped, "the exchange was stopped")
    }
}

func offline(_ server: URL, _ folder: URL) -> SessionManager {
    let offline = SessionManager(baseURL: server, registry: .standard, transport: FolderTransport(folder: folder))
    return offline
}

func watch(_ file: URL, of manager: SessionManager) -> Task<Void, Never> {
    let watch = Task {
        await manager.watch([.file(file)]) { result in
            switch result {
            case .success(let registry): print("registry \(registry.digest) is in force")
            case .failure(let failure): print(failure)  // the table in force stays
            }
        }
    }
    return watch
}

func titles(_ manager: SessionManager) async throws {
    let feed = try await manager.get("feed", as: XMLTree.self)
    let atom = "http://www.w3.org/2005/Atom"
    for entry in feed.root.children(named: "entry", namespace: atom) {
        print(entry["title", namespace: atom]?.text ?? "untitled")
    }
}
