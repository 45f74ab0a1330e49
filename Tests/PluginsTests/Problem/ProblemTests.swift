import PatchbayJSON
import PatchbayRegistry
import Testing

@testable import PatchbayPlugins

/// Problem details, by RFC 9457.
@Suite struct ProblemTests {
    private let serializer = ProblemSerializer()
    private let head = Sample.head("application/problem+json", status: 403)

    private func problem(_ json: String) throws -> Problem {
        try serializer.serialize(Sample.body(json), head)
    }

    @Test func everyMember() throws {
        let problem = try problem(
            """
            {"type": "https://example.com/out-of-credit", "title": "You do not have enough credit.", "status": 403,
             "detail": "Your balance is 30, but that costs 50.", "instance": "/account/12345/msgs/abc",
             "balance": 30, "accounts": ["/account/12345"]}
            """)
        #expect(problem.type == "https://example.com/out-of-credit")
        #expect(problem.title == "You do not have enough credit.")
        #expect(problem.status == 403)
        #expect(problem.detail == "Your balance is 30, but that costs 50.")
        #expect(problem.instance == "/account/12345/msgs/abc")
        #expect(problem.extensions == ["balance": 30, "accounts": ["/account/12345"]])
        #expect(problem.extensions["balance"]?.int == 30)
        #expect("\(problem)" == "You do not have enough credit.: Your balance is 30, but that costs 50.")
    }

    @Test func noMember() throws {
        let problem = try problem("{}")
        #expect(problem.type == "about:blank")
        #expect(problem.title == nil && problem.status == nil && problem.detail == nil && problem.instance == nil)
        #expect(problem.extensions == [:])
        #expect("\(problem)" == "about:blank")
    }

    @Test("Members of the wrong type are passed over, and are no extensions either")
    func wrongTypes() throws {
        let problem = try problem(
            #"{"type": 1, "title": null, "status": "403", "detail": [], "instance": {}, "x": null}"#)
        #expect(problem.type == "about:blank")
        #expect(problem.title == nil && problem.status == nil && problem.detail == nil && problem.instance == nil)
        #expect(problem.extensions == ["x": nil])
    }

    @Test(
        arguments: [("99", nil), ("100", 100), ("599", 599), ("600", nil), ("404.0", 404), ("404.5", nil), ("-1", nil)]
            as [(String, Int?)])
    func status(_ written: String, _ expected: Int?) throws {
        #expect(try problem("{\"status\": \(written)}").status == expected)
    }

    @Test("JSON that is no object is no problem", arguments: ["[]", "null", "\"x\"", "1"])
    func notAnObject(_ json: String) {
        #expect(
            Sample.sentence { _ = try problem(json) } == "problem details are a JSON object, and this is none")
    }

    @Test func malformed() {
        #expect(throws: FormatFailure.self) { try problem("{") }
    }

    @Test("Any Decodable, for an API that says more")
    func decoding() throws {
        struct OutOfCredit: Decodable, Equatable, Sendable { var title: String, balance: Int }
        let value = try serializer.decode(
            OutOfCredit.self, from: Sample.body(#"{"title": "No credit", "balance": 30}"#), head)
        #expect(value == OutOfCredit(title: "No credit", balance: 30))
    }

    @Test("A problem that came as plain JSON can be decoded as one")
    func decodable() throws {
        let json = JSONSerializer()
        let body = Sample.body(#"{"title": "No credit", "x": 1}"#)
        #expect(try json.decode(Problem.self, from: body, head) == problem(#"{"title": "No credit", "x": 1}"#))
        #expect(throws: FormatFailure.self) { try json.decode(Problem.self, from: Sample.body("[]"), head) }
    }
}
