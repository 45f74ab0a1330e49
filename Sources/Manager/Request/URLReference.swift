public import PatchbayPlatform

/// Where a request goes: an absolute URL, or a reference that is resolved against the manager's base URL (RFC 3986, section 4.1).
///
///     try await manager.get("users/1")
///     try await manager.get(url)
///
/// `String`, `Substring` and `URL` are references, and a type of your own can be one. A text that is no reference, or that leads
/// nowhere, is the call's error, with code `invalidRequest`.
public protocol URLReference {
    /// The reference as it is written in a request. What stands behind its `?` is sent as the query, as it is.
    var urlReference: String { get }
}

extension String: URLReference {
    public var urlReference: String { self }
}

extension Substring: URLReference {
    public var urlReference: String { String(self) }
}

extension URL: URLReference {
    public var urlReference: String { absoluteString }
}
