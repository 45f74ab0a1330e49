import Foundation
import Patchbay
import PatchbayTesting
import StandInLogging
import StandInMetrics
import TestSupport
import Testing

@testable import Adapters

/// The examples `CallLog` and `CallMetrics`.
@Suite(.timeLimit(.minutes(5))) struct ObserverAdapterTests {
    private final class Lines: Sendable {
        let kept = Shared<[String]>([])
        let ends = Shared(0)

        var end: MadeObserver {
            MadeObserver { event in if case .finished = event.stage { self.ends.withLock { $0 += 1 } } }
        }

        func after(_ count: Int) async -> [String] {
            while ends.withLock({ $0 }) < count { await Task.yield() }
            return kept.withLock { $0 }
        }
    }

    private struct Handler: LogHandler {
        let lines: Lines
        var metadata: Logger.Metadata = [:]
        var logLevel: Logger.Level
        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }
        func log(
            level: Logger.Level, message: Logger.Message, metadata: Logger.Metadata?, source: String, file: String,
            function: String, line: UInt
        ) {
            let facts = (metadata ?? [:]).filter { $0.key != "time" }.sorted { $0.key < $1.key }
                .map { "\($0.key)=\($0.value)" }.joined(separator: " ")
            lines.kept.withLock { $0.append("\(level): \(message) | \(facts)") }
            #expect(metadata?["time"]?.description.contains(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z$/) == true)
        }
    }

    private func manager(
        _ observers: [any SessionObserver], _ reply: @escaping @Sendable (TransportRequest) async throws -> StubReply
    ) -> SessionManager {
        var configuration = SessionConfiguration()
        configuration.observers = observers
        configuration.interceptors = [RetryPolicy(limit: 1, scale: .zero)]
        return SessionManager(
            baseURL: URL(string: "https://api.example.com"), transport: StubTransport(reply),
            configuration: configuration)
    }

    @Test("a log has a line for each call and each retry, by level, with the attributes and no query")
    func log() async throws {
        let lines = Lines()
        let logger = Logger(label: "api") { _ in Handler(lines: lines, logLevel: .info) }
        let manager = manager([CallLog(logger), lines.end]) { request in
            switch request.head.url.path() {
            case "/good": StubReply(fields: ["Content-Type": "application/json"], body: "[1]")
            case "/busy": StubReply(status: 503)
            default: StubReply(fields: ["Content-Type": "application/json"], body: "{")
            }
        }
        for target in ["good?token=secret", "busy", "bad"] { _ = try? await manager.get(target, as: [Int].self) }
        let kept = await lines.after(3)
        #expect(kept.map { $0.split(separator: ":")[0] } == ["info", "notice", "error", "error"])
        try #require(kept.count == 4)
        #expect(!kept.joined().contains("secret"))
        #expect(
            kept[0] == "info: GET https://api.example.com/good?token=*** (200): finished, read by json | "
                + "http.request.method=GET http.response.status_code=200 patchbay.entry=json "
                + "server.address=api.example.com server.port=443 url.full=https://api.example.com/good?token=***")
        #expect(kept[1].contains("error.type=503") && !kept[1].contains("resend_count"))
        #expect(kept[2].contains("error.type=503") && kept[2].contains("http.request.resend_count=1"))
        #expect(kept[3].contains("error.type=serialization"))
    }

    @Test("with the level trace, a log has a line for each event")
    func trace() async throws {
        let lines = Lines()
        let logger = Logger(label: "api") { _ in Handler(lines: lines, logLevel: .trace) }
        let manager = manager([CallLog(logger), lines.end]) { _ in StubReply(body: "1") }
        _ = try await manager.send("a")
        let words = await lines.after(1).map { line in line.split(separator: " | ")[0].split(separator: ": ").last ?? ""
        }
        #expect(words.contains("created") && words.contains("resumed"))
        #expect(words.count >= 7)
    }

    private final class Factory: MetricsFactory {
        static let shared = {
            let factory = Factory()
            MetricsSystem.bootstrap(factory)
            return factory
        }()

        final class Handler: TimerHandler {
            let line: String
            init(_ line: String) { self.line = line }
            func recordNanoseconds(_ duration: Int64) {
                #expect(duration >= 0)
                Factory.shared.recorded.withLock { $0.append(line) }
            }
        }

        let recorded = Shared<[String]>([])

        func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
            Handler(([label] + dimensions.map { "\($0)=\($1)" }).joined(separator: " "))
        }
    }

    @Test("metrics have a time for each request that was sent, and for each decoding, without a URL")
    func metrics() async throws {
        let factory = Factory.shared
        let lines = Lines()
        let manager = manager([CallMetrics(), lines.end]) { request in
            switch request.head.url.path() {
            case "/moved": return StubReply(status: 307, fields: ["Location": "/good"])
            case "/good": return StubReply(fields: ["Content-Type": "application/json"], body: "[1]")
            case "/busy": return StubReply(status: 503)
            default: throw TransportFailure(.other, "there is no such path")
            }
        }
        for target in ["moved", "busy", "lost"] { _ = try? await manager.get(target, as: [Int].self) }
        _ = await lines.after(3)
        let request =
            "http.client.request.duration http.request.method=GET server.address=api.example.com server.port=443"
        #expect(
            factory.recorded.withLock { $0 } == [
                request + " http.response.status_code=307", request + " http.response.status_code=200",
                "patchbay.decoding.duration patchbay.entry=json",
                request + " http.response.status_code=503 error.type=503",
                request + " http.response.status_code=503 error.type=503", request + " error.type=transport",
            ])
    }
}
