import PatchbayJSON
package import PatchbayPlatform

package struct FormWriter {
    let rules: FormRules
    package let escape: FormEscape

    package init(_ rules: FormRules) {
        self.rules = rules
        escape = FormEscape(spaces: rules.spaces, allowed: rules.allowed)
    }

    /// - Throws: `ParametersFailure` if the outermost value is not an object or the depth is too great; `EncodingError`
    ///   with the path of a number that is not finite, or of a date that the rule has no text for; the error of a
    ///   custom rule.
    package func text(of parameters: Parameters) throws -> String {
        text(try pairs(of: parameters))
    }

    /// The pairs in their order, not escaped.
    package func pairs(of parameters: Parameters) throws -> [FormPair] {
        guard case .object(let members) = parameters else {
            throw ParametersFailure("a query or a form needs an object with named members")
        }
        return try pairs(members, in: nil, at: [])
    }

    private func pairs(
        _ members: [Parameters.Member], in object: String?, at path: [any CodingKey]
    ) throws -> [FormPair] {
        var members = members.map { (key: $0.name, name: rules.keys.spelling(of: $0.name), value: $0.value) }
        switch rules.order {
        case .names: members = members.inOrder { $0.name.utf16.lexicographicallyPrecedes($1.name.utf16) }
        case .outermostNames: if object == nil { members = members.inOrder { $0.name < $1.name } }
        case .pairs, .given: break
        }
        return joined(
            try members.map { member in
                let name = object.map { $0 + rules.members.suffix(member.name) } ?? member.name
                return try pairs(member.value, named: name, at: path + [PathKey.name(member.key)])
            })
    }

    private func pairs(_ value: Parameters, named name: String, at path: [any CodingKey]) throws -> [FormPair] {
        guard path.count <= Parameters.maximumDepth else {
            throw ParametersFailure("more than \(Parameters.maximumDepth) values lie inside each other")
        }
        switch value {
        case .null: return null(name)
        case .bool(let value): return pair(name, rules.bools == .numeric ? (value ? "1" : "0") : "\(value)")
        case .integer(let value): return pair(name, value.description)
        case .number(let value):
            guard let text = NumberText.text(of: value) else {
                throw Self.failure(value, "The number is not finite.", path)
            }
            return pair(name, text)
        case .decimal(let value):
            guard value.isFinite else { throw Self.failure(value, "The number is not finite.", path) }
            return pair(name, value.description)
        case .string(let value): return pair(name, value)
        case .date(let value):
            guard let text = try rules.dates.text(of: value) else {
                throw Self.failure(
                    DateWithoutText(value), "The date has no text: it is not finite, or outside the years of ISO 8601.",
                    path)
            }
            return pair(name, text)
        case .data(let value):
            switch rules.data {
            case .base64: return [FormPair(name: name, value: .bytes(value))]
            case .custom(let text): return pair(name, try text(value))
            case .deferred:
                let bytes = Parameters.array(value.map { .integer(Int128($0)) })
                return try pairs(bytes, named: name, at: path)
            }
        case .array(let elements):
            return joined(
                try elements.enumerated().map { index, element in
                    try pairs(element, named: rules.arrays.name(name, index), at: path + [PathKey.index(index)])
                })
        case .set(let elements):
            // A set has no order: its elements are sorted by their written text.
            return sorted(
                try elements.enumerated().map { index, element in
                    try pairs(element, named: name, at: path + [PathKey.index(index)])
                })
        case .object(let members): return try pairs(members, in: name, at: path)
        }
    }

    /// The pairs of several values in the order of the rules; each value's pairs stay together.
    private func joined(_ groups: [[FormPair]]) -> [FormPair] {
        rules.order == .pairs ? sorted(groups) : groups.flatMap { $0 }
    }

    private func sorted(_ groups: [[FormPair]]) -> [FormPair] {
        groups.map { (text: text($0), pairs: $0) }.inOrder { $0.text < $1.text }.flatMap(\.pairs)
    }

    private func text(_ pairs: [FormPair]) -> String {
        pairs.map { $0.text(escape) }.joined(separator: "&")
    }

    private func pair(_ name: String, _ value: String) -> [FormPair] {
        [FormPair(name: name, value: .text(value))]
    }

    private static func failure(_ value: Any, _ reason: String, _ path: [any CodingKey]) -> EncodingError {
        .invalidValue(value, EncodingError.Context(codingPath: path, debugDescription: reason))
    }

    private func null(_ name: String) -> [FormPair] {
        switch rules.nulls {
        case .nameOnly: [FormPair(name: name, value: .none)]
        case .empty: pair(name, "")
        case .literal: pair(name, "null")
        case .dropped: []
        case .custom(let text): text(name).map { pair(name, $0) } ?? []
        }
    }
}

