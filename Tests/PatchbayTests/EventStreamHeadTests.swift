import Foundation
import Patchbay
import PatchbayTesting
import Testing

/// The cases of web-platform-tests in which the head decides whether there is an event stream.
@Suite(.timeLimit(.minutes(5))) struct EventStreamHeadTests {
    static var folder: String? { ProcessInfo.processInfo.environment["PATCHBAY_SUITES"] }

    private struct Heads: Decodable {
        struct TypeCase: Decodable {
            let id: String
            let contentType: String
            let expected: String
        }

        struct StatusCase: Decodable {
            let id: String
            let status: Int
        }

        let contentTypeCases: [TypeCase]
        let statusCases: [StatusCase]
    }

    /// The events of a response, and whether it was refused.
    private static func events(_ status: Int, _ type: String) async throws -> (count: Int, isRefused: Bool) {
        let transport = StubTransport { _ in
            StubReply(status: status, fields: ["Content-Type": type], body: "data: one\n\ndata: two\n\n")
        }
        let manager = SessionManager(
            baseURL: URL(string: "http://origin.test/"), registry: .standard, transport: transport)
        var count = 0
        do throws(SessionError) {
            for try await _ in try await manager.stream("events", of: ServerSentEvent.self) { count += 1 }
        } catch {
            return (count, true)
        }
        return (count, false)
    }

    @Test(
        "a type or a status that is none of an event stream gives no event",
        .enabled(if: folder != nil, "set PATCHBAY_SUITES to the folder of the suites"))
    func suite() async throws {
        let folder = try #require(Self.folder)
        let file = try Data(contentsOf: URL(filePath: folder + "/sse/sse-cases.json"))
        let heads = try JSON(parsing: file).decode(Heads.self, options: JSON.CodingOptions(keys: .snakeCase))
        #expect(heads.contentTypeCases.count + heads.statusCases.count == 10)
        for it in heads.contentTypeCases {
            let found = try await Self.events(200, it.contentType)
            if it.expected == "opens" {
                #expect(found.count == 2 && !found.isRefused, "\(it.id)")
            } else {
                #expect(found.count == 0 && found.isRefused, "\(it.id)")
            }
        }
        for it in heads.statusCases {
            let found = try await Self.events(it.status, "text/event-stream")
            #expect(found.count == 0, "\(it.id)")
            // A body is not expected with these two, and so its absence is no error.
            #expect(found.isRefused == ![204, 205].contains(it.status), "\(it.id)")
        }
    }
}
