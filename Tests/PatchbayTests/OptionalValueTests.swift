import Foundation
import Patchbay
import PatchbayMigration
import PatchbayTesting
import Testing

/// Calls for an optional get a value wherever a call for the wrapped type gets one, and nil for an empty body.
@Suite(.timeLimit(.minutes(5))) struct OptionalValueTests {
    private static func manager(_ type: String, _ body: String, status: Int = 200) throws -> SessionManager {
        let transport = StubTransport { _ in
            StubReply(status: status, fields: ["Content-Type": type], body: Data(body.utf8))
        }
        return SessionManager(
            baseURL: URL(string: "http://origin.test/"), registry: .standard, transport: transport)
    }

    private static func check<Value: Sendable & Equatable>(_ type: String, _ body: String, as: Value.Type) async throws
    {
        let manager = try manager(type, body)
        let value = try await manager.get("x", as: Value.self)
        #expect(try await manager.get("x", as: Value?.self) == value, "\(type)")
        let reply = try await manager.send(SessionRequest("x"), as: Value?.self)
        #expect(reply.value == value)
        #expect(try reply.decode(as: Value?.self) == value)
        let saved = try await manager.download(SessionRequest("x"), as: Value?.self).value
        #expect(saved.value == value)
        try FileManager.default.removeItem(at: saved.file)
        for status in [200, 204] {
            #expect(try await Self.manager(type, "", status: status).get("x", as: Value?.self) == nil)
        }
        var unchanged = SessionRequest("x")
        unchanged.headers["If-None-Match"] = "\"v1\""
        #expect(try await Self.manager(type, "", status: 304).send(unchanged, as: Value?.self).value == nil)
    }

    @Test func `bytes, text, trees, forms and lists`() async throws {
        try await Self.check("image/png", "no picture", as: Data.self)
        try await Self.check("a/b", "abc", as: [UInt8].self)
        try await Self.check("text/plain", "abc", as: String.self)
        try await Self.check("text/html", "<p>", as: String.self)
        try await Self.check("application/x-www-form-urlencoded", "a=1&b=2", as: FormFields.self)
        try await Self.check("application/x-ndjson", "1\n2\n", as: [Int].self)
        try await Self.check("application/x-ndjson", "\"a\"\n\"b\"\n", as: [String].self)
        try await Self.check("application/json", "[1, 2]", as: [Int].self)
    }

    @Test func `an entry that makes the optional itself comes first`() async throws {
        let manager = try Self.manager("application/json", #""abc""#)
        #expect(try await manager.get("x", as: String?.self) == "abc")
        #expect(try await manager.get("x", as: String.self) == #""abc""#)
        #expect(try await Self.manager("application/json", "null").get("x", as: String?.self) == nil)
    }

    @Test func `what the wrapped type cannot be made from is an error`() async throws {
        let manager = try Self.manager("text/plain", "1")
        let error = await #expect(throws: SessionError.self) { try await manager.get("x", as: Int?.self) }
        #expect(error?.code == .noReader)
        #expect(error?.description.contains("no entry makes Optional<Int> from text/plain") == true, "\(error as Any)")
    }

    @Test func `all strings of a body in lines or records`() async throws {
        let lines = try Self.manager("application/x-ndjson", "\"a\"\n\"b\"\n")
        #expect(try await lines.get("x", as: [String].self) == ["a", "b"])
        let records = try Self.manager("application/json-seq", "\u{1E}\"a\"\n\u{1E}\"b\"\n")
        #expect(try await records.get("x", as: [String].self) == ["a", "b"])
    }

    @Test func `nested optionals, any value, and no value`() async throws {
        let text = try Self.manager("text/plain", "abc")
        #expect(try await text.get("x", as: String??.self) == "abc")
        #expect(try await text.get("x", as: (any Sendable)?.self) as? String == "abc")
        for status in [200, 204] {
            let empty = try Self.manager("text/plain", "", status: status)
            let none = try await empty.get("x", as: String??.self)
            #expect(none == nil)
            #expect(try await empty.get("x", as: (any Sendable)?.self) == nil)
        }
        let saved = try await text.download(SessionRequest("x"), as: (any Sendable)?.self).value
        #expect(saved.value as? String == "abc")
        let any = try await text.download(SessionRequest("x"), as: (any Sendable).self).value
        #expect(any.value as? String == "abc")
        for file in [saved.file, any.file] { try FileManager.default.removeItem(at: file) }
        let error = await #expect(throws: SessionError.self) { try await text.get("x", as: Void?.self) }
        #expect(error?.code == .noReader)
    }

    @Test func `a missing Content-Type that the policy makes an error`() async throws {
        let strict = try SerializerRegistry.standard.overlaid(
            by: .text(
                #"{ "manifestVersion": 1, "policy": { "missingContentType": "error", "invalidContentType": "error" } }"#,
                name: "strict"))
        for fields in [[:], ["Content-Type": "x"]] as [HeaderFields] {
            let transport = StubTransport { _ in StubReply(fields: fields, body: "abc") }
            let manager = SessionManager(
                baseURL: URL(string: "http://origin.test/"), registry: strict, transport: transport)
            #expect(try await manager.get("x", as: String?.self) == "abc")
            #expect(try await manager.get("x", as: Data?.self) == Data("abc".utf8))
            let error = await #expect(throws: SessionError.self) { try await manager.get("x", as: Int?.self) }
            #expect(error.map { [.missingContentType, .invalidContentType].contains($0.code) } == true)
        }
    }
}
