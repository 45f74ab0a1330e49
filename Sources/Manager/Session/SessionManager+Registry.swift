import PatchbayPlatform
public import PatchbayRegistry

extension SessionManager {
    /// The registry of later calls. Running calls keep their registry.
    public var registry: SerializerRegistry {
        get { current.withLock { $0.registry } }
        set {
            current.letGo { current in
                defer { (current.registry, current.assignments) = (newValue, current.assignments + 1) }
                return current.registry
            }
        }
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

    func beginReload() -> Int {
        current.withLock { current in
            current.lastReload += 1
            return current.lastReload
        }
    }

    /// Checks the manifests of a reload and puts them in force.
    /// - Parameter over: nothing is put in force after this signal.
    /// - Returns: the new registry; nil if a reload that began later is already in force, or if `over` has fired.
    @discardableResult
    func finishReload(
        _ number: Int, _ manifests: [ManifestText.Reading], unless over: OneShot? = nil
    ) throws(ManifestFailure) -> SerializerRegistry? {
        // Building a registry calls factories, which can be foreign code, so it runs outside the lock. The loop repeats
        // if a registry was assigned meanwhile. Its limit ends a reload whose factory assigns the registry.
        for _ in 0..<100 {
            let (base, assignments) = current.withLock { ($0.registry, $0.assignments) }
            var reloaded = try base.reloaded(manifests)
            let made = reloaded
            let isInForce = current.withLock { current -> Bool? in
                guard over?.hasFired != true, number > current.reloadInForce else { return false }
                guard assignments == current.assignments else { return nil }
                current.reloadInForce = number
                // The earlier registry leaves the lock: releasing it can run foreign code.
                swap(&current.registry, &reloaded)
                return true
            }
            if let isInForce { return isInForce ? made : nil }
        }
        throw ManifestFailure(
            .factoryFailed, file: "reload",
            "the registry was assigned 100 times while its manifests were read, which a factory may have done")
    }
}

/// The settings of a manager's later calls.
struct CurrentSettings: Sendable {
    var registry: SerializerRegistry
    var headers: HeaderFields
    /// The number of times that the registry was assigned.
    var assignments = 0
    /// The numbers of the reload that began last, and of the reload whose registry is in force.
    var lastReload = 0
    var reloadInForce = 0
}
