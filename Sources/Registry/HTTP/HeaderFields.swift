import PatchbayPlatform

/// The header fields of one message, in the order received, with every value kept.
///
/// Names compare without regard to ASCII case (RFC 9110, section 5.1). A value that is not valid UTF-8 is read as
/// ISO-8859-1, so that no byte is lost. A value of your own is sent as UTF-8.
public struct HeaderFields: Sendable {
    /// One field line: the name as given or received, and the value without surrounding white space.
    ///
    /// `HeaderFields` prints values only for fields that are known to be harmless. An element taken out of
    /// `HeaderFields` is a tuple of two strings, and prints both.
    public typealias Element = (name: String, value: String)

    private var fields: [Element]
    /// The positions of the values that are `FieldText` in ISO-8859-1.
    private var latin1: [Int] = []

    /// The fields in order; a name can occur several times. Whether a field is allowed is checked when it is sent.
    public init(_ fields: [Element] = []) {
        self.fields = fields
    }

    /// - Parameter latin1: the positions of the values that were read as ISO-8859-1.
    package init(_ fields: [Element], latin1: [Int]) {
        (self.fields, self.latin1) = (fields, latin1)
    }

    /// The fields of a dictionary, sorted by name because a dictionary has no order. A literal of `HeaderFields` keeps
    /// its order, and can repeat a name.
    public init(_ values: [String: String]) {
        self.init(values.inOrder { $0.key < $1.key }.map { ($0.key, $0.value) })
    }

    /// The first value of the field; nil without such a field. Setting replaces all values; nil removes them.
    public subscript(name: String) -> String? {
        get { position(of: name).map { fields[$0].value } }
        set {
            guard let first = position(of: name) else {
                if let newValue { append(newValue, for: name) }
                return
            }
            var index = first
            if let newValue {
                fields[first] = (name, newValue)
                latin1.removeAll { $0 == first }
                index += 1
            }
            while let next = position(of: name, from: index) {
                fields.remove(at: next)
                if !latin1.isEmpty { latin1 = latin1.compactMap { $0 == next ? nil : $0 > next ? $0 - 1 : $0 } }
                index = next
            }
        }
    }

    /// Replaces all values of the field, and keeps the octets of the value.
    package mutating func set(_ value: FieldText?, for name: String) {
        self[name] = value?.text
        if value?.isLatin1 == true, let place = position(of: name) { latin1.append(place) }
    }

    /// The first value of the field with its octets; nil without such a field.
    package func text(for name: String) -> FieldText? { position(of: name).map { text(at: $0) } }

    private func text(at position: Int) -> FieldText {
        FieldText(fields[position].value, isLatin1: isLatin1(at: position))
    }

    /// The octets of the value at the position, as a transport sends them.
    package func octets(at position: Int) -> [UInt8] { text(at: position).octets }

    /// The octets of every value of the field, in the order received.
    package func octets(for name: String) -> [[UInt8]] {
        fields.indices.filter { Self.matches(fields[$0].name, name) }.map { octets(at: $0) }
    }

    /// Whether the octets of the value are not its text in UTF-8.
    package func isLatin1(at position: Int) -> Bool { !latin1.isEmpty && latin1.contains(position) }

    /// The position of the first field with the name, from an index on.
    func position(of name: String, from start: Int = 0) -> Int? {
        let length = name.utf8.count
        var index = start
        while index < fields.count {
            // The names of one message rarely have the same length.
            if fields[index].name.utf8.count == length, Self.matches(fields[index].name, name) { return index }
            index += 1
        }
        return nil
    }

    /// The value of a field that occurs once; nil if it is missing or repeated.
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

    /// Adds a field at the end. Fields with the same name stay.
    public mutating func append(_ value: String, for name: String) {
        fields.append((name, value))
    }

