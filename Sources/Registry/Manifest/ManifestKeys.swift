/// The keys that may stand in the objects of a manifest, beside those that start with `x-`. What may stand under each is described by
/// `ManifestObject` in PatchbayTools, and a test holds the two lists against each other.
package enum ManifestKeys {
    /// What stands at the top level.
    package static let manifest = [
        "$schema", "manifestVersion", "inherit", "policy", "aliases", "plugins", "order", "hosts",
    ]
    /// What holds for all responses and the bodies of all requests, or for those of a host.
    package static let policy = [
        "noMatch", "missingContentType", "invalidContentType", "acceptableStatus", "empty", "limits", "accept",
        "requestContentType",
    ]
    /// `"empty"` of a policy.
    package static let empty = ["methods", "status", "otherwise"]
    /// `"limits"` of a policy.
    package static let limits = ["maxBodyBytes"]
    /// One of `"plugins"`.
    package static let entry = [
        "id", "factory", "match", "options", "limits", "onFailure", "optional", "enabled", "reads", "writes", "place",
        "hides",
    ]
    /// `"place"` of an entry, where it is relative to another.
    package static let place = ["before", "after"]
    /// `"match"` of an entry.
    package static let match = ["types", "status", "wanted"]
    /// `"limits"` of an entry.
    package static let entryLimits = ["maxBodyBytes"]
    /// The section of a host.
    package static let section = ["plugins", "order", "extends", "without", "use", "inherit", "policy", "hides"]
}
