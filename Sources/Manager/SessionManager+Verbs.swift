public import PatchbayRegistry

/// One method a verb, twice: without a type the registry decides what the value is, with a type it finds who can make it.
///
/// What these parameters do not cover is a field of `HTTPRequest`, for `send`.
extension SessionManager {
    public nonisolated(nonsending) func get(
        _ target: String, parameters: Parameters? = nil,
        query: [(name: String, value: String)] = [], headers: HeaderFields = [:]
    ) async throws(SessionError) -> Reply<any Sendable> {
        try await request("GET", target, parameters: parameters, query: query, headers: headers)
    }

    public nonisolated(nonsending) func get<Value: Sendable>(
        _ target: String, as type: Value.Type, parameters: Parameters? = nil,
        query: [(name: String, value: String)] = [], headers: HeaderFields = [:]
    ) async throws(SessionError) -> Value {
        try await request("GET", target, as: type, parameters: parameters, query: query, headers: headers)
    }

    /// The reply has no body; its head is the answer.
    public nonisolated(nonsending) func head(
        _ target: String, parameters: Parameters? = nil,
        query: [(name: String, value: String)] = [], headers: HeaderFields = [:]
    ) async throws(SessionError) -> Reply<any Sendable> {
        try await request("HEAD", target, parameters: parameters, query: query, headers: headers)
    }

    public nonisolated(nonsending) func post(
        _ target: String, _ content: RequestContent? = nil, parameters: Parameters? = nil,
        headers: HeaderFields = [:]
    ) async throws(SessionError) -> Reply<any Sendable> {
        try await request("POST", target, content, parameters: parameters, headers: headers)
    }

    public nonisolated(nonsending) func post<Value: Sendable>(
        _ target: String, _ content: RequestContent? = nil, as type: Value.Type,
        parameters: Parameters? = nil, headers: HeaderFields = [:]
    ) async throws(SessionError) -> Value {
        try await request("POST", target, content, as: type, parameters: parameters, headers: headers)
    }

    public nonisolated(nonsending) func put(
        _ target: String, _ content: RequestContent? = nil, parameters: Parameters? = nil,
        headers: HeaderFields = [:]
    ) async throws(SessionError) -> Reply<any Sendable> {
        try await request("PUT", target, content, parameters: parameters, headers: headers)
    }

    public nonisolated(nonsending) func put<Value: Sendable>(
        _ target: String, _ content: RequestContent? = nil, as type: Value.Type,
        parameters: Parameters? = nil, headers: HeaderFields = [:]
    ) async throws(SessionError) -> Value {
        try await request("PUT", target, content, as: type, parameters: parameters, headers: headers)
    }

    public nonisolated(nonsending) func patch(
        _ target: String, _ content: RequestContent? = nil, parameters: Parameters? = nil,
        headers: HeaderFields = [:]
    ) async throws(SessionError) -> Reply<any Sendable> {
        try await request("PATCH", target, content, parameters: parameters, headers: headers)
    }

    public nonisolated(nonsending) func patch<Value: Sendable>(
        _ target: String, _ content: RequestContent? = nil, as type: Value.Type,
        parameters: Parameters? = nil, headers: HeaderFields = [:]
    ) async throws(SessionError) -> Value {
        try await request("PATCH", target, content, as: type, parameters: parameters, headers: headers)
    }

    public nonisolated(nonsending) func delete(
        _ target: String, parameters: Parameters? = nil,
        query: [(name: String, value: String)] = [], headers: HeaderFields = [:]
    ) async throws(SessionError) -> Reply<any Sendable> {
        try await request("DELETE", target, parameters: parameters, query: query, headers: headers)
    }

    public nonisolated(nonsending) func delete<Value: Sendable>(
        _ target: String, as type: Value.Type, parameters: Parameters? = nil,
        query: [(name: String, value: String)] = [], headers: HeaderFields = [:]
    ) async throws(SessionError) -> Value {
        try await request("DELETE", target, as: type, parameters: parameters, query: query, headers: headers)
    }

    /// Any method, named as it is sent.
    public nonisolated(nonsending) func request(
        _ method: String, _ target: String, _ content: RequestContent? = nil,
        parameters: Parameters? = nil, query: [(name: String, value: String)] = [], headers: HeaderFields = [:]
    ) async throws(SessionError) -> Reply<any Sendable> {
        let (task, snapshot) = start(
            .data, HTTPRequest(method, target, content: content, parameters: parameters, query: query, headers: headers)
        )
        return try await send(task, snapshot)
    }

    public nonisolated(nonsending) func request<Value: Sendable>(
        _ method: String, _ target: String, _ content: RequestContent? = nil, as type: Value.Type,
        parameters: Parameters? = nil, query: [(name: String, value: String)] = [], headers: HeaderFields = [:]
    ) async throws(SessionError) -> Value {
        let (task, snapshot) = start(
            .data, HTTPRequest(method, target, content: content, parameters: parameters, query: query, headers: headers)
        )
        return try await send(task, snapshot, as: type).value
    }
}
