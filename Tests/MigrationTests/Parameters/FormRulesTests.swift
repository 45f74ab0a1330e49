import Foundation
import Patchbay
import PatchbayMigration
import PatchbayTesting
import Testing

/// The choices that Alamofire gives.
@Suite struct FormRulesTests {
    static let date = Date(timeIntervalSince1970: 1_767_225_600.5)

    static let arraysAndBoolsRows: [PairsRow] = [
        PairsRow("arrays in brackets", ["a": [1, 2]], "a%5B%5D=1&a%5B%5D=2") { $0.arrays = .brackets },
        PairsRow("arrays without brackets", ["a": [1, 2]], "a=1&a=2") { $0.arrays = .noBrackets },
        PairsRow("arrays with indices", ["a": [1, [2]]], "a%5B0%5D=1&a%5B1%5D%5B0%5D=2") {
            $0.arrays = .indexInBrackets
        },
        PairsRow("arrays of one's own", ["a": [1, 2]], "a.0=1&a.1=2") { $0.arrays = .custom { "\($0).\($1)" } },
        PairsRow("bools as numbers", ["a": true, "b": false], "a=1&b=0") { $0.bools = .numeric },
        PairsRow("bools as words", ["a": true, "b": false], "a=true&b=false") { $0.bools = .literal },
        PairsRow("a number is no bool", ["a": 1, "b": 0], "a=1&b=0") { $0.bools = .literal },
        PairsRow("names as Swift orders strings", ["\u{FF5E}": 1, "\u{1F600}": 2], "%EF%BD%9E=1&%F0%9F%98%80=2") {
            $0.order = .outermostNames
        },
        PairsRow("only the outermost names sorted", ["b": ["z": 1, "a": 2], "a": 0], "a=0&b%5Bz%5D=1&b%5Ba%5D=2") {
            $0.order = .outermostNames
        },
    ]

    @Test("1.9.1: array and bool encodings, and the order of the outermost names", arguments: arraysAndBoolsRows)
    func arraysAndBools(_ row: PairsRow) throws {
        #expect(try row.written() == row.pairs)
    }

    static let encodingsRows: [PairsRow] = [
        PairsRow(
            "finished pairs sorted", ["b": [10, 9], "a": ["z": 1, "y": 2]], "a%5By%5D=2&a%5Bz%5D=1&b%5B%5D=10&b%5B%5D=9"
        ) {
            $0.order = .pairs
        },
        PairsRow("by text, not by name", ["a": 1, "a!": 2], "a%21=2&a=1") { $0.order = .pairs },
        PairsRow("as given", ["b": 1, "a": ["z": 1, "y": 2]], "b=1&a%5Bz%5D=1&a%5By%5D=2") { $0.order = .given },
        PairsRow("dates deferred", ["d": .date(date)], "d=788918400.5") { $0.dates = .deferred },
        PairsRow("dates in seconds", ["d": .date(date)], "d=1767225600.5") { $0.dates = .secondsSince1970 },
        PairsRow("dates in milliseconds", ["d": .date(date)], "d=1767225600500") { $0.dates = .millisecondsSince1970 },
        PairsRow("dates as ISO 8601", ["d": .date(date)], "d=2026-01-01T00%3A00%3A00Z") { $0.dates = .iso8601 },
        PairsRow("dates of one's own", ["d": .date(date)], "d=then") { $0.dates = .custom { _ in "then" } },
        PairsRow("data in Base64", ["d": .data(Data([255, 254]))], "d=//4%3D") { $0.data = .base64 },
        PairsRow("data deferred", ["d": .data(Data([2, 1]))], "d%5B%5D=2&d%5B%5D=1") { $0.data = .deferred },
        PairsRow("data of one's own", ["d": .data(Data([1]))], "d=1") { $0.data = .custom { "\($0.count)" } },
        PairsRow("keys as they are", ["aB": ["cD": 1]], "aB%5BcD%5D=1") { $0.keys = .asIs },
        PairsRow("snake-case keys", ["oneTwo": ["aURLName": 1]], "one_two%5Ba_url_name%5D=1") { $0.keys = .snakeCase },
        PairsRow("kebab-case keys", ["oneTwo": 1], "one-two=1") { $0.keys = .kebabCase },
        PairsRow("capitalized keys", ["oneTwo": 1], "OneTwo=1") { $0.keys = .capitalized },
        PairsRow("upper-case keys", ["oneTwo": 1], "ONETWO=1") { $0.keys = .uppercased },
        PairsRow("lower-case keys", ["oneTwo": 1], "onetwo=1") { $0.keys = .lowercased },
        PairsRow("keys of one's own", ["a": 1], "aa=1") { $0.keys = .custom { $0 + $0 } },
        PairsRow("members in brackets", ["a": ["b": ["c": 1]]], "a%5Bb%5D%5Bc%5D=1") { $0.members = .brackets },
        PairsRow("members with dots", ["a": ["b": ["c": 1]]], "a.b.c=1") { $0.members = .dots },
        PairsRow("members of one's own", ["a": ["b": 1]], "a-b=1") { $0.members = .custom { "-\($0)" } },
        PairsRow("nulls dropped", ["a": nil, "b": 1], "b=1") { $0.nulls = .dropped },
        PairsRow("nulls empty", ["a": nil], "a=") { $0.nulls = .empty },
        PairsRow("nulls as a word", ["a": nil], "a=null") { $0.nulls = .literal },
        PairsRow("nulls by name", ["a": nil], "a") { $0.nulls = .nameOnly },
        PairsRow("nulls of one's own", ["a": nil, "b": nil], "a=none") {
            $0.nulls = .custom { $0 == "a" ? "none" : nil }
        },
        PairsRow("spaces escaped", ["a b": "c d"], "a%20b=c%20d") { $0.spaces = .percentEncoded },
        PairsRow("other characters allowed", ["a:b": "c d/e;\u{E9}"], "a:b=c%20d%2Fe;%C3%A9") {
            $0.allowedCharacters = Set("abcdefghijklmnopqrstuvwxyz:; \u{E9}")
        },
        PairsRow("no character allowed", ["a": "-"], "%61=%2D") { $0.allowedCharacters = [] },
        PairsRow(
            "a number of many digits", ["a": .decimal(Decimal(string: "12345678901234567890.125") ?? 0)],
            "a=12345678901234567890.125"),
        PairsRow("spaces as plus", ["a b": "c d+"], "a+b=c+d%2B") { $0.spaces = .plus },
    ]

