import Patchbay
import PatchbayTools

/// `schema`: prints the JSON Schema of manifests, the content of `Plugins.schema.json`.
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
