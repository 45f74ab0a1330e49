import PatchbayPlatform

/// The header fields of one message, in the order they came, with every value kept.
///
/// Names compare without regard to ASCII case (RFC 9110, section 5.1). A value that was not UTF-8 on the wire is given as
/// ISO-8859-1, so that no byte is lost.
public struct HeaderFields: Sendable, Hashable {
    /// One field line: a name and a value without the white space around it.
    public struct Field: Sendable, Hashable {
        /// The name, spelt as it was given or received; it is compared without case.
        public var name: String
        /// The value, without white space around it.
        public var value: String

        /// A field; whether it may be sent is judged when it is.
        public init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

    private var fields: [Field]

    /// The fields in their order; a name may stand there more than once.
    public init(_ fields: [Field] = []) {
        self.fields = fields
    }

    /// The fields in the order of their names, which a dictionary does not have.
    @_disfavoredOverload
    public init(_ values: [String: String]) {
        self.init(values.sorted { $0.key < $1.key }.map { Field(name: $0.key, value: $0.value) })
    }

    /// The fields in their order; two with one name are both kept.
    public init(_ pairs: KeyValuePairs<String, String>) {
        self.init(pairs.map { Field(name: $0.key, value: $0.value) })
    }

    /// The first value of the field, or nil where there is no such field. Setting replaces every value; nil removes them.
    public subscript(name: String) -> String? {
        get { position(of: name).map { fields[$0].value } }
        set {
            guard let first = position(of: name) else {
                if let newValue { append(newValue, for: name) }
                return
            }
            guard let newValue else { return fields.removeAll { Self.matches($0.name, name) } }
            fields[first] = Field(name: name, value: newValue)
            var index = first + 1
            while let next = position(of: name, from: index) {
                fields.remove(at: next)
                index = next
            }
        }
    }

    /// Where the first field of the name stands, of those from an index on.
    func position(of name: String, from start: Int = 0) -> Int? {
        let length = name.utf8.count
        var index = start
        while index < fields.count {
            // Names of one message hardly ever have one length.
            if fields[index].name.utf8.count == length, Self.matches(fields[index].name, name) { return index }
            index += 1
        }
        return nil
    }

    /// The value of a field that is there once; nil where there is none, or several.
    package func onlyValue(for name: String) -> String? {
        guard let first = position(of: name), position(of: name, from: first + 1) == nil else { return nil }
        return fields[first].value
    }

    /// Every value of the field, in the order received.
    public func values(for name: String) -> [String] {
        var values: [String] = []
        var index = 0
        while let next = position(of: name, from: index) {
            values.append(fields[next].value)
            index = next + 1
        }
        return values
    }

    /// Adds one more value, after those that are there.
    public mutating func append(_ value: String, for name: String) {
        fields.append(Field(name: name, value: value))
    }

    /// Replaces, name by name, the fields that `other` has; the rest stay.
    public mutating func replace(with other: HeaderFields) {
        guard !fields.isEmpty, !other.isEmpty else {
            if fields.isEmpty { fields = other.fields }
            return
        }
        var replaced: [Field] = []
        replaced.reserveCapacity(fields.count + other.count)
        for field in fields where other.position(of: field.name) == nil { replaced.append(field) }
        replaced.append(contentsOf: other.fields)
        fields = replaced
    }

    /// The same fields by name, without regard to ASCII case; values of one name keep their order.
    public func sortedByName() -> HeaderFields {
        HeaderFields(
            fields.enumerated().sorted { left, right in
                let names = (left.element.name.lowercased(), right.element.name.lowercased())
                return names.0 == names.1 ? left.offset < right.offset : names.0 < names.1
            }.map(\.element))
    }

    /// Whether two field names are the same without regard to ASCII case.
    package static func matches(_ left: String, _ right: String) -> Bool {
        // Where two have one length, their first letter differs or they are spelled alike.
        guard left.utf8.count == right.utf8.count else { return false }
        var (left, right) = (left, right)
        return left.withUTF8 { left in
            right.withUTF8 { right in
                for index in 0..<left.count where left[index] != right[index] {
                    guard FieldByte.lowercased(left[index]) == FieldByte.lowercased(right[index]) else { return false }
                }
                return true
            }
        }
    }
}

extension HeaderFields: RandomAccessCollection {
    public var startIndex: Int { fields.startIndex }
    public var endIndex: Int { fields.endIndex }
    public subscript(position: Int) -> Field { fields[position] }
}

extension HeaderFields: ExpressibleByDictionaryLiteral {
    public init(dictionaryLiteral elements: (String, String)...) {
        self.init(elements.map { Field(name: $0.0, value: $0.1) })
    }
}

extension HeaderFields: CustomStringConvertible, CustomReflectable {
    /// `[Content-Type: application/json, Authorization: <12 bytes>]`: values only of fields that are known to be harmless.
    public var description: String { "[" + fields.map(\.description).joined(separator: ", ") + "]" }
    public var customMirror: Mirror { Mirror(self, unlabeledChildren: fields, displayStyle: .collection) }
}

extension HeaderFields.Field: CustomStringConvertible, CustomReflectable {
    /// `Content-Type: application/json`, or `Authorization: <12 bytes>` where the value may be a secret.
    public var description: String { "\(Redaction.name(name)): \(Redaction.masked(self))" }
    public var customMirror: Mirror { Mirror(described: self) }
}

extension HeaderFields {
    /// The members of a list field (RFC 9110, section 5.6.1), those of repeated fields in turn, without the blanks around them.
    package func members(of name: String) -> [String] {
        var members: [String] = []
        var index = 0
        while let next = position(of: name, from: index) {
            index = next + 1
            let value = self[next].value
            let bytes = value.utf8
            guard bytes.contains(where: { $0 == UInt8(ascii: ",") || FieldByte.isBlank($0) }) else {
                // Most are one member and nothing else.
                members.append(value)
                continue
            }
            for member in bytes.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false) {
                var member = member.drop { FieldByte.isBlank($0) }
                while let last = member.last, FieldByte.isBlank(last) { member.removeLast() }
                members.append(String(Substring(member)))
            }
        }
        return members
    }
}
