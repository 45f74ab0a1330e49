import Foundation
import PatchbayJSON
import PatchbayManager
import PatchbayRegistry
import PatchbayTesting
import TestSupport
import Testing

/// What a verb sends of a value, and what it gives.
@Suite("Verbs", .timeLimit(.minutes(5))) struct VerbTests {
    struct User: Codable, Sendable, Equatable {
        var id = 1
        var name = "Ada \u{E9}"
        var tags: [String]?
    }

    private static let text = "Ada \u{E9}"
    private static let noTags: [String]? = nil

    static let bodies: [(name: String, body: any Encodable & Sendable, MediaType?, type: String, bytes: [UInt8])] = [
        ("a struct", User(), nil, "application/json", Array(#"{"id":1,"name":"Ada é"}"#.utf8)),
        ("an array", [1, 2], nil, "application/json", Array("[1,2]".utf8)),
        ("a variable in a dictionary", ["name": text], nil, "application/json", Array(#"{"name":"Ada é"}"#.utf8)),
        ("JSON", ["n": 1, "s": "a"] as JSON, nil, "application/json", Array(#"{"n":1,"s":"a"}"#.utf8)),
        ("a number", 7, nil, "application/json", Array("7".utf8)),
        ("text", text, nil, "text/plain; charset=utf-8", Array("Ada é".utf8)),
        ("bytes", Data([0, 255]), nil, "application/octet-stream", [0, 255]),
        ("an array of bytes", [UInt8]([0, 255]), nil, "application/octet-stream", [0, 255]),
        (
            "a type of JSON", User(), "application/vnd.api+json", "application/vnd.api+json",
            Array(#"{"id":1,"name":"Ada é"}"#.utf8)
        ),
        (
            "a form", User(tags: ["x y", "&"]), .form, "application/x-www-form-urlencoded",
            Array("id=1&name=Ada+%C3%A9&tags=x+y&tags=%26".utf8)
        ),
        (
            "lines of JSON", [User(), User(id: 2, name: "b")], .ndjson, "application/x-ndjson",
            Array("{\"id\":1,\"name\":\"Ada é\"}\n{\"id\":2,\"name\":\"b\"}\n".utf8)
        ),
        (
            "a sequence of JSON", ["a", "b"], "application/json-seq", "application/json-seq",
            Array("\u{1E}\"a\"\n\u{1E}\"b\"\n".utf8)
        ),
        (
            "text in Latin-1", text, "text/plain;charset=iso-8859-1", "text/plain;charset=iso-8859-1",
            [0x41, 0x64, 0x61, 0x20, 0xE9]
        ),
        (
            "text in UTF-16, big end first", "é", "text/plain;charset=UTF-16BE", "text/plain;charset=UTF-16BE",
            [0, 0xE9]
        ),
        ("text as JSON", #"{"a":1}"#, .json, "application/json", Array(#"{"a":1}"#.utf8)),
        ("bytes as an image", Data([1]), "image/png", "image/png", [1]),
    ]

    @Test("a body is written in its media type", arguments: bodies.indices)
    func body(_ index: Int) async throws {
        let row = Self.bodies[index]
        let (manager, stub) = try stubManager(TestRegistry.make(TestRegistry.formats)) { _ in .json("1") }
        try await manager.post("a", body: row.body, in: row.2)
        try await manager.put("a", body: row.body, in: row.2)
        try await manager.patch("a", body: row.body, in: row.2)
        try await manager.upload(.value(row.body, in: row.2), to: "a")
        _ = try await manager.send(SessionRequest("a", method: "POST", content: .value(row.body, in: row.2)))
        #expect(stub.requests.map(\.head.method) == ["POST", "PUT", "PATCH", "POST", "POST"])
        for request in stub.requests {
            #expect(request.head.fields["Content-Type"] == row.type, "\(row.name)")
            #expect(request.body?.data.map(Array.init) == row.bytes, "\(row.name)")
        }
    }

    @Test("a property list is written in XML")
    func propertyList() async throws {
        let (manager, stub) = try stubManager(TestRegistry.make(TestRegistry.formats)) { _ in .json("1") }
        try await manager.post("a", body: User(), in: "application/x-plist")
        let bytes = try #require(stub.requests.first?.body?.data)
        #expect(try PropertyListDecoder().decode(User.self, from: bytes) == User())
        #expect(bytes.starts(with: Data("<?xml".utf8)))
    }

    @Test("a body that is nil sends none, and a Content-Type of the request's own stays")
    func noBody() async throws {
        let (manager, stub) = try stubManager { _ in .json("1") }
        try await manager.post("a")
        try await manager.post("a", body: [1], headers: ["Content-Type": "application/x-own+json"])
        #expect(stub.requests.map { $0.body?.data } == [nil, Data("[1]".utf8)])
        #expect(stub.requests.map { $0.head.fields["Content-Type"] } == [nil, "application/x-own+json"])
    }

    @Test("a value that nobody writes, or that its media type cannot hold, fails the call before anything is sent")
    func unwritable() async throws {
        let elements = RequestContent.elements(AsyncStream<Int> { $0.finish() }, in: .form)
        let rows: [(RequestContent, SessionError.Code, String)] = [
            (
                .value(User(), in: "image/png"), .noWriter,
                "no entry writes User as image/png; none of the 6 entries covers this type"
            ),
            (
                .value(User(), in: .ndjson), .noWriter,
                "no entry writes User as application/x-ndjson; asked: ndjson (it only writes arrays, and User is not an array), "
                    + "and 5 that do not cover application/x-ndjson"
            ),
            (
                elements, .noWriter,
                "no entry writes elements of the type Int as application/x-www-form-urlencoded; asked: "
                    + "form (it writes whole values, not elements one by one), "
                    + "and 5 that do not cover application/x-www-form-urlencoded"
            ),
            (
                .value([1], in: .form), .writing,
                "the entry form could not write application/x-www-form-urlencoded: form: a form needs an object with named members"
            ),
            (
                .value([Double.nan]), .writing,
                "the entry json could not write application/json: a value of the type Double cannot be written at /0"
            ),
            (
                .value("\u{20AC}", in: "text/plain;charset=iso-8859-1"), .writing,
                #"the text has a character that the charset "iso-8859-1" lacks"#
            ),
        ]
        for (content, code, reason) in rows {
            let (manager, stub) = try stubManager(TestRegistry.make(TestRegistry.formats)) { _ in .json("1") }
            let error = await #expect(throws: SessionError.self) { try await manager.upload(content, to: "a") }
            #expect(error?.code == code, "\(reason)")
            #expect(error?.description == "POST origin.test/a: the request was not sent: " + reason)
            #expect(stub.requests.isEmpty)
        }
    }

    @Test("without a type the status alone is judged: what came is not decoded")
    func nothing() async throws {
        let (manager, stub) = try stubManager { request in
            request.head.method == "PUT" ? .json(#"{"why":"no"}"#, status: 409) : .json("[broken")
        }
        try await manager.post("a", body: [1])
        try await manager.delete("a")
        try await manager.get("a", as: Void.self)
        #expect(try await manager.send("a", as: Void.self).body.data == Data("[broken".utf8))
        let error = await #expect(throws: SessionError.self) { try await manager.put("a") }
        #expect(error?.code == .status)
        #expect(error?.value as? JSON == ["why": "no"])
        #expect(stub.requests.allSatisfy { $0.head.fields["Accept"] == "*/*" })
    }

    @Test("a call that expects nothing lets go of a body over the limit; validators and other types keep the limit")
    func excess() async throws {
        let (manager, _) = try stubManager { request in
            request.head.method == "PUT" ? .words("much too long", status: 500) : .words("much too long")
        }
        func limited(_ method: String, isValidated: Bool = false) -> SessionRequest {
            var request = SessionRequest("a", method: method)
            request.maximumBodyBytes = 4
            if isValidated { request.validators = [{ _, _ in }] }
            return request
        }
        let reply = try await manager.send(limited("POST"), as: Void.self)
        #expect(reply.head.status == 200)
        #expect(reply.body.data.count <= 4)
        let typed = await #expect(throws: SessionError.self) {
            try await manager.send(limited("POST"), as: [String].self)
        }
        #expect(typed?.code == .bodyTooLarge)
        let refused = await #expect(throws: SessionError.self) {
            try await manager.send(limited("PUT"), as: Void.self)
        }
        #expect(refused?.code == .status)
        let validated = await #expect(throws: SessionError.self) {
            try await manager.send(limited("POST", isValidated: true), as: Void.self)
        }
        #expect(validated?.code == .bodyTooLarge)
    }

    @Test("a head is the answer of HEAD; without a type the registry chooses that of the value")
    func untyped() async throws {
        let (manager, stub) = try stubManager { request in
            request.head.url.path() == "/words" ? .words("a b") : .json("[1]")
        }
        #expect(try await manager.head("a").fields["Content-Type"] == "application/json")
        #expect(stub.requests.last?.head.method == "HEAD")
        #expect(try await manager.send("a").value as? JSON == [1])
        #expect(try await manager.send("words").value as? [String] == ["a", "b"])
        let value: any Sendable = try await manager.post("words", as: (any Sendable).self)
        #expect(value as? [String] == ["a", "b"])
        var elements: [any Sendable] = []
        for try await element in try await manager.stream("words") { elements.append(element) }
        #expect(elements.count == 1)
        #expect(elements.first as? [String] == ["a", "b"])
    }

    @Test("a query of a value has its members, and one without members is refused")
    func query() async throws {
        struct Filter: Encodable {
            struct Range: Encodable { var from = 1, to: Int? }
            var q = "a b&c", tags = ["x", "y"], isOpen = true, range = Range(), none: String?
            var since = Date(timeIntervalSince1970: 0), key = Data([255])
        }
        let (manager, stub) = try stubManager { _ in .json("1") }
        _ = try await manager.get("a", query: QueryItems(encoding: Filter()), as: Int.self)
        #expect(
            stub.requests.first?.head.url.query(percentEncoded: true)
                == "q=a%20b%26c&tags=x&tags=y&isOpen=true&range%5Bfrom%5D=1&since=1970-01-01T00%3A00%3A00Z&key=/w%3D%3D"
        )
        for body in [[1], [Int]()] {
            let error = #expect(throws: SessionError.self) { try QueryItems(encoding: body) }
            #expect(error?.code == .invalidRequest)
            #expect(
                error?.reason == "the query could not be made: a query or a form needs an object with named members")
        }
        let unencodable = #expect(throws: SessionError.self) { try QueryItems(encoding: ["a": NoCode()]) }
        #expect(unencodable?.cause is NoCode.Failure)
    }

    struct NoCode: Encodable {
        struct Failure: Error {}
        func encode(to encoder: any Encoder) throws { throw Failure() }
    }

    @Test("a request knows its URL where its target is whole, and in adapt always")
    func url() async throws {
        var request = SessionRequest("http://other.test/a?b=1", query: ["c": "2"])
        #expect(request.url?.absoluteString == "http://other.test/a?b=1&c=2")
        request.target = "x"
        #expect(request.url == nil)
        request.target = "http://"
        #expect(request.url == nil)
        let seen = Shared<[String?]>([])
        var configuration = SessionConfiguration()
        configuration.interceptors = [
            MadeInterceptor { request in
                var request = request
                seen.withLock { $0.append(request.url?.absoluteString) }
                request.target = "y"
                request.query = ["d": "3"]
                seen.withLock { $0.append(request.url?.absoluteString) }
                return request
            }
        ]
        let (manager, _) = try stubManager(configuration: configuration) { _ in .json("1") }
        _ = try await manager.send("x", query: ["c": "2"])
        #expect(seen.withLock { $0 } == ["http://origin.test/x?c=2", "http://origin.test/y?d=3"])
    }
}
