import Foundation
import PatchbayJSON
import PatchbayPlatform
import PatchbayRegistry
import PatchbayTesting
import TestSupport

@testable import PatchbayManager

/// A log in a folder of its own, and managers that write to it.
struct TrafficFixture {
    static let name = "traffic.ndjson"

    let folder = TemporaryFolder()
    let log: TrafficLog
    var url: URL { folder.url.appending(path: Self.name) }

    init(maximumBytes: Int = 1 << 20, mostWaiting: Int = 20_000, _ calls: FileCalls = .system) {
        log = TrafficLog(
            to: folder.url.appending(path: Self.name), maximumBytes: maximumBytes, mostWaiting: mostWaiting, calls)
    }

    func manager(
        _ configuration: SessionConfiguration = SessionConfiguration(),
        _ reply: @escaping @Sendable (TransportRequest) throws -> StubReply
    ) throws -> SessionManager {
        var configuration = configuration
        configuration.observers.append(log)
        return try StreamFixture.stub(configuration, reply)
    }

    /// The lines up to now, after all was written.
    func lines(_ name: String = Self.name) async throws -> [JSON] {
        await log.flush()
        return try Self.lines(folder.url.appending(path: name))
    }

    static func lines(_ url: URL) throws -> [JSON] {
        let text = try String(contentsOf: url, encoding: .utf8)
        guard text.isEmpty || text.hasSuffix("\n") else { throw Unfinished() }
        return try text.split(separator: "\n").map { try JSON(parsing: Data($0.utf8)) }
    }

    /// How many decisions the lines have, and how many they say were dropped.
    static func counts(_ lines: [JSON]) -> (written: Int, dropped: Int) {
        let dropped = lines.compactMap { $0["dropped"]?.int }
        return (lines.count - dropped.count, dropped.reduce(0, +))
    }

    private struct Unfinished: Error {}
}

extension JSON {
    /// The object without members that differ each time.
    var settled: JSON {
        .object(
            (object ?? []).filter { !["time", "digest", "exchange", "decoding"].contains($0.key) }.map { ($0, $1) })
    }
}
