import Patchbay

/// `init`: writes a first manifest and, in the same folder, the schema that tells editors the keys.
struct InitCommand {
    let file: String
    let printer: Printer

    /// The file name of the schema, as in the manifest.
    private static let schemaName = "Plugins.schema.json"

    /// An overlay with one example, which has no effect until its key loses the `x-`.
    static let starter = """
        {
          "$schema": "./\(schemaName)",
          "manifestVersion": 1,
          "x-about": "Keys that begin with x- are passed over. As hosts, x-hosts has JSON read that a host sends as text/html.",
          "x-hosts": {
            "legacy.example.com": {
              "plugins": [
                { "id": "legacy-json", "factory": "json", "match": { "types": ["text/html"] } }
              ]
            }
          }
        }

        """

    func run() throws(CommandFailure) -> ExitCode {
        guard try OutputFile.write(Self.starter, to: file) else {
            throw CommandFailure(.file, "\(file) is there already, and init writes over no file")
        }
        let folder = file.lastIndex(of: "/").map { String(file[...$0]) } ?? ""
        let schema = folder + Self.schemaName
        let isNew = try OutputFile.write(SchemaCommand.text, to: schema)
        switch printer.format {
        case .text: try printer.console.print(text(schema, isNew))
        case .json: try printer.print(["manifest": JSON(file), "schema": JSON(schema), "wroteSchema": JSON(isNew)])
        }
        return .done
    }

    private func text(_ schema: String, _ isNew: Bool) -> String {
        """
        \(file): an overlay of the built-in table that changes nothing yet
        \(schema): its keys, for an editor\(isNew ? "" : " (was there already)")

        Next: take the x- of "x-hosts" away, name a host and a type of yours, and ask
          patchbay check \(file)
          patchbay explain --manifest \(file) --host HOST --content-type TYPE
        """
    }
}
