import Foundation
import PatchbayRegistry
import PatchbayTesting
import TestSupport
import Testing

@testable import PatchbayManager

/// Names and values of cookies that are not UTF-8, over a stub.
@Suite("Cookie octets", .timeLimit(.minutes(5))) struct CookieOctetsTests {
    private static let url = "http://home.example.org/"

    /// Set-Cookie fields of one response, one by one, and the octets of the Cookie field of the next request.
    struct Row: Sendable, CustomTestStringConvertible {
        let name: String
        let fields: [[UInt8]]
        let sent: [UInt8]
        var testDescription: String { name }
    }

    static let rows = [
        Row(name: "a value", fields: ["l=".utf8 + [0xFF, 0xE9]], sent: "l=".utf8 + [0xFF, 0xE9]),
        Row(name: "a name", fields: [[0xE9] + "=1".utf8], sent: [0xE9] + "=1".utf8),
        Row(name: "the start of UTF-8", fields: ["l=".utf8 + [0xC3]], sent: "l=".utf8 + [0xC3]),
        Row(name: "a C1 control", fields: ["l=".utf8 + [0x80, 0x9F]], sent: "l=".utf8 + [0x80, 0x9F]),
        Row(
            name: "beside UTF-8", fields: [Array("a=é😀".utf8), "l=".utf8 + [0xE9], Array("z=ü".utf8)],
            sent: "a=é😀; l=".utf8 + [0xE9] + "; z=ü".utf8),
        Row(
            name: "a value of UTF-8 behind another attribute", fields: ["l=é; x=".utf8 + [0xE9]],
            sent: Array("l=é".utf8)),
        Row(
            name: "a name in UTF-8 stays the same name", fields: [Array("é=1".utf8), "é=".utf8 + [0xFF]],
            sent: "é=".utf8 + [0xFF]),
        Row(
            name: "the same octets in UTF-8 are another name", fields: [[0xE9] + "=1".utf8, Array("é=2".utf8)],
            sent: [0xE9] + "=1; é=2".utf8),
        Row(
            name: "4,096 of them", fields: ["l=".utf8 + [UInt8](repeating: 0xE9, count: 4_095)],
            sent: "l=".utf8 + [UInt8](repeating: 0xE9, count: 4_095)),
        Row(name: "a Domain in ISO-8859-1", fields: ["l=1; Domain=h".utf8 + [0xE9] + ".test".utf8], sent: []),
    ]

    private static func sent(_ jar: CookieJar, sets fields: [[UInt8]] = [], own: FieldText? = nil) async throws
        -> [UInt8]
    {
        var configuration = SessionConfiguration()
        configuration.cookies = jar
        var head = HeaderFields()
        head.set(own, for: "Cookie")
        let queue = Shared(fields)
        let (manager, stub) = try stubManager(base: nil, configuration: configuration) { _ in
            var reply = HeaderFields()
            if let field = queue.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) {
                reply.set(FieldText(octets: field), for: "Set-Cookie")
            }
            return StubReply(status: 204, fields: reply)
        }
        for _ in 0...fields.count { _ = try await manager.send(SessionRequest(Self.url, headers: head)) }
        return stub.requests.last?.head.fields.octets(for: "Cookie").first ?? []
    }

    @Test("1.8.9: the octets of a cookie come back, also if they are not UTF-8", arguments: rows)
    func octets(_ row: Row) async throws {
        let jar = CookieJar()
        #expect(try await Self.sent(jar, sets: row.fields) == row.sent)
        let folder = TemporaryFolder()
        try jar.write(to: folder.url.appending(path: "jar"), includingSessionCookies: true)
        #expect(try await Self.sent(try CookieJar(contentsOf: folder.url.appending(path: "jar"))) == row.sent)
        let decoded = try JSONDecoder().decode([Cookie].self, from: JSONEncoder().encode(jar.cookies))
        #expect(decoded == jar.cookies)
        #expect(try await Self.sent(CookieJar(decoded)) == row.sent)
    }

    @Test("1.8.9: octets of the request and of the jar are one field")
    func own() async throws {
        let jar = CookieJar([try Cookie("a", "é", domain: "home.example.org")])
        #expect(try await Self.sent(jar, own: FieldText(octets: [0x62, 0x3D, 0xE9])) == "a=é; b=".utf8 + [0xE9])
        #expect(try await Self.sent(jar, own: FieldText(octets: "b=ü".utf8)) == Array("a=é; b=ü".utf8))
    }

    @Test("1.8.9: a value of the caller's is sent as UTF-8")
    func text() async throws {
        #expect(try await CookieCall(Self.url, CookieJar(), headers: ["Cookie": "b=ÿé"]).sent == "b=ÿé")
        let jar = CookieJar([try Cookie("l", "ÿé", domain: "home.example.org")])
        #expect(try await Self.sent(jar) == Array("l=ÿé".utf8))
    }

    @Test("1.8.9: a name and a value have at most 4,096 octets, and no more are counted")
    func size() async throws {
        let jar = CookieJar()
        #expect(try await Self.sent(jar, sets: ["l=".utf8 + [UInt8](repeating: 0xE9, count: 4_096)]) == [])
    }

    @Test("1.8.9: a cookie of octets that has more than octets is not decoded")
    func undecodable() throws {
        let text =
            #"{"name":"a","value":"é€","domain":"h","includesSubdomains":false,"path":"/","isSecure":false,"isHTTPOnly":false,"charset":"iso-8859-1"}"#
        #expect(throws: DecodingError.self) { try JSONDecoder().decode(Cookie.self, from: Data(text.utf8)) }
        let plain = text.replacing(",\"charset\":\"iso-8859-1\"", with: "")
        #expect(try JSONDecoder().decode(Cookie.self, from: Data(plain.utf8)).value == "é€")
    }

    @Test("the octets of a field stay with their value, whatever becomes of the other fields")
    func fields() {
        var fields: HeaderFields = ["A": "1", "B": "2", "C": "3", "b": "4"]
        fields.set(FieldText(octets: [0xE9]), for: "C")
        func octets() -> [[UInt8]] { fields.indices.map { fields.octets(at: $0) } }
        #expect(fields["C"] == "é")
        #expect(octets() == [[0x31], [0x32], [0xE9], [0x34]])
        fields["B"] = "é"
        #expect(octets() == [[0x31], [0xC3, 0xA9], [0xE9]])
        fields["A"] = nil
        #expect(octets() == [[0xC3, 0xA9], [0xE9]])
        var other: HeaderFields = ["B": "5", "D": "6"]
        other.set(FieldText(octets: [0xFF]), for: "D")
        fields.replace(with: other)
        #expect(octets() == [[0xE9], [0x35], [0xFF]])
        fields["C"] = "é"
        #expect(octets() == [[0xC3, 0xA9], [0x35], [0xFF]])
        fields.set(nil, for: "D")
        #expect(octets() == [[0xC3, 0xA9], [0x35]])
        #expect(fields.octets(for: "b") == [[0x35]])
    }
}
