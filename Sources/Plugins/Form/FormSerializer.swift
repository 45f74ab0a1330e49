import PatchbayJSON
package import PatchbayPlatform
package import PatchbayRegistry

/// Reads and writes the fields of a form, `application/x-www-form-urlencoded`.
///
/// The serializer writes `FormFields` unchanged. For any other `Encodable` that encodes as an object, it writes the
/// members by the rules. A form is UTF-8 (WHATWG URL, section 5.2): a media type with another charset is an error.
package struct FormSerializer: ResponseSerializer, NeverDecliningSerializer, RequestSerializer {
    /// The maximum number of fields in a form. A form with more fields is an error.
    package var maximumFields = 10_000
    /// Writes the members, by its rules for their names, their order and their text.
    package var writer = Self.standardWriter

    /// Members are written in their order. The elements of an array have the name of the array. Booleans are `true` and
    /// `false`, dates are in ISO 8601, and null has no field. A space becomes `+`, and all other escapes are those of
    /// the urlencoded serializer (WHATWG URL, section 5.2).
    package static let standardWriter = FormWriter(.urlencoded)

    package func serialize(_ body: ResponseBody, _ head: ResponseHead) throws -> FormFields {
        try body.withUnsafeBytes { bytes throws(FormatFailure) in
            try FormFields(parsing: bytes, maximumFields: maximumFields)
        }
    }

    /// - Throws: `FormatFailure` for a value that is not an object, and for a charset other than UTF-8; `EncodingError`;
    ///   any error that the value throws.
    package func write(_ value: some Encodable, as type: MediaType) throws -> Data {
        try type.requireUTF8("form")
        if let fields = value as? FormFields { return Data(writer.escape.text(of: fields).utf8) }
        guard let members = try EncodingNode.tree(of: value).members else {
            throw FormatFailure("form", .unsupported, "a form needs an object with named members")
        }
        return Data(try writer.text(of: members).utf8)
    }
}

/// The fields of a form, in the order received; a name can occur several times.
public struct FormFields: Sendable {
    /// One field: a name and a value, decoded; both can be empty. The value of a field without `=` is empty.
    public typealias Element = (name: String, value: String)

    private let fields: [Element]

    /// The fields in order; a name can occur several times.
    public init(_ fields: [Element] = []) {
        self.fields = fields
    }

    /// The first value of the field with this name; nil if there is none.
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
    public subscript(position: Int) -> Element { fields[position] }
}

extension FormFields: Hashable {
    /// Whether the names, the values and their order are the same.
    public static func == (left: Self, right: Self) -> Bool { left.fields.elementsEqual(right.fields, by: ==) }

    public func hash(into hasher: inout Hasher) { fields.combinePairs(into: &hasher) }
}

extension FormFields: ExpressibleByDictionaryLiteral {
    public init(dictionaryLiteral elements: (String, String)...) {
        self.init(elements.map { ($0.0, $0.1) })
    }
}

extension FormFields: Encodable {
    /// In a form, the fields are written unchanged. In other formats, such as JSON, they are an object, in which a name
    /// that occurs more than once has its values in an array.
    public func encode(to encoder: any Encoder) throws {
        var values = Dictionary(grouping: fields, by: \.name)
        var container = encoder.container(keyedBy: PathKey.self)
        for name in fields.map(\.name) {
            guard let values = values.removeValue(forKey: name)?.map(\.value) else { continue }
            if values.count == 1 {
                try container.encode(values[0], forKey: .name(name))
            } else {
                try container.encode(values, forKey: .name(name))
            }
        }
    }
}

extension FormFields: CustomStringConvertible, CustomReflectable {
    /// `title=Tea&tag=hot`, decoded.
    public var description: String { texts.joined(separator: "&") }
    public var customMirror: Mirror { Mirror(self, unlabeledChildren: texts, displayStyle: .collection) }

    private var texts: [String] { fields.map { "\($0.name)=\($0.value)" } }
}

extension FormFields {
    /// Parses `application/x-www-form-urlencoded` (WHATWG URL, section 5.1), in one pass.
    ///
    /// The rules of the WHATWG URL Standard have no errors: a percent sign that begins no escape is an ordinary
    /// character, and bytes that are not UTF-8 become U+FFFD.
    init(parsing bytes: UnsafeRawBufferPointer, maximumFields: Int) throws(FormatFailure) {
        var fields: [Element] = []
        var name: [UInt8]?
        var text: [UInt8] = []
        var isEmpty = true
        func endField() throws(FormatFailure) {
            guard !isEmpty else { return }
            let value = name == nil ? [] : text
            fields.append((String(decoding: name ?? text, as: UTF8.self), String(decoding: value, as: UTF8.self)))
            (name, text, isEmpty) = (nil, [], true)
            guard fields.count <= maximumFields else {
                let rule = "it has more than \(maximumFields) fields"
                throw FormatFailure("form", .limit, rule + " (maxFields)", sentence: "the form was refused: \(rule)")
            }
        }
        var position = 0
        while position < bytes.count {
            let byte = bytes[position]
            position += 1
            if byte == UInt8(ascii: "&") {
                try endField()
                continue
            }
            isEmpty = false
            if byte == UInt8(ascii: "="), name == nil {
                name = text
                text = []
            } else if byte == UInt8(ascii: "+") {
                text.append(UInt8(ascii: " "))
            } else if byte == UInt8(ascii: "%"), bytes.count - position >= 2,
                let high = bytes[position].hexadecimalDigit, let low = bytes[position + 1].hexadecimalDigit
            {
                text.append(high << 4 | low)
                position += 2
            } else {
                text.append(byte)
            }
        }
        try endField()
        self.init(fields)
    }
}
