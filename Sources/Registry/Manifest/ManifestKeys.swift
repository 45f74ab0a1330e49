/// The allowed keys of the objects of a manifest, beside those that start with `x-`. `ManifestObject` in PatchbayTools
/// describes their values; a test compares the two lists.
package enum ManifestKeys {
    /// The keys at the top level.
    package static let manifest = [
        "$schema", "manifestVersion", "inherit", "policy", "aliases", "plugins", "order", "hosts",
    ]
    /// The keys of `"policy"`: the rules for all responses and request bodies, or for those of a host.
    package static let policy = [
        "noMatch", "missingContentType", "invalidContentType", "acceptableStatus", "empty", "limits", "accept",
        "requestContentType", "cache",
    ]
    /// The keys of `"empty"` in a policy.
    package static let empty = ["methods", "status", "otherwise"]
    /// The keys of `"limits"` in a policy.
    package static let limits = ["maxBodyBytes"]
    /// The keys of an entry: an element of `"plugins"`.
    package static let entry = [
        "id", "factory", "match", "options", "limits", "onFailure", "optional", "enabled", "reads", "writes", "place",
        "hides",
    ]
    /// The keys of `"place"` in an entry, if the place is relative to another entry.
    package static let place = ["before", "after"]
    /// The keys of `"match"` in an entry.
    package static let match = ["types", "status", "wanted"]
    /// The keys of `"limits"` in an entry.
    package static let entryLimits = ["maxBodyBytes"]
    /// The keys of the section of a host.
    package static let section = ["plugins", "order", "extends", "without", "use", "inherit", "policy", "hides"]

    private static let objects: [(name: String, keys: [String])] = [
        ("\"policy\"", policy), ("\"match\"", match), ("\"limits\"", limits), ("an entry", entry),
        ("the top level", manifest), ("a section of \"hosts\"", section),
    ]

    /// What to write instead of a key that is not known in an object.
    static func advice(_ key: String) -> String? {
        switch key {
        case "host", "hosts": "an entry for one host stands in the section of \"hosts\" for it"
        case "priority": "the first entry of the list that covers a response reads it, and \"place\" moves an entry"
        default: objects.first { $0.keys.contains(key) }.map { "it is a key of \($0.name)" }
        }
    }
}
