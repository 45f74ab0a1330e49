import PatchbayRegistry
import Testing

@testable import PatchbayPlugins

/// Each limit one below, at, and one above.
@Suite(.timeLimit(.minutes(5))) struct XMLLimitTests {
    private func read(_ xml: String, _ limits: XMLLimits = XMLLimits()) throws(XMLFailure) -> XMLTree {
        let text = try XMLText(Sample.body(xml), Sample.head("application/xml").contentType, limits)
        return try XMLTree(text)
    }

    private func code(_ xml: String, _ limits: XMLLimits = XMLLimits()) -> XMLFailure.Code? {
        do throws(XMLFailure) {
            _ = try read(xml, limits)
            return nil
        } catch {
            return error.code
        }
    }

    private func nested(_ depth: Int) -> String {
        String(repeating: "<a>", count: depth) + String(repeating: "</a>", count: depth)
    }

    @Test(arguments: [(255, nil), (256, nil), (257, .depth), (100_000, .depth)] as [(Int, XMLFailure.Code?)])
    func depth(_ depth: Int, _ expected: XMLFailure.Code?) {
        #expect(code(nested(depth)) == expected)
    }

    @Test("A deep document, where it is allowed, is read, compared, written and released without recursion")
    func deepTrees() throws {
        let xml = nested(10_000)
        let limits = XMLLimits(maximumDepth: 10_000)
        let tree = try read(xml, limits)
        #expect(try tree == read(xml, limits))
        #expect(tree.description.utf8.count == 9_999 * 7 + 4)
        #expect(tree.root.text == "")
    }

    @Test(
        arguments: [(999, nil), (1_000, nil), (1_001, .attributes), (100_000, .attributes)] as [(Int, XMLFailure.Code?)]
    )
    func attributes(_ count: Int, _ expected: XMLFailure.Code?) {
        let attributes = (0..<count).map { " a\($0)='='" }.joined()
        #expect(code("<a\(attributes)/>") == expected)
        let namespaces = (0..<count).map { " xmlns:a\($0)=\"urn:a\"" }.joined()
        #expect(code("<a\(namespaces)/>") == expected)
    }

    @Test("Too many attributes, and too much text, are refused before libxml2 sees them")
    func beforeParsing() {
        let attributes = (0...1_000).map { " a\($0)=''" }.joined()
        #expect(throws: XMLFailure(.attributes, "an element has more than 1000 attributes", line: 2, column: 1)) {
            () throws(XMLFailure) in try text("<a>\n<b\(attributes)/></a>")
        }
        let entity = "<!DOCTYPE a [<!ENTITY e '\(String(repeating: "x", count: 50_000))'>]>"
        let uses = String(repeating: "&e;", count: 21)
        #expect(
            throws: XMLFailure(.characters, "it stands for more text than a body of its size may", line: 2, column: 64)
        ) { () throws(XMLFailure) in try text("\(entity)\n<a>\(uses)</a>", XMLLimits(doctype: .allow)) }
    }

    @Test("The text of entities inside of entities counts at each level, because it is kept there", arguments: [5, 12])
    func entitiesInEntities(_ levels: Int) {
        let first = "<!ENTITY e0 '\(String(repeating: "x", count: 600_000))'>"
        let others = (1...levels).map { "<!ENTITY e\($0) '&e\($0 - 1);'>" }.joined()
        let document = "<!DOCTYPE a [\(first)\(others)]><a>&e\(levels);</a>"
        #expect(code(document, XMLLimits(doctype: .allow)) == (levels == 5 ? nil : .characters))
    }

    @discardableResult
    private func text(_ xml: String, _ limits: XMLLimits = XMLLimits()) throws(XMLFailure) -> XMLText {
        try XMLText(Sample.body(xml), .missing, limits)
    }

    @Test("Text, values, CDATA, comments and instructions all count as characters")
    func characters() {
        let xml = "<a b='12'>345<![CDATA[67]]><!--89--><?p 0?></a>"  // the target "p" counts as well: 11
        #expect(code(xml, XMLLimits(maximumCharacters: 10)) == .characters)
        #expect(code(xml, XMLLimits(maximumCharacters: 11)) == nil)
        #expect(code(xml, XMLLimits(maximumCharacters: 12)) == nil)
    }

    @Test(arguments: [
        (0, 1 << 20), (104_857, 1 << 20), (200_000, 2_000_000), (10 << 20, 64 << 20), (80 << 20, 80 << 20),
    ])
    func defaultNumberOfCharacters(_ body: Int, _ expected: Int) {
        #expect(XMLLimits().characters(forBodyOf: body) == expected)
    }

    @Test("Elements, their attributes, texts and the rest all count as nodes of a tree")
    func nodes() throws {
        let xml = "<a b='1' c='2'>x<d/><!-- y --><?p?>z</a>"
        #expect(code(xml, XMLLimits(maximumNodes: 7)) == .nodes)
        #expect(code(xml, XMLLimits(maximumNodes: 8)) == nil)
        #expect(code(xml, XMLLimits(maximumNodes: 9)) == nil)
        #expect(code(xml, XMLLimits(maximumNodes: 1)) == .nodes)
        #expect(code("<a/>", XMLLimits(maximumNodes: 1)) == nil)
        #expect(code(nested(200), XMLLimits(maximumNodes: 100)) == .nodes)
        let sentence = Sample.sentence { _ = try read(xml, XMLLimits(maximumNodes: 7)) }
        #expect(sentence == "the XML was refused: it has more than 7 nodes and attributes")
    }

    @Test("What an instruction says counts as an attribute does")
    func instructionData() throws {
        let xml = "<a><?p?><?q x?></a>"
        #expect(code(xml, XMLLimits(maximumNodes: 3)) == .nodes)
        #expect(code(xml, XMLLimits(maximumNodes: 4)) == nil)
        let contents = try read(xml).root.contents
        let expected: [XMLTree.Content] = [
            .processingInstruction(target: "p", data: ""), .processingInstruction(target: "q", data: "x"),
        ]
        #expect(contents == expected)
    }

    @Test(
        "Names are as long as libxml2 takes them",
        arguments: [(50_000, nil), (50_001, .notWellFormed)] as [(Int, XMLFailure.Code?)])
    func names(_ length: Int, _ expected: XMLFailure.Code?) {
        let name = String(repeating: "n", count: length)
        #expect(code("<\(name)/>") == expected)
        #expect(code("<a \(name)=''/>") == expected)
    }

    @Test("A body of more than ten megabytes is read in pieces")
    func largeBodies() throws {
        let item = "<item>" + String(repeating: "x", count: 994) + "</item>"
        let tree = try read("<a>" + String(repeating: item, count: 12_000) + "</a>")
        #expect(tree.root.children.count == 12_000)
        #expect(tree.root.children.last?.text.utf8.count == 994)
    }
}
