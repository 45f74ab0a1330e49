import PatchbayManager
import PatchbayRegistry
import TestSupport
import Testing

#if os(Linux)
    import Glibc

    /// What the timeouts of calls that have ended keep in memory, in child processes.
    @Suite(.timeLimit(.minutes(5))) struct TimerMemoryTests {
        enum Work: String, Codable, Sendable, CaseIterable, CustomTestStringConvertible {
            case managers = "3,000 managers, each released after a call with a timeout"
            case managersWithoutTimeouts = "3,000 managers, each released after a call without one"
            case nearerDeadlines = "3,000 calls of one manager, each with a nearer deadline"
            case oneTimeout = "3,000 calls of one manager, all with the same timeout"

            var testDescription: String { rawValue }

            /// Makes a number of calls, one after the other. Their timeouts are an hour, or the part of it that is left.
            func run(_ count: Int) async throws {
                let registry = try TestRegistry.make()
                let transport = PlayedTransport { _, _, receiver in _ = receiver.receive(status: 204, fields: [:]) }
                var configuration = SessionConfiguration()
                (configuration.idleTimeout, configuration.totalTimeout) = (nil, nil)
                var manager = SessionManager(registry: registry, transport: transport, configuration: configuration)
                for number in 0..<count {
                    var request = SessionRequest("http://origin.test/")
                    switch self {
                    case .managers, .managersWithoutTimeouts:
                        manager = SessionManager(registry: registry, transport: transport, configuration: configuration)
                        if self == .managers { request.totalTimeout = .seconds(3_600) }
                    // A call takes less than 100 ms, so each deadline is before the last one.
                    case .nearerDeadlines: request.totalTimeout = .milliseconds(3_600_000 - 100 * number)
                    case .oneTimeout: request.totalTimeout = .seconds(3_600)
                    }
                    _ = try await manager.send(request, as: Void.self)
                }
            }
        }

        @Test(
            "memory stays flat", .enabled(if: access("/proc/self/status", R_OK) == 0, "needs /proc"),
            arguments: Work.allCases)
        func growth(_ work: Work) async throws {
            let child = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) { [work] in
                alarm(200)
                // The first calls load what every call needs.
                try await work.run(500)
                let before = try PeakMemory.kibibytes()
                try await work.run(3_000)
                print("grown by KiB", try PeakMemory.kibibytes() - before)
            }
            let lines = String(decoding: child?.standardOutputContent ?? [], as: UTF8.self).split(separator: "\n")
            let line = try #require(lines.first { $0.hasPrefix("grown by KiB ") })
            let kibibytes = try #require(line.split(separator: " ").last.flatMap { Int($0) })
            print("\(work.rawValue): \(kibibytes) KiB more")
            #expect(kibibytes <= 1 << 10)
        }
    }
#endif
