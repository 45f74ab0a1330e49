public import PatchbayRegistry

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension SessionManager {
    /// The registry of the calls to come. The one that is assigned is what later reloads lay their manifests over.
    public var registry: SerializerRegistry {
        get { current.withLock { $0.registry } }
        set { current.withLock { $0.assign(newValue) } }
    }

    /// Reads and checks the manifests, then lays them over the base, for the calls to come: over the registry that was given to
    /// `init` or last assigned to `registry`, without the manifests of earlier reloads.
    ///
    ///     try manager.reload(manifests: [URL(filePath: "/etc/shop/Plugins.json")])
    ///
    /// The factories of the base stay, and what `adding` and `replacing` did to it. A manifest that says `"inherit": false` at its top
    /// level is the whole table: nothing lies under it. No manifests at all give the base.
    ///
    /// Of reloads from several tasks the one that began last counts, and a registry that is assigned meanwhile becomes the base.
    /// - Throws: `ManifestFailure` with everything that is wrong with any of the files; the registry in force stays.
    public func reload(manifests: [URL]) throws(ManifestFailure) {
        let number = current.withLock { $0.beginReload() }
        let sources = try registry.reread(manifests)
        // Building calls factories, which may be anyone's, and so is done without the lock. Each further turn means that somebody
        // has assigned a registry in the meantime.
        while true {
            let (base, assignments) = current.withLock { ($0.registry, $0.assignments) }
            let reloaded = try base.reloaded(sources)
            if current.withLock({ $0.finishReload(number, reloaded, since: assignments) }) { return }
        }
    }

    /// Reads and checks the manifests, then puts the registry they make in place of this one; on failure the old one stays.
    @available(*, deprecated, message: "assign SerializerRegistry(manifests:factories:) to registry")
    public func reload(manifests: [URL], factories: SerializerFactories) throws(ManifestFailure) {
        registry = try SerializerRegistry(manifests: manifests, factories: factories)
    }
}

/// The registry of a manager's calls to come, and the order in which it was changed.
struct CurrentRegistry: Sendable {
    private(set) var registry: SerializerRegistry
    /// How often a registry was assigned.
    private(set) var assignments = 0
    private var lastReload = 0
    /// The last to begin of the reloads that have come to their end.
    private var reloadInForce = 0

    init(_ registry: SerializerRegistry) { self.registry = registry }

    mutating func assign(_ registry: SerializerRegistry) {
        self.registry = registry
        assignments += 1
    }

    /// The number of a reload that begins.
    mutating func beginReload() -> Int {
        lastReload += 1
        return lastReload
    }

    /// Puts what a reload has made in force, unless one that began later is there already.
    /// - Returns: false where a registry has been assigned since the reload looked, and the work is to be done again over that.
    mutating func finishReload(_ number: Int, _ made: SerializerRegistry, since assignments: Int) -> Bool {
        guard assignments == self.assignments else { return false }
        if number > reloadInForce {
            registry = made
            reloadInForce = number
        }
        return true
    }
}
