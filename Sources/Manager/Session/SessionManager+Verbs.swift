public import PatchbayPlatform
public import PatchbayRegistry

/// One function for each method of HTTP. Each function returns the value. `send` returns a `Reply`, with the value, the
/// head, the bytes and the decision.
///
/// A target is an absolute URL, or a reference that is resolved against the manager's base URL (RFC 3986, section 4.1).
/// A query in the target is sent as written. `query` is percent-encoded and added after it: a blank is `%20`. With
/// `path`, the target is a template (RFC 6570, level 1): each value stays text of the path, whatever it is. If the
/// target gives no valid URL, the call fails with code `invalidRequest`. Settings that these parameters don't cover are
/// properties of `SessionRequest`, for `send`.
extension SessionManager {
    /// Fetches the target resource.
    /// - Parameters:
    ///   - target: the URL, or a path that is resolved against the base URL.
    ///   - path: the values of the names in braces, if the target is a template such as `users/{id}`.
    ///   - query: query items that are appended to the query of the target.
    ///   - headers: header fields of the request; each replaces the field of the same name in the configuration.
    ///   - type: the type of the value, made by the first entry that can produce it.
    /// - Throws: `SessionError`, whatever went wrong.
    public nonisolated(nonsending) func get<Value: Sendable>(
        _ target: String, path: [String: any CustomStringConvertible & Sendable]? = nil, query: QueryItems = [],
        headers: HeaderFields = [:], as type: Value.Type
    ) async throws(SessionError) -> Value {
        try await start("GET", target, path, nil, query, headers, producing: .type(type)).reply().value(as: type)
    }

    /// Not a call: `get(_:path:query:headers:as:)` wants the type of the value. The compiler says so.
    @available(*, unavailable, message: "name the type of the value: get(target, as: User.self)")
    @_disfavoredOverload
    public nonisolated(nonsending) func get(
        _ target: String, path: [String: any CustomStringConvertible & Sendable]? = nil, query: QueryItems = [],
        headers: HeaderFields = [:]
    ) async throws(SessionError) {}

    /// Not a call: `get(_:path:query:headers:as:)` wants the type of the value. The compiler says so.
    @available(*, unavailable, message: "name the type of the value: get(url, as: User.self)")
    @_disfavoredOverload
    public nonisolated(nonsending) func get(
        _ url: URL, query: QueryItems = [], headers: HeaderFields = [:]
    ) async throws(SessionError) {}

    /// Fetches the resource of a URL, like `get(_:path:query:headers:as:)` with its text.
    /// - Parameters:
    ///   - url: the URL; without a scheme, it is resolved against the base URL.
    ///   - query: query items that are appended to the query of the URL.
    ///   - headers: header fields of the request; each replaces the field of the same name in the configuration.
    ///   - type: the type of the value, made by the first entry that can produce it.
    /// - Throws: `SessionError`, whatever went wrong.
    @_disfavoredOverload
    public nonisolated(nonsending) func get<Value: Sendable>(
        _ url: URL, query: QueryItems = [], headers: HeaderFields = [:], as type: Value.Type
    ) async throws(SessionError) -> Value {
        try await get(url.absoluteString, query: query, headers: headers, as: type)
    }

    /// Requests the head of the target resource, and returns it.
    /// - Throws: `SessionError`, whatever went wrong.
    public nonisolated(nonsending) func head(
        _ target: String, path: [String: any CustomStringConvertible & Sendable]? = nil, query: QueryItems = [],
        headers: HeaderFields = [:]
    ) async throws(SessionError) -> ResponseHead {
        try await start("HEAD", target, path, nil, query, headers).reply().head
    }

