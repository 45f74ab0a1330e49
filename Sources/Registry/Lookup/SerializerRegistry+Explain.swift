import PatchbayPlatform

extension SerializerRegistry {
    /// The decision about a response that is only described, for asking what would happen.
    ///
    /// - Parameters:
    ///   - contentType: the value of Content-Type; nil for a response without one.
    ///   - host: the host, with its port where that is not the default; one that cannot be read counts as none.
    public func explain(
        contentType: String?, status: Int = 200, host: String? = nil, method: String = "GET",
        producing wanted: WantedValue = .anything, override: LookupOverride = .none
    ) -> Decision {
        let head = Self.head(contentType: contentType, status: status, host: host, method: method)
        return decision(for: head, producing: wanted, override: override)
    }

    /// The head of a response that is only described.
    static func head(contentType: String?, status: Int, host: String?, method: String = "GET") -> ResponseHead {
        let canonical = host.flatMap { CanonicalHost($0) }
        let url = canonical.flatMap { URL(string: "https://\($0)/") } ?? URL(filePath: "/")
        var fields: HeaderFields = [:]
        if let contentType { fields["Content-Type"] = contentType }
        return ResponseHead(
            status: status, fields: fields, url: url, host: canonical, request: RequestHead(method: method, url: url))
    }
}
