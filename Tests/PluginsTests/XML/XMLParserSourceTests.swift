import Foundation
import PatchbayJSON
import PatchbayMigration
import PatchbayRegistry
import Testing

@testable import PatchbayPlugins

#if canImport(FoundationXML)
    import FoundationXML
#endif

/// The parser that a source makes, used as a Foundation parser is.
@Suite struct XMLParserSourceTests {
    private func source(_ xml: String, _ limits: XMLLimits = XMLLimits()) throws -> XMLParserSource {
        try XMLParserSerializer(limits: limits).serialize(Sample.body(xml), Sample.head("text/xml"))
    }

    @Test("1.1.19: a delegate hears everything, from each of the parsers that one source makes")
    func events() throws {
        let source = try source("<a><b>one</b><b>two</b></a>")
        for _ in 1...2 {
            let parser = source.makeParser()
            let delegate = CollectedText()
            parser.delegate = delegate
            #expect(parser.parse())
            #expect(parser.parserError == nil)
            #expect(delegate.names == ["a", "b", "b"])
            #expect(delegate.text == "onetwo")
            #expect(parser.delegate === delegate)
        }
    }

    private final class NoMethods: NSObject, XMLParserDelegate {}

    @Test("A delegate needs no methods")
    func noMethods() throws {
        let events = "<!--c--><?i d?><p:a xmlns:p='urn:p' b='c'>text<![CDATA[data]]> <p:d/></p:a>"
        for (text, isGood) in [(events, true), ("<a>\(events)<b></c></a>", false)] {
            let parser = try source(text).makeParser()
            parser.shouldProcessNamespaces = true
            parser.shouldReportNamespacePrefixes = true
            let delegate = NoMethods()
            parser.delegate = delegate
            #expect(parser.parse() == isGood)
            #expect(parser.delegate === delegate)
        }
    }

    /// Gives the parser another delegate at the first element.
    private final class Successor: NSObject, XMLParserDelegate {
        let next = CollectedText()

        func parser(
            _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
            attributes: [String: String]
        ) {
            #expect(parser.delegate === parser)
            parser.delegate = next
        }
    }

    @Test("A delegate that gives the parser another delegate hears nothing more")
    func successor() throws {
        let parser = try source("<a><b>one</b></a>").makeParser()
        let delegate = Successor()
        parser.delegate = delegate
        #expect(parser.parse())
        #expect(delegate.next.names == ["b"])
        #expect(delegate.next.text == "one")
        #expect(parser.delegate === delegate.next)
    }

    @Test("Without a delegate it still tells good from bad")
    func noDelegate() throws {
        #expect(try source("<a/>").makeParser().parse())
        #expect(try !source("<a>").makeParser().parse())
    }

    @Test("A parser parses once")
    func once() throws {
        let parser = try source("<a/>").makeParser()
        #expect(parser.parse())
        #expect(!parser.parse())
    }

    @Test("Namespaces are processed where the caller asks for it")
    func namespaces() throws {
        let parser = try source("<p:a xmlns:p='urn:p'/>").makeParser()
        parser.shouldProcessNamespaces = true
        let delegate = CollectedText()
        parser.delegate = delegate
        #expect(parser.parse())
        #expect(delegate.names == ["a"])
    }

    @Test("The first error ends the parse, and is told to the delegate and the caller alike")
    func errors() throws {
        let parser = try source("<a><b></c><d/></a>").makeParser()
        let delegate = CollectedText()
        parser.delegate = delegate
        #expect(!parser.parse())
        let expected = XMLFailure(.notWellFormed, "an end tag does not match its start tag", line: 1, column: 11)
        let error = try #require(parser.parserError as? FormatFailure)
        #expect(error.code == .malformed)
        #expect("\(error)" == "\(expected)")
        #expect(delegate.errors == ["\(expected)"])
        #expect(delegate.names == ["a", "b"])
    }

    @Test("A limit ends the parse with its own error")
    func limits() throws {
        let delegate = CollectedText()
        let error = #expect(throws: FormatFailure.self) {
            try source("<a><b><c/></b></a>", XMLLimits(maximumDepth: 2)).parse(with: delegate)
        }
        #expect(error?.code == .depth)
        #expect(
            error?.description == "the XML was refused at line 1, column 9: its elements are nested more than 2 deep")
        #expect(delegate.names == ["a", "b"])
    }

    @Test("A delegate can end the parse")
    func abort() throws {
        let delegate = CollectedText()
        delegate.abortsAfter = 2
        let error = #expect(throws: FormatFailure.self) {
            try source("<a><b/><c/></a>").parse(with: delegate)
        }
        #expect(error?.description == "the XML was refused at line 1, column 6: the delegate ended the parse")
        #expect(delegate.names == ["a", "b"])
    }

    @Test("A source crosses to other tasks and is read there")
    func concurrency() async throws {
        let source = try source("<a><b>one</b></a>")
        try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    let delegate = CollectedText()
                    try source.parse(with: delegate)
                    return delegate.text
                }
            }
            for try await text in group { #expect(text == "one") }
        }
    }
}
