import Foundation
import PatchbayRegistry
import TestSupport
import Testing

@testable import PatchbayManager

/// What a head says about the body of its response, to calls with and without a part of the file.
@Suite(.timeLimit(.minutes(5))) struct ResumptionJudgeTests {
    /// A head that answers a request for all bytes, or for those from byte 5,000 on; and what is done with the body.
    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let status: Int
        var fields: HeaderFields = [:]
        /// Whether the call has 5,000 of 10,000 bytes, and whether its request asks for the rest.
        var hasPart = true
        var asksRest = true
        let verdict: String

        static let all = [
            Row(testDescription: "a plain response", status: 200, hasPart: false, asksRest: false, verdict: "whole"),
            Row(testDescription: "an error", status: 503, hasPart: false, asksRest: false, verdict: "whole"),
            Row(
                testDescription: "a part that nobody asked for", status: 206,
                fields: ["Content-Range": "bytes 0-4/10"], hasPart: false, asksRest: false,
                verdict: "fail: the server sent a part, and was asked for the whole"),
            Row(
                testDescription: "a part that is the whole", status: 206,
                fields: ["Content-Range": "bytes 0-9/10"], hasPart: false, asksRest: false, verdict: "whole"),
            Row(
                testDescription: "a part that the request asked for by itself", status: 206,
                fields: ["Content-Range": "bytes 0-4/10"], hasPart: false, verdict: "whole"),
            Row(
                testDescription: "the rest", status: 206,
                fields: ["Content-Range": "bytes 5000-9999/10000", "ETag": "\"v1\""],
                verdict: "append at 5000 up to 10000 of 10000"),
            Row(
                testDescription: "a part of the rest", status: 206,
                fields: ["Content-Range": "bytes 5000-5999/*", "ETag": "\"v1\""],
                verdict: "append at 5000 up to 6000 of 10000"),
            Row(testDescription: "the whole instead of the rest", status: 200, verdict: "whole"),
            Row(
                testDescription: "another part", status: 206,
                fields: ["Content-Range": "bytes 4000-9999/10000", "ETag": "\"v1\""],
                verdict: "begin again: the response has no Content-Range that begins at byte 5000"),
            Row(
                testDescription: "another version", status: 206,
                fields: ["Content-Range": "bytes 5000-9999/10000", "ETag": "\"v2\""],
                verdict: "begin again: the response is of another version: its ETag is missing or differs"),
            Row(
                testDescription: "another success", status: 204,
                verdict: "begin again: the status is 204, neither 206 nor 200"),
            Row(
                testDescription: "no such range", status: 416,
                verdict: "begin again: the status is 416, neither 206 nor 200"),
            Row(
                testDescription: "an error instead of the rest", status: 503,
                verdict: "fail: the status is 503, neither 206 nor 200"),
            Row(testDescription: "the whole, as asked for", status: 200, asksRest: false, verdict: "whole"),
            Row(
                testDescription: "the rest, not asked for", status: 206,
                fields: ["Content-Range": "bytes 5000-9999/10000", "ETag": "\"v1\""], asksRest: false,
                verdict: "fail: the server sent a part, and was asked for the whole"),
        ]
    }

    private func words(_ resumption: Resumption) -> String {
        let refused = "the download cannot be resumed: "
        switch resumption {
        case .whole: return "whole"
        case .append(let start, let end, let length): return "append at \(start) up to \(end) of \(length)"
        case .beginAgain(let error): return "begin again: \(error.reason.dropFirst(refused.count))"
        case .fail(let error):
            return "fail: \(error.code == .resumption ? String(error.reason.dropFirst(refused.count)) : error.reason)"
        }
    }

    @Test("1.10.4: one judgement says what becomes of a body", arguments: Row.all)
    func judged(_ row: Row) async throws {
        let origin = ResumableOrigin(cuts: [5_000])
        let (_, resumption) = try await origin.begin()
        let url = try #require(URL(string: "http://origin.test/file"))
        let head = ResponseHead(
            status: row.status, fields: row.fields, url: url,
            request: RequestHead(url: url, fields: row.asksRest ? ["Range": "bytes=5000-"] : [:]))
        #expect(words(.judge(head, row.hasPart ? resumption : nil)) == row.verdict)
    }
}
