// The members of a value as the `name=value` pairs of a query or a form.

package import PatchbayJSON
package import PatchbayPlatform

/// Writes the members of a tree as pairs. By default they keep their order, `true` and `false` are written as such, dates
/// in ISO 8601 and bytes in Base64, an array as its name repeated for each element, and null not at all.
package struct FormWriter: Sendable {
    /// Sorted by the names of members (UTF-16 code units), or by the outermost names (as Swift orders strings), or by the
    /// text of finished pairs, those of arrays included, or as given.
    package enum Order: Sendable { case names, outermostNames, pairs, given }

    package var order = Order.given
    /// The name of an element of an array.
    package var element: @Sendable (_ array: String, _ index: Int) -> String = { array, _ in array }
    /// The suffix that a member adds to the name of its object.
    package var suffix: @Sendable (_ member: String) -> String = { "[\($0)]" }
    /// The spelling of a key.
    package var key: @Sendable (String) -> String = { $0 }
    package var bool: @Sendable (Bool) -> String = { "\($0)" }
    /// Nil for a date that has no text in this form.
    package var date: @Sendable (Date) throws -> String? = { $0.iso8601 }
    /// Nil for an array of numbers from 0 to 255.
    package var data: @Sendable (Data) throws -> FormPair.Value? = { .bytes($0) }
    /// The value for null; nil if the pair is left out.
    package var null: @Sendable (_ name: String) -> FormPair.Value? = { _ in nil }
    package var escape: FormEscape

    package init(_ escape: FormEscape = .query) { self.escape = escape }

    /// The pairs of the members of a tree, escaped.
    package func text(of members: [(key: String, node: EncodingNode)]) throws -> String {
        text(try pairs(of: members))
    }

    /// The pairs in their order, not escaped.
    /// - Throws: `EncodingError` with the path of a number that is not finite, or of a date that has no text; the error
    ///   of a rule.
    package func pairs(
        of members: [(key: String, node: EncodingNode)], in object: String? = nil, at path: [any CodingKey] = []
    ) throws -> [FormPair] {
        var members = members.map { (key: $0.key, name: key($0.key), node: $0.node) }
        switch order {
        case .names: members = members.inOrder { $0.name.utf16.lexicographicallyPrecedes($1.name.utf16) }
        case .outermostNames: if object == nil { members = members.inOrder { $0.name < $1.name } }
        case .pairs, .given: break
        }
        return joined(
            try members.map { member in
                let name = object.map { $0 + suffix(member.name) } ?? member.name
                return try pairs(member.node, named: name, at: path + [PathKey.name(member.key)])
            })
    }

    private func pairs(_ node: EncodingNode, named name: String, at path: [any CodingKey]) throws -> [FormPair] {
        func pair(_ value: String) -> [FormPair] { [FormPair(name: name, value: .text(value))] }
        switch node.content {
        case .bool(let value): return pair(bool(value))
        case .int(let value): return pair(value.description)
        case .uint(let value): return pair(value.description)
        case .digits(let value, let text) where value.isFinite: return pair(text)
        case .double(let value), .digits(let value, _):
            guard let text = Self.text(of: value) else { throw Self.failure(value, "The number is not finite.", path) }
            return pair(text)
        case .string(let value): return pair(value)
        case .date(let value):
            guard let text = try date(value) else {
                throw Self.failure(
                    DateWithoutText(value), "The date has no text: it is not finite, or outside the years of ISO 8601.",
                    path)
            }
            return pair(text)
        case .data(let value):
            if let value = try data(value) { return [FormPair(name: name, value: value)] }
            let bytes = value.map { EncodingNode(.int(Int64($0))) }
            return try pairs(EncodingNode(.array(bytes)), named: name, at: path)
        case .array(let elements):
            return joined(
                try elements.enumerated().map { index, element in
                    try pairs(element, named: self.element(name, index), at: path + [PathKey.index(index)])
                })
        case .set(let elements):
            // A set has no order: its elements are sorted by their written text.
            return sorted(
                try elements.enumerated().map { index, element in
                    try pairs(element, named: name, at: path + [PathKey.index(index)])
                })
        case .object(let members, _): return try pairs(of: members, in: name, at: path)
        case .null, .absent, .nothing, .value, .failed:
            return null(name).map { [FormPair(name: name, value: $0)] } ?? []
        }
    }

    /// The pairs of several values in the order of the rules; each value's pairs stay together.
    private func joined(_ groups: [[FormPair]]) -> [FormPair] {
        order == .pairs ? sorted(groups) : groups.flatMap { $0 }
    }

    private func sorted(_ groups: [[FormPair]]) -> [FormPair] {
        groups.map { (text: text($0), pairs: $0) }.inOrder { $0.text < $1.text }.flatMap(\.pairs)
    }

    private func text(_ pairs: [FormPair]) -> String {
        pairs.map { $0.text(escape) }.joined(separator: "&")
    }

    /// A number with the fewest digits, and without `.0`; nil for NaN and infinity.
    package static func text(of number: Double) -> String? {
        guard number.isFinite else { return nil }
        let text = number.description
        return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
    }

    private static func failure(_ value: Any, _ reason: String, _ path: [any CodingKey]) -> EncodingError {
        .invalidValue(value, EncodingError.Context(codingPath: path, debugDescription: reason))
    }
}

