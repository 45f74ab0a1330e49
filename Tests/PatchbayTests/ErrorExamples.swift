import Foundation
import Patchbay

func name(of user: Int, _ manager: SessionManager) async -> String {
    do throws(SessionError) {
        return try await manager.get("users/{user}", path: ["user": user], as: User.self).name
    } catch {
        return advice(error)
    }
}

func advice(_ error: SessionError) -> String {
    switch error.code {
    case .status where error.head?.status == 404:
        return (try? error.decode(as: Problem.self))?.detail ?? "there is no such thing"
    case .idleTimeout, .totalTimeout: return "try again later"
    case .transport:
        let code = (error.cause as? TransportFailure)?.code
        return code == .lostConnection || code == .truncatedBody ? "try again" : "\(error)"
    case .serialization:
        guard let failure = error.cause as? FormatFailure, let line = failure.line else { return "\(error)" }
        return "line \(line): \(failure.reason)"
    default: return "\(error)"
    }
}

func made(_ url: URL) -> (SessionError, Reply<User>) {
    func head(_ status: Int, _ type: String) -> ResponseHead {
        ResponseHead(status: status, fields: ["Content-Type": type], url: url, request: RequestHead(url: url))
    }
    let error = SessionError(
        .status, reason: "the status is 404", head: head(404, "application/problem+json"),
        body: ResponseBody(Data(#"{"detail": "There is no user 1."}"#.utf8)),
        decision: SerializerRegistry.standard.explain(contentType: "application/problem+json", status: 404))
    let reply = Reply(
        User(id: 1, name: "Ada"), head: head(200, "application/json"),
        decision: SerializerRegistry.standard.explain(contentType: "application/json"))
    return (error, reply)
}
