import Foundation
import PatchbayJSON
import PatchbayMigration
import PatchbayRegistry
import TestSupport
import Testing

@testable import PatchbayPlugins

#if canImport(FoundationXML)
    import FoundationXML
#endif

/// A document type declaration is passed over, unless an option says otherwise: no parser sees it, and nothing in it has an effect.
@Suite(.timeLimit(.minutes(5))) struct XMLDoctypeTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let text: String

        init(_ name: String, _ text: String) {
            testDescription = name
            self.text = text
        }
    }

    private func tree(_ xml: String, _ limits: XMLLimits = XMLLimits()) throws -> XMLTree {
        try XMLDocumentSerializer(limits: limits).serialize(Sample.body(xml), Sample.head("application/xml"))
    }

    private func sentence(_ xml: String, _ limits: XMLLimits = XMLLimits()) -> String? {
        Sample.sentence { _ = try tree(xml, limits) }
    }

    @Test(
        "Documents as they are on the web are read without an option",
        arguments: [
            Case(
                "SVG 1.1",
                """
                <?xml version="1.0" standalone="no"?>
                <!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN"
                  "http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd">
                <svg xmlns="http://www.w3.org/2000/svg" version="1.1"><title>text</title></svg>
                """),
            Case(
                "SVG with entities for its namespaces, not used",
                """
                <!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd" [
                  <!ENTITY ns_svg "http://www.w3.org/2000/svg">
                  <!ATTLIST svg xmlns:a CDATA #FIXED "urn:a">
                ]><svg>text</svg>
                """),
            Case(
                "RSS 0.91",
                """
                <?xml version="1.0" encoding="ISO-8859-1"?>
                <!DOCTYPE rss PUBLIC "-//Netscape Communications//DTD RSS 0.91//EN" \
                "http://my.netscape.com/publish/formats/rss-0.91.dtd">
                <rss version="0.91"><channel><title>text</title></channel></rss>
                """),
            Case(
                "XHTML 1.0",
                """
                <!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Strict//EN" "http://www.w3.org/TR/xhtml1/DTD/xhtml1-strict.dtd">
                <html xmlns="http://www.w3.org/1999/xhtml"><body><p>text</p></body></html>
                """),
            Case("XHTML 5", "<!DOCTYPE html><html xmlns='http://www.w3.org/1999/xhtml'><p>text</p></html>"),
            Case("old web application", "<!DOCTYPE html SYSTEM 'about:legacy-compat'>\n<html>text</html>"),
        ])
    func everyday(_ test: Case) throws {
        #expect(try tree(test.text).root.text == "text")
        let events = CollectedText()
        try XMLParserSerializer().serialize(Sample.body(test.text), Sample.head("text/xml")).parse(with: events)
        #expect(events.text == "text")
    }

    /// What may stand in an internal subset, most of it made to look like its end.
    static let declarations = [
        Case("nothing", ""), Case("blanks", " \t\r\n"), Case("comment", "<!-- ]> ' \" <!DOCTYPE b [ -->"),
        Case("comment with a hyphen", "<!-- a - > -->"), Case("empty comment", "<!---->"),
        Case("instruction", "<?p ]> ' \" -- <!-- ?>"), Case("bare instruction", "<?p?>"),
        Case("element", "<!ELEMENT a (#PCDATA | b)* >"), Case("empty element", "<!ELEMENT a EMPTY>"),
        Case("element with a model", "<!ELEMENT a ((b?, c+)|d*)>"),
        Case("implied attribute", "<!ATTLIST a x CDATA #IMPLIED>"),
        Case("required attribute", "<!ATTLIST a x ID #REQUIRED >"),
        Case("attribute with a default", "<!ATTLIST a x CDATA ']>'>"),
        Case("fixed attribute", "<!ATTLIST a x NMTOKENS #FIXED \"]> '\" y CDATA 'z'>"),
        Case("enumerated attribute", "<!ATTLIST a x ( p|-q | r ) 'p'>"),
        Case("attribute of notations", "<!ATTLIST a x NOTATION (n|m) 'n'>"),
        Case("namespace by default", "<!ATTLIST a xmlns CDATA 'urn:x' xmlns:p CDATA #FIXED 'urn:p'>"),
        Case("no attribute", "<!ATTLIST a>"), Case("names of other scripts", "<!ATTLIST é 名 CDATA 'ü'>"),
        Case("entity", "<!ENTITY e ']> \" <b>'>"), Case("entity of markup", "<!ENTITY lt '<b/>'>"),
        Case("broken character in an entity", "<!ENTITY e '&#0; & &'>"),
        Case("entity outside", "<!ENTITY e SYSTEM \"file:///etc/hostname\">"),
        Case("unparsed entity", "<!ENTITY e PUBLIC '-//x' 'x' NDATA n >"),
        Case("parameter entity", "<!ENTITY % e \"<!ATTLIST a x CDATA 'y'>\"> %e;"),
        Case("parameter entity outside", "<!ENTITY % e SYSTEM 'http://127.0.0.1:1/'>%e;"),
        Case("parameter entity in a value", "<!ENTITY f '%e; %'>"),
        Case("notation", "<!NOTATION n SYSTEM ']>'>"), Case("public notation", "<!NOTATION n PUBLIC \"]>\" >"),
        Case("public notation with a place", "<!NOTATION n PUBLIC '-' \"]>\">"),
    ]

    private static let plain = "\n<a b='1'>\n<c>&lt;&amp;&#65;</c></a>"

    @Test("No declaration has an effect", arguments: declarations)
    func withoutEffect(_ declaration: Case) throws {
        let expected = try tree(Self.plain)
        for head in ["a", "a\n", "a SYSTEM 'x]>'", "a PUBLIC \"-//x\"\t']>' "] {
            let xml = "<!DOCTYPE \(head)[\(declaration.text)]>\(Self.plain)"
            #expect(try tree(xml) == expected)
            let events = LoggedEvents()
            try XMLParserSerializer().serialize(Sample.body(xml), Sample.head(nil)).parse(with: events)
            #expect(events.log == LoggedEvents(of: expected).log)
            #expect(sentence(xml, XMLLimits(doctype: .refuse))?.contains("DOCTYPE") == true)
        }
    }

    @Test("It is passed over in every encoding")
    func encodings() throws {
        let xml = "<!DOCTYPE a [<!ENTITY ñ 'ñ]>'>]><a>é</a>"
        let latin = "<?xml version='1.0' encoding='iso-8859-1'?>" + xml
        let bodies: [[UInt8]] = [
            Array(xml.utf8), [0xEF, 0xBB, 0xBF] + Array(xml.utf8), Sample.utf16(xml),
            Sample.utf16(xml, bigEndian: true),
            latin.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) },
        ]
        for body in bodies {
            let tree = try XMLDocumentSerializer().serialize(ResponseBody(body), Sample.head(nil))
            #expect(tree.root.description == "<a>é</a>")
        }
    }

    @Test("Places behind it are those of the body")
    func places() {
        #expect(
            sentence("<!DOCTYPE a [\n<!ENTITY e 'x\r\ny'>\n<?p\n?>]><a>\n <b></c></a>")
                == "the XML was refused at line 6, column 9: an end tag does not match its start tag")
        #expect(
            sentence("<!DOCTYPE a [<!ENTITY e 'é'>]><a></b>")
                == "the XML was refused at line 1, column 39: an end tag does not match its start tag")
    }

    private static let notClosed = "the document type declaration is not closed"
    private static let broken = "the document type declaration is broken"
    private static let strange = "the document type declaration holds something else than declarations"
    private static let misplaced = "there is a declaration where none can be"

    @Test(
        "What cannot be followed is an error",
        arguments: [
            ("<!DOCTYPE", broken), ("<!DOCTYPE>", broken), ("<!DOCTYPEa>", broken), ("<!DOCTYPE []>", broken),
            ("<!DOCTYPE a", broken), ("<!DOCTYPE a [", strange), ("<!DOCTYPE a []", broken),
            ("<!DOCTYPE a [<!ENTITY e 'x]>", notClosed), ("<!DOCTYPE a SYSTEM 'x>", notClosed),
            ("<!DOCTYPE a []]>", broken), ("<!DOCTYPE a [] []>", broken), ("<!DOCTYPE a []x>", broken),
            ("<!DOCTYPE a 'x'>", broken), ("<!DOCTYPE a SYSTEM>", broken), ("<!DOCTYPE a SYSTEM'x'>", broken),
            ("<!DOCTYPE a PUBLIC 'x'>", broken), ("<!DOCTYPE a PUBLIC 'x''y'>", broken),
            ("<!DOCTYPE a system 'x'>", broken), ("<!DOCTYPE a b>", broken), ("<!DOCTYPE a <b>", broken),
            ("<!DOCTYPE a \u{1}>", broken),
            ("<!DOCTYPE a [<!-- -- -->]>", "a comment is not closed, or holds two hyphens"),
            ("<!DOCTYPE a [<!-- ]>", "a comment is not closed, or holds two hyphens"),
            ("<!DOCTYPE a [<? ]>", "a processing instruction is not closed"),
            ("<!DOCTYPE a [text]>", strange), ("<!DOCTYPE a ['x']>", strange), ("<!DOCTYPE a [<b/>]>", strange),
            ("<!DOCTYPE a [<![INCLUDE[<!ENTITY e 'x'>]]>]>", strange), ("<!DOCTYPE a [<![IGNORE[ ]>]]>]>", strange),
            ("<!DOCTYPE a [<!DOCTYPE b>]>", strange), ("<!DOCTYPE a [<!ELEMENTS a ANY>]>", strange),
            ("<!DOCTYPE a [<!entity e 'x'>]>", strange), ("<!DOCTYPE a [&e;]>", strange),
            ("<!DOCTYPE a [%e]>", broken), ("<!DOCTYPE a [% e;]>", broken), ("<!DOCTYPE a [%;]>", broken),
            ("<!DOCTYPE a [<!ELEMENT a ' >]>'>]>", broken), ("<!DOCTYPE a [<!ELEMENT a (b) -- it's -- >]>", broken),
            ("<!DOCTYPE a [<!ELEMENT a <b>]>", broken), ("<!DOCTYPE a [<!ELEMENT a [b]>]>", broken),
            ("<!DOCTYPE a [<!ATTLIST a -- ' >]>' -- >]>", broken), ("<!DOCTYPE a [<!ATTLIST a x ' >]>'>]>", broken),
            ("<!DOCTYPE a [<!ATTLIST a x CDATA #ELSE>]>", broken),
            ("<!DOCTYPE a [<!ATTLIST a x CDATA x='y'>]>", broken),
            ("<!DOCTYPE a [<!ATTLIST a x (b 'c'>]>", broken),
            ("<!DOCTYPE a [<!ATTLIST a x CDATA 'c'y CDATA 'd'>]>", broken),
            ("<!DOCTYPE a [<!ATTLIST a x %t; 'c'>]>", broken),
            ("<!DOCTYPE a [<!ENTITY e>]>", broken), ("<!DOCTYPE a [<!ENTITY e x>]>", broken),
            ("<!DOCTYPE a [<!ENTITY e 'x' y>]>", broken), ("<!DOCTYPE a [<!ENTITYe 'x'>]>", strange),
            ("<!DOCTYPE a [<!ENTITY e 'x' NDATA n>]>", broken),
            ("<!DOCTYPE a [<!ENTITY % e SYSTEM 'x' NDATA n>]>", broken),
            ("<!DOCTYPE a [<!NOTATION n 'x'>]>", broken), ("<!DOCTYPE a [<!NOTATION n SYSTEM 'x' 'y'>]>", broken),
            ("<!DOCTYPE a><!DOCTYPE a>", misplaced), ("<!DOCTYPE a>]>", "there is no root element"),
            ("<!doctype a>", misplaced), ("<!-- --><! DOCTYPE a>", misplaced),
        ])
    func refused(_ doctype: String, _ reason: String) {
        for limits in [XMLLimits(), XMLLimits(doctype: .ignore)] {
            let sentence = sentence("\(doctype)<a/>", limits)
            #expect(sentence?.hasSuffix(": \(reason)") == true, "\(sentence ?? "it is read")")
            // Where declarations count, some are refused for another reason.
            #expect(self.sentence("\(doctype)<a/>", XMLLimits(doctype: .allow)) != nil)
        }
    }

    @Test("One that ends too early is an error, wherever it ends")
    func truncated() throws {
        let declarations = Self.declarations.map(\.text).joined(separator: " ")
        let whole = Array("<!DOCTYPE a PUBLIC '-' \"x\" [\(declarations)] >".utf8)
        _ = try tree(String(decoding: whole, as: UTF8.self) + "<a/>")
        for end in 2..<whole.count {
            #expect(sentence(String(decoding: whole[..<end], as: UTF8.self)) != nil)
        }
    }

    private static let beyondFive =
        #"it uses an entity that is not one of XML's five; the option "doctype": "allow" puts those in place that it declares"#

    @Test(
        "An entity beyond the five is an error that names the option",
        arguments: [
            ("<a>&nbsp;</a>", 4), ("<a>&e;</a>", 4), ("<a b='&e;'/>", 7), ("<a>x<b/>&amp;&lt;y&e;</a>", 19),
            ("<a b='&lt;' c=\"&é;\"/>", 16), ("<a>&e-1.x_:y;</a>", 4), ("<a>& x &e;</a>", 8),
        ])
    func entities(_ document: String, _ column: Int) {
        for doctype in ["<!DOCTYPE a [<!ENTITY e 'x'><!ENTITY é 'y'>]>\n", "<!DOCTYPE a SYSTEM 'x'>\n"] {
            #expect(
                sentence(doctype + document) == "the XML was refused at line 2, column \(column): \(Self.beyondFive)")
        }
    }

    @Test("References that need no declaration are read, and what only looks like one")
    func predefined() throws {
        let xml =
            "<!DOCTYPE a [<!ENTITY e 'x'><!ENTITY lt 'y'>]><a b='&apos;&#x41;'>&lt;&gt;&quot;<![CDATA[&e;]]><!--&e;--><?p &e;?></a>"
        let root = try tree(xml).root
        #expect(root.text == "<>\"&e;")
        #expect(root.attribute("b") == "'A")
        #expect(sentence("<!DOCTYPE a><a>& b</a>") == "the XML was refused at line 1, column 17: a name is missing")
        #expect(
            sentence("<a>&e;</a>") == "the XML was refused at line 1, column 7: an entity is used that is not declared")
    }

    @Test("Where it is refused, the sentence names the option", arguments: [("", 1), ("<!-- > -->\n ", 2)])
    func refusal(_ before: String, _ column: Int) {
        #expect(
            sentence("\(before)<!DOCTYPE a []><a/>", XMLLimits(doctype: .refuse))
                == "the XML was refused at line \(before.isEmpty ? 1 : 2), column \(column): it has a document type declaration "
                + #"(DOCTYPE), which the option "doctype": "refuse" does not allow"#)
    }

    @Test("An implied attribute ends no process: trees, parsers and property lists")
    func impliedAttribute() async {
        await #expect(processExitsWith: .success) {
            let declared = "<!DOCTYPE plist [<!ATTLIST plist x CDATA #IMPLIED><!ATTLIST string x CDATA #IMPLIED>]>"
            let xml = declared + "<plist><string>text</string></plist>"
            let head = Sample.head("application/xml")
            for limits in [XMLLimits(), XMLLimits(doctype: .allow)] {
                let tree = try XMLDocumentSerializer(limits: limits).serialize(Sample.body(xml), head)
                try #require(tree.description == "<plist><string>text</string></plist>")
                let events = CollectedText()
                let source = try XMLParserSerializer(limits: limits).serialize(Sample.body(xml), head)
                try source.parse(with: events)
                try #require(events.text == "text")
                try #require(source.makeParser().parse())
            }
            let list = PropertyListSerializer()
            try #require(try list.serialize(Sample.body(xml), head) == .string("text"))
            try #require(
                try list.decode(
                    [String].self,
                    from: Sample.body(
                        xml.replacing("string", with: "array")
                            .replacing("text", with: "<string>x</string>")), head) == ["x"])
        }
    }

    #if os(Linux)
        @Test("A default of 64 KB for each of 100,000 elements costs neither memory nor time")
        func attributeDefault() async {
            await #expect(processExitsWith: .success) {
                func xml(_ count: Int) -> ResponseBody {
                    let value = String(repeating: "x", count: 64 << 10)
                    let items = String(repeating: "<b/>", count: count)
                    return Sample.body("<!DOCTYPE a [<!ATTLIST b c CDATA '\(value)'>]><a>\(items)</a>")
                }
                let head = Sample.head("application/xml")
                _ = try XMLDocumentSerializer().serialize(xml(1), head)
                let before = try PeakMemory.kibibytes()
                let start = ContinuousClock.now
                let tree = try XMLDocumentSerializer().serialize(xml(100_000), head)
                try #require(tree.root.children.count == 100_000)
                try #require(tree.root.children.last?.attributes.isEmpty == true)
                let events = CollectedText()
                try XMLParserSerializer().serialize(xml(100_000), head).parse(with: events)
                try #require(events.names.count == 100_001)
                #expect(throws: FormatFailure.self) {
                    try PropertyListSerializer().serialize(xml(100_000), head)
                }
                // 6.5 GB of attribute values, had they been made.
                try #require(try PeakMemory.kibibytes() - before < 64 << 10)
                try #require(ContinuousClock.now - start < .seconds(60))
            }
        }
    #endif
}
