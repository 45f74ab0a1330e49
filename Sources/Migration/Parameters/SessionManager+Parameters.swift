public import PatchbayManager
public import PatchbayRegistry

/// The verbs with parameters that are one literal, made only of literals, of any depth. The configuration's request
/// serializer decides their place: for GET, HEAD and DELETE the query, after the target's own query and after `query`,
/// else the body.
extension SessionManager {
    /// Fetches the target resource; the registry decides the type of the value.
    public nonisolated(nonsending) func get(
        _ target: String, parameters: Parameters?, query: QueryItems = [], headers: HeaderFields = [:]
    ) async throws(SessionError) -> Reply<any Sendable> {
        try await send(SessionRequest("GET", target, parameters: parameters, query: query, headers: headers))
    }

    /// Fetches the target resource; the value is of the given type.
    public nonisolated(nonsending) func get<Value: Sendable>(
        _ target: String, as type: Value.Type, parameters: Parameters?, query: QueryItems = [],
        headers: HeaderFields = [:]
    ) async throws(SessionError) -> Value {
        try await send(
            SessionRequest("GET", target, parameters: parameters, query: query, headers: headers), as: type
        ).value
    }

    /// Requests the head of the target resource; the registry decides the type of the value.
    public nonisolated(nonsending) func head(
        _ target: String, parameters: Parameters?, query: QueryItems = [], headers: HeaderFields = [:]
    ) async throws(SessionError) -> Reply<any Sendable> {
        try await send(SessionRequest("HEAD", target, parameters: parameters, query: query, headers: headers))
    }

    /// Sends parameters to the target resource; the registry decides the type of the value.
    public nonisolated(nonsending) func post(
        _ target: String, parameters: Parameters?, query: QueryItems = [], headers: HeaderFields = [:]
    ) async throws(SessionError) -> Reply<any Sendable> {
        try await send(SessionRequest("POST", target, parameters: parameters, query: query, headers: headers))
    }

    /// Sends parameters to the target resource; the value is of the given type.
    public nonisolated(nonsending) func post<Value: Sendable>(
        _ target: String, as type: Value.Type, parameters: Parameters?, query: QueryItems = [],
        headers: HeaderFields = [:]
    ) async throws(SessionError) -> Value {
        try await send(
            SessionRequest("POST", target, parameters: parameters, query: query, headers: headers), as: type
        ).value
    }

    /// Puts parameters at the target resource; the registry decides the type of the value.
    public nonisolated(nonsending) func put(
        _ target: String, parameters: Parameters?, query: QueryItems = [], headers: HeaderFields = [:]
    ) async throws(SessionError) -> Reply<any Sendable> {
        try await send(SessionRequest("PUT", target, parameters: parameters, query: query, headers: headers))
    }

    /// Puts parameters at the target resource; the value is of the given type.
    public nonisolated(nonsending) func put<Value: Sendable>(
        _ target: String, as type: Value.Type, parameters: Parameters?, query: QueryItems = [],
        headers: HeaderFields = [:]
    ) async throws(SessionError) -> Value {
        try await send(
            SessionRequest("PUT", target, parameters: parameters, query: query, headers: headers), as: type
        ).value
    }

    /// Changes the target resource; the registry decides the type of the value.
    public nonisolated(nonsending) func patch(
        _ target: String, parameters: Parameters?, query: QueryItems = [], headers: HeaderFields = [:]
    ) async throws(SessionError) -> Reply<any Sendable> {
        try await send(SessionRequest("PATCH", target, parameters: parameters, query: query, headers: headers))
    }

    /// Changes the target resource; the value is of the given type.
    public nonisolated(nonsending) func patch<Value: Sendable>(
        _ target: String, as type: Value.Type, parameters: Parameters?, query: QueryItems = [],
        headers: HeaderFields = [:]
    ) async throws(SessionError) -> Value {
        try await send(
            SessionRequest("PATCH", target, parameters: parameters, query: query, headers: headers), as: type
        ).value
    }

    /// Deletes the target resource; the registry decides the type of the value.
    public nonisolated(nonsending) func delete(
        _ target: String, parameters: Parameters?, query: QueryItems = [], headers: HeaderFields = [:]
    ) async throws(SessionError) -> Reply<any Sendable> {
        try await send(SessionRequest("DELETE", target, parameters: parameters, query: query, headers: headers))
    }

    /// Deletes the target resource; the value is of the given type.
    public nonisolated(nonsending) func delete<Value: Sendable>(
        _ target: String, as type: Value.Type, parameters: Parameters?, query: QueryItems = [],
        headers: HeaderFields = [:]
    ) async throws(SessionError) -> Value {
        try await send(
            SessionRequest("DELETE", target, parameters: parameters, query: query, headers: headers), as: type
        ).value
    }
}