    @Test("1.9.4: order, date, data, key, member, null and space encodings", arguments: encodingsRows)
    func encodings(_ row: PairsRow) throws {
        #expect(try row.written() == row.pairs)
    }

    struct Note: Encodable {
        struct Inner: Encodable { var x: Int? }
        var title = "t"
        var note: String?
        var list: [Int?] = [1, nil]
        var inner = Inner()
        var names: [String: Int?] = ["k": nil]
    }

    static let nulls: [(name: String, rule: FormRules.NullRule, pairs: String)] = [
        ("by name", .nameOnly, "inner[x]&list[]&list[]=1&names[k]&note&title=t"),
        ("empty", .empty, "inner[x]=&list[]=&list[]=1&names[k]=&note=&title=t"),
        ("as a word", .literal, "inner[x]=null&list[]=1&list[]=null&names[k]=null&note=null&title=t"),
        ("dropped", .dropped, "list[]=1&title=t"),
        ("of one's own", .custom { $0 == "note" ? "none" : nil }, "list[]=1&note=none&title=t"),
    ]

    @Test("1.9.4: optionals of an Encodable value that are nil are written as the rule for null says", arguments: nulls)
    func optionals(_ name: String, _ rule: FormRules.NullRule, _ pairs: String) async throws {
        let (manager, stub) = stubManager(
            configuration: {
                var configuration = SessionConfiguration()
                configuration.requestSerializer = .form.with {
                    $0.rules.order = .pairs
                    $0.rules.nulls = rule
                }
                return configuration
            }()
        ) { _ in .json("1") }
        _ = try await manager.post("a", parameters: Note())
        let body = try #require(stub.requests.first?.body?.data)
        #expect(String(decoding: body, as: UTF8.self).removingPercentEncoding == pairs)
    }

    @Test("1.9.3: optionals of an Encodable value that are nil are left out of JSON and property lists")
    func optionalsElsewhere() async throws {
        struct Inner: Encodable {
            var title = "t"
            var note: String?
        }
        for serializer: any ParameterSerializer in [.json, .propertyList] {
            var configuration = SessionConfiguration()
            configuration.requestSerializer = serializer
            let (manager, stub) = stubManager(configuration: configuration) { _ in .json("1") }
            _ = try await manager.post("a", parameters: Inner())
            let body = String(decoding: try #require(stub.requests.first?.body?.data), as: UTF8.self)
            #expect(body.contains("title"))
            #expect(!body.contains("note"))
        }
    }

    @Test("1.9.1, 1.9.4: the rules of a serializer are set in place")
    func inPlace() async throws {
        let (manager, stub) = stubManager { _ in .json("1") }
        var request = SessionRequest("POST", "a", parameters: ["b": [2, 1], "a": true])
        request.serializer = .form.with { $0.rules.arrays = .noBrackets }
        _ = try await manager.send(request)
        request.serializer = .form.with {
            $0.destination = .query
            $0.rules.bools = .literal
        }
        _ = try await manager.send(request)
        request.serializer = .json.with { $0.sortsKeys = true }
        _ = try await manager.send(request)
        #expect(
            stub.requests.map { $0.body?.data.map { String(decoding: $0, as: UTF8.self) } } == [
                "a=1&b=2&b=1", nil, #"{"a":true,"b":[2,1]}"#,
            ])
        #expect(stub.requests[1].head.url.query() == "a=true&b%5B%5D=2&b%5B%5D=1")
    }
}
