import Patchbay

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The decision who serializes a response, and the parsing of its media type.
struct LookupRows {
    private let stopwatch: Stopwatch

    init(_ stopwatch: Stopwatch) { self.stopwatch = stopwatch }

    func rows() async throws -> [Row] {
        let (few, many) = (try Self.registry(entries: 10), try Self.registry(entries: 1_000))
        let (fewHead, manyHead) = (Self.head(entries: 10), Self.head(entries: 1_000))
        func decide(_ registry: SerializerRegistry, _ head: ResponseHead) -> Contest.Work {
            { times in for _ in 0..<times { keep(registry.decision(for: head)) } }
        }
        let medians = try await stopwatch.medians([
            decide(many, manyHead), decide(few, fewHead),
            { times in for _ in 0..<times { keep(MediaType(parsing: "application/json; charset=utf-8")) } },
        ])
        return [
            Row(
                row: "decision, exact type, 1,000 entries", against: "10 entries", ratio: medians[1] / medians[0],
                goal: 1 / 1.5, ours: medians[0] * 1e9, theirs: medians[1] * 1e9, unit: "ns"),
            aim("decision, exact type, 1,000 entries", medians[0], 150),
            aim("parse `application/json; charset=utf-8`", medians[2], 200),
        ]
    }

    private func aim(_ row: String, _ seconds: Double, _ nanoseconds: Double) -> Row {
        Row(
            row: row, against: "the aim", ratio: nanoseconds / (seconds * 1e9), goal: 1, ours: seconds * 1e9,
            theirs: nanoseconds, unit: "ns")
    }

    private static func registry(entries: Int) throws -> SerializerRegistry {
        let plugins = (0..<entries).map { index in
            #"{"id":"entry-\#(index)","factory":"json","match":{"types":["application/x-type-\#(index)"]}}"#
        }
        let manifest = #"{"manifestVersion":1,"plugins":[\#(plugins.joined(separator: ","))]}"#
        return try SerializerRegistry(sources: [.text(manifest, name: "bench")], factories: .standard)
    }

    /// Of the type of the last entry.
    private static func head(entries: Int) -> ResponseHead {
        let url = URL(filePath: "/")
        return ResponseHead(
            status: 200, fields: ["Content-Type": "application/x-type-\(entries - 1); charset=utf-8"], url: url,
            request: RequestHead(url: url))
    }
}
