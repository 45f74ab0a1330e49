import Foundation
import Patchbay
import PatchbayMigration
import PatchbayPlatform
import PatchbayTesting
import TestSupport
import Testing

/// Tasks that are made before they are started.
@Suite(.timeLimit(.minutes(5))) struct TaskTests {
    @Test("1.5.17: tasks are listed by kind")
    func kinds() throws {
        let (manager, _) = stubManager { _ in .json("1") }
        let call = manager.task(SessionRequest("a"))
        #expect(manager.dataTasks.map(\.id) == [call.task.id])
        #expect(manager.uploadTasks.isEmpty)
        #expect(manager.downloadTasks.isEmpty)
        call.cancel()
    }

    @Test("1.5.16: every kind of task can be made, and starts when it is resumed")
    func factories() async throws {
        let folder = TemporaryFolder()
        let file = folder.url.appending(path: "content")
        try Data("abc".utf8).write(to: file)
        let (manager, stub) = stubManager { _ in .json("[1]") }
        let request = SessionRequest("a", method: "POST", content: .file(file))
        let uploads = [manager.uploadTask(request), manager.uploadTask(request)]
        let typed = manager.uploadTask(request, as: [Int].self)
        let download = manager.downloadTask(SessionRequest("b"), to: .file(folder.url.appending(path: "b")))
        let decoded = manager.downloadTask(
            SessionRequest("c"), to: .file(folder.url.appending(path: "c")), as: [Int].self)
        let data = manager.task(SessionRequest("d"))
        #expect(manager.uploadTasks.map(\.id) == [uploads[0].task.id, uploads[1].task.id, typed.task.id])
        #expect(manager.downloadTasks.map(\.id) == [download.task.id, decoded.task.id])
        #expect(manager.dataTasks.map(\.id) == [data.task.id])
        #expect(manager.tasks.allSatisfy { $0.state == .suspended })
        #expect(stub.requests.isEmpty)
        for upload in uploads { #expect(try await upload.resume().reply.entry == "json") }
        #expect(try await typed.resume().reply.value == [1])
        #expect(try await String(contentsOf: download.resume().reply.value, encoding: .utf8) == "[1]")
        #expect(try await decoded.resume().reply.value.value == [1])
        #expect(try await data.resume().reply.entry == "json")
        #expect(folder.names == ["b", "c", "content"])
        #expect(stub.requests.prefix(3).allSatisfy { $0.body?.data == Data("abc".utf8) })
        #expect(typed.task.curlDescription().contains("--data-raw '<3 bytes>'"))
    }

    @Test("a form is an upload, by either verb")
    func forms() async throws {
        let log = Guarded<[SessionTask.Kind]>([])
        var configuration = SessionConfiguration()
        let over = OneShot()
        configuration.observers = [
            ClosureObserver { event in
                guard case .created = event.stage, let task = event.task else { return }
                let count = log.withLock { log in
                    log.append(task.kind)
                    return log.count
                }
                if count == 2 { over.fire() }
            }
        ]
        let (manager, _) = stubManager(configuration: configuration) { _ in .json("1") }
        var form = MultipartFormData()
        form.append("x", name: "a")
        _ = try await manager.post("a", multipart: form)
        _ = try await manager.send(SessionRequest("a", method: "POST", content: .multipart(form)))
        await over.fired()
        #expect(log.withLock { $0 } == [.upload, .upload])
    }
}
