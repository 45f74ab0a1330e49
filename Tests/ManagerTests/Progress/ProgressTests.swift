import Dispatch
import Foundation
import PatchbayPlatform
import PatchbayRegistry
import PatchbayTesting
import TestSupport
import Testing

@testable import PatchbayManager

@Suite(.timeLimit(.minutes(5))) struct ProgressTests {
    /// What a closure was told.
    private final class Told: Sendable {
        private let state = Guarded<[TransferProgress]>([])
        var all: [TransferProgress] { state.withLock { $0 } }
        func note(_ progress: TransferProgress) { state.withLock { $0.append(progress) } }
        var isMonotone: Bool { zip(all, all.dropFirst()).allSatisfy { $0.completedBytes <= $1.completedBytes } }
    }

    private func progress(_ bytes: Int64, _ total: Int64?, done: Bool = false) -> TransferProgress {
        TransferProgress(completedBytes: bytes, totalBytes: total, isFinished: done)
    }

    private func manager(
        _ transport: some Transport, configuration: SessionConfiguration = SessionConfiguration()
    ) throws -> SessionManager {
        SessionManager(
            baseURL: URL(string: "http://origin.test/"), registry: try TestRegistry.make(), transport: transport,
            configuration: configuration)
    }

    @Test(
        "1.5.14: the fraction is known where the total is, never above 1, and exactly 1 after a success",
        arguments: [
            (0, nil, false, nil), (5, nil, false, nil), (0, 0, false, nil), (0, 8, false, 0), (2, 8, false, 0.25),
            (9, 8, false, 1), (8, 8, false, 1), (3, nil, true, 1), (3, 8, true, 1), (0, 0, true, 1),
        ] as [(Int64, Int64?, Bool, Double?)])
    func fraction(_ bytes: Int64, _ total: Int64?, _ done: Bool, _ fraction: Double?) {
        #expect(progress(bytes, total, done: done).fractionCompleted == fraction)
    }

    @Test("1.5.15, 1.10.5: the progress of a task can be looked up at any time, and counts every byte")
    func lookedUp() async throws {
        let (sent, received) = (OneShot(), OneShot())
        let steps = (OneShot(), OneShot())
        let manager = try manager(
            PlayedTransport { _, _, receiver in
                receiver.sent(3)
                sent.fire()
                await steps.0.fired()
                _ = receiver.receive(status: 200, fields: ["Content-Length": "10"])
                receiver.receive(count: 4)
                received.fire()
                await steps.1.fired()
                receiver.receive(count: 6)
            })
        let call = manager.held(SessionRequest("a", body: "abc def"))
        #expect(call.task.uploadProgress == progress(0, nil))
        call.begin()
        await sent.fired()
        #expect(call.task.uploadProgress == progress(3, 7))
        #expect(call.task.downloadProgress == progress(0, nil))
        steps.0.fire()
        await received.fired()
        #expect(call.task.downloadProgress == progress(4, 10))
        #expect(call.task.downloadProgress.fractionCompleted == 0.4)
        steps.1.fire()
        _ = try await call.reply
        #expect(call.task.uploadProgress == progress(3, 7, done: true))
        #expect(call.task.downloadProgress == progress(10, 10, done: true))
    }

    @Test(
        "1.10.5: the total of a download is its Content-Length, if that counts what arrives",
        arguments: [
            ("GET", 200, "4", nil, 4), ("GET", 200, nil, nil, nil), ("GET", 200, "2", "gzip", nil),
            ("GET", 200, "4", "utf-8", 4), ("GET", 200, "4", "Identity, none", 4), ("HEAD", 200, "4", nil, nil),
            ("GET", 304, "4", nil, nil),
        ] as [(String, Int, String?, String?, Int64?)])
    func total(
        _ method: String, _ status: Int, _ length: String?, _ coding: String?, _ total: Int64?
    ) async throws {
        var fields = HeaderFields()
        fields["Content-Length"] = length
        fields["Content-Encoding"] = coding
        let told = Told()
        let manager = try manager(
            PlayedTransport { [fields] _, _, receiver in
                _ = receiver.receive(status: status, fields: fields)
                if method != "HEAD", status != 304 { receiver.receive(count: 4) }
            })
        var request = SessionRequest("a", method: method)
        request.acceptableStatus = .any
        let call = manager.held(request)
        async let updates: Void = { for await update in call.task.downloadUpdates { told.note(update) } }()
        _ = try await call.begin().reply
        await updates
        #expect(told.all.last?.fractionCompleted == 1)
        let hasBody = method != "HEAD" && status != 304
        #expect(call.task.downloadProgress == progress(hasBody ? 4 : 0, total ?? (hasBody ? 4 : 0), done: true))
    }

    @Test("1.5.14, 1.11.3: closures hear of it in order, and of the end before an awaited call returns")
    func closures() async throws {
        let (up, down) = (Told(), Told())
        let manager = try manager(
            PlayedTransport { _, _, receiver in
                for _ in 0..<100 { receiver.sent(1) }
                _ = receiver.receive(status: 200, fields: [:])
                for _ in 0..<100 { receiver.receive(count: 3) }
            })
        var request = SessionRequest("a", body: String(repeating: "x", count: 100))
        request.onUploadProgress = up.note
        request.onDownloadProgress = down.note
        _ = try await manager.send(request)
        #expect(up.isMonotone)
        #expect(up.all.last == progress(100, 100, done: true))
        #expect(down.isMonotone)
        #expect(down.all.last == progress(300, 300, done: true))
        #expect(down.all.dropLast().allSatisfy { $0.fractionCompleted == nil })
    }

    @Test("1.5.14: the first progress of a file that a closure hears has the size of the file, also after a retry")
    func firstOfFile() async throws {
        let folder = try PartFiles()
        let file = try folder.write(String(repeating: "x", count: 1_000), as: "a.txt")
        let (up, down) = (Told(), Told())
        var configuration = SessionConfiguration()
        configuration.interceptors = [
            MadeInterceptor(retry: { _, error in error.retries < 1 ? .retry : .doNotRetry })
        ]
        let tries = Guarded(0)
        let manager = try manager(
            PlayedTransport { number, request, receiver in
                tries.withLock { $0 = number }
                receiver.sent(400)
                if number == 2 { receiver.sent(600) }
                _ = receiver.receive(status: number == 1 ? 503 : 200, fields: ["Content-Length": "2"])
                receiver.receive(count: 2)
            }, configuration: configuration)
        var request = SessionRequest("a", method: "PUT", content: .file(file))
        request.onUploadProgress = up.note
        request.onDownloadProgress = down.note
        _ = try await manager.send(request)
        #expect(tries.withLock { $0 } == 2)
        #expect(up.all.allSatisfy { $0.totalBytes == 1_000 }, "\(up.all)")
        #expect(up.all.last == progress(1_000, 1_000, done: true))
        #expect(down.all.allSatisfy { $0.totalBytes == 2 }, "\(down.all)")
    }

    @Test("1.5.14: a reader that is slow misses what is in between, and every reader hears of the end")
    func newestOnly() async throws {
        let gate = OneShot()
        let manager = try manager(
            PlayedTransport { _, _, receiver in
                _ = receiver.receive(status: 200, fields: ["Content-Length": "1000"])
                for _ in 0..<1000 { receiver.receive(count: 1) }
                await gate.fired()
            })
        let call = manager.held(SessionRequest("a"))
        var slow = call.task.downloadUpdates.makeAsyncIterator()
        #expect(await slow.next() == progress(0, nil))
        async let quick = call.task.downloadUpdates.reduce(into: []) { $0.append($1) }
        call.begin()
        while call.task.downloadProgress.completedBytes < 1000 { await Task.yield() }
        #expect(await slow.next() == progress(1000, 1000))
        gate.fire()
        _ = try await call.reply
        #expect(await slow.next() == progress(1000, 1000, done: true))
        #expect(await slow.next() == nil)
        #expect(await quick.last == progress(1000, 1000, done: true))
        #expect(await call.task.downloadUpdates.reduce(into: []) { $0.append($1) }.count == 1)
    }

    @Test("1.5.14: a reader whose own task is cancelled ends; the call goes on")
    func cancelledReader() async throws {
        let gate = OneShot()
        let (manager, _) = try stubManager { _ in
            await gate.fired()
            return .json("1")
        }
        let call = manager.held(SessionRequest("a")).begin()
        let began = OneShot()
        let reader = Task {
            for await _ in call.task.downloadUpdates { began.fire() }
        }
        await began.fired()
        reader.cancel()
        await reader.value
        gate.fire()
        _ = try await call.reply
    }

    @Test("1.5.14: a failed or cancelled call ends its updates where they are", arguments: [true, false])
    func unfinished(isCancelled: Bool) async throws {
        let told = Told()
        let manager = try manager(
            PlayedTransport { _, _, receiver throws(TransportFailure) in
                _ = receiver.receive(status: 200, fields: ["Content-Length": "10"])
                receiver.receive(count: 4)
                guard isCancelled else { throw TransportFailure(.truncatedBody, "cut") }
                await receiver.stop.fired()
                throw TransportFailure(.stopped, "stopped")
            })
        var request = SessionRequest("a")
        request.onDownloadProgress = told.note
        let call = manager.held(request).begin()
        if isCancelled {
            while call.task.downloadProgress.completedBytes < 4 { await Task.yield() }
            call.cancel()
        }
        await #expect(throws: SessionError.self) { try await call.reply }
        #expect(told.all.last == progress(4, 10))
        #expect(call.task.downloadProgress == progress(4, 10))
    }

    @Test("1.5.14: another try starts from 0 again, in both directions")
    func retry() async throws {
        let began = OneShot()
        let gate = OneShot()
        var configuration = SessionConfiguration()
        configuration.interceptors = [MadeInterceptor(retry: { _, _ in .retry })]
        let manager = try manager(
            PlayedTransport { number, _, receiver throws(TransportFailure) in
                if number == 2 {
                    began.fire()
                    await gate.fired()
                }
                receiver.sent(3)
                _ = receiver.receive(status: 200, fields: ["Content-Length": "10"])
                receiver.receive(count: 4)
                if number == 1 { throw TransportFailure(.lostConnection, "lost") }
                receiver.receive(count: 6)
            }, configuration: configuration)
        let call = manager.held(SessionRequest("a", body: "abc")).begin()
        await began.fired()
        #expect(call.task.uploadProgress == progress(0, 3))
        #expect(call.task.downloadProgress == progress(0, nil))
        gate.fire()
        _ = try await call.reply
        #expect(call.task.uploadProgress == progress(3, 3, done: true))
        #expect(call.task.downloadProgress == progress(10, 10, done: true))
    }

    @Test("1.11.3: the body of an error is no progress, also before a retry of a resumed download")
    func error() async throws {
        let origin = ResumableOrigin(cuts: [5_000, 100])
        let (_, resumption) = try await origin.begin()
        let isFirst = Guarded(true)
        origin.change { reply in
            let isError = isFirst.withLock { isFirst in
                defer { isFirst = false }
                return isFirst
            }
            if isError { reply = .json("[\"not now\"]", status: 503) }
        }
        var configuration = SessionConfiguration()
        configuration.interceptors = [MadeInterceptor(retry: { _, _ in .retry })]
        let told = Told()
        var request = SessionRequest("file")
        request.onDownloadProgress = { told.note($0) }
        _ = try await origin.manager(configuration: configuration).download(request, to: .rest(of: resumption))
        #expect(origin.requests.count > 2)
        #expect(told.all.first == progress(5_000, 10_000))
        #expect(told.all.last == progress(10_000, 10_000, done: true))
        #expect(told.isMonotone && told.all.allSatisfy { $0.totalBytes == 10_000 }, "\(told.all)")
    }

    @Test(
        "1.5.14: a redirect that sends the body again starts its upload from 0; its own body counts for nothing",
        arguments: [(307, 0), (303, 3)])
    func redirect(_ status: Int, _ sent: Int) async throws {
        let began = OneShot()
        let gate = OneShot()
        let manager = try manager(
            PlayedTransport { number, request, receiver in
                guard number == 1 else {
                    began.fire()
                    await gate.fired()
                    if request.body != nil { receiver.sent(3) }
                    _ = receiver.receive(status: 200, fields: [:])
                    return
                }
                receiver.sent(3)
                _ = receiver.receive(status: status, fields: ["Location": "/b", "Content-Length": "9"])
                receiver.receive(count: 9)
            })
        let call = manager.held(SessionRequest("a", body: "abc")).begin()
        await began.fired()
        #expect(call.task.uploadProgress == progress(Int64(sent), 3))
        #expect(call.task.downloadProgress == progress(0, nil))
        gate.fire()
        _ = try await call.reply
        #expect(call.task.uploadProgress == progress(3, 3, done: true))
        #expect(call.task.downloadProgress == progress(0, 0, done: true))
    }
}
