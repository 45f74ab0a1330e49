import Foundation
import PatchbayManager
import PatchbayRegistry
import PatchbayTesting
import TestSupport
import Testing

/// Which media type a body is written in, and how text becomes bytes.
@Suite("The media type of a body", .timeLimit(.minutes(5))) struct WrittenTypeTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let host: String
        let given: MediaType?
        let field: String?
        let standing: String?
        let type: String

        init(
            _ name: String, _ host: String = "origin.test", in given: MediaType? = nil, field: String? = nil,
            manager standing: String? = nil, is type: String
        ) {
            (testDescription, self.host, self.given, self.field) = (name, host, given, field)
            (self.standing, self.type) = (standing, type)
        }
    }

    static let rows = [
        Row("in: alone", in: "x/given", is: "x/given"),
        Row("in: beats the field", in: "x/given; a=1", field: "x/field", is: "x/given;a=1"),
        Row("in: beats the field of the manager", in: "x/given", manager: "x/manager", is: "x/given"),
        Row("the field beats that of the manager", field: "x/field; a=b", manager: "x/manager", is: "x/field; a=b"),
        Row("the field of the manager beats the policy", "own.test", manager: "x/manager", is: "x/manager"),
        Row("the field beats the policy", "own.test", field: "x/field", is: "x/field"),
        Row("the policy of the host", "own.test", is: "x/host"),
        Row("of a host in a section for many", "a.wide.test", is: "x/wide"),
        Row("of the section that the host's extends", "extended.test", is: "x/wide"),
        Row("of a section that says nothing", "silent.test", is: "x/top"),
        Row("of the top level", is: "x/top"),
    ]

    private static let hosts = """
        { "own.test": { "policy": { "requestContentType": "x/host" } },
          "*.wide.test": { "policy": { "requestContentType": "x/wide" } },
          "extended.test": { "extends": "*.wide.test" },
          "silent.test": { "policy": { "limits": { "maxBodyBytes": 100 } } } }
        """

    @Test("the first that is given: in:, the field, the policy of the host, that of the top level", arguments: rows)
    func order(_ row: Row) async throws {
        let registry = try MarkedWriter.registry(
            #"[{ "id": "a", "factory": "a" }, { "id": "json", "factory": "json" }]"#,
            policy: #"{ "requestContentType": "x/top" }"#, hosts: Self.hosts)
        var configuration = SessionConfiguration()
        configuration.headers = row.standing.map { ["Content-Type": $0] } ?? [:]
        let (manager, stub) = try stubManager(registry, configuration: configuration) { _ in .json("1") }
        try await manager.post(
            "http://\(row.host)/x", body: [1], in: row.given, headers: row.field.map { ["Content-Type": $0] } ?? [:])
        let sent = try #require(stub.requests.first)
        #expect(sent.head.fields.values(for: "Content-Type") == [row.type])
        let written = try #require(MediaType(parsing: row.type))
        #expect(sent.body?.data == Data("a \(written) [1]".utf8))
    }

    @Test("without any of them it is JSON")
    func standard() async throws {
        let (manager, stub) = try stubManager { _ in .json("1") }
        try await manager.post("a", body: [1])
        #expect(stub.requests.first?.head.fields["Content-Type"] == "application/json")
    }

    @Test(
        "bytes and text ask nobody, whatever the policy and the type are",
        arguments: [
            (nil, nil, "application/octet-stream", "text/plain; charset=utf-8"),
            ("application/json", nil, "application/json", "application/json"),
            ("application/json", "x/field", "application/json", "application/json"),
            (nil, "x/field", "x/field", "x/field"), (nil, "no type", "no type", "no type"),
        ] as [(MediaType?, String?, String, String)])
    func given(_ type: MediaType?, _ field: String?, _ ofBytes: String, _ ofText: String) async throws {
        let log = Shared<[String]>([])
        let registry = try MarkedWriter.registry(
            #"[{ "id": "a", "factory": "a" }, { "id": "json", "factory": "json" }]"#,
            policy: #"{ "requestContentType": "x/top" }"#, log)
        let (manager, stub) = try stubManager(registry) { _ in .json("1") }
        let bodies: [any Encodable & Sendable] = [Data("b".utf8), Array("b".utf8), "b"]
        for body in bodies {
            let reply = try await manager.send(
                SessionRequest("a", body: body, in: type, headers: field.map { ["Content-Type": $0] } ?? [:]))
            #expect(reply.written == nil)
        }
        #expect(stub.requests.map { $0.body?.data } == Array(repeating: Data("b".utf8), count: 3))
        #expect(stub.requests.map { $0.head.fields["Content-Type"] } == [ofBytes, ofBytes, ofText])
        #expect(log.withLock { $0 } == [])
    }

    @Test(
        "an empty array, and an array of optional bytes, are values that an entry writes",
        arguments: [
            ([Int](), "[]"), ([String](), "[]"), ([[UInt8]](), "[]"), ([UInt8?](), "[]"),
            ([1, 2] as [UInt8?], "[1,2]"),
            (Set<UInt8>(), "[]"), ([[UInt8]?](), "[]"),
        ] as [(any Encodable & Sendable, String)])
    func arrays(_ body: any Encodable & Sendable, _ text: String) async throws {
        let (manager, stub) = try stubManager(TestRegistry.make(TestRegistry.formats)) { _ in .json("1") }
        let reply = try await manager.send(SessionRequest("a", body: body))
        #expect(reply.written?.entry == "json")
        #expect(stub.requests.first?.head.fields["Content-Type"] == "application/json")
        #expect(stub.requests.first?.body?.data == Data(text.utf8))
        #expect(manager.registry.explain(writing: [Int](), in: .json).entry == "json")
    }

    @Test(
        "text is encoded in the charset of its type",
        arguments: [
            ("utf-8", "é", [0xC3, 0xA9]), ("UTF-16LE", "é", [0xE9, 0]), ("utf-16be", "é", [0, 0xE9]),
            ("latin1", "é", [0xE9]), ("us-ascii", "e", [0x65]), ("koi8-r", "я", [0xD1]),
            ("windows-1252", "€", [0x80]), ("\"windows-1251\"", "я", [0xFF]),
        ] as [(String, String, [UInt8])])
    func charsets(_ label: String, _ text: String, _ bytes: [UInt8]) async throws {
        let (manager, stub) = try stubManager { _ in .json("1") }
        let field = "text/plain; charset=\(label)"
        let type = try #require(MediaType(parsing: field))
        try await manager.post("a", body: text, in: type)
        try await manager.post("a", body: text, headers: ["Content-Type": field])
        #expect(stub.requests.map { $0.body?.data } == [Data(bytes), Data(bytes)])
    }

    @Test("UTF-16 without an order of bytes begins with a mark that says it")
    func marked() async throws {
        let (manager, stub) = try stubManager { _ in .json("1") }
        try await manager.post("a", body: "é\u{1F600}", in: "text/plain; charset=utf-16")
        let bytes = try #require(stub.requests.first?.body?.data)
        #expect([Data([0xFF, 0xFE]), Data([0xFE, 0xFF])].contains(bytes.prefix(2)))
        #expect(String(data: bytes, encoding: .utf16) == "é\u{1F600}")
    }

    @Test(
        "a text that its charset cannot hold fails the call with writing, and nothing of it is told",
        arguments: [
            ("latin1", "€", #"the text has a character that the charset "latin1" lacks"#),
            ("koi8-r", "€", #"the text has a character that the charset "koi8-r" lacks"#),
            ("windows-1252", "я", #"the text has a character that the charset "windows-1252" lacks"#),
            ("us-ascii", "é", #"the text has a character that the charset "us-ascii" lacks"#),
            ("shift_jis", "a", #"a text cannot be written in the charset "shift_jis"; it can be sent as Data"#),
            ("nonsense", "a", #"a text cannot be written in the charset "nonsense"; it can be sent as Data"#),
        ])
    func unwritable(_ label: String, _ text: String, _ reason: String) async throws {
        let (manager, stub) = try stubManager { _ in .json("1") }
        let error = await #expect(throws: SessionError.self) {
            try await manager.post("a", body: text, headers: ["Content-Type": "text/plain; charset=\(label)"])
        }
        #expect(error?.code == .writing)
        #expect(error?.reason == "the request was not sent: \(reason)")
        #expect(error?.written == nil)
        #expect(stub.requests.isEmpty)
    }
}
