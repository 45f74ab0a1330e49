import Foundation
import PatchbayJSON
import PatchbayRegistry
import Testing

@testable import PatchbayPlugins

/// The event streams of web-platform-tests.
@Suite(.timeLimit(.minutes(5))) struct EventStreamSuiteTests {
    static var folder: String? { ProcessInfo.processInfo.environment["PATCHBAY_SUITES"] }

    private struct Streams: Decodable {
        struct Case: Decodable {
            let id: String
            let streamB64: Data
            let events: [Expected]
            let retryMs: Int?
            let contentType: String?
        }

        struct Expected: Decodable {
            let type: String
            let data: String
            let lastEventId: String?
        }

        let streamCases: [Case]
    }

    @Test(
        "the 26 streams, whole, byte by byte and cut at every place",
        .enabled(if: folder != nil, "set PATCHBAY_SUITES to the folder of the suites"))
    func streams() throws {
        let folder = try #require(Self.folder)
        let file = try Data(contentsOf: URL(filePath: folder + "/sse/sse-cases.json"))
        let cases = try JSON(parsing: file).decode(Streams.self, options: JSON.CodingOptions(keys: .snakeCase))
            .streamCases
        #expect(cases.count == 26)
        for it in cases {
            let head = Sample.head(it.contentType ?? "text/event-stream")
            let body = Array(it.streamB64)
            let run = try ElementRun.everySplit(body, it.id) {
                try ServerSentEventSerializer().makeParser(head, maximumElementBytes: .max)
            }
            #expect(run.failure == nil, "\(it.id)")
            #expect(run.elements.map(\.type) == it.events.map(\.type), "\(it.id)")
            #expect(run.elements.map(\.data) == it.events.map(\.data), "\(it.id)")
            for (event, expected) in zip(run.elements, it.events) {
                guard let id = expected.lastEventId else { continue }
                #expect(event.lastEventID == id, "\(it.id)")
            }
            var parser = try #require(
                try ServerSentEventSerializer().makeParser(head, maximumElementBytes: .max)
                    as? any ResumableElementParser)
            try parser.parse(body) { _ in }
            #expect(parser.reconnectionTime == it.retryMs.map { .milliseconds($0) }, "\(it.id)")
            #expect(parser.lastEventID == run.elements.last?.lastEventID ?? "", "\(it.id)")
        }
    }
}
