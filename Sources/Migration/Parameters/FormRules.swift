// The rules for naming, ordering and escaping `name=value` pairs.

import PatchbayJSON
public import PatchbayPlatform
package import PatchbayRegistry

/// The rules by which parameters become `name=value` pairs, in a query or a form body; the defaults are those of
/// AFNetworking.
public struct FormRules: Sendable {
    /// The order of the pairs.
    public enum Order: Sendable {
        /// The members of every object sorted by name (UTF-16 code units); elements of arrays in their order.
        case names
        /// The members of the outermost object sorted by name, as Swift orders strings; other members in their order.
        case outermostNames
        /// The finished pairs sorted by their text, at every level, including elements of arrays.
        case pairs
        /// Members and elements in their order.
        case given
    }

    /// The order of the pairs.
    public var order = Order.names
    /// The names of the elements of an array.
    public var arrays = ArrayRule.brackets
    /// The text of true and false.
    public var bools = BoolRule.numeric
    /// The text of a date.
    public var dates = DateRule.iso8601
    /// The text of bytes.
    public var data = DataRule.base64
    /// The spelling of the keys of `Encodable` types.
    public var keys = KeyRule.asIs
    /// The names of the members of an object inside another object.
    public var members = MemberRule.brackets
    /// The pair for null, and for an optional member of an `Encodable` type that is nil.
    public var nulls = NullRule.nameOnly
    /// The text of a space.
    public var spaces = SpaceRule.percentEncoded
    /// The characters that are not percent-encoded in names and values. Characters beyond ASCII are ignored, and
    /// `spaces` decides about a space. If `&`, `=`, `+` or `%` is allowed, names and values cannot always be separated
    /// again.
    public var allowedCharacters: Set<Character> {
        get { escape.characters }
        set { escape = FormEscape(allowing: newValue) }
    }
    private var escape = FormEscape.query

    /// The rules of AFNetworking.
    public init() {}

    package var writer: FormWriter {
        var writer = FormWriter(escape)
        writer.escape.isPlus = spaces == .plus
        switch order {
        case .names: writer.order = .names
        case .outermostNames: writer.order = .outermostNames
        case .pairs: writer.order = .pairs
        case .given: break
        }
        (writer.element, writer.suffix, writer.key) = (arrays.name, members.suffix, keys.spelling)
        if bools == .numeric { writer.bool = { $0 ? "1" : "0" } }
        (writer.date, writer.data, writer.null) = (dates.text, data.value, nulls.value)
        return writer
    }
}

extension FormRules {
    /// The rule that makes the name of an array's element from the array's name.
    public enum ArrayRule: Sendable {
        /// `a[]`
        case brackets
        /// `a`
        case noBrackets
        /// `a[0]`
        case indexInBrackets
        case custom(@Sendable (_ name: String, _ index: Int) -> String)

        @Sendable func name(_ array: String, _ index: Int) -> String {
            switch self {
            case .brackets: array + "[]"
            case .noBrackets: array
            case .indexInBrackets: array + "[\(index)]"
            case .custom(let name): name(array, index)
            }
        }
    }

    /// The rule that makes the suffix which a member adds to the name of its object.
    public enum MemberRule: Sendable {
        /// `[member]`
        case brackets
        /// `.member`
        case dots
        case custom(@Sendable (_ member: String) -> String)

        @Sendable func suffix(_ member: String) -> String {
            switch self {
            case .brackets: "[\(member)]"
            case .dots: ".\(member)"
            case .custom(let suffix): suffix(member)
            }
        }
    }

    /// The rule for spelling the name of a member.
    public enum KeyRule: Sendable {
        case asIs
        /// `someURLName` becomes `some_url_name`.
        case snakeCase
        /// `someURLName` becomes `some-url-name`.
        case kebabCase
        /// `someName` becomes `SomeName`.
        case capitalized
        case uppercased
        case lowercased
        case custom(@Sendable (String) -> String)

        @Sendable func spelling(_ key: String) -> String {
            switch self {
            case .asIs: key
            case .snakeCase: SnakeCase.snakeCased(key)
            case .kebabCase: SnakeCase.snakeCased(key, separator: "-")
            case .capitalized: key.prefix(1).uppercased() + key.dropFirst()
            case .uppercased: key.uppercased()
            case .lowercased: key.lowercased()
            case .custom(let spelling): spelling(key)
            }
        }
    }
}

extension FormRules {
    /// The rule for writing a bool.
    public enum BoolRule: Sendable {
        /// `1` and `0`.
        case numeric
        /// `true` and `false`.
        case literal
    }

    /// The rule for writing a date.
    public enum DateRule: Sendable {
        /// Seconds since 2001-01-01T00:00:00Z, as `Date` encodes itself.
        case deferred
        case secondsSince1970
        case millisecondsSince1970
        /// `2026-01-31T23:59:59Z`, to the second. A date outside the years 1 to 9999 is an error.
        case iso8601
        case custom(@Sendable (Date) throws -> String)

        /// The text; nil for a date that has no text in this form.
        @Sendable func text(_ date: Date) throws -> String? {
            switch self {
            case .deferred: FormWriter.text(of: date.timeIntervalSinceReferenceDate)
            case .secondsSince1970: FormWriter.text(of: date.timeIntervalSince1970)
            case .millisecondsSince1970: FormWriter.text(of: date.timeIntervalSince1970 * 1000)
            case .iso8601: date.iso8601
            case .custom(let text): try text(date)
            }
        }
    }

    /// The rule for writing bytes.
    public enum DataRule: Sendable {
        /// An array of numbers from 0 to 255.
        case deferred
        /// Base64 (RFC 4648, section 4), padded.
        case base64
        case custom(@Sendable (Data) throws -> String)

        @Sendable func value(_ data: Data) throws -> FormPair.Value? {
            switch self {
            case .deferred: nil
            case .base64: .bytes(data)
            case .custom(let text): .text(try text(data))
            }
        }
    }

    /// The rule for writing null.
    public enum NullRule: Sendable {
        /// `name`, without `=`.
        case nameOnly
        /// `name=`
        case empty
        /// `name=null`
        case literal
        /// The pair is left out.
        case dropped
        case custom(@Sendable (String) -> String?)

        @Sendable func value(_ name: String) -> FormPair.Value? {
            switch self {
            case .nameOnly: .missing
            case .empty: .text("")
            case .literal: .text("null")
            case .dropped: nil
            case .custom(let text): text(name).map { .text($0) }
            }
        }
    }

    /// The rule for writing a space.
    public enum SpaceRule: Sendable {
        /// `%20`
        case percentEncoded
        /// `+`
        case plus
    }
}
