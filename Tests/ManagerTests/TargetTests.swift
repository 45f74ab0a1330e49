import Foundation
import PatchbayManager
import PatchbayRegistry
import PatchbayTesting
import TestSupport
import Testing

/// What a target may be, for every function that takes one.
@Suite(.timeLimit(.minutes(5))) struct TargetTests {
    /// A call to a target of each kind.
    struct Verb: Sendable, CustomTestStringConvertible {
        let name: String
        let method: String
        let call: @Sendable (SessionManager, String) async throws -> Void
        var testDescription: String { name }

        init(
            _ name: String, _ method: String,
            _ call: @escaping @Sendable (SessionManager, String) async throws -> Void
        ) {
            self.name = name
            self.method = method
            self.call = call
        }
    }

    private static let content = RequestContent.value("tea")

    static let verbs = [
        Verb("send", "GET") { _ = try await $0.send($1) },
        Verb("stream", "GET") { for try await _ in try await $0.stream($1) {} },
        Verb("get, typed", "GET") { _ = try await $0.get($1, as: Int.self) },
        Verb("head", "HEAD") { _ = try await $0.head($1) },
        Verb("post", "POST") { try await $0.post($1) },
        Verb("post, typed", "POST") { _ = try await $0.post($1, body: "tea", as: Int.self) },
        Verb("put", "PUT") { try await $0.put($1) },
        Verb("put, typed", "PUT") { _ = try await $0.put($1, body: "tea", as: Int.self) },
        Verb("patch", "PATCH") { try await $0.patch($1) },
        Verb("patch, typed", "PATCH") { _ = try await $0.patch($1, body: "tea", as: Int.self) },
        Verb("delete", "DELETE") { try await $0.delete($1) },
        Verb("delete, typed", "DELETE") { _ = try await $0.delete($1, as: Int.self) },
        Verb("request", "QUERY") { _ = try await $0.send(SessionRequest($1, method: "QUERY")) },
        Verb("request, typed", "QUERY") {
            _ = try await $0.send(SessionRequest($1, method: "QUERY"), as: Int.self).value
        },
        Verb("upload", "POST") { try await $0.upload(content, to: $1) },
        Verb("upload, typed", "PUT") { _ = try await $0.upload(content, to: $1, method: "PUT", as: Int.self) },
        Verb("download", "GET") {
            let folder = TemporaryFolder()
            _ = try await $0.download($1, to: .file(folder.url.appending(path: "file")))
        },
        Verb("a request", "GET") { _ = try await $0.send(SessionRequest($1)) },
        Verb("a request with a method", "PUT") { _ = try await $0.send(SessionRequest($1, method: "PUT")) },
    ]

    @Test("every verb sends its method to its target", arguments: verbs)
    func everyVerb(_ verb: Verb) async throws {
        let (manager, stub) = try stubManager { _ in .json("7") }
        let text = "http://other.test/users/1?a=b"
        try await verb.call(manager, text)
        #expect(stub.requests.map(\.head.method) == [verb.method])
        #expect(stub.requests.map(\.head.url.absoluteString) == [text])
    }

    @Test("a request without a method is a GET, and one with a value a POST")
    func method() throws {
        let url = try #require(URL(string: "users/1"))
        let requests = [
            SessionRequest("users/1"), SessionRequest(url: url), SessionRequest("users/1", body: [1]),
            SessionRequest("users/1", method: "PUT", body: [1]), SessionRequest(url: url, method: "POST"),
        ]
        #expect(requests.map(\.method) == ["GET", "GET", "POST", "PUT", "POST"])
        #expect(requests.map(\.target) == Array(repeating: "users/1", count: requests.count))
    }

    @Test("a URL without a scheme is resolved against the base")
    func relative() async throws {
        let (manager, stub) = try stubManager { _ in .json("7") }
        _ = try await manager.send(SessionRequest(url: #require(URL(string: "users/1"))))
        #expect(stub.requests.first?.head.url.absoluteString == "http://origin.test/users/1")
    }
}

/// What a query may be made of.
@Suite(.timeLimit(.minutes(5))) struct QueryItemsTests {
    private static let dictionary = ["b": "2", "a": "1"]
    private static let pairs = [(name: "b", value: "2"), (name: "a", value: "1")]
    private static let foundation = [URLQueryItem(name: "b", value: "2"), URLQueryItem(name: "a", value: nil)]

    static let queries: [(name: String, query: QueryItems, sent: String?)] = [
        ("a dictionary literal keeps its order and its repeated names", ["q": "a", "b": "c", "q": "d"], "q=a&b=c&q=d"),
        ("a literal of pairs", [("q", "a"), ("q", "b")], "q=a&q=b"),
        ("a literal of pairs with labels", [(name: "q", value: "a")], "q=a"),
        ("empty literals", [:], nil), ("an empty list", [], nil),
        ("a dictionary, by its names", QueryItems(dictionary), "a=1&b=2"),
        ("a list of pairs", QueryItems(pairs), "b=2&a=1"),
        ("Foundation's items", QueryItems(foundation), "b=2&a="),
        ("a blank is %20", ["a b": " c+d "], "a%20b=%20c%2Bd%20"),
        ("what stays", ["k": "aZ09-._~/?"], "k=aZ09-._~/?"),
        (
            "what does not", ["k": ":#[]@!$&'()*+,;=%\0\n"],
            "k=%3A%23%5B%5D%40%21%24%26%27%28%29%2A%2B%2C%3B%3D%25%00%0A"
        ),
        ("beyond ASCII", ["\u{E9}": "\u{1F600}"], "%C3%A9=%F0%9F%98%80"),
    ]

    @Test("what is sent of a query", arguments: queries)
    func sent(_ name: String, _ query: QueryItems, _ sent: String?) async throws {
        let (manager, stub) = try stubManager { _ in .json("7") }
        _ = try await manager.send("a", query: query)
        #expect(stub.requests.first?.head.url.query(percentEncoded: true) == sent)
    }

    @Test("a query of mixed variables: texts, numbers, bools, and nil, which leaves its pair out")
    func query() async throws {
        let (manager, stub) = try stubManager { _ in .json("1") }
        let (title, page, note) = ("Tea", 2, String?.none)
        _ = try await manager.send(
            "a", query: ["t": title, "p": page, "n": note, "t": title.dropFirst(), "b": true, "x": nil])
        _ = try await manager.send("a", query: ["q": "green tea", "half": 0.5])
        let filters = ["b": "2", "a": "1"]
        _ = try await manager.send("a", query: QueryItems(filters))
        _ = try await manager.send("a", query: ["b": "2", "a": "1", "b": "3"])
        #expect(
            stub.requests.map { $0.head.url.query(percentEncoded: true) } == [
                "t=Tea&p=2&t=ea&b=true", "q=green%20tea&half=0.5", "a=1&b=2", "b=2&a=1&b=3",
            ])
    }

    @Test("header fields of a dictionary, and of a literal, two of which may have one name")
    func headers() {
        let values = ["B": "2", "A": "1"]
        #expect(HeaderFields(values) == HeaderFields([("A", "1"), ("B", "2")]))
        let literal: HeaderFields = ["B": "2", "A": "1", "B": "3"]
        #expect(literal.map(\.value) == ["2", "1", "3"])
        #expect(HeaderFields().isEmpty)
    }

    @Test("a query is a collection of its pairs")
    func collection() {
        var request = SessionRequest("a", query: ["a": "1"])
        request.query.append((name: "b", value: "2"))
        request.query += Self.pairs
        request.query[0].value = "0"
        request.query.removeLast()
        #expect(request.query == ["a": "0", "b": "2", "b": "2"])
        #expect(request.query.hashValue == (["a": "0", "b": "2", "b": "2"] as QueryItems).hashValue)
        #expect(request.query != ["b": "2", "a": "0", "b": "2"])
        #expect(request.query.map(\.name) == ["a", "b", "b"])
    }

    @Test("a query prints its names, and no value")
    func description() {
        let query: QueryItems = ["user": "Ada", "token": "s3cret"]
        var dumped = ""
        dump(query, to: &dumped)
        #expect("\(query)" == "[user, token]")
        for text in ["\(query)", String(reflecting: query), dumped] {
            #expect(text.contains("token"))
            #expect(!text.contains("s3cret"))
        }
    }
}