package struct FormPair {
    enum Value {
        /// A name without a value.
        case none
        case text(String)
        /// Bytes, which are Base64 wherever a text is needed.
        case bytes(Data)
    }

    package let name: String
    let value: Value

    /// The bytes of the value, for formats without escaping.
    package var data: Data {
        switch value {
        case .none: Data()
        case .text(let text): Data(text.utf8)
        case .bytes(let bytes): bytes
        }
    }

    /// The value as text; empty for a name without a value.
    package var text: String {
        switch value {
        case .none: ""
        case .text(let text): text
        case .bytes(let bytes): bytes.base64EncodedString()
        }
    }

    func text(_ escape: FormEscape) -> String {
        guard case .none = value else { return escape(name) + "=" + escape(text) }
        return escape(name)
    }
}

/// Percent-encoding of names and values (RFC 3986, section 2). Allowed bytes stay; every other byte of the UTF-8 is
/// escaped, so that `&`, `=`, `+`, `[` and `#` are data and not delimiters.
package struct FormEscape {
    let spaces: FormRules.SpaceRule
    var allowed = ASCIISet.unreserved

    func callAsFunction(_ text: String) -> String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count)
        for byte in text.utf8 {
            if byte == UInt8(ascii: " "), spaces == .plus {
                bytes.append(UInt8(ascii: "+"))
            } else if byte != UInt8(ascii: " "), allowed.contains(byte) {
                bytes.append(byte)
            } else {
                bytes += [UInt8(ascii: "%"), Self.digits[Int(byte >> 4)], Self.digits[Int(byte & 15)]]
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// `name=value&…`
    package func text(of items: some Sequence<(name: String, value: String)>) -> String {
        items.map { self($0.name) + "=" + self($0.value) }.joined(separator: "&")
    }

    /// The escaping of a query.
    package static let query = FormEscape(spaces: .percentEncoded)

    private static let digits = Array("0123456789ABCDEF".utf8)
}

/// A set of ASCII characters, one bit each.
package struct ASCIISet: Sendable {
    private var bits: UInt128 = 0

    /// Ignores characters beyond ASCII.
    init(_ characters: some Sequence<Character>) {
        // CR LF is one `Character`, whose `asciiValue` is that of LF.
        for character in characters where character.utf8.count == 1 {
            if let byte = character.asciiValue { bits |= 1 << UInt128(byte) }
        }
    }

    func contains(_ byte: UInt8) -> Bool { byte < 128 && bits >> UInt128(byte) & 1 == 1 }

    var characters: Set<Character> {
        Set((0..<128).filter(contains).map { Character(Unicode.Scalar($0)) })
    }

    /// Letters, digits and `-._~/?`.
    static let unreserved = ASCIISet(alphanumeric + "-._~/?")

    /// Letters, digits and `*-._` (WHATWG URL, application/x-www-form-urlencoded percent-encode set).
    package static let urlencoded = ASCIISet(alphanumeric + "*-._")

    private static let alphanumeric = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
}

/// A number as forms write it: with the fewest digits, and without `.0`.
enum NumberText {
    /// Nil for NaN and infinity.
    static func text(of number: Double) -> String? {
        guard number.isFinite else { return nil }
        let text = number.description
        return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
    }
}
