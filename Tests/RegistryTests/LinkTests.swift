import Foundation
import PatchbayRegistry
import Testing

@Suite struct LinkTests {
    private static func links(_ values: [String]) throws -> [Link] {
        let url = try #require(URL(string: "https://api.example.com/users?page=2"))
        let fields = HeaderFields(values.map { (name: "Link", value: $0) })
        return ResponseHead(status: 200, fields: fields, url: url, request: RequestHead(url: url)).links
    }

    /// A field value, and its links as target and relations.
    static let rows: [(String, [String: [String]])] = [
        (#"<https://api.example.com/users?page=3>; rel="next""#, ["https://api.example.com/users?page=3": ["next"]]),
        (
            #"</users?page=1>; rel=first, <?page=9> ; REL = "Last"; title="a, \"b\"; c""#,
            ["https://api.example.com/users?page=1": ["first"], "https://api.example.com/users?page=9": ["last"]]
        ),
        (#"<a>; rel="next  https://x.test/REL""#, ["https://api.example.com/a": ["next", "https://x.test/rel"]]),
        (#"<a>; rel=next; rel=prev"#, ["https://api.example.com/a": ["next"]]),
        (#"<a>;;  ; rel=next;"#, ["https://api.example.com/a": ["next"]]),
        (#"<a>; other; rel=next"#, ["https://api.example.com/a": ["next"]]),
        (#"<a,b>; rel=next"#, ["https://api.example.com/a,b": ["next"]]),
        (#", , <a>; rel=next"#, ["https://api.example.com/a": ["next"]]),
        ("<a>; rel=next, nothing, <b>; rel=prev", ["https://api.example.com/a": ["next"]]),
        (#"<a>; rel="next"#, ["https://api.example.com/a": ["next"]]),
        ("<>; rel=self", ["https://api.example.com/users?page=2": ["self"]]),
        ("<a>", [:]), ("<a>; title=x", [:]), ("<a>; rel=\"\"", [:]), ("<a; rel=next", [:]), ("a; rel=next", [:]),
        ("<a>; rel=next; anchor=\"#b\"", [:]), ("", [:]), ("<", [:]), ("<a>;rel=\"\\", [:]),
    ]

    @Test(arguments: rows) func parses(_ value: String, _ links: [String: [String]]) throws {
        let found = try Self.links([value])
        #expect(
            Dictionary(found.map { ($0.target.absoluteString, $0.relations) }, uniquingKeysWith: { first, _ in first })
                == links)
    }

    @Test("links of several fields are in order, with their titles")
    func fields() throws {
        let found = try Self.links([#"<a>; rel=next; title="the \"next\" page""#, "<b>; rel=prev"])
        #expect(found.map(\.target.lastPathComponent) == ["a", "b"])
        #expect(found.map(\.title) == [#"the "next" page"#, nil])
        #expect(try Self.links([]).isEmpty)
    }

    @Test("any text gives links or none, and never ends the process")
    func anything() throws {
        var random = SystemRandomNumberGenerator()
        let bytes = Array("<>;,=\"\\ \ta rel".utf8)
        for _ in 0..<2_000 {
            let value = String(
                decoding: (0..<Int.random(in: 0...24, using: &random)).map { _ in bytes.randomElement() ?? 0x20 },
                as: UTF8.self)
            _ = try Self.links([value])
        }
    }
}
