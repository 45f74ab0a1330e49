import Patchbay
import PatchbayTools

/// `schema`: prints the JSON Schema of manifests, the content of `Plugins.schema.json`.
enum SchemaCommand {
    static var text: String {
        ManifestSchema(factories: FactoryDescription.standard).json.serialized(pretty: true) + "\n"
    }
}
