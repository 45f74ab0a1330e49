import Foundation
import Patchbay
import TestSupport

/// A line of a traffic log, made for a test.
struct TrafficLine: Sendable {
    var host = "api.example.com"
    var path = "/users"
    var method = "GET"
    var status = 200
    var type: String? = "application/json"
    var wanted = "any value"
    var bytes = 10
    var entry: String? = "json"
    var asked: [String] = []
    var outcome = "entry"
    var decoding: Double?
    var isOverridden = false
    /// The type of the request's body, which an entry wrote.
    var written: String?
    var writer = "json"

    var json: JSON {
        var members: [(String, JSON)] = [
            ("patchbay", 1), ("time", "2026-11-30T13:52:34.123Z"), ("method", JSON(method)),
            ("url", JSON("https://\(host)\(path)")), ("status", JSON(status)),
        ]
        if let type { members.append(("type", JSON(type))) }
        members.append(("wanted", JSON(wanted)))
        if isOverridden { members.append(("override", true)) }
        if let entry { members.append(("entry", JSON(entry))) }
        if !asked.isEmpty { members.append(("asked", .array(asked.map { JSON($0) }))) }
        members += [("outcome", JSON(outcome)), ("digest", "0123456789abcdef"), ("bytes", JSON(bytes))]
        if let written {
            members.append(("written", ["type": JSON(written), "entry": JSON(writer), "bytes": JSON(bytes)]))
        }
        members.append(("exchange", 12.5))
        if let decoding { members.append(("decoding", JSON(decoding))) }
        return .object(members)
    }

    static func log(_ lines: [TrafficLine]) -> String { lines.map { $0.json.serialized() + "\n" }.joined() }

    /// Lines made of few words, so that they meet.
    static func random(_ count: Int) -> [TrafficLine] {
        var random = SplitMix(seed: 60)
        func pick<Value>(_ values: [Value]) -> Value { values[Int.random(in: 0..<values.count, using: &random)] }
        return (0..<count).map { _ in
            var line = TrafficLine(
                host: pick(["api.example.com", "legacy.example.com", "files.example.com", "files.example.com:8443"]),
                path: pick(["/", "/export", "/export/{id}", "/exports", "/a/export", "/export/../b", "/%2e%2e/export"]),
                method: pick(["GET", "GET", "POST", "HEAD"]), status: pick([200, 200, 200, 204, 404, 500]),
                type: pick([
                    "application/json", "Application/JSON;charset=utf-8", "text/html", "text/plain;charset=\"UTF-8\"",
                    "text/markdown", "text/old", "a/b;v=1", "a/b;v=2", nil, "none",
                ]), wanted: pick(["any value", "any value", "Decodable", "text", "bytes"]),
                bytes: pick([0, 1, 100, 1000]))
            line.isOverridden = pick([false, false, false, true])
            if line.method == "POST" { line.written = pick(["application/json", "text/plain"]) }
            return line
        }
    }
}

extension TrafficLine {
    var isAccepted: Bool { (200..<300).contains(status) }
    var essence: String? { type.map { String($0.prefix { $0 != ";" }).lowercased() } }
    /// Whether the body is read as for any value, or as a type that an entry for JSON makes.
    var takesJSON: Bool { !isAccepted || ["any value", "Decodable"].contains(wanted) }
    var takesText: Bool { !isAccepted || ["any value", "text"].contains(wanted) }
}
