import Patchbay
import PatchbayTools

/// `schema`: prints the JSON Schema of manifests, which is what `Plugins.schema.json` holds.
struct SchemaCommand {
    let printer: Printer

    static var text: String {
        ManifestSchema(factories: FactoryDescription.standard).json.serialized(pretty: true) + "\n"
    }

    func run() throws(CommandFailure) -> ExitCode {
        try printer.console.print(Self.text)
        return .done
    }
}
