import PatchbayCurl
import PatchbayManager
import PatchbayRegistry
import TestSupport
import Testing

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The third-party responses, in a child process: a trap there is a failure here, and not the end of the run.
@Suite("CurlTransport takes the suites", .timeLimit(.minutes(5)))
struct SuitesTests {
    static var folder: String? { ProcessInfo.processInfo.environment["PATCHBAY_SUITES"] }

    @Test(
        "No hang, no signal, no wrong or short body",
        .enabled(if: folder != nil, "set PATCHBAY_SUITES to the folder of the suites"))
    func responses() async throws {
        #expect(LenientCases.all.count <= LenientCases.maximum)
        let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
            let report = try await Self.run(try #require(Self.folder))
            print(report.summary)
            for fault in report.faults { print("FAULT", fault) }
            for id in report.staleExcuses { print("FAULT", "\(id): listed as lenient and is not") }
        }
        let lines = String(decoding: result?.standardOutputContent ?? [], as: UTF8.self).split(separator: "\n")
        let report = lines.filter { $0.contains("responses:") || $0.hasPrefix("FAULT") }
        for line in report { print(line) }
        #expect(report.count == 1, "one line of counts, no fault")
        #expect(report.first?.hasPrefix("465 responses:") == true)
    }

    private static func run(_ folder: String) async throws -> SuiteReport {
        let cases = try SuiteCase.load(from: folder)
        let server = try RawServer { request in
            guard let index = Int(request.target.dropFirst()), cases.indices.contains(index) else {
                return .response(status: 400)
            }
            return .raw(cases[index].raw)
        }
        let transport = CurlTransport()
        var report = SuiteReport()
        for index in cases.indices {
            let receiver = RecordingReceiver()
            let deadline = Task {
                try await Task.sleep(for: .seconds(10))
                receiver.stop.fire()
            }
            report.add(cases[index], await transport.exchange(server.url("/\(index)"), receiver: receiver))
            deadline.cancel()
        }
        return report
    }
}
