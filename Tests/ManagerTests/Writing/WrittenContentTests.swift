import Foundation
import PatchbayRegistry
import PatchbayTesting
import TestSupport
import Testing

@testable import PatchbayManager

/// A value as part of a form, with trailers behind it, in descriptions, and as it is sent.
@Suite("A value that is written, as content", .timeLimit(.minutes(5))) struct WrittenContentTests {
    private static func text(_ stub: StubTransport) -> [String?] {
        stub.requests.map { $0.body?.data.map { String(decoding: $0, as: UTF8.self) } }
    }

    @Test("the parts of a form are written by the registry, each in its type, and sent again as they are")
    func parts() async throws {
        let log = Shared<[String]>([])
        let registry = try MarkedWriter.registry(
            #"[{ "id": "a", "factory": "a", "match": { "types": ["x/a", "x/field", "x/top"] } }, { "id": "json", "factory": "json" }]"#,
            policy: #"{ "requestContentType": "x/top" }"#, log)
        let (manager, stub) = try stubManager(registry) { request in
            request.head.url.path() == "/a" ? .redirect(307, to: "/b") : .json("1")
        }
        var inner = MultipartFormData(boundary: "I")
        inner.append(.value([4]), headers: [:])
        var form = MultipartFormData(boundary: "B")
        form.append("plain", name: "n")
        form.append(.value([1], in: "x/a"), headers: ["X-Own": "1"])
        form.append(.value([2]), headers: ["Content-Type": "x/field"])
        form.append(.value([3]), headers: [:])
        form.append(.multipart(inner), headers: [:])
        form.append(.value("\u{E9}"), headers: ["Content-Type": "text/plain; charset=utf-16be"])
        try await manager.upload(.multipart(form), to: "a")
        let expected = [
            #"Content-Disposition: form-data; name="n""#, "", "plain", "--B", "X-Own: 1", "Content-Type: x/a", "",
            "a x/a [1]", "--B", "Content-Type: x/field", "", "a x/field [2]", "--B", "Content-Type: x/top", "",
            "a x/top [3]", "--B", "Content-Type: multipart/form-data; boundary=I", "", "--I", "Content-Type: x/top", "",
            "a x/top [4]", "--I--", "", "--B", "Content-Type: text/plain; charset=utf-16be", "", "\0\u{FFFD}", "--B--",
            "",
        ]
        #expect(Self.text(stub) == Array(repeating: "--B\r\n" + expected.joined(separator: "\r\n"), count: 2))
        #expect(log.withLock { $0 } == ["a x/a", "a x/field", "a x/top", "a x/top"])
        #expect(
            stub.requests.map { $0.head.fields["Content-Type"] }
                == Array(repeating: "multipart/form-data; boundary=B", count: 2))
    }

    @Test("a part that nobody writes, or that its format cannot hold, fails the call with its own error")
    func badParts() async throws {
        let rows: [(RequestContent, SessionError.Code, String)] = [
            (
                .value([1], in: "x/none"), .noWriter,
                "no entry writes [Int] as x/none; none of the 2 entries covers this type"
            ),
            (
                .value([Double.nan], in: .json), .writing,
                "the entry json could not write application/json: a value of the type Double cannot be written at /0"
            ),
            (
                .value("€", in: "text/plain; charset=latin1"), .writing,
                #"the text has a character that the charset "latin1" lacks"#
            ),
        ]
        for (content, code, reason) in rows {
            let (manager, stub) = try stubManager { _ in .json("1") }
            var form = MultipartFormData()
            form.append(.value([1], in: .json), headers: [:])
            form.append(content, headers: [:])
            let error = await #expect(throws: SessionError.self) {
                try await manager.upload(.multipart(form), to: "a")
            }
            #expect(error?.code == code)
            #expect(error?.reason == "the request was not sent: \(reason)")
            #expect(stub.requests.isEmpty)
        }
    }

    @Test("elements are a part of a form too; one that cannot be written cuts the form")
    func elementParts() async throws {
        let registry = try TestRegistry.make(TestRegistry.formats)
        for elements in [[1, 2], [1, Double.nan]] {
            let (manager, stub) = try stubManager(registry) { _ in .json("1") }
            var form = MultipartFormData(boundary: "B")
            let sequence = AsyncStream { feed in
                for element in elements { feed.yield(element) }
                feed.finish()
            }
            form.append(.elements(sequence, in: .ndjson), headers: [:])
            let request = SessionRequest("a", method: "POST", content: .multipart(form))
            guard elements.last?.isNaN == true else {
                _ = try await manager.send(request)
                #expect(Self.text(stub) == ["--B\r\nContent-Type: application/x-ndjson\r\n\r\n1.0\n2.0\n\r\n--B--\r\n"])
                continue
            }
            let error = await #expect(throws: SessionError.self) { try await manager.send(request) }
            #expect(error?.code == .writing)
            #expect(error?.cause is EncodingError)
            #expect(stub.requests.isEmpty)
        }
    }

    @Test("a form that is written to a file has its text, and no values: nobody is there to write them")
    func formFile() async throws {
        let folder = try PartFiles()
        var form = MultipartFormData(boundary: "B")
        form.append(.value("\u{E9}"), headers: ["Content-Type": "text/plain; charset=latin1"])
        let file = folder.file("form")
        try await form.write(to: file)
        #expect(
            try Data(contentsOf: file)
                == Data("--B\r\nContent-Type: text/plain; charset=latin1\r\n\r\n".utf8) + [0xE9]
                + Data("\r\n--B--\r\n".utf8))
        form.append(.value([1], in: .json), headers: [:])
        let error = await #expect(throws: SessionError.self) { try await form.write(to: folder.file("other")) }
        #expect(error?.code == .unreadableContent)
        #expect(
            error?.description
                == "the content could not be read: a value can only be written in a call, by an entry of the registry")
    }

    @Test("fields come behind a value, and its type is in front of it")
    func trailers() async throws {
        let (manager, stub) = try stubManager { _ in .json("1") }
        let content = RequestContent.value([1, 2]).trailers("X-Sum") { ["X-Sum": "3"] }
        _ = try await manager.send(SessionRequest("a", method: "POST", content: content))
        let sent = try #require(stub.requests.first)
        #expect(Self.text(stub) == ["[1,2]"])
        #expect(sent.trailers["X-Sum"] == "3")
        #expect(sent.head.fields["Trailer"] == "X-Sum")
        #expect(sent.head.fields["Content-Type"] == "application/json")
    }

    @Test("a value that is not written yet is described by its type; one that was sent by its bytes")
    func descriptions() async throws {
        let request = SessionRequest("a", body: [1])
        #expect("\(request)" == "POST a, <a value of the type [Int]>")
        #expect(
            request.curlDescription(includingBody: true)
                == ["$ curl -v", "-X POST", "--data-raw '<a value of the type [Int]>'", "a"].joined(
                    separator: " \\\n\t"))
        #expect("\(RequestContent.value([1], in: .json))" == "application/json")
        #expect(RequestContent.value([1]).type == nil)
        #expect(SessionRequest("a", body: "text").curlDescription(includingBody: true).contains("--data-raw text"))
        let (manager, _) = try stubManager { _ in .json("1") }
        let call = manager.held(request)
        _ = try await call.begin().reply
        #expect(call.task.curlDescription(includingBody: true).contains("--data-raw '[1]'"))
        #expect(call.task.curlDescription().contains("--data-raw '<3 bytes>'"))
    }

    @Test("the progress of an upload counts the bytes that were written")
    func progress() async throws {
        let (manager, _) = try stubManager { _ in .json("1") }
        let last = Shared<TransferProgress?>(nil)
        var request = SessionRequest("a", body: Array(repeating: 1, count: 1_000))
        request.onUploadProgress = { progress in last.withLock { $0 = progress } }
        _ = try await manager.send(request)
        #expect(last.withLock { $0?.completedBytes } == 2_001)
        #expect(last.withLock { $0?.totalBytes } == 2_001)
    }
}
