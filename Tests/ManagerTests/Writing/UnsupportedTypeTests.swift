import Foundation
import PatchbayManager
import PatchbayRegistry
import PatchbayTesting
import TestSupport
import Testing

/// What the error says where a server does not take the media type of a body: status 415 (RFC 9110, section 15.5.16).
@Suite("Status 415", .timeLimit(.minutes(5))) struct UnsupportedTypeTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let request: SessionRequest
        let fields: HeaderFields
        let sentence: String

        init(_ name: String, _ request: SessionRequest, _ fields: HeaderFields, _ sentence: String) {
            (testDescription, self.request, self.fields, self.sentence) = (name, request, fields, sentence)
        }
    }

    private static let value = SessionRequest("a", body: [1])
    private static let isUnacceptable = "the status is 415, which is not acceptable (2XX)"
    private static let sent = isUnacceptable + "; the body was sent as application/json, which the entry json wrote"

    static let rows = [
        Row("a value, and no offer", value, [:], sent),
        Row(
            "an offer for POST", value, ["Accept-Post": "text/turtle, application/ld+json;q=0.5"],
            sent + "; Accept-Post of the server names text/turtle, application/ld+json"),
        Row(
            "an offer with commas in quotes, and one type twice", value,
            ["Accept-Post": #"text/plain;p="a, evil/type ,", a/b, A/B"#],
            sent + "; Accept-Post of the server names text/plain, a/b"),
        Row(
            "an offer for PATCH, in two fields", SessionRequest("a", method: "PATCH", body: [1]),
            HeaderFields([("Accept-Patch", "application/merge-patch+json"), ("accept-patch", "text/*, */*")]),
            sent + "; Accept-Patch of the server names application/merge-patch+json, text/*, */*"),
        Row(
            "both", value, ["Accept-Post": "a/b", "Accept-Patch": "c/d"],
            sent + "; Accept-Post of the server names a/b; Accept-Patch of the server names c/d"),
        Row("an offer without types", value, ["Accept-Post": " , nothing, a b/c,;,\u{1B}[2J/x, \"a/b\""], sent),
        Row(
            "more types than anyone reads", value,
            ["Accept-Post": (1...10_000).map { "x/\($0)" }.joined(separator: ",")],
            sent + "; Accept-Post of the server names x/1, x/2, x/3, x/4, x/5, x/6, x/7, x/8 and 9992 more"),
        Row(
            "a type that is too long", value, ["Accept-Post": "x/" + String(repeating: "y", count: 10_000)],
            sent + "; Accept-Post of the server names x/" + String(repeating: "y", count: 98) + "…"),
        Row(
            "bytes, which nobody wrote",
            SessionRequest("a", method: "POST", content: .data(Data([1]), type: "image/png")),
            [:], isUnacceptable + "; the body was sent as image/png"),
        Row(
            "text", SessionRequest("a", body: "x", in: "text/plain; charset=utf-8"), [:],
            isUnacceptable + "; the body was sent as text/plain"),
        Row(
            "a type that is none", SessionRequest("a", body: "x", headers: ["Content-Type": "\u{1F600} s3cret"]), [:],
            isUnacceptable + "; the body was sent as a Content-Type that is not a media type"),
        Row("no body", SessionRequest("a", headers: ["Content-Type": "x/y"]), ["Accept-Post": "a/b"], isUnacceptable),
    ]

    @Test(
        "the sentence has the type that was sent, the entry that wrote it, and what the server takes", arguments: rows)
    func sentence(_ row: Row) async throws {
        let (manager, _) = try stubManager { _ in StubReply(status: 415, fields: row.fields) }
        let error = await #expect(throws: SessionError.self) { try await manager.send(row.request) }
        #expect(error?.code == .status)
        #expect(error?.reason == row.sentence)
    }

    @Test("other statuses are not about the type, nor is the answer to a GET that a redirect led to")
    func others() async throws {
        for status in [400, 406, 422] {
            let (manager, _) = try stubManager { _ in StubReply(status: status, fields: ["Accept-Post": "a/b"]) }
            let error = await #expect(throws: SessionError.self) { try await manager.send(Self.value) }
            #expect(error?.reason == "the status is \(status), which is not acceptable (2XX)")
        }
        let (manager, stub) = try stubManager { request in
            request.body == nil ? StubReply(status: 415, fields: [:]) : .redirect(303, to: "/b")
        }
        let error = await #expect(throws: SessionError.self) { try await manager.send(Self.value) }
        #expect(stub.requests.count == 2)
        #expect(error?.reason == Self.isUnacceptable)
    }
}
