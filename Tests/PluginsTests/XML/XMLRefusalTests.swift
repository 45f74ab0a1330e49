import PatchbayMigration
import PatchbayRegistry
import Testing

@testable import PatchbayPlugins

/// Documents that are no success, with the exact sentence for each.
@Suite struct XMLRefusalTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let xml: String
        let reason: String

        init(_ name: String, _ xml: String, _ reason: String) {
            testDescription = name
            self.xml = xml
            self.reason = reason
        }
    }

    @Test(arguments: [
        Case("empty", "", "the XML was refused: there is no root element"),
        Case("one byte", "<", "the XML was refused at line 1, column 1: a tag is not closed"),
        Case("three bytes", "<a>", "the XML was refused: there is no complete root element"),
        Case("three spaces", "   ", "the XML was refused: there is no root element"),
        Case("text only", "just text", "the XML was refused: there is no root element"),
        Case("text before the root", "x<a/>", "the XML was refused at line 1, column 1: there is no root element"),
        Case("comment only", "<!-- nothing -->", "the XML was refused: there is no root element"),
        Case("two roots", "<a/><b/>", "the XML was refused at line 1, column 5: something follows the root element"),
        Case(
            "text after the root", "<a/>x",
            "the XML was refused at line 1, column 5: something follows the root element"),
        Case(
            "unclosed root", "<a><b></b>",
            "the XML was refused at line 1, column 11: the document ends inside an element"),
        Case(
            "mismatch", "<a>\n<b></a>",
            "the XML was refused at line 2, column 8: an end tag does not match its start tag"),
        Case("end tag only", "</a>", "the XML was refused: there is no root element"),
        Case("unclosed tag", "<a", "the XML was refused at line 1, column 1: a tag is not closed"),
        Case("unclosed end tag", "<a></a", "the XML was refused at line 1, column 4: a tag is not closed"),
        Case("unclosed comment", "<a><!-- </a>", "the XML was refused at line 1, column 4: a comment is not closed"),
        Case(
            "unclosed CDATA", "<a><![CDATA[ ]] ></a>",
            "the XML was refused at line 1, column 4: a CDATA section is not closed"),
        Case(
            "unclosed instruction", "<?p <a/>",
            "the XML was refused at line 1, column 1: a processing instruction is not closed"),
        Case(
            "less-than in a value", "<a b='<'/>",
            "the XML was refused at line 1, column 7: a tag or an attribute value holds a less-than sign"),
        Case(
            "attribute twice", "<a b='1' b='2'/>",
            "the XML was refused at line 1, column 15: an attribute is given twice"),
        Case("attribute without value", "<a b/>", "the XML was refused at line 1, column 5: an attribute has no value"),
        Case(
            "value without quotes", "<a b=1/>",
            "the XML was refused at line 1, column 6: an attribute value is not in quotes, or its quotes are not closed"
        ),
        Case(
            "undeclared entity", "<a>&nbsp;</a>",
            "the XML was refused at line 1, column 10: an entity is used that is not declared"),
        Case("bare ampersand", "<a>b & c</a>", "the XML was refused at line 1, column 7: a name is missing"),
        Case(
            "control character", "<a>\u{1}</a>",
            "the XML was refused at line 1, column 4: there is a character that XML does not allow"),
        Case(
            "undeclared prefix", "<p:a/>", "the XML was refused at line 1, column 5: a namespace prefix is not declared"
        ),
        Case(
            "DOCTYPE inside", "<a><!DOCTYPE b></a>",
            "the XML was refused at line 1, column 4: there is a declaration where none can be"),
    ])
    func sentences(_ test: Case) {
        let sentence = Sample.sentence {
            _ = try XMLDocumentSerializer().serialize(Sample.body(test.xml), Sample.head("text/xml"))
        }
        #expect(sentence == test.reason)
    }

    struct Warning: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let xml: String
    }

    @Test(
        "What libxml2 only warns about is fine, for trees and for parsers",
        arguments: [
            Warning(testDescription: "a relative namespace", xml: "<a xmlns='relative'/>"),
            Warning(testDescription: "a namespace that is no URI", xml: "<a xmlns='%zz'/>"),
            Warning(testDescription: "an instruction that begins with xml", xml: "<a><?xml-multiple x?></a>"),
            Warning(testDescription: "one in capitals, with nothing behind", xml: "<?XMLish?><a/>"),
            Warning(testDescription: "a known one", xml: "<?xml-stylesheet href='x'?><a/>"),
            Warning(testDescription: "a later version", xml: "<?xml version='1.1'?><a/>"),
            Warning(testDescription: "a language that is none", xml: "<a xml:lang='?'/>"),
            Warning(testDescription: "other words for space", xml: "<a xml:space='maybe'/>"),
        ])
    func warningsAreNoErrors(_ warning: Warning) throws {
        let tree = try XMLDocumentSerializer().serialize(Sample.body(warning.xml), Sample.head(nil))
        #expect(tree.root.name == "a")
        let source = try XMLParserSerializer().serialize(Sample.body(warning.xml), Sample.head(nil))
        let events = CollectedText()
        try source.parse(with: events)
        #expect(events.names == ["a"])
        #expect(events.errors.isEmpty)
        let list = warning.xml.replacing("<a/>", with: "<plist><true/></plist>")
            .replacing("<a>", with: "<plist><true/>").replacing("</a>", with: "</plist>")
        guard list.contains("<plist>") else { return }
        #expect(try PropertyListSerializer().serialize(Sample.body(list), Sample.head(nil)) == .bool(true))
    }

    @Test(
        "The name of the declaration is for the declaration alone, and a colon for one prefix",
        arguments: [
            Case(
                "declaration inside", "<a><?xml version='1.0'?></a>",
                "line 1, column 4: an XML declaration stands where none can be"),
            Case(
                "declaration behind a space", " <?xml version='1.0'?><a/>",
                "line 1, column 2: an XML declaration stands where none can be"),
            Case(
                "in capitals", "<?XML version='1.0'?><a/>",
                "line 1, column 1: an XML declaration stands where none can be"),
            Case("bare", "<a><?xMl?></a>", "line 1, column 4: an XML declaration stands where none can be"),
            Case("two colons", "<a:b:c xmlns:a='u'/>", ""), Case("colon in front", "<:a/>", ""),
            Case("attribute with a colon in front", "<a :b='1'/>", ""), Case("instruction", "<?a:b c?><a/>", ""),
        ])
    func names(_ test: Case) {
        let body = Sample.body(test.xml)
        for sentence in [
            Sample.sentence { _ = try XMLDocumentSerializer().serialize(body, Sample.head(nil)) },
            Sample.sentence {
                try XMLParserSerializer().serialize(body, Sample.head(nil)).parse(with: CollectedText())
            },
        ] {
            #expect(sentence?.hasPrefix("the XML was refused at \(test.reason)") == true)
        }
    }
}
