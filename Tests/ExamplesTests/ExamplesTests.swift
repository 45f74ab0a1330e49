import Foundation
import TestSupport
import Testing

/// Runs the programs of `Examples` and compares all that they print.
@Suite(.timeLimit(.minutes(5)))
struct ExamplesTests {
    struct Example: Sendable, CustomTestStringConvertible {
        let program: String
        /// A file of the example's folder, as the argument.
        var file: String?
        var exit: Int32 = 0
        let output: String
        var testDescription: String { file.map { "\(program) \($0)" } ?? program }
    }

    static let examples = [
        Example(
            program: "CBOR", file: "cbor.json",
            output: """
                by the manifest: roof has 21.5 degrees, and the number 7
                in code: roof has 21.5 degrees, and the number 7

                """),
        Example(program: "CBOR", exit: 2, output: "usage: CBOR MANIFEST\n"),
        Example(
            program: "CustomHandler",
            output: """
                tea costs 2.50
                coffee costs 3.20
                prices: csv made Array<Array<String>>
                status: json made JSON

                """),
        Example(
            program: "OrderByManifest", file: "json-first.json",
            output: """
                data: json made {"lines":24}
                script: text made let lines = 24

                """),
        Example(
            program: "OrderByManifest", file: "text-first.json",
            output: """
                data: text made {"lines": 24}
                script: text made let lines = 24

                """),
        Example(program: "OrderByManifest", exit: 2, output: "usage: OrderByManifest MANIFEST\n"),
        Example(
            program: "PerHost",
            output: """
                by the manifest:
                  www.example: text made {"lines": 24}
                  legacy.example: legacy-json made {"lines":24}
                after a swap in code:
                  www.example: text made {"lines": 24}
                  legacy.example: legacy-json made 13 bytes

                """),
    ]

    #if os(Linux)
        @Test(
            "A program of the product Patchbay loads FoundationEssentials, and neither libxml2 nor ICU nor the rest of Foundation"
        )
        func libraries() async throws {
            let child = try await ChildProcess.run(
                Self.products.appending(path: "PerHost").path(percentEncoded: false),
                environment: ["LD_DEBUG": "files"])
            #expect(child.errorText.contains("libFoundationEssentials.so"))
            for library in [
                "libFoundation.so", "libFoundationXML", "libFoundationInternationalization", "lib_FoundationICU",
                "libicu", "libxml2", "libcurl",
            ] {
                #expect(!child.errorText.contains(library), "\(library)")
            }
        }
    #endif

    @Test(arguments: examples) func prints(_ example: Example) async throws {
        let folder = Self.sources.appending(path: example.program).path(percentEncoded: false)
        let child = try await ChildProcess.run(
            Self.products.appending(path: example.program).path(percentEncoded: false),
            example.file.map { ["\(folder)/\($0)"] } ?? [])
        #expect(child.errorText == "")
        #expect(child.outputText == example.output)
        #expect(child.end == .exited(example.exit))
    }

    @Test(arguments: ["CBOR", "CustomHandler", "OrderByManifest", "PerHost"]) func isShort(_ program: String) throws {
        let source = try String(
            contentsOf: Self.sources.appending(path: "\(program)/main.swift"), encoding: .utf8)
        #expect(source.split(separator: "\n", omittingEmptySubsequences: false).count <= 60)
    }

    private static var sources: URL {
        URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../Examples").standardizedFileURL
    }

    /// Where the build leaves its programs, the tests among them.
    private static let products = URL(filePath: CommandLine.arguments.first ?? "").deletingLastPathComponent()
}
