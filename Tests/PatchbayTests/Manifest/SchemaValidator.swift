import Foundation
import Patchbay
import TestSupport
import Testing

/// The `jsonschema` of PyPI, in the virtual environment that `scripts/test` makes.
enum SchemaValidator {
    static let python = Markdown.root.appending(path: ".venv-jsonschema/bin/python").path
    static var isThere: Bool {
        FileManager.default.fileExists(atPath: Markdown.root.appending(path: ".venv-jsonschema/installed.txt").path)
    }
    static let hint: Comment = "scripts/test installs the PyPI package jsonschema into .venv-jsonschema"

    /// The pointers of what the schema refuses in each manifest; none for one that it takes.
    static func faults(in manifests: [String], by schema: JSON) async throws -> [[String]] {
        let faults = try await run(validation, ["schema": schema, "manifests": .array(manifests.map { JSON($0) })])
        return try faults.decode([[String]].self)
    }

    /// Whether each text matches the expression, as Python reads it.
    static func matches(_ expression: String, _ texts: [String]) async throws -> [Bool] {
        let matches = try await run(
            "import json, re, sys\ngiven = json.load(sys.stdin)\n"
                + "json.dump([bool(re.search(given['expression'], text)) for text in given['texts']], sys.stdout)",
            ["expression": JSON(expression), "texts": .array(texts.map { JSON($0) })])
        return try matches.decode([Bool].self)
    }

    private static func run(_ program: String, _ input: JSON) async throws -> JSON {
        let child = try await ChildProcess.run(
            python, ["-c", program], input: Array(input.serialized().utf8), limit: .seconds(120))
        #expect(child.errorText.isEmpty)
        return try JSON(parsing: child.outputText)
    }

    /// Of keys that may not be there the place is theirs, not that of the object they stand in.
    private static let validation = """
        import json, re, sys, jsonschema

        given = json.load(sys.stdin)
        jsonschema.Draft202012Validator.check_schema(given["schema"])
        validator = jsonschema.Draft202012Validator(given["schema"])

        def pointer(path):
            return "".join("/" + str(step).replace("~", "~0").replace("/", "~1") for step in path)

        def places(error):
            path = list(error.absolute_path)
            if error.validator != "additionalProperties":
                return [pointer(path)]
            known = error.schema.get("properties", {})
            patterns = error.schema.get("patternProperties", {})
            unknown = [key for key in error.instance if key not in known and not any(re.search(p, key) for p in patterns)]
            return [pointer(path + [key]) for key in unknown]

        json.dump(
            [sorted({place for error in validator.iter_errors(json.loads(text)) for place in places(error)})
             for text in given["manifests"]], sys.stdout)
        """
}
