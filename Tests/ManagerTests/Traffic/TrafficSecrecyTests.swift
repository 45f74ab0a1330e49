import Foundation
import PatchbayJSON
import PatchbayPlatform
import PatchbayRegistry
import PatchbayTesting
import TestSupport
import Testing

@testable import PatchbayManager

@Suite("Nothing secret in the log of the traffic", .timeLimit(.minutes(5))) struct TrafficSecrecyTests {
    /// Thirty words, each planted in one place.
    private static let secrets = (1...30).map { "hush\($0)x" }

    private struct Sentence: Error, CustomStringConvertible { let description: String }

    @Test("of 30 secrets in queries, fields, cookies, bodies and errors, none is in a line")
    func planted() async throws {
        let s = Self.secrets
        let fixture = TrafficFixture()
        let jar = CookieJar()
        let signer = MadeInterceptor(
            adapt: { request in
                var request = request
                request.headers["X-Signature"] = s[0]
                return request
            },
            retry: { _, error in
                error.retries == 0 && error.code == .status
                    ? .retry : .doNotRetryWithError(Sentence(description: s[1]))
            })
        var configuration = SessionConfiguration(
            taskLabel: s[4], interceptors: [signer], cookies: jar, maskedPathSegments: [s[3], "key/"])
        configuration.headers["Authorization"] = "Bearer \(s[2])"
        let manager = try fixture.manager(configuration) { request in
            switch request.head.url.path {
            case "/moved":
                return StubReply(
                    status: 307, fields: ["Location": "/done?code=\(s[5])#\(s[6])", "Set-Cookie": "id=\(s[7])"])
            case "/broken":
                return StubReply(
                    fields: ["Content-Type": "application/json", "X-Trace": s[8], "Set-Cookie": "sid=\(s[9])"],
                    body: "{\(s[10])")
            case "/busy": return .json(#"{"detail":"\#(s[11])"}"#, status: 503)
            case "/lost": throw TransportFailure(.lostConnection, s[12])
            default:
                return StubReply(
                    fields: ["Content-Type": "application/json", "ETag": s[13], "Link": "</\(s[14])>"],
                    body: #""\#(s[15])""#)
            }
        }
        jar.set(try Cookie("session", s[16], domain: "origin.test"))
        var request = SessionRequest("refused")
        request.validators = [{ _, _ in throw Sentence(description: s[17]) }]
        let refused = request
        let token = "0123456789abcdef\(s[18])0123456789"
        let calls: [@Sendable () async throws -> Void] = [
            { _ = try await manager.get("a?token=\(s[19])&\(s[20])#\(s[21])", as: String.self) },
            { _ = try await manager.get("a", query: [s[22]: s[23]], headers: ["X-Key": s[24]], as: String.self) },
            { _ = try await manager.get("http://\(s[25]):\(s[26])@origin.test/a", as: String.self) },
            { _ = try await manager.get("users/\(token)/\(s[3])/key/\(s[27])/a;jsessionid=\(s[28])", as: String.self) },
            { try await manager.post("a", body: ["secret": s[29]]) },
            { _ = try await manager.get("moved", as: String.self) },
            { _ = try await manager.get("broken", as: Int.self) },
            { _ = try await manager.get("busy", as: Int.self) },
            { _ = try await manager.get("lost", as: Int.self) },
            { _ = try await manager.send(refused) },
        ]
        for call in calls { try? await call() }
        let lines = try await fixture.lines()
        #expect(lines.count == 10)
        let text = try String(contentsOf: fixture.url, encoding: .utf8)
        for secret in s { #expect(!text.contains(secret), "\(secret)") }
        #expect(text.contains("http://origin.test/users/***/***/key/***/a;***"))
    }

    struct Wide<A, B>: Sendable, Decodable {
        init(from decoder: any Decoder) throws {}
    }

    @Test("names and types of any length and content are valid lines of at most 16 KiB")
    func bounded() async throws {
        typealias W1 = Wide<Wide<Int, String>, Wide<Int, String>>
        typealias W2 = Wide<Wide<W1, W1>, Wide<W1, Wide<W1, W1>>>
        let fixture = TrafficFixture()
        let id = String(repeating: "entry", count: 500)
        let registry = try TestRegistry.make(
            #"[{ "id": "\#(id)", "factory": "json", "match": { "types": ["a/b"] } }]"#)
        let long = String(repeating: "ü\"\\", count: 20_000)
        let many = (0..<1_000).map { ("Content-Type", "\($0)/\u{7F}\u{FFFD}\t\"") }
        let types: [HeaderFields] = [
            ["Content-Type": "a/b; x=\"\(long)\""], HeaderFields(many), ["Content-Type": "\u{1}\u{2}"],
            ["Content-Type": ""], ["Content-Type": "a/b"],
        ]
        for fields in types {
            let (manager, _) = try stubManager(
                registry, configuration: SessionConfiguration(observers: [fixture.log])
            ) { _ in StubReply(fields: fields, body: "1") }
            let path = String(repeating: "%C3%BC/", count: 3_000)
            var request = SessionRequest(path, method: String(repeating: "M", count: 5_000))
            request.headers["Content-Type"] = String(repeating: "t", count: 9_000)
            _ = try? await manager.send(request, as: W2.self)
        }
        let lines = try await fixture.lines()
        #expect(lines.count == types.count)
        for line in lines {
            #expect(line.description.utf8.count < 16 << 10)
            #expect(try #require(line["url"]?.string).utf8.count < 1_100)
            #expect(line["method"]?.string?.utf8.count == 200)
            #expect(line["value"]?.string?.utf8.count == 200)
        }
        #expect(lines[0]["type"]?.string?.utf8.count ?? 0 > 1_020)
        #expect(lines[0]["type"]?.string?.utf8.count ?? 0 <= 1_024)
        #expect(lines[1]["type"]?.array?.count == 16)
        #expect(lines[3]["type"] == "")
        #expect(lines[4]["entry"]?.string?.utf8.count == 200)
    }
}
