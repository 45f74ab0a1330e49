import Foundation
import Patchbay
import Testing

/// What a serializer of one's own asks of a response, and what a registry says of one that is only described.
@Suite struct ResponsePartsTests {
    @Test("the text of a body is in the charset of its mark, of its media type, or in the default")
    func text() throws {
        let body = ResponseBody([0xE9])
        #expect(try body.text(MediaType(parsing: "text/plain; charset=latin1")) == "é")
        #expect(try body.text(defaultCharset: "windows-1251") == "й")
        #expect(try body.text(lossy: true) == "\u{FFFD}")
        #expect(
            try ResponseBody([0xEF, 0xBB, 0xBF, 0x61]).text(MediaType(parsing: "text/plain; charset=utf-16")) == "a")
        let malformed = #expect(throws: FormatFailure.self) { try body.text() }
        #expect(malformed?.code == .encoding)
        #expect(malformed?.offset == 0)
        let unknown = #expect(throws: FormatFailure.self) {
            try body.text(MediaType(parsing: "text/plain; charset=klingon"))
        }
        #expect(unknown?.description == "the charset klingon is not known")
    }

    @Test("the name of a file is what the response suggests, made safe")
    func fileName() throws {
        let url = try #require(URL(string: "http://a.example/films/one.mp4"))
        func name(_ disposition: String?) -> String {
            var fields: HeaderFields = [:]
            fields["Content-Disposition"] = disposition
            return ResponseHead(status: 200, fields: fields, url: url, request: RequestHead(url: url)).suggestedFileName
        }
        #expect(name(nil) == "one.mp4")
        #expect(name(#"attachment; filename="two.mp4""#) == "two.mp4")
        #expect(name(#"attachment; filename="../../.ssh""#) == "ssh")
    }

    @Test("a response that is only described is looked up for a call of a type, or of none")
    func explain() {
        let registry = SerializerRegistry.standard
        #expect(registry.explain(contentType: "application/json").entryID == "json")
        #expect(registry.explain(contentType: "application/json", as: [Int].self).entryID == "json")
        #expect(registry.explain(contentType: "text/plain", as: [Int].self).entryID == nil)
        #expect(registry.explain(contentType: "application/json", as: Data.self).outcome == .raw)
    }
}
