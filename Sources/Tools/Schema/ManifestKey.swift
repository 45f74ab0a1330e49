package import PatchbayJSON
import PatchbayRegistry

/// One key of the manifest: its values, its default, and its meaning.
package struct ManifestKey: Sendable {
    package enum Need: Sendable, Hashable {
        case nobody
        /// One of the combined manifests must have the key.
        case someManifest
        /// Every object that can contain the key must have it. The key does not take null.
        case everyObject
    }

    package let name: String
    package let value: ManifestValue
    /// The default in words; nil for none.
    package let standard: JSON?
    /// One sentence, for the schema and for the reference.
    package let meaning: String
    package let need: Need
    /// Whether an overlay is allowed to give null to remove the value of an earlier manifest.
    package let isRemovable: Bool

    init(
        _ name: String, _ value: ManifestValue, default standard: JSON? = nil, _ meaning: String, need: Need = .nobody,
        removable: Bool = true
    ) {
        self.name = name
        self.value = value
        self.standard = standard
        self.meaning = meaning
        self.need = need
        isRemovable = removable && need != .everyObject
    }
}

/// An object of the manifest with its keys, for the reader and the schema. Every object also takes keys that start with
/// `x-`.
package struct ManifestObject: Sendable {
    package let name: String
    package let keys: [ManifestKey]

    package var names: [String] { keys.map(\.name) }
}

extension ManifestObject {
    init(_ name: String, _ keys: ManifestKey...) { self.init(name: name, keys: keys) }
}

package indirect enum ManifestValue: Sendable {
    case bool
    /// A string with a least number of characters.
    case text(minimum: Int = 0)
    /// A string of one ASCII character, not a line end.
    case character
    case pattern(ManifestPattern)
    case factory
    /// One of these words, or a value of the kind `or`.
    case words([String], or: ManifestValue? = nil)
    case integer(ClosedRange<Int>)
    /// Above the first number, up to the second.
    case number(above: Double, through: Double)
    case list(ManifestValue, atLeast: Int = 0, atMost: Int? = nil, isSet: Bool = false)
    case object(ManifestObject)
    /// An object with names of this pattern as its keys, in any order.
    case map(ManifestPattern, ManifestValue, atMost: Int? = nil)
    /// The options of the entry's factory.
    case options
}

/// The texts of one kind, as a regular expression for editors. The loader has its own parsers.
///
/// The expressions use only syntax that ECMA-262, the dialect of JSON Schema, shares with other dialects.
package struct ManifestPattern: Sendable {
    package let name: String
    /// The expression, anchored at both ends.
    package let expression: String
    package let rule: String

    private init(_ name: String, _ expression: String, _ rule: String) {
        self.name = name
        self.expression = "^\(expression)$"
        self.rule = rule
    }
}

extension ManifestPattern {
    package static let id = ManifestPattern(
        "id", "(?!(?:\(ManifestEntry.reservedIDs.joined(separator: "|")))$)\(anyID)",
        "a-z, 0-9, dot, underscore and hyphen, a letter or digit first, and none of the words "
            + ManifestEntry.reservedIDs.joined(separator: ", "))

    /// An id, or one of the words that a policy accepts instead of an id.
    package static let fallback = ManifestPattern(
        "fallback",
        "(?!(?:\(ManifestEntry.reservedIDs.filter { !["raw", "error"].contains($0) }.joined(separator: "|")))$)\(anyID)",
        "\"raw\", \"error\" or the id of an entry")

    private static let anyID = "[a-z0-9][a-z0-9._-]*"

    /// The notation of `StatusRange`, including the order of its two ends.
    package static let status = ManifestPattern(
        "status", "(?:[1-5]XX|[1-5][0-9]{2}|\(risingRange))", "\"200\", \"2XX\" or \"500-503\", from 100 to 599")

    /// Two statuses in ascending order: with different hundreds, with the same hundreds and different tens, or with the
    /// same tens.
    private static let risingRange: String = {
        let hundreds = (1...4).map { "\($0)[0-9]{2}-[\($0 + 1)-5][0-9]{2}" }
        let tens = (0...8).map { "\($0)[0-9]-\\1[\($0 + 1)-9][0-9]" }
        let ones = (0...9).map { "\($0)-\\2[\($0)-9]" }
        return
            (hundreds + ["([1-5])(?:\(tens.joined(separator: "|")))", "([1-5][0-9])(?:\(ones.joined(separator: "|")))"])
            .joined(separator: "|")
    }()

