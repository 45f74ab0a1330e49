import Dispatch
import Patchbay
import PatchbayMigration
import PatchbayTesting
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct CallbackTests {
    private let queue = DispatchQueue(label: "callbacks")

    @Test(
        "1.6.3: each verb starts its call at once and calls back", arguments: ["GET", "POST", "PUT", "PATCH", "DELETE"])
    func verbs(_ method: String) async throws {
        let (manager, stub) = stubManager { _ in .json("[1]") }
        let outcome = await outcome { success, failure in
            let done: @Sendable (Reply<any Sendable>) -> Void = { success($0.entry) }
            let task =
                switch method {
                case "GET": manager.get("a", on: queue, success: done, failure: failure)
                case "POST": manager.post("a", .value("x"), on: queue, success: done, failure: failure)
                case "PUT": manager.put("a", .value("x"), on: queue, success: done, failure: failure)
                case "PATCH": manager.patch("a", .value("x"), on: queue, success: done, failure: failure)
                default: manager.delete("a", on: queue, success: done, failure: failure)
                }
            #expect(task.state != .suspended)
            #expect(task.request.method == method)
        }
        #expect(outcome.value as? String == "json")
        #expect(stub.requests.map(\.head.method) == [method])
    }

    @Test("1.6.3: a call with a type calls back with that type; any other request can be sent too")
    func typed() async throws {
        let (manager, stub) = stubManager { _ in .json("[1]") }
        let got = await outcome { success, failure in
            manager.get("a", as: [Int].self, on: queue, success: { success($0.value) }, failure: failure)
        }
        #expect(got.value as? [Int] == [1])
        let sent = await outcome { success, failure in
            manager.send(
                SessionRequest("a", method: "OPTIONS"), as: [Int].self, on: queue, success: { success($0.value) },
                failure: failure
            )
        }
        #expect(sent.value as? [Int] == [1])
        #expect(stub.requests.map(\.head.method) == ["GET", "OPTIONS"])
    }

    @Test("1.6.5: a request that cannot be sent has a task too, and fails later, on the queue")
    func invalid() async throws {
        let (manager, stub) = stubManager { _ in .json("1") }
        let returned = Shared(false)
        let order = Shared<[Bool]>([])
        let outcome = await outcome { success, failure in
            queue.suspend()
            manager.get(
                "ftp://x/", on: queue, success: { success($0.value) },
                failure: { error in
                    order.withLock { $0.append(returned.withLock { $0 }) }
                    failure(error)
                })
            returned.withLock { $0 = true }
            queue.resume()
        }
        #expect(outcome.error?.code == .invalidRequest)
        #expect(order.withLock { $0 } == [true])
        #expect(stub.requests.isEmpty)
    }

    @Test("1.6.6: a failure keeps the body that was decoded")
    func errorBody() async throws {
        let (manager, _) = stubManager { _ in
            StubReply(status: 500, fields: ["Content-Type": "text/plain"], body: "not now")
        }
        let outcome = await outcome { success, failure in
            manager.get("a", on: queue, success: { success($0.value) }, failure: failure)
        }
        #expect(outcome.error?.code == .status)
        #expect(outcome.error?.value as? String == "not now")
    }

    @Test("1.6.7: a HEAD succeeds with its head and nothing else")
    func head() async throws {
        let (manager, _) = stubManager { _ in StubReply(fields: ["Content-Length": "5", "X-A": "1"]) }
        let outcome = await outcome { success, failure in
            manager.head(
                "a", on: queue, success: { success([$0.head.fields["X-A"] ?? "", "\($0.outcome)"]) }, failure: failure)
        }
        #expect(outcome.value as? [String] == ["1", "empty"])
    }

    @Test("1.5.9: the callback comes on the queue that is named, and the group is left after it")
    func queueAndGroup() async throws {
        let key = DispatchSpecificKey<String>()
        queue.setSpecific(key: key, value: "callbacks")
        let (manager, _) = stubManager { _ in .json("1") }
        let group = DispatchGroup()
        let said = Shared<[String?]>([])
        for _ in 0..<3 {
            manager.get(
                "a", on: queue, group: group,
                success: { _ in said.withLock { $0.append(DispatchQueue.getSpecific(key: key)) } }, failure: { _ in })
        }
        await withCheckedContinuation { continuation in group.notify(queue: queue) { continuation.resume() } }
        #expect(said.withLock { $0 } == ["callbacks", "callbacks", "callbacks"])
    }

    @Test("1.5.9: the callback comes on the main queue where none is named")
    func mainQueue() async throws {
        let key = DispatchSpecificKey<String>()
        DispatchQueue.main.setSpecific(key: key, value: "main")
        let (manager, _) = stubManager { _ in .json("1") }
        let outcome = await outcome { success, failure in
            manager.get("a", success: { _ in success(DispatchQueue.getSpecific(key: key)) }, failure: failure)
        }
        #expect(outcome.value as? String == "main")
    }

    @Test("1.7.3: a call that is cancelled calls back once, as cancelled")
    func cancelled() async throws {
        let (manager, _) = stubManager { _ in StubReply(delay: .seconds(3600)) }
        let outcome = await outcome { success, failure in
            manager.get("a", on: queue, success: { success($0.value) }, failure: failure).cancel()
        }
        #expect(outcome.error?.code == .cancelled)
    }

    @Test("1.2.17: one response serves several completions, each with a value of its own, before and after it arrived")
    func several() async throws {
        let (manager, stub) = stubManager { _ in .json("[1]") }
        let call = manager.task(SessionRequest("a"), as: [Int].self)
        let values = Shared<[String]>([])
        let group = DispatchGroup()
        call.whenDone(on: queue, group: group) { result in
            values.withLock { $0.append("ints \((try? result.get().value) ?? [])") }
        }
        call.whenDone(on: queue, group: group) { result in
            values.withLock { $0.append("text \((try? result.get().decode(as: String.self)) ?? "")") }
        }
        _ = try await call.resume().reply
        call.whenDone(on: queue, group: group) { result in
            values.withLock { $0.append("doubles \((try? result.get().decode(as: [Double].self)) ?? [])") }
        }
        await withCheckedContinuation { continuation in group.notify(queue: queue) { continuation.resume() } }
        #expect(Set(values.withLock { $0 }) == ["ints [1]", "text [1]", "doubles [1.0]"])
        #expect(stub.requests.count == 1)
    }

    @Test("1.2.17: completions are called in the order in which they were added", arguments: [true, false])
    func ordered(isStarted: Bool) async throws {
        let (manager, _) = stubManager { _ in .json("[1]") }
        let call = manager.task(SessionRequest("a"), as: [Int].self)
        if isStarted { call.resume() }
        let order = Shared<[Int]>([])
        let group = DispatchGroup()
        for number in 0..<50 {
            call.whenDone(on: queue, group: group) { _ in order.withLock { $0.append(number) } }
        }
        call.resume()
        _ = try await call.reply
        await withCheckedContinuation { continuation in group.notify(queue: queue) { continuation.resume() } }
        call.whenDone(on: queue, group: group) { _ in order.withLock { $0.append(50) } }
        await withCheckedContinuation { continuation in group.notify(queue: queue) { continuation.resume() } }
        #expect(order.withLock { $0 } == Array(0...50))
    }

    @Test("1.5.10: the observers hear of a call's end once its completion handlers have returned, in whatever queue")
    func endIsToldLast() async throws {
        let log = StageLog()
        var configuration = SessionConfiguration()
        configuration.observers = [log]
        let (manager, _) = stubManager(configuration: configuration) { _ in .json("[1]") }
        let told = Shared<[[String]]>([])
        let note: @Sendable () -> Void = { told.withLock { $0.append(log.words(of: 1)) } }
        queue.suspend()
        let call = manager.task(SessionRequest("held"))
        call.whenDone(on: queue) { _ in note() }.whenDone(on: queue) { _ in note() }.resume()
        _ = try await call.reply
        #expect(manager.tasks.isEmpty)
        // The end of a later call is told, so that the end of this one would have been too.
        _ = try await manager.send("b")
        await log.hears(ends: 1)
        #expect(log.words(of: 2).last == "finished")
        #expect(log.words(of: 1).last == "serialized", "\(log.words(of: 1))")
        manager.invalidate(cancellingTasks: false)
        queue.resume()
        await log.hears(ends: 2)
        #expect(told.withLock { $0.count } == 2)
        #expect(told.withLock { $0 }.allSatisfy { $0.last == "serialized" })
        #expect(log.words(of: 1).last == "finished")
        #expect(log.words(of: 0) == ["invalidated"])
    }
}
