// What a user sees, who fakes in tests what calls give: nothing here is @testable.
import Foundation
import Patchbay
import PatchbayMigration
import PatchbayTesting
import Testing

@Suite struct PublicInitialiserTests {
    private struct User: Decodable, Sendable, Equatable {
        let name: String
    }

    private static let url = URL(filePath: "/users/1")
    private static let head = ResponseHead(
        status: 200, fields: ["Content-Type": "application/json"], url: url, request: RequestHead(url: url))
    private static let decision = SerializerRegistry.standard.explain(
        contentType: "application/json", host: "example.com")

    @Test("a reply, which decodes the bytes that it is given")
    func reply() throws {
        let timeline = CallTimeline(head: .milliseconds(20), serialized: .milliseconds(30), retries: 1)
        let body = ResponseBody(Data(#"{"name": "Ada"}"#.utf8))
        let reply = Reply(
            User(name: "Ada"), head: Self.head, body: body, decision: Self.decision, timeline: timeline)
        #expect(reply.value == User(name: "Ada"))
        #expect(reply.entry == "json")
        #expect(reply.head.status == 200)
        #expect(reply.timeline.retries == 1)
        #expect(reply.timeline == timeline)
        #expect(try reply.decode(as: JSON.self)["name"] == "Ada")
        let empty = SerializerRegistry.standard.explain(contentType: nil, status: 204)
        let noContent = Reply(
            EmptyValue(), head: ResponseHead(status: 204, fields: [:], url: Self.url, request: Self.head.request),
            decision: empty)
        #expect(noContent.entry == nil)
        #expect(noContent.outcome == .empty)
    }

    @Test("a reply for which no registry was asked")
    func unasked() throws {
        let reply = Reply(User(name: "Ada"), head: Self.head)
        #expect(reply.outcome == .entry)
        #expect(reply.entry == nil)
        #expect(reply.decision.candidates.isEmpty)
        #expect(reply.decision.registryDigest.isEmpty)
    }

    @Test("an error, with what came of the response")
    func error() throws {
        let cause = FormatFailure("json", .limit, "it is too long")
        let error = SessionError(
            .serialization, reason: "it cannot be read", head: Self.head, body: ResponseBody(Data("{}".utf8)),
            value: 1, decision: Self.decision, cause: cause)
        #expect(error.code == .serialization)
        #expect(error.reason == "it cannot be read")
        #expect(error.head == Self.head)
        #expect(error.request == Self.head.request)
        #expect(error.value as? Int == 1)
        #expect(error.retries == 0)
        #expect(error.description.hasSuffix("it cannot be read"))
        #expect((error.cause as? FormatFailure)?.code == .limit)
        #expect(error.decision?.entry == "json")
        #expect(error.decision?.candidates.last?.verdict == .chosen)
        #expect(error.original == nil)
        #expect(try error.decode(as: JSON.self) == [:])
        let unsent = SessionError(.invalidRequest, reason: "it has no host", request: RequestHead(url: Self.url))
        #expect(unsent.request?.url == Self.url)
        #expect(SessionError(.emptyBody, reason: "there is none").request == nil)
    }

    @Test("the other errors")
    func failures() {
        let errors: [(any Error, String)] = [
            (TransportFailure(.lostConnection, "the connection was lost"), "the connection was lost"),
            (FormatFailure("csv", .truncated, "it is cut off", line: 2), "csv, line 2: it is cut off"),
            (
                ManifestFailure([.init("unknownKey", file: "a.json", pointer: "/a", "it is not known")]),
                "a.json: /a: it is not known"
            ),
            (ParametersFailure("a list has no name"), "a list has no name"),
            (ResponseValidator.Failure.unacceptableStatus(404), "the status 404 is not acceptable"),
        ]
        for (error, words) in errors { #expect("\(error)" == words, "\(type(of: error))") }
    }

    @Test("what a call tells on the way")
    func observed() {
        #expect(TransferProgress(completedBytes: 1, totalBytes: 2).fractionCompleted == 0.5)
        #expect(TransferProgress() == TransferProgress(completedBytes: 0))
        let event = SessionEvent(.received(bytes: 3))
        #expect(event.description == "received 3 bytes")
        #expect(event.task == nil)
        #expect(event.missed == 0)
    }

    @Test("values that serializers make, and notes on a manifest")
    func values() {
        let frame = DecodedImage.Frame(pixelFormat: .rgb8, rowBytes: 3, pixels: Data([1, 2, 3]))
        let image = DecodedImage("image/png", width: 1, height: 1, frames: [frame])
        #expect(image.pixel(x: 0, y: 0) == [1, 2, 3])
        #expect(image.frameCount == 1)
        #expect(Download(file: Self.url, value: 1) == Download(file: Self.url, value: 1))
        let note = ManifestFailure.Issue("unusedFactory", file: "a.json", pointer: "", "nobody uses it")
        #expect(note.description == "a.json: nobody uses it")
        #expect(note.code == "unusedFactory")
        #expect(StubReply(status: 204) == StubReply(status: 204))
    }
}
