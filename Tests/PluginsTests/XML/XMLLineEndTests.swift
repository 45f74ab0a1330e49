import PatchbayMigration
import PatchbayRegistry
import Testing

@testable import PatchbayPlugins

/// Line ends are line feeds for everybody (XML 1.0, section 2.11), and carriage returns that were meant stay.
@Suite(.timeLimit(.minutes(5))) struct XMLLineEndTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let inside: String
        let text: String

        init(_ name: String, _ inside: String, _ text: String) {
            testDescription = name
            self.inside = inside
            self.text = text
        }
    }

    static let lines = [
        Case("text", "a\r\nb\rc\n\rd\r\r\ne\r", "a\nb\nc\n\nd\n\ne\n"),
        Case("CDATA", "<![CDATA[a\r\nb\rc\n\rd\r\r\ne\r]]>", "a\nb\nc\n\nd\n\ne\n"),
        Case("CDATA that ends in half of one, and text", "<![CDATA[a\r]]>\nb", "a\n\nb"),
        Case("references to characters", "a&#13;&#10;b&#xD;<![CDATA[&#13;]]>", "a\r\nb\r&#13;"),
        Case(
            "long", "<![CDATA[" + String(repeating: "x\r\n", count: 100_000) + "]]>",
            String(repeating: "x\n", count: 100_000)),
    ]

    private static func events(_ body: ResponseBody, _ limits: XMLLimits = XMLLimits()) throws -> CollectedText {
        let source = try XMLParserSerializer(limits: limits).serialize(body, Sample.head("text/xml"))
        let text = CollectedText()
        try source.parse(with: text)
        return text
    }

    @Test("Of a tree, in UTF-8 and in UTF-16", arguments: lines)
    func trees(_ test: Case) throws {
        let xml = "<?xml version='1.0'?>\r\n<a>\(test.inside)</a>\r"
        let serializer = XMLDocumentSerializer()
        #expect(try serializer.serialize(Sample.body(xml), Sample.head("text/xml")).root.text == test.text)
        let utf16 = ResponseBody(Sample.utf16(xml))
        #expect(try serializer.serialize(utf16, Sample.head("text/xml")).root.text == test.text)
    }

    @Test("Of a parser", arguments: lines)
    func parsers(_ test: Case) throws {
        #expect(try Self.events(Sample.body("<a>\(test.inside)</a>")).everything == test.text)
    }

    @Test("Of an XML property list", arguments: lines)
    func propertyLists(_ test: Case) throws {
        let body = Sample.body("<plist>\r\n<string>\(test.inside)</string>\r</plist>")
        let serializer = PropertyListSerializer()
        #expect(try serializer.serialize(body, Sample.head(nil)) == .string(test.text))
        #expect(try serializer.decode(String.self, from: body, Sample.head(nil)) == test.text)
    }

    @Test("In comments, instructions and attributes")
    func elsewhere() throws {
        let xml = "<a b='1\r\n2\r3&#13;&#10;'><!--1\r\n2\r3--><?p 1\r\n2\r3?></a>"
        let root = try XMLDocumentSerializer().serialize(Sample.body(xml), Sample.head(nil)).root
        #expect(root.attribute("b") == "1 2 3\r\n")
        #expect(root.contents == [.comment("1\n2\n3"), .processingInstruction(target: "p", data: "1\n2\n3")])
    }

    @Test("A line that ends in a carriage return is a line in the place of an error")
    func places() {
        #expect(
            Sample.sentence {
                _ = try XMLDocumentSerializer().serialize(
                    Sample.body("<a>\r<b>\r\n<c/ ></a>"), Sample.head(nil))
            }?.hasPrefix("the XML was refused at line 3") == true)
    }

    // MARK: In entities, where they count

    /// The example of section 3.3.3, and the same in text.
    static let entities = [
        ("&cr;", "\r", " "), ("&lf;", "\n", " "), ("&both;", "\r\n", "  "), ("&tab;", "\t", " "),
        ("&cr;&cr;A&lf;&#x20;&lf;B&both;", "\r\rA\n \nB\r\n", "  A   B  "),
        ("&#xd;&#xd;A&#xa;&#xa;B&#xd;&#xa;", "\r\rA\n\nB\r\n", "\r\rA\n\nB\r\n"),
        ("&nested;", "[\r\n]", "[  ]"), ("&late;", "\r", "\r"), ("&plain;", "1\n2", "1 2"),
    ]

    @Test("A reference in an entity is the character in text, and a blank in an attribute", arguments: entities)
    func references(_ reference: String, _ text: String, _ attribute: String) throws {
        let declarations = """
            <!ENTITY cr "&#xD;"><!ENTITY lf "&#xA;"><!ENTITY both "&#xD;&#xA;"><!ENTITY tab "&#9;">\
            <!ENTITY nested "[&both;]"><!ENTITY late "&#38;#13;"><!ENTITY plain "1\r\n2">
            """
        let body = Sample.body("<!DOCTYPE a [\(declarations)]><a b='\(reference)'>\(reference)</a>")
        let limits = XMLLimits(doctype: .allow)
        let root = try XMLDocumentSerializer(limits: limits).serialize(body, Sample.head(nil)).root
        #expect(root.text == text)
        #expect(root.attribute("b") == attribute)
        let events = try Self.events(body, limits)
        #expect(events.text == text)
        #expect(events.attributes == ["b": attribute])
    }

    @Test("Carriage returns in entities count as what is written for them")
    func room() {
        let returns = String(repeating: "&#13;", count: 50_000)
        func code(_ uses: Int) -> XMLFailure.Code? {
            let xml = "<!DOCTYPE a [<!ENTITY e '\(returns)'>]><a>\(String(repeating: "&e;", count: uses))</a>"
            do {
                _ = try XMLDocumentSerializer(limits: XMLLimits(doctype: .allow))
                    .serialize(Sample.body(xml), Sample.head(nil))
                return nil
            } catch { return (error as? XMLFailure)?.code }
        }
        #expect(code(10) == nil)
        // Five bytes for each: the entity is nearly all of the body, which may become ten times as long.
        #expect(code(11) == .characters)
    }
}
