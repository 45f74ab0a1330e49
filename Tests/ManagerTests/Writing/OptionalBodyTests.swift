import Foundation
import PatchbayJSON
import PatchbayManager
import PatchbayPlugins
import PatchbayRegistry
import PatchbayTesting
import Testing

/// An optional is sent as the value inside it.
@Suite("Bodies that may be missing", .timeLimit(.minutes(5))) struct OptionalBodyTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let value: any Encodable & Sendable
        var type: MediaType?
        /// The media type and the text that are sent.
        let sent: String
    }

    private static let text: String? = "tokén"
    private static let deep: String?? = "tokén"
    private static let bytes: Data? = Data("ab".utf8)
    private static let array: [UInt8]? = Array("ab".utf8)
    private static let names: [String: String]? = ["name": "Ada"]
    private static let fields: FormFields? = ["a": "1"]
    private static let nothing: String? = nil

    static let rows = [
        Row(testDescription: "text", value: text as any Encodable & Sendable, sent: "text/plain; charset=utf-8 tokén"),
        Row(
            testDescription: "text in an optional of an optional", value: deep as any Encodable & Sendable,
            sent: "text/plain; charset=utf-8 tokén"),
        Row(
            testDescription: "text in another type", value: text as any Encodable & Sendable, type: .json,
            sent: "application/json tokén"),
        Row(testDescription: "bytes", value: bytes as any Encodable & Sendable, sent: "application/octet-stream ab"),
        Row(
            testDescription: "an array of bytes", value: array as any Encodable & Sendable,
            sent: "application/octet-stream ab"),
        Row(
            testDescription: "a value", value: names as any Encodable & Sendable,
            sent: #"application/json {"name":"Ada"}"#),
        Row(
            testDescription: "a value in a form", value: fields as any Encodable & Sendable, type: .form,
            sent: "application/x-www-form-urlencoded a=1"),
        Row(testDescription: "text as a value", value: JSON("tokén"), sent: #"application/json "tokén""#),
        Row(
            testDescription: "text as an optional value", value: Optional(JSON("tokén")) as any Encodable & Sendable,
            sent: #"application/json "tokén""#),
        Row(testDescription: "nil", value: nothing as any Encodable & Sendable, sent: "application/json null"),
    ]

    @Test("an optional is sent as what is in it, and explained so", arguments: rows)
    func sent(_ row: Row) async throws {
        let (manager, stub) = try stubManager(try TestRegistry.make(TestRegistry.formats)) { _ in .json("1") }
        _ = try await manager.send(SessionRequest("x", body: row.value, in: row.type))
        try await manager.upload(.value(row.value, in: row.type), to: "x")
        for request in stub.requests {
            let body = String(decoding: request.body?.data ?? Data(), as: UTF8.self)
            #expect("\(request.head.fields["Content-Type"] ?? "-") \(body)" == row.sent)
        }
        #expect(stub.requests.count == 2)
        func explained(_ value: some Encodable & Sendable) -> Decision {
            manager.registry.explain(writing: value, in: row.type)
        }
        let isGiven =
            row.sent.hasPrefix("text") || row.sent.hasSuffix(" ab") || row.testDescription == "text in another type"
        #expect(explained(row.value).outcome == (isGiven ? .raw : .entry))
    }

    /// Sends a value as code that does not know whether its type is an optional.
    private func post<Value: Encodable & Sendable>(_ value: Value, _ manager: SessionManager) async throws {
        try await manager.post("x", body: value)
    }

    @Test("a verb sends no content for nil, even if only the value knows that it is an optional")
    func missing() async throws {
        let (manager, stub) = try stubManager { _ in .json("1") }
        let (none, deep, some): (Int?, Int??, Int?) = (nil, .some(nil), 1)
        try await manager.post("x", body: none)
        try await post(none, manager)
        try await post(deep, manager)
        try await manager.put("x", body: none)
        try await manager.patch("x", body: none)
        try await post(some, manager)
        try await post(JSON.null, manager)
        #expect(
            stub.requests.map { $0.body?.data } == [nil, nil, nil, nil, nil, Data("1".utf8), Data("null".utf8)])
        #expect(
            stub.requests.map { $0.head.fields["Content-Type"] != nil } == [
                false, false, false, false, false, true, true,
            ])
    }
}
