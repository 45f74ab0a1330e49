#if os(Linux)
    import CPatchbayLibxml2
    import Foundation
    import PatchbayMigration
    import PatchbayRegistry
    import Testing

    @testable import PatchbayPlugins

    /// Where libxml2 cannot be loaded, its entries decline. Each in a child: what is loaded stays loaded.
    @Suite(.timeLimit(.minutes(5))) struct Libxml2Tests {
        private static func registry(_ entries: String) throws -> SerializerRegistry {
            try SerializerRegistry(
                sources: [.text(#"{ "manifestVersion": 1, "plugins": [\#(entries)] }"#, name: "m")],
                factories: .standard.joined(with: .migration))
        }

        private static let xml =
            #"{ "id": "xml", "factory": "xml-document", "match": { "types": ["@xml"] }, "options": { "decodes": true } }"#
        private static let plainXML =
            #"{ "id": "xml", "factory": "xml-document", "match": { "types": ["@xml"] } }"#
        private static let text = #"{ "id": "text", "factory": "text", "match": { "types": ["text/*"] } }"#

        private static func takeAway() { patchbay_xml_use_library("libpatchbay-none.so.2") }

        @Test("The call goes to the next entry or is raw, and the reason says what is missing")
        func declines() async {
            await #expect(processExitsWith: .success) {
                Libxml2Tests.takeAway()
                for xml in [Libxml2Tests.xml, Libxml2Tests.plainXML] {
                    let registry = try Libxml2Tests.registry(xml + ", " + Libxml2Tests.text)
                    let decision = registry.explain(contentType: "text/xml")
                    try #require(decision.entryID == "text")
                    try #require(
                        decision.candidates.first { $0.entry == "xml" }?.reason
                            == "libxml2.so.2 is missing: install libxml2")
                    let raw = registry.explain(contentType: "application/xml")
                    try #require(raw.entryID == nil)
                    try #require(try raw.serialize(Sample.body("<a/>")).outcome == .raw)
                }
            }
        }

        @Test("A body that is read all the same fails, and names what is missing")
        func fails() async {
            await #expect(processExitsWith: .success) {
                Libxml2Tests.takeAway()
                let sentence = "the XML was refused: libxml2.so.2 is missing: install libxml2"
                let head = Sample.head("text/xml")
                let document = Sample.body("<a/>")
                try #require(
                    Sample.sentence { _ = try XMLDocumentSerializer().serialize(document, head) } == sentence)
                let list = Sample.body("<plist><true/></plist>")
                try #require(Sample.sentence { _ = try PropertyListSerializer().serialize(list, head) } == sentence)
                // What libxml2 does not read is read without it.
                let binary = ResponseBody(BinaryPropertyList([[0x09]]).bytes)
                try #require(try PropertyListSerializer().serialize(binary, head) == .bool(true))
                _ = try XMLParserSerializer().serialize(document, head)
            }
        }

        @Test("It is looked for again: once it is there, the same registry reads XML")
        func returns() async {
            await #expect(processExitsWith: .success) {
                Libxml2Tests.takeAway()
                let registry = try Libxml2Tests.registry(Libxml2Tests.plainXML)
                try #require(registry.explain(contentType: "text/xml").entryID == nil)
                patchbay_xml_use_library("libxml2.so.2")
                let decision = registry.explain(contentType: "text/xml")
                try #require(decision.entryID == "xml")
                let tree = try #require(try decision.serialize(Sample.body("<a>b</a>")).value as? XMLTree)
                try #require(tree.root.text == "b")
            }
        }
    }
#endif
