import Foundation
import PatchbayRegistry
import Testing

@testable import PatchbayPlugins

/// Small lists that stand for large ones, deep ones, and damaged ones.
@Suite(.timeLimit(.minutes(5))) struct PropertyListBombTests {
    private let serializer = PropertyListSerializer()
    private let head = Sample.head("application/x-plist")

    /// A type that follows a list wherever it leads.
    private struct Tree: Decodable, Sendable {
        let children: [Tree]

        init(from decoder: any Decoder) throws {
            var container = try decoder.unkeyedContainer()
            var children: [Tree] = []
            while !container.isAtEnd { children.append(try container.decode(Tree.self)) }
            self.children = children
        }
    }

    private func sentence(_ body: ResponseBody) -> String? {
        Sample.sentence { _ = try serializer.serialize(body, head) }
    }

    @Test("Shared arrays, each twice in the next: 40 objects that stand for a trillion values")
    func sharedArrays() {
        let objects = (0..<40).map { BinaryPropertyList.array($0 + 1, $0 + 1) } + [BinaryPropertyList.array()]
        let body = ResponseBody(BinaryPropertyList(objects).bytes)
        let expected = "the property list was refused: it stands for more than 5000000 values"
        #expect(sentence(body) == expected)
        #expect(Sample.sentence { _ = try serializer.decode(Tree.self, from: body, head) } == expected)
    }

    @Test(
        "The number of values one below, at, and one above the limit", arguments: [(9, true), (10, true), (11, false)])
    func nodes(_ nodes: Int, _ accepted: Bool) {
        var limits = PropertyListLimits()
        limits.nodes = 10
        let list = BinaryPropertyList([BinaryPropertyList.array(Array(repeating: 1, count: nodes - 1)), [0x09]])
        #expect(((try? BinaryPropertyListReader.read(Data(list.bytes), limits)) != nil) == accepted)
        let xml = "<plist><array>\(String(repeating: "<true/>", count: nodes - 1))</array></plist>"
        #expect(((try? XMLPropertyListReader.read(xmlText(xml), limits)) != nil) == accepted)
    }

    @Test("One long string, used often", arguments: [(63, true), (64, true), (65, false)])
    func sharedStrings(_ uses: Int, _ accepted: Bool) {
        let text = BinaryPropertyList.ascii(String(repeating: "x", count: 1 << 20))
        let list = BinaryPropertyList([BinaryPropertyList.array(Array(repeating: 1, count: uses)), text])
        let expected = "the property list was refused: it stands for more than 67108864 bytes of text and data"
        #expect(sentence(ResponseBody(list.bytes)) == (accepted ? nil : expected))
    }

    @Test("Nesting in the binary format", arguments: [(511, true), (512, true), (513, false), (200_000, false)])
    func binaryDepth(_ depth: Int, _ accepted: Bool) {
        var list = BinaryPropertyList(
            (1..<depth).map { BinaryPropertyList.array([$0], size: 4) } + [BinaryPropertyList.array([], size: 4)])
        list.referenceSize = 4
        let expected = "the property list was refused: its containers are nested more than 512 deep"
        let body = ResponseBody(list.bytes)
        #expect(sentence(body) == (accepted ? nil : expected))
        #expect(
            Sample.sentence { _ = try serializer.decode(Tree.self, from: body, head) } == (accepted ? nil : expected))
    }

    @Test("Nesting in the XML format", arguments: [(511, true), (512, true), (513, false), (200_000, false)])
    func xmlDepth(_ depth: Int, _ accepted: Bool) {
        let xml =
            "<plist>" + String(repeating: "<array>", count: depth) + String(repeating: "</array>", count: depth)
            + "</plist>"
        let body = Sample.body(xml)
        #expect((sentence(body) == nil) == accepted)
        #expect((Sample.sentence { _ = try serializer.decode(Tree.self, from: body, head) } == nil) == accepted)
    }

    @Test("Every truncation and every changed byte of a good list is a value or an error")
    func damage() throws {
        let list: [String: Any] = [
            "text": "hello", "wide": "é中😀", "many": Array(0..<20), "deep": [["a": [1.5, true, Data([1, 2, 3])]]],
            "when": Date(timeIntervalSinceReferenceDate: 5),
        ]
        for format in [PropertyListSerialization.PropertyListFormat.binary, .xml] {
            let data = try PropertyListSerialization.data(fromPropertyList: list, format: format, options: 0)
            for length in 0..<data.count { try? read(Array(data.prefix(length))) }
            for index in data.indices {
                for change in [0x01, 0x0F, 0x80, 0xFF] as [UInt8] {
                    var bytes = Array(data)
                    bytes[index] ^= change
                    try? read(bytes)
                }
            }
        }
    }

    private func read(_ bytes: [UInt8]) throws {
        let body = ResponseBody(bytes)
        _ = try serializer.serialize(body, head)
        _ = try? serializer.decode([String: [Int]].self, from: body, head)
        _ = try? serializer.decode([String: String].self, from: body, head)
        _ = try? serializer.decode(Tree.self, from: body, head)
    }

    private func xmlText(_ xml: String) throws -> XMLText {
        try XMLText(Sample.body(xml), .missing, XMLLimits())
    }
}
