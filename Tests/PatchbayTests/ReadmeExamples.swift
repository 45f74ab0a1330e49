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
        _ = try await manager.get("users/3")
    } catch {
        print(error)
    }
}

#if os(Linux)
    func trust(_ authorities: String, at server: URL) -> SessionManager {
        let manager = SessionManager(baseURL: server, tls: TLSSettings(certificateAuthorities: authorities))
        return manager
    }
#endif

func watch(_ file: URL, of manager: SessionManager) -> ManifestWatch {
    let watch = manager.watch(manifests: [file]) { failure in
        print(failure)  // the table in force stays
    } onReload: { registry in
        print("registry \(registry.digest) is in force")
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
