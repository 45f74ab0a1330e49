import PatchbayJSON
package import PatchbayParameters

/// The options of the factory `form`: the limit of reading, and the rules of writing.
package struct FormOptions: Decodable, Sendable {
    package static let arrays: KeyValuePairs<String, FormRules.ArrayRule> = [
        "brackets": .brackets, "noBrackets": .noBrackets, "indexInBrackets": .indexInBrackets,
    ]
    package static let bools: KeyValuePairs<String, FormRules.BoolRule> = ["numeric": .numeric, "literal": .literal]
    package static let dates: KeyValuePairs<String, FormRules.DateRule> = [
        "deferred": .deferred, "secondsSince1970": .secondsSince1970, "millisecondsSince1970": .millisecondsSince1970,
        "iso8601": .iso8601,
    ]
    package static let data: KeyValuePairs<String, FormRules.DataRule> = ["deferred": .deferred, "base64": .base64]
    package static let keys: KeyValuePairs<String, FormRules.KeyRule> = [
        "asIs": .asIs, "snakeCase": .snakeCase, "kebabCase": .kebabCase, "capitalized": .capitalized,
        "uppercased": .uppercased, "lowercased": .lowercased,
    ]
    package static let members: KeyValuePairs<String, FormRules.MemberRule> = ["brackets": .brackets, "dots": .dots]
    package static let nulls: KeyValuePairs<String, FormRules.NullRule> = [
        "nameOnly": .nameOnly, "empty": .empty, "literal": .literal, "dropped": .dropped,
    ]
    package static let spaces: KeyValuePairs<String, FormRules.SpaceRule> = [
        "percentEncoded": .percentEncoded, "plus": .plus,
    ]
    package static let order: KeyValuePairs<String, FormRules.Order> = [
        "given": .given, "names": .names, "outermostNames": .outermostNames, "pairs": .pairs,
    ]

    let maxFields: Int?
    /// The standard rules, changed by the options.
    private(set) var rules = FormSerializer.standardRules

    package init(from decoder: any Decoder) throws {
        let options = try decoder.container(keyedBy: PathKey.self)
        maxFields = try options.decodeIfPresent(Int.self, forKey: .name("maxFields"))
        func read<Rule>(
            _ key: String, _ rules: KeyValuePairs<String, Rule>, _ place: WritableKeyPath<FormRules, Rule>
        ) throws {
            guard let word = try options.decodeIfPresent(String.self, forKey: .name(key)) else { return }
            guard let rule = rules.first(where: { $0.key == word })?.value else {
                throw OptionFailure(key, word, noneOf: rules.map(\.key))
            }
            self.rules[keyPath: place] = rule
        }
        try read("arrays", Self.arrays, \.arrays)
        try read("bools", Self.bools, \.bools)
        try read("dates", Self.dates, \.dates)
        try read("data", Self.data, \.data)
        try read("keys", Self.keys, \.keys)
        try read("members", Self.members, \.members)
        try read("nulls", Self.nulls, \.nulls)
        try read("spaces", Self.spaces, \.spaces)
        try read("order", Self.order, \.order)
    }
}
