import Foundation
import Patchbay
import PatchbayTesting
import TestSupport
import Testing

/// Holds what the pages say about the URL and the fields of a request, and about its file, to the code.
@Suite(.timeLimit(.minutes(5))) struct RequestTablesTests {
    @Test("a base URL and a target make the URL of the page")
    func urls() async throws {
        let page = try Markdown("Documentation/Requests.md").text
        let rows = page.split(separator: "\n").filter { $0.hasPrefix("| `http") || $0.hasPrefix("| none") }
        #expect(rows.count == 9)
        for row in rows {
            let cells = row.split(separator: "|").map { $0.trimmingCharacters(in: [" ", "`"]) }
            let stub = StubTransport { _ in StubReply() }
            let manager = SessionManager(
                baseURL: cells[0] == "none" ? nil : URL(string: cells[0]), registry: .standard, transport: stub)
            _ = try await manager.send(cells[1])
            #expect(stub.requests.map(\.head.url.absoluteString) == [cells[2]], "\(row)")
        }
        let stub = StubTransport { _ in StubReply() }
        let keyed = SessionManager(
            baseURL: URL(string: "https://api.example.com/v1?key=1"), registry: .standard, transport: stub)
        for target in ["", "users", "/users", "?page=2"] { _ = try await keyed.send(target) }
        #expect(stub.requests.map(\.head.url.query) == ["key=1", nil, nil, "page=2"])
        let alone = SessionManager(registry: .standard, transport: StubTransport { _ in StubReply() })
        let error = await #expect(throws: SessionError.self) { try await alone.send("users") }
        #expect(error?.code == .invalidRequest)
        #expect("\(try #require(error))".contains("write a scheme"))
    }

    /// Keeps the names of the stages, and what a call and its task are printed as at `created`, once the call has ended.
    private struct Late: SessionObserver {
        let isOver = Shared(false)
        let stages = Shared<[String]>([])
        let printed = Shared<[String]>([])

        func observe(_ event: SessionEvent) async {
            while !isOver.withLock({ $0 }) { await Task.yield() }
            if case .created = event.stage {
                printed.withLock { $0 += ["\(event)", event.task.map { "\($0)" } ?? ""] }
            }
            let name = "\(event.stage)".prefix { $0.isLetter }
            stages.withLock { $0.append(String(name)) }
        }
    }

    @Test("stages come in the order of the page, and an event shows the call as it was, a task as it is")
    func stages() async throws {
        let stub = StubTransport { _ in StubReply(fields: ["Content-Type": "application/json"], body: "7") }
        let late = Late()
        var configuration = SessionConfiguration()
        (configuration.observers, configuration.interceptors) = ([late], [RetryPolicy()])
        let manager = SessionManager(
            baseURL: URL(string: "http://origin.test"), registry: .standard, transport: stub,
            configuration: configuration)
        _ = try await manager.get("a", as: Int.self)
        late.isOver.withLock { $0 = true }
        await manager.shutdown()
        while late.stages.withLock({ $0.last }) != "invalidated" { await Task.yield() }
        let page = try Markdown("Documentation/Observing.md").text
        let sentence = try #require(page.split(separator: "The usual order is ").last?.split(separator: ".").first)
        let order = sentence.matches(of: #/`(\w+)`/#).map { String($0.1) }
        #expect(order.count == 8 && late.stages.withLock { $0 } == order + ["invalidated"])
        let comment = try Markdown("Sources/Manager/Session/SessionEvent.swift").text.replacing("\n    ///", with: "")
        #expect(comment.contains("Their usual order is \(sentence)."))
        #expect(late.printed.withLock { $0 } == ["GET a: created", "GET http://origin.test/a (200)"])
    }

    @Test("all events of a call have its number, and another call has another")
    func numbers() async throws {
        let numbers = Shared<[Int]>([])
        var configuration = SessionConfiguration()
        configuration.observers = [
            MadeObserver { event in if let task = event.task { numbers.withLock { $0.append(task.id) } } }
        ]
        configuration.interceptors = [RetryPolicy(limit: 1)]
        let stub = StubTransport { request in StubReply(status: request.head.url.path() == "/a" ? 503 : 200) }
        let manager = SessionManager(
            baseURL: URL(string: "http://origin.test"), registry: .standard, transport: stub,
            configuration: configuration)
        _ = try? await manager.send("a")
        await manager.finishObserving()
        let first = numbers.withLock { $0 }
        #expect(Set(first).count == 1 && first.count > 8)
        _ = try await manager.send("b")
        await manager.finishObserving()
        #expect(Set(numbers.withLock { $0 }).count == 2)
    }

    /// Sets the field by `adapt`, or by `sign`.
    private struct Setting: RequestInterceptor {
        let value: String
        var signs = false

        func adapt(_ request: SessionRequest) async throws -> SessionRequest {
            var request = request
            if !signs { request.headers["Authorization"] = value }
            return request
        }

        func sign(_ head: inout RequestHead, body: RequestBody?) async throws {
            if signs { head.fields["Authorization"] = value }
        }
    }

    @Test("of several that set Authorization the last one wins, in the order of the page")
    func authorization() async throws {
        let bearer = AuthenticationInterceptor(BearerScheme { $0 }, credential: .init(token: "interceptor"))
        let elsewhere = AuthenticationInterceptor(
            BearerScheme { $0 }, credential: .init(token: "elsewhere"), hosts: ["other.example"])
        let ways: [(String, (inout SessionConfiguration, inout SessionRequest) -> Void)] = [
            ("manager", { configuration, _ in configuration.headers["Authorization"] = "manager" }),
            ("Basic YWRhOnB3", { $1.target = "https://ada:pw@api.example.com/x" }),
            ("request", { $1.headers["Authorization"] = "request" }),
            ("request", { configuration, _ in configuration.interceptors = [elsewhere] }),
            ("Bearer interceptor", { configuration, _ in configuration.interceptors.append(bearer) }),
            ("second", { configuration, _ in configuration.interceptors.append(Setting(value: "second")) }),
            ("of the request", { $1.interceptors = [Setting(value: "of the request")] }),
            (
                "signed",
                { configuration, _ in configuration.interceptors.insert(Setting(value: "signed", signs: true), at: 0) }
            ),
        ]
        var (configuration, request) = (SessionConfiguration(), SessionRequest("x"))
        for (sent, change) in ways {
            change(&configuration, &request)
            let stub = StubTransport { _ in StubReply() }
            let manager = SessionManager(
                baseURL: URL(string: "https://api.example.com"), registry: .standard, transport: stub,
                configuration: configuration)
            _ = try await manager.send(request)
            #expect(stub.requests.first?.head.fields.values(for: "Authorization") == [sent])
        }
    }

    @Test("a coded body is decoded into its file, and the limit of the request counts the decoded bytes")
    func codedFile() async throws {
        let body = GzipMember.repeating([0], count: 1 << 20)
        #expect(body.count < 1 << 13)
        let server = try RawServer(
            always: .response(["Content-Type": "application/octet-stream", "Content-Encoding": "gzip"], body: body))
        let folder = TemporaryFolder()
        let manager = SessionManager(baseURL: server.url())
        let destination = DownloadDestination.file(folder.url.appending(path: "x"))
        var request = SessionRequest("x")
        request.maximumBodyBytes = 1 << 19
        let error = await #expect(throws: SessionError.self) {
            _ = try await manager.download(request, to: destination)
        }
        #expect(error?.code == .bodyTooLarge)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [])
        let file = try await manager.download("x", to: destination).value
        #expect(try Data(contentsOf: file).count >= 1 << 20)
    }

    #if os(Linux)
        @Test("a program sees at its start which libcurl is there")
        func libcurlVersion() { #expect(bootLine().hasPrefix("libcurl/")) }
    #endif
}
