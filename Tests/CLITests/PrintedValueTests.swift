import Foundation
import Patchbay
import Testing

@testable import PatchbayCLI

/// Values that no demo row has, as JSON and as text.
@Suite struct PrintedValueTests {
    @Test func `a property list of every kind`() {
        let list = PropertyList.dictionary([
            "string": .string("a"), "integer": .integer(-1), "unsigned": .unsigned(.max), "real": .real(1.5),
            "infinite": .real(.infinity), "bool": .bool(true), "data": .data(Data([1, 2])),
            "date": .date(Date(timeIntervalSinceReferenceDate: 0)),
            "far": .date(Date(timeIntervalSinceReferenceDate: 1e300)),
            "nowhere": .date(Date(timeIntervalSinceReferenceDate: .nan)), "array": .array([.integer(1)]),
        ])
        let expected: JSON = [
            "array": [1], "bool": true, "data": ["base64": "AQI="], "date": "2001-01-01T00:00:00Z",
            "far": "1e+300 s since 2001", "infinite": "inf", "integer": -1, "nowhere": "nan s since 2001", "real": 1.5,
            "string": "a", "unsigned": JSON(UInt64.max),
        ]
        #expect(PrintedValue(list).json.serialized() == expected.serialized())
    }

    @Test func `a problem with and without its members`() {
        let full: JSON = [
            "type": "about:blank", "title": "t", "status": 404, "detail": "d", "instance": "/i", "balance": [1],
        ]
        #expect(PrintedValue(Problem(full)).json.serialized() == full.serialized())
        #expect(PrintedValue(Problem([:])).json == ["type": "about:blank"])
    }

    @Test func `bytes, nothing and what is not known`() {
        struct Unknown: Sendable, CustomStringConvertible { let description = "something" }
        #expect(PrintedValue(ResponseBody([UInt8]([1]))).json == ["base64": "AQ=="])
        #expect(PrintedValue(Data([1])).json == ["base64": "AQ=="])
        #expect(PrintedValue(()).json == .null)
        #expect(PrintedValue(Unknown()).json == "something")
        #expect(PrintedValue(Unknown()).type == "Unknown")
    }

    @Test func `an XML tree is text as it is, and deep elements are XML text`() throws {
        let deep = 300
        let text = String(repeating: "<a>", count: deep) + "x<!--c--><?p d?>" + String(repeating: "</a>", count: deep)
        let registry = try SerializerRegistry(
            sources: [
                ManifestSource.text(
                    #"""
                    { "manifestVersion": 1, "plugins": [
                      { "id": "xml", "factory": "xml-document", "match": { "types": ["@xml"] }, "options": { "maxDepth": 1000 } } ] }
                    """#, name: "deep.json")
            ], factories: .standard)
        let decision = registry.explain(contentType: "text/xml")
        let value = PrintedValue(try decision.serialize(ResponseBody(Data(text.utf8))).value)
        var json = value.json
        var levels = 0
        while let contents = json["contents"]?.array, let first = contents.first {
            json = first
            levels += 1
        }
        #expect(levels == 256)
        #expect(json.string?.hasPrefix("<a>") == true)
        #expect(value.text.hasPrefix("<a><a>"))
    }
}
