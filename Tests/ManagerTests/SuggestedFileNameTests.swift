import Foundation
import PatchbayRegistry
import Testing

@testable import PatchbayManager

@Suite struct SuggestedFileNameTests {
    @Test(
        "1.10.2: the name that a response suggests becomes one safe component",
        arguments: [
            (#"attachment; filename="report.pdf""#, "report.pdf"),
            ("attachment; filename=report.pdf", "report.pdf"),
            ("attachment; FileName = plain.txt ; x=y", "plain.txt"),
            (#"attachment; filename="a.txt"; filename*=UTF-8''%e2%82%ac.txt"#, "\u{20AC}.txt"),
            (#"attachment; filename*=UTF-8''%e2%82%ac.txt; filename="a.txt""#, "\u{20AC}.txt"),
            (#"attachment; filename*=ISO-8859-1''%e9.txt; filename="a.txt""#, "a.txt"),
            (#"attachment; filename*=UTF-8''%ff.txt"#, "url.bin"),
            (#"attachment; filename*=UTF-8''%2.txt"#, "url.bin"),
            (#"attachment; filename="../../etc/passwd""#, "passwd"),
            ("attachment; filename=/etc/passwd", "passwd"),
            (#"attachment; filename="C:\windows\system.ini""#, "system.ini"),
            (#"attachment; filename*=UTF-8''..%2F..%2Fx"#, "x"),
            (#"attachment; filename="..""#, "url.bin"),
            (#"attachment; filename=".""#, "url.bin"),
            (#"attachment; filename="""#, "url.bin"),
            (#"attachment; filename=".bashrc""#, "bashrc"),
            (#"attachment; filename="a\"b.txt""#, "a_b.txt"),
            ("attachment; filename=\"a\u{0}b\u{7}.txt\"", "a_b_.txt"),
            ("attachment; filename=\"gpj\u{202E}exe.txt\"", "gpj_exe.txt"),
            (#"attachment; filename="CON""#, "_CON"),
            (#"attachment; filename="com1.txt""#, "_com1.txt"),
            (#"attachment; filename="a:b|c?.txt. ""#, "a_b_c_.txt"),
            ("attachment", "url.bin"),
            ("", "url.bin"),
            (";;;filename", "url.bin"),
        ])
    func disposition(_ field: String, _ expected: String) throws {
        #expect(try name(field, "http://h.test/files/url.bin?x=1") == expected)
    }

    @Test(
        "without a field the name is the last part of the URL's path",
        arguments: [
            ("http://h.test/a/b.csv", "b.csv"), ("http://h.test/a/b%20c.csv", "b c.csv"),
            ("http://h.test/", "download"),
            ("http://h.test/a%2F..%2F..%2Fb", "b"), ("http://h.test/a/..%5Cb", "b"),
            ("http://h.test/%2e%2e", "download"),
        ])
    func url(_ url: String, _ expected: String) throws {
        #expect(try name(nil, url) == expected)
    }

    @Test("a long name is cut and keeps its extension")
    func long() throws {
        let name = try name(
            "attachment; filename=\"" + String(repeating: "\u{20AC}", count: 300) + ".pdf\"", "http://h.test/")
        #expect(name.utf8.count <= 200)
        #expect(name.hasSuffix("\u{20AC}.pdf"))
    }

    private func name(_ disposition: String?, _ url: String) throws -> String {
        let url = try #require(URL(string: url))
        let fields = disposition.map { HeaderFields([.init(name: "Content-Disposition", value: $0)]) } ?? [:]
        return SuggestedFileName(ResponseHead(status: 200, fields: fields, url: url, request: RequestHead(url: url)))
            .name
    }
}
