import Foundation
import PatchbayRegistry
import PatchbayTesting
import TestSupport
import Testing

@testable import PatchbayManager

@Suite(.timeLimit(.minutes(5))) struct CurlDescriptionTests {
    @Test("1.11.6: a call is described as method, URL and status, and as a command of curl, with secrets masked")
    func call() async throws {
        var configuration = SessionConfiguration()
        configuration.headers = ["User-Agent": "Patchbay"]
        let (manager, _) = try stubManager(configuration: configuration) { _ in .json("1") }
        let call = manager.held(
            SessionRequest(
                "a?page=1&token=hidden", body: "it's", in: "text/plain",
                headers: ["Authorization": "Bearer hidden", "Cookie": "hidden", "Accept": "a/b"]))
        #expect(call.task.description == "POST a?page=***&token=***")
        _ = try await call.begin().reply
        #expect(call.task.description == "POST http://origin.test/a?page=***&token=*** (200)")
        #expect(
            call.task.curlDescription(includingBody: true)
                == [
                    "$ curl -v", "-X POST", "-H 'User-Agent: Patchbay'", "-H 'Authorization: <13 bytes>'",
                    "-H 'Cookie: <6 bytes>'",
                    "-H 'Accept: a/b'", "-H 'Content-Type: text/plain'", #"--data-raw 'it'\''s'"#,
                    "'http://origin.test/a?page=***&token=***'",
                ].joined(separator: " \\\n\t"))
        #expect(call.task.curlDescription().contains("--data-raw '<4 bytes>'"))
        #expect(!call.task.curlDescription().contains("hidden"))
    }

    @Test(
        "1.11.6: a request is described before it is sent",
        arguments: [
            (SessionRequest("a"), ["-X GET", "a"]),
            (SessionRequest("http://u:p@h/", method: "HEAD"), ["-I", "'http://***@h/'"]),
            (SessionRequest("a?b=1", query: [(name: "key", value: "v")]), ["-X GET", "'a?b=***&key=***'"]),
            (
                SessionRequest("a", method: "POST", content: .data(Data([0xFF]), type: "x/y")),
                ["-X POST", "-H 'Content-Type: x/y'", "--data-raw '<1 byte>'", "a"]
            ),
            (
                SessionRequest("a", method: "X-M", body: "\u{1B}[2J'\\\u{202E}", in: "x/y"),
                [
                    "-X 'X-M'", "-H 'Content-Type: x/y'",
                    #"--data-raw $'\U0000001b[2J\'\\\U0000202e'"#, "a",
                ]
            ),
        ])
    func request(_ request: SessionRequest, _ options: [String]) {
        #expect(request.curlDescription(includingBody: true) == (["$ curl -v"] + options).joined(separator: " \\\n\t"))
    }
}
