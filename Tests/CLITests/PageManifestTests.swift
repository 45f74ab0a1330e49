import Foundation
import Patchbay
import TestSupport
import Testing

@testable import PatchbayCLI

/// The manifests of the documentation, which readers copy.
@Suite struct PageManifestTests {
    /// The factories that a page registers in code, which `--factory` declares for the command.
    private static let declared = [
        "Documentation/OwnFormat.md": ["csv", "tsv"], "Documentation/Manifest.md": ["settings"],
    ]

    /// The mistake that the walk makes to show its sentence.
    private static let mistake = #""match": { "type": "#

    /// Every page with a block of JSON that names the version of a manifest.
    private static func pages() throws -> [(page: String, manifests: [String])] {
        let folder = Markdown.root.appending(path: "Documentation").path
        let names = try FileManager.default.contentsOfDirectory(atPath: folder).sorted().filter { $0.hasSuffix(".md") }
        return try (["README.md"] + names.map { "Documentation/\($0)" }).compactMap { page in
            let manifests = try Markdown(page).blocks(of: "json").filter {
                $0.contains(#""manifestVersion""#) && !$0.contains(mistake)
            }
            return manifests.isEmpty ? nil : (page, manifests)
        }
    }

    @Test(
        "each loads with the factories of the command, and with those that its page registers, and its orders have an effect"
    )
    func load() throws {
        let pages = try Self.pages()
        #expect(pages.count > 8)
        for (page, manifests) in pages {
            for manifest in manifests {
                var factories = SerializerFactories.ofCommands
                for name in Self.declared[page] ?? [] where manifest.contains(#""factory": "\#(name)""#) {
                    try factories.declare(name)
                }
                #expect(throws: Never.self, "\(page)\n\(manifest)") {
                    let registry = try SerializerRegistry([.text(manifest, name: page)], factories: factories)
                    let orders = registry.notes.filter { $0.kind == .ineffectiveOrder }
                    #expect(orders.isEmpty, "\(page)\n\(manifest)")
                }
            }
        }
    }
}
