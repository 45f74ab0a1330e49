import PatchbayPlatform
public import PatchbayRegistry

extension SessionManager {
    /// The registry of later calls. Running calls keep theirs.
    public var registry: SerializerRegistry {
        get { current.withLock { $0.registry } }
        set { current.letGo { $0.assign(newValue) } }
    }

    /// Reads and checks the manifests, and puts them in force for later calls: over the standard table, each over those before it, as
    /// `SerializerRegistry([…])` does.
    ///
    ///     try manager.reload([.file(URL(filePath: "/etc/shop/Plugins.json"))])
    ///
    /// They take the place of the manifests of the registry in force. Its factories stay, and the entries and serializers that `adding` and
    /// `replacing` brought. Nothing lies under a manifest with `"inherit": false` at its top level. No manifests give the standard table.
    ///
    /// Of reloads in several tasks the one that began last counts. A registry that is assigned meanwhile becomes the base of the reload.
    /// - Throws: `ManifestFailure` with all faults of all manifests; the registry in force stays.
    public func reload(_ manifests: [ManifestSource]) throws(ManifestFailure) {
        let number = beginReload()
        try finishReload(number, manifests.map { $0.read() })
    }

    func beginReload() -> Int { current.withLock { $0.beginReload() } }

    /// Checks the manifests of a reload and puts them in force.
    /// - Returns: the registry that is in force for them; nil if a reload that began later is in force already.
    @discardableResult
    func finishReload(
        _ number: Int, _ manifests: [ManifestText.Reading]
    ) throws(ManifestFailure) -> SerializerRegistry? {
        // Building calls factories, which may be foreign code, and so happens without the lock. Each further turn means that a registry
        // was assigned meanwhile.
        for _ in 0..<Self.mostTurns {
            let (base, assignments) = current.withLock { ($0.registry, $0.assignments) }
            let reloaded = try base.reloaded(manifests)
            let end = current.withLock { $0.finishReload(number, reloaded, since: assignments) }
            defer { withExtendedLifetime(end) {} }
            switch end {
            case .inForce: return reloaded
            case .overtaken: return nil
            case .otherBase: continue
            }
        }
        throw ManifestFailure(
            .factoryFailed, file: "reload",
            "the registry was assigned \(Self.mostTurns) times while its manifests were read, which a factory may have done"
        )
    }

    /// Further turns of a reload: a factory that assigns the registry would have it turn for ever.
    private static let mostTurns = 100
}

/// The registry of a manager's later calls, and the order in which it was changed.
struct CurrentRegistry: Sendable {
    /// The end of a reload.
    enum End: Sendable {
        /// Its registry is in force. Releasing the earlier one may run foreign code, so the caller does it without a lock.
        case inForce(instead: SerializerRegistry)
        /// A reload that began later is in force.
        case overtaken
        /// A registry was assigned since the reload began: the reload is repeated over that one.
        case otherBase
    }

    private(set) var registry: SerializerRegistry
    private(set) var assignments = 0
    private var lastReload = 0
    private var reloadInForce = 0

    init(_ registry: SerializerRegistry) { self.registry = registry }

    /// - Returns: the earlier registry. Releasing it may run foreign code, so the caller does it without a lock.
    mutating func assign(_ registry: SerializerRegistry) -> SerializerRegistry {
        assignments += 1
        return replace(by: registry)
    }

    mutating func beginReload() -> Int {
        lastReload += 1
        return lastReload
    }

    /// Puts the registry of a reload in force, unless that of a later one is.
    mutating func finishReload(_ number: Int, _ made: SerializerRegistry, since assignments: Int) -> End {
        guard assignments == self.assignments else { return .otherBase }
        guard number > reloadInForce else { return .overtaken }
        reloadInForce = number
        return .inForce(instead: replace(by: made))
    }

    private mutating func replace(by registry: SerializerRegistry) -> SerializerRegistry {
        defer { self.registry = registry }
        return self.registry
    }
}
