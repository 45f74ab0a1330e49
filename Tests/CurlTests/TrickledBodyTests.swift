import Foundation
import Patchbay
import PatchbayManager
import PatchbayRegistry
import TestSupport
import Testing

/// The idle timeout of a call is the total timeout of the body of an error or a redirect: the status is known.
@Suite("Bodies of errors and redirects that do not end", .timeLimit(.minutes(5)))
struct TrickledBodyTests {
    enum Verb: String, Sendable, CaseIterable {
        case get, stream, upload, download

        /// The body of the response.
        func text(_ manager: SessionManager) async throws -> String {
            switch self {
            case .get: return try await manager.get("a", as: String.self)
            case .upload: return try await manager.upload(.data(Data("x".utf8)), to: "a", as: String.self)
            case .stream:
                var body = Data()
                for try await piece in try await manager.stream("a", of: Data.self) { body += piece }
                return String(decoding: body, as: UTF8.self)
            case .download:
                let file = try await manager.download("a").value
                defer { try? FileManager.default.removeItem(at: file) }
                return String(decoding: try Data(contentsOf: file), as: UTF8.self)
            }
        }
    }

    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let status: Int
        let body: HeldBody
        var redirects = RedirectHandler.follow
    }

    private static let rows = [
        Row(testDescription: "an error that trickles", status: 500, body: .trickled),
        Row(testDescription: "an error that hangs", status: 500, body: .hung),
        Row(testDescription: "a redirect that trickles", status: 302, body: .trickled),
        Row(testDescription: "a redirect that hangs", status: 302, body: .hung),
        Row(
            testDescription: "a redirect that is not followed, and trickles", status: 302, body: .trickled,
            redirects: .doNotFollow),
    ]

    private static func manager(
        _ server: RawServer, idle: Duration, redirects: RedirectHandler = .follow
    ) -> SessionManager {
        var configuration = SessionConfiguration()
        (configuration.idleTimeout, configuration.totalTimeout, configuration.redirects) = (idle, nil, redirects)
        return SessionManager(baseURL: server.url(), configuration: configuration)
    }

    /// The result of a call with the shortest of four idle timeouts that the machine keeps: a busy machine can be silent
    /// for longer, and the call then ends for a reason that the test is not about.
    /// - Parameter call: makes a call with an idle timeout of so many seconds.
    private static func result(of call: (Int) async throws -> String) async -> Result<String, any Error> {
        var result = Result<String, any Error>.success("")
        for idle in [1, 5, 25, 100] {
            do {
                result = .success(try await call(idle))
            } catch {
                result = .failure(error)
                if (error as? SessionError)?.code == .idleTimeout { continue }
            }
            break
        }
        return result
    }

    @Test("The call ends with the status, or follows the redirect", arguments: rows, Verb.allCases)
    func held(_ row: Row, _ verb: Verb) async throws {
        let server = try RawServer { request in
            request.target == "/next"
                ? .response(["Content-Type": "text/plain"], body: "next")
                : row.body.reply(row.status, location: "/next")
        }
        let result = await Self.result { idle in
            try await verb.text(Self.manager(server, idle: .seconds(idle), redirects: row.redirects))
        }
        try Self.check(result, row)
    }

    /// Throws the error that hides the status.
    private static func check(_ result: Result<String, any Error>, _ row: Row) throws {
        switch result {
        case .success(let text):
            #expect(row.status == 302)
            #expect(text == "next")
        case .failure(let error as SessionError) where error.code == .status:
            #expect(error.head?.status == row.status)
            #expect(error.bodyFailure != nil)
        case .failure(let error): throw error
        }
    }

    @Test("An error whose body trickles to its end has all of it", arguments: Verb.allCases)
    func wholeError(_ verb: Verb) async throws {
        let server = try RawServer(always: HeldBody.ending(500, afterBytes: 20))
        let manager = Self.manager(server, idle: .seconds(60))
        let error = await #expect(throws: SessionError.self) { try await verb.text(manager) }
        #expect(error?.code == .status)
        #expect(error?.value as? String == String(repeating: "x", count: 20))
        #expect(error?.bodyFailure == nil)
    }

    @Test("A good body may trickle for longer than the idle timeout", arguments: Verb.allCases)
    func good(_ verb: Verb) async throws {
        let result = await Self.result { idle in
            let count = idle * 120
            let server = try RawServer(always: HeldBody.ending(200, afterBytes: count))
            let text = try await verb.text(Self.manager(server, idle: .seconds(idle)))
            #expect(text == String(repeating: "x", count: count))
            return text
        }
        _ = try result.get()
    }
}
