import Foundation
import Patchbay
import PatchbayTools
import TestSupport
import Testing

/// Holds `Documentation/Manifest.md` to the loader: its tables, its examples and its Swift.
@Suite struct ManifestReferenceTests {
    private let page: ReferencePage

    init() throws { page = try ReferencePage() }

    @Test(
        "Each object has its table: every key, its values, its default and what it means",
        arguments: ReferenceTable.all.map(\.name))
    func table(_ name: String) throws {
        let object = try #require(ReferenceTable.all.first { $0.name == name })
        let heading = try #require(ReferenceTable.headings[name])
        let section = try #require(page[heading], "no section \(heading)")
        let expected = ReferenceTable(object: object).text
        #expect(section.text.contains("\n\n\(expected)\n\n"), "\n\(expected)\n")
        #expect(section.text.components(separatedBy: "\n| key |").count == 2)
    }

    @Test("The keys of the loader, the schema, the reference and its examples are the same set")
    func sameKeys() throws {
        let objects = ReferenceTable.all
        let loader = Set(objects.flatMap { object in object.names.map { "\(object.name).\($0)" } })
        let schema = ManifestSchema(factories: FactoryDescription.standard).json
        var known: Set<String> = []
        var shown: Set<String> = []
        for object in objects {
            let definition = object.name == "manifest" ? schema : schema["$defs"]?[object.name]
            known.formUnion((definition?["properties"]?.object ?? []).map { "\(object.name).\($0.key)" })
            let table = page[ReferenceTable.headings[object.name] ?? ""]?.text.components(separatedBy: "\n| key |")
                .dropFirst().first
            let rows = table?.components(separatedBy: "\n\n").first?.components(separatedBy: "\n| `").dropFirst() ?? []
            shown.formUnion(rows.compactMap { $0.components(separatedBy: "` |").first }.map { "\(object.name).\($0)" })
        }
        #expect(known == loader)
        #expect(shown == loader)
        var options = Dictionary(FactoryDescription.standard.map { ($0.name, $0.options) }) { first, _ in first }
        for route in SerializerRegistry.standard.routes(host: nil) { options[route.id] = options[route.factory] }
        var used: Set<String> = []
        for text in page.sections.flatMap(\.manifests) {
            used.formUnion(ReferencePage.keys(in: try JSON(parsing: text), options: options))
        }
        #expect(used.intersection(loader) == loader, "no example has \(loader.subtracting(used).sorted())")
        let table = ReferencePage.keys(in: try JSON(parsing: Markdown("Plugins.json").text), options: options)
        #expect(table.isSubset(of: loader))
        #expect(table.contains("manifest.$schema"))
    }

    @Test("Each example does what its section says", arguments: ReferenceExample.all)
    func example(_ example: ReferenceExample) throws {
        let section = try #require(page[example.heading])
        try #require(section.manifests.indices.contains(example.number))
        let source = ManifestSource.text(section.manifests[example.number], name: "example")
        let registry =
            try example.heading == ReferenceExample.own
            ? settingsRegistry(source) : SerializerRegistry.migrating.overlaid(by: source)
        #expect(!example.probes.isEmpty)
        for probe in example.probes {
            #expect(try probe.ask(registry) == probe.answer, "\(probe.question)")
        }
    }

    @Test("No example is without a test, and no test without its example")
    func everyExample() {
        let shown = page.sections.flatMap { section in section.manifests.indices.map { "\(section.heading) \($0)" } }
        #expect(Set(shown) == Set(ReferenceExample.all.map { "\($0.heading) \($0.number)" }))
        #expect(shown.count == ReferenceExample.all.count)
    }

    @Test("Its Swift is compiled") func swift() throws {
        let markdown = try Markdown("Documentation/Manifest.md")
        #expect(markdown.blocks(of: "swift").count == 2)
        #expect(try markdown.swift(missingIn: ["Tests/PatchbayTests/Manifest/OwnFactoryExample.swift"]) == [])
    }

    @Test("It lists what a schema cannot know", arguments: ManifestVerdict.Unknown.allCases)
    func unknown(_ unknown: ManifestVerdict.Unknown) throws {
        let section = try #require(page["The schema"])
        #expect(
            section.text.contains("\n- \(unknown.rawValue);\n") || section.text.contains("\n- \(unknown.rawValue).\n"))
        #expect(section.text.components(separatedBy: "\n- ").count == ManifestVerdict.Unknown.allCases.count + 1)
    }

    @Test("It names every group and every factory") func names() throws {
        let text = try Markdown("Documentation/Manifest.md").text
        for group in MediaTypeGroup.allCases { #expect(text.contains("`@\(group.rawValue)`")) }
        for factory in FactoryDescription.standard { #expect(text.contains("`\(factory.name)`")) }
    }
}
