import PatchbayPlatform
public import PatchbayRegistry

extension SessionManager {
    /// The registry of later calls. Running calls keep their registry.
    public var registry: SerializerRegistry {
        get { current.withLock { $0.registry } }
        set { current.letGo { $0.assign(newValue) } }
    }

    /// Reads and checks the manifests, and puts them in force for later calls. Each manifest is layered over the
    /// manifests before it, and the first over the standard table, as in `SerializerRegistry([…])`.
    ///
    ///     try manager.reload([.file(URL(filePath: "/etc/shop/Plugins.json"))])
    ///
    /// The new manifests replace the manifests of the current registry. Its factories stay, and so do the entries and
    /// serializers that were added with `adding` and `replacing`. No table lies below a manifest with `"inherit":
    /// false` at its top level. An empty array gives the standard table.
    ///
    /// If several tasks reload, the result of the reload that began last stays in force. A registry that is assigned
    /// during a reload becomes the base of that reload.
    /// - Throws: `ManifestFailure` with all faults of all manifests. In this case the current registry stays.
    public func reload(_ manifests: [ManifestSource]) throws(ManifestFailure) {
        let number = beginReload()
        try finishReload(number, manifests.map { $0.read() })
    }

    func beginReload() -> Int { current.withLock { $0.beginReload() } }

    /// Checks the manifests of a reload and puts them in force.
    /// - Parameter over: nothing is put in force after this signal.
    /// - Returns: the new registry; nil if a reload that began later is already in force, or if `over` has fired.
    @discardableResult
    func finishReload(
        _ number: Int, _ manifests: [ManifestText.Reading], unless over: OneShot? = nil
    ) throws(ManifestFailure) -> SerializerRegistry? {
        // Building a registry calls factories, which can be foreign code, so it runs outside the lock. The loop repeats
        // if a registry was assigned meanwhile.
        for _ in 0..<Self.mostTurns {
            let (base, assignments) = current.withLock { ($0.registry, $0.assignments) }
            let reloaded = try base.reloaded(manifests)
            let end = current.withLock { current in
                over?.hasFired == true ? .overtaken : current.finishReload(number, reloaded, since: assignments)
            }
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

    /// The limit of repetitions. Without this limit, a reload whose factory assigns the registry would repeat for ever.
    private static let mostTurns = 100
}

/// The registry of a manager's later calls, and the order in which it was changed.
struct CurrentRegistry: Sendable {
    /// How a reload ended.
    enum End: Sendable {
        /// The registry of the reload is in force. Releasing the earlier registry can run foreign code, so the caller
        /// releases it outside the lock.
        case inForce(instead: SerializerRegistry)
        /// A reload that began later is in force, or the watch that reloads has ended.
        case overtaken
        /// A registry was assigned since the reload began: the reload is repeated with that registry as the base.
        case otherBase
    }

    private(set) var registry: SerializerRegistry
    private(set) var assignments = 0
    private var lastReload = 0
    private var reloadInForce = 0

    init(_ registry: SerializerRegistry) { self.registry = registry }

    /// - Returns: the earlier registry. Releasing it can run foreign code, so the caller releases it outside the lock.
    mutating func assign(_ registry: SerializerRegistry) -> SerializerRegistry {
        assignments += 1
        return replace(by: registry)
    }

    mutating func beginReload() -> Int {
        lastReload += 1
        return lastReload
    }

    /// Puts the registry of a reload in force, unless a later reload is already in force.
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
