import PatchbayRegistry
import Testing

@Suite("Parts of a body")
struct ResponsePartTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let value: String
        let name: String?
        let fileName: String?
        var testDescription: String { value }

        init(_ value: String, name: String? = nil, fileName: String? = nil) {
            self.value = value
            self.name = name
            self.fileName = fileName
        }
    }

    static let rows = [
        Row("form-data"),
        Row("form-data; name=title", name: "title"),
        Row("form-data; name=\"a; b\"", name: "a; b"),
        Row("form-data; NAME = title ; filename=a.txt ", name: "title", fileName: "a.txt"),
        Row("form-data; name=\"\"; filename=\"\"", name: "", fileName: ""),
        Row(
            "form-data; name=\"say %22hi%22%0D%0A\"; filename=\"100%.txt\"", name: "say \"hi\"\r\n",
            fileName: "100%.txt"),
        Row("form-data; name=\"%2\"; filename=\"%+1%\"", name: "%2", fileName: "%+1%"),
        Row(
            "form-data; name=\"say \\\"hi\\\"\"; filename=\"C:\\new\\\\a.txt\"", name: "say \"hi\"",
            fileName: "C:\\new\\a.txt"),
        Row("form-data; name=\"Stück\"; filename=\"雪.txt\"", name: "Stück", fileName: "雪.txt"),
        Row("attachment; filename=\"plain.txt\"; filename*=UTF-8''%E9%9B%AA.txt", fileName: "雪.txt"),
        Row("attachment; filename*=utf-8'en'a%20b; filename=c", fileName: "a b"),
        Row("attachment; filename*=latin1''%E9; filename=c", fileName: "c"),
        Row("attachment; filename*=UTF-8''%FF; filename=c", fileName: "c"),
        Row("attachment; filename*=UTF-8''%4; filename=c", fileName: "c"),
        Row("attachment; filename*=UTF-8; filename=c", fileName: "c"),
        Row("form-data; name=one; name=two", name: "one"),
        Row("form-data; name=\"open", name: "open"),
        Row(";;;=;name", name: nil),
        Row("form-data; name=\"a\"\u{301}; filename=b", name: "a", fileName: "b"),
    ]

    @Test("the name and the file name are those of Content-Disposition", arguments: rows)
    func names(_ row: Row) {
        let part = ResponsePart(fields: ["content-disposition": row.value], body: .empty)
        #expect(part.name == row.name)
        #expect(part.fileName == row.fileName)
    }

    @Test("a part without Content-Disposition has no name")
    func nameless() {
        let part = ResponsePart(fields: [:], body: .empty)
        #expect(part.name == nil)
        #expect(part.fileName == nil)
    }

    @Test(
        "the media type is that of the part, and plain text where it names none",
        arguments: [
            (nil, "text/plain"), ("application/json; charset=utf-8", "application/json;charset=utf-8"),
            ("no type", "text/plain"), ("", "text/plain"),
        ] as [(String?, String)])
    func mediaType(_ value: String?, _ expected: String) {
        let fields = HeaderFields(value.map { [("Content-Type", $0)] } ?? [])
        #expect("\(ResponsePart(fields: fields, body: .empty).mediaType)" == expected)
    }

    @Test(
        "a part in an encoding that is not known is bytes (RFC 2045, section 6.4)",
        arguments: [
            ("base64", "text/html"), ("Quoted-Printable", "text/html"), ("7bit", "text/html"), ("8bit", "text/html"),
            ("binary", "text/html"), ("x-gzip", "application/octet-stream"), ("(base64)", "application/octet-stream"),
            ("", "text/html"),
        ])
    func encoding(_ value: String, _ expected: String) {
        let fields: HeaderFields = ["Content-Type": "text/html", "Content-Transfer-Encoding": value]
        let part = ResponsePart(fields: fields, body: ResponseBody([1]))
        #expect("\(part.mediaType)" == expected)
        #expect(part.body == ResponseBody([1]))
    }

    @Test("two parts are the same where their fields and their bytes are")
    func equality() {
        let part = ResponsePart(fields: ["A": "b"], body: ResponseBody([1]))
        #expect(part == ResponsePart(fields: ["A": "b"], body: ResponseBody([1])))
        #expect(part != ResponsePart(fields: ["A": "b"], body: ResponseBody([2])))
        #expect(part != ResponsePart(fields: ["A": "c"], body: ResponseBody([1])))
        #expect(Set([part, part]).count == 1)
    }
}
