import Foundation
import Patchbay
import SimdjsonPeer

/// JSON: parsed, walked and decoded into types.
struct JSONRows {
    private let stopwatch: Stopwatch
    private let head: ResponseHead
    private let serializer = JSONSerializer()
    #if FastJSON
        private let traits = ""
        private let isFast = true
    #else
        private let traits = ", trait off"
        private let isFast = false
    #endif

    init(_ stopwatch: Stopwatch) {
        self.stopwatch = stopwatch
        let url = URL(fileURLWithPath: "/")
        head = ResponseHead(
            status: 200, fields: ["Content-Type": "application/json"], url: url, request: RequestHead(url: url))
    }

    func rows<Model: Decodable & Sendable>(_ name: String, _ data: Data, _ model: Model.Type) async throws -> [Row] {
        let body = ResponseBody(data)
        let speed = Unit.megabytesPerSecond(data.count)
        let foundation = Contest.Peer(name: "JSONSerialization", goal: isFast ? 30 : 4) { times in
            for _ in 0..<times { keep(try JSONSerialization.jsonObject(with: data)) }
        }
        let parser = simdjson_peer_new()
        defer { simdjson_peer_free(parser) }
        let simdjson = Contest.Peer(name: "simdjson's DOM in C++", goal: 0.8) { times in
            let failures = body.withUnsafeBytes { bytes in
                simdjson_peer_parse(
                    parser, bytes.bindMemory(to: UInt8.self).baseAddress, bytes.count, bytes.count + 64, times)
            }
            guard failures == 0 else { throw WorkFailure("simdjson refuses \(name)") }
        }
        var rows = try await stopwatch.rows(
            Contest(
                row: "`JSON`\(traits), \(name)", unit: speed,
                ours: { times in for _ in 0..<times { keep(try serializer.serialize(body, head)) } },
                peers: isFast ? [foundation, simdjson] : [foundation]))
        if isFast {
            rows += try await stopwatch.rows(
                Contest(
                    row: "`JSON`, then every value, \(name)", unit: speed,
                    ours: { times in
                        for _ in 0..<times { keep(Self.touch(try serializer.serialize(body, head))) }
                    },
                    peers: [
                        .init(name: "JSONSerialization, then every value", goal: 8) { times in
                            for _ in 0..<times { keep(Self.touch(try JSONSerialization.jsonObject(with: data))) }
                        }
                    ]))
        }
        return rows
            + (try await stopwatch.rows(
                Contest(
                    row: "`Decodable`\(traits), \(name)", unit: speed,
                    ours: { times in
                        for _ in 0..<times { keep(try serializer.decode(model, from: body, head)) }
                    },
                    peers: [
                        .init(name: "JSONDecoder", goal: isFast ? (name.contains("canada") ? 6 : 3) : 1.5) { times in
                            for _ in 0..<times { keep(try JSONDecoder().decode(model, from: data)) }
                        }
                    ])))
    }

    /// The time for a byte of documents of many sizes; it should not depend on the size.
    func sizes(upTo largest: Int) async throws -> [Row] {
        var bodies: [ResponseBody] = []
        var size = 1 << 10
        while size <= largest {
            bodies.append(ResponseBody(TimelineWriter(seed: 7).document(ofAtLeast: size)))
            size *= 4
        }
        let medians = try await stopwatch.medians(
            bodies.map { body in
                { times in for _ in 0..<times { keep(try serializer.serialize(body, head)) } }
            })
        let perByte = zip(bodies, medians).map { (count: $0.count, time: $1 / Double($0.count)) }
        let large = perByte.filter { $0.count >= 1 << 20 }.map(\.time)
        guard let best = large.min(), let worst = large.max(), let smallest = perByte.first?.time else { return [] }
        return [
            Row(
                row: "`JSON`\(traits), the slowest size from 1 to \(largest >> 20) MiB", against: "the fastest",
                ratio: best / worst, goal: 0.5, ours: worst * 1e9, theirs: best * 1e9, unit: "ns a byte"),
            Row(
                row: "`JSON`\(traits), 1 KiB", against: "the fastest from 1 to \(largest >> 20) MiB",
                ratio: best / smallest, goal: 0, ours: smallest * 1e9, theirs: best * 1e9, unit: "ns a byte"),
        ]
    }

    private static func touch(_ json: JSON) -> Double {
        switch json.kind {
        case .object:
            var sum = 0.0
            if let members = json.object {
                for (key, value) in members { sum += Double(key.utf8.count) + touch(value) }
            }
            return sum
        case .array: return json.array?.reduce(0) { $0 + touch($1) } ?? 0
        case .string: return Double(json.string?.utf8.count ?? 0)
        case .number: return json.double ?? 0
        case .bool: return json.bool == true ? 1 : 0
        case .null: return 0
        }
    }

    private static func touch(_ value: Any) -> Double {
        switch value {
        case let members as [String: Any]:
            members.reduce(0) { $0 + Double($1.key.utf8.count) + touch($1.value) }
        case let elements as [Any]: elements.reduce(0) { $0 + touch($1) }
        case let text as String: Double(text.utf8.count)
        case let number as NSNumber: number.doubleValue
        default: 0
        }
    }
}
