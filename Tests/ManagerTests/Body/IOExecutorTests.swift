import Dispatch
import PatchbayPlatform
import PatchbayRegistry
import Testing

@testable import PatchbayManager

@Suite(.timeLimit(.minutes(5))) struct IOExecutorTests {
    private struct Broken: Error, Equatable {}

    @Test("as much work is done at once as there may be threads, and the rest when one is free")
    func maximum() async throws {
        let io = IOExecutor(maximumThreads: 3)
        let gate = DispatchSemaphore(value: 0)
        let counts = Guarded((begun: 0, done: 0))
        for _ in 0..<20 {
            io.enqueue {
                counts.withLock { $0.begun += 1 }
                gate.wait()
                counts.withLock { $0.done += 1 }
            }
        }
        try await until { counts.withLock(\.begun) == 3 }
        await settle()
        #expect(counts.withLock(\.begun) == 3)
        #expect(io.threads == 3)
        for _ in 0..<20 { gate.signal() }
        try await until { counts.withLock(\.done) == 20 }
        #expect(counts.withLock(\.begun) == 20)
    }

    @Test("no thread is there before there is work, one that is idle does the next, and ends when there is none")
    func idleThreads() async throws {
        let started = Guarded(0)
        @Sendable func start(_ work: @escaping IOExecutor.Work) -> Bool {
            started.withLock { $0 += 1 }
            return BackgroundThread.start(work)
        }
        let lasting = IOExecutor(maximumThreads: 1, idleTime: .seconds(60), startThread: start)
        #expect(lasting.threads == 0)
        for number in 0..<50 { #expect(await lasting.run { number } == number) }
        #expect(started.withLock { $0 } == 1)
        let brief = IOExecutor(idleTime: .milliseconds(1), startThread: start)
        for number in 0..<20 {
            #expect(await brief.run { number } == number)
            try await until { brief.threads == 0 }
        }
        #expect(started.withLock { $0 } == 21)
    }

    @Test("what comes while threads give up is done all the same")
    func givingUp() async throws {
        let io = IOExecutor(maximumThreads: 2, idleTime: .microseconds(50))
        await withTaskGroup { group in
            for _ in 0..<4 {
                group.addTask { for number in 0..<1_000 { #expect(await io.run { number } == number) } }
            }
        }
        try await until { io.threads == 0 }
    }

    @Test("work on one file is done in order and one at a time, work on others beside it")
    func order() async {
        let io = IOExecutor(maximumThreads: 4)
        let gate = DispatchSemaphore(value: 0)
        let held = IOExecutor.SerialQueue(io)
        let isReached = Guarded(false)
        held.enqueue { gate.wait() }
        held.enqueue { isReached.withLock { $0 = true } }
        await withTaskGroup { group in
            for _ in 0..<8 {
                group.addTask {
                    let queue = IOExecutor.SerialQueue(io)
                    let seen = Guarded<[Int]>([])
                    let isBusy = Guarded(false)
                    for number in 0..<500 {
                        queue.enqueue {
                            #expect(
                                !isBusy.withLock { busy in
                                    defer { busy = true }
                                    return busy
                                })
                            seen.withLock { $0.append(number) }
                            isBusy.withLock { $0 = false }
                        }
                    }
                    await queue.run {}
                    #expect(seen.withLock { $0 } == Array(0..<500))
                }
            }
        }
        #expect(!isReached.withLock { $0 })
        gate.signal()
        await held.run {}
        #expect(isReached.withLock { $0 })
    }

    @Test("what the work throws is thrown")
    func failure() async {
        let io = IOExecutor()
        await #expect(throws: Broken()) { try await io.run { () throws(Broken) in throw Broken() } }
    }

    @Test("work is done though nobody has the executor any more")
    func letGo() async {
        let done = OneShot()
        IOExecutor().enqueue { done.fire() }
        await done.fired()
    }

    @Test("without a thread to be had the work is done all the same", arguments: [0, 1])
    func noThreads(_ left: Int) async {
        let left = Guarded(left)
        let io = IOExecutor(startThread: { work in
            let isLeft = left.withLock { left in
                left -= 1
                return left >= 0
            }
            return isLeft && BackgroundThread.start(work)
        })
        await withTaskGroup { group in
            for number in 0..<200 { group.addTask { #expect(await io.run { number } == number) } }
        }
        #expect(io.threads <= 1)
    }
}

extension IOExecutor {
    /// Has one piece of work done, and waits for what comes of it.
    fileprivate func run<Value: Sendable, Failure>(
        _ work: @escaping @Sendable () throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        try await SerialQueue(self).run(work)
    }
}

extension IOExecutor.SerialQueue {
    /// Waits for the work for as long as it takes.
    fileprivate func run<Value: Sendable, Failure>(
        _ work: @escaping @Sendable () throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        guard case .done(let result) = await run(until: OneShot(), { Result(catching: work) }) else {
            fatalError("no thread was lost, and nobody was told to leave")
        }
        return try result.get()
    }
}
