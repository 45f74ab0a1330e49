import Foundation
import TestSupport
import Testing

/// Holds the page on logs, metrics and traces to the code.
@Suite struct ObservingPageTests {
    private let page: Markdown

    init() throws { page = try Markdown("Documentation/Observing.md") }

    @Test("its Swift is compiled")
    func examples() throws {
        #expect(page.blocks(of: "swift").count == 6)
        let files = ["Tests/ExamplesTests/ObservingExamples.swift", "Examples/Adapters/TraceContext.swift"]
        #expect(try page.swift(missingIn: files) == [])
    }

    @Test("its table has the attributes that events can have, and its other table each adapter")
    func tables() throws {
        let names = try #require(page.text.range(of: "## Names"))
        let rows = page.text[names.upperBound...].split(separator: "\n").filter { $0.hasPrefix("| `") }
        let named = rows.flatMap { $0.split(separator: "|")[0].matches(of: /`([a-z_.]+)`/).map { String($0.1) } }
        let source = try Markdown("Sources/Manager/Session/SessionEvent+Attributes.swift").text
        let made = Set(source.matches(of: /attributes\["([a-z_.]+)"\]/).map { String($0.1) })
        #expect(made.count > 12)
        #expect(Set(named) == made && named.count == made.count)
        let adapters = try FileManager.default.contentsOfDirectory(
            atPath: Markdown.root.appending(path: "Examples/Adapters").path)
        for adapter in adapters { #expect(page.text.contains(adapter), "\(adapter)") }
    }

    @Test("its stages are the cases of the enumeration, in their order")
    func stages() throws {
        let source = try Markdown("Sources/Manager/Session/SessionEvent.swift").text
        let cases = source.matches(of: #/(?m)^        case (\w+(?:\(.*\))?)$/#).map { String($0.1) }
        let end = try #require(page.text.range(of: "## Names"))
        let rows = page.text[..<end.lowerBound].matches(of: #/(?m)^\| `([^`]+)` \|/#).map { String($0.1) }
        #expect(cases.count == 17 && rows == cases)
    }

    @Test("each adapter names the import to change")
    func imports() throws {
        let folder = Markdown.root.appending(path: "Examples/Adapters")
        for file in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
            let text = try Markdown("Examples/Adapters/\(file)").text
            for line in text.split(separator: "\n") where line.hasPrefix("import") && line.contains("StandIn") {
                #expect(line.contains("  // In your package: import"), "\(line)")
            }
        }
    }
}
