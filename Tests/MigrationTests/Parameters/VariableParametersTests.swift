import Foundation
import Patchbay
import PatchbayMigration
import PatchbayTesting
import Testing

/// Parameters that are no literal: variables of any type, optionals, values that are `Encodable`.
@Suite(.timeLimit(.minutes(5))) struct VariableParametersTests {
    struct Draft: Encodable, Sendable {
        var title = "Tea"
        var page: Int?
        var price = Decimal(string: "0.30000000000000003")
    }

    private let title = "Tea"
    private let page = 2
    private let note: String? = nil
    private let tags = ["green", "hot"]

    /// What a call sends as JSON, which keeps the order.
    private func sent(
        _ call: (_ manager: SessionManager) async throws -> Void
    ) async throws -> String? {
        var configuration = SessionConfiguration()
        configuration.requestSerializer = .json
        let (manager, stub) = stubManager(configuration: configuration) { _ in .json("[1]") }
        try await call(manager)
        return stub.requests.first?.body?.data.map { String(decoding: $0, as: UTF8.self) }
    }

    @Test("1.6.3: a dictionary of mixed variables, optionals and literals, in its order")
    func mixed() async throws {
        #expect(
            try await sent { _ = try await $0.post("a", parameters: ["title": title, "page": page]) }
                == #"{"title":"Tea","page":2}"#)
        #expect(
            try await sent {
                _ = try await $0.post(
                    "a",
                    parameters: [
                        "z": title, "note": note, "tags": tags, "draft": Draft(), "list": [1, 2], "on": true,
                        "none": nil,
                        "half": 0.5, "whole": ["a": 1, "b": [nil, "x"]] as Parameters, "text": "\(page)",
                    ])
            }
                == #"{"z":"Tea","note":null,"tags":["green","hot"],"draft":{"title":"Tea","price":0.30000000000000003},"#
                + #""list":[1,2],"on":true,"none":null,"half":0.5,"whole":{"a":1,"b":[null,"x"]},"text":"2"}"#)
    }

    @Test(
        "1.6.3: variables of one type keep their order too, and of equal keys the last counts in the place of the first"
    )
    func equalKeys() async throws {
        #expect(
            try await sent { _ = try await $0.post("a", parameters: ["z": title, "a": title, "m": title]) }
                == #"{"z":"Tea","a":"Tea","m":"Tea"}"#)
        let other = "Coffee"
        #expect(
            try await sent { _ = try await $0.put("a", parameters: ["z": title, "a": title, "z": other]) }
                == #"{"z":"Coffee","a":"Tea"}"#)
        #expect(
            try await sent { _ = try await $0.patch("a", parameters: ["z": title, "a": page, "z": page]) }
                == #"{"z":2,"a":2}"#)
    }

    @Test("1.6.3: literals are as they were: of any depth, in their order, the last of two equal keys counting")
    func literals() async throws {
        #expect(
            try await sent {
                _ = try await $0.post(
                    "a", parameters: ["z": 1, "a": ["y": [1, "x", nil, true], "x": 0.5, "y": 2], "z": "last"])
            } == #"{"z":"last","a":{"y":2,"x":0.5}}"#)
        #expect(try await sent { _ = try await $0.post("a", parameters: [:]) } == "{}")
        #expect(try await sent { _ = try await $0.post("a", parameters: [1, ["a": nil]]) } == #"[1,{"a":null}]"#)
        #expect(try await sent { _ = try await $0.post("a", parameters: nil) } == nil)
        let (made, none): (Parameters, Parameters?) = (["a": 1], nil)
        #expect(try await sent { _ = try await $0.post("a", parameters: made) } == #"{"a":1}"#)
        #expect(try await sent { _ = try await $0.post("a", parameters: none) } == nil)
        #expect(
            try await sent { _ = try await $0.post("a", parameters: ["b": made, "c": 1]) } == #"{"b":{"a":1},"c":1}"#)
        #expect(
            try await sent { _ = try await $0.post("a", parameters: ["b": .string(title), "c": .integer(2)]) }
                == #"{"b":"Tea","c":2}"#)
    }

    @Test("1.6.3: a value that is Encodable, an optional one, a dictionary, an array")
    func encodable() async throws {
        let (some, none): (Draft?, Draft?) = (Draft(page: 2), nil)
        #expect(
            try await sent { _ = try await $0.post("a", parameters: Draft()) }
                == #"{"title":"Tea","price":0.30000000000000003}"#)
        #expect(
            try await sent { _ = try await $0.post("a", parameters: some) }
                == #"{"title":"Tea","page":2,"price":0.30000000000000003}"#)
        #expect(try await sent { _ = try await $0.post("a", parameters: none) } == nil)
        #expect(try await sent { _ = try await $0.put("a", parameters: [title: tags]) } == #"{"Tea":["green","hot"]}"#)
        let counts = ["a": 1]
        #expect(try await sent { _ = try await $0.patch("a", parameters: counts) } == #"{"a":1}"#)
        #expect(try await sent { _ = try await $0.post("a", parameters: tags) } == #"["green","hot"]"#)
        let json = try JSON(parsing: #"{"b":[1,null],"a":0.30000000000000003}"#)
        #expect(try await sent { _ = try await $0.post("a", parameters: json) } == json.description)
    }

    @Test("1.6.3: every verb takes them, typed and not, into the query or the body")
    func verbs() async throws {
        let (manager, stub) = stubManager { request in
            request.head.method == "HEAD" ? StubReply() : .json("[1]")
        }
        _ = try await manager.get("a?x=1", parameters: ["t": title, "p": page], query: ["q": page])
        _ = try await manager.head("a", parameters: ["t": title, "p": page])
        _ = try await manager.delete("a", parameters: ["t": title, "p": page], headers: ["X-A": "1"])
        #expect(try await manager.get("a", as: [Int].self, parameters: ["t": title, "p": page]) == [1])
        #expect(try await manager.delete("a", as: [Int].self, parameters: Draft()) == [1])
        #expect(
            stub.requests.map { $0.head.url.query(percentEncoded: true) } == [
                "x=1&q=2&p=2&t=Tea", "p=2&t=Tea", "p=2&t=Tea", "p=2&t=Tea", "page&price=0.30000000000000003&title=Tea",
            ])
        #expect(stub.requests.allSatisfy { $0.body == nil })
        _ = try await manager.post("a", parameters: ["t": title, "p": page])
        #expect(try await manager.post("a", as: [Int].self, parameters: ["t": title, "p": page]) == [1])
        #expect(try await manager.put("a", as: [Int].self, parameters: ["t": title, "p": page]) == [1])
        #expect(try await manager.patch("a", as: [Int].self, parameters: ["t": title, "p": page]) == [1])
        #expect(stub.requests.dropFirst(5).allSatisfy { $0.body?.data == Data("p=2&t=Tea".utf8) })
        #expect(
            stub.requests.map(\.head.method) == [
                "GET", "HEAD", "DELETE", "GET", "DELETE", "POST", "POST", "PUT", "PATCH",
            ])
        #expect(stub.requests[2].head.fields["X-A"] == "1")
    }

    @Test("1.6.3, 1.8.13: a form of named parts for every verb, the parameters before its parts")
    func multipart() async throws {
        let (manager, stub) = stubManager { _ in .json("[1]") }
        var form = MultipartFormData()
        form.append(title, name: "title")
        _ = try await manager.put("a", multipart: form)
        _ = try await manager.patch("a", multipart: form, parameters: ["page": 2])
        #expect(try await manager.put("a", multipart: form, as: [Int].self) == [1])
        #expect(try await manager.post("a", multipart: form, parameters: ["page": 2], as: [Int].self) == [1])
        #expect(stub.requests.map(\.head.method) == ["PUT", "PATCH", "PUT", "POST"])
        for (index, request) in stub.requests.enumerated() {
            #expect(request.head.fields["Content-Type"]?.hasPrefix("multipart/form-data; boundary=") == true)
            let text = String(decoding: try #require(request.body?.data), as: UTF8.self)
            #expect(text.contains("name=\"title\"\r\n"))
            #expect(text.contains("name=\"page\"\r\n") == (index % 2 == 1))
        }
    }

    @Test("a request is made of variables too, and fails when it is sent, unless it is given other parameters")
    func requests() async throws {
        struct Stubborn: Encodable {
            func encode(to encoder: any Encoder) throws { throw Shout() }
        }
        let (manager, stub) = stubManager { _ in .json("1") }
        _ = try await manager.send(SessionRequest("QUERY", "a", parameters: ["z": title, "a": page]))
        _ = try await manager.send(SessionRequest("a", parameters: ["z": title, "a": page]))
        var request = SessionRequest("POST", "a", parameters: ["a": Stubborn(), "b": page])
        let error = await #expect(throws: SessionError.self) { try await manager.send(request) }
        #expect(error?.code == .invalidRequest)
        #expect(error?.description == "the request was not sent: its parameters could not be encoded")
        #expect(error?.cause is Shout)
        request.parameters = ["b": 1]
        _ = try await manager.send(request)
        #expect(stub.requests.map { $0.body?.data } == [Data("a=2&z=Tea".utf8), nil, Data("b=1".utf8)])
        #expect(stub.requests[1].head.url.query() == "a=2&z=Tea")
    }

    @Test("a Decimal keeps its digits in a form, a query, JSON, and on the way through a JSON value")
    func decimals() throws {
        let decimal = try #require(Decimal(string: "12345678901234567890.123456789"))
        let parameters = try Parameters(encoding: ["a": decimal])
        #expect(try FormRules().writer.text(of: parameters.tree()) == "a=12345678901234567890.123456789")
        let json = try JSON(encoding: parameters)
        #expect(json.description == #"{"a":12345678901234567890.123456789}"#)
        #expect(try JSON(encoding: Parameters(json)).description == json.description)
        #expect(try Parameters(encoding: [Decimal(12), Decimal(0.5)]) == [12, 0.5])
    }

    /// An actor calls as any other code does.
    private actor Caller {
        let manager: SessionManager
        var title = "Tea"

        init(_ manager: SessionManager) { self.manager = manager }

        func call(_ page: Int?) async throws -> [Int] {
            _ = try await manager.post("a", parameters: ["title": title, "page": page])
            return try await manager.get("a", as: [Int].self, parameters: ["title": title, "page": page])
        }
    }

    @Test("from an actor")
    func actor() async throws {
        let (manager, stub) = stubManager { _ in .json("[1]") }
        #expect(try await Caller(manager).call(nil) == [1])
        #expect(stub.requests.first?.body?.data == Data("page&title=Tea".utf8))
    }
}
