public import PatchbayManager
import PatchbayPlatform
public import PatchbayRegistry

/// A verb of a manager, for parameters that are not a literal: variables, `Encodable` values, forms of named parts.
///
///     try await manager.post("posts", parameters: ["title": title, "page": page, "note": note])
///     try await manager.get("search", as: Results.self, parameters: query)  // a struct
///     try await manager.put("photos/1", multipart: form)
///
/// You call it like a function and never name it: `manager.post` is this value only if no function of that name takes
/// the arguments. So a literal that is made only of literals is `Parameters`, of any depth.
///
/// The configuration's request serializer decides the place of the parameters: for GET, HEAD and DELETE the query,
/// after the target's own query and after `query`, else the body. If a name occurs twice, the last value is sent, at
/// the position of the first. An array or a dictionary among mixed values has elements of one type: for a nested object
/// of mixed variables, use an `Encodable` type, or `["name": .string(name), "age": .integer(40)] as Parameters`. A
/// value that cannot be encoded fails the call with code `invalidRequest`.
public struct SessionVerb: Sendable {
    let manager: SessionManager
    let method: String
}

extension SessionManager {
    /// `GET` with parameters that are not a literal, or with a form of named parts; called like a function.
    @_disfavoredOverload
    public var get: SessionVerb { SessionVerb(manager: self, method: "GET") }

    /// `HEAD` with parameters that are not a literal, or with a form of named parts; called like a function.
    @_disfavoredOverload
    public var head: SessionVerb { SessionVerb(manager: self, method: "HEAD") }

    /// `POST` with parameters that are not a literal, or with a form of named parts; called like a function.
    @_disfavoredOverload
    public var post: SessionVerb { SessionVerb(manager: self, method: "POST") }

    /// `PUT` with parameters that are not a literal, or with a form of named parts; called like a function.
    @_disfavoredOverload
    public var put: SessionVerb { SessionVerb(manager: self, method: "PUT") }

    /// `PATCH` with parameters that are not a literal, or with a form of named parts; called like a function.
    @_disfavoredOverload
    public var patch: SessionVerb { SessionVerb(manager: self, method: "PATCH") }

    /// `DELETE` with parameters that are not a literal, or with a form of named parts; called like a function.
    @_disfavoredOverload
    public var delete: SessionVerb { SessionVerb(manager: self, method: "DELETE") }
}

extension SessionVerb {
    /// Sends named values in their order: variables, optionals and literals can be mixed.
    public nonisolated(nonsending) func callAsFunction(
        _ target: String, parameters: ParameterPairs, query: QueryItems = [], headers: HeaderFields = [:]
    ) async throws(SessionError) -> Reply<any Sendable> {
        try await manager.send(SessionRequest(method, target, parameters: parameters, query: query, headers: headers))
    }

    /// Sends named values in their order: variables, optionals and literals can be mixed.
    public nonisolated(nonsending) func callAsFunction<Value: Sendable>(
        _ target: String, as type: Value.Type, parameters: ParameterPairs,
        query: QueryItems = [], headers: HeaderFields = [:]
    ) async throws(SessionError) -> Value {
        try await manager.send(
            SessionRequest(method, target, parameters: parameters, query: query, headers: headers), as: type
        ).value
    }

    /// Sends the encoded value; nil sends no parameters.
    @_disfavoredOverload
    public nonisolated(nonsending) func callAsFunction(
        _ target: String, parameters: (some Encodable)?, query: QueryItems = [], headers: HeaderFields = [:]
    ) async throws(SessionError) -> Reply<any Sendable> {
        try await manager.send(SessionRequest(method, target, encoding: parameters, query: query, headers: headers))
    }

    /// Sends the encoded value; nil sends no parameters.
    @_disfavoredOverload
    public nonisolated(nonsending) func callAsFunction<Value: Sendable>(
        _ target: String, as type: Value.Type, parameters: (some Encodable)?,
        query: QueryItems = [], headers: HeaderFields = [:]
    ) async throws(SessionError) -> Value {
        try await manager.send(
            SessionRequest(method, target, encoding: parameters, query: query, headers: headers), as: type
        ).value
    }
}

extension SessionVerb: CustomStringConvertible, CustomReflectable {
    /// The method and the manager: `POST to http://example.com/, 2 tasks`.
    public var description: String { "\(method) to \(manager)" }
    public var customMirror: Mirror { Mirror(described: self) }
}

/// Forms of named parts. A call with a form is an upload: it has no total timeout, unless the request sets one.
extension SessionVerb {
    /// Sends a form of named parts as the body; the parameters become parts before the parts of the form.
    public nonisolated(nonsending) func callAsFunction(
        _ target: String, multipart form: MultipartFormData, parameters: Parameters? = nil, headers: HeaderFields = [:]
    ) async throws(SessionError) -> Reply<any Sendable> {
        try await manager.send(SessionRequest(method, target, multipart: form, parameters, headers))
    }

    /// Sends a form of named parts as the body; the parameters become parts before the parts of the form.
    public nonisolated(nonsending) func callAsFunction<Value: Sendable>(
        _ target: String, multipart form: MultipartFormData, parameters: Parameters? = nil, as type: Value.Type,
        headers: HeaderFields = [:]
    ) async throws(SessionError) -> Value {
        try await manager.send(SessionRequest(method, target, multipart: form, parameters, headers), as: type).value
    }
}
