/// The fields of a form, in the order received; a name may come more than once.
public struct FormFields: Sendable, Hashable {
    /// One field: a name and a value, decoded; either may be empty.
    public struct Field: Sendable, Hashable {
        /// The name, decoded.
        public let name: String
        /// The value, decoded; empty where there is no `=`.
        public let value: String

        /// A field of a form.
        public init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

    private let fields: [Field]

    /// The fields in their order; a name may stand there more than once.
    public init(_ fields: [Field] = []) {
        self.fields = fields
    }

    /// The first value of the field with this name, or nil where there is none.
    public subscript(name: String) -> String? {
        fields.first { $0.name == name }?.value
    }

    /// Every value of the field with this name.
    public func values(for name: String) -> [String] {
        fields.filter { $0.name == name }.map(\.value)
    }
}

extension FormFields: RandomAccessCollection {
    public var startIndex: Int { fields.startIndex }
    public var endIndex: Int { fields.endIndex }
    public subscript(position: Int) -> Field { fields[position] }
}

extension FormFields: ExpressibleByDictionaryLiteral {
    public init(dictionaryLiteral elements: (String, String)...) {
        self.init(elements.map { Field(name: $0.0, value: $0.1) })
    }
}

extension FormFields: CustomStringConvertible, CustomReflectable {
    /// `title=Tea&tag=hot`, decoded.
    public var description: String { fields.map(\.description).joined(separator: "&") }
    public var customMirror: Mirror { Mirror(self, unlabeledChildren: fields, displayStyle: .collection) }
}

extension FormFields.Field: CustomStringConvertible {
    /// `title=Tea`, decoded.
    public var description: String { "\(name)=\(value)" }
}
