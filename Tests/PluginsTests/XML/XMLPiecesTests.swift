import PatchbayRegistry
import Testing

@testable import PatchbayPlugins

/// A body is handed to libxml2 in pieces: where one ends must not show.
@Suite(.timeLimit(.minutes(5))) struct XMLPiecesTests {
    /// The size of a piece, as FoundationXML reads a stream.
    private static let piece = 128 << 10

    private func tree(_ xml: String) throws -> XMLTree {
        try XMLDocumentSerializer(limits: XMLLimits(doctype: .allow))
            .serialize(Sample.body(xml), Sample.head("application/xml"))
    }

    @Test(
        "A piece may end anywhere",
        arguments: [
            "<p:b c=\"1 > 2 é\" xmlns:p='urn:>' d='&gt;&#62;&quot;'>é中😀 &amp; &#x1F600; ></p:b ><e/>",
            "<!-- a > b - c é --><![CDATA[ ]] > ]>< é ]]><?pi a > b ? é?><?bare?><f g='h'\n i = 'j'></f>\r\nk",
        ])
    func anywhere(_ markup: String) throws {
        let expected = try tree("<a>\(markup)</a>").root.contents
        let length = markup.utf8.count
        for offset in 0...length {
            // Ten bytes and the padding come before the markup, in both documents.
            let padding = String(repeating: "x", count: Self.piece - 10 - offset)
            let tree = try? tree("<a><t>\(padding)</t>\(markup)</a>")
            #expect(tree.map { Array($0.root.contents.dropFirst()) } == expected, "a piece ends \(offset) bytes in")
            let plain = try? self.tree("<a><t/><!--\(padding.dropLast(4))-->\(markup)</a>")
            #expect(
                plain.map { Array($0.root.contents.dropFirst(2)) } == expected, "after a comment, \(offset) bytes in")
        }
    }

    @Test("Long values with many brackets are read in one go")
    func longValues() throws {
        let value = String(repeating: "> ", count: 200_000)
        let tree = try tree("<a b=\"\(value)\"/>")
        #expect(tree.root.attribute("b") == value)
    }
}
