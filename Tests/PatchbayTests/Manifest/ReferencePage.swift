import Foundation
import Patchbay
import PatchbayTools
import TestSupport

/// `Documentation/Manifest.md`: its sections, and the manifests in them.
struct ReferencePage {
    struct Section {
        let heading: String
        let text: String

        /// The manifests that are shown, in order.
        var manifests: [String] { Markdown(text: text).blocks(of: "json") }
    }

    let sections: [Section]

    init() throws {
        sections = try ("\n" + Markdown("Documentation/Manifest.md").text).components(separatedBy: "\n#").dropFirst()
            .map { part in
                let line = part.prefix { $0 != "\n" }
                return Section(
                    heading: String(line.drop { $0 == "#" || $0 == " " }), text: String(part.dropFirst(line.count)))
            }
    }

    subscript(_ heading: String) -> Section? { sections.first { $0.heading == heading } }

    /// Every key that a manifest uses, as `object.key`.
    ///
    /// - Parameter options: those of factories, by name, and those of entries that say no factory, by id.
    static func keys(in json: JSON, _ object: ManifestObject = .manifest, options: [String: ManifestObject] = [:])
        -> Set<String>
    {
        var keys: Set<String> = []
        for (name, value) in json.object ?? [] {
            guard let key = object.keys.first(where: { $0.name == name }) else { continue }
            keys.insert("\(object.name).\(name)")
            keys.formUnion(Self.keys(in: value, key.value, of: json, options))
        }
        return keys
    }

    private static func keys(
        in json: JSON, _ value: ManifestValue, of parent: JSON, _ options: [String: ManifestObject]
    ) -> Set<String> {
        switch value {
        case .object(let object), .words(_, .object(let object)?): return keys(in: json, object, options: options)
        case .list(.object(let object), _, _, _):
            return (json.array ?? []).reduce(into: []) { $0.formUnion(keys(in: $1, object, options: options)) }
        case .map(_, .object(let object), _):
            return (json.object ?? []).reduce(into: []) {
                $0.formUnion(keys(in: $1.value, object, options: options))
            }
        case .options:
            guard let object = options[(parent["factory"] ?? parent["id"])?.string ?? ""] else { return [] }
            return keys(in: json, object, options: options)
        default: return []
        }
    }
}