    package static let mediaRange: ManifestPattern = {
        let suffix = #"\+\#(plusless)+"#
        let groups = MediaTypeGroup.allCases.map { anyCase($0.rawValue) }.joined(separator: "|")
        return media(
            "mediaRange", #"(?:@(?:\#(groups))|\#(suffix)|\*/\*|\#(type)/(?:\*(?:\#(suffix))?|\#(starless)+))"#,
            "type/subtype, type/*, */*, +suffix, type/*+suffix or a group such as @json, each with or without ;name=value"
        )
    }()

    /// The media type of a body.
    package static let mediaType = media(
        "mediaType", "\(type)/\(starless)+", "type/subtype, with or without ;name=value")

    /// - Parameter range: the expression before the parameters.
    private static func media(_ name: String, _ range: String, _ rule: String) -> ManifestPattern {
        // Tab, space to tilde and U+0080 to U+00FF; a quotation mark and a backslash after a backslash.
        let quoted = #""(?:[\t !#-\x5B\x5D-~\u0080-\u00FF]|\\[\t -~\u0080-\u00FF])*""#
        let parameter = #"[*\#(tokenBytes)]+=(?:[*\#(tokenBytes)]+|\#(quoted))"#
        return ManifestPattern(
            name,
            #"(?=[\s\S]{1,\#(PatternFailure.maximumLength)}$)[ \t]*\#(range)(?:[ \t]*;[ \t]*\#(parameter))*[ \t]*"#,
            rule)
    }

    /// A media type as written in `aliases`.
    package static let essence = ManifestPattern(
        "essence", #"[\#(lowerTokenBytes)]+/[\#(lowerTokenBytes)]+"#, "type/subtype in lower case, without parameters")

    /// The patterns of `HostPattern`, with or without a path. For an IPv6 address, the expression only checks the
    /// characters.
    package static let host = ManifestPattern(
        "host", hostExpression(wildcard: false) + #"(?:/(?!\.{1,2}(?:/|$))[^/\\%?#*\x00-\x1F\x7F]+)*"#,
        "api.example.com, *.example.com, 192.0.2.1 or [2001:db8::1], each with or without :port, and with or without a path such as /v1/export"
    )

    /// The patterns with a wildcard.
    package static let wildcard = ManifestPattern(
        "wildcard", hostExpression(wildcard: true), "*.example.com, with or without :port")

    private static func hostExpression(wildcard: Bool) -> String {
        let end = #"\.?(?:[:/]|$)"#
        let isAddress = #"(?:[A-Za-z0-9_-]+\.)*(?:[0-9]+|0[xX][0-9A-Fa-f]*)\#(end)"#
        let label = "[A-Za-z0-9_-]{1,63}"
        let star = #"\*\.(?!\#(isAddress))"#
        let start = wildcard ? star : "(?:\(star))?"
        let name = #"\#(start)(?=[A-Za-z0-9_.-]{1,253}\#(end))\#(label)(?:\.\#(label))*\.?"#
        let either = wildcard ? name : #"(?:\[[0-9A-Fa-f:.]{2,45}\]|\#(name))"#
        let port =
            "(?:0{0,4}[1-9]|0{0,3}[1-9][0-9]|0{0,2}[1-9][0-9]{2}|0?[1-9][0-9]{3}|[1-5][0-9]{4}|6[0-4][0-9]{3}"
            + "|65[0-4][0-9]{2}|655[0-2][0-9]|6553[0-5])"
        return #"(?=.{1,\#(PatternFailure.maximumLength)}$)\#(either)(?::\#(port))?"#
    }

    /// The characters of a token (RFC 9110, section 5.6.2) except the star, for a class of an expression.
    private static let tokenBytes = "A-Za-z0-9!#$%&'+.^_`|~-"
    private static let lowerTokenBytes = "a-z0-9!#$%&'+.^_`|~-"
    private static let starless = "[\(tokenBytes)]"
    private static let type = "\(plusless)\(starless)*"
    private static let plusless = "[A-Za-z0-9!#$%&'.^_`|~-]"

    private static func anyCase(_ word: String) -> String {
        word.map { $0.isLetter ? "[\($0.uppercased())\($0)]" : "\($0)" }.joined()
    }
}
