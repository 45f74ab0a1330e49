// What a user sees, who fakes in tests what calls give: nothing here is @testable.
import Foundation
import Patchbay
import PatchbayMigration
import Testing

@Suite struct PublicInitialiserTests {
    private struct User: Decodable, Sendable, Equatable {
        let name: String
    }

    private static let url = URL(filePath: "/users/1")
    private static let decision = SerializerRegistry.standard.explain(
        contentType: "application/json", host: "example.com")

    @Test("a reply, which decodes the bytes that it is given")
    func reply() throws {
        let timeline = CallTimeline(head: .milliseconds(20), serialized: .milliseconds(30), retries: 1)
        let body = ResponseBody(Data(#"{"name": "Ada"}"#.utf8))
        let reply = Reply(User(name: "Ada"), decision: Self.decision, body: body, timeline: timeline)
        #expect(reply.value == User(name: "Ada"))
        #expect(reply.entry == "json")
        #expect(reply.head.status == 200)
        #expect(reply.retries == 1)
        #expect(reply.timeline == timeline)
        #expect(try reply.decode(as: JSON.self)["name"] == "Ada")
        #expect(Reply(EmptyValue(), decision: Self.decision, outcome: .empty).entry == nil)
    }

    @Test("an error, with what came of the response")
    func error() throws {
        let failure = LookupFailure(.noMatch, decision: Self.decision)
        let error = SessionError(
            .lookup, reason: "nobody reads it", stage: .lookup, decision: Self.decision,
            body: ResponseBody(Data("{}".utf8)), entry: "json",
            attempts: [Attempt(entry: "json", error: BodyLimitFailure(limit: 1))], cause: failure, retries: 2)
        #expect(error.code == .lookup)
        #expect(error.stage == .lookup)
        #expect(error.head == Self.decision.head)
        #expect(error.request == Self.decision.head.request)
        #expect(error.retries == 2)
        #expect(error.description.hasSuffix(": nobody reads it"))
        #expect(error.tried.isEmpty == failure.tried.isEmpty)
        #expect(try error.decode(as: JSON.self) == [:])
        #expect(SessionError(.noBody, reason: "there is none").request == nil)
    }

    @Test("the errors underneath")
    func causes() {
        let call = SessionError(.cancelled, reason: "the call was cancelled")
        let errors: [(any Error, String)] = [
            (RetryFailure(error: ProblemFailure(), original: call), "the call was not tried again after it failed"),
            (TransportFailure(.lostConnection, "the connection was lost"), "the connection was lost"),
            (ContentFailure(.missingFile, "there is no file a.txt"), "there is no file a.txt"),
            (FileFailure(name: "a.txt", act: .read, reason: "it is a folder"), "a.txt cannot be read: it is a folder"),
            (FileFailure(name: "a.txt", act: .written, systemCode: 28), "a.txt cannot be written: No space left"),
            (BodyLimitFailure(limit: 5), "the body has more than the 5 bytes"),
            (ElementLimitFailure(limit: 5), "an element is longer than 5 bytes"),
            (ElementFailure(.line, 2, reason: "it is cut off"), "line 2: it is cut off"),
            (FormatFailure("csv", .truncated, "it is cut off", line: 2), "csv, line 2: it is cut off"),
            (TextDecodingFailure(.unknownCharset, charset: "utf-7"), "the charset utf-7 is not known"),
            (JSON.ParseFailure(reason: .empty, message: "is empty", offset: 0, line: 1, column: 1), "line 1, column 1"),
            (
                JSON.UnknownKeysFailure(keys: [.init(key: "a", pointer: "/a", known: ["b"])]),
                "/a: unknown key (known here: b)"
            ),
            (
                ManifestFailure([.init(.unknownKey, file: "a.json", pointer: "/a", "it is not known")]),
                "a.json: /a: it is not known"
            ),
            (PatternFailure("it is no pattern"), "it is no pattern"), (OptionFailure("scale", "is 0"), "scale is 0"),
            (CSVFailure(.openQuote, line: 3, "the body ends inside quotes"), "the body ends inside quotes"),
            (FormFailure(maximumFields: 3), "more than 3 fields"), (MultipartFailure(.noPart, "none"), "none"),
            (PropertyListFailure(.depth, "too deep"), "too deep"), (XMLFailure(.aborted, "it was"), "it was"),
            (ParametersFailure("a list has no name"), "a list has no name"), (ProblemFailure(), "problem details"),
            (UntypedResponseFailure(), "no media type"),
        ]
        for (error, words) in errors { #expect("\(error)".contains(words), "\(type(of: error))") }
    }

    @Test("what a call tells on the way")
    func observed() {
        #expect(TransferProgress(completedBytes: 1, totalBytes: 2).fractionCompleted == 0.5)
        #expect(TransferProgress() == TransferProgress(completedBytes: 0))
        let event = SessionEvent(.received(bytes: 3), missed: 1)
        #expect(event.description == "received 3 bytes, 1 dropped before")
        #expect(event.task == nil)
        var redirected = RedirectedRequest(url: Self.url, fields: ["X-A": "1"])
        redirected.sendsCredentials = true
        #expect(redirected.method == "GET")
        #expect(redirected.fields["X-A"] == "1")
    }

    @Test("values that serializers make, and what is said of a look-up")
    func values() {
        let frame = DecodedImage.Frame(pixelFormat: .rgb8, rowBytes: 3, pixels: Data([1, 2, 3]))
        let image = DecodedImage(format: .png, width: 1, height: 1, frames: [frame])
        #expect(image.pixel(x: 0, y: 0) == [1, 2, 3])
        #expect(image.frameCount == 1)
        #expect(Download(file: Self.url, value: 1) == Download(file: Self.url, value: 1))
        let made = SerializationResult(outcome: .value, value: 1, entry: "a", attempts: [])
        #expect(made.value == 1)
        let candidate = Candidate(entry: "a", verdict: .declined, reason: "it is none of mine")
        #expect(candidate.description == "a: declined: it is none of mine")
        let note = ManifestFailure.Issue("unusedFactory", file: "a.json", pointer: "", "nobody uses it")
        #expect(note.description == "a.json: nobody uses it")
        #expect(!note.isWarning)
        var policy = SerializerRegistry.Policy()
        policy.empty = .init(methods: [], status: .successful, otherwise: .error)
        #expect(policy.empty.isExpected(method: "HEAD", status: 404) == false)
        #expect(StubReply(status: 204) == StubReply(status: 204))
    }
}
