import Foundation
import Patchbay
import PatchbayMigration
import PatchbayTesting
import Testing

/// The pairs that AFNetworking makes.
@Suite struct QueryTests {
    static let pairsRows: [PairsRow] = [
        PairsRow("names are sorted", ["b": 1, "a": 2, "c": 3], "a=2&b=1&c=3"),
        PairsRow(
            "names are sorted at every level", ["o": ["z": 1, "b": ["y": 1, "x": 2]], "a": 0],
            "a=0&o%5Bb%5D%5Bx%5D=2&o%5Bb%5D%5By%5D=1&o%5Bz%5D=1"),
        PairsRow("elements keep their order", ["a": [3, 1, 2]], "a%5B%5D=3&a%5B%5D=1&a%5B%5D=2"),
        PairsRow(
            "arrays in arrays", ["a": [[1, 2], [3]]],
            "a%5B%5D%5B%5D=1&a%5B%5D%5B%5D=2&a%5B%5D%5B%5D=3"),
        PairsRow(
            "objects in arrays", ["a": [["y": 1, "x": 2]]], "a%5B%5D%5Bx%5D=2&a%5B%5D%5By%5D=1"
        ),
        PairsRow(
            "sets are sorted and have no brackets", ["s": .set(["c", "a", "b"])], "s=a&s=b&s=c"
        ),
        PairsRow("null has no equals sign", ["n": nil, "e": ""], "e=&n"),
        PairsRow("bools are numbers", ["t": true, "f": false], "f=0&t=1"),
        PairsRow(
            "numbers", ["a": 1.0, "b": 0.1, "c": -3, "d": 1e300], "a=1&b=0.1&c=-3&d=1e%2B300"),
        PairsRow(
            "the largest integers", ["a": .integer(Int128(UInt64.max))],
            "a=18446744073709551615"),
        PairsRow(
            "empty containers have no pair", ["a": [], "b": [:], "c": .set([]), "d": 1], "d=1"),
        PairsRow("an empty element of a set has no pair", ["c": .set([[], 1])], "c=1"),
        PairsRow(
            "names by their UTF-16", ["\u{FF5E}": 1, "\u{1F600}": 2],
            "%F0%9F%98%80=2&%EF%BD%9E=1"),
        PairsRow("of members with one name the last counts", ["a": 1, "b": 2, "a": 3], "a=3&b=2"),
    ]

    @Test("1.8.3: members sorted at every level, brackets, sets, null", arguments: pairsRows)
    func pairs(_ row: PairsRow) throws {
        #expect(try row.written() == row.pairs)
    }

    static let escapesRows: [PairsRow] = [
        PairsRow("what stays", ["aZ09-._~/?": "aZ09-._~/?"], "aZ09-._~/?=aZ09-._~/?"),
        PairsRow(
            "what does not", ["k": ":#[]@!$&'()*+,;="],
            "k=%3A%23%5B%5D%40%21%24%26%27%28%29%2A%2B%2C%3B%3D"),
        PairsRow("in names too", ["a&b=": "1"], "a%26b%3D=1"),
        PairsRow("white space and controls", ["k": " \t\r\n\0%"], "k=%20%09%0D%0A%00%25"),
        PairsRow(
            "beyond ASCII", ["\u{E9}": "\u{1F468}\u{200D}\u{1F469}"],
            "%C3%A9=%F0%9F%91%A8%E2%80%8D%F0%9F%91%A9"),
        PairsRow(
            "long and beyond ASCII", ["k": .string(String(repeating: "\u{1F600}", count: 200))],
            "k=" + String(repeating: "%F0%9F%98%80", count: 200)),
    ]

    @Test("1.8.4: all is escaped but letters, digits and -._~/?", arguments: escapesRows)
    func escapes(_ row: PairsRow) throws {
        #expect(try row.written() == row.pairs)
    }

