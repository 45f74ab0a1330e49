import Foundation
import Patchbay
import PatchbayMigration
import PatchbayTesting
import TestSupport
import Testing

#if canImport(FoundationXML)
    import FoundationXML
#endif

/// Each row of the guide's table of smaller differences.
@Suite(.timeLimit(.minutes(5))) struct GuideDifferencesTests {
    private let stub = StubTransport { request in
        switch request.head.url.path() {
        case "/xml": StubReply(fields: ["Content-Type": "application/xml"], body: "<a><b></a>")
        case "/none": StubReply(fields: ["Content-Type": "application/json"])
        default: StubReply(fields: ["Content-Type": "text/plain"], body: "ok")
        }
    }
    private let manager: SessionManager

    init() throws {
        manager = SessionManager(
            baseURL: URL(string: "https://origin.test"), registry: try .standard.with(.migration), transport: stub)
    }

    /// The body of the last request, as text.
    private var sent: String { String(decoding: stub.requests.last?.body?.data ?? Data(), as: UTF8.self) }

    @Test("a validator of two parameters gets no bytes of a download, one of three the file")
    func validators() async throws {
        let seen = Shared<[Int]>([])
        var request = SessionRequest("file")
        request.responseValidators = [
            ResponseValidator { _, body in seen.withLock { $0.append(body.count) } },
            ResponseValidator { _, _, file in
                let count = try file.map { try Data(contentsOf: $0).count }
                seen.withLock { $0.append(count ?? -1) }
            },
        ]
        let file = try await manager.download(request, to: .temporary).value
        try FileManager.default.removeItem(at: file)
        #expect(seen.withLock { $0 } == [0, 2])
    }

    @Test("JSON parameters of a GET go into the query, and 1.0 in a form is 1")
    func parameters() async throws {
        var search = SessionRequest("GET", "search", parameters: ["q": 1.0, "l": [1, 2]])
        search.serializer = .json
        _ = try await manager.send(search)
        #expect(stub.requests.last?.head.url.query() == "l%5B%5D=1&l%5B%5D=2&q=1")
        #expect(stub.requests.last?.body == nil)
        _ = try await manager.post("p", parameters: ["v": 1.0, "w": 1.5])
        #expect(sent == "v=1&w=1.5")
        try await manager.post("p", body: ["v": 1.0], in: .form)
        #expect(sent == "v=1")
    }

    @Test("a certificate of a wrong date is not tried again")
    func certificates() {
        #expect(!RetryPolicy.alamofire.transportFailures.contains(.expiredCertificate))
        #expect(RetryPolicy.alamofire.transportFailures.contains(.insecureConnection))
    }

    @Test("curl text has single quotes, no cookies, and parameters once the call has begun")
    func curl() async throws {
        let request = SessionRequest("GET", "p", parameters: ["a": "it's"], headers: ["Cookie": "id=1"])
        #expect(!request.curlDescription().contains("a="))
        let call = manager.task(request)
        #expect(!call.task.curlDescription().contains("origin.test"))
        _ = try await call.resume().reply
        let text = call.task.curlDescription()
        #expect(text.contains("'https://origin.test/p?a=***'"), "\(text)")
        #expect(!text.contains("-b "), "\(text)")
        #expect(!text.contains("\""), "\(text)")
    }

    @Test("a form without parts is its last boundary, and a quote in a name is %22")
    func forms() async throws {
        var form = MultipartFormData()
        try await manager.upload(.multipart(form), to: "f")
        let type = try #require(stub.requests.last?.head.fields["Content-Type"])
        let boundary = try #require(type.split(separator: "boundary=").last)
        #expect(sent == "--\(boundary)--\r\n")
        form.append("x", name: #"a"b"#)
        try await manager.upload(.multipart(form), to: "f")
        #expect(sent.contains(#"name="a%22b""#))
        form.append("x", name: "a\r\nb")
        let error = await #expect(throws: SessionError.self) { try await manager.upload(.multipart(form), to: "f") }
        #expect(error?.code == .invalidRequest)
    }

    @Test("header fields are sent in their order, those of the manager first, and a repeated field stays repeated")
    func fields() async throws {
        manager.setHeader("m", for: "X-Manager")
        var fields: HeaderFields = ["X-B": "1", "X-A": "2"]
        fields.append("3", for: "X-B")
        _ = try await manager.send("p", headers: fields)
        let names = try #require(stub.requests.last?.head.fields).map(\.name).filter { $0.hasPrefix("X-") }
        #expect(names == ["X-Manager", "X-B", "X-A", "X-B"])
    }

    @Test(
        "malformed XML whose markup cannot be followed fails the call, and all other is found by the parser",
        arguments: [
            ("<a><b></a>", true), ("<a>", true), ("<a/><b/>", true), ("<a b></a>", true), ("<a>&no;</a>", true),
            ("<a", false), ("<a b='<'/>", false), ("<a><!-- </a>", false), ("<a><![CDATA[ </a>", false),
            ("text", false), ("<a></a", false), ("<?xml version='1.0'?>", false), ("<a/><!ELEMENT a ANY>", false),
        ])
    func malformedXML(_ body: String, _ hasParser: Bool) async throws {
        let stub = StubTransport { _ in StubReply(fields: ["Content-Type": "application/xml"], body: body) }
        let manager = SessionManager(
            baseURL: URL(string: "https://origin.test"), registry: try .standard.with(.migration), transport: stub)
        if hasParser {
            #expect(try await !manager.get("xml", as: XMLParserSource.self).makeParser().parse())
        } else {
            let error = await #expect(throws: SessionError.self) {
                try await manager.get("xml", as: XMLParserSource.self)
            }
            #expect(error?.code == .serialization)
        }
        let error = await #expect(throws: SessionError.self) { try await manager.get("xml", as: XMLTree.self) }
        #expect(error?.code == .serialization)
    }

    @Test("no bytes for a type that needs some are emptyBody")
    func empty() async throws {
        let error = await #expect(throws: SessionError.self) { try await manager.get("none", as: Int.self) }
        #expect(error?.code == .emptyBody)
    }
}
