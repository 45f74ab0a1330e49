import Foundation
import Patchbay
import PatchbayMigration
import PatchbayTesting
import Testing

@Suite(.timeLimit(.minutes(5))) struct RequestSerializerTests {
    private func sent(
        _ parameters: Parameters?, by serializer: any ParameterSerializer, method: String = "POST",
        headers: HeaderFields = [:]
    ) async throws -> TransportRequest {
        let (manager, stub) = stubManager { _ in .json("1") }
        var request = SessionRequest(method, "a", parameters: parameters, headers: headers)
        request.serializer = serializer
        _ = try await manager.send(request)
        return try #require(stub.requests.first)
    }

    private func failure(
        _ parameters: Parameters, by serializer: any ParameterSerializer, content: RequestContent? = nil
    ) async throws -> SessionError {
        let (manager, stub) = stubManager { _ in .json("1") }
        var request = SessionRequest("POST", "a", content: content, parameters: parameters)
        request.serializer = serializer
        let error = await #expect(throws: SessionError.self) { try await manager.send(request) }
        #expect(error?.code == .invalidRequest)
        #expect(stub.requests.isEmpty)
        return try #require(error)
    }

    @Test("1.6.9, 1.8.6: parameters of other methods are a form by default", arguments: ["POST", "PUT", "PATCH"])
    func form(_ method: String) async throws {
        let (manager, stub) = stubManager { _ in .json("1") }
        _ = try await manager.send(SessionRequest(method, "a", parameters: ["b": "x y", "a": [1]]))
        let request = try #require(stub.requests.first)
        #expect(request.body?.data == Data("a%5B%5D=1&b=x%20y".utf8))
        #expect(request.head.fields.values(for: "Content-Type") == ["application/x-www-form-urlencoded"])
        #expect(request.head.url.query() == nil)
    }

    @Test("1.8.6: no parameters are an empty form, with its type")
    func emptyForm() async throws {
        let request = try await sent(nil, by: .form)
        #expect(request.body?.data == Data())
        #expect(request.head.fields["Content-Type"] == "application/x-www-form-urlencoded")
    }

    /// A change of a POST without content, and whether the request is then an empty form.
    private static let changes: [(name: String, isForm: Bool, change: @Sendable (inout SessionRequest) -> Void)] = [
        ("nothing", false, { _ in }),
        ("that it can be paused", false, { $0.isPausable = true }),
        ("a validator", false, { $0.responseValidators = [.status()] }),
        ("a query that is encoded", false, { $0.encodedQuery = "a=1" }),
        ("no parameters", true, { $0.parameters = nil }),
        ("a serializer", true, { $0.serializer = .form }),
        ("no serializer", true, { $0.serializer = nil }),
        ("a modifier", true, { $0.modifier = { $0.headers["X-A"] = "1" } }),
        (
            "all of them", true,
            {
                $0.isPausable = true
                $0.encodedQuery = "a=1"
                $0.parameters = nil
            }
        ),
    ]

    @Test(
        "1.8.6: only parameters, a serializer or a modifier send a request through a serializer, or the configuration's",
        arguments: [false, true])
    func passesSerializer(isConfigured: Bool) async throws {
        var configuration = SessionConfiguration()
        if isConfigured { configuration.requestSerializer = .form }
        let (manager, stub) = stubManager(configuration: configuration) { _ in .json("1") }
        for (number, row) in Self.changes.enumerated() {
            var request = SessionRequest("a", method: "POST")
            row.change(&request)
            _ = try await manager.send(request)
            _ = try await manager.task(request).resume().reply
            for sent in stub.requests.suffix(2) {
                #expect((sent.body != nil) == (row.isForm || isConfigured), "\(row.name)")
                #expect(sent.isSuspendable == request.isPausable, "\(row.name)")
                #expect(sent.head.url.query() == request.encodedQuery, "\(row.name)")
            }
            #expect(stub.requests.count == 2 * (number + 1))
        }
    }

    @Test("1.8.6, 1.8.8: a type that the request or the manager has stays")
    func ownType() async throws {
        #expect(
            try await sent(["a": 1], by: .form, headers: ["content-type": "x/y"]).head.fields
                .values(for: "Content-Type") == ["x/y"])
        var configuration = SessionConfiguration()
        configuration.headers["Content-Type"] = "v/w"
        let (manager, stub) = stubManager(configuration: configuration) { _ in .json("1") }
        _ = try await manager.post("a", parameters: ["a": 1])
        #expect(stub.requests.first?.head.fields.values(for: "Content-Type") == ["v/w"])
    }

    @Test("1.6.9: the manager's serializer can be replaced")
    func replaced() async throws {
        var configuration = SessionConfiguration()
        configuration.requestSerializer = .json
        let (manager, stub) = stubManager(configuration: configuration) { _ in .json("1") }
        _ = try await manager.post("a", parameters: ["b": [1, true, nil, "x"]])
        #expect(stub.requests.first?.body?.data == Data(#"{"b":[1,true,null,"x"]}"#.utf8))
    }

    @Test(
        "1.8.11, 1.9.2: JSON in the body, or the query where there is none",
        arguments: [
            ("POST", ["b": 1, "a": [nil, 1.5]], #"{"b":1,"a":[null,1.5]}"#, nil),
            ("POST", [1, "x"], #"[1,"x"]"#, nil), ("POST", [:], "{}", nil), ("POST", nil, nil, nil),
            ("GET", ["b": 1, "a": 2], nil, "a=2&b=1"), ("delete", ["b": 1], nil, "b=1"),
        ] as [(String, Parameters?, String?, String?)])
    func json(_ method: String, _ parameters: Parameters?, _ body: String?, _ query: String?) async throws {
        let request = try await sent(parameters, by: .json, method: method)
        #expect(request.body?.data == body.map { Data($0.utf8) })
        #expect(request.head.url.query() == query)
        #expect(request.head.fields["Content-Type"] == (body == nil ? nil : "application/json"))
    }

    @Test("1.9.2: a type that is there already stays with JSON")
    func ownJSONType() async throws {
        let request = try await sent([1], by: .json, headers: ["Content-Type": "application/vnd.x+json"])
        #expect(request.head.fields.values(for: "Content-Type") == ["application/vnd.x+json"])
    }

    @Test(
        "1.8.11, 1.6.5: what JSON cannot say fails the request, once, before it is sent",
        arguments: [
            ["a": .set([1])], ["a": .number(.infinity)], [.number(.nan)], ["a": .integer(Int128.max)],
        ] as [Parameters])
    func invalidJSON(_ parameters: Parameters) async throws {
        let error = try await failure(parameters, by: .json)
        #expect(error.description == "the request was not sent: its parameters could not be serialized")
        #expect(error.cause is EncodingError)
    }

    @Test("1.9.3: JSON pretty and sorted")
    func jsonOptions() async throws {
        var serializer = JSONParameterSerializer.json
        serializer.sortsKeys = true
        let parameters: Parameters = ["b": 1, "a": 2]
        #expect(try await sent(parameters, by: serializer).body?.data == Data(#"{"a":2,"b":1}"#.utf8))
        serializer.isPretty = true
        #expect(
            try await sent(parameters, by: serializer).body?.data == Data("{\n  \"a\": 2,\n  \"b\": 1\n}".utf8))
        serializer.options.dates = .secondsSince1970
        serializer.isPretty = false
        #expect(
            try await sent(["d": .date(Date(timeIntervalSince1970: 5)), "b": .data(Data([1]))], by: serializer).body?
                .data == Data(#"{"b":"AQ==","d":5.0}"#.utf8))
    }

    @Test("1.8.12: a property list in the body, or the query where there is none")
    func propertyList() async throws {
        let request = try await sent(
            ["a": [1, 2.5, true, "x"], "d": .data(Data([1, 2])), "t": .date(Date(timeIntervalSince1970: 0))],
            by: .propertyList)
        #expect(request.head.fields["Content-Type"] == "application/x-plist")
        let body = try #require(request.body?.data)
        let text = String(decoding: body, as: UTF8.self)
        #expect(text.contains("<plist"))
        let value = try PropertyListSerialization.propertyList(from: body, format: nil) as? [String: Any]
        #expect(value?["d"] as? Data == Data([1, 2]))
        #expect(value?["t"] as? Date == Date(timeIntervalSince1970: 0))
        #expect((value?["a"] as? [Any])?.count == 4)
        #expect(try await sent(["a": 1], by: .propertyList, method: "GET").head.url.query() == "a=1")
        let bare = try await sent(nil, by: .propertyList)
        #expect(bare.body == nil)
        #expect(bare.head.fields["Content-Type"] == nil)
        var binary = PropertyListParameterSerializer.propertyList
        binary.format = .binary
        #expect(try await sent(["a": 1], by: binary).body?.data?.starts(with: Data("bplist00".utf8)) == true)
    }

    @Test("1.8.12: what a property list cannot say fails the request")
    func invalidPropertyList() async throws {
        #expect(
            try await failure(["a": [["b": nil]]], by: .propertyList).description
                == "the request was not sent: a property list has no null")
        #expect(try await failure(["a": .set([1])], by: .propertyList).cause is EncodingError)
    }

    @Test("a form needs names, and no serializer writes over content")
    func refused() async throws {
        for parameters: Parameters in [[1], "x", nil, 1, .set([1])] {
            #expect(
                try await failure(parameters, by: .form).description
                    == "the request was not sent: a query or a form needs an object with named members")
        }
        for serializer: any ParameterSerializer in [.form, .json, .propertyList] {
            #expect(
                try await failure(["a": 1], by: serializer, content: .value("x")).description
                    == "the request was not sent: the request has content already")
        }
    }

    @Test("parameters of any depth are refused, not followed", arguments: [true, false])
    func deep(_ isObject: Bool) async throws {
        var parameters: Parameters = 1
        for _ in 0..<1000 { parameters = isObject ? ["a": parameters] : [parameters] }
        parameters = ["a": parameters]
        #expect(
            try await failure(parameters, by: .form).description
                == "the request was not sent: more than 512 values lie inside each other")
        #expect(try await failure(parameters, by: .json).cause is EncodingError)
        #expect(try await failure(parameters, by: .propertyList).cause is EncodingError)
    }

    @Test("1.9.1: the destination is the query or the body, whatever the method")
    func destination() async throws {
        var serializer = FormParameterSerializer()
        serializer.destination = .query
        let query = try await sent(["a": 1], by: serializer, method: "POST")
        #expect(query.head.url.query() == "a=1")
        #expect(query.body == nil)
        serializer.destination = .body
        let body = try await sent(["a": 1], by: serializer, method: "DELETE")
        #expect(body.head.url.query() == nil)
        #expect(body.body?.data == Data("a=1".utf8))
    }

    @Test("1.7.9: a modifier changes the request before its parameters are serialized")
    func modifier() async throws {
        let (manager, stub) = stubManager { _ in .json("1") }
        var request = SessionRequest("POST", "a", parameters: ["x": 1])
        request.modifier = { request in
            request.method = "GET"
            request.headers["X-A"] = "1"
            request.excluding = ["json"]
        }
        #expect(try await manager.send(request).outcome == .raw)
        let sent = try #require(stub.requests.first)
        #expect(sent.head.method == "GET")
        #expect(sent.head.url.query() == "x=1")
        #expect(sent.head.fields["X-A"] == "1")
        request.modifier = { _ in throw Shout() }
        let error = await #expect(throws: SessionError.self) { try await manager.send(request) }
        #expect(error?.description == "the request was not sent: its modifier failed")
        #expect(error?.cause as? Shout == Shout())
        #expect(stub.requests.count == 1)
    }
}
