public import PatchbayManager
public import PatchbayParameters
public import PatchbayRegistry

/// The verbs with parameters that are a literal of nothing but literals, of any depth. The parameters go where the configuration's
/// request serializer puts them: into the query of GET, HEAD and DELETE, behind the target's own and behind `query`, else into the body.
extension SessionManager {
    /// Fetches what the target names; the registry decides what the value is.
    public nonisolated(nonsending) func get(
        _ target: String, parameters: Parameters?, query: QueryItems = [], headers: HeaderFields = [:]
    ) async throws(SessionError) -> Reply<any Sendable> {
        try await send(SessionRequest("GET", target, parameters: parameters, query: query, headers: headers))
    }

    /// Fetches what the target names; the value is of the given type.
    public nonisolated(nonsending) func get<Value: Sendable>(
        _ target: String, as type: Value.Type, parameters: Parameters?, query: QueryItems = [],
        headers: HeaderFields = [:]
    ) async throws(SessionError) -> Value {
        try await send(
            SessionRequest("GET", target, parameters: parameters, query: query, headers: headers), as: type
        ).value
    }

    /// Asks for the head of what the target names; the registry decides what the value is.
    public nonisolated(nonsending) func head(
        _ target: String, parameters: Parameters?, query: QueryItems = [], headers: HeaderFields = [:]
    ) async throws(SessionError) -> Reply<any Sendable> {
        try await send(SessionRequest("HEAD", target, parameters: parameters, query: query, headers: headers))
    }

    /// Sends parameters to what the target names; the registry decides what the value is.
    public nonisolated(nonsending) func post(
        _ target: String, parameters: Parameters?, query: QueryItems = [], headers: HeaderFields = [:]
    ) async throws(SessionError) -> Reply<any Sendable> {
        try await send(SessionRequest("POST", target, parameters: parameters, query: query, headers: headers))
    }

    /// Sends parameters to what the target names; the value is of the given type.
    public nonisolated(nonsending) func post<Value: Sendable>(
        _ target: String, as type: Value.Type, parameters: Parameters?, query: QueryItems = [],
        headers: HeaderFields = [:]
    ) async throws(SessionError) -> Value {
        try await send(
            SessionRequest("POST", target, parameters: parameters, query: query, headers: headers), as: type
        ).value
    }

    /// Puts parameters in the place that the target names; the registry decides what the value is.
    public nonisolated(nonsending) func put(
        _ target: String, parameters: Parameters?, query: QueryItems = [], headers: HeaderFields = [:]
    ) async throws(SessionError) -> Reply<any Sendable> {
        try await send(SessionRequest("PUT", target, parameters: parameters, query: query, headers: headers))
    }

    /// Puts parameters in the place that the target names; the value is of the given type.
    public nonisolated(nonsending) func put<Value: Sendable>(
        _ target: String, as type: Value.Type, parameters: Parameters?, query: QueryItems = [],
        headers: HeaderFields = [:]
    ) async throws(SessionError) -> Value {
        try await send(
            SessionRequest("PUT", target, parameters: parameters, query: query, headers: headers), as: type
        ).value
    }

    /// Changes what the target names; the registry decides what the value is.
    public nonisolated(nonsending) func patch(
        _ target: String, parameters: Parameters?, query: QueryItems = [], headers: HeaderFields = [:]
    ) async throws(SessionError) -> Reply<any Sendable> {
        try await send(SessionRequest("PATCH", target, parameters: parameters, query: query, headers: headers))
    }

    /// Changes what the target names; the value is of the given type.
    public nonisolated(nonsending) func patch<Value: Sendable>(
        _ target: String, as type: Value.Type, parameters: Parameters?, query: QueryItems = [],
        headers: HeaderFields = [:]
    ) async throws(SessionError) -> Value {
        try await send(
            SessionRequest("PATCH", target, parameters: parameters, query: query, headers: headers), as: type
        ).value
    }

    /// Deletes what the target names; the registry decides what the value is.
    public nonisolated(nonsending) func delete(
        _ target: String, parameters: Parameters?, query: QueryItems = [], headers: HeaderFields = [:]
    ) async throws(SessionError) -> Reply<any Sendable> {
        try await send(SessionRequest("DELETE", target, parameters: parameters, query: query, headers: headers))
    }

    /// Deletes what the target names; the value is of the given type.
    public nonisolated(nonsending) func delete<Value: Sendable>(
        _ target: String, as type: Value.Type, parameters: Parameters?, query: QueryItems = [],
        headers: HeaderFields = [:]
    ) async throws(SessionError) -> Value {
        try await send(
            SessionRequest("DELETE", target, parameters: parameters, query: query, headers: headers), as: type
        ).value
    }
}
