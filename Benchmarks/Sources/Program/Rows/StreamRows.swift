import Foundation
import Patchbay
import PatchbayPlugins
import SimdjsonPeer

/// The parsers of elements, each over a body in pieces as they come from a socket.
struct StreamRows {
    private let stopwatch: Stopwatch
    private let head = ResponseHead(
        status: 200, fields: [:], url: URL(fileURLWithPath: "/"), request: RequestHead(url: URL(fileURLWithPath: "/")))

    init(_ stopwatch: Stopwatch) { self.stopwatch = stopwatch }

    func rows() async throws -> [Row] { try await smallEvents() + largeEvents() + longLine() + lines() + table() }

    /// What a server of chat tokens sends.
    private func smallEvents() async throws -> [Row] {
        let count = 50_000
        let text = (0..<count).map { "id: \($0)\ndata: {\"token\":\"t\($0)\"}\n\n" }.joined()
        let body = Array(text.utf8)
        let seconds = try await stopwatch.medians([
            { times in for _ in 0..<times { try expect(events(in: body, piece: 16_384), count) } }
        ])[0]
        return [figure("small events", Double(count) / seconds, least: 1_000_000, "events/s")]
    }

    private func largeEvents() async throws -> [Row] {
        let data = String(repeating: "The quick brown fox jumps over the lazy dog. ", count: 1_500)
        let body = Array(String(repeating: "data: \(data)\n\n", count: 64).utf8)
        let seconds = try await stopwatch.medians([
            { times in for _ in 0..<times { try expect(events(in: body, piece: 16_384), 64) } }
        ])[0]
        return [figure("large events", Double(body.count) / 1e6 / seconds, least: 200, "MB/s")]
    }

    /// One event of one line, which joining pieces to what came before would take quadratic time for.
    private func longLine() async throws -> [Row] {
        func line(_ bytes: Int) -> [UInt8] {
            Array("data: ".utf8) + [UInt8](repeating: UInt8(ascii: "x"), count: bytes) + Array("\n\n".utf8)
        }
        let (body, double) = (line(8 << 20), line(16 << 20))
        func work(_ body: [UInt8], piece: Int) -> Contest.Work {
            { times in for _ in 0..<times { try expect(events(in: body, piece: piece), 1) } }
        }
        var rows = try await stopwatch.rows(
            Contest(
                row: "a line of 8 MiB, in pieces of 1,460 bytes", unit: .milliseconds, ours: work(body, piece: 1_460),
                peers: [.init(name: "it whole", goal: 1 / 1.3, work: work(body, piece: .max))]))
        for (name, piece) in [("whole", Int.max), ("in pieces of 1,460 bytes", 1_460), ("in pieces of a byte", 1)] {
            let medians = try await stopwatch.medians([work(double, piece: piece), work(body, piece: piece)])
            rows.append(
                Row(
                    row: "a line of 16 MiB, \(name)", against: "twice one of 8 MiB", ratio: 2 * medians[1] / medians[0],
                    goal: 2 / 2.3, ours: medians[0] * 1e9 / Double(double.count),
                    theirs: medians[1] * 1e9 / Double(body.count), unit: "ns a byte"))
        }
        return rows
    }

    private struct Item: Decodable {
        let id: Int
        let name: String
        let price: Double
        let isNew: Bool
        let tags: [String]
    }

