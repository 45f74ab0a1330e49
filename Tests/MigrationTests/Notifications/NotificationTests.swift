import Dispatch
import Foundation
import Patchbay
import PatchbayMigration
import PatchbayTesting
import Testing

/// What was posted, without what cannot leave its thread.
private struct Posted: Sendable, Equatable {
    let name: String
    let task: Int?
    var info: [String: String] = [:]
}

private final class Mailbox: Sendable {
    let posted = AsyncStream<Posted>.makeStream()
    private let queueName = DispatchSpecificKey<String>()

    /// Reads on for ever from a centre of its own.
    func open(_ family: NotificationFamily) -> NotificationObserver {
        let center = NotificationCenter()
        let (continuation, queueName) = (posted.continuation, queueName)
        DispatchQueue.main.setSpecific(key: queueName, value: "main")
        _ = center.addObserver(forName: nil, object: nil, queue: nil) { note in
            let info = (note.userInfo ?? [:]).map { key, value in ("\(key)", Self.text(value)) }
            continuation.yield(
                Posted(
                    name: note.name.rawValue, task: (note.object as? SessionTask)?.id,
                    info: ["queue": DispatchQueue.getSpecific(key: queueName) ?? "other"].merging(info) { $1 }))
        }
        return NotificationObserver(family, center: center)
    }

    private static func text(_ value: Any) -> String {
        switch value {
        case let data as Data: String(decoding: data, as: UTF8.self)
        case let error as SessionError: error.code.rawValue
        case let task as SessionTask: "task \(task.id)"
        case is CallTimeline: "timeline"
        default: "\(value)"
        }
    }

    func first(_ count: Int) async -> [Posted] {
        var all: [Posted] = []
        for await one in posted.stream {
            all.append(one)
            if all.count == count { break }
        }
        return all
    }
}

