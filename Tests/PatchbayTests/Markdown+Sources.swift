import Foundation
import Patchbay
import PatchbayTools
import TestSupport
import Testing

extension Markdown {
    /// Expects each block of JSON to be a manifest that loads without a warning, and returns their number.
    func expectManifests(_ factories: SerializerFactories = .standard) throws -> Int {
        for block in blocks(of: "json") {
            let registry = try SerializerRegistry.standard.with(factories).overlaid(by: .text(block, name: "page"))
            #expect((registry.notes + registry.lint()).filter(\.isWarning) == [], "\(block)")
        }
        return blocks(of: "json").count
    }

    /// The text of everything in `Sources`.
    static func sources() throws -> String {
        let files = FileManager.default.enumerator(at: root.appending(path: "Sources"), includingPropertiesForKeys: nil)
        return try (files?.compactMap { $0 as? URL } ?? []).filter { $0.pathExtension == "swift" }
            .map { try String(contentsOf: $0, encoding: .utf8) }.joined()
    }
}
