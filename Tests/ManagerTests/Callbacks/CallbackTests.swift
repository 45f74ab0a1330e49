import Dispatch
import Foundation
import PatchbayPlatform
import PatchbayRegistry
import Testing

@testable import PatchbayManager

@Suite(.timeLimit(.minutes(5))) struct CallbackTests {
    /// What one callback said.
    private enum Outcome: Sendable {
        case success(any Sendable)
        case failure(SessionError)
        var error: SessionError? { if case .failure(let error) = self { error } else { nil } }
        var value: (any Sendable)? { if case .success(let value) = self { value } else { nil } }
    }

    /// Starts a call and waits for its callback.
    private func outcome(
        _ start: (
            _ success: @escaping @Sendable (any Sendable) -> Void, _ failure: @escaping @Sendable (SessionError) -> Void
        ) -> Void
    ) async -> Outcome {
        await withCheckedContinuation { continuation in
            start {
                continuation.resume(returning: .success($0))
            } _: {
                continuation.resume(returning: .failure($0))
            }
        }
    }

    private let queue = DispatchQueue(label: "callbacks")

    @Test(
        "1.6.3: each verb starts its call at once and calls back", arguments: ["GET", "POST", "PUT", "PATCH", "DELETE"])
    func verbs(_ method: String) async throws {
        let (manager, stub) = try stubManager { _ in .json("[1]") }
        let outcome = await outcome { success, failure in
            let done: @Sendable (Reply<any Sendable>) -> Void = { success($0.entry) }
            let task =
                switch method {
                case "GET": manager.get("a", on: queue, success: done, failure: failure)
                case "POST": manager.post("a", .text("x"), on: queue, success: done, failure: failure)
                case "PUT": manager.put("a", .text("x"), on: queue, success: done, failure: failure)
                case "PATCH": manager.patch("a", .text("x"), on: queue, success: done, failure: failure)
                default: manager.delete("a", on: queue, success: done, failure: failure)
                }
            #expect(task.state != .initialized)
            #expect(task.request.method == method)
        }
        #expect(outcome.value as? String == "json")
        #expect(stub.requests.map(\.head.method) == [method])
    }

    @Test("1.6.3: a call with a type calls back with that type; any other request can be sent too")
    func typed() async throws {
        let (manager, stub) = try stubManager { _ in .json("[1]") }
        let got = await outcome { success, failure in
            manager.get("a", as: [Int].self, on: queue, success: { success($0.value) }, failure: failure)
        }
        #expect(got.value as? [Int] == [1])
        let sent = await outcome { success, failure in
            manager.send(
                SessionRequest("OPTIONS", "a"), as: [Int].self, on: queue, success: { success($0.value) },
                failure: failure
            )
        }
        #expect(sent.value as? [Int] == [1])
        #expect(stub.requests.map(\.head.method) == ["GET", "OPTIONS"])
    }

    /// A verb by name, called with callbacks in each of its ways.
    private func start(
        _ manager: SessionManager, _ verb: String, _ way: String, _ success: @escaping @Sendable (any Sendable) -> Void,
        _ failure: @escaping @Sendable (SessionError) -> Void
    ) throws {
        let (title, page, note) = ("Tea", 2, String?.none)
        let untyped: @Sendable (Reply<any Sendable>) -> Void = { success($0.entry) }
        let typed: @Sendable (Reply<[Int]>) -> Void = { success($0.value) }
        let value = ["title": title]
        var form = MultipartFormData()
        try form.append(title, name: "title")
        let other: SessionVerb =
            switch verb {
            case "GET": manager.get
            case "HEAD": manager.head
            case "POST": manager.post
            case "PUT": manager.put
            case "PATCH": manager.patch
            default: manager.delete
            }
        switch (way, verb) {
        case ("literals", "GET"):
            manager.get(
                "a", parameters: ["title": "Tea", "tags": ["x", 1]], on: queue, success: untyped, failure: failure)
        case ("literals", "HEAD"):
            manager.head(
                "a", parameters: ["title": "Tea", "tags": ["x", 1]], on: queue, success: untyped, failure: failure)
        case ("literals", "POST"):
            manager.post(
                "a", parameters: ["title": "Tea", "tags": ["x", 1]], on: queue, success: untyped, failure: failure)
        case ("literals", "PUT"):
            manager.put(
                "a", parameters: ["title": "Tea", "tags": ["x", 1]], on: queue, success: untyped, failure: failure)
        case ("literals", "PATCH"):
            manager.patch(
                "a", parameters: ["title": "Tea", "tags": ["x", 1]], on: queue, success: untyped, failure: failure)
        case ("literals", _):
            manager.delete(
                "a", parameters: ["title": "Tea", "tags": ["x", 1]], on: queue, success: untyped, failure: failure)
        case ("literals, typed", "GET"):
            manager.get(
                "a", as: [Int].self, parameters: ["title": "Tea", "tags": ["x", 1]], on: queue, success: typed,
                failure: failure)
        case ("literals, typed", "POST"):
            manager.post(
                "a", as: [Int].self, parameters: ["title": "Tea", "tags": ["x", 1]], on: queue, success: typed,
                failure: failure)
        case ("literals, typed", "PUT"):
            manager.put(
                "a", as: [Int].self, parameters: ["title": "Tea", "tags": ["x", 1]], on: queue, success: typed,
                failure: failure)
        case ("literals, typed", "PATCH"):
            manager.patch(
                "a", as: [Int].self, parameters: ["title": "Tea", "tags": ["x", 1]], on: queue, success: typed,
                failure: failure)
        case ("literals, typed", _):
            manager.delete(
                "a", as: [Int].self, parameters: ["title": "Tea", "tags": ["x", 1]], on: queue, success: typed,
                failure: failure)
        case ("variables", _):
            other(
                "a", parameters: ["title": title, "page": page, "note": note], on: queue, success: untyped,
                failure: failure)
        case ("variables, typed", _):
            other(
                "a", as: [Int].self, parameters: ["title": title, "page": page, "note": note], on: queue,
                success: typed,
                failure: failure)
        case ("a value", _): other("a", parameters: value, on: queue, success: untyped, failure: failure)
        case ("a value, typed", _):
            other("a", as: [Int].self, parameters: value, on: queue, success: typed, failure: failure)
        case ("a form", _): other("a", multipart: form, on: queue, success: untyped, failure: failure)
        default: other("a", multipart: form, as: [Int].self, on: queue, success: typed, failure: failure)
        }
    }

    static let pairs = [
        "literals": "tags%5B%5D=x&tags%5B%5D=1&title=Tea", "variables": "note&page=2&title=Tea", "a value": "title=Tea",
    ]

    @Test(
        "1.6.3: each verb calls back with parameters and with a form of named parts, typed and not",
        arguments: ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"],
        ["literals", "variables", "a value", "a form"].flatMap { [$0, $0 + ", typed"] })
    func parameters(_ verb: String, _ way: String) async throws {
        let isTyped = way.hasSuffix(", typed")
        // A HEAD has no body that a type could be made of.
        guard verb != "HEAD" || !isTyped else { return }
        let (manager, stub) = try stubManager { request in
            request.head.method == "HEAD" ? StubReply() : .json("[1]")
        }
        let outcome = await outcome { success, failure in
            do {
                try start(manager, verb, way, success, failure)
            } catch {
                failure(SessionError(.invalidRequest, "\(error)"))
            }
        }
        if way.hasPrefix("a form"), ["GET", "HEAD"].contains(verb) {
            #expect(outcome.error?.code == .invalidRequest, "GET and HEAD have no content")
            return
        }
        #expect(outcome.error == nil)
        if isTyped { #expect(outcome.value as? [Int] == [1]) }
        let request = try #require(stub.requests.first)
        #expect(request.head.method == verb)
        if way.hasPrefix("a form") {
            #expect(request.head.fields["Content-Type"]?.hasPrefix("multipart/form-data; boundary=") == true)
        } else {
            let pairs = Self.pairs[way.replacing(", typed", with: "")]
            let isQuery = ["GET", "HEAD", "DELETE"].contains(verb)
            #expect(request.head.url.query(percentEncoded: true) == (isQuery ? pairs : nil))
            #expect(request.body?.data == (isQuery ? nil : pairs.map { Data($0.utf8) }))
        }
    }

    @Test("1.6.5: parameters that cannot be encoded fail later, on the queue, with what they failed with")
    func unencodable() async throws {
        struct Stubborn: Encodable {
            func encode(to encoder: any Encoder) throws { throw TestRegistry.Shout() }
        }
        let (manager, stub) = try stubManager { _ in .json("1") }
        for parameters in [true, false] {
            let outcome = await outcome { success, failure in
                let done: @Sendable (Reply<any Sendable>) -> Void = { success($0.entry) }
                if parameters {
                    manager.post("a", parameters: Stubborn(), on: queue, success: done, failure: failure)
                } else {
                    manager.post(
                        "a", parameters: ["a": Stubborn(), "b": 1], on: queue, success: done, failure: failure)
                }
            }
            #expect(outcome.error?.code == .invalidRequest)
            #expect(outcome.error?.description == "the request was not sent: its parameters could not be encoded")
            #expect(outcome.error?.cause is TestRegistry.Shout)
        }
        #expect(stub.requests.isEmpty)
    }

    @Test("1.6.5: a request that cannot be sent has a task too, and fails later, on the queue")
    func invalid() async throws {
        let (manager, stub) = try stubManager { _ in .json("1") }
        let returned = Guarded(false)
        let order = Guarded<[Bool]>([])
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
        let (manager, _) = try stubManager { _ in .words("not now", status: 500) }
        let outcome = await outcome { success, failure in
            manager.get("a", on: queue, success: { success($0.value) }, failure: failure)
        }
        #expect(outcome.error?.code == .status)
        #expect(outcome.error?.value as? [String] == ["not", "now"])
    }

    @Test("1.6.7: a HEAD succeeds with its head and nothing else")
    func head() async throws {
        let (manager, _) = try stubManager { _ in StubReply(fields: ["Content-Length": "5", "X-A": "1"]) }
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
        let (manager, _) = try stubManager { _ in .json("1") }
        let group = DispatchGroup()
        let said = Guarded<[String?]>([])
        for _ in 0..<3 {
            manager.get(
                "a", on: queue, group: group,
                success: { _ in said.withLock { $0.append(DispatchQueue.getSpecific(key: key)) } }, failure: { _ in })
        }
        await withCheckedContinuation { continuation in group.notify(queue: queue) { continuation.resume() } }
        #expect(said.withLock { $0 } == ["callbacks", "callbacks", "callbacks"])
    }

    @Test("1.5.9: the queue and the group are those of every verb, whatever its parameters")
    func queueAndGroupOfParameters() async throws {
        let key = DispatchSpecificKey<String>()
        queue.setSpecific(key: key, value: "callbacks")
        let (manager, _) = try stubManager { _ in .json("1") }
        let group = DispatchGroup()
        let said = Guarded<[String?]>([])
        let done: @Sendable (Reply<any Sendable>) -> Void = { _ in
            said.withLock { $0.append(DispatchQueue.getSpecific(key: key)) }
        }
        let page = 1
        manager.post("a", parameters: ["a": 1], on: queue, group: group, success: done, failure: { _ in })
        manager.put("a", parameters: ["a": page], on: queue, group: group, success: done, failure: { _ in })
        manager.delete("a", parameters: [page: page], on: queue, group: group, success: done, failure: { _ in })
        manager.patch("a", multipart: MultipartFormData(), on: queue, group: group, success: done, failure: { _ in })
        await withCheckedContinuation { continuation in group.notify(queue: queue) { continuation.resume() } }
        #expect(said.withLock { $0 } == ["callbacks", "callbacks", "callbacks", "callbacks"])
    }

    @Test("1.5.9: the callback comes on the main queue where none is named")
    func mainQueue() async throws {
        let key = DispatchSpecificKey<String>()
        DispatchQueue.main.setSpecific(key: key, value: "main")
        let (manager, _) = try stubManager { _ in .json("1") }
        let outcome = await outcome { success, failure in
            manager.get("a", success: { _ in success(DispatchQueue.getSpecific(key: key)) }, failure: failure)
        }
        #expect(outcome.value as? String == "main")
    }

    @Test("1.7.3: a call that is cancelled calls back once, as cancelled")
    func cancelled() async throws {
        let (manager, _) = try stubManager { _ in StubReply(delay: .seconds(3600)) }
        let outcome = await outcome { success, failure in
            manager.get("a", on: queue, success: { success($0.value) }, failure: failure).cancel()
        }
        #expect(outcome.error?.code == .cancelled)
    }

    @Test("1.2.17: one response serves several completions, each with a value of its own, before and after it arrived")
    func several() async throws {
        let (manager, stub) = try stubManager { _ in .json("[1]") }
        let call = manager.task(SessionRequest("GET", "a"), as: [Int].self)
        let values = Guarded<[String]>([])
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

    @Test("1.7.10: what is awaited ends with the task that awaits it; a made task ends only when it is told to")
    func cancellation() async throws {
        let started = StopSignal()
        let gate = StopSignal()
        let (manager, _) = try stubManager { request in
            started.fire()
            await gate.fired()
            return .json("1")
        }
        let made = manager.task(SessionRequest("GET", "made"), as: Int.self).resume()
        let waiter = Task { try await made.reply }
        let awaited = Task { try await manager.get("awaited", as: Int.self) }
        await started.fired()
        waiter.cancel()
        awaited.cancel()
        let error = await #expect(throws: SessionError.self) { try await awaited.value }
        #expect(error?.code == .cancelled)
        gate.fire()
        #expect(try await made.reply.value == 1)
        #expect(try await waiter.value.value == 1)
    }

    @Test("1.5.10: the observers hear of a call's end once its completion handlers have returned, in whatever queue")
    func endIsToldLast() async throws {
        let log = EventLog()
        var configuration = SessionConfiguration()
        configuration.observers = [log]
        let (manager, _) = try stubManager(configuration: configuration) { _ in .json("[1]") }
        let told = Guarded<[[String]]>([])
        let note: @Sendable () -> Void = { told.withLock { $0.append(log.lines(of: 1)) } }
        queue.suspend()
        let call = manager.task(SessionRequest("GET", "held"))
        call.whenDone(on: queue) { _ in note() }.whenDone(on: queue) { _ in note() }.resume()
        _ = try await call.reply
        #expect(manager.tasks.isEmpty)
        // The end of a later call is told, so that the end of this one would have been too.
        _ = try await manager.get("b")
        await log.hears()
        #expect(log.lines(of: 2).last?.hasPrefix("finished") == true)
        #expect(log.lines(of: 1).last?.hasPrefix("serialized") == true, "\(log.lines(of: 1))")
        manager.invalidate(cancellingTasks: false)
        queue.resume()
        await log.hears(ends: 3)
        #expect(told.withLock { $0.count } == 2)
        #expect(told.withLock { $0 }.allSatisfy { $0.last?.hasPrefix("serialized") == true })
        #expect(log.lines(of: 1).last?.hasPrefix("finished") == true)
        #expect(log.lines(of: 0) == ["invalidated"])
    }
}
