import Foundation
import Patchbay
import PatchbayMigration
import PatchbayTesting
import Testing

/// AFNetworking's answers, for code that is ported: object and error together, errors underneath errors.
@Suite(.timeLimit(.minutes(5))) struct LegacyPairTests {
    private func head(_ status: Int, _ contentType: String?) throws -> ResponseHead {
        let url = try #require(URL(string: "http://origin.test/users"))
        let fields = HeaderFields(contentType.map { [("Content-Type", $0)] } ?? [])
        return ResponseHead(status: status, fields: fields, url: url, request: RequestHead(url: url))
    }

    private func body(_ text: String) -> ResponseBody { ResponseBody(Data(text.utf8)) }

    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        var status = 200
        var contentType: String? = "application/json"
        var body = "[1]"
        /// The object as text; nil for none.
        var object: String?
        /// The codes from the top error down.
        var codes: [Int] = []
        var testDescription: String { name }
    }

    static let json = [
        Case(name: "good", object: "[1]"),
        Case(name: "parameters do not count", contentType: "application/json; charset=utf-8", object: "[1]"),
        Case(name: "1.1.15: a status failure still parses", status: 404, object: "[1]", codes: [-1011]),
        Case(name: "1.1.7: an unacceptable type is not parsed", contentType: "text/html", codes: [-1016]),
        Case(name: "1.1.10: both", status: 500, contentType: "text/html", codes: [-1011, -1016]),
        Case(name: "1.1.5: no type and no data", contentType: nil, body: ""),
        Case(name: "no type and data", contentType: nil, codes: [-1016]),
        Case(name: "1.1.6: another type and no data: invalid, and no error", contentType: "text/html", body: ""),
        Case(name: "1.1.16: zero bytes", body: ""),
        Case(name: "1.1.16: one space", body: " "),
        Case(name: "1.1.16: one space and a status", status: 404, body: " ", codes: [-1011]),
        Case(name: "1.1.4: no wildcard, no suffix", contentType: "application/vnd.a+json", codes: [-1016]),
    ]

    @Test(
        "1.1.1, 1.1.4, 1.1.5, 1.1.6, 1.1.7, 1.1.10, 1.1.14, 1.1.15, 1.1.16: JSON and an error, either or both",
        arguments: json)
    func jsonPairs(_ test: Case) throws {
        let pair = LegacySerializer.json.pair(try head(test.status, test.contentType), body(test.body))
        #expect(pair.object?.description == test.object)
        #expect(codes(pair.error) == test.codes)
    }

    private func codes(_ error: NSError?) -> [Int] {
        guard let error else { return [] }
        return [error.code] + codes(error.userInfo[NSUnderlyingErrorKey] as? NSError)
    }

    @Test("1.1.7, 1.1.8, 1.1.9: domain, codes, texts and the three keys of the errors")
    func errors() throws {
        let bad = try head(404, "text/html; charset=utf-8")
        let error = try #require(LegacySerializer.json.validate(bad, body("<p>")).error)
        #expect(error.domain == "com.alamofire.error.serialization.response")
        #expect(error.localizedDescription == "Request failed: not found (404)")
        let type = try #require(error.userInfo[NSUnderlyingErrorKey] as? NSError)
        #expect(type.domain == LegacyError.domain)
        #expect(type.localizedDescription == "Request failed: unacceptable content-type: text/html")
        for error in [error, type] {
            #expect(error.userInfo[NSURLErrorFailingURLErrorKey] as? URL == bad.url)
            let response = error.userInfo["com.alamofire.serialization.response.error.response"] as? ResponseHead
            #expect(response?.status == 404)
            #expect(error.userInfo["com.alamofire.serialization.response.error.data"] as? Data == Data("<p>".utf8))
        }
        let other = LegacySerializer.json.validate(try head(599, "application/json"), body("1")).error
        #expect(other?.localizedDescription == "Request failed: server error (599)")
    }

    @Test("1.1.9: an error shows no user information and no query of its URL")
    func secretURL() throws {
        let url = try #require(URL(string: "https://ada:g3heim@origin.test/a?token=g3heim"))
        let head = ResponseHead(
            status: 404, fields: ["Content-Type": "text/html"], url: url, request: RequestHead(method: "GET", url: url))
        let error = try #require(LegacySerializer.json.validate(head, body("<p>")).error)
        let shown = error.userInfo[NSURLErrorFailingURLErrorKey] as? URL
        #expect(shown?.host() == "origin.test" && shown?.path() == "/a")
        for text in ["\(error)", String(reflecting: error), error.localizedDescription] {
            #expect(!text.contains("g3heim"), "\(text)")
        }
    }

    @Test("1.1.2, 1.1.3: the base serializer gives the bytes whatever it found; a check set to nil is off")
    func base() throws {
        var http = LegacySerializer.http
        #expect(http.acceptableStatus == .successful)
        #expect(http.acceptableContentTypes == nil)
        let failed = http.pair(try head(404, "a/b"), body("x"))
        #expect(failed.object == body("x") && codes(failed.error) == [-1011])
        http.acceptableContentTypes = ["c/d"]
        let both = http.pair(try head(404, "a/b"), body("x"))
        #expect(both.object == body("x") && codes(both.error) == [-1011, -1016])
        http.acceptableStatus = nil
        http.acceptableContentTypes = nil
        #expect(http.validate(try head(500, "a/b"), body("x")) == (true, nil))
    }

    @Test("1.1.6, 1.1.13: invalid without an error; no response is always valid")
    func silent() throws {
        #expect(LegacySerializer.json.validate(try head(200, "text/html"), .empty) == (false, nil))
        #expect(LegacySerializer.json.validate(nil, body("x")) == (true, nil))
        #expect(LegacySerializer.json.validate(try head(200, nil), .empty) == (true, nil))
    }

    @Test("1.1.17: a parse error goes on top of the validation's error")
    func parseError() throws {
        let alone = try #require(LegacySerializer.json.pair(try head(200, "application/json"), body("[1")).error)
        #expect(alone.domain != LegacyError.domain)
        #expect(codes(alone).count == 1)
        let nested = LegacySerializer.json.pair(try head(404, "application/json"), body("[1"))
        #expect(nested.object == nil)
        #expect(codes(nested.error).dropFirst() == [-1011])
    }

    @Test("1.1.11, 1.1.12: an error over another, and a code anywhere in the chain")
    func chains() {
        let one = NSError(domain: "a", code: 1)
        let two = NSError(domain: "b", code: 2)
        #expect(one.over(nil) === one)
        let both = one.over(two)
        #expect(codes(both) == [1, 2])
        #expect(codes(both.over(NSError(domain: "c", code: 3))) == [1, 2])
        #expect(both.hasCode(2, in: "b") && both.hasCode(1, in: "a"))
        #expect(!both.hasCode(2, in: "a") && !both.hasCode(3, in: "c"))
    }

    @Test("1.1.19, 1.1.20, 1.1.21: property lists and XML under their media types")
    func others() throws {
        let list = "<plist><array><true/></array></plist>"
        #expect(
            LegacySerializer.propertyList.pair(try head(200, "application/x-plist"), body(list)).object
                == .array([.bool(true)]))
        #expect(codes(LegacySerializer.propertyList.pair(try head(200, "text/xml"), body(list)).error) == [-1016])
        for type in ["application/xml", "text/xml"] {
            #expect(LegacySerializer.xmlDocument.pair(try head(200, type), body("<a/>")).object?.root.name == "a")
        }
    }

    @Test("1.1.1: a call answers with the pair; without a response the error is that of the session")
    func calls() async throws {
        let stub = StubTransport { request in
            guard request.head.url.path() != "/none" else { throw TransportFailure(.refusedConnection, "refused") }
            return StubReply(status: 404, fields: ["Content-Type": "application/json"], body: "[1]")
        }
        let manager = SessionManager(baseURL: URL(string: "http://origin.test/"), registry: .standard, transport: stub)
        let pair = await manager.pair(SessionRequest("users"), .json)
        #expect(pair.object == [1])
        #expect(codes(pair.error) == [-1011])
        let none = await manager.pair(SessionRequest("none"), .json)
        #expect(none.object == nil)
        #expect(none.error != nil)
    }
}
