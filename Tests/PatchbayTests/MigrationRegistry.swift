import Patchbay
import PatchbayMigration

extension SerializerRegistry {
    /// The standard table with the factories of PatchbayMigration.
    static let migrating: SerializerRegistry = {
        do throws(ManifestFailure) {
            return try standard.with(.migration)
        } catch {
            fatalError("\(error)")
        }
    }()
}
