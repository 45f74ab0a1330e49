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
            ["https://api.example.com/users?page=1": ["first"], "https://api.example.com/users?page=9": ["Last"]]
        ),
        (#"<a>; rel="next  https://x.test/REL""#, ["https://api.example.com/a": ["next", "https://x.test/REL"]]),
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

    /// A link value, and its title.
    static let titles: [(String, String?)] = [
        ("title*=UTF-8''caf%C3%A9", "café"), ("title*=utf-8'en'%e2%82%ac%20rates; title=x", "€ rates"),
        ("title=x; title*=UTF-8''y", "y"), ("TITLE*=UTF-8''y", "y"), ("title*=\"UTF-8''y\"", "y"),
        ("title*=UTF-8''a; title*=UTF-8''b", "a"), ("title*=UTF-8''", ""),
        ("title*=iso-8859-1''%E9; title=x", "x"), ("title*=UTF-8''%E9; title=x", "x"),
        ("title*=UTF-8''%4; title=x", "x"), ("title*=x", nil), ("title*", nil), ("title*=UTF-8'%41; title=x", "x"),
        ("title=caf%C3%A9", "caf%C3%A9"), ("title=a; title=b", "a"),
    ]

    @Test("the title is that of title*, if its text can be read, else of title", arguments: titles)
    func title(_ parameters: String, _ title: String?) throws {
        let found = try Self.links(["<a>; rel=next; \(parameters), <b>; rel=last; title=end"])
        #expect(found.map(\.title) == [title, "end"])
    }

    @Test("a relation keeps its spelling, and is found without regard to the case of ASCII letters")
    func relations() throws {
        let link = try #require(
            try Self.links([#"<a>; rel="Next http://purl.org/dc/terms/isPartOf https://x.test/É""#]).first)
        #expect(link.relations == ["Next", "http://purl.org/dc/terms/isPartOf", "https://x.test/É"])
        #expect(link.relations.contains("http://purl.org/dc/terms/isPartOf"))
        for relation in [
            "next", "NEXT", "http://purl.org/dc/terms/isPartOf", "HTTP://PURL.ORG/dc/terms/ispartof",
            "https://X.TEST/É",
        ] { #expect(link.has(relation), "\(relation)") }
        for relation in ["", "prev", "nex", "next ", "https://x.test/é", "Next http://purl.org/dc/terms/isPartOf"] {
            #expect(!link.has(relation), "\(relation)")
        }
        #expect(link.description.hasPrefix("Next http://purl.org/dc/terms/isPartOf"))
    }

    @Test("any text gives links or none, and never ends the process")
    func anything() throws {
        var random = SystemRandomNumberGenerator()
        let bytes = Array("<>;,=\"\\ \ta reltitle*=UTF-8''%E9".utf8)
        for _ in 0..<2_000 {
            let value = String(
                decoding: (0..<Int.random(in: 0...24, using: &random)).map { _ in bytes.randomElement() ?? 0x20 },
                as: UTF8.self)
            _ = try Self.links([value])
        }
    }
}
