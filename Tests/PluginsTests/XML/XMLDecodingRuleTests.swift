import Foundation
import PatchbayJSON
import PatchbayRegistry
import TestSupport
import Testing

@testable import PatchbayPlugins

/// The rules by which types are decoded from XML, one by one.
@Suite(.timeLimit(.minutes(5))) struct XMLDecodingRuleTests {
    private static func tree(_ xml: String, _ limits: XMLLimits = XMLLimits()) throws -> XMLTree {
        try XMLDocumentSerializer(limits: limits).serialize(Sample.body(xml), Sample.head(nil))
    }

    struct Rule: Sendable, CustomTestStringConvertible {
        let testDescription: String
        /// Whether the type decodes to the value.
        let holds: @Sendable () throws -> Bool

        /// - Parameter value: nil where it is an error.
        init<Value: Decodable & Equatable & Sendable>(_ xml: String, _ value: Value?) {
            testDescription = "\(xml.prefix(60)) as \(Value.self)"
            holds = {
                let tree = try XMLDecodingRuleTests.tree(xml)
                guard let value else {
                    do { _ = try tree.decode(Value.self) } catch is DecodingError { return true }
                    return false
                }
                return try tree.decode(Value.self) == value
            }
        }
    }

    static let text = [
        Rule("<a> x&#9;<![CDATA[<y>]]><!-- c --> </a>", " x\t<y> "), Rule("<a/>", ""),
        Rule("<a>x<b/></a>", nil as String?), Rule("<a> -07\n</a>", -7), Rule("<a>+7</a>", 7),
        Rule("<a/>", nil as Int?),
        Rule("<a>7.0</a>", nil as Int?), Rule("<a>0x7</a>", nil as Int?), Rule("<a>7 8</a>", nil as Int?),
        Rule("<a>256</a>", nil as UInt8?), Rule("<a>255</a>", UInt8.max), Rule("<a>-1</a>", nil as UInt?),
        Rule("<a>-128</a>", Int8.min), Rule("<a>65535</a>", UInt16.max), Rule("<a>-32768</a>", Int16.min),
        Rule("<a>-1</a>", Int32(-1)), Rule("<a>1</a>", UInt32(1)), Rule("<a>1</a>", UInt64(1)),
        Rule("<a>-9223372036854775808</a>", Int64.min), Rule("<a>9223372036854775808</a>", nil as Int64?),
        Rule("<a>340282366920938463463374607431768211455</a>", UInt128.max), Rule("<a>-1</a>", Int128(-1)),
        Rule("<a>1.5e3</a>", 1500.0), Rule("<a> .5 </a>", 0.5), Rule("<a>INF</a>", Double.infinity),
        Rule("<a>-INF</a>", -Double.infinity), Rule("<a>1e400</a>", nil as Double?),
        Rule("<a>0x1p4</a>", nil as Double?),
        Rule("<a>1e39</a>", nil as Float?), Rule("<a>0.1</a>", Float(0.1)),
        Rule("<a>16777217.0000000001</a>", Float(16_777_218)), Rule("<a>one</a>", nil as Float?),
        Rule("<a> true </a>", true), Rule("<a>0</a>", false), Rule("<a>1</a>", true), Rule("<a>yes</a>", nil as Bool?),
        Rule("<a>TRUE</a>", nil as Bool?), Rule("<a/>", nil as Bool?),
        Rule("<a> AA\nEC </a>", Data([0, 1, 2])), Rule("<a/>", Data()), Rule("<a>=</a>", nil as Data?),
        Rule("<a> https://origin.test/a </a>", URL(string: "https://origin.test/a")), Rule("<a/>", nil as URL?),
        Rule("<a>-12345678901234567890.123</a>", Decimal(string: "-12345678901234567890.123")),
        Rule("<a>1e5</a>", nil as Decimal?), Rule("<a>1-2</a>", nil as Decimal?), Rule("<a>.</a>", nil as Decimal?),
        Rule("<a>" + String(repeating: "9", count: 1_000) + "</a>", nil as Decimal?),
        Rule("<a>00000000-0000-0000-0000-000000000001</a>", UUID(uuidString: "00000000-0000-0000-0000-000000000001")),
    ]

    @Test(arguments: text)
    func readsText(_ rule: Rule) throws { #expect(try rule.holds()) }

    static let values: [(xml: String, json: String)] = [
        ("<a><b>0</b></a>", #"{"b":0}"#), ("<a><b>1</b></a>", #"{"b":1}"#),
        ("<a><b> 434234\n</b></a>", #"{"b":434234}"#),
        ("<a><b>true</b><c>false</c></a>", #"{"b":true,"c":false}"#),
        ("<a><b>12345678901234567890.123</b></a>", #"{"b":12345678901234567890.123}"#),
        ("<a><b>007</b><c>+1</c><d>null</d></a>", #"{"b":"007","c":"+1","d":"null"}"#),
        ("<a><b>[1]</b><c>-</c><d>1e999</d></a>", #"{"b":"[1]","c":"-","d":"1e999"}"#),
        ("<a><b> x </b></a>", #"{"b":" x "}"#),
        ("<a><b/></a>", #"{"b":""}"#), ("<a><b>0</b><b>1</b></a>", #"{"b":[0,1]}"#),
        ("<a><b u='1'>0</b></a>", ##"{"b":{"u":1,"#text":0}}"##), ("<a><b u='0'/></a>", #"{"b":{"u":0}}"#),
        ("<a><b xmlns='urn:b'>0</b></a>", #"{"b":0}"#), ("<a>0</a>", "0"),
        ("<a xmlns:i='http://www.w3.org/2001/XMLSchema-instance'><b i:nil='true'/></a>", #"{"b":null}"#),
    ]

    @Test("JSON: text is a number where JSON writes it so, true, false or a string", arguments: values)
    func json(_ xml: String, _ json: String) throws {
        #expect(try Self.tree(xml).decode(JSON.self).description == json)
    }

    @Test("JSON under a key: what is missing is no array, and an optional is nil")
    func jsonUnderAKey() throws {
        #expect(try Self.tree("<a><b>0</b></a>").decode(Keyed<JSON>.self).b == 0)
        #expect(throws: DecodingError.self) { try Self.tree("<a/>").decode(Keyed<JSON>.self) }
        #expect(try Self.tree("<a/>").decode(Keyed<JSON?>.self).b == nil)
        #expect(try Self.tree("<a><b>1</b><b>x</b></a>").decode(Keyed<[JSON]>.self).b == [1, "x"])
    }

    static let dates: [(String, Double?)] = [
        ("2001-01-01T00:00:00Z", 0), ("2001-01-01T01:00:00+01:00", 0), ("2000-12-31T16:30:00-07:30", 0),
        (" 2001-01-01T00:00:00.25Z ", 0.25), ("2000-02-29T00:00:00Z", -26_524_800),
        ("1970-01-01T00:00:00Z", -978_307_200),
        ("2001-01-01T00:00:00", nil), ("2001-01-01", nil), ("2001-01-01T00:00:00.Z", nil),
        ("2001-02-29T00:00:00Z", nil),
        ("2001-13-01T00:00:00Z", nil), ("0000-01-01T00:00:00Z", nil), ("2001-01-01T24:00:00Z", nil),
        ("2001-01-01T00:00:00+1:00", nil), ("2001-01-01T00:00:00+01:60", nil), ("2001-01-01T00:00:00Zx", nil),
        ("2001-01-01t00:00:00z", nil), ("2001-01-01T00:00:00+", nil), ("", nil), ("0", nil),
        ("Mon, 01 Jan 2001 00:00:00 GMT", 0), ("Mon, 1 Jan 2001 00:00 GMT", 0), ("1 Jan 01 00:00:00 UT", 0),
        ("Sun, 31 Dec 2000 19:00:00 EST", 0), ("Mon, 01 Jan 2001 01:30:00 +0130", 0),
        ("31 Dec 100 00:00:00 Z", -86_400),
        ("01 Jan 2001 00:00:00", nil), ("Mon, 32 Jan 2001 00:00:00 GMT", nil), ("Mon, 01 Foo 2001 00:00:00 GMT", nil),
        ("Mon, 01 Jan 20010 00:00:00 GMT", nil), ("Mon, 01 Jan 2001 0:00:00 GMT", nil),
        ("Mon, 01 Jan 2001 00:00:00 +2500", nil),
        ("Mon, 01 Jan 2001 00:00:00:00 GMT", nil), (",", nil), ("١ Jan 2001 00:00:00 GMT", nil),
    ]

    @Test(arguments: dates)
    func readsDate(_ text: String, _ seconds: Double?) throws {
        let tree = try Self.tree("<a>\(text)</a>")
        #expect((try? tree.decode(Date.self))?.timeIntervalSinceReferenceDate == seconds)
    }

    static let shapes = [
        // One name makes an array, none an empty one; the root itself gives what is inside.
        Rule("<a><b>1</b><c>x</c><b>2</b></a>", Keyed<[Int]>(b: [1, 2])), Rule("<a><b>1</b></a>", Keyed<[Int]>(b: [1])),
        Rule("<a/>", Keyed<[Int]>(b: [])), Rule("<a/>", nil as Keyed<Int>?), Rule("<a/>", Keyed<Int?>(b: nil)),
        Rule("<a/>", Keyed<[Int]?>(b: nil)), Rule("<a/>", nil as Keyed<[String: Int]>?),
        Rule("<a><b>1</b><b>2</b></a>", nil as Keyed<Int>?), Rule("<a><b>1</b><b>2</b></a>", nil as Keyed<Int?>?),
        Rule("<a><b>1</b><c>2</c></a>", [1, 2]), Rule("<a/>", [] as [Int]),
        Rule("<a><b><c>1</c><d>2</d></b><b/></a>", Keyed<[[Int]]>(b: [[1, 2], []])),
        Rule("<a b='1'/>", nil as Keyed<[Int]>?), Rule("<a><b>x</b></a>", nil as Keyed<[Int]>?),
        Rule("<a><b>1</b><b>2</b></a>", Keyed<Set<Int>>(b: [1, 2])),
        // Attributes.
        Rule("<a b=' 1 '/>", Keyed<Int>(b: 1)), Rule("<a b='1'><b>2</b></a>", Keyed<Int>(b: 2)),
        Rule("<a xmlns:p='u' p:b='1'/>", Keyed<Int>(b: 1)), Rule("<a xmlns:p='u' p:b='1' b='2'/>", Keyed<Int>(b: 2)),
        Rule("<a xmlns:p='u' xmlns:q='v' p:b='1' q:b='2'/>", nil as Keyed<Int>?),
        Rule("<a xmlns:b='u'/>", nil as Keyed<String>?),
        Rule("<a b=''/>", Keyed<Int?>(b: nil)), Rule("<a b=''/>", Keyed<String?>(b: "")),
        Rule("<a b='1'/>", nil as Keyed<Keyed<Int>>?),
        // Prefixes.
        Rule("<a xmlns:p='u'><p:b>1</p:b></a>", Keyed<Int>(b: 1)),
        Rule("<a xmlns:p='u'><p:b>1</p:b><b>2</b></a>", Keyed<Int>(b: 2)),
        Rule("<a xmlns:p='u' xmlns:q='v'><p:b>1</p:b><q:b>2</q:b></a>", Keyed<[Int]>(b: [1, 2])),
        // Nil.
        Rule("<a><b/></a>", Keyed<Int?>(b: nil)), Rule("<a><b> </b></a>", Keyed<Date?>(b: nil)),
        Rule("<a><b/></a>", Keyed<UInt128?>(b: nil)), Rule("<a><b/></a>", Keyed<Bool?>(b: nil)),
        Rule("<a><b/></a>", Keyed<Decimal?>(b: nil)), Rule("<a><b/></a>", Keyed<URL?>(b: nil)),
        Rule("<a><b/></a>", Keyed<String?>(b: "")), Rule("<a><b/></a>", Keyed<Data?>(b: Data())),
        Rule("<a><b/><b>1</b></a>", Keyed<[Int?]>(b: [nil, 1])), Rule("<a><b/></a>", Optionals()),
        Rule("<a><b/></a>", Keyed<[String: Int]?>(b: [:])), Rule("<a><b/></a>", nil as Keyed<Int>?),
        Rule(
            "<a xmlns:i='http://www.w3.org/2001/XMLSchema-instance'><b i:nil='true'>x</b></a>", Keyed<String?>(b: nil)),
        Rule("<a xmlns:i='http://www.w3.org/2001/XMLSchema-instance'><b i:nil='true'/></a>", nil as Keyed<String>?),
        Rule(
            "<a xmlns:i='http://www.w3.org/2001/XMLSchema-instance'><b i:nil='true'/><b>1</b></a>",
            Keyed<[Int?]>(b: [nil, 1])),
        Rule("<a xmlns:i='urn:other'><b i:nil='true'/></a>", Keyed<String?>(b: "")),
        Rule("<a><b nil='true' nill='true'/></a>", Keyed<String?>(b: "")),
        Rule(
            "<a xmlns:i='urn:other'><b xmlns:i='http://www.w3.org/2001/XMLSchema-instance' i:nil=' 1 '/></a>",
            Keyed<String?>(b: nil)),
        Rule(
            "<a xmlns:i='http://www.w3.org/2001/XMLSchema-instance'><b xmlns:i='urn:other' i:nil='1'/></a>",
            Keyed<String?>(b: "")),
        Rule(
            "<a xmlns='http://www.w3.org/2001/XMLSchema-instance' xmlns:i='http://www.w3.org/2001/XMLSchema-instance'>"
                + "<b nil='1'/><b i:n='1'/><b i:nil='&#49;'/></a>",
            Keyed<[String?]>(b: ["", "", nil])),
        // Dictionaries.
        Rule("<a x='1'><b>2</b></a>", ["x": "1", "b": "2"]), Rule("<a b='1'><b>2</b></a>", ["@b": "1", "b": "2"]),
        Rule("<a x='1'> y </a>", ["x": "1", "#text": " y "]), Rule("<a/>", [:] as [String: String]),
        Rule("<a xmlns:p='u'><p:b>1</p:b><b>2</b><p:c>3</p:c></a>", ["p:b": 1, "b": 2, "c": 3]),
        Rule("<a><_1>x</_1></a>", nil as [Int: String]?), Rule("<a><b>1</b><b>2</b></a>", nil as [String: Int]?),
        Rule("<a><b>1</b><b>2</b></a>", ["b": [1, 2]]),
        Rule("<a><caf\u{E9}>1</caf\u{E9}><cafe\u{301}>2</cafe\u{301}></a>", Cafe(count: 1)),
    ]

    struct Keyed<Value: Decodable & Equatable & Sendable>: Decodable, Equatable, Sendable { let b: Value }

    /// Asked for by the methods of a container that have a type each.
    struct Optionals: Decodable, Equatable, Sendable {
        struct Numbers: Decodable, Equatable, Sendable {
            var b: Int?
        }

        var b: Double?
        var c: Numbers?
    }

    /// Its key is of composed characters, and no other finds it.
    struct Cafe: Decodable, Equatable, Sendable {
        let count: Int
        enum CodingKeys: String, CodingKey { case count = "caf\u{E9}" }
    }

    @Test(arguments: shapes)
    func fits(_ rule: Rule) throws { #expect(try rule.holds()) }

    // MARK: Types that decode by hand

    class Base: Decodable {
        let id: Int
        enum CodingKeys: CodingKey { case id }
    }

    final class Derived: Base {
        let name: String
        let counts: [Int]
        let nested: String

        enum Keys: CodingKey { case name, list, deep }

        required init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: Keys.self)
            name = try container.decode(String.self, forKey: .name)
            var list = try container.nestedUnkeyedContainer(forKey: .list)
            var counts: [Int] = []
            while !list.isAtEnd {
                let inside = try list.nestedContainer(keyedBy: Base.CodingKeys.self)
                counts.append(try inside.decode(Int.self, forKey: .id))
            }
            self.counts = counts
            nested = try container.nestedContainer(keyedBy: Keys.self, forKey: .deep).decode(String.self, forKey: .name)
            try super.init(from: container.superDecoder())
        }
    }

    @Test("Nested containers, and the part of a superclass")
    func byHand() throws {
        let xml = "<a><name>x</name><super id='7'/><list id='1'/><list><id>2</id></list><deep name='y'/></a>"
        let value = try Self.tree(xml).decode(Derived.self)
        #expect(value.id == 7)
        #expect(value.name == "x")
        #expect(value.counts == [1, 2])
        #expect(value.nested == "y")
        #expect(throws: DecodingError.self) {
            try Self.tree(xml.replacing("<super id='7'/>", with: "")).decode(Derived.self)
        }
    }

    enum Shape: Decodable, Equatable {
        case circle(radius: Double)
        case point
    }

    @Test("Enumerations with values")
    func enumerations() throws {
        #expect(try Self.tree("<a><circle radius='2'/></a>").decode(Shape.self) == .circle(radius: 2))
        #expect(try Self.tree("<a><point/></a>").decode(Shape.self) == .point)
        #expect(throws: DecodingError.self) { try Self.tree("<a><point/><circle radius='2'/></a>").decode(Shape.self) }
    }

    // MARK: Errors

    struct Place: Decodable, Sendable {
        struct Item: Decodable {
            let size: Int
            let name: String?
        }

        let item: [Item]
        let one: String?
    }

    struct Failing: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let xml: String
        let reason: String
    }

    @Test(
        "An error names the place, and says what is wrong without saying what is there",
        arguments: [
            Failing(
                testDescription: "no number", xml: "<a><item><size>1</size></item><item><size>secret</size></item></a>",
                reason: "expected Int at /item/1/size"),
            Failing(
                testDescription: "missing", xml: "<a><item><name>secret</name></item></a>",
                reason: "the key \"size\" is missing at /item/0"),
            Failing(
                testDescription: "several", xml: "<a><item><size>1</size><size>2</size></item></a>",
                reason: "there are 2 elements of this name, and the type takes one at /item/0/size"),
            Failing(
                testDescription: "elements", xml: "<a><one><secret/></one></a>", reason: "expected String at /one"),
            Failing(testDescription: "no element", xml: "<a item='secret'/>", reason: "expected an array at /item"),
        ])
    func errors(_ test: Failing) throws {
        let registry = try SerializerRegistry(
            sources: [
                ManifestSource.text(
                    #"{"manifestVersion": 1, "plugins": [{"id": "x", "factory": "xml-document", "match": {"types": ["@xml"]}, "options": {"decodes": true}}]}"#,
                    name: "test.json")
            ], factories: .standard)
        let decision = registry.explain(contentType: "text/xml", producing: .type(Place.self))
        let sentence = Sample.sentence { _ = try decision.serialize(Sample.body(test.xml), as: Place.self) }
        #expect(sentence?.contains(": \(test.reason);") == true, "\(sentence ?? "")")
        #expect(sentence?.contains("secret") == false)
    }

    // MARK: Limits

    /// A type that goes as deep as the document does.
    struct Deep: Decodable {
        let depth: Int

        enum Keys: CodingKey { case b }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: Keys.self)
            depth = try container.contains(.b) ? container.decode(Deep.self, forKey: .b).depth + 1 : 1
        }
    }

    @Test(
        "A type may go 512 values deep, whatever depth the tree may have",
        arguments: [(513, true), (514, false), (9_000, false)])
    func depth(_ depth: Int, _ isDecoded: Bool) throws {
        let xml = String(repeating: "<b>", count: depth) + String(repeating: "</b>", count: depth)
        let tree = try Self.tree(xml, XMLLimits(maximumDepth: 10_000))
        #expect((try? tree.decode(Deep.self))?.depth == (isDecoded ? depth : nil))
        #expect(throws: XMLFailure.self) {
            try XMLDecodingSerializer(document: XMLDocumentSerializer(limits: XMLLimits(maximumDepth: 200)))
                .decode(Deep.self, from: Sample.body(xml), Sample.head(nil))
        }
    }

    @Test("Many names in one element take no longer than as many elements of one name")
    func manyNames() throws {
        let names = (0..<50_000).map { "<n\($0)>1</n\($0)>" }.joined()
        #expect(try Self.tree("<a>\(names)</a>").decode([String: Int].self).count == 50_000)
        let same = String(repeating: "<n>1</n>", count: 50_000)
        #expect(try Self.tree("<a>\(same)</a>").decode([String: [Int]].self)["n"]?.count == 50_000)
        // Ambiguous behind their prefixes, each is asked for by its own.
        let declarations = (0..<900).map { " xmlns:p\($0)='u\($0)'" }.joined()
        let prefixed = (0..<900).map { "<p\($0):n p\($0):x=''>1</p\($0):n>" }.joined()
        #expect(try Self.tree("<a\(declarations)>\(prefixed)</a>").decode([String: [String: String]].self).count == 900)
    }

    /// Were the namespace of each asked of all declarations around it, this would take many minutes.
    @Test("whether an element is nil takes no longer under many declarations", .timeLimit(.minutes(5)))
    func nilUnderDeclarations() throws {
        let declarations = (0..<90).map { " xmlns:x\($0)='u'" }.joined()
        let open = String(repeating: "<d\(declarations)>", count: 250)
        let items = String(repeating: "<i xsi:nil='0'><id>1</id></i><i xsi:nil='1'/>", count: 10_000)
        let close = String(repeating: "</d>", count: 250)
        let xsi = "http://www.w3.org/2001/XMLSchema-instance"
        var element = try Self.tree("<d xmlns:xsi='\(xsi)'>\(open)\(items)\(close)</d>").root
        while let inner = element["d"] { element = inner }
        let values = try element.decode([Identified?].self)
        #expect(values.count == 20_000)
        #expect(values.filter { $0 == nil }.count == 10_000)
        #expect(try element.decode(Items.self).i.count == 20_000)
    }

    struct Items: Decodable { let i: [Identified?] }

    struct Identified: Decodable, Equatable { let id: Int }

    @Test("Types that the document does not fit, whatever it is")
    func damage() throws {
        let seed = "<a x='1' xmlns:p='u'><b>1</b><p:b y=''/>t<c><d>2</d></c><![CDATA[z]]><!--c--></a>"
        let pieces = ["<b>", "</b>", "<p:b/>", "@", "#text", "'", "1", "", "<c x='2'/>", "&#13;", ":", "xmlns='v' "]
        var generator = SplitMix(seed: 7)
        var decoded = 0
        for _ in 0..<3_000 {
            var bytes = Array(seed.utf8)
            for _ in 0...Int.random(in: 0..<3, using: &generator) {
                let start = Int.random(in: 0..<bytes.count, using: &generator)
                let end = min(bytes.count, start + Int.random(in: 0..<6, using: &generator))
                bytes.replaceSubrange(start..<end, with: (pieces.randomElement(using: &generator) ?? "").utf8)
            }
            guard let tree = try? XMLDocumentSerializer().serialize(ResponseBody(bytes), Sample.head(nil))
            else {
                continue
            }
            for type in [
                [String: String].self, [String: [String]].self, [[String: Int]].self, Keyed<Keyed<Int?>>.self,
                Derived.self, Deep.self, Shape.self, String.self, Date?.self, [Int?].self,
                [String: [[String: Data]]].self,
            ] as [any Decodable.Type] {
                do {
                    _ = try tree.decode(type)
                    decoded += 1
                } catch { #expect(error is DecodingError) }
            }
        }
        #expect(decoded > 100)
    }
}
