// Stands in for the module HTTPTypes of swift-http-types 1: what the example `PatchbayClientTransport` uses, with the
// names and signatures of the real one.

public struct HTTPField: Sendable, Hashable {
    public struct Name: Sendable, Hashable {
        public let rawName: String
        public init?(_ name: String) {
            guard !name.isEmpty else { return nil }
            rawName = name
        }
        public var canonicalName: String { rawName.lowercased() }
    }

    public var name: Name
    public var value: String
    public init(name: Name, value: String) { (self.name, self.value) = (name, value) }
}

public struct HTTPFields: Sendable, Hashable, Sequence, ExpressibleByDictionaryLiteral {
    private var fields: [HTTPField] = []
    public init() {}
    public init(dictionaryLiteral elements: (HTTPField.Name, String)...) {
        fields = elements.map { HTTPField(name: $0, value: $1) }
    }
    public mutating func append(_ field: HTTPField) { fields.append(field) }
    public subscript(name: HTTPField.Name) -> String? {
        fields.first { $0.name.canonicalName == name.canonicalName }?.value
    }
    public func makeIterator() -> IndexingIterator<[HTTPField]> { fields.makeIterator() }
}

public struct HTTPRequest: Sendable, Hashable {
    public struct Method: Sendable, Hashable, RawRepresentable {
        public let rawValue: String
        public init?(_ method: String) { rawValue = method }
        public init?(rawValue: String) { self.rawValue = rawValue }
    }

    public var method: Method
    public var scheme, authority, path: String?
    public var headerFields: HTTPFields

    public init(method: Method, scheme: String?, authority: String?, path: String?, headerFields: HTTPFields = [:]) {
        (self.method, self.scheme, self.authority) = (method, scheme, authority)
        (self.path, self.headerFields) = (path, headerFields)
    }
}

public struct HTTPResponse: Sendable, Hashable {
    public struct Status: Sendable, Hashable {
        public let code: Int
        public let reasonPhrase: String
        public init(code: Int, reasonPhrase: String = "") { (self.code, self.reasonPhrase) = (code, reasonPhrase) }
    }

    public var status: Status
    public var headerFields: HTTPFields
    public init(status: Status, headerFields: HTTPFields = [:]) {
        (self.status, self.headerFields) = (status, headerFields)
    }
}