    /// Removes all fields whose names occur in `other`, then appends the fields of `other`.
    public mutating func replace(with other: HeaderFields) {
        guard !fields.isEmpty, !other.isEmpty else {
            if fields.isEmpty { self = other }
            return
        }
        var replaced = HeaderFields()
        replaced.fields.reserveCapacity(fields.count + other.count)
        for (index, field) in fields.enumerated() where other.position(of: field.name) == nil {
            if isLatin1(at: index) { replaced.latin1.append(replaced.count) }
            replaced.fields.append(field)
        }
        for place in other.latin1 { replaced.latin1.append(replaced.count + place) }
        replaced.fields.append(contentsOf: other.fields)
        self = replaced
    }

    /// Whether two field names are equal without regard to ASCII case.
    package static func matches(_ left: String, _ right: String) -> Bool {
        // Names of the same length mostly differ in the first letter, or are spelt alike.
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
    public subscript(position: Int) -> Element { fields[position] }
}

/// The octets of a field value as text: read as UTF-8 or, if they are not valid UTF-8, as ISO-8859-1.
package struct FieldText: Sendable {
    package let text: String
    /// Whether each scalar of the text is one octet. If not, the octets are the UTF-8 of the text.
    package let isLatin1: Bool

    /// - Parameter text: without scalars above U+00FF if it is ISO-8859-1.
    package init(_ text: String, isLatin1: Bool) { (self.text, self.isLatin1) = (text, isLatin1) }

    package init(octets: some Collection<UInt8>) {
        let text = String(validating: octets, as: UTF8.self)
        self.init(text ?? Self.latin1(octets), isLatin1: text == nil)
    }

    package var octets: [UInt8] {
        isLatin1 ? text.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) } : Array(text.utf8)
    }

    /// The number of octets.
    package var size: Int { isLatin1 ? text.unicodeScalars.count : text.utf8.count }

    /// The octets as ISO-8859-1.
    package static func latin1(_ octets: some Collection<UInt8>) -> String {
        var text = String.UnicodeScalarView()
        text.append(contentsOf: octets.lazy.map { Unicode.Scalar($0) })
        return String(text)
    }
}

extension HeaderFields: Hashable {
    /// Whether the names with their spelling, the values and their order are equal.
    public static func == (left: Self, right: Self) -> Bool { left.fields.elementsEqual(right.fields, by: ==) }

    public func hash(into hasher: inout Hasher) { fields.combinePairs(into: &hasher) }
}

extension Array where Element == (name: String, value: String) {
    /// Hashes the pairs, because a tuple cannot be `Hashable`.
    package func combinePairs(into hasher: inout Hasher) {
        hasher.combine(count)
        for (name, value) in self {
            hasher.combine(name)
            hasher.combine(value)
        }
    }
}

extension HeaderFields: ExpressibleByDictionaryLiteral {
    public init(dictionaryLiteral elements: (String, String)...) {
        self.init(elements.map { ($0.0, $0.1) })
    }
}

extension HeaderFields: CustomStringConvertible, CustomReflectable {
    /// `[Content-Type: application/json, Authorization: <12 bytes>]`: only fields that are known to be harmless show
    /// their values.
    public var description: String { "[" + lines.joined(separator: ", ") + "]" }
    public var customMirror: Mirror { Mirror(self, unlabeledChildren: lines, displayStyle: .collection) }

    /// `Content-Type: application/json`, or `Authorization: <12 bytes>` if the value can be a secret.
    private var lines: [String] { fields.map { "\(Redaction.name($0.name)): \(Redaction.masked($0))" } }
}

extension HeaderFields {
    /// The members of a list field (RFC 9110, section 5.6.1), including repeated fields, without surrounding white
    /// space.
    package func members(of name: String) -> [String] {
        var members: [String] = []
        var index = 0
        while let next = position(of: name, from: index) {
            index = next + 1
            let value = self[next].value
            let bytes = value.utf8
            guard bytes.contains(where: { $0 == UInt8(ascii: ",") || FieldByte.isBlank($0) }) else {
                // Most values are a single member.
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
