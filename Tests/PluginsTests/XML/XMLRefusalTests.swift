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
            _ = try XMLDocumentResponseSerializer().serialize(Sample.body(test.xml), Sample.head("text/xml"))
        }
        #expect(sentence == test.reason)
    }

    @Test("A namespace URI that is relative is a warning to libxml2, and fine")
    func warningsAreNoErrors() throws {
        let tree = try XMLDocumentResponseSerializer().serialize(Sample.body("<a xmlns='relative'/>"), Sample.head(nil))
        #expect(tree.root.namespace == "relative")
    }
}
