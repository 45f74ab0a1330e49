// The compiled table. A registry is built once, so that a look-up only searches values that never change.
// `RegistryBuilder` makes the table from merged manifests and factories; `Decision` searches it.

public import PatchbayJSON
package import PatchbayPlatform

/// The table that chooses the serializer of each response and of each request body, compiled from manifests and
/// factories.
///
/// | function | gives a registry with |
/// |---|---|
/// | `init(_:factories:)` | manifests over the standard table |
/// | `overlaid(by:)` | one more manifest over it |
/// | `with(_:)` | more factories |
/// | `adding(_:_:types:status:onFailure:before:host:)` | one more entry |
/// | `replacing(_:with:host:)` | another serializer for an entry |
///
/// A registry is a value. If a manager gets another registry, its running calls finish with the previous one. The
/// look-up takes no lock, and the registry keeps nothing that a server sends. It keeps the Accept values that it has
/// derived, behind a lock.
public struct SerializerRegistry: Sendable {
    package let compiled: CompiledRegistry

    package init(_ compiled: CompiledRegistry) { self.compiled = compiled }

    /// The decision about a response whose head has arrived.
    ///
    /// If the status is not acceptable, the body is decoded as in a dynamic call, and its value goes into the error.
    package func decision(
        for head: ResponseHead, producing wanted: WantedValue = .anything, override: LookupOverride = .none
    ) -> Decision {
        if wanted.kind == .valueOrElements { return valueOrElements(of: head, override) }
        let section = compiled.sections.section(for: head.host, at: head.url)
        let isAcceptable = override.accepts(head.status) ?? section.policy.acceptableStatus.contains(head.status)
        return Decision(
            LookupPlanner(
                registry: self, section: section, head: head, isAcceptable: isAcceptable,
                wanted: isAcceptable ? wanted : .anything, override: override, unwrapping: nil))
    }

    /// The decision of a call that takes a value or elements: a value, unless only an entry for elements reads the
    /// response. A serializer that the request names makes one value. Events are always elements: their text, which an
    /// entry for any text could make, never ends (WHATWG HTML, section 9.2).
    private func valueOrElements(of head: ResponseHead, _ override: LookupOverride) -> Decision {
        let value = decision(for: head, producing: .anything, override: override)
        guard override.using == nil, value.isAcceptable, value.outcome != .empty,
            value.outcome != .entry || head.mediaType?.essence == "text/event-stream"
        else { return value }
        let elements = decision(for: head, producing: .anyElements, override: override)
        return elements.outcome == .entry && elements.yieldsElements ? elements : value
    }

    /// The policy for a host, or for the path of a URL of it. Pass nil for a URL without a host.
    package func policy(
        for host: CanonicalHost?, at url: @autoclosure () -> URL? = nil
    ) -> SerializerRegistry.Policy {
        compiled.sections.section(for: host, at: url()).policy
    }

    /// The rows of the table of a host, or of the path of a URL of it, in the order in which entries are considered.
    package func routes(host: CanonicalHost?, at url: URL? = nil) -> [RegistryEntry] {
        compiled.sections.section(for: host, at: url).table.entries
    }

    /// The value of Accept for a request to a host, by the policy of the host or of the URL's path; nil to send none.
    ///
    /// - Parameter acceptable: the statuses that the request accepts; nil for those of the policy.
    package func accept(
        for host: CanonicalHost?, at url: @autoclosure () -> URL? = nil, producing wanted: WantedValue = .anything,
        acceptable: StatusSet? = nil
    ) -> String? {
        compiled.sections.section(for: host, at: url()).accept.value(producing: wanted, acceptable: acceptable)
    }

    /// All manifests merged into one whole table (`"inherit": false`). An entry whose serializer was added in code has
    /// the factory `(code)`.
    public var effectiveManifest: JSON { compiled.effectiveManifest }

    /// The names of the manifests in force, the lowest first.
    package var manifestNames: [String] { compiled.recipe.layers.inForce.map(\.source.name) }

    /// Sixteen hexadecimal digits that differ if the effective manifests differ, or the serializers from code. They
    /// identify a registry, and are no security feature.
    public var digest: String { compiled.digest }

    /// Notes about the manifests: entries that hide others, factories without an entry, optional entries whose factory
    /// is missing, lists in an order without effect, and hosts for which no entry writes the `requestContentType`.
    /// Errors.md lists their codes.
    public var notes: [ManifestFailure.Issue] { compiled.notes }
}

extension SerializerRegistry: CustomStringConvertible, CustomReflectable {
    /// The ids of the entries for hosts without a section, in order, and the digest.
    public var description: String {
        let ids = routes(host: nil).map(\.id).joined(separator: ", ")
        return "registry \(digest): \(ids.isEmpty ? "no entries" : ids)"
    }
    public var customMirror: Mirror { Mirror(described: self) }
}

/// The content of a registry, built once and shared.
///
/// A class of constants, so that a decision keeps only a reference to its registry.
package final class CompiledRegistry: Sendable {
    /// The parts of the registry, for the next registry that is made from it.
    package let recipe: RegistryRecipe
    package let sections: HostSections
    /// Every entry by id, for `using`. The entries are as for hosts without a section.
    package let entries: [String: RegistryEntry]
    package let aliases: [String: MediaType]
    package let effectiveManifest: JSON
    package let digest: String
    package let notes: [ManifestFailure.Issue]

    package init(
        recipe: RegistryRecipe, sections: HostSections, entries: [String: RegistryEntry], aliases: [String: MediaType],
        effectiveManifest: JSON, digest: String, notes: [ManifestFailure.Issue]
    ) {
        self.recipe = recipe
        self.sections = sections
        self.entries = entries
        self.aliases = aliases
        self.effectiveManifest = effectiveManifest
        self.digest = digest
        self.notes = notes
    }

    /// The media type for matching: the target of an alias with the received parameters, or the type itself.
    package func matched(_ contentType: ContentType) -> MediaType? {
        guard let mediaType = contentType.mediaType else { return nil }
        guard !aliases.isEmpty, let target = aliases[mediaType.essence] else { return mediaType }
        return mediaType.withEssence(of: target)
    }

    func matched(_ type: MediaType) -> MediaType { aliases.matched(type) }
}

extension [String: MediaType] {
    /// The media type for matching with these aliases.
    func matched(_ type: MediaType) -> MediaType { self[type.essence].map(type.withEssence) ?? type }
}

extension CompiledRegistry {
    /// A short name for the content of a registry, computed from its canonical text.
    static func digest(_ manifest: JSON, _ replacements: [RegistryRecipe.Replacement]) -> String {
        var digest = TextDigest()
        digest.add(manifest.serialized(sortedKeys: true))
        for replacement in replacements {
            digest.add(replacement.id)
            digest.add(replacement.host?.canonical ?? "")
            // Two values of one type differ if they print differently; classes differ by type only.
            digest.add(String(canonical: replacement.serializer))
        }
        return digest.hexadecimal
    }
}
