import CPatchbayLibxml2
import Foundation
import PatchbayMigration
import PatchbayRegistry
import TestSupport
import Testing

@testable import PatchbayPlugins

/// Document type declarations, damaged: whatever our scanner takes for one, libxml2 must not see another.
@Suite(.timeLimit(.minutes(5))) struct XMLDoctypeDamageTests {
    private static let heads = ["a", "a SYSTEM 'x'", "a PUBLIC \"-//x\" \"x\""]
    private static let pieces = [
        "<", ">", "/", "=", "'", "\"", "&", ";", "!", "?", "[", "]", "-", "--", "%", "#", "(", ")", "|", " ", "\n",
        "\r",
        "\0", "\u{1}", "é", "]>", "]]>", "-->", "<!--", "?>", "<?p ", "<![CDATA[", "<![INCLUDE[", "<!DOCTYPE a [",
        "<!DOCTYPE a>", "<!ENTITY e 'x'>", "<!ATTLIST a x CDATA 'y'>", "%e;", "&e;", "SYSTEM ", "CDATA ", "<a>", "</a>",
    ]

    /// A document with some of the declarations that are passed over.
    private static func document(_ generator: inout SplitMix) -> String {
        let declarations = (0..<Int.random(in: 0..<5, using: &generator)).map { _ in
            XMLDoctypeTests.declarations.randomElement(using: &generator)?.text ?? ""
        }
        let head = heads.randomElement(using: &generator) ?? "a"
        return "<?p?><!-- <!DOCTYPE b> --><!DOCTYPE \(head) [\(declarations.joined(separator: " "))]>"
            + "<!-- c --><a b='&lt;'>text<![CDATA[<!DOCTYPE b>]]><?p <!DOCTYPE b>?></a>"
    }

    /// How often libxml2 tells of a document type declaration.
    private static func declarations(in bytes: Data) throws -> Int {
        var count = 0
        try withUnsafeMutablePointer(to: &count) { count in
            let handlers = patchbay_xml_handlers(
                start: { _, _, _, _, _, _, _, _, _ in }, end: { _, _, _, _ in }, text: { _, _, _ in },
                cdata: { _, _, _ in }, comment: { _, _ in }, instruction: { _, _, _ in },
                doctype: { context, _, _, _ in context.assumingMemoryBound(to: Int.self).pointee += 1 },
                error: { _, _ in })
            let parser = try #require(patchbay_xml_open(handlers, count))
            defer { patchbay_xml_close(parser) }
            bytes.withUnsafeBytes { bytes in
                let text = bytes.bindMemory(to: CChar.self)
                patchbay_xml_parse(parser, text.baseAddress, CInt(text.count), 1)
            }
        }
        return count
    }

    @Test("libxml2 tells of a declaration where it sees one")
    func control() throws {
        #expect(try Self.declarations(in: Data("<!DOCTYPE a [<!ENTITY e 'x'>]><a/>".utf8)) == 1)
        #expect(try Self.declarations(in: Data("<!-- <!DOCTYPE a> --><a/>".utf8)) == 0)
    }

    @Test("No declaration gets past, and nothing that was passed over shows", arguments: 0..<4)
    func damage(_ seed: Int) throws {
        var generator = SplitMix(seed: UInt64(seed))
        let whole = try XMLDocumentSerializer()
            .serialize(
                Sample.body("<a b='&lt;'>text<![CDATA[<!DOCTYPE b>]]><?p <!DOCTYPE b>?></a>"), Sample.head("text/xml"))
        var accepted = 0
        for _ in 0..<TestLength.count(400, of: 2_000, "damaged declarations") {
            var bytes = Array(Self.document(&generator).utf8)
            #expect(
                try XMLDocumentSerializer().serialize(ResponseBody(bytes), Sample.head("text/xml")) == whole)
            for _ in 0...Int.random(in: 0..<3, using: &generator) {
                let start = Int.random(in: 0..<bytes.count, using: &generator)
                let end = min(bytes.count, start + Int.random(in: 0..<4, using: &generator))
                bytes.replaceSubrange(start..<end, with: (Self.pieces.randomElement(using: &generator) ?? "").utf8)
            }
            let head = Sample.head("text/xml")
            guard let source = try? XMLParserSerializer().serialize(ResponseBody(bytes), head) else { continue }
            accepted += 1
            let text = source.text.utf8
            let shown = String(decoding: bytes, as: UTF8.self)
            #expect(try Self.declarations(in: text) == 0, "\(shown)")
            #expect(text.count { $0 == 0x0A } == Self.lineEnds(in: bytes), "\(shown)")
            // What is left has no declaration for our scanner either.
            #expect(throws: Never.self, "\(shown)") {
                try XMLText(ResponseBody(text), .missing, XMLLimits(doctype: .refuse))
            }
            let events = LoggedEvents()
            let tree = try? XMLTree(source.text)
            let isRead = (try? source.parse(with: events)) != nil
            #expect(tree.map { LoggedEvents(of: $0).log } == (isRead ? events.log : nil), "\(shown)")
        }
        #expect(accepted > 20)
    }

    private static func lineEnds(in bytes: [UInt8]) -> Int {
        bytes.indices.count { bytes[$0] == 0x0D || bytes[$0] == 0x0A && ($0 == 0 || bytes[$0 - 1] != 0x0D) }
    }
}
