import Foundation
import Patchbay
import TestSupport
import Testing

/// Holds the page on streams to the code.
@Suite struct StreamsPageTests {
    @Test("its Swift is compiled and its manifest loads")
    func examples() throws {
        let page = try Markdown("Documentation/Streams.md")
        #expect(page.blocks(of: "swift").count == 2)
        try page.expectSwift(in: ["Tests/PatchbayTests/StreamExamples.swift"])
        for block in page.blocks(of: "json") {
            _ = try SerializerRegistry.standard.overlaid(by: ManifestSource(name: "page", block))
        }
    }
}