    /// Sends a value to the target resource.
    /// - Parameters:
    ///   - target: the URL, or a path that is resolved against the base URL.
    ///   - path: the values of the names in braces, if the target is a template such as `users/{id}`.
    ///   - body: the value, written in the format of its media type; see `RequestContent.value(_:in:)`. Nil sends no
    ///     content.
    ///   - contentType: the media type of the content; by default as in `RequestContent.value(_:in:)`.
    ///   - query: query items that are appended to the query of the target.
    ///   - headers: header fields of the request; each replaces the field of the same name in the configuration.
    ///   - type: the type of the value. `Void.self` decodes nothing: only the status is checked.
    /// - Throws: `SessionError`, whatever went wrong.
    @discardableResult
    public nonisolated(nonsending) func post<Value: Sendable>(
        _ target: String, path: [String: any CustomStringConvertible & Sendable]? = nil,
        body: (any Encodable & Sendable)? = nil, in contentType: MediaType? = nil,
        query: QueryItems = [], headers: HeaderFields = [:], as type: Value.Type = Void.self
    ) async throws(SessionError) -> Value {
        try await start("POST", target, path, .value(body, in: contentType), query, headers, producing: .type(type))
            .reply().value(as: type)
    }

    /// Puts a value at the target.
    /// - Parameters:
    ///   - target: the URL, or a path that is resolved against the base URL.
    ///   - path: the values of the names in braces, if the target is a template such as `users/{id}`.
    ///   - body: the value, written in the format of its media type; see `RequestContent.value(_:in:)`. Nil sends no
    ///     content.
    ///   - contentType: the media type of the content; by default as in `RequestContent.value(_:in:)`.
    ///   - query: query items that are appended to the query of the target.
    ///   - headers: header fields of the request; each replaces the field of the same name in the configuration.
    ///   - type: the type of the value. `Void.self` decodes nothing: only the status is checked.
    /// - Throws: `SessionError`, whatever went wrong.
    @discardableResult
    public nonisolated(nonsending) func put<Value: Sendable>(
        _ target: String, path: [String: any CustomStringConvertible & Sendable]? = nil,
        body: (any Encodable & Sendable)? = nil, in contentType: MediaType? = nil,
        query: QueryItems = [], headers: HeaderFields = [:], as type: Value.Type = Void.self
    ) async throws(SessionError) -> Value {
        try await start("PUT", target, path, .value(body, in: contentType), query, headers, producing: .type(type))
            .reply().value(as: type)
    }

    /// Changes the target resource.
    /// - Parameters:
    ///   - target: the URL, or a path that is resolved against the base URL.
    ///   - path: the values of the names in braces, if the target is a template such as `users/{id}`.
    ///   - body: the value, written in the format of its media type; see `RequestContent.value(_:in:)`. Nil sends no
    ///     content.
    ///   - contentType: the media type of the content; by default as in `RequestContent.value(_:in:)`.
    ///   - query: query items that are appended to the query of the target.
    ///   - headers: header fields of the request; each replaces the field of the same name in the configuration.
    ///   - type: the type of the value. `Void.self` decodes nothing: only the status is checked.
    /// - Throws: `SessionError`, whatever went wrong.
    @discardableResult
    public nonisolated(nonsending) func patch<Value: Sendable>(
        _ target: String, path: [String: any CustomStringConvertible & Sendable]? = nil,
        body: (any Encodable & Sendable)? = nil, in contentType: MediaType? = nil,
        query: QueryItems = [], headers: HeaderFields = [:], as type: Value.Type = Void.self
    ) async throws(SessionError) -> Value {
        try await start("PATCH", target, path, .value(body, in: contentType), query, headers, producing: .type(type))
            .reply().value(as: type)
    }

    /// Deletes the target resource.
    /// - Parameters:
    ///   - target: the URL, or a path that is resolved against the base URL.
    ///   - path: the values of the names in braces, if the target is a template such as `users/{id}`.
    ///   - query: query items that are appended to the query of the target.
    ///   - headers: header fields of the request; each replaces the field of the same name in the configuration.
    ///   - type: the type of the value. `Void.self` decodes nothing: only the status is checked.
    /// - Throws: `SessionError`, whatever went wrong.
    @discardableResult
    public nonisolated(nonsending) func delete<Value: Sendable>(
        _ target: String, path: [String: any CustomStringConvertible & Sendable]? = nil, query: QueryItems = [],
        headers: HeaderFields = [:], as type: Value.Type = Void.self
    ) async throws(SessionError) -> Value {
        try await start("DELETE", target, path, nil, query, headers, producing: .type(type)).reply().value(as: type)
    }

