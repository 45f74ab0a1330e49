import PatchbayMigration
import PatchbayRegistry
import TestSupport
import Testing

@testable import PatchbayPlugins

/// Damaged documents: each is a tree or an error, the same whether a tree is read or events with FoundationXML.
@Suite(.timeLimit(.minutes(5))) struct XMLDamageTests {
    private static let seeds = [
        "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone='yes'?><a b='c' xmlns:p='urn:p'><p:d e='&#65;&amp;'/>text</a>",
        "<!DOCTYPE a [<!ENTITY e \"text &#38; &f;\"><!ENTITY f 'x'><!ATTLIST a b CDATA #IMPLIED>]><a b='&e;'>&e;<c/></a>",
        "<a><![CDATA[ <x> ]]><!-- comment --><?pi data?><?bare?><b/>&lt;é中😀</a>",
    ]
    private static let pieces = [
        "<", ">", "/", "=", "'", "\"", "&", ";", "!", "?", "[", "]", "-", "--", " ", "\n", "\0", ":", "xmlns",
        "<!ENTITY ", "<?", "?>",
        "<![CDATA[", "]]>", "<!--", "-->", "&e;", "&#0;", "%", "SYSTEM ", "<!DOCTYPE ", "é",
    ]

    @Test(arguments: seeds.indices)
    func damage(_ seed: Int) {
        let serializer = XMLDocumentSerializer(limits: XMLLimits(doctype: .allow))
        var generator = SplitMix(seed: UInt64(seed))
        var accepted = 0
        for _ in 0..<TestLength.count(400, of: 2_000, "damaged documents") {
            var bytes = Array(Self.seeds[seed].utf8)
            for _ in 0...Int.random(in: 0..<3, using: &generator) {
                let start = Int.random(in: 0..<bytes.count, using: &generator)
                let end = min(bytes.count, start + Int.random(in: 0..<4, using: &generator))
                bytes.replaceSubrange(start..<end, with: (Self.pieces.randomElement(using: &generator) ?? "").utf8)
            }
            let tree = Result { try serializer.serialize(ResponseBody(bytes), Sample.head("text/xml")) }
            let events = Result { try Self.events(bytes, serializer.limits) }
            #expect((try? tree.get()).map { LoggedEvents(of: $0).log } == (try? events.get())?.log)
            guard let tree = try? tree.get() else {
                #expect(Sample.sentence { _ = try tree.get() } == Sample.sentence { _ = try events.get() })
                continue
            }
            accepted += 1
            // What was accepted can be written, and read again as the same.
            let again = try? serializer.serialize(Sample.body(tree.description), Sample.head("text/xml"))
            #expect(again == tree)
        }
        #expect(accepted > 0)
    }

    private static func events(_ bytes: [UInt8], _ limits: XMLLimits) throws -> LoggedEvents {
        let source = try XMLParserSerializer(limits: limits)
            .serialize(ResponseBody(bytes), Sample.head("text/xml"))
        let events = LoggedEvents()
        try source.parse(with: events)
        return events
    }
}
