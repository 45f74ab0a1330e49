package import PatchbayJSON
import PatchbayPlatform

/// An invalid value of a factory's option. The `ManifestFailure` is reported at the JSON pointer of the option.
package struct OptionFailure: Error, Sendable, Hashable, CustomStringConvertible {
    package let key: String
    /// The rule that the value broke.
    package let rule: String

    /// Example: `OptionFailure("depth", "is 0, and must be from 1 to 9")`.
    package init(_ key: String, _ rule: String) {
        self.key = key
        self.rule = rule
    }

    /// The failure for a word that the option doesn't accept.
    package init(_ key: String, _ word: String, noneOf words: [String]) {
        let list = words.map { "\"\($0)\"" }.joined(separator: ", ")
        let guess = Spelling.nearest(to: word, in: words).map { "; did you mean \"\($0)\"?" } ?? ""
        self.init(key, "must be one of \(list)\(guess)")
    }

    package var description: String { "the option \(key) \(rule)" }

    /// Returns the value if it is within the range.
    package static func check(_ key: String, _ value: Int, in range: ClosedRange<Int>) throws(OptionFailure) -> Int {
        guard range.contains(value) else {
            throw OptionFailure(key, "is \(value), and must be from \(range.lowerBound) to \(range.upperBound)")
        }
        return value
    }

    /// Throws if the label is not that of a charset; nil is allowed.
    package static func check(_ key: String, charset label: String?) throws(OptionFailure) {
        guard let label, TextEncodingName(label: label) == nil else { return }
        throw OptionFailure(key, "is \"\(label)\", which is no charset known here")
    }
}

extension OptionFailure: FormatFault {
    package var formatFailure: FormatFailure {
        FormatFailure(self, "options", .range, description)
    }
}

/// An option whose value is one of a few words. Any other word is refused with an error that names all of them.
package struct Choice<Value: RawRepresentable & CaseIterable & Sendable>: Decodable, Sendable
where Value.RawValue == String {
    package let value: Value

    package init(from decoder: any Decoder) throws {
        let word = try decoder.singleValueContainer().decode(String.self)
        guard let value = Value(rawValue: word) else {
            throw OptionFailure(
                decoder.codingPath.last?.stringValue ?? "", word, noneOf: Value.allCases.map(\.rawValue))
        }
        self.value = value
    }
}
