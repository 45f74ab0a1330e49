import Foundation
import PatchbayRegistry
import PatchbayTesting
import TestSupport
import Testing

@testable import PatchbayManager

/// Targets that are templates: what is sent for a value, and which templates and values are refused.
@Suite(.timeLimit(.minutes(5))) struct TargetTemplateTests {
    typealias Values = [String: any CustomStringConvertible & Sendable]

    struct Sent: Sendable, CustomTestStringConvertible {
        let name, template: String
        let values: Values
        let url: String
        var testDescription: String { name }

        init(_ name: String, _ template: String, _ values: Values, _ url: String) {
            (self.name, self.template, self.values) = (name, template, values)
            self.url = url.hasPrefix("http") ? url : "http://origin.test" + url
        }
    }

    static let hostile = [
        Sent("a path that climbs", "users/{id}", ["id": "../token"], "/v1/users/..%2Ftoken"),
        Sent("a path that climbs, below a segment", "users/{id}/posts", ["id": "../.."], "/v1/users/..%2F../posts"),
        Sent("another host", "users/{id}", ["id": "//other.test/x"], "/v1/users/%2F%2Fother.test%2Fx"),
        Sent("another host as the whole target", "{id}", ["id": "//other.test/x"], "/v1/%2F%2Fother.test%2Fx"),
        Sent("another host behind the first slash", "/{id}", ["id": "/other.test"], "/%2Fother.test"),
        Sent("a URL as the whole target", "{id}", ["id": "https://other.test"], "/v1/https%3A%2F%2Fother.test"),
        Sent("a scheme", "{id}/x", ["id": "file:"], "/v1/file%3A/x"),
        Sent("a user and a host", "{id}", ["id": "ada:hush@other.test"], "/v1/ada%3Ahush%40other.test"),
        Sent("a slash", "users/{id}", ["id": "a/b"], "/v1/users/a%2Fb"),
        Sent("a slash alone", "users/{id}", ["id": "/"], "/v1/users/%2F"),
        Sent("a backslash", "users/{id}", ["id": "..\\token"], "/v1/users/..%5Ctoken"),
        Sent("a query", "users/{id}", ["id": "?x=1"], "/v1/users/%3Fx%3D1"),
        Sent("a fragment", "users/{id}", ["id": "#f"], "/v1/users/%23f"),
        Sent("parameters of a segment", "users/{id}", ["id": "..;a=b"], "/v1/users/..%3Ba%3Db"),
        Sent("escaped dots", "users/{id}", ["id": "%2e%2e"], "/v1/users/%252e%252e"),
        Sent("an escaped slash", "users/{id}", ["id": "..%2Ftoken"], "/v1/users/..%252Ftoken"),
        Sent("an escape that is none", "users/{id}", ["id": "100%"], "/v1/users/100%25"),
        Sent("the digits of an escape behind one", "a%20{id}", ["id": "2f"], "/v1/a%202f"),
        Sent("a NUL", "users/{id}", ["id": "a\0b"], "/v1/users/a%00b"),
        Sent("a line", "users/{id}", ["id": "a\r\nHost: h"], "/v1/users/a%0D%0AHost%3A%20h"),
        Sent("a tab", "users/{id}", ["id": "\t"], "/v1/users/%09"),
        Sent("control characters", "users/{id}", ["id": "\u{7F}\u{85}"], "/v1/users/%7F%C2%85"),
        Sent("a blank", "users/{id}", ["id": " "], "/v1/users/%20"),
        Sent("dots and a blank", "users/{id}", ["id": ".. "], "/v1/users/..%20"),
        Sent("three dots", "users/{id}", ["id": "..."], "/v1/users/..."),
        Sent("fullwidth dots", "users/{id}", ["id": "\u{FF0E}\u{FF0E}"], "/v1/users/%EF%BC%8E%EF%BC%8E"),
        Sent("a slash of mathematics", "users/{id}", ["id": "\u{2215}"], "/v1/users/%E2%88%95"),
        Sent("an umlaut", "users/{id}", ["id": "M\u{FC}ller"], "/v1/users/M%C3%BCller"),
        Sent("an umlaut in two", "users/{id}", ["id": "Mu\u{308}ller"], "/v1/users/Mu%CC%88ller"),
        Sent("a combining mark alone", "users/{id}", ["id": "\u{301}"], "/v1/users/%CC%81"),
        Sent(
            "an emoji", "users/{id}", ["id": "\u{1F469}\u{200D}\u{1F4BB}"],
            "/v1/users/%F0%9F%91%A9%E2%80%8D%F0%9F%92%BB"),
        Sent("text from right to left", "users/{id}", ["id": "\u{202E}a"], "/v1/users/%E2%80%AEa"),
        Sent(
            "every reserved character", "users/{id}", ["id": ":/?#[]@!$&'()*+,;="],
            "/v1/users/%3A%2F%3F%23%5B%5D%40%21%24%26%27%28%29%2A%2B%2C%3B%3D"),
        Sent("every other mark", "users/{id}", ["id": "\"<>\\^`{|}%"], "/v1/users/%22%3C%3E%5C%5E%60%7B%7C%7D%25"),
        Sent("every unreserved kind", "users/{id}", ["id": "azAZ09-._~"], "/v1/users/azAZ09-._~"),
        Sent("a value that is a template", "{a}/{b}", ["a": "{b}", "b": "x"], "/v1/%7Bb%7D/x"),
        Sent("a part of a segment", "v{n}.json", ["n": "1/../2"], "/v1/v1%2F..%2F2.json"),
        Sent("dots beside dots", ".{n}.", ["n": "/"], "/v1/.%2F."),
        Sent("two in one segment", "{a}{b}", ["a": "..a", "b": "/.."], "/v1/..a%2F.."),
        Sent("the same name twice", "{a}/{a}", ["a": "1/2"], "/v1/1%2F2/1%2F2"),
        Sent("a colon in the first segment", "{id}", ["id": "a:b"], "/v1/a%3Ab"),
        Sent("a colon behind the first segment", "users/{id}:merge", ["id": "a:b"], "/v1/users/a%3Ab:merge"),
        Sent("dots of the template itself", "../{id}", ["id": "../x"], "/..%2Fx"),
        Sent("a query of the template", "search?q={q}", ["q": "a&b=c#d+e"], "/v1/search?q=a%26b%3Dc%23d%2Be"),
        Sent("a name in the query", "search?{k}={q}", ["k": "a=b", "q": "?"], "/v1/search?a%3Db=%3F"),
        Sent("a fragment of the template, which is never sent", "a#{f}", ["f": "../b"], "/v1/a"),
        Sent("another URL", "http://other.test/{id}", ["id": "@evil.test"], "http://other.test/%40evil.test"),
        Sent("another URL with a port", "http://h.test:81/{id}", ["id": ":80/x"], "http://h.test:81/%3A80%2Fx"),
        Sent("another host without a scheme", "//h.test/{id}", ["id": "//x"], "http://h.test/%2F%2Fx"),
        Sent("a host and a query", "http://h.test?x={x}", ["x": "/../y"], "http://h.test/?x=%2F..%2Fy"),
        Sent("an address", "http://[::1]:81/{id}", ["id": "]/x"], "http://[::1]:81/%5D%2Fx"),
        Sent("text of the template beyond ASCII", "\u{E9}/{id}", ["id": "%"], "/v1/%C3%A9/%25"),
        Sent("the same behind an empty segment", "a//\u{E9}{id}/b", ["id": "1/2"], "/v1/a//%C3%A91%2F2/b"),
        Sent("text of the template that is escaped", "a%20b/{id}", ["id": "c d"], "/v1/a%20b/c%20d"),
        Sent("text of the template that must be escaped", "a b[]/{id}", ["id": "/"], "/v1/a%20b%5B%5D/%2F"),
        Sent("a backslash of the template", "\\\\{id}", ["id": "/"], "/v1/%5C%5C%2F"),
        Sent("braces in a value that follows a mark", "a{id}\u{301}", ["id": "}"], "/v1/a%7D%CC%81"),
    ]

    /// After RFC 6570, sections 1.2 and 3.2.2.
    static let simple = [
        Sent("a word", "{var}", ["var": "value"], "/v1/value"),
        Sent("a sentence", "{hello}", ["hello": "Hello World!"], "/v1/Hello%20World%21"),
        Sent("a percent sign", "{half}", ["half": "50%"], "/v1/50%25"),
        Sent("a path", "{path}", ["path": "/foo/bar"], "/v1/%2Ffoo%2Fbar"),
        Sent(
            "a URL", "{base}index", ["base": "http://example.com/home/"], "/v1/http%3A%2F%2Fexample.com%2Fhome%2Findex"),
        Sent("a number between letters", "O{x}X", ["x": 1024], "/v1/O1024X"),
        Sent("two numbers", "map/{x}/{y}", ["x": 1024, "y": 768], "/v1/map/1024/768"),
        Sent("marks", "{keys}", ["keys": ";.,"], "/v1/%3B.%2C"),
        Sent(
            "names with dots, digits, _ and escapes", "{a.b}/{c_1}/{%41}", ["a.b": 1, "c_1": 2, "%41": 3], "/v1/1/2/3"),
        Sent("no name at all", "users", [:], "/v1/users"),
        Sent("nothing at all", "", [:], "/v1/"),
    ]

    @Test("a value stays text of its segment, whatever it is", arguments: hostile)
    func hostileValue(_ row: Sent) async throws { try await expect(row) }

    @Test("the templates of RFC 6570, level 1", arguments: simple)
    func simpleTemplate(_ row: Sent) async throws { try await expect(row) }

    private func expect(_ row: Sent) async throws {
        let (manager, stub) = try stubManager(base: "http://origin.test/v1/") { _ in .json("7") }
        _ = try await manager.send(row.template, path: row.values)
        _ = try await manager.send(SessionRequest(row.template, path: row.values, query: ["p": "1"]))
        let url = try #require(stub.requests.first?.head.url)
        #expect(url.absoluteString == row.url)
        #expect(url.path(percentEncoded: true).split(separator: "/").allSatisfy { $0 != "." && $0 != ".." })
        #expect(stub.requests.last?.head.url.absoluteString == row.url + (row.url.contains("?") ? "&p=1" : "?p=1"))
        #expect(stub.requests.count == 2)
    }

    @Test("more than forty templates have hostile values")
    func count() { #expect(Self.hostile.count >= 40) }

    @Test("every function that takes a target takes a template", arguments: verbs)
    func everyVerb(_ verb: TargetTests.Verb) async throws {
        let (manager, stub) = try stubManager { _ in .json("7") }
        try await verb.call(manager, "../token")
        #expect(stub.requests.map(\.head.method) == [verb.method])
        #expect(stub.requests.map(\.head.url.absoluteString) == ["http://origin.test/users/..%2Ftoken"])
        await #expect(throws: SessionError.self) { try await verb.call(manager, "..") }
        #expect(stub.requests.count == 1)
    }

    private static let content = RequestContent.value("tea")
    private static let template = "users/{id}"

    static let verbs = [
        TargetTests.Verb("send", "GET") { _ = try await $0.send(template, path: ["id": $1]) },
        TargetTests.Verb("stream", "GET") {
            for try await _ in try await $0.stream(template, path: ["id": $1]) {}
        },
        TargetTests.Verb("get", "GET") { _ = try await $0.get(template, path: ["id": $1], as: Int.self) },
        TargetTests.Verb("head", "HEAD") { _ = try await $0.head(template, path: ["id": $1]) },
        TargetTests.Verb("post", "POST") { try await $0.post(template, path: ["id": $1], body: "tea") },
        TargetTests.Verb("put", "PUT") { _ = try await $0.put(template, path: ["id": $1], body: "tea", as: Int.self) },
        TargetTests.Verb("patch", "PATCH") { try await $0.patch(template, path: ["id": $1]) },
        TargetTests.Verb("delete", "DELETE") { try await $0.delete(template, path: ["id": $1]) },
        TargetTests.Verb("upload", "PUT") {
            try await $0.upload(content, to: template, path: ["id": $1], method: "PUT")
        },
        TargetTests.Verb("download", "GET") {
            let folder = TemporaryFolder()
            _ = try await $0.download(template, path: ["id": $1], to: .file(folder.url.appending(path: "file")))
        },
        TargetTests.Verb("a request", "GET") { _ = try await $0.send(SessionRequest(template, path: ["id": $1])) },
        TargetTests.Verb("a request with a value", "POST") {
            _ = try await $0.send(SessionRequest(template, path: ["id": $1], body: "tea"))
        },
    ]

    @Test("values of several types, literals and variables; an optional is no value")
    func types() async throws {
        let (manager, stub) = try stubManager { _ in .json("7") }
        let (number, text, uuid) = (
            7, "tea for two", try #require(UUID(uuidString: "6BA7B810-9DAD-11D1-80B4-00C04FD430C8"))
        )
        _ = try await manager.send(
            "{a}/{b}/{c}/{d}/{e}/{f}",
            path: ["a": number, "b": text, "c": text.prefix(3), "d": uuid, "e": true, "f": -1.5])
        let ids = ["a": 1, "b": 2]
        _ = try await manager.send("{a}/{b}", path: ids)
        #expect(
            stub.requests.map { $0.head.url.path(percentEncoded: true) } == [
                "/7/tea%20for%20two/tea/6BA7B810-9DAD-11D1-80B4-00C04FD430C8/true/-1.5", "/1/2",
            ])
        // `path: ["id": number]` with an `Int?` is an error of the compiler, because an optional has no `description`.
        let types: [(Any.Type, Bool)] = [
            (Int.self, true), (Substring.self, true), (Int?.self, false), (String?.self, false),
        ]
        for (type, isValue) in types { #expect((type is any CustomStringConvertible.Type) == isValue, "\(type)") }
    }

    @Test("without values a target is what it was: its braces are escaped")
    func withoutValues() async throws {
        let (manager, stub) = try stubManager { _ in .json("7") }
        for target in ["users/{id}", "{", "a}b", "a%"] { _ = try await manager.send(target) }
        #expect(
            stub.requests.map(\.head.url.absoluteString) == [
                "http://origin.test/users/%7Bid%7D", "http://origin.test/%7B", "http://origin.test/a%7Db",
                "http://origin.test/a%25",
            ])
        #expect(SessionRequest("users/{id}").template == nil)
    }

    @Test("an interpolated value calls another path, with the credentials; a value of a template does not")
    func interpolated() async throws {
        let (manager, stub) = try stubManager { _ in .json("7") }
        manager.setHeader("Bearer hush", for: "Authorization")
        for id in ["../token", "7?admin=1"] {
            _ = try await manager.send("users/\(id)")
            _ = try await manager.send("users/{id}", path: ["id": id])
        }
        #expect(
            stub.requests.map(\.head.url.absoluteString) == [
                "http://origin.test/token", "http://origin.test/users/..%2Ftoken",
                "http://origin.test/users/7?admin=1", "http://origin.test/users/7%3Fadmin%3D1",
            ])
        #expect(stub.requests.allSatisfy { $0.head.fields["Authorization"] == "Bearer hush" })
    }
}
