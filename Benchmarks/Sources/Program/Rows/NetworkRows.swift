import CurlPeer
import Foundation
import Patchbay
import Requests

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Requests to nginx on this machine.
struct NetworkRows {
    private let stopwatch: Stopwatch
    private let origin: URL
    private let work: URL
    private let mebibytes: (memory: Int, file: Int)
    private let manager: SessionManager
    private let session: URLSession

    init(_ stopwatch: Stopwatch, _ origin: URL, _ work: URL, isQuick: Bool) throws {
        self.stopwatch = stopwatch
        self.origin = origin
        self.work = work
        mebibytes = isQuick ? (64, 64) : (256, 1024)
        let policy = #"{"manifestVersion":1,"policy":{"limits":{"maxBodyBytes":\#(mebibytes.memory << 20)}}}"#
        let registry = try SerializerRegistry.standard.overlaid(by: .text(policy, name: "bench"))
        manager = SessionManager(baseURL: origin, registry: registry)
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpMaximumConnectionsPerHost = 64
        configuration.urlCache = nil
        session = URLSession(configuration: configuration)
    }

    /// - Parameter processors: nil if this process and the server cannot be kept apart.
    func small(_ processors: Processors?) async throws -> [Row] {
        try Data(Person.json.utf8).write(to: work.appendingPathComponent(Person.file))
        let peer = curl_peer_new()
        defer { curl_peer_free(peer) }
        let url = origin.appendingPathComponent(Person.file)
        let alone = Contest(
            row: "GET small JSON, typed, one at a time", unit: .requestsPerSecond, ours: typed(flying: 1),
            peers: [
                .init(name: "URLSession + JSONDecoder", goal: 2.5, work: foundation(url, flying: 1)),
                .init(name: "curl_easy in C", goal: 0.6) { times in
                    try check(curl_peer_one_by_one(peer, url.absoluteString, times))
                },
            ])
        var rows =
            if let processors { try await processors.apart { try await stopwatch.rows(alone) } } else {
                try await stopwatch.rows(alone)
            }
        for (flying, goal) in [(16, 12.0), (64, 15.0)] {
            rows += try await stopwatch.rows(
                Contest(
                    row: "GET small JSON, typed, \(flying) in flight", unit: .requestsPerSecond,
                    ours: typed(flying: flying),
                    peers: [
                        .init(name: "URLSession + JSONDecoder", goal: goal, work: foundation(url, flying: flying)),
                        .init(name: "curl_multi in C", goal: flying == 16 ? 0.8 : 0) { times in
                            try check(curl_peer_together(peer, url.absoluteString, times, flying))
                        },
                    ]))
        }
        rows += try await stopwatch.rows(
            Contest(
                row: "GET small JSON, typed, 16 in flight, processor time", unit: .microseconds, meter: .processor,
                ours: typed(flying: 16),
                peers: [
                    .init(name: "curl_multi in C", goal: 0.53) { times in
                        try check(curl_peer_together(peer, url.absoluteString, times, 16))
                    }
                ]))
        let transport = CurlTransport()
        let head = RequestHead(url: url, fields: manager.headers)
        return rows
            + (try await stopwatch.rows(
                Contest(
                    row: "manager over its own transport, 16 in flight", unit: .requestsPerSecond,
                    ours: { [manager] times in
                        try await Flight(16).run(times) { _ = try await manager.get(Person.file, as: Data.self) }
                    },
                    peers: [
                        .init(name: "the transport alone", goal: 0.9) { times in
                            try await Flight(16).run(times) {
                                let receiver = CollectingReceiver()
                                _ = try await transport.perform(TransportRequest(head: head), for: receiver)
                                guard !receiver.bytes.isEmpty else { throw WorkFailure("an empty answer") }
                            }
                        }
                    ])))
    }

