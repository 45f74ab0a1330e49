import PatchbayPlatform
import PatchbayRegistry
import Testing

@testable import PatchbayManager

@Suite struct StopSignalTests {
    @Test("a signal calls each listener once, those that came before and those that came after")
    func once() {
        let calls = Guarded<[String]>([])
        let signal = StopSignal()
        signal.whenFired { calls.withLock { $0.append("before") } }
        #expect(!signal.hasFired)
        signal.fire()
        signal.fire()
        signal.whenFired { calls.withLock { $0.append("after") } }
        #expect(signal.hasFired)
        #expect(calls.withLock { $0 } == ["before", "after"])
    }
}
