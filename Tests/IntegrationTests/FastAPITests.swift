import Foundation
import Patchbay
import PatchbayMigration
import TestSupport
import Testing

/// The real server of these tests: scripts/fastapiserver.py, which scripts/test starts and names in PATCHBAY_FASTAPI.
enum FastAPI {
    static let url = ProcessInfo.processInfo.environment["PATCHBAY_FASTAPI"].flatMap { URL(string: $0) }

    /// How to get these tests to run, shown with each that was skipped.
    static let absence = "PATCHBAY_FASTAPI is not set: run scripts/test, which starts FastAPI"
}

/// 1,000 rows, each in two pieces that are cut inside of a character, as events or as lines: in the framings that FastAPI writes.
@Suite("FastAPI", .enabled(if: FastAPI.url != nil, "\(FastAPI.absence)"), .timeLimit(.minutes(5)))
struct FastAPITests {
    private struct Row: Decodable, Sendable, Equatable {
        let id: Int
        let text: String

        static func all(_ ids: ClosedRange<Int>) -> [Row] { ids.map { Row(id: $0, text: "Zoë 雪 \($0)") } }
    }

    /// Server-sent events and NDJSON.
    static let formats = ["events", "lines"]

    private let manager = SessionManager(baseURL: FastAPI.url)

    /// The one program that reads either format.
    /// - Returns: the rows, and what ended them if that was an error.
    private func rows(
        _ request: SessionRequest, reconnecting reconnection: EventReconnection? = nil,
        _ see: (Row) async throws -> Void = { _ in }
    ) async throws -> ([Row], SessionError?) {
        var rows: [Row] = []
        do {
            for try await row in try await manager.stream(request, of: Row.self, reconnecting: reconnection) {
                rows.append(row)
                try await see(row)
            }
            return (rows, nil)
        } catch let error as SessionError {
            return (rows, error)
        }
    }

    /// Without a word from the server, and with waits as short as it wants them.
    private static var reconnection: EventReconnection {
        var reconnection = EventReconnection.standard
        reconnection.allowedDelays = .zero ... .seconds(3)
        return reconnection
    }

    @Test("one program reads 1,000 elements of either format", arguments: formats)
    func all(_ format: String) async throws {
        let (rows, error) = try await rows(SessionRequest(format))
        #expect(rows == Row.all(1...1_000))
        #expect(error == nil)
        // And the same entry gives them all at once.
        #expect(try await manager.get(format, as: [Row].self) == rows)
    }

    @Test("the elements before a stall inside of a character are given before it is over", arguments: formats)
    func stall(_ format: String) async throws {
        let gate = UUID().uuidString
        let (rows, error) = try await rows(SessionRequest("\(format)?hold=501&gate=\(gate)")) { row in
            // Only now does the server go on.
            if row.id == 500 { _ = try await manager.send(SessionRequest("gates/\(gate)", method: "POST")) }
        }
        #expect(rows == Row.all(1...1_000))
        #expect(error == nil)
    }

    @Test("a stall that is longer than the idle timeout is an error behind the elements before it", arguments: formats)
    func idle(_ format: String) async throws {
        var request = SessionRequest("\(format)?hold=501&gate=\(UUID().uuidString)")
        request.idleTimeout = .seconds(2)
        let (rows, error) = try await rows(request)
        #expect(rows == Row.all(1...500))
        #expect(error?.code == .idleTimeout)
    }

    @Test("a cut in the middle of an element is an error behind the elements before it", arguments: formats)
    func cut(_ format: String) async throws {
        let (rows, error) = try await rows(SessionRequest("\(format)?cut=501"))
        #expect(rows == Row.all(1...500))
        #expect((error?.cause as? TransportFailure)?.code == .truncatedBody, "\(String(describing: error))")
    }

    @Test("events that are cut and stalled are all there exactly once where they are asked for again")
    func reconnected() async throws {
        let ids = Shared<[String?]>([])
        var request = SessionRequest("events?cut=301,701&hold=501&gate=\(UUID().uuidString)")
        request.idleTimeout = .seconds(2)
        request.interceptors = [
            ClosureInterceptor(adapt: { request in
                ids.withLock { $0.append(request.headers["Last-Event-ID"]) }
                return request
            })
        ]
        let (rows, error) = try await rows(request, reconnecting: Self.reconnection)
        #expect(rows == Row.all(1...1_000))
        #expect(error == nil)
        #expect(ids.withLock { $0 } == [nil, "300", "500", "700", "1000"])
    }

    @Test("lines cannot be asked for again, which is an error before the first")
    func lines() async throws {
        let (rows, error) = try await rows(SessionRequest("lines"), reconnecting: Self.reconnection)
        #expect(rows == [])
        #expect(error?.code == .noReader)
        #expect(error?.decision?.entry == "ndjson")
    }
}