package struct FormPair {
    package enum Value {
        /// A name without a value.
        case missing
        case text(String)
        /// Bytes, which are Base64 wherever a text is needed.
        case bytes(Data)
    }

    package let name: String
    let value: Value

    /// The bytes of the value, for formats without escaping.
    package var data: Data {
        switch value {
        case .missing: Data()
        case .text(let text): Data(text.utf8)
        case .bytes(let bytes): bytes
        }
    }

    /// The value as text; empty for a name without a value.
    package var text: String {
        switch value {
        case .missing: ""
        case .text(let text): text
        case .bytes(let bytes): bytes.base64EncodedString()
        }
    }

    func text(_ escape: FormEscape) -> String {
        guard case .missing = value else { return escape(name) + "=" + escape(text) }
        return escape(name)
    }
}

/// Percent-encoding of names and values (RFC 3986, section 2). Allowed bytes stay; every other byte of the UTF-8 is
/// escaped, so that `&`, `=`, `+`, `[` and `#` are data and not delimiters.
package struct FormEscape: Sendable {
    /// Whether a space becomes `+`, and not `%20`.
    package var isPlus = false
    /// The ASCII characters that are allowed, one bit each.
    private var allowed: UInt128 = 0

    /// Ignores characters beyond ASCII.
    package init(allowing characters: some Sequence<Character>) {
        // CR LF is one `Character`, whose `asciiValue` is that of LF.
        for character in characters where character.utf8.count == 1 {
            if let byte = character.asciiValue { allowed |= 1 << UInt128(byte) }
        }
    }

    package var characters: Set<Character> {
        Set((0..<128).filter(allows).map { Character(Unicode.Scalar($0)) })
    }

    private func allows(_ byte: UInt8) -> Bool { byte < 128 && allowed >> UInt128(byte) & 1 == 1 }

    package func callAsFunction(_ text: String) -> String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count)
        for byte in text.utf8 {
            if byte == UInt8(ascii: " "), isPlus {
                bytes.append(UInt8(ascii: "+"))
            } else if byte != UInt8(ascii: " "), allows(byte) {
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

    /// The escaping of a query: allows letters, digits and `-._~/?`.
    package static let query = FormEscape(allowing: alphanumeric + "-._~/?")

    /// Allows the unreserved characters: letters, digits and `-._~` (RFC 3986, section 2.3).
    package static let unreserved = FormEscape(allowing: alphanumeric + "-._~")

    /// That of a form: allows letters, digits and `*-._` (WHATWG URL, application/x-www-form-urlencoded percent-encode
    /// set), and writes a space as `+`.
    package static let urlencoded: FormEscape = {
        var escape = FormEscape(allowing: alphanumeric + "*-._")
        escape.isPlus = true
        return escape
    }()

    private static let alphanumeric = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
    private static let digits = Array("0123456789ABCDEF".utf8)
}
