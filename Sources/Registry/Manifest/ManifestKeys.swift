/// The allowed keys of the objects of a manifest, beside those that start with `x-`. `ManifestObject` in PatchbayTools
/// describes their values; a test compares the two lists.
package enum ManifestKeys {
    /// The keys at the top level.
    package static let manifest = [
        "$schema", "manifestVersion", "inherit", "policy", "aliases", "plugins", "order", "hosts",
    ]
    /// The rules for all responses and request bodies, or for those of a host.
    package static let policy = [
        "noMatch", "missingContentType", "invalidContentType", "acceptableStatus", "empty", "limits", "accept",
        "requestContentType",
    ]
    /// `"empty"` of a policy.
    package static let empty = ["methods", "status", "otherwise"]
    /// `"limits"` of a policy.
    package static let limits = ["maxBodyBytes"]
    /// An element of `"plugins"`.
    package static let entry = [
        "id", "factory", "match", "options", "limits", "onFailure", "optional", "enabled", "reads", "writes", "place",
        "hides",
    ]
    /// `"place"` of an entry, relative to another entry.
    package static let place = ["before", "after"]
    /// `"match"` of an entry.
    package static let match = ["types", "status", "wanted"]
    /// `"limits"` of an entry.
    package static let entryLimits = ["maxBodyBytes"]
    /// The section of a host.
    package static let section = ["plugins", "order", "extends", "without", "use", "inherit", "policy", "hides"]
}
