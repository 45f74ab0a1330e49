import Foundation
import PatchbayJSON
import PatchbayRegistry
import PatchbayTesting
import TestSupport
import Testing

@testable import PatchbayManager

/// Templates and values that are refused, and what becomes of a template on the way of a call.
@Suite(.timeLimit(.minutes(5))) struct TargetTemplateFaultTests {
    struct Refused: Sendable, CustomTestStringConvertible {
        let template: String
        let values: TargetTemplateTests.Values
        let fault: String
        var testDescription: String { "\(template) \(fault)" }

        init(_ template: String, _ values: TargetTemplateTests.Values, _ fault: String) {
            (self.template, self.values, self.fault) = (template, values, fault)
        }
    }

    private static let noName = "a name has letters, digits, _ and ., and no operator"
    private static let before = "before its path: a value cannot be a part of a scheme or of a host"

    static let refused = [
        Refused("users/{id}", [:], #""users/{id}" has no value for {id} at character 7"#),
        Refused("é/{id}", [:], #""é/{id}" has no value for {id} at character 3"#),
        Refused("{a}/{b}", ["a": "hush"], #""{a}/{b}" has no value for {b} at character 5"#),
        Refused("{a}/{b}", ["a": "hush", "B": "hush"], #""{a}/{b}" has no value for {b} at character 5"#),
        Refused("users/{id}", ["id": ""], #""users/{id}" has an empty value, . or .. for {id} at character 7"#),
        Refused("users/{id}/x", ["id": "."], #""users/{id}/x" has an empty value, . or .. for {id} at character 7"#),
        Refused("users/{id}", ["id": ".."], #""users/{id}" has an empty value, . or .. for {id} at character 7"#),
        Refused("{a}.", ["a": "."], #""{a}." has an empty value, . or .. for {a} at character 1"#),
        Refused(".{a}", ["a": ""], #"".{a}" has an empty value, . or .. for {a} at character 2"#),
        Refused("%2e{a}", ["a": "."], #""%2e{a}" has an empty value, . or .. for {a} at character 4"#),
        Refused("{a}{b}", ["a": ".", "b": "hush"], #""{a}{b}" has an empty value, . or .. for {a} at character 1"#),
        Refused("{a};x", ["a": ".."], #""{a};***" has an empty value, . or .. for {a} at character 1"#),
        Refused("/{a}/{b}", ["a": "", "b": "hush"], #""/{a}/{b}" has an empty value, . or .. for {a} at character 2"#),
        Refused("s?q={q}", ["q": ""], #""s" has an empty value, . or .. for {q} at character 5"#),
        Refused("users", ["id": "hush"], #""users" has no {id} for a value in path:"#),
        Refused(
            "users/{id}", ["id": "hush", "name": "hush", "age": 1], #""users/{id}" has no {age} for a value in path:"#),
        Refused("users/{id", ["id": "hush"], #""users/{id" has an unclosed { at character 7"#),
        Refused("{", [:], #""{" has an unclosed { at character 1"#),
        Refused("a/{b}/{", ["b": "hush"], #""a/{b}/{" has an unclosed { at character 7"#),
        Refused("users/id}", ["id": "hush"], #""users/id}" has a stray } at character 9"#),
        Refused("{id}}", ["id": "hush"], #""{id}}" has a stray } at character 5"#),
        Refused("{}", [:], #""{}" has no name in the braces at character 1: \#(noName)"#),
        Refused("a/{{id}}", ["id": "hush"], #""a/{{id}}" has no name in the braces at character 3: \#(noName)"#),
        Refused("{\u{301}id}", ["id": "hush"], "\"{\u{301}id}\" has no name in the braces at character 1: \(noName)"),
        Refused("a%/{id}", ["id": "hush"], #""a%/{id}" has a % at character 2 that begins no escape: write %25"#),
        Refused("%{id}", ["id": "2f"], #""%{id}" has a % at character 1 that begins no escape: write %25"#),
        Refused("%2{id}", ["id": "f"], #""%2{id}" has a % at character 1 that begins no escape: write %25"#),
        Refused("{id}%", ["id": "hush"], #""{id}%" has a % at character 5 that begins no escape: write %25"#),
        Refused("{x}://h.test/a", ["x": "https"], #""{x}://h.test/a" has {x} at character 1, \#(before)"#),
        Refused("http{s}://h.test/a", ["s": "s"], #""http{s}://h.test/a" has {s} at character 5, \#(before)"#),
        Refused("{x}:y", ["x": "hush"], #""{x}:y" has {x} at character 1, \#(before)"#),
        Refused("//{host}/a", ["host": "hush"], #""//{host}/a" has {host} at character 3, \#(before)"#),
        Refused("http://{host}/a", ["host": "hush"], #""http://{host}/a" has {host} at character 8, \#(before)"#),
        Refused("http://{host}", ["host": "hush"], #""http://{host}" has {host} at character 8, \#(before)"#),
        Refused("http://h.test{x}/a", ["x": "hush"], #""http://h.test{x}/a" has {x} at character 14, \#(before)"#),
        Refused("http://h.test:{p}/a", ["p": 80], #""http://h.test:{p}/a" has {p} at character 15, \#(before)"#),
        Refused(
            "http://{user}@h.test/a", ["user": "hush"], #""http://h.test/a" has {user} at character 8, \#(before)"#),
        Refused("http://ada:hush@h.test/{", [:], #""http://h.test/{" has an unclosed { at character 24"#),
    ]

    static let operators = [
        "+x", "#x", ".x", "/x", ";x", "?x", "&x", "=x", ",x", "!x", "@x", "|x", "x*", "x:3", "x,y", "x y", " x", "x-y",
        "x.", "x..y", "\u{E9}", "x/y", "x\0",
    ]

    /// The error of a call with the template, to which nothing was sent.
    private func error(_ template: String, _ values: TargetTemplateTests.Values) async throws -> SessionError {
        let (manager, stub) = try stubManager(base: "http://origin.test/v1/") { _ in .json("7") }
        let error = await #expect(throws: SessionError.self) { try await manager.send(template, path: values) }
        #expect(stub.requests.isEmpty)
        #expect(SessionRequest(template, path: values).url == nil)
        return try #require(error)
    }

    @Test("a template or a value with a fault is refused with its place, and nothing is sent", arguments: refused)
    func fault(_ row: Refused) async throws {
        let error = try await error(row.template, row.values)
        #expect(error.code == .invalidRequest)
        #expect(error.description == "the request was not sent: the template " + row.fault)
        #expect(!"\(error) \(String(reflecting: error))".contains("hush"))
    }

    @Test("the operators of higher levels, and what is no name, are refused", arguments: operators)
    func higherLevel(_ expression: String) async throws {
        let error = try await error("a{\(expression)}", ["x": "hush", "y": "hush"])
        #expect(error.code == .invalidRequest)
        #expect(error.description.hasSuffix("has no name in the braces at character 2: \(Self.noName)"))
    }

    @Test(
        "a target that cannot be sent to is refused without its values",
        arguments: [
            (nil, "users/{id}"), (nil, "{id}.example.com"), (nil, "//h.test/{id}"), (nil, "h.test:81/{id}"),
            ("http://origin.test/", "http:{id}"), ("http://origin.test/", "http:/{id}"),
            ("http://origin.test/", "http:///{id}"), ("http://origin.test/", "mailto:{id}"),
            ("http://origin.test/", "ftp://h.test/{id}"), ("http://origin.test/", "http://h.test:99999/{id}"),
            ("ftp://origin.test/", "users/{id}"),
        ] as [(String?, String)])
    func unsendable(_ base: String?, _ template: String) async throws {
        let (manager, stub) = try stubManager(base: base) { _ in .json("7") }
        let error = await #expect(throws: SessionError.self) {
            try await manager.send(template, path: ["id": "hush"])
        }
        #expect(error?.code == .invalidRequest)
        #expect(error?.description.contains("hush") == false, "\(String(describing: error))")
        #expect(stub.requests.isEmpty)
    }

    @Test("a segment that the configuration masks, and a name that looks like a token, are not shown")
    func masked() async throws {
        var configuration = SessionConfiguration()
        configuration.maskedPathSegments = ["inner"]
        let (manager, _) = try stubManager(configuration: configuration) { _ in .json("7") }
        let error = await #expect(throws: SessionError.self) {
            try await manager.send("inner/{id}", path: ["id": 1, "abcdefghijklmnop12345": 2])
        }
        #expect(
            error?.description
                == #"the request was not sent: the template "***/{id}" has no {***} for a value in path:"#)
    }

    @Test("descriptions mask the target that is sent, as they do without a template")
    func description() {
        let token = "abcdefghijklmnop12345"
        let made = SessionRequest("users/{id}", path: ["id": token], query: ["a": "hush"])
        let written = SessionRequest("users/\(token)", query: ["a": "hush"])
        #expect(made.description == "GET users/***?a=***")
        #expect(made.description == written.description)
        #expect(made.curlDescription() == written.curlDescription())
        #expect(String(reflecting: made) == String(reflecting: written))
        #expect(SessionRequest("users/{id", path: ["id": token]).description == "GET users/{id")
    }

    @Test(
        "an interceptor sees the target with its values; one that sets another target replaces the template, and its fault"
    )
    func interceptor() async throws {
        let seen = Shared<[String?]>([])
        var configuration = SessionConfiguration()
        configuration.interceptors = [
            MadeInterceptor { request in
                seen.withLock { $0 += [request.target, request.url?.absoluteString, request.template] }
                guard request.headers["X-Set"] != nil else { return request }
                var request = request
                request.target = "b/{c}"
                seen.withLock { $0.append(request.template) }
                return request
            }
        ]
        let (manager, stub) = try stubManager(configuration: configuration) { _ in .json("7") }
        _ = try await manager.send("a/{id}", path: ["id": "1/2"])
        _ = try await manager.send("a/{id", path: [:], headers: ["X-Set": "1"])
        await #expect(throws: SessionError.self) { try await manager.send("a/{id", path: [:]) }
        #expect(
            seen.withLock { $0 } == [
                "a/1%2F2", "http://origin.test/a/1%2F2", "a/{id}", "a/{id", nil, "a/{id", nil, "a/{id", nil, "a/{id",
            ])
        #expect(stub.requests.map { $0.head.url.path(percentEncoded: true) } == ["/a/1%2F2", "/b/%7Bc%7D"])
    }

    @Test("a retry sends the same target")
    func retry() async throws {
        var configuration = SessionConfiguration()
        configuration.interceptors = [RetryPolicy(limit: 1)]
        configuration.sleep = { _ in }
        let (manager, stub) = try stubManager(configuration: configuration) { _ in .json("7", status: 503) }
        await #expect(throws: SessionError.self) { try await manager.send("a/{id}", path: ["id": "1/2"]) }
        #expect(stub.requests.map { $0.head.url.path(percentEncoded: true) } == ["/a/1%2F2", "/a/1%2F2"])
    }

    /// Keeps the template that each request was sent with.
    private struct Templates: InCallObserver {
        let seen = Shared<[String?]>([])
        func observeInCall(_ event: SessionEvent) {
            guard case .sending = event.stage else { return }
            seen.withLock { $0.append(event.attributes["url.template"]?.string) }
        }
    }

    @Test("the template of an event and the stage of an adapted request hide named segments and tokens")
    func hidden() async throws {
        struct Unchanging: RequestInterceptor {}
        struct Stages: InCallObserver {
            let seen = Shared<[String]>([])
            func observeInCall(_ event: SessionEvent) {
                seen.withLock { $0 += ["\(event.stage)", "\(event.attributes)"] }
            }
        }
        let (stages, token) = (Stages(), "ghp0123456789abcdefghij0123456789")
        let (manager, _) = try stubManager(
            base: "http://origin.test/\(token)/hush/",
            configuration: SessionConfiguration(
                interceptors: [Unchanging()], observers: [stages], maskedPathSegments: ["hush"])
        ) { _ in .json("7") }
        _ = try await manager.send(SessionRequest("a/hush/{id}", path: ["id": 1]))
        let seen = stages.seen.withLock(\.self)
        #expect(seen.filter { $0.contains("hush") || $0.contains(token) } == [])
        #expect(seen.contains { $0.contains("/***/***/a/***/{id}") })
    }

    @Test("observers and the log have the template, each request its own, and none behind a redirect")
    func redirect() async throws {
        let (folder, templates) = (TemporaryFolder(), Templates())
        let log = folder.url.appending(path: "traffic")
        let (manager, stub) = try stubManager(
            base: "http://origin.test/v1/",
            configuration: SessionConfiguration(observers: [templates, TrafficLog(to: log)])
        ) { request in
            request.head.url.path() == "/v1/a/1" ? StubReply(status: 302, fields: ["Location": "/b"]) : .json("7")
        }
        for (target, path) in [("a/{id}", ["id": "1"]), ("{x}/c", ["x": "hu sh"]), ("c", nil)] {
            _ = try await manager.send(SessionRequest(target, path: path))
        }
        await manager.finishObserving()
        #expect(
            stub.requests.map { $0.head.url.path(percentEncoded: true) }
                == ["/v1/a/1", "/b", "/v1/hu%20sh/c", "/v1/c"])
        #expect(templates.seen.withLock(\.self) == ["/v1/a/{id}", nil, "/v1/{x}/c", nil])
        let text = try String(contentsOf: log, encoding: .utf8).split(separator: "\n").joined(separator: ",")
        let lines = try JSON(parsing: "[\(text)]")
        #expect(lines.array?.map { $0["url"]?.string } == ["b", "v1/{x}/c", "v1/c"].map { "http://origin.test/\($0)" })
        #expect(lines.array?.map { $0["template"]?.bool } == [nil, true, nil])
    }

    static let paths: [(base: String?, template: String, path: String?)] = [
        ("http://h.test/v1", "users/{id}/posts", "/v1/users/{id}/posts"),
        ("http://h.test/v1/", "users/{id}/posts", "/v1/users/{id}/posts"),
        ("http://h.test", "users/{id}", "/users/{id}"), ("http://h.test/v1/", "/users/{id}", "/users/{id}"),
        ("http://h.test/v1/", "{a}.{b}", "/v1/{a}.{b}"), ("http://h.test/v1/", "../{a.b}/x", "/{a.b}/x"),
        ("http://h.test/v1/", "s?q={q}", "/v1/s"), ("http://h.test/v1/", "s/{a}#{q}", "/v1/s/{a}"),
        ("http://h.test/v1/", "a b/{id}", "/v1/a%20b/{id}"), ("http://h.test/v1/", "a%20b/{id}", "/v1/a%20b/{id}"),
        ("http://h.test/a%20b/", "{id}", "/a%20b/{id}"), ("http://h.test/v1/", "", "/v1/"),
        ("http://h.test/v1/", "http://other.test/a/{id}?b={c}", "/a/{id}"), (nil, "http://other.test/{id}", "/{id}"),
        ("http://h.test/v1/", "//other.test/{id}", "/{id}"), (nil, "users/{id}", nil),
    ]

    @Test("the whole path of a template has the path of the base URL", arguments: paths)
    func wholePath(_ base: String?, _ template: String, _ path: String?) {
        #expect(RequestBase(base.flatMap { URL(string: $0) }).path(ofTemplate: template) == path)
    }
}
