// The compiled table: what a registry is made of once, so that a look-up is a search in frozen values. Made by RegistryBuilder out of
// merged manifests and factories; asked by Decision.

public import PatchbayJSON
import PatchbayPlatform

/// The table that chooses the serializer of each response and of the body of each request, compiled from manifests and factories.
///
/// | function | gives a registry with |
/// |---|---|
/// | `init(_:factories:)` | manifests over the standard table |
/// | `overlaid(by:)` | one more manifest over it |
/// | `with(_:)` | more factories |
/// | `adding(_:_:types:status:onFailure:before:host:)` | one more entry |
/// | `replacing(_:with:host:)` | another serializer for an entry |
///
/// A registry is a value. A manager that gets another one finishes its running calls with the one before. The look-up takes no lock,
/// and nothing that a server sends is kept.
public struct SerializerRegistry: Sendable {
    package let compiled: CompiledRegistry

    package init(_ compiled: CompiledRegistry) { self.compiled = compiled }

    /// The decision about a response whose headers have arrived.
    ///
    /// Where its status is not acceptable, the body is looked up as in a dynamic call, to be decoded into the error.
    package func decision(for head: ResponseHead) -> Decision { decision(for: head, producing: .anything) }

    /// The same of a call that wants a value, or changes the look-up.
    package func decision(
        for head: ResponseHead, producing wanted: WantedValue = .anything, override: LookupOverride = .none
    ) -> Decision {
        let section = compiled.sections.section(for: head.host)
        let isAcceptable = override.accepts(head.status) ?? section.policy.acceptableStatus.contains(head.status)
        return Decision(
            LookupPlanner(
                registry: self, section: section, head: head, isAcceptable: isAcceptable,
                wanted: isAcceptable ? wanted : .anything, override: override, unwrapping: nil))
    }

    /// The policy that holds for a host; nil for a URL without one.
    package func policy(for host: CanonicalHost?) -> SerializerRegistry.Policy {
        compiled.sections.section(for: host).policy
    }

    /// The rows of the table of a host, in the order in which entries are asked.
    package func routes(host: CanonicalHost?) -> [SerializerRegistry.Route] {
        compiled.sections.section(for: host).table.entries.map(\.route)
    }

    /// The value of Accept for a request to a host, or nil to send none: what `SerializerRegistry.Policy.Accept` of the host's policy says.
    ///
    /// - Parameter acceptable: the statuses that the request accepts; nil for those of the policy.
    package func accept(
        for host: CanonicalHost?, producing wanted: WantedValue = .anything, acceptable: StatusSet? = nil
    ) -> String? {
        compiled.sections.section(for: host).accept.value(producing: wanted, acceptable: acceptable)
    }

    /// All manifests merged into one, which is the whole table (`"inherit": false`) wherever it is laid. The factory of an entry that code
    /// added with its serializer is `(code)`.
    public var effectiveManifest: JSON { compiled.effectiveManifest }

    /// The names of the manifests in force, the lowest first.
    package var manifestNames: [String] { compiled.recipe.layers.inForce.map(\.source.name) }

    /// Sixteen hexadecimal digits that differ if two registries differ in their effective manifest, or in the serializers that code
    /// brought. They are for telling registries apart, not for security.
    public var digest: String { compiled.digest }

    /// Notes of the loading: entries that hide others, factories without an entry, optional entries whose factory is missing, lists in an
    /// order that has no effect, and hosts for which no entry writes the `requestContentType`. Errors.md lists their codes.
    public var notes: [ManifestFailure.Issue] { compiled.notes }
}

extension SerializerRegistry: CustomStringConvertible, CustomReflectable {
    /// The ids of its entries, in order, and its digest.
    public var description: String {
        let ids = routes(host: nil).map(\.id).joined(separator: ", ")
        return "registry \(digest): \(ids.isEmpty ? "no entries" : ids)"
    }
    public var customMirror: Mirror { Mirror(described: self) }
}

/// Everything that a registry is, built once and shared.
///
/// A class of constants only, so that a decision keeps its registry for the price of one reference.
package final class CompiledRegistry: Sendable {
    /// What the registry was made of, for the next one that is made from it.
    package let recipe: RegistryRecipe
    package let sections: HostSections
    /// Every entry by id, for `using`. Entries of the global list are here as they are for hosts without a section.
    package let entries: [String: RegistryEntry]
    package let aliases: [String: MediaType]
    package let effectiveManifest: JSON
    package let digest: String
    package let notes: [ManifestFailure.Issue]

    package init(
        recipe: RegistryRecipe, sections: HostSections, entries: [String: RegistryEntry], aliases: [String: MediaType],
        effectiveManifest: JSON, digest: RegistryDigest, notes: [ManifestFailure.Issue]
    ) {
        self.recipe = recipe
        self.sections = sections
        self.entries = entries
        self.aliases = aliases
        self.effectiveManifest = effectiveManifest
        self.notes = notes
        self.digest = digest.hexadecimal
    }

    /// The media type that matching sees: the alias's target with the parameters received, or the type itself.
    package func matched(_ contentType: ContentType) -> MediaType? {
        guard let mediaType = contentType.mediaType else { return nil }
        guard !aliases.isEmpty, let target = aliases[mediaType.essence] else { return mediaType }
        return mediaType.withEssence(of: target)
    }

    /// The media type of a body that matching sees.
    func matched(_ type: MediaType) -> MediaType { aliases.matched(type) }
}

extension [String: MediaType] {
    /// The media type that matching sees with these aliases.
    func matched(_ type: MediaType) -> MediaType { self[type.essence].map(type.withEssence) ?? type }
}

/// A short name for the content of a registry, made of its canonical text.
package struct RegistryDigest {
    let hexadecimal: String

    package init(hexadecimal: String) { self.hexadecimal = hexadecimal }

    init(_ manifest: JSON, _ replacements: [RegistryRecipe.Replacement]) {
        var digest = TextDigest()
        digest.add(manifest.serialized(sortedKeys: true))
        for replacement in replacements {
            digest.add(replacement.id)
            digest.add(replacement.host?.canonical ?? "")
            // Tells two values of one type apart by what they print, and classes by type only.
            digest.add(String(reflecting: replacement.serializer))
        }
        hexadecimal = digest.hexadecimal
    }
}
