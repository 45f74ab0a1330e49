import Foundation
import PatchbayJSON
import PatchbayPlatform
import PatchbayRegistry
import PatchbayTesting
import TestSupport
import Testing

@testable import PatchbayManager

/// Calls at the same time, and where their serializers run.
@Suite(.timeLimit(.minutes(5))) struct SideBySideTests {
    @Test("1.5.3, 1.5.27: of a thousand tasks made at once each has its own number, its own request and its own reply")
    func thousand() async throws {
        let (manager, stub) = try stubManager { request in .json(request.head.url.lastPathComponent) }
        let ids = try await withThrowingTaskGroup(of: Int.self) { group in
            for number in 0..<1_000 {
                group.addTask {
                    let call = manager.held(SessionRequest("\(number)"), as: Int.self)
                    #expect(call.task.request.target == "\(number)")
                    let value = try await call.begin().reply.value
                    #expect(value == number)
                    return call.task.id
                }
            }
            return try await group.reduce(into: Set()) { $0.insert($1) }
        }
        #expect(ids == Set(1...1_000))
        #expect(stub.requests.count == 1_000)
        #expect(manager.tasks.isEmpty)
    }

    @Test("1.5.4: a call gathers its bytes, its file, its counts and its times, and hands them over at its end")
    func gathered() async throws {
        let folder = TemporaryFolder()
        let log = EventLog()
        var configuration = SessionConfiguration()
        configuration.observers = [log]
        let (manager, _) = try stubManager(configuration: configuration) { _ in
            StubReply(fields: ["Content-Type": "application/json"], chunks: ["[1", ",2", "]"].map { Data($0.utf8) })
        }
        let call = manager.held(SessionRequest("a", body: "abcd"), as: [Int].self)
        async let first = call.reply
        let reply = try await call.begin().reply
        #expect(reply.value == [1, 2])
        #expect(reply.body.data == Data("[1,2]".utf8))
        #expect(reply.timeline.body <= reply.timeline.serialized)
        #expect(call.task.uploadProgress.completedBytes == 4 && call.task.uploadProgress.fractionCompleted == 1)
        #expect(call.task.downloadProgress.completedBytes == 5 && call.task.downloadProgress.fractionCompleted == 1)
        #expect(try await first.value == [1, 2])
        let file = try await manager.download("b", to: .file(folder.url.appending(path: "b.json"))).value
        #expect(try Data(contentsOf: file) == Data("[1,2]".utf8))
        await log.hears(ends: 2)
        #expect(log.lines(of: call.task.id).contains("sent 4"))
        #expect(log.lines(of: call.task.id).contains("received 5"))
    }

    @Test("1.5.22: the bytes that an upload will have are its content's own length, or nobody's guess until the end")
    func expected() async throws {
        for (length, expected) in [(Int64(3), Int64(3)), (nil, nil)] as [(Int64?, Int64?)] {
            let gate = OneShot()
            let started = OneShot()
            let (manager, _) = try stubManager { _ in
                started.fire()
                await gate.fired()
                return .json("1")
            }
            let content = RequestContent(
                "a/b", making: { .source(ScriptedSource([.text("abc")], length: length)) })
            let call = manager.held(SessionRequest("a", method: "PUT", content: content)).begin()
            await started.fired()
            #expect(call.task.uploadProgress.totalBytes == expected)
            gate.fire()
            _ = try await call.reply
            #expect(call.task.uploadProgress.totalBytes == 3)
        }
    }

    /// Waits for another one of its kind, on whatever thread it was put.
    private struct Meeting: ResponseSerializer {
        let here = Shared(0)
        let isMain = Shared<[Bool]>([])

        func serialize(_ body: ResponseBody, _ head: ResponseHead) throws -> Int {
            isMain.withLock { $0.append(Thread.isMainThread) }
            here.withLock { $0 += 1 }
            while here.withLock({ $0 }) < 2 { sched_yield() }
            return 1
        }
    }

    @Test("1.5.7: serializers run side by side, and none on the actor of its caller")
    @MainActor func serializersAtOnce() async throws {
        let meeting = Meeting()
        let (manager, _) = try stubManager(TestRegistry.make().replacing("json", with: meeting)) { _ in .json("1") }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<2 {
                group.addTask(executorPreference: ThreadPerJob()) { _ = try await manager.send("a") }
            }
            try await group.waitForAll()
        }
        #expect(try await manager.send("a").value as? Int == 1)
        #expect(meeting.isMain.withLock { $0 } == [false, false, false])
    }

    @Test(
        "1.2.2, 1.5.6: where the exchange fails no serializer runs, and the error has what had arrived",
        arguments: [true, false])
    func transportError(headArrived: Bool) async throws {
        let runs = Guarded(0)
        let counting = MadeSerializer<Int> { _, _ in
            runs.withLock { runs in
                runs += 1
                return runs
            }
        }
        let lost = TransportFailure(.lostConnection, "the connection was lost")
        let (manager, _) = try stubManager(TestRegistry.make().replacing("json", with: counting)) { _ in
            guard headArrived else { throw lost }
            return StubReply(fields: ["Content-Type": "application/json"], body: "[1", failure: lost)
        }
        let error = try #require(await #expect(throws: SessionError.self) { try await manager.send("a") })
        #expect(error.code == .transport)
        #expect(error.cause as? TransportFailure == lost)
        #expect(error.head?.status == (headArrived ? 200 : nil))
        #expect(error.value == nil)
        #expect(runs.withLock { $0 } == 0)
    }
}
