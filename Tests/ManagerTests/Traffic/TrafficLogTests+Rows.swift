import Foundation
import PatchbayJSON
import PatchbayRegistry
import PatchbayTesting
import TestSupport
import Testing

@testable import PatchbayManager

extension TrafficLogTests {
    private struct Refusal: Error {}

    /// A call, and the line that it leaves, without times and digest.
    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let reply: StubReply
        let call: @Sendable (SessionManager) async throws -> Void
        let lines: [String]

        /// - Parameter line: the members behind those of the head; nil for no line.
        init(
            _ name: String, _ reply: StubReply, _ line: String?, status: Int = 200,
            type: String? = #""application/json""#, method: String = "GET",
            _ call: @escaping @Sendable (SessionManager) async throws -> Void
        ) {
            (testDescription, self.reply, self.call) = (name, reply, call)
            let type = type.map { "\"type\":\($0)," } ?? ""
            let head =
                #"{"patchbay":1,"method":"\#(method)","url":"http://origin.test/a","status":\#(status),\#(type)"#
            lines = line.map { [head + $0 + "}"] } ?? []
        }
    }

    static let values: [Row] = [
        Row(
            "a typed value", .json("1"),
            #""wanted":"Decodable","value":"Int","entry":"json","outcome":"entry","bytes":1"#
        ) { _ = try await $0.get("a", as: Int.self) },
        Row(
            "an array", .json("[1]"),
            #""wanted":"array of Decodable","value":"[Int]","entry":"json","outcome":"entry","bytes":3"#
        ) { _ = try await $0.get("a", as: [Int].self) },
        Row(
            "an optional of the output of an entry", .json("null"),
            #""wanted":"JSON","value":"JSON?","entry":"json","outcome":"entry","bytes":4"#
        ) { _ = try await $0.get("a", as: JSON?.self) },
        Row("any value", .json("{}"), #""wanted":"any value","entry":"json","outcome":"entry","bytes":2"#) {
            _ = try await $0.send("a")
        },
        Row("no value", .json("1"), #""wanted":"bytes","value":"()","outcome":"raw","bytes":1"#) {
            _ = try await $0.send(SessionRequest("a"), as: Void.self)
        },
        Row(
            "text without an entry", StubReply(fields: ["Content-Type": "text/plain; charset=utf-8"], body: "abc"),
            #""wanted":"text","value":"String","outcome":"raw","bytes":3"#, type: #""text/plain; charset=utf-8""#
        ) { _ = try await $0.get("a", as: String.self) },
        Row(
            "no content and no type", StubReply(status: 204), #""wanted":"any value","outcome":"empty","bytes":0"#,
            status: 204, type: nil
        ) { _ = try await $0.send("a") },
        Row(
            "two media types", StubReply(fields: HeaderFields([("Content-Type", "a/b"), ("content-type", "c/d")])),
            #""wanted":"bytes","value":"Data","outcome":"empty","bytes":0"#, type: #"["a/b","c/d"]"#
        ) { _ = try await $0.get("a", as: Data.self) },
        Row(
            "another choice by the request", .words("1"),
            #""wanted":"Decodable","value":"Int","override":true,"entry":"json","outcome":"entry","bytes":1"#,
            type: #""text/words""#
        ) { manager in
            var request = SessionRequest("a")
            request.using = .entry("json")
            _ = try await manager.send(request, as: Int.self)
        },
        Row(
            "elements", .sentences("One.", "Two."),
            #""wanted":"elements of Sentence","value":"Sentence","entry":"sentences","outcome":"entry","bytes":8"#,
            type: #""text/sentences""#
        ) { manager in for try await _ in try await manager.stream("a", of: StreamFixture.Sentence.self) {} },
        Row("a file", .json("[1]"), #""wanted":"bytes","value":"ResponseBody","outcome":"raw","bytes":3"#) {
            _ = try await $0.download("a", to: .temporary)
        },
        Row(
            "a value of a file", .json("[1]"),
            #""wanted":"array of Decodable","value":"[Int]","entry":"json","outcome":"entry","bytes":3"#
        ) { _ = try await $0.savedValue(of: SessionRequest("a"), to: .temporary, as: [Int].self) },
        Row(
            "a body that is written", .json("1"),
            #""wanted":"bytes","value":"()","outcome":"raw","bytes":1,"#
                + #""written":{"type":"application/json","entry":"json","bytes":7}"#, method: "POST"
        ) { try await $0.post("a", body: ["n": 1]) },
        Row(
            "bytes that are sent", .json("1"),
            #""wanted":"bytes","value":"()","outcome":"raw","bytes":1,"written":{"type":"image/png","bytes":3}"#,
            method: "PUT"
        ) { try await $0.put("a", body: Data("PNG".utf8), in: "image/png") },
    ]

    static let failures: [Row] = [
        Row(
            "a failing decoding", .json("{"),
            #""wanted":"Decodable","value":"Int","entry":"json","outcome":"error","error":"serialization","bytes":1"#
        ) { _ = try await $0.get("a", as: Int.self) },
        Row(
            "no entry", .words("x"),
            #""wanted":"Decodable","value":"Int","outcome":"error","error":"noReader","bytes":1"#,
            type: #""text/words""#
        ) { _ = try await $0.get("a", as: Int.self) },
        Row(
            "an error with a body", .json("[1,2]", status: 404),
            #""wanted":"Decodable","value":"Int","entry":"json","outcome":"entry","error":"status","bytes":5"#,
            status: 404
        ) { _ = try await $0.get("a", as: Int.self) },
        Row(
            "a refused response", .json("1"),
            #""wanted":"Decodable","value":"Int","outcome":"error","error":"validation","bytes":1"#
        ) { manager in
            var request = SessionRequest("a")
            request.validators = [{ _, _ in throw Refusal() }]
            _ = try await manager.send(request, as: Int.self)
        },
        Row(
            "a body that breaks off",
            StubReply(
                fields: ["Content-Type": "application/json"], chunks: [Data("[1".utf8)],
                failure: TransportFailure(.truncatedBody, "the connection was closed")),
            #""wanted":"any value","outcome":"error","error":"transport","bytes":2"#
        ) { _ = try await $0.send("a") },
        Row("no request", StubReply(), nil) { _ = try await $0.get("ftp://origin.test/", as: Int.self) },
    ]
}