@Suite(.timeLimit(.minutes(5))) struct NotificationTests {
    /// - Parameter gate: what the answer waits for.
    private func manager(
        _ observer: NotificationObserver, status: Int = 200, gate: OneShot? = nil
    ) -> SessionManager {
        var configuration = SessionConfiguration()
        configuration.observers = [observer]
        let stub = StubTransport { _ in
            await gate?.fired()
            return StubReply(
                status: status, fields: ["Content-Type": "text/plain"], body: "hello")
        }
        return SessionManager(
            baseURL: URL(string: "http://origin.test/"), registry: .standard, transport: stub,
            configuration: configuration)
    }

    @Test(
        "1.5.10, 1.5.11, 1.5.12, 1.5.13: AFNetworking's notifications are posted on the main queue, with what their keys name"
    )
    func afNetworking() async throws {
        let mailbox = Mailbox()
        let gate = OneShot()
        let manager = manager(mailbox.open(.afNetworking), gate: gate)
        let call = manager.task(SessionRequest("a")).resume()
        call.task.suspend()
        call.task.resume()
        gate.fire()
        _ = try await call.reply
        manager.invalidate(cancellingTasks: false)
        let prefix = "com.alamofire.networking."
        #expect(
            await mailbox.first(5) == [
                Posted(name: prefix + "task.resume", task: 1, info: ["queue": "main"]),
                Posted(name: prefix + "task.suspend", task: 1, info: ["queue": "main"]),
                Posted(name: prefix + "task.resume", task: 1, info: ["queue": "main"]),
                Posted(
                    name: prefix + "task.complete", task: 1,
                    info: [
                        "queue": "main", prefix + "task.complete.serializedresponse": "hello",
                        prefix + "task.complete.responseserializer": "text",
                        prefix + "complete.finish.responsedata": "hello",
                        prefix + "complete.sessiontaskmetrics": "timeline",
                    ]),
                Posted(name: prefix + "session.invalidate", task: nil, info: ["queue": "main"]),
            ])
    }

    @Test("1.5.10: a task's completion is posted after its completion handler has returned")
    func afterTheHandler() async throws {
        let mailbox = Mailbox()
        let manager = manager(mailbox.open(.afNetworking))
        let queue = DispatchQueue(label: "notifications")
        let steps = mailbox.posted.continuation
        queue.suspend()
        manager.get(
            "a", on: queue, success: { _ in steps.yield(Posted(name: "handled", task: 1)) },
            failure: { _ in steps.yield(Posted(name: "failed", task: 1)) })
        while !manager.tasks.isEmpty { await Task.yield() }
        // Its notification would come first, had it been posted.
        _ = try await manager.send("b")
        let posted = await mailbox.first(3)
        #expect(posted.map(\.task).suffix(1) == [2])
        queue.resume()
        let prefix = "com.alamofire.networking."
        #expect(
            (posted + (await mailbox.first(2))).map { "\($0.name) \($0.task ?? 0)" } == [
                prefix + "task.resume 1", prefix + "task.resume 2", prefix + "task.complete 2", "handled 1",
                prefix + "task.complete 1",
            ])
    }

    @Test("1.5.12: the notification of a failure has the error, and the body that came with it")
    func failure() async throws {
        let mailbox = Mailbox()
        let manager = manager(mailbox.open(.afNetworking), status: 404)
        await #expect(throws: SessionError.self) { try await manager.send("a") }
        let prefix = "com.alamofire.networking."
        #expect(
            await mailbox.first(2).last
                == Posted(
                    name: prefix + "task.complete", task: 1,
                    info: [
                        "queue": "main", prefix + "task.complete.error": "status",
                        prefix + "task.complete.serializedresponse": "hello",
                        prefix + "task.complete.responseserializer": "text",
                        prefix + "complete.finish.responsedata": "hello",
                    ]))
    }

    @Test("1.5.11, 1.5.12, 1.5.20: a download that has its file says so, and where; one that has not says that")
    func download() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("notifications-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let mailbox = Mailbox()
        let manager = manager(mailbox.open(.afNetworking))
        let file = folder.appendingPathComponent("a")
        #expect(try await manager.download("a", to: .file(file)).value.path == file.path)
        await #expect(throws: SessionError.self) { try await manager.download("a", to: .file(file)).value }
        let posted = await mailbox.first(6)
        let prefix = "com.alamofire.networking."
        #expect(
            posted.map(\.name)
                == [
                    "task.resume", "session.download.file-manager-succeed", "task.complete",
                    "task.resume", "session.download.file-manager-error", "task.complete",
                ].map { prefix + $0 })
        #expect(posted[2].info[prefix + "task.complete.assetpath"]?.hasSuffix("/a") == true)
        #expect(posted[5].info[prefix + "task.complete.error"] == "file")
        #expect(posted[5].info[prefix + "task.complete.assetpath"] == nil)
    }

    @Test("1.11.5: Alamofire's notifications are posted, those of the request and those of its task")
    func alamofire() async throws {
        let mailbox = Mailbox()
        let gate = OneShot()
        let manager = manager(mailbox.open(.alamofire), gate: gate)
        let held = manager.task(SessionRequest("a")).resume()
        held.task.suspend()
        held.cancel()
        gate.fire()
        _ = try await manager.send("a")
        let posted = await mailbox.first(12)
        let expected: [Int: [String]] = [
            1: [
                "Resume", "ResumeTask", "Suspend", "SuspendTask", "Cancel", "CancelTask", "Finish", "CompleteTask",
            ],
            2: ["Resume", "ResumeTask", "Finish", "CompleteTask"],
        ]
        for (id, names) in expected {
            #expect(
                posted.filter { $0.task == id }.map(\.name)
                    == names.map { "org.alamofire.notification.name.request.did" + $0 })
        }
        #expect(posted.allSatisfy { $0.info["org.alamofire.notification.key.request"] == "task \($0.task ?? 0)" })
    }
}
