import Foundation
import PatchbayMigration
import PatchbayTesting
import Testing

@testable import PatchbayManager

@Suite struct TimelineStepsTests {
    @Test("1.11.1: the four times and the four durations of Alamofire's timeline")
    func steps() {
        let timeline = CallTimeline(
            start: Date(timeIntervalSinceReferenceDate: 100), head: .milliseconds(250), body: .milliseconds(500),
            serialized: .milliseconds(1_250), exchange: ExchangeTimings(), redirects: 0)
        #expect(timeline.requestStart.timeIntervalSinceReferenceDate == 100)
        #expect(timeline.initialResponse.timeIntervalSinceReferenceDate == 100.25)
        #expect(timeline.requestCompleted.timeIntervalSinceReferenceDate == 100.5)
        #expect(timeline.serializationCompleted.timeIntervalSinceReferenceDate == 101.25)
        #expect(timeline.latency == .milliseconds(250))
        #expect(timeline.requestDuration == .milliseconds(500))
        #expect(timeline.serializationDuration == .milliseconds(750))
        #expect(timeline.totalDuration == .milliseconds(1_250))
    }

    @Test("1.11.1: the times of a call follow each other")
    func call() async throws {
        let (manager, _) = stubManager { _ in .json("[1]") }
        let steps = try await manager.send("a").timeline
        #expect(steps.requestStart <= steps.initialResponse)
        #expect(steps.initialResponse <= steps.requestCompleted)
        #expect(steps.requestCompleted <= steps.serializationCompleted)
    }
}
