import Foundation
import Patchbay
import PatchbayMigration
import PatchbayPlatform
import PatchbayTesting
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct ResponseValidatorTests {
    struct Refused: Error, Equatable {}

    /// A response of this type is given to one validator: nil, or the sentence of the failure.
    private func verdict(
        _ validator: ResponseValidator, contentType: String?, body: String = "x", status: Int = 200,
        accept: String? = nil
    ) throws -> String? {
        let url = try #require(URL(string: "http://origin.test/"))
        let request = RequestHead(
            url: url, fields: HeaderFields(accept.map { [("Accept", $0)] } ?? []))
        let fields = HeaderFields(contentType.map { [("Content-Type", $0)] } ?? [])
        let head = ResponseHead(status: status, fields: fields, url: url, request: request)
        do {
            try validator.validate(head, ResponseBody(Data(body.utf8)))
            return nil
        } catch {
            return "\(error)"
        }
    }

    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        let acceptable: [String]
        var contentType: String?
        var body = "x"
        var sentence: String?
        var testDescription: String { name }
    }

    @Test(
        "1.4.2, 1.4.3, 1.4.4, 1.4.5: the media type against acceptable ones",
        arguments: [
            Case(name: "equal", acceptable: ["a/b", "c/d"], contentType: "c/d"),
            Case(name: "equal but for case and parameters", acceptable: ["A/b; q=1"], contentType: "a/B; charset=x"),
            Case(name: "type/*", acceptable: ["a/*"], contentType: "a/b"),
            Case(name: "*/subtype", acceptable: ["*/b"], contentType: "a/b"),
            Case(name: "*/*", acceptable: ["*/*"], contentType: "a/b"),
            Case(name: "white space", acceptable: ["  a/b "], contentType: "a/b ; x=y"),
            Case(
                name: "another type", acceptable: ["c/d", "b/*"], contentType: "a/b",
                sentence: "the Content-Type is a/b, and acceptable are b/*, c/d"),
            Case(
                name: "not type/subtype matches nothing", acceptable: ["a", "a/b/c"], contentType: "a/b",
                sentence: "the Content-Type is a/b, and acceptable are a, a/b/c"),
            Case(name: "no bytes", acceptable: ["c/d"], contentType: "a/b", body: ""),
            Case(name: "no type, no bytes", acceptable: ["c/d"], body: ""),
            Case(name: "no type, */*", acceptable: ["c/d", "*/*"]),
            Case(
                name: "no type", acceptable: ["c/d", "a/b"],
                sentence: "there is no Content-Type, and acceptable are a/b, c/d"),
            Case(
                name: "a type that cannot be read", acceptable: ["c/d"], contentType: "cd",
                sentence: "there is no Content-Type, and acceptable are c/d"),
        ])
    func contentType(_ test: Case) throws {
        #expect(
            try verdict(.contentType(test.acceptable), contentType: test.contentType, body: test.body) == test.sentence)
    }

    @Test("1.4.3: a validator inside of another is asked about a file too")
    func nested() throws {
        let folder = TemporaryFolder()
        let url = try #require(URL(string: "http://origin.test/"))
        let head = ResponseHead(
            status: 200, fields: ["Content-Type": "a/b"], url: url, request: RequestHead(url: url))
        let validator = ResponseValidator { head, body, file in
            try ResponseValidator.contentType(["c/d"]).validate(head, body, file: file)
        }
        for (name, content) in [("empty", ""), ("full", "x")] {
            try Data(content.utf8).write(to: folder.url.appending(path: name))
        }
        try validator.validate(head, .empty)
        try validator.validate(head, .empty, file: folder.url.appending(path: "empty"))
        for name in ["full", "none"] {
            #expect(throws: ResponseValidator.Failure.self) {
                try validator.validate(head, .empty, file: folder.url.appending(path: name))
            }
        }
    }

    @Test("1.4.1, 1.4.5: the status, and the types of the request's own Accept")
    func statusAndRequested() throws {
        #expect(try verdict(.status(), contentType: nil, status: 299) == nil)
        #expect(try verdict(.status(), contentType: nil, status: 300) == "the status 300 is not acceptable")
        #expect(try verdict(.status(StatusSet(notations: ["304"])), contentType: nil, status: 304) == nil)
        #expect(try verdict(.requested, contentType: "a/b", accept: nil) == nil)
        #expect(try verdict(.requested, contentType: "a/b", accept: "c/d;q=0.5, a/*") == nil)
        #expect(
            try verdict(.requested, contentType: "a/b", accept: "c/d;q=0.5, e/f")
                == "the Content-Type is a/b, and acceptable are c/d, e/f")
    }

    @Test("1.1.28: closures come before validators of names, and of a download get the head and no bytes")
    func closures() async throws {
        let ran = Guarded<[String]>([])
        let (manager, _) = stubManager { _ in .json("[1]") }
        var request = SessionRequest("a")
        request.responseValidators = [ResponseValidator { _, _ in ran.withLock { $0.append("names") } }]
        request.validators = [
            { head, body in ran.withLock { $0.append("\(head.status) \(body.count)") } },
            { _, _ in if ran.withLock(\.count) > 4 { throw Refused() } },
        ]
        #expect(try await manager.send(request, as: [Int].self).value == [1])
        #expect(ran.withLock { $0 } == ["200 3", "names"])
        let folder = TemporaryFolder()
        _ = try await manager.download(request, to: .file(folder.url.appending(path: "x")))
        #expect(ran.withLock { $0 } == ["200 3", "names", "200 0", "names"])
        let error = await #expect(throws: SessionError.self) { try await manager.send(request) }
        #expect(error?.code == .validation)
        #expect(error?.cause as? Refused == Refused())
        #expect(ran.withLock { $0 } == ["200 3", "names", "200 0", "names", "200 3"])
    }

    @Test("1.4.7: the failure of a validator by name is the reason of the call's, after the validators before it")
    func named() async throws {
        let ran = Guarded<[String]>([])
        let (manager, _) = stubManager { _ in .json("[1]") }
        var request = SessionRequest("a")
        request.responseValidators = [
            ResponseValidator { head, body in ran.withLock { $0.append("\(head.status) \(body.count)") } },
            .contentType(["text/plain"]),
        ]
        let error = try #require(await #expect(throws: SessionError.self) { try await manager.send(request) })
        #expect(
            error.description
                == "GET origin.test/a: the response is not valid: the Content-Type is application/json, and acceptable are text/plain"
        )
        #expect(ran.withLock { $0 } == ["200 3"])
    }

    @Test("1.4.3: the type of a download without bytes is not checked, with bytes it is", arguments: [204, 200])
    func validatedType(_ status: Int) async throws {
        let folder = TemporaryFolder()
        let (manager, _) = stubManager { request in
            StubReply(
                status: status, fields: ["Content-Type": "text/html"],
                body: request.head.url.path() == "/full" ? "<p>" : "")
        }
        var request = SessionRequest("empty")
        request.responseValidators = [.contentType(["application/json"]), .requested]
        request.headers["Accept"] = "application/json"
        let file = folder.url.appending(path: "out.json")
        #expect(try await manager.download(request, to: .file(file)).value == file)
        #expect(try Data(contentsOf: file).isEmpty)
        let typed = folder.url.appending(path: "typed.json")
        #expect(try await manager.download(request, to: .file(typed), as: Data.self).value.value == Data())
        guard status == 200 else { return }
        request.target = "full"
        let error = await #expect(throws: SessionError.self) {
            try await manager.download(request, to: .file(folder.url.appending(path: "full.json")))
        }
        #expect(error?.code == .validation)
        #expect(folder.names == ["out.json", "typed.json"])
    }

    @Test(
        "1.4.8, 1.13: dataFileNil and dataFileReadFailed cannot happen: a validator of types needs no file, the body is judged by its head"
    )
    func filesOfValidators() async throws {
        let folder = TemporaryFolder()
        let (manager, _) = stubManager { _ in .json("1") }
        var request = SessionRequest("a")
        request.responseValidators = [.status(), .contentType(["application/json"])]
        let good = folder.url.appending(path: "good")
        #expect(try await manager.download(request, to: .file(good)).value == good)
        request.responseValidators = [.contentType(["a/b"])]
        let error = await #expect(throws: SessionError.self) {
            try await manager.download(request, to: .file(folder.url.appending(path: "bad")))
        }
        #expect(
            error?.cause as? ResponseValidator.Failure
                == .unacceptableContentType(acceptable: ["a/b"], received: "application/json"))
        #expect(folder.names == ["good"])
    }
}
