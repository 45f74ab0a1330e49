import PatchbayRegistry
import Testing

@testable import PatchbayPlugins

/// What a tree says about a document.
@Suite struct XMLTreeTests {
    private func tree(_ xml: String) throws -> XMLTree {
        try XMLDocumentSerializer().serialize(Sample.body(xml), Sample.head("application/xml"))
    }

    private static let feed = """
        <?xml version="1.0"?>
        <!-- before --><rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom" xmlns="urn:plain">
        <channel><title>News &amp; more</title>
        <atom:link href="x" rel="self"/>
        <item><title>One</title></item><item xmlns=""><title>Two <b>bold</b>!</title></item>
        <![CDATA[<raw>]]><?note keep?><!-- inside --></channel></rss>
        """

    @Test func names() throws {
        let root = try tree(Self.feed).root
        #expect(root.name == "rss")
        #expect(root.prefix == nil)
        let link = try #require(root["channel"]?["atom:link"])
        #expect(link.name == "atom:link")
        #expect(link.localName == "link")
        #expect(link.prefix == "atom")
        #expect(root["none"] == nil)
    }

    @Test("A namespace is that of the nearest declaration around")
    func namespaces() throws {
        let channel = try #require(tree(Self.feed).root["channel"])
        #expect(channel.namespace == "urn:plain")
        #expect(channel["atom:link"]?.namespace == "http://www.w3.org/2005/Atom")
        #expect(channel.children(named: "item").map { $0["title"]?.namespace } == ["urn:plain", nil])
        #expect(try tree("<xml:a/>").root.namespace == "http://www.w3.org/XML/1998/namespace")
    }

    @Test func attributes() throws {
        let root = try tree("<a z='1' b='x &lt; y' é='3'/>").root
        #expect(root.attributes.map(\.name) == ["b", "z", "é"])
        #expect(root.attribute("b") == "x < y")
        #expect(root.attribute("c") == nil)
        let prefixed = try tree("<a xmlns:p='urn:p' p:b='1' xmlns='urn:d' b='2'/>").root
        #expect(prefixed.attributes.map(\.name) == ["b", "p:b", "xmlns", "xmlns:p"])
        #expect(prefixed.attributes.map(\.value) == ["2", "1", "urn:d", "urn:p"])
    }

    @Test func text() throws {
        let channel = try #require(tree(Self.feed).root["channel"])
        #expect(channel["title"]?.text == "News & more")
        #expect(channel.children(named: "item").map(\.text) == ["One", "Two bold!"])
        #expect(channel.children.map(\.name) == ["title", "atom:link", "item", "item"])
        #expect(channel.parent?.name == "rss")
        #expect(channel.parent?.parent == nil)
    }

    @Test("1.1.20: the contents keep every kind of node, in order")
    func contents() throws {
        let root = try tree("<a>one<b/>two<![CDATA[<3>]]><!-- c --><?p d?><?q?></a>").root
        let child = try #require(root["b"])
        #expect(
            root.contents == [
                .text("one"), .element(child), .text("two"), .cdata("<3>"), .comment(" c "),
                .processingInstruction(target: "p", data: "d"), .processingInstruction(target: "q", data: ""),
            ])
    }

    @Test(
        "Writing a tree and reading it again gives the same tree",
        arguments: [
            "<a/>", "<a><b>one</b>two<c><d/></c></a>", "<a b='&quot;&#10;&#9;&lt;&gt;'>&amp;&lt;&gt;&#13;</a>",
            "<a>one<![CDATA[<3>]]><!-- c --><?p d?><?q?></a>",
        ])
    func writing(_ xml: String) throws {
        let first = try tree(xml)
        #expect(try tree(first.description) == first)
    }

    @Test func description() throws {
        #expect(
            try tree(" <a  b = '1'><c></c>x</a>\n").description == "<a b=\"1\"><c/>x</a>")
    }

    @Test("Trees are equal where all that is in their roots is")
    func equality() throws {
        #expect(try tree("<!-- x --><a b='1' c='2'/>") == tree("<a c='2' b='1'></a>"))
        #expect(try tree("<a><b/><c/></a>") != tree("<a><b><c/></b></a>"))
        #expect(try tree("<a>x</a>") != tree("<a>y</a>"))
        #expect(try Set([tree("<a/>"), tree("<a></a>"), tree("<b/>")]).count == 2)
    }
}
