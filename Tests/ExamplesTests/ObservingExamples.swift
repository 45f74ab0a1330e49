import Foundation
import Patchbay
import StandInLogging
import StandInTracing

@testable import Adapters

// The examples of the page on logs, metrics and traces.

struct CallPrinter: SessionObserver {
    func observe(_ event: SessionEvent) async {
        guard case .finished = event.stage else { return }
        let facts = event.attributes
        let route = facts["url.template"]?.string ?? "other"
        let status = facts["http.response.status_code"]?.int ?? 0
        print(route, status, facts["error.type"]?.string ?? "none", event.timeline?.ended ?? .zero)
    }
}

struct FinishedCalls: SessionObserver {
    let logger: Logger

    func observe(_ event: SessionEvent) async {
        guard case .finished(let result) = event.stage else { return }
        let metadata = event.attributes.mapValues { Logger.MetadataValue.string($0.string ?? "\($0)") }
        let isError = if case .failure(let error) = result { error.code != .cancelled } else { false }
        logger.log(level: isError ? .error : .info, "\(event)", metadata: metadata)
    }
}

private struct User: Decodable, Sendable { let name: String }

private func masked(_ api: SessionManager, _ url: URL) {
    print("no picture at \(api.maskedText(of: url))")
}

private func handle(_ received: HeaderFields, _ api: SessionManager) async throws -> User {
    try await TraceContext.$current.withValue(TraceContext(received)) {
        try await api.get("users/1", as: User.self)
    }
}

private func load(_ api: SessionManager, _ tracer: any Tracer) async throws -> String {
    let user = try await tracer.withSpan("load user") { _ in
        try await api.get("users/1", as: User.self)
    }
    return user.name
}
