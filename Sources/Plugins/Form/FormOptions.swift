import PatchbayParameters

/// The options of the factory `form`: how much is read, and the rules by which a value is written.
package struct FormOptions: Decodable, Sendable {
    package enum Arrays: String, CaseIterable, Sendable { case brackets, noBrackets, indexInBrackets }
    package enum Bools: String, CaseIterable, Sendable { case numeric, literal }
    package enum Dates: String, CaseIterable, Sendable {
        case deferred, secondsSince1970, millisecondsSince1970, iso8601
    }
    package enum DataWords: String, CaseIterable, Sendable { case deferred, base64 }
    package enum Keys: String, CaseIterable, Sendable {
        case asIs, snakeCase, kebabCase, capitalized, uppercased, lowercased
    }
    package enum Members: String, CaseIterable, Sendable { case brackets, dots }
    package enum Nulls: String, CaseIterable, Sendable { case nameOnly, empty, literal, dropped }
    package enum Spaces: String, CaseIterable, Sendable { case percentEncoded, plus }
    package enum Order: String, CaseIterable, Sendable { case given, names, outermostNames, pairs }

    /// 1 to 1,000,000; the default is 10,000.
    var maxFields: Int?
    /// The default is `"noBrackets"`.
    var arrays: Choice<Arrays>?
    /// The default is `"literal"`.
    var bools: Choice<Bools>?
    /// The default is `"iso8601"`.
    var dates: Choice<Dates>?
    /// The default is `"base64"`.
    var data: Choice<DataWords>?
    /// The default is `"asIs"`.
    var keys: Choice<Keys>?
    /// The default is `"brackets"`.
    var members: Choice<Members>?
    /// The default is `"dropped"`.
    var nulls: Choice<Nulls>?
    /// The default is `"plus"`.
    var spaces: Choice<Spaces>?
    /// The default is `"given"`.
    var order: Choice<Order>?

    var rules: FormRules {
        var rules = FormSerializer.standardRules
        if let arrays { rules.arrays = arrays.value.rule }
        if let bools { rules.bools = bools.value.rule }
        if let dates { rules.dates = dates.value.rule }
        if let data { rules.data = data.value.rule }
        if let keys { rules.keys = keys.value.rule }
        if let members { rules.members = members.value.rule }
        if let nulls { rules.nulls = nulls.value.rule }
        if let spaces { rules.spaces = spaces.value.rule }
        if let order { rules.order = order.value.rule }
        return rules
    }
}

// The rule that each word stands for.

extension FormOptions.Arrays {
    var rule: FormRules.ArrayRule {
        switch self {
        case .brackets: .brackets
        case .noBrackets: .noBrackets
        case .indexInBrackets: .indexInBrackets
        }
    }
}

extension FormOptions.Bools {
    var rule: FormRules.BoolRule {
        switch self {
        case .numeric: .numeric
        case .literal: .literal
        }
    }
}

extension FormOptions.Dates {
    var rule: FormRules.DateRule {
        switch self {
        case .deferred: .deferred
        case .secondsSince1970: .secondsSince1970
        case .millisecondsSince1970: .millisecondsSince1970
        case .iso8601: .iso8601
        }
    }
}

extension FormOptions.DataWords {
    var rule: FormRules.DataRule {
        switch self {
        case .deferred: .deferred
        case .base64: .base64
        }
    }
}

extension FormOptions.Keys {
    var rule: FormRules.KeyRule {
        switch self {
        case .asIs: .asIs
        case .snakeCase: .snakeCase
        case .kebabCase: .kebabCase
        case .capitalized: .capitalized
        case .uppercased: .uppercased
        case .lowercased: .lowercased
        }
    }
}

extension FormOptions.Members {
    var rule: FormRules.MemberRule {
        switch self {
        case .brackets: .brackets
        case .dots: .dots
        }
    }
}

extension FormOptions.Nulls {
    var rule: FormRules.NullRule {
        switch self {
        case .nameOnly: .nameOnly
        case .empty: .empty
        case .literal: .literal
        case .dropped: .dropped
        }
    }
}

extension FormOptions.Spaces {
    var rule: FormRules.SpaceRule {
        switch self {
        case .percentEncoded: .percentEncoded
        case .plus: .plus
        }
    }
}

extension FormOptions.Order {
    var rule: FormRules.Order {
        switch self {
        case .given: .given
        case .names: .names
        case .outermostNames: .outermostNames
        case .pairs: .pairs
        }
    }
}
