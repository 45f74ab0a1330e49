public import PatchbayPlatform
public import PatchbayRegistry

extension SessionManager {
    /// The registry of the calls to come. The one that is assigned is what later reloads lay their manifests over.
    public var registry: SerializerRegistry {
        get { current.withLock { $0.registry } }
        set { current.letGo { $0.assign(newValue) } }
    }

    /// The registries that were in force before the one that is, the latest first: eight at most, none of a digest twice.
    public var earlierRegistries: [SerializerRegistry] { current.withLock { $0.earlier } }

    /// Puts one of `earlierRegistries` in force again, for the calls to come, as assigning it to `registry` would.
    ///
    /// It takes the place of files that a watch has laid over the base, until they change again.
    /// - Parameter digest: the digest of the registry that is wanted.
    /// - Returns: whether the registry of that digest is in force now; false where it is not among those that are kept.
    @discardableResult
    public func putBackRegistry(digest: String) -> Bool {
        let (isInForce, dropped) = current.withLock { current -> (Bool, [SerializerRegistry]) in
            guard current.registry.digest != digest else { return (true, []) }
            guard let registry = current.earlier.first(where: { $0.digest == digest }) else { return (false, []) }
            return (true, current.assign(registry))
        }
        withExtendedLifetime(dropped) {}
        return isInForce
    }

    /// Reads and checks the manifests, then lays them over the base, for the calls to come: over the registry that was given to
    /// `init` or last assigned to `registry`, without the manifests of earlier reloads.
    ///
    ///     try manager.reload(manifests: [URL(filePath: "/etc/shop/Plugins.json")])
    ///
    /// The factories of the base stay, and what `adding` and `replacing` did to it. A manifest that says `"inherit": false` at
    /// its top level is the whole table: nothing lies under it. No manifests at all give the base.
    ///
    /// Of reloads from several tasks the one that began last counts, and a registry that is assigned meanwhile becomes the base.
    /// - Throws: `ManifestFailure` with everything that is wrong with any of the files; the registry in force stays.
    public func reload(manifests: [URL]) throws(ManifestFailure) {
        let number = beginReload()
        try finishReload(number, ManifestSource.readings(of: manifests))
    }

    /// The number of a reload, to be taken before its files are read.
    func beginReload() -> Int { current.withLock { $0.beginReload() } }

    /// Checks the files of a reload and lays them over the base.
    /// - Returns: the registry that is in force for it; nil where that of a reload that began later is there already.
    @discardableResult
    func finishReload(_ number: Int, _ files: [ManifestSource.Reading]) throws(ManifestFailure) -> SerializerRegistry? {
        // Building calls factories, which may be anyone's, and so is done without the lock. Each further turn means that somebody
        // has assigned a registry in the meantime.
        while true {
            let (base, assignments) = current.withLock { ($0.registry, $0.assignments) }
            let reloaded = try base.reloaded(files)
            let end = current.withLock { $0.finishReload(number, reloaded, since: assignments) }
            defer { withExtendedLifetime(end) {} }
            switch end {
            case .inForce: return reloaded
            case .overtaken: return nil
            case .otherBase: continue
            }
        }
    }
}

/// The registry of a manager's calls to come, those before it, and the order in which it was changed.
struct CurrentRegistry: Sendable {
    /// What became of a reload.
    enum End: Sendable {
        /// What it made is in force. Letting go of registries may run code of others, so the caller does it without a lock.
        case inForce(instead: [SerializerRegistry])
        /// A reload that began later is in force.
        case overtaken
        /// A registry has been assigned since the reload looked, and the work is to be done again over that.
        case otherBase
    }

    private(set) var registry: SerializerRegistry
    /// Those that were in force before, the latest first, none of a digest twice.
    private(set) var earlier: [SerializerRegistry] = []
    /// How often a registry was assigned.
    private(set) var assignments = 0
    private var lastReload = 0
    /// The last to begin of the reloads that have come to their end.
    private var reloadInForce = 0

    /// How many of the earlier ones are kept.
    private static let maximumEarlier = 8

    init(_ registry: SerializerRegistry) { self.registry = registry }

    /// - Returns: the registries that are not kept. Letting go of them may run code of others, so the caller does it without a
    ///   lock.
    mutating func assign(_ registry: SerializerRegistry) -> [SerializerRegistry] {
        assignments += 1
        return replace(by: registry)
    }

    /// The number of a reload that begins.
    mutating func beginReload() -> Int {
        lastReload += 1
        return lastReload
    }

    /// Puts what a reload has made in force, unless one that began later is there already.
    mutating func finishReload(_ number: Int, _ made: SerializerRegistry, since assignments: Int) -> End {
        guard assignments == self.assignments else { return .otherBase }
        guard number > reloadInForce else { return .overtaken }
        reloadInForce = number
        return .inForce(instead: replace(by: made))
    }

    private mutating func replace(by registry: SerializerRegistry) -> [SerializerRegistry] {
        let others = ([self.registry] + earlier).filter { $0.digest != registry.digest }
        let equal = ([self.registry] + earlier).filter { $0.digest == registry.digest }
        self.registry = registry
        earlier = Array(others.prefix(Self.maximumEarlier))
        return equal + others.dropFirst(Self.maximumEarlier)
    }
}
