import Foundation
import Patchbay
import PatchbayTesting
import PatchbayTools
import TestSupport
import Testing

/// Holds the page on the log of the traffic, and its schema, to the lines that are written.
@Suite(.timeLimit(.minutes(5))) struct TrafficPageTests {
    enum Examples {
        func loggedManager() -> SessionManager {
            var configuration = SessionConfiguration()
            configuration.observers = [
                TrafficLog(to: URL(filePath: "/var/log/shop/traffic.ndjson"), maximumBytes: 256 << 20)
            ]
            return SessionManager(baseURL: URL(string: "https://api.example.com"), configuration: configuration)
        }

        func end(_ manager: SessionManager) async {
            await manager.shutdown()
            await manager.finishObserving()
        }

        struct Trace: InCallObserver {
            @TaskLocal static var id: String?

            func observeInCall(_ event: SessionEvent) {
                switch event.stage {
                case .created: print(Self.id ?? "no trace", "begins")
                case .finished: print(Self.id ?? "no trace", "ends")
                default: break
                }
            }
        }
    }

    /// Has a call retried once.
    private struct Once: RequestInterceptor {
        func retry(_ request: SessionRequest, after error: SessionError) async -> RetryDecision {
            error.retries == 0 && error.code == .status ? .retry : .doNotRetry
        }
    }

    private struct Visit: Codable, Sendable { let id: Int }

    private static let page = try? Markdown("Documentation/Traffic.md")
    private static let schema = try? JSON(
        parsing: Data(contentsOf: Markdown.root.appending(path: "Documentation/traffic.schema.json")))

    @Test func `each example of the page compiles`() throws {
        let page = try #require(Self.page)
        #expect(try page.swift(missingIn: ["Tests/PatchbayTests/TrafficPageTests.swift"]) == [])
    }

    @Test func `the page has a row for each key, in the order of the schema`() throws {
        let (page, schema) = (try #require(Self.page), try #require(Self.schema))
        let table = page.text.components(separatedBy: "| key | value |")[1].components(separatedBy: "\n\n")[0]
        let names = table.split(separator: "\n").filter { $0.hasPrefix("| `") }.map {
            String($0.split(separator: "`")[1])
        }
        #expect(names == schema["properties"]?.object?.map(\.key))
    }

    /// Lines of calls of many kinds, as text.
    private static func lines() async throws -> [String] {
        let folder = TemporaryFolder()
        let url = folder.url.appending(path: "log")
        let stub = StubTransport { request in
            let json: HeaderFields = ["Content-Type": "application/json"]
            switch request.head.url.path() {
            case "/busy": return StubReply(status: 503, fields: json, body: "{}")
            case "/events":
                return StubReply(fields: ["Content-Type": "text/event-stream"], body: "data: {\"id\":1}\n\n")
            case "/twice":
                return StubReply(fields: HeaderFields([("Content-Type", "a/b"), ("Content-Type", "c/d")]), body: "1")
            case "/kept":
                return StubReply(
                    fields: ["Content-Type": "application/json", "Cache-Control": "max-age=600"], body: "{\"id\":1}")
            default: return StubReply(fields: json, body: "{\"id\":1}")
            }
        }
        let configuration = SessionConfiguration(
            interceptors: [Once()], observers: [TrafficLog(to: url)],
            cache: .memory(bytes: 1 << 20))
        let manager = SessionManager(
            baseURL: URL(string: "https://api.example.com"), registry: .standard, transport: stub,
            configuration: configuration)
        _ = try await manager.get("visits/1", as: Visit.self)
        _ = try? await manager.get("busy", as: Visit.self)
        _ = try await manager.post("visits", body: Visit(id: 1), as: Visit?.self)
        _ = try? await manager.send("twice")
        for _ in 0..<2 { _ = try await manager.get("kept", as: [String: Int].self) }
        _ = try? await manager.get("visits/1", as: [Visit].self)
        var request = SessionRequest("visits/1")
        request.excluding = ["json"]
        _ = try? await manager.send(request)
        for try await _ in try await manager.stream("events", of: Visit.self) {}
        await manager.shutdown()
        await manager.finishObserving()
        return try String(contentsOf: url, encoding: .utf8).split(separator: "\n").map(String.init)
    }

    @Test(.enabled(if: SchemaValidator.isThere, SchemaValidator.hint))
    func `the schema takes the lines of all kinds of calls, and refuses others`() async throws {
        let schema = try #require(Self.schema)
        let lines = try await Self.lines()
        #expect(lines.count == 10)
        let dropped = try #require(Self.page?.blocks(of: "json").first)
        let faults = try await SchemaValidator.faults(in: lines + [dropped], by: schema)
        #expect(faults.flatMap(\.self) == [])
        let bad = [
            #"{"patchbay":2,"time":"2026-11-30T13:52:34.123Z","dropped":12}"#, #"{"patchbay":1,"dropped":12}"#,
            #"{"patchbay":1,"time":"2026-11-30T13:52:34Z","dropped":12}"#,
            #"{"patchbay":1,"time":"2026-11-30T13:52:34.123Z"}"#, "[]",
            lines[0].replacing("\"status\":200", with: "\"status\":\"200\""),
        ]
        #expect(try await SchemaValidator.faults(in: bad, by: schema).count { $0.isEmpty } == 0)
    }

    @Test func `the keys of a line are those of the schema, in its order`() async throws {
        let keys = try #require(Self.schema?["properties"]?.object?.map(\.key))
        var seen: Set<String> = ["template", "dropped"]
        for line in try await Self.lines() {
            let names = try #require(JSON(parsing: Data(line.utf8)).object?.map(\.key))
            #expect(names == keys.filter(names.contains))
            seen.formUnion(names)
        }
        #expect(seen.union(["asked"]) == Set(keys))
    }

    @Test func `the words for what a call wants are those of patchbay diff`() throws {
        let registry = SerializerRegistry.standard
        for capability in Capability.all(of: [registry]) {
            #expect(capability.wanted.word(in: registry) == capability.name)
        }
        #expect(WantedValue.anyElements.word(in: registry) == "elements of any type")
        #expect(WantedValue.elements(of: Data.self).word(in: registry) == "bytes")
        #expect(WantedValue.type(JSON?.self).word(in: registry) == "JSON")
        let names: [(WantedValue, String?)] = [
            (.anything, nil), (.type(Visit.self), "Visit"), (.type([Visit].self), "[Visit]"),
            (.type([[Visit]?].self), "[[Visit]?]"), (.type(Visit?.self), "Visit?"),
            (.elements(of: Visit.self), "Visit"),
        ]
        for (wanted, name) in names { #expect(wanted.typeName == name) }
    }
}
