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

    @Test("1.2.13: the reply of a download that was serialized has the file, and decodes it as another type")
    func file() async throws {
        let folder = TemporaryFolder()
        let (manager, _) = stubManager { _ in .json("[1]") }
        let (direct, held) = (folder.url.appending(path: "a"), folder.url.appending(path: "b"))
        let task = manager.downloadTask(SessionRequest("b"), to: .file(held), as: [Int].self).resume()
        let replies = [
            (direct, try await manager.download(SessionRequest("a"), to: .file(direct), as: [Int].self)),
            (held, try await task.reply),
        ]
        for (file, reply) in replies {
            #expect(reply.value.file == file)
            #expect(reply.value.value == [1])
            #expect(try reply.decode(as: [Double].self) == [1])
        }
    }

    @Test(
        "observers hear of the end of a call after the handlers of that call alone, also if its request is sent again")
    func ownHooks() async throws {
        let order = Guarded<[String]>([])
        var configuration = SessionConfiguration()
        configuration.observers = [
            ClosureObserver { event in
                guard case .finished = event.stage, let id = event.task?.id else { return }
                order.withLock { $0.append("told \(id)") }
            }
        ]
        let (manager, _) = stubManager(configuration: configuration) { _ in .json("1") }
        let queue = DispatchQueue(label: "handlers")
        let gate = DispatchSemaphore(value: 0)
        let request = SessionRequest("a")
        let (slow, quick) = (manager.task(request), manager.task(request))
        slow.whenDone(on: queue) { _ in
            gate.wait()
            order.withLock { $0.append("handled 1") }
        }
        _ = (try await slow.resume().reply, try await quick.resume().reply)
        // The request of a task can be sent again: nothing waits for the handlers of the first call.
        let again = try await manager.send(slow.task.request)
        #expect(again.entry == "json")
        while order.withLock({ $0.count }) < 2 {
            try Task.checkCancellation()
            await Task.yield()
        }
        gate.signal()
        while order.withLock({ $0.count }) < 4 {
            try Task.checkCancellation()
            await Task.yield()
        }
        #expect(order.withLock { $0 } == ["told 2", "told 3", "handled 1", "told 1"])
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
