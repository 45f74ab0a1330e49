import Foundation
import Patchbay
import PatchbayTesting
import TestSupport
import Testing

/// What the guide says in place of `URLCache`, `URLRequest.CachePolicy` and Alamofire's `ResponseCacher`.
@Suite(.timeLimit(.minutes(5)))
struct CachePolicyTests {
    /// The `Cache-Control` that the guide names for each policy; nil for none.
    private static func directives() throws -> [String: String?] {
        let text = try Markdown("Documentation/ComingFromAFNetworkingOrAlamofire.md").text
        let rows = text.split(separator: "\n").filter {
            $0.contains("` | ") && $0.contains("CacheData") || $0.hasPrefix("| `useProtocol")
        }
        var directives: [String: String?] = [:]
        for row in rows where row.split(separator: "|").count == 2 {
            let cells = row.split(separator: "|").map { $0.trimmingCharacters(in: [" "]) }
            let value = cells[1].hasPrefix("`") ? cells[1].split(separator: "`").first.map(String.init) : nil
            for name in cells[0].split(separator: "`") where name.allSatisfy(\.isLetter) {
                directives[String(name)] = .some(value)
            }
        }
        return directives
    }

    enum Sent: Sendable {
        case request
        /// A request with If-None-Match, which is answered by 304.
        case condition
        case nothing
        /// Nothing, and the call fails with code `notCached`.
        case failure
    }

    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        /// The Cache-Control of the stored response; nil for no stored response.
        let stored: String?
        let sent: [String: Sent]

        init(_ name: String, _ stored: String?, loads: Sent, reloads: Sent, elseLoad: Sent, dontLoad: Sent) {
            (testDescription, self.stored) = (name, stored)
            sent = [
                "useProtocolCachePolicy": loads, "reloadIgnoringLocalCacheData": reloads,
                "reloadIgnoringLocalAndRemoteCacheData": reloads, "reloadRevalidatingCacheData": reloads,
                "returnCacheDataElseLoad": elseLoad, "returnCacheDataDontLoad": dontLoad,
            ]
        }
    }

    static let rows = [
        Row(
            "no stored response", nil, loads: .request, reloads: .request, elseLoad: .request, dontLoad: .failure),
        Row(
            "a fresh one", "max-age=600", loads: .nothing, reloads: .condition, elseLoad: .nothing, dontLoad: .nothing),
        Row(
            "a stale one", "max-age=0", loads: .condition, reloads: .condition, elseLoad: .nothing, dontLoad: .nothing),
        Row(
            "a stale one that must be validated", "max-age=0, must-revalidate", loads: .condition, reloads: .condition,
            elseLoad: .condition, dontLoad: .failure),
        Row(
            "one with no-cache", "no-cache", loads: .condition, reloads: .condition, elseLoad: .condition,
            dontLoad: .failure),
    ]

    @Test(
        "1.8.9, 1.12.2: each cache policy of the guide answers from the cache, asks the server, or fails",
        arguments: rows)
    func policies(_ row: Row) async throws {
        let directives = try Self.directives()
        #expect(Set(directives.keys) == Set(row.sent.keys))
        for (policy, directive) in directives {
            var configuration = SessionConfiguration()
            configuration.cache = .memory(bytes: 1 << 20)
            let stub = StubTransport { request in
                var fields: HeaderFields = ["Content-Type": "application/json", "ETag": "\"1\""]
                fields["Cache-Control"] = row.stored
                return request.head.fields["If-None-Match"] == nil
                    ? StubReply(fields: fields, body: "[1]") : StubReply(status: 304, fields: fields)
            }
            let manager = SessionManager(registry: .standard, transport: stub, configuration: configuration)
            var request = SessionRequest("http://origin.test/a")
            if row.stored != nil { _ = try await manager.send(request, as: [Int].self) }
            let before = stub.requests.count
            request.headers["Cache-Control"] = directive
            var sent = Sent.failure
            do throws(SessionError) {
                let reply = try await manager.send(request, as: [Int].self)
                #expect(reply.value == [1] && reply.head.status == 200, "\(policy)")
                let requests = stub.requests.dropFirst(before)
                #expect(requests.count <= 1, "\(policy)")
                #expect(requests.allSatisfy { $0.head.fields["Cache-Control"] == directive }, "\(policy)")
                sent = requests.first.map { $0.head.fields["If-None-Match"] == nil ? .request : .condition } ?? .nothing
            } catch {
                #expect(error.code == .notCached && stub.requests.count == before, "\(policy) \(error)")
            }
            #expect(sent == row.sent[policy], "\(policy)")
        }
    }

    @Test(
        "1.12.2: no-store of a request, and the policy of a host, keep a response out of the cache",
        arguments: [
            ("no-store", "{}", 3), (nil, #"{ "origin.test": { "policy": { "cache": "off" } } }"#, 3), (nil, "{}", 1),
        ] as [(String?, String, Int)])
    func keptOut(_ directive: String?, _ hosts: String, _ count: Int) async throws {
        var configuration = SessionConfiguration()
        configuration.cache = .memory(bytes: 1 << 20)
        let stub = StubTransport { _ in
            StubReply(fields: ["Content-Type": "application/json", "Cache-Control": "max-age=600"], body: "[1]")
        }
        let registry = try SerializerRegistry([.text(#"{ "manifestVersion": 1, "hosts": \#(hosts) }"#)])
        let manager = SessionManager(registry: registry, transport: stub, configuration: configuration)
        var request = SessionRequest("http://origin.test/a")
        request.headers["Cache-Control"] = directive
        for _ in 0..<3 { _ = try await manager.send(request) }
        #expect(stub.requests.count == count)
    }
}