    /// Sends content: `.file(url)`, `.data(bytes)`, `.stream(chunks)`, `.multipart(form)` or any other. There is no
    /// total timeout.
    /// - Parameters:
    ///   - content: the content, such as a file, a form or a value.
    ///   - target: the URL, or a path that is resolved against the base URL.
    ///   - path: the values of the names in braces, if the target is a template such as `users/{id}`.
    ///   - method: the request method.
    ///   - headers: header fields of the request; each replaces the field of the same name in the configuration.
    ///   - type: the type of the value. `Void.self` decodes nothing: only the status is checked.
    /// - Throws: `SessionError`, whatever went wrong.
    @discardableResult
    public nonisolated(nonsending) func upload<Value: Sendable>(
        _ content: RequestContent, to target: String, path: [String: any CustomStringConvertible & Sendable]? = nil,
        method: String = "POST", headers: HeaderFields = [:], as type: Value.Type = Void.self
    ) async throws(SessionError) -> Value {
        try await start(
            .upload, SessionRequest(target, path: path, method: method, content: content, headers: headers),
            producing: .type(type)
        ).reply().value(as: type)
    }
}

extension SessionManager {
    /// Sends the request.
    /// - Parameters:
    ///   - request: the request.
    ///   - type: the type of the value, made by the first entry that can produce it. Without a type the registry
    ///     chooses it. `Void.self` decodes nothing.
    /// - Throws: `SessionError`, whatever went wrong.
    public nonisolated(nonsending) func send<Value: Sendable>(
        _ request: SessionRequest, as type: Value.Type = (any Sendable).self
    ) async throws(SessionError) -> Reply<Value> {
        try await start(request.kind, request, producing: .type(type)).reply().typed()
    }

    /// Fetches the target resource.
    /// - Parameters:
    ///   - target: the URL, or a path that is resolved against the base URL.
    ///   - path: the values of the names in braces, if the target is a template such as `users/{id}`.
    ///   - query: query items that are appended to the query of the target.
    ///   - headers: header fields of the request; each replaces the field of the same name in the configuration.
    ///   - type: the type of the value, made by the first entry that can produce it. Without a type the registry
    ///     chooses it. `Void.self` decodes nothing.
    /// - Throws: `SessionError`, whatever went wrong.
    public nonisolated(nonsending) func send<Value: Sendable>(
        _ target: String, path: [String: any CustomStringConvertible & Sendable]? = nil, query: QueryItems = [],
        headers: HeaderFields = [:], as type: Value.Type = (any Sendable).self
    ) async throws(SessionError) -> Reply<Value> {
        try await start("GET", target, path, nil, query, headers, producing: .type(type)).reply().typed()
    }

    /// Fetches the resource of a URL, like `send(_:path:query:headers:as:)` with its text.
    /// - Parameters:
    ///   - url: the URL; without a scheme, it is resolved against the base URL.
    ///   - query: query items that are appended to the query of the URL.
    ///   - headers: header fields of the request; each replaces the field of the same name in the configuration.
    ///   - type: the type of the value, made by the first entry that can produce it. Without a type the registry
    ///     chooses it. `Void.self` decodes nothing.
    /// - Throws: `SessionError`, whatever went wrong.
    @_disfavoredOverload
    public nonisolated(nonsending) func send<Value: Sendable>(
        _ url: URL, query: QueryItems = [], headers: HeaderFields = [:], as type: Value.Type = (any Sendable).self
    ) async throws(SessionError) -> Reply<Value> {
        try await send(url.absoluteString, query: query, headers: headers, as: type)
    }
}
