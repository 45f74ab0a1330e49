import Foundation
import PatchbayJSON
import PatchbayRegistry
import PatchbayTesting
import Testing

@testable import PatchbayManager

@Suite(.timeLimit(.minutes(5))) struct SessionManagerTests {
    @Test("1.6.3: each verb sends its method, its content and its query")
    func verbs() async throws {
        let (manager, stub) = try stubManager(TestRegistry.make(TestRegistry.formats)) { _ in .json("[1]") }
        _ = try await manager.send("a", query: [(name: "q", value: "1")])
        _ = try await manager.send(SessionRequest("a", body: ["k": 1]))
        _ = try await manager.send(SessionRequest("a", method: "PUT", content: .value(["n": "a b"], in: .form)))
        _ = try await manager.send(SessionRequest("a", method: "PATCH", content: .data(Data([1, 2]))))
        _ = try await manager.send(SessionRequest("a", method: "DELETE"))
        _ = try await manager.send(SessionRequest("a", method: "OPTIONS"))
        #expect(stub.requests.map(\.head.method) == ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"])
        #expect(
            stub.requests.map { $0.body?.data.map { String(decoding: $0, as: UTF8.self) } } == [
                nil, #"{"k":1}"#, "n=a+b", "\u{1}\u{2}", nil, nil,
            ])
        #expect(
            stub.requests.map { $0.head.fields["Content-Type"] } == [
                nil, "application/json", "application/x-www-form-urlencoded", "application/octet-stream", nil, nil,
            ])
        #expect(stub.requests.first?.head.url.absoluteString == "http://origin.test/a?q=1")
        #expect(try await manager.get("a", as: [Int].self) == [1])
        #expect(try await manager.post("a", as: [Int].self) == [1])
        #expect(try await manager.put("a", as: [Int].self) == [1])
        #expect(try await manager.patch("a", as: [Int].self) == [1])
        #expect(try await manager.delete("a", as: [Int].self) == [1])
    }

    @Test("1.6.7: HEAD answers with its head and no body")
    func head() async throws {
        let (manager, stub) = try stubManager { _ in
            StubReply(fields: ["Content-Type": "application/json", "Content-Length": "999999999999"])
        }
        let reply = try await manager.send(SessionRequest("a", method: "HEAD"))
        #expect(reply.outcome == .empty)
        #expect(reply.head.fields["content-length"] == "999999999999")
        #expect(stub.requests.first?.head.method == "HEAD")
    }

    @Test(
        "1.6.7: HEAD asks for no coding, unless the request or the configuration says which; other verbs leave it open")
    func headCoding() async throws {
        for (own, expected) in [(nil, "identity"), ("gzip", "gzip"), ("", "")] as [(String?, String)] {
            var configuration = SessionConfiguration()
            configuration.headers["Accept-Encoding"] = own
            let (manager, stub) = try stubManager(configuration: configuration) { _ in .json("1") }
            _ = try await manager.send(SessionRequest("a", method: "HEAD"))
            _ = try await manager.send(SessionRequest("a", method: "HEAD", headers: ["accept-encoding": "x"]))
            _ = try await manager.send("a")
            #expect(
                stub.requests.map { $0.head.fields.values(for: "Accept-Encoding") } == [
                    [expected], ["x"], own.map { [$0] } ?? [],
                ])
        }
    }

    @Test(
        "a length is judged only where a body can come",
        arguments: [
            ("GET", 304, true), ("GET", 204, true), ("HEAD", 200, true), ("HEAD", 404, true), ("GET", 200, false),
            ("GET", 205, false), ("GET", 404, false), ("head", 200, false),
        ])
    func bodilessLength(_ method: String, _ status: Int, _ passes: Bool) async throws {
        let (manager, _) = try stubManager { _ in
            StubReply(status: status, fields: ["Content-Type": "text/words", "Content-Length": "99999999"])
        }
        var request = SessionRequest("a", method: method)
        request.acceptableStatus = .any
        request.maximumBodyBytes = 1_000
        if passes {
            let reply = try await manager.send(request)
            #expect(reply.head.status == status)
            #expect(reply.body.isEmpty)
        } else {
            let error = await #expect(throws: SessionError.self) { try await manager.send(request) }
            #expect(error?.code == .bodyTooLarge)
        }
    }

    @Test("1.6.4: a request's fields replace the configuration's, name by name")
    func headers() async throws {
        var configuration = SessionConfiguration()
        configuration.headers = ["User-Agent": "one", "X-A": "1"]
        let (manager, stub) = try stubManager(configuration: configuration) { _ in .json("1") }
        _ = try await manager.send("a", headers: ["user-agent": "two", "X-B": "2"])
        let fields = try #require(stub.requests.first).head.fields
        #expect(fields.values(for: "User-Agent") == ["two"])
        #expect(fields["X-A"] == "1")
        #expect(fields["X-B"] == "2")
    }

    @Test("Accept is derived: for any value, for a type, for bytes; and the caller's own wins")
    func accept() async throws {
        let (manager, stub) = try stubManager { _ in .json("[1]") }
        _ = try await manager.send("a")
        _ = try await manager.get("a", as: [Int].self)
        _ = try await manager.get("a", as: Data.self)
        _ = try await manager.send("a", headers: ["Accept": "x/y"])
        #expect(
            stub.requests.map { $0.head.fields["Accept"] } == [
                "application/json, text/words;q=0.9, application/problem+json;q=0.8, */*;q=0.1",
                "application/json, application/problem+json;q=0.9, */*;q=0.1", "*/*", "x/y",
            ])
    }

    @Test("the value comes from the entry that the registry chose, and the reply tells all of it")
    func reply() async throws {
        let (manager, _) = try stubManager { _ in .words("a b") }
        let reply = try await manager.send("a")
        #expect(reply.value as? [String] == ["a", "b"])
        #expect(reply.entry == "words")
        #expect(reply.outcome == .entry)
        #expect(!reply.decision.candidates.contains { $0.verdict == .failed })
        #expect(reply.body.data == Data("a b".utf8))
        #expect(reply.head.status == 200)
        #expect(reply.decision.registryDigest == manager.registry.digest)
        #expect(reply.decision.description.contains("json"))
        let timeline = reply.timeline
        #expect(timeline.head <= timeline.body)
        #expect(timeline.body <= timeline.serialized)
        #expect(timeline.redirects == 0)
    }

    @Test("an unknown type is raw bytes, in a dynamic call")
    func raw() async throws {
        let (manager, _) = try stubManager { _ in StubReply(fields: ["Content-Type": "a/b"], body: "xyz") }
        let reply = try await manager.send("a")
        #expect(reply.outcome == .raw)
        #expect(reply.entry == nil)
        #expect((reply.value as? ResponseBody)?.data == Data("xyz".utf8))
        let error = await #expect(throws: SessionError.self) { try await manager.get("a", as: [Int].self) }
        #expect(error?.code == .noReader)
        #expect(error?.reason.hasPrefix("no entry makes ") == true)
        #expect(error?.body?.count == 3)
    }

    @Test("an entry's failure names the entry and keeps its error")
    func failure() async throws {
        let (manager, _) = try stubManager { _ in .words("a!") }
        let error = try #require(await #expect(throws: SessionError.self) { try await manager.send("a") })
        #expect(error.code == .serialization)
        #expect(error.decision?.outcome == .error)
        #expect(error.decision?.entry == "words")
        let failed = error.decision?.candidates.filter { $0.verdict == .failed }
        #expect(failed?.map(\.entry) == ["words"])
        #expect(failed?.first?.error as? TestRegistry.Shout == TestRegistry.Shout())
        #expect(error.cause as? TestRegistry.Shout == TestRegistry.Shout())
    }

    @Test("an entry or a serializer can be named for one request, and entries left out")
    func overrides() async throws {
        struct Count: ResponseSerializer {
            func serialize(_ body: ResponseBody, _ head: ResponseHead) throws -> Int { body.count }
        }
        let (manager, _) = try stubManager { _ in .json("[1]") }
        var request = SessionRequest("a")
        request.using = .entry("words")
        #expect(try await manager.send(request).value as? [String] == ["[1]"])
        request.using = .serializer(Count())
        #expect(try await manager.send(request).value as? Int == 3)
        request.using = nil
        request.excluding = ["json"]
        #expect(try await manager.send(request).outcome == .raw)
    }

    @Test(
        "a body is cut off beyond the limit of its entry, of the request or of the policy",
        arguments: [("12345678", nil, nil), ("123456789", 8, "entry words (maxBodyBytes)"), ("1234", nil, nil)])
    func limits(_ body: String, _ limit: Int?, _ owner: String?) async throws {
        let (manager, _) = try stubManager { _ in
            StubReply(fields: ["Content-Type": "text/words"], chunks: body.utf8.map { Data([$0]) })
        }
        guard let limit, let owner else {
            #expect(try await manager.get("a", as: [String].self) == [body])
            return
        }
        let error = try #require(await #expect(throws: SessionError.self) { try await manager.send("a") })
        #expect(error.code == .bodyTooLarge)
        #expect(error.description == "GET origin.test/a: the body is larger than \(limit) bytes, the limit of \(owner)")
        #expect(error.body?.count == limit)
    }

    @Test("an announced length beyond the limit is not waited for; that of a coded body means something else")
    func announced() async throws {
        let (manager, _) = try stubManager { request in
            var fields: HeaderFields = ["Content-Type": "text/words", "Content-Length": "9"]
            let coding = request.head.url.lastPathComponent
            if coding != "plain" { fields.append(coding == "coded" ? "utf-8, gzip" : coding, for: "Content-Encoding") }
            return StubReply(fields: fields, body: "a b")
        }
        // The last three are no codings.
        for path in ["plain", "identity", "UTF-8", "none"] {
            let error = await #expect(throws: SessionError.self) { try await manager.send(path) }
            #expect(error?.code == .bodyTooLarge)
            #expect(error?.body?.isEmpty == true)
        }
        #expect(try await manager.get("coded", as: [String].self) == ["a", "b"])
    }

    @Test("no description holds a header value, a byte of a body or a query")
    func descriptions() async throws {
        let (manager, _) = try stubManager { _ in
            StubReply(
                status: 500, fields: ["Content-Type": "application/json", "X-Secret": "s3cret"], body: #"{"k":"s3cret"#)
        }
        let error = try #require(
            await #expect(throws: SessionError.self) {
                try await manager.send("p?token=s3cret", headers: ["Authorization": "s3cret"])
            })
        #expect(!error.description.contains("s3cret"))
        #expect(!(error.bodyFailure.map { "\($0)" } ?? "").contains("s3cret"))
    }
}