    func large() async throws -> [Row] {
        try makeFile("memory.bin", mebibytes.memory)
        try makeFile("file.bin", mebibytes.file)
        let peer = curl_peer_new()
        defer { curl_peer_free(peer) }
        let (inMemory, inFile) = (
            origin.appendingPathComponent("memory.bin"), origin.appendingPathComponent("file.bin")
        )
        let bytes = (memory: mebibytes.memory << 20, file: mebibytes.file << 20)
        var rows = try await stopwatch.rows(
            Contest(
                row: "\(mebibytes.memory) MiB body to memory", unit: .megabytesPerSecond(bytes.memory),
                ours: { [manager] times in
                    var request = SessionRequest("memory.bin")
                    request.maximumBodyBytes = bytes.memory
                    for _ in 0..<times {
                        let data = try await manager.send(request, as: Data.self).value
                        guard data.count == bytes.memory else { throw WorkFailure("a short answer") }
                    }
                },
                peers: [
                    .init(name: "URLSession", goal: 3) { [session] times in
                        for _ in 0..<times {
                            let (data, _) = try await session.data(from: inMemory)
                            guard data.count == bytes.memory else { throw WorkFailure("a short answer") }
                        }
                    },
                    .init(name: "libcurl in C", goal: 0.85) { times in
                        try check(curl_peer_one_by_one(peer, inMemory.absoluteString, times))
                    },
                ]))
        let target = work.appendingPathComponent("downloaded.bin")
        rows.append(try await residentMemory(target))
        func toFile(_ what: String, _ unit: Unit, _ meter: Meter, goal: Double) -> Contest {
            Contest(
                row: "\(mebibytes.file) MiB to a file\(what)", unit: unit, meter: meter,
                ours: { times in for _ in 0..<times { try await download(target) } },
                peers: [
                    .init(name: "libcurl in C", goal: goal) { times in
                        try check(curl_peer_to_file(peer, inFile.absoluteString, target.path, times))
                    }
                ])
        }
        rows += try await stopwatch.rows(toFile("", .megabytesPerSecond(bytes.file), .time, goal: 1))
        return rows + (try await stopwatch.rows(toFile(", processor time", .milliseconds, .processor, goal: 0)))
    }

    private func residentMemory(_ target: URL) async throws -> Row {
        let before = ResidentMemory.now
        ResidentMemory.forgetPeak()
        try await download(target)
        let grown = Double(max(ResidentMemory.peak - before, 1 << 16)) / Double(1 << 20)
        return Row(
            row: "\(mebibytes.file) MiB to a file, resident memory above the baseline", against: "the limit",
            ratio: 48 / grown, goal: 1, ours: grown, theirs: 48, unit: "MiB")
    }

    private func download(_ target: URL) async throws {
        _ = try await manager.download(SessionRequest("file.bin"), to: .file(target))
        try FileManager.default.removeItem(at: target)
    }

    private func typed(flying: Int) -> Contest.Work {
        { [manager] times in
            try await Flight(flying).run(times) { _ = try await manager.get(Person.file, as: Person.self) }
        }
    }

    private func foundation(_ url: URL, flying: Int) -> Contest.Work {
        { [session] times in
            try await Flight(flying).run(times) {
                let (data, _) = try await session.data(from: url)
                _ = try JSONDecoder().decode(Person.self, from: data)
            }
        }
    }

    private func check(_ failures: Int) throws {
        guard failures == 0 else { throw WorkFailure("\(failures) requests of libcurl failed") }
    }

    /// A file of zeros that takes no room.
    private func makeFile(_ name: String, _ mebibytes: Int) throws {
        let file = work.appendingPathComponent(name)
        guard FileManager.default.createFile(atPath: file.path, contents: nil) else {
            throw WorkFailure("\(file.path) cannot be made")
        }
        let handle = try FileHandle(forWritingTo: file)
        try handle.truncate(atOffset: UInt64(mebibytes << 20))
        try handle.close()
    }
}
