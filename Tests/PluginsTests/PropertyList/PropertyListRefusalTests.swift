import Foundation
import PatchbayRegistry
import Testing

@testable import PatchbayPlugins

/// Property lists that are refused, typed and untyped alike, with the exact sentence for each.
@Suite(.timeLimit(.minutes(5))) struct PropertyListRefusalTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let bytes: [UInt8]
        let sentence: String

        init(_ name: String, _ bytes: [UInt8], _ reason: String) {
            testDescription = name
            self.bytes = bytes
            sentence = "the property list was refused: \(reason)"
        }

        init(_ name: String, _ list: BinaryPropertyList, _ reason: String) { self.init(name, list.bytes, reason) }

        init(_ name: String, xml: String, _ reason: String) {
            self.init(name, Array("<plist version=\"1.0\">\(xml)</plist>".utf8), reason)
        }
    }

    private typealias List = BinaryPropertyList

    private static func changed(_ objects: [[UInt8]], _ change: (inout BinaryPropertyList) -> Void)
        -> BinaryPropertyList
    {
        var list = BinaryPropertyList(objects)
        change(&list)
        return list
    }

    static let binary: [Case] = [
        Case("magic only", Array("bplist00".utf8), "it is cut off, or of another version than bplist00"),
        Case(
            "other version", Array("bplist15".utf8) + Array(repeating: 0, count: 64),
            "it is cut off, or of another version than bplist00"),
        Case("zero trailer", Array("bplist00".utf8) + Array(repeating: 0, count: 32), "its trailer is broken"),
        Case("no objects", List([]), "its table of objects is not inside it"),
        Case("huge count", changed([[0x09]]) { $0.objectCount = .max }, "its trailer is broken"),
        Case("large count", changed([[0x09]]) { $0.objectCount = 1 << 62 }, "its table of objects is not inside it"),
        Case("table outside", changed([[0x09]]) { $0.tableOffset = 1 << 40 }, "its table of objects is not inside it"),
        Case(
            "table before the start", changed([[0x09]]) { $0.tableOffset = 4 }, "its table of objects is not inside it"),
        Case("top outside", changed([[0x09]]) { $0.top = 1 }, "its table of objects is not inside it"),
        Case("offset outside", changed([[0x09]]) { $0.offsets = [0: 1_000] }, "an object is not inside it"),
        Case("offset into the magic", changed([[0x09]]) { $0.offsets = [0: 0] }, "an object is not inside it"),
        Case("contains itself", List([List.array(0)]), "an object contains itself"),
        Case("cycle", List([List.array(1), List.array(2), List.array(0)]), "an object contains itself"),
        Case(
            "cycle through a dictionary", List([List.dictionary((1, 0)), List.ascii("a")]), "an object contains itself"),
        Case("reference outside", List([List.array(7)]), "it refers to an object that is not there"),
        Case("array past the end", List([[0xAF, 0x12, 0x7F, 0xFF, 0xFF, 0xFF]]), "an object goes on past its end"),
        Case("count beyond Int", List([[0xAF, 0x13] + Array(repeating: 0xFF, count: 8)]), "an object has no length"),
        Case("count that is no integer", List([[0xAF, 0x51]]), "an object has no length"),
        Case("string past the end", List([[0x5E, 0x41]]), "an object goes on past its end"),
        Case("ASCII that is not", List([[0x51, 0xE9]]), "an ASCII string has other characters"),
        Case("half a surrogate", List([[0x61, 0xD8, 0x00]]), "a string has half a surrogate pair"),
        Case(
            "key that is no string", List([List.dictionary((1, 1)), [0x09]]),
            "a dictionary has a key that is not a string"),
        Case(
            "key twice", List([List.dictionary((1, 2), (1, 3)), List.ascii("a"), [0x08], [0x09]]),
            "a dictionary has the same key twice"),
        Case(
            "date not a number", List([[0x33] + List.big(Double.nan.bitPattern, 8)]),
            "a date is not in the years 1 to 9999"),
        Case("date far away", List([[0x33] + List.big(1e300.bitPattern, 8)]), "a date is not in the years 1 to 9999"),
        Case(
            "integer of 128 bits", List([[0x14, 1] + Array(repeating: 0, count: 15)]),
            "an integer has more than 64 bits"),
        Case("UID", List([[0x80, 0x01]]), "it has a UID, as keyed archives do"),
        Case("set", List([[0xC1, 0x01], [0x09]]), "it has a set"),
        Case("null", List([[0x00]]), "it has an object of an unknown kind"),
        Case("unknown kind", List([[0xF0]]), "it has an object of an unknown kind"),
        Case(
            "overlap",
            changed([List.array(1, 2), List.ascii(String(repeating: "x", count: 60)), [0x09]]) { $0.offsets = [2: 11] },
            "its objects overlap"),
    ]

    static let xml: [Case] = [
        Case("empty", [], "it is neither an XML nor a binary property list"),
        Case("OpenStep", Array("{ a = b; }".utf8), "it is neither an XML nor a binary property list"),
        Case(
            "JSON", Array("{\"a\":1}".utf8),
            #"it is neither an XML nor a binary property list; it looks like JSON, which the factory "json" reads"#),
        Case("no value", xml: "", "it has no value"),
        Case("two values", xml: "<true/><false/>", "it has more than one value"),
        Case("other root", Array("<dict/>".utf8), "plist is not the outermost element, or not the only one"),
        Case("plist inside", xml: "<plist/>", "plist is not the outermost element, or not the only one"),
        Case("unknown element", xml: "<set/>", "it has an element that property lists do not have"),
        Case("attribute", xml: "<array a='/>'/>", "an element has an attribute"),
        Case("text outside", xml: "<array>x</array>", "there is text between values"),
        Case("element in a string", xml: "<string><b/></string>", "a value has an element inside"),
        Case("key alone", xml: "<key>a</key>", "there is a key where none can be"),
        Case("key in an array", xml: "<array><key>a</key></array>", "there is a key where none can be"),
        Case("two keys", xml: "<dict><key>a</key><key>b</key></dict>", "there is a key where none can be"),
        Case("key without value", xml: "<dict><key>a</key></dict>", "a dictionary has a key without a value"),
        Case("value without key", xml: "<dict><true/></dict>", "a dictionary has a value without a key"),
        Case(
            "key twice", xml: "<dict><key>a</key><true/><key>a</key><true/></dict>",
            "a dictionary has the same key twice"),
        Case("no integer", xml: "<integer>1.5</integer>", "an integer is not one of up to 64 bits"),
        Case("empty integer", xml: "<integer/>", "an integer is not one of up to 64 bits"),
        Case("signs", xml: "<integer>--1</integer>", "an integer is not one of up to 64 bits"),
        Case("too large", xml: "<integer>18446744073709551616</integer>", "an integer is not one of up to 64 bits"),
        Case("too small", xml: "<integer>-9223372036854775809</integer>", "an integer is not one of up to 64 bits"),
        Case("no real", xml: "<real>0x1p4</real>", "a real is not a number"),
        Case("real out of range", xml: "<real>1e400</real>", "a real is not a number"),
        Case("no date", xml: "<date>yesterday</date>", "a date is not of the form 2001-01-01T00:00:00Z"),
        Case("29 February", xml: "<date>2001-02-29T00:00:00Z</date>", "a date is not of the form 2001-01-01T00:00:00Z"),
        Case(
            "29 February 1900", xml: "<date>1900-02-29T00:00:00Z</date>",
            "a date is not of the form 2001-01-01T00:00:00Z"),
        Case("hour 24", xml: "<date>2001-02-28T24:00:00Z</date>", "a date is not of the form 2001-01-01T00:00:00Z"),
        Case("no base64", xml: "<data>a=b</data>", "data is not base64"),
        Case("content of true", xml: "<true>x</true>", "true or false has content"),
    ]

    @Test(arguments: binary + xml)
    func sentences(_ test: Case) {
        let serializer = PropertyListSerializer()
        let body = ResponseBody(test.bytes)
        let head = Sample.head("application/x-plist")
        #expect(Sample.sentence { _ = try serializer.serialize(body, head) } == test.sentence)
        #expect(Sample.sentence { _ = try serializer.decode([String: [Int]].self, from: body, head) } == test.sentence)
    }

    @Test("Markup that is broken, and an entity that is not of XML, is told as XML")
    func brokenXML() {
        let serializer = PropertyListSerializer()
        #expect(throws: XMLFailure.self) {
            try serializer.serialize(Sample.body("<plist><array></plist>"), Sample.head(nil))
        }
        let declaring = "<!DOCTYPE plist [<!ENTITY e 'x'>]><plist><string>&e;</string></plist>"
        #expect(
            Sample.sentence { _ = try serializer.serialize(Sample.body(declaring), Sample.head(nil)) }
                == "the XML was refused at line 1, column 50: it uses an entity that is not one of XML's five")
    }

    @Test("What is declared and not used has no effect")
    func declarations() throws {
        let list = "<!DOCTYPE plist [<!ENTITY e 'x'><!ATTLIST string x CDATA 'y'>]><plist><string>z</string></plist>"
        let serializer = PropertyListSerializer()
        #expect(try serializer.serialize(Sample.body(list), Sample.head(nil)) == .string("z"))
        #expect(try serializer.decode(String.self, from: Sample.body(list), Sample.head(nil)) == "z")
    }
}