    @Test(
        "1.8.2, 1.8.5: a query joins the one that is there, and no parameters make none",
        arguments: [
            ("GET", "a", ["x": 1], "a?x=1"), ("get", "a", ["x": 1], "a?x=1"), ("HEAD", "a", ["x": 1], "a?x=1"),
            ("DELETE", "a", ["x": 1], "a?x=1"), ("Delete", "a?b=c", ["x": 1], "a?b=c&x=1"),
            ("GET", "a?b=c#d", ["x": 1], "a?b=c&x=1"), ("GET", "a?", ["x": 1], "a?x=1"), ("GET", "a", [:], "a"),
            ("GET", "a?b", [:], "a?b"), ("GET", "a", nil, "a"),
        ] as [(String, String, Parameters?, String)])
    func target(_ method: String, _ target: String, _ parameters: Parameters?, _ expected: String) async throws {
        let (manager, stub) = stubManager { _ in .json("1") }
        _ = try await manager.send(SessionRequest(method, target, parameters: parameters))
        let request = try #require(stub.requests.first)
        #expect(request.head.url.absoluteString == "http://origin.test/" + expected)
        #expect(request.body == nil)
        #expect(request.head.fields["Content-Type"] == nil)
    }

    @Test("1.8.2: the methods whose parameters go into the query can be set")
    func methods() async throws {
        var serializer = FormParameterSerializer()
        serializer.queryMethods = ["SEARCH"]
        var configuration = SessionConfiguration()
        configuration.requestSerializer = serializer
        let (manager, stub) = stubManager(configuration: configuration) { _ in .json("1") }
        _ = try await manager.send(SessionRequest("SEARCH", "a", parameters: ["x": 1]))
        _ = try await manager.delete("a", parameters: ["x": 1])
        #expect(stub.requests.map { $0.head.url.query() } == ["x=1", nil])
        #expect(stub.requests.map { $0.body?.data } == [nil, Data("x=1".utf8)])
    }

    @Test("the query items of a request and its parameters stand side by side")
    func both() async throws {
        let (manager, stub) = stubManager { _ in .json("1") }
        _ = try await manager.get("a", parameters: ["x": "1 2"], query: [(name: "q", value: "3 4")])
        #expect(stub.requests.first?.head.url.query(percentEncoded: true) == "q=3%204&x=1%202")
    }

    @Test("the target's own query comes first, as it is written, then the query, then the parameters")
    func order() async throws {
        let (manager, stub) = stubManager { _ in .json("7") }
        _ = try await manager.get("a?q=1+2%203", parameters: ["q": "4 5"], query: ["q": "6 7"])
        #expect(stub.requests.first?.head.url.query(percentEncoded: true) == "q=1+2%203&q=6%207&q=4%205")
    }

    @Test(
        "1.8.7: a closure may write the pairs, and may fail",
        arguments: [
            ("x=1", nil), ("a b", "the query has a character that is not percent-encoded"),
            ("%4", "the query has a character that is not percent-encoded"),
            ("a#b", "the query has a character that is not percent-encoded"),
            ("\u{E9}", "the query has a character that is not percent-encoded"),
            (nil, "its parameters could not be serialized"),
        ] as [(String?, String?)])
    func closure(_ text: String?, _ reason: String?) async throws {
        var serializer = FormParameterSerializer()
        serializer.makePairs = { parameters, request in
            #expect(parameters == ["k": 1])
            #expect(request.target == "a")
            guard let text else { throw Shout() }
            return text
        }
        let (manager, stub) = stubManager { _ in .json("1") }
        var request = SessionRequest("GET", "a", parameters: ["k": 1])
        request.serializer = serializer
        guard let reason else {
            _ = try await manager.send(request)
            #expect(stub.requests.first?.head.url.query() == "x=1")
            return
        }
        let error = await #expect(throws: SessionError.self) { try await manager.send(request) }
        #expect(error?.code == .invalidRequest)
        #expect(error?.description == "the request was not sent: " + reason)
        if text == nil { #expect(error?.cause as? Shout == Shout()) }
        #expect(stub.requests.isEmpty)
    }
}
