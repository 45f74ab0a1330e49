import Patchbay

/// The document that `--format json` prints: one response, what was decided about it, and what became of it.
struct Report {
    enum Outcome: String {
        case value, entry, empty, raw, error
    }

    var status: Int?
    var contentType: ContentType?
    var entry: String?
    var outcome: Outcome
    /// The type of the value, as Swift names it.
    var type: String?
    var value: JSON = .null
    var tried: [Candidate] = []
    var timeline: Timeline?
    var error: JSON = .null

    var json: JSON { .object(members) }

    /// The members in the order of the schema, none left out.
    var members: [(String, JSON)] {
        [
            ("status", status.map { JSON($0) } ?? .null),
            ("contentType", contentType?.mediaType.map(Self.json) ?? .null),
            ("entry", entry.map { JSON($0) } ?? .null),
            ("outcome", JSON(outcome.rawValue)),
            ("type", type.map { JSON($0) } ?? .null),
            ("value", value),
            ("tried", .array(tried.map(Self.json))),
            ("timeline", timeline.map(Self.json) ?? .null),
            ("error", error),
        ]
    }

    private static func json(_ asked: Candidate) -> JSON {
        ["entry": JSON(asked.entry), "verdict": JSON(asked.verdict.rawValue), "reason": JSON(asked.reason)]
    }

    private static func json(_ type: MediaType) -> JSON {
        [
            "essence": JSON(type.essence),
            "parameters": .object(type.parameters.map { ($0.name, JSON($0.value)) }),
            "serialized": JSON(type.description),
        ]
    }

    /// Seconds since the start of the call; those of `exchange` since the start of its last exchange.
    private static func json(_ timeline: Timeline) -> JSON {
        let exchange = timeline.exchange
        let steps = [
            ("nameLookup", exchange.nameLookup), ("connect", exchange.connect),
            ("secureConnect", exchange.secureConnect),
            ("firstByte", exchange.firstByte), ("total", exchange.total),
        ]
        return [
            "head": seconds(timeline.head), "body": seconds(timeline.body), "serialized": seconds(timeline.serialized),
            "redirects": JSON(timeline.redirects),
            "exchange": .object(
                steps.map { ($0.0, $0.1.map(seconds) ?? .null) } + [
                    ("httpVersion", exchange.httpVersion.map { JSON($0) } ?? .null),
                    ("reusedConnection", exchange.reusedConnection.map { JSON($0) } ?? .null),
                ]),
        ]
    }

    private static func seconds(_ duration: Duration) -> JSON {
        let (seconds, attoseconds) = duration.components
        // Whole microseconds: more digits would only be noise.
        return JSON((Double(seconds) * 1e6 + (Double(attoseconds) / 1e12).rounded()) / 1e6)
    }
}

extension Report {
    /// The value, or why there is none, for one cell of a table.
    var summary: String {
        if let base64 = value["base64"]?.string {
            return "\(base64.utf8.filter { $0 != UInt8(ascii: "=") }.count * 3 / 4) bytes"
        }
        if value != .null { return value.string ?? value.description }
        let reason = error["attempts"]?[0]?["error"] ?? error["message"]
        return reason?.string ?? (outcome == .value ? "null" : "-")
    }

    /// The media type, or why there is none, for one cell of a table.
    var mediaType: String {
        switch contentType {
        case .mediaType(let type): type.description
        case .invalid: "invalid"
        case .missing, nil: "-"
        }
    }
}
