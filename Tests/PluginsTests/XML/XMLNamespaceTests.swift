import Foundation
import PatchbayMigration
import PatchbayRegistry
import Testing

@testable import PatchbayPlugins

#if canImport(FoundationXML)
    import FoundationXML
#endif

/// Elements and attributes by their namespace, whatever prefix stands for it.
@Suite(.timeLimit(.minutes(5))) struct XMLNamespaceTests {
    private static let atom = "http://www.w3.org/2005/Atom"

    private func root(_ xml: String, _ limits: XMLLimits = XMLLimits()) throws -> XMLTree.Element {
        try XMLDocumentSerializer(limits: limits)
            .serialize(Sample.body(xml), Sample.head("application/xml")).root
    }

    @Test(
        "The same feed, however its namespace is written",
        arguments: [
            "<feed xmlns='http://www.w3.org/2005/Atom'><title>t</title><link href='1'/><link href='2'/></feed>",
            "<a:feed xmlns:a='http://www.w3.org/2005/Atom'><a:title>t</a:title><a:link href='1'/><a:link href='2'/></a:feed>",
            "<f xmlns:b='http://www.w3.org/2005/Atom' xmlns='urn:x'><b:title>t</b:title><b:link href='1'/><link/><b:link href='2'/></f>",
            "<f><title xmlns='http://www.w3.org/2005/Atom'>t</title><c:link xmlns:c='http://www.w3.org/2005/Atom' href='1'/>"
                + "<link/><link xmlns='http://www.w3.org/2005/Atom' href='2'/></f>",
            "<f xmlns:a='urn:x'><g:title xmlns:g='http://www.w3.org/2005/Atom'>t</g:title><a:link xmlns:a='http://www.w3.org/2005/Atom' href='1'/>"
                + "<a:link/><x xmlns:a='http://www.w3.org/2005/Atom'/><b:link xmlns:b='http://www.w3.org/2005/Atom' href='2'/></f>",
        ])
    func prefixes(_ xml: String) throws {
        let feed = try root(xml)
        #expect(feed["title", namespace: Self.atom]?.text == "t")
        #expect(feed.children(named: "link", namespace: Self.atom).map { $0.attribute("href") } == ["1", "2"])
        #expect(feed["link", namespace: Self.atom]?.attribute("href", namespace: nil) == "1")
        #expect(feed["link", namespace: "urn:none"] == nil)
        #expect(feed.children(named: "none", namespace: Self.atom).isEmpty)
        #expect(feed.children(named: "a:link", namespace: Self.atom).isEmpty)
    }

    @Test("No namespace is nil, or empty: where none is declared, and where the declaration is taken back")
    func none() throws {
        let a = try root("<a xmlns='urn:a'><b/><c xmlns=''><b n='2'/></c><b xmlns='' n='1'/><b xmlns:p='urn:p'/></a>")
        #expect(a.children(named: "b", namespace: nil).map { $0.attribute("n") } == ["1"])
        #expect(a.children(named: "b", namespace: "").map { $0.attribute("n") } == ["1"])
        #expect(a.children(named: "b", namespace: "urn:a").count == 2)
        #expect(a["c", namespace: "urn:a"] == nil)
        #expect(a["c", namespace: nil]?["b", namespace: nil]?.attribute("n") == "2")
        #expect(a["c", namespace: nil]?.namespace == nil)
        #expect(try root("<a><b/></a>")["b", namespace: nil] != nil)
    }

    @Test("A default namespace is not for attributes")
    func attributes() throws {
        let a = try root(
            "<a xmlns='urn:d' xmlns:p='urn:p' xmlns:q='urn:p' xmlns:r='urn:r' n='0' p:n='1' r:n='2' q:m='3' xml:lang='en'/>"
        )
        #expect(a.attribute("n", namespace: nil) == "0")
        #expect(a.attribute("n", namespace: "") == "0")
        #expect(a.attribute("n", namespace: "urn:d") == nil)
        #expect(a.attribute("n", namespace: "urn:p") == "1")
        #expect(a.attribute("n", namespace: "urn:r") == "2")
        #expect(a.attribute("m", namespace: "urn:p") == "3")
        #expect(a.attribute("m", namespace: nil) == nil)
        #expect(a.attribute("p:n", namespace: nil) == nil)
        #expect(a.attribute("lang", namespace: "http://www.w3.org/XML/1998/namespace") == "en")
        #expect(a.attribute("lang", namespace: nil) == nil)
    }

    @Test("Declarations are attributes of the namespace for them")
    func declarations() throws {
        let a = try root("<a xmlns='urn:d' xmlns:p='urn:p'/>")
        #expect(a.attribute("xmlns", namespace: "http://www.w3.org/2000/xmlns/") == "urn:d")
        #expect(a.attribute("p", namespace: "http://www.w3.org/2000/xmlns/") == "urn:p")
        #expect(a.attribute("xmlns", namespace: nil) == nil)
    }

    @Test("The prefix xml is bound without a declaration")
    func xml() throws {
        let a = try root("<a><xml:b/></a>")
        #expect(a["b", namespace: "http://www.w3.org/XML/1998/namespace"]?.name == "xml:b")
        #expect(a["b", namespace: nil] == nil)
    }

    @Test("Many elements under many declarations cost time in proportion, in a child")
    func cost() async {
        await #expect(processExitsWith: .success) {
            let declarations = (0..<999).map { " xmlns:p\($0)='urn:p'" }.joined()
            let open = String(repeating: "<a\(declarations)>", count: 200)
            let items = (0..<100_000).map { "<p\($0 % 999):b/>" }.joined()
            let xml = open + items + String(repeating: "</a>", count: 200)
            var element = try XMLDocumentSerializer().serialize(Sample.body(xml), Sample.head(nil)).root
            while let child = element["a", namespace: nil] { element = child }
            let start = ContinuousClock.now
            let children = element.children(named: "b", namespace: "urn:p")
            try #require(children.count == 100_000)
            try #require(element.children(named: "b", namespace: "urn:q").isEmpty)
            for child in children.prefix(10_000) { try #require(child.namespace == "urn:p") }
            try #require(ContinuousClock.now - start < .seconds(30))
        }
    }

    @Test("A parser names namespaces where its caller asks for them")
    func parser() throws {
        let xml = "<a:feed xmlns:a='http://www.w3.org/2005/Atom'><b xmlns='urn:b'/><c/></a:feed>"
        let parser = try XMLParserSerializer().serialize(Sample.body(xml), Sample.head(nil)).makeParser()
        parser.shouldProcessNamespaces = true
        let delegate = CollectedText()
        parser.delegate = delegate
        #expect(parser.parse())
        #expect(delegate.names == ["feed", "b", "c"])
        // FoundationXML says an empty string for none.
        #expect(delegate.namespaces.map { $0 ?? "" } == [Self.atom, "urn:b", ""])
    }
}
