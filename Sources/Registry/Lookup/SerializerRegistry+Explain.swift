import PatchbayPlatform

extension SerializerRegistry {
    /// The decision for a response with the given properties. No request is sent.
    ///
    /// - Parameters:
    ///   - contentType: the value of `Content-Type`; nil for a response without one.
    ///   - status: the status of the response.
    ///   - host: the host, with its port if that is not the default port, and with a path if the table has sections
    ///     for paths: `api.example.com/export`. An invalid host counts as none.
    ///   - method: the method of the request.
    ///   - type: the type that the call wants; nil if the registry chooses it.
    public func explain(
        contentType: String?, status: Int = 200, host: String? = nil, method: String = "GET",
        as type: (any Sendable.Type)? = nil
    ) -> Decision {
        func wanted<Value: Sendable>(_ type: Value.Type) -> WantedValue { .type(type) }
        return explain(
            contentType: contentType, status: status, host: host, method: method,
            producing: type.map { wanted($0) } ?? .anything)
    }

    /// Like the public `explain`, for any `WantedValue` and any `LookupOverride`.
    @_disfavoredOverload
    package func explain(
        contentType: String?, status: Int = 200, host: String? = nil, method: String = "GET",
        producing wanted: WantedValue = .anything, override: LookupOverride = .none
    ) -> Decision {
        let head = Self.head(contentType: contentType, status: status, host: host, method: method)
        return decision(for: head, producing: wanted, override: override)
    }

    package static func head(contentType: String?, status: Int, host: String?, method: String = "GET") -> ResponseHead {
        let place = host.flatMap { Endpoint($0) }
        let url = place?.url ?? URL(filePath: "/")
        var fields: HeaderFields = [:]
        if let contentType { fields["Content-Type"] = contentType }
        return ResponseHead(
            status: status, fields: fields, url: url, host: place?.host, request: RequestHead(method: method, url: url))
    }
}
