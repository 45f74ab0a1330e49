import Foundation
import PatchbayMigration
import PatchbayRegistry
import TestSupport
import Testing

@testable import PatchbayPlugins

#if canImport(FoundationXML)
    import FoundationXML
#endif

/// Entities: they multiply text, and reach outside the document. Neither gets far.
@Suite(.timeLimit(.minutes(5))) struct XMLEntityTests {
    private static let allowing = XMLDocumentSerializer(limits: XMLLimits(doctype: .allow))
    private static let refusing = XMLDocumentSerializer(limits: XMLLimits(doctype: .refuse))
    private static let ignoring = XMLDocumentSerializer(limits: XMLLimits(doctype: .ignore))

    private func failure(_ xml: String, _ serializer: XMLDocumentSerializer = allowing) -> XMLFailure? {
        do {
            _ = try serializer.serialize(Sample.body(xml), Sample.head("application/xml"))
            return nil
        } catch {
            return error as? XMLFailure
        }
    }

    private func code(_ xml: String, _ serializer: XMLDocumentSerializer = allowing) -> XMLFailure.Code? {
        failure(xml, serializer)?.code
    }

    @Test("Where a DOCTYPE is allowed, entities of its own are put in place as text")
    func internalEntities() throws {
        let xml = """
            <!DOCTYPE a [<!ENTITY who "w&#111;rld &#38;lt; 'x' &quot; &more;"> <!-- ]> it's --> <?p ]> ?>
            <!ENTITY more '"> & "'.> <!ENTITY who "second">
            ]>
            <a b='&who;'>hello &who;<![CDATA[&who;]]><!--&who;--></a>
            """
        let good = xml.replacing("'\"> & \"'.", with: "'\"> &amp;\"'")
        let tree = try Self.allowing.serialize(Sample.body(good), Sample.head("application/xml"))
        #expect(tree.root.text == "hello world < 'x' \" \"> &\"&who;")
        #expect(tree.root.attribute("b") == "world < 'x' \" \"> &\"")
        #expect(code(xml) == .notWellFormed)
    }

    @Test(
        "Declarations that FoundationXML does not survive have no effect",
        arguments: [
            "<!ELEMENT a (b|c)*>", "<!ATTLIST a b CDATA #IMPLIED>", "<!ATTLIST c b (x|y) 'x'>",
            "<!NOTATION n SYSTEM 'x'>",
            "<!NOTATION n PUBLIC 'x'>", "<!ELEMENT a EMPTY><!ATTLIST c b CDATA '>'>", "<?q?>", "<!ENTITY e ''>", " ",
            "<!---->",
        ])
    func declarations(_ declaration: String) throws {
        let xml = "<!DOCTYPE a [\(declaration)]>\n<a/>"
        let tree = try Self.allowing.serialize(Sample.body(xml), Sample.head("application/xml"))
        #expect(tree.root.attributes.isEmpty)
    }

    @Test(
        "Broken declarations are told as such",
        arguments: [
            "<!DOCTYPE a", "<!DOCTYPE a [", "<!DOCTYPE a []", "<!DOCTYPE a [<!ENTITY e>]>",
            "<!DOCTYPE a [<!ENTITY e x>]>",
            "<!DOCTYPE a [<!ENTITY e 'x' y>]>", "<!DOCTYPE a [<!ENTITYe 'x'>]>", "<!DOCTYPE a [<!ENTITY e '&#0;'>]>",
            "<!DOCTYPE a [<!ENTITY e '&#xD800;'>]>", "<!DOCTYPE a [<!ENTITY e '&#65'>]>", "<!DOCTYPE a [text]>",
            "<!DOCTYPE a '>",
            "<!DOCTYPE a [<!-- ]>", "<!DOCTYPE a [<!ENTITY e 'x]>",
        ])
    func broken(_ doctype: String) {
        #expect(code("\(doctype)<a>&e;</a>") == .notWellFormed)
    }

    @Test("Billion laughs", arguments: [(3, nil), (10, .characters), (60, .characters)] as [(Int, XMLFailure.Code?)])
    func billionLaughs(_ levels: Int, _ expected: XMLFailure.Code?) {
        let entities = (1...levels).map { level in
            "<!ENTITY e\(level) \"\(String(repeating: "&e\(level - 1);", count: 10))\">"
        }
        let xml = "<!DOCTYPE a [<!ENTITY e0 \"ha\">\(entities.joined())]><a>&e\(levels);</a>"
        #expect(code(xml) == expected)
        #expect(code(xml, XMLDocumentSerializer()) == .doctype)
    }

    @Test("One long entity, used often: refused at the limit, taken below it")
    func quadraticBlowUp() {
        func xml(_ uses: Int) -> String {
            let text = String(repeating: "x", count: 50_000)
            return "<!DOCTYPE a [<!ENTITY e \"\(text)\">]><a>\(String(repeating: "&e;", count: uses))</a>"
        }
        #expect(code(xml(20)) == nil)
        #expect(code(xml(21)) == .characters)
        #expect(code(xml(4_000)) == .characters)
    }

    @Test("The same in attribute values")
    func attributeBlowUp() {
        let text = String(repeating: "x", count: 50_000)
        let uses = String(repeating: "<b c='&e;'/>", count: 30)
        #expect(code("<!DOCTYPE a [<!ENTITY e \"\(text)\">]><a>\(uses)</a>") == .characters)
    }

    @Test("Many tags, and one reference at the very end")
    func manyTags() throws {
        let items = String(repeating: "<b c='x;'>y;</b>", count: 100_000)
        func xml(_ end: String) -> String { "<!DOCTYPE a [<!ENTITY e 'z'>]><a>\(items)\(end)</a>" }
        let without = try Self.allowing.serialize(Sample.body(xml("")), Sample.head("application/xml"))
        #expect(without.root.children.count == 100_000)
        #expect(without.root.children.last?.text == "y;")
        let with = try Self.allowing.serialize(Sample.body(xml("<b>&e;</b>")), Sample.head("application/xml"))
        #expect(with.root.children.count == 100_001)
        #expect(with.root.children.last?.text == "z")
    }

    @Test("A reference does not reach past its text or its tag")
    func openReferences() {
        #expect(code("<!DOCTYPE a [<!ENTITY e 'z'>]><a>&e<b/>;</a>") == .notWellFormed)
        #expect(code("<!DOCTYPE a [<!ENTITY e 'z'>]><a b='&e'>;</a>") == .notWellFormed)
    }

    @Test("An entity that contains itself")
    func recursion() {
        let failure = failure("<!DOCTYPE a [<!ENTITY e \"&f;\"><!ENTITY f \"&e;\">]><a>&e;</a>")
        #expect(failure?.code == .notWellFormed)
        #expect(failure?.reason == "its entities refer to each other without end")
    }

    @Test(
        "A chain of entities is followed so far and no further",
        arguments: [(63, nil), (64, .notWellFormed)] as [(Int, XMLFailure.Code?)])
    func chain(_ links: Int, _ expected: XMLFailure.Code?) {
        let entities = (1...links).map { "<!ENTITY e\($0) '&e\($0 - 1);'>" }.joined()
        let failure = failure("<!DOCTYPE a [<!ENTITY e0 'x'>\(entities)]><a>&e\(links);</a>")
        #expect(failure?.code == expected)
        #expect(failure?.reason == expected.map { _ in "its entities are nested more than 64 deep" })
    }

    @Test("An entity that stands for markup is refused")
    func markupInEntities() {
        #expect(code("<!DOCTYPE a [<!ENTITY e \"<b/>\">]><a>&e;</a>") == .doctype)
        #expect(code("<!DOCTYPE a [<!ENTITY e \"&#60;b/>\">]><a>&e;</a>") == .doctype)
    }

    @Test("Nothing outside the document is opened: a marker file and a listening server stay untouched")
    func externalEntities() async throws {
        let marker = FileManager.default.temporaryDirectory.appending(path: "patchbay-marker-\(UUID().uuidString)")
        try Data("MARKER".utf8).write(to: marker)
        defer { try? FileManager.default.removeItem(at: marker) }
        let server = try RawServer { _ in .response(body: Array("MARKER".utf8)) }
        defer { server.stop() }
        for place in [marker.absoluteString, marker.path, "http://127.0.0.1:\(server.port)/marker"] {
            let documents = [
                "<!DOCTYPE a [<!ENTITY e SYSTEM \"\(place)\">]><a>&e;</a>",
                "<!DOCTYPE a [<!ENTITY e\nPUBLIC \"x\" \"\(place)\">]><a>&e;</a>",
                "<!DOCTYPE a [<!ENTITY % e SYSTEM \"\(place)\"> %e;]><a/>",
                "<!DOCTYPE a [<!ENTITY e SYSTEM '\(place)' NDATA n>]><a/>",
                "<!DOCTYPE a SYSTEM \"\(place)\"><a>&e;</a>",
                "<!DOCTYPE a PUBLIC \"x\" \"\(place)\"><a>&e;</a>",
                "<a xmlns:xi=\"http://www.w3.org/2001/XInclude\"><xi:include href=\"\(place)\" parse=\"text\"/></a>",
                "<?xml-stylesheet href=\"\(place)\"?><?oasis-xml-catalog catalog=\"\(place)\"?><a/>",
                "<a xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\" xsi:schemaLocation=\"urn:x \(place)\"/>",
            ]
            for xml in documents {
                for serializer in [Self.allowing, Self.ignoring, Self.refusing] {
                    let tree = try? serializer.serialize(Sample.body(xml), Sample.head("application/xml"))
                    #expect(tree?.root.text.contains("MARKER") != true, "\(xml)")
                }
                for doctype in XMLLimits.Doctype.allCases {
                    let source = try? XMLParserSerializer(limits: XMLLimits(doctype: doctype))
                        .serialize(Sample.body(xml), Sample.head("application/xml"))
                    let text = CollectedText()
                    let parser = source?.makeParser()
                    parser?.delegate = text
                    parser?.shouldResolveExternalEntities = true
                    parser?.externalEntityResolvingPolicy = .always
                    _ = parser?.parse()
                    #expect(!text.text.contains("MARKER"), "\(xml)")
                }
            }
        }
        #expect(server.requests.isEmpty)
    }

    @Test("An entity outside the document is refused by name, even where a DOCTYPE is allowed")
    func externalEntitySentences() {
        func sentence(_ xml: String) -> String? {
            Sample.sentence { _ = try Self.allowing.serialize(Sample.body(xml), Sample.head("application/xml")) }
        }
        #expect(
            sentence("<!DOCTYPE a [<!ENTITY e SYSTEM 'file:///etc/hostname'>]><a>&e;</a>")
                == "the XML was refused at line 1, column 25: its document type declaration has an entity outside the document"
        )
        #expect(
            sentence("<!DOCTYPE a [<!ENTITY % e 'x'>]><a/>")
                == "the XML was refused at line 1, column 23: its document type declaration has a parameter entity")
    }

    /// A declaration, the element and the attribute that it is about, and what it gives the attribute.
    static let attributes: [(declaration: String, element: String, attribute: String, isDefault: Bool)] = [
        ("<!ATTLIST a x CDATA 'y'>", "a", "x", true), ("<!ATTLIST a x CDATA #FIXED 'y'>", "a", "x", true),
        ("<!ATTLIST a x CDATA #IMPLIED y CDATA ''>", "a", "y", true), ("<!ATTLIST b x (p|q) 'p'>", "b", "x", true),
        ("<!ATTLIST p:c x CDATA 'y'>", "p:c", "x", true), ("<!ATTLIST é ñ CDATA 'y'>", "é", "ñ", true),
        ("<!ATTLIST a xmlns CDATA #FIXED 'urn:x'>", "a", "xmlns", true),
        ("<!ATTLIST a w CDATA #IMPLIED><!ATTLIST a x ID 'y'>", "a", "x", true),
        ("<!ATTLIST a x ID #IMPLIED>", "a", "x", false), ("<!ATTLIST b x IDREF #REQUIRED>", "b", "x", false),
        ("<!ATTLIST a x IDREFS #IMPLIED>", "a", "x", false), ("<!ATTLIST a x ENTITY #IMPLIED>", "a", "x", false),
        ("<!ATTLIST a x ENTITIES #IMPLIED>", "a", "x", false), ("<!ATTLIST a x NMTOKEN #IMPLIED>", "a", "x", false),
        ("<!ATTLIST a x NMTOKENS #REQUIRED>", "a", "x", false), ("<!ATTLIST a x (p|q) #IMPLIED>", "a", "x", false),
        ("<!ATTLIST a x NOTATION (n) #IMPLIED>", "a", "x", false),
    ]

    @Test(
        "Where a DOCTYPE is allowed, an attribute whose declaration would change its value is refused by name",
        arguments: attributes)
    func declaredAttribute(_ test: (declaration: String, element: String, attribute: String, isDefault: Bool)) {
        let change =
            test.isDefault
            ? "a default value, which is not put in place"
            : "a type other than CDATA, by which its value is not trimmed"
        let reason =
            #"the element "\#(test.element)" has an attribute "\#(test.attribute)" that its document type declaration "#
            + #"gives \#(change); the option "doctype": "ignore" reads the document without its declarations"#
        for document in [
            "<a><b/><é/><p:c xmlns:p='u'/></a>", "<a x=' y  z '><b x='p'></b><é ñ='1'/><p:c xmlns:p='u'/></a>",
        ] {
            let xml = "<!DOCTYPE a [\(test.declaration)]>\n\(document)"
            #expect(failure(xml)?.reason == reason)
            #expect(failure(xml)?.code == .doctype)
            #expect(failure(xml)?.line == 2)
            #expect(failure(xml, Self.ignoring) == nil)
            let source = XMLParserSerializer(limits: XMLLimits(doctype: .allow))
            #expect(throws: XMLFailure.self) { try source.serialize(Sample.body(xml), Sample.head("text/xml")) }
        }
    }

    @Test(
        "Declarations of attributes that change nothing are read",
        arguments: [
            "<!ATTLIST a x CDATA #IMPLIED>", "<!ATTLIST a x CDATA #REQUIRED y CDATA #IMPLIED>", "<!ATTLIST a>",
            "<!ATTLIST ab x CDATA 'y'>", "<!ATTLIST A x CDATA 'y'>", "<!ATTLIST p:a x ID #IMPLIED>",
            "<!ATTLIST x a ID #IMPLIED>",
        ])
    func unchangedAttribute(_ declaration: String) throws {
        for document in ["<a x=' y '/>", "<a\tx=' y '\n/>", "<a\nx=' y '></a\n>"] {
            let xml = "<!DOCTYPE a [\(declaration)]>\(document)"
            let root = try Self.allowing.serialize(Sample.body(xml), Sample.head("application/xml")).root
            #expect(root.attribute("x") == " y ")
        }
    }

    @Test("A long name in a refusal is cut, and has no control characters")
    func longNames() throws {
        let name = String(repeating: "n", count: 100_000)
        let xml = "<!DOCTYPE a [<!ATTLIST \(name) \(name) ID #IMPLIED>]><\(name)/>"
        let failure = try #require(self.failure(xml))
        #expect(failure.reason.utf8.count < 500)
        #expect(failure.reason.contains(#"\#(name.prefix(80))…""#))
    }
}
