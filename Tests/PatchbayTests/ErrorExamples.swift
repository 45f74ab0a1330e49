import Foundation
import Patchbay

func name(of user: Int, _ manager: SessionManager) async -> String {
    do throws(SessionError) {
        return try await manager.get("users/\(user)", as: User.self).name
    } catch {
        return advice(error)
    }
}

func advice(_ error: SessionError) -> String {
    switch error.code {
    case .status where error.head?.status == 404:
        return (try? error.decode(as: Problem.self))?.detail ?? "there is no such thing"
    case .idleTimeout, .totalTimeout: return "try again later"
    case .transport where (error.cause as? TransportFailure)?.code == .lostConnection: return "try again"
    case .serialization:
        let attempts = (error.cause as? LookupFailure)?.attempts ?? []
        let faults = attempts.compactMap { $0.error as? JSON.ParseFailure }
        return faults.first.map { "line \($0.line): \($0.message)" } ?? "\(error)"
    default: return "\(error)"
    }
}

func made(_ url: URL) -> (SessionError, Reply<User>) {
    func decision(_ status: Int, _ type: String) -> Decision {
        let head = ResponseHead(
            status: status, fields: ["Content-Type": type], url: url, request: RequestHead(url: url))
        return SerializerRegistry.standard.decision(for: head)
    }
    let error = SessionError(
        .status, reason: "the status is 404", stage: .status, decision: decision(404, "application/problem+json"),
        body: ResponseBody(Data(#"{"detail": "There is no user 1."}"#.utf8)))
    return (error, Reply(User(id: 1, name: "Ada"), decision: decision(200, "application/json")))
}