    private func lines() async throws -> [Row] {
        var noise = Noise(seed: 7)
        let count = 20_000
        let items = (0..<count).map { index in
            #"{"id":\#(index),"name":"item \#(noise.number(0...1 << 40))","price":\#(noise.number(1...9999)).25,"#
                + #""isNew":\#(noise.isTrue()),"tags":["first","second","naïve"]}"#
        }
        let body = Array((items.joined(separator: "\n") + "\n").utf8)
        let array = ResponseBody(Array("[\(items.joined(separator: ","))]".utf8))
        let (ndjson, json) = (NDJSONSerializer(), JSONSerializer())
        guard let peer = simdjson_peer_new() else { throw WorkFailure("there is no simdjson") }
        defer { simdjson_peer_free(peer) }
        let padded = body + [UInt8](repeating: 0, count: 64)
        let head = head
        let decoded = try await stopwatch.rows(
            Contest(
                row: "NDJSON into a Decodable", unit: .megabytesPerSecond(body.count),
                ours: { times in
                    for _ in 0..<times {
                        try expect(
                            self.elements(try ndjson.makeParser(of: Item.self, head, maximumElementBytes: .max), body),
                            count
                        )
                    }
                },
                peers: [
                    .init(name: "our JSON, of one array", goal: 0.8) { times in
                        for _ in 0..<times { try expect(try json.decode([Item].self, from: array, head).count, count) }
                    }
                ]))
        let fromArray = try await stopwatch.rows(
            Contest(
                row: "the elements of an array into a Decodable", unit: .megabytesPerSecond(body.count),
                ours: { times in
                    for _ in 0..<times {
                        let parser = try json.makeParser(of: Item.self, head, maximumElementBytes: .max)
                        try expect(self.elements(parser, Array(array.data)), count)
                    }
                },
                peers: [
                    .init(name: "our JSON, whole", goal: 0.8) { times in
                        for _ in 0..<times { try expect(try json.decode([Item].self, from: array, head).count, count) }
                    }
                ]))
        let values = try await stopwatch.rows(
            Contest(
                row: "NDJSON into JSON", unit: .megabytesPerSecond(body.count),
                ours: { times in
                    for _ in 0..<times {
                        try expect(self.elements(try ndjson.makeParser(head, maximumElementBytes: .max), body), count)
                    }
                },
                peers: [
                    .init(name: "simdjson's many documents", goal: 0.5) { times in
                        for _ in 0..<times {
                            try expect(simdjson_peer_parse_many(peer, padded, body.count, padded.count), count)
                        }
                    }
                ]))
        return decoded + fromArray + values
    }

    private func table() async throws -> [Row] {
        let count = 50_000
        let lines = (0..<count).map { "\($0),Ada Lovelace,London,\($0 % 10_000).50,a short note\n" }
        let body = Array(("id,name,city,amount,note\n" + lines.joined()).utf8)
        let (serializer, head) = (CSVRowsSerializer(), head)
        let medians = try await stopwatch.medians([
            { times in
                for _ in 0..<times {
                    try expect(self.elements(serializer.makeParser(head, maximumElementBytes: .max), body), count)
                }
            },
            { times in
                for _ in 0..<times {
                    var fields = 0
                    var parser = serializer.makeParser(head, maximumElementBytes: .max)
                    try parser.parse(body.span) { row in for field in row { fields += field.utf8.count } }
                    try parser.finish { _ in }
                    guard fields > 0 else { throw WorkFailure("a table without fields") }
                }
            },
        ])
        return zip(["rows of a table", "rows of a table, every field a String"], medians).map { row, seconds in
            figure(row, Double(body.count) / 1e6 / seconds, least: 200, "MB/s")
        }
    }

    private func events(in body: [UInt8], piece: Int) throws -> Int {
        let serializer = ServerSentEventSerializer(maximumLineBytes: .max, maximumEventBytes: .max)
        return try elements(try serializer.makeParser(head, maximumElementBytes: .max), body, piece: piece)
    }

    private func elements<Element>(
        _ parser: any ElementParser<Element>, _ body: [UInt8], piece: Int = 16_384
    ) throws -> Int {
        var parser = parser
        var count = 0
        var offset = 0
        while offset < body.count {
            let end = offset + min(piece, body.count - offset)
            try parser.parse(body.span.extracting(offset..<end)) { element in
                keep(element)
                count += 1
            }
            offset = end
        }
        try parser.finish { element in
            keep(element)
            count += 1
        }
        return count
    }

    private func expect(_ count: Int, _ expected: Int) throws {
        guard count == expected else { throw WorkFailure("there are \(count) elements, not \(expected)") }
    }

    /// A row without a peer: what is asked for stands in its place.
    private func figure(_ row: String, _ ours: Double, least: Double, _ unit: String) -> Row {
        Row(
            row: row, against: "the figure to reach", ratio: ours / least, goal: 1, ours: ours, theirs: least,
            unit: unit)
    }
}
