import Foundation
import PatchbayPlatform
import PatchbayRegistry
import PatchbayTesting
import TestSupport
import Testing

@testable import PatchbayManager

@Suite(.timeLimit(.minutes(5))) struct PauseTests {
    private func manager(_ transport: some Transport) throws -> SessionManager {
        SessionManager(
            baseURL: URL(string: "http://origin.test/"), registry: try TestRegistry.make(), transport: transport)
    }

    private func pausable(_ method: String = "GET", content: RequestContent? = nil) -> SessionRequest {
        var request = SessionRequest("a", method: method, content: content)
        request.hook = MadeHook(pausesBodies: true)
        return request
    }

    private func isHeld(_ flow: TransportFlow) -> OneShot? {
        if case .wait(let signal) = flow { signal } else { nil }
    }

    @Test("the transport is told where the body goes, and how large the request allows it to be")
    func sinks() async throws {
        let told = Guarded<[TransportRequest.Sink]>([])
        let manager = try manager(
            PlayedTransport { _, request, receiver throws(TransportFailure) in
                told.withLock { $0.append(request.sink) }
                _ = receiver.receive(status: 200, fields: ["Content-Type": "text/plain"])
            })
        var request = SessionRequest("a")
        for limit in [nil, 1 << 20, 16 << 20, 17 << 20] {
            request.maximumBodyBytes = limit
            _ = try await manager.send(request, as: Data.self)
        }
        _ = try await manager.download(SessionRequest("a"), to: .temporary)
        _ = try? await manager.stream("a", of: Data.self)
        #expect(
            told.withLock { $0 } == [
                .memory(limit: nil), .memory(limit: 1 << 20), .memory(limit: 16 << 20), .memory(limit: 17 << 20), .file,
                .stream,
            ])
    }

    @Test("1.7.2: a call that can be paused takes neither head nor body while it is suspended, and counts nothing")
    func held() async throws {
        let (began, atHead, atBody) = (OneShot(), OneShot(), OneShot())
        let goOn = OneShot()
        let manager = try manager(
            PlayedTransport { _, request, receiver throws(TransportFailure) in
                #expect(request.isSuspendable)
                began.fire()
                await goOn.fired()
                let head = { receiver.receive(status: 200, fields: ["Content-Type": "application/json"]) }
                guard let resumed = isHeld(head()) else { throw TransportFailure(.other, "not held at the head") }
                atHead.fire()
                await resumed.fired()
                guard isHeld(head()) == nil else { throw TransportFailure(.other, "held for good") }
                let chunk = { Array("1".utf8).withUnsafeBytes { receiver.receive($0) } }
                while isHeld(chunk()) == nil { await Task.yield() }
                atBody.fire()
                guard let resumed = isHeld(chunk()) else { return }
                await resumed.fired()
            })
        let call = manager.held(pausable(), as: [Int].self).begin()
        await began.fired()
        call.task.hold()
        goOn.fire()
        await atHead.fired()
        #expect(call.task.downloadProgress.completedBytes == 0)
        call.begin()
        while call.task.downloadProgress.completedBytes == 0 { await Task.yield() }
        call.task.hold()
        await atBody.fired()
        let count = call.task.downloadProgress.completedBytes
        await settle()
        #expect(call.task.downloadProgress.completedBytes == count)
        call.begin()
        // The body is a row of digits, which is no list.
        #expect(await #expect(throws: SessionError.self) { try await call.reply }?.code == .serialization)
    }

    @Test(
        "1.7.2: the content of a call that can be paused is not read while it is suspended", arguments: [true, false])
    func heldUpload(isStreamed: Bool) async throws {
        let (began, goOn, held) = (OneShot(), OneShot(), OneShot())
        let manager = try manager(
            PlayedTransport { _, request, receiver throws(TransportFailure) in
                guard case .source(let source) = request.body else { throw TransportFailure(.other, "no source") }
                #expect(source.length == 4)
                began.fire()
                await goOn.fired()
                var text = ""
                var space = [UInt8](repeating: 0, count: 3)
                do {
                    reading: while true {
                        switch try space.withUnsafeMutableBytes({ try source.read(into: $0) }) {
                        case .end: break reading
                        case .wait(let signal):
                            held.fire()
                            await signal.fired()
                        case .bytes(let count): text += String(decoding: space[..<count], as: UTF8.self)
                        }
                    }
                } catch {
                    throw TransportFailure(.unreadableBody, "unreadable")
                }
                #expect(text == "abcd")
                _ = receiver.receive(status: 204, fields: [:])
            })
        let source = ScriptedSource([.text("ab"), .text("c"), .text("d")], length: 4)
        let content: RequestContent =
            isStreamed ? RequestContent("text/x", making: { .source(source) }) : .value("abcd")
        let call = manager.heldUpload(pausable("POST", content: content)).begin()
        await began.fired()
        call.task.hold()
        goOn.fire()
        await held.fired()
        await settle()
        #expect(call.task.state == .suspended)
        call.begin()
        _ = try await call.reply
    }

    @Test("1.7.2: a call that cannot be paused goes on to its next step, whatever is asked of it")
    func notPausable() async throws {
        let (began, goOn, over) = (OneShot(), OneShot(), OneShot())
        let manager = try manager(
            PlayedTransport { _, request, receiver in
                #expect(!request.isSuspendable)
                if case .source = request.body { Issue.record("bytes at hand are wrapped for nothing") }
                began.fire()
                await goOn.fired()
                #expect(isHeld(receiver.receive(status: 200, fields: [:])) == nil)
                #expect(isHeld(receiver.receive(count: 5)) == nil)
                over.fire()
            })
        let call = manager.held(SessionRequest("a", body: "x")).begin()
        await began.fired()
        call.task.hold()
        goOn.fire()
        await over.fired()
        #expect(call.task.downloadProgress.completedBytes == 5)
        call.begin()
        _ = try await call.reply
    }

    @Test("1.7.2: a paused call that is cancelled ends at once")
    func cancelled() async throws {
        let (began, goOn, held) = (OneShot(), OneShot(), OneShot())
        let manager = try manager(
            PlayedTransport { _, _, receiver throws(TransportFailure) in
                began.fire()
                await goOn.fired()
                #expect(isHeld(receiver.receive(status: 200, fields: [:])) != nil)
                held.fire()
                await receiver.stop.fired()
                throw TransportFailure(.stopped, "stopped")
            })
        let call = manager.held(pausable()).begin()
        await began.fired()
        call.task.hold()
        goOn.fire()
        await held.fired()
        call.cancel()
        #expect(await #expect(throws: SessionError.self) { try await call.reply }?.code == .cancelled)
    }

    enum Place: CaseIterable, Sendable { case exchange, redirect, value, file }

    @Test(
        "1.7.2: the total timeout ends a call that is suspended, wherever it is",
        arguments: Place.allCases)
    func totalTimeout(_ place: Place) async throws {
        let (began, goOn) = (OneShot(), OneShot())
        let hold: @Sendable () async -> Void = {
            began.fire()
            await goOn.fired()
        }
        var configuration = SessionConfiguration()
        if place == .exchange {
            configuration.interceptors = [
                MadeInterceptor(adapt: { request in
                    await hold()
                    return request
                })
            ]
        }
        let manager = SessionManager(
            baseURL: URL(string: "http://origin.test/"), registry: try TestRegistry.make(),
            transport: PlayedTransport { _, _, receiver in
                if place != .exchange { await hold() }
                let location: HeaderFields = place == .redirect ? ["Location": "/b"] : [:]
                _ = receiver.receive(status: place == .redirect ? 302 : 200, fields: location)
            }, configuration: configuration)
        var request = SessionRequest("a")
        request.totalTimeout = .seconds(1)
        let error: SessionError?
        if place == .file {
            let folder = TemporaryFolder()
            let call = manager.heldDownload(request, to: .file(folder.url.appending(path: "x"))).begin()
            await began.fired()
            call.task.hold()
            goOn.fire()
            error = await #expect(throws: SessionError.self) { try await call.reply }
            #expect(folder.names == [])
        } else {
            let call = manager.held(request).begin()
            await began.fired()
            call.task.hold()
            goOn.fire()
            error = await #expect(throws: SessionError.self) { try await call.reply }
        }
        #expect(error?.code == .totalTimeout, "\(String(describing: error))")
        // On a busy machine, the time can have passed before the response.
        if let head = error?.head { #expect(head.status == [.redirect: 302, .value: 200, .file: 200][place]) }
    }

    @Test("1.7.2: the timeout of an attempt ends it before its request, while the call is suspended")
    func attemptTimeout() async throws {
        var policy = RetryPolicy()
        (policy.limit, policy.attemptTimeout) = (0, .milliseconds(200))
        let (began, goOn) = (OneShot(), OneShot())
        let waiting = MadeInterceptor(adapt: { request in
            began.fire()
            await goOn.fired()
            return request
        })
        var configuration = SessionConfiguration()
        configuration.interceptors = [policy, waiting]
        let (manager, _) = try stubManager(configuration: configuration) { _ in .json("1") }
        let call = manager.held(SessionRequest("a")).begin()
        await began.fired()
        call.task.hold()
        goOn.fire()
        #expect(await #expect(throws: SessionError.self) { try await call.reply }?.code == .attemptTimeout)
    }

    @Test("1.7.2: a paused call that fails holds nothing back any more")
    func failed() async throws {
        let (began, goOn) = (OneShot(), OneShot())
        let held = Guarded<OneShot?>(nil)
        let manager = try manager(
            PlayedTransport { _, _, receiver throws(TransportFailure) in
                began.fire()
                await goOn.fired()
                let flow = receiver.receive(status: 200, fields: [:])
                held.withLock { $0 = isHeld(flow) }
                throw TransportFailure(.lostConnection, "lost")
            })
        let call = manager.held(pausable()).begin()
        await began.fired()
        call.task.hold()
        goOn.fire()
        #expect(await #expect(throws: SessionError.self) { try await call.reply }?.code == .transport)
        #expect(held.withLock { $0 }?.hasFired == true)
    }

    @Test("1.7.2: the idle clock stands still while a call is paused; the total one goes on")
    func clock() {
        let start = Moment.now
        let rest = Guarded<Moment?>(nil)
        let clock = Timeouts(idle: .seconds(10), total: .seconds(100), heldUntil: { rest.withLock { $0 } })
        rest.withLock { $0 = start + .seconds(50) }
        clock.check(start + .seconds(59))
        #expect(clock.ended == nil)
        #expect(clock.deadline == start + .seconds(60))
        clock.check(start + .seconds(61))
        guard case .idle(.seconds(10)) = clock.ended else {
            Issue.record("\(String(describing: clock.ended))")
            return
        }
        let total = Timeouts(idle: .seconds(10), total: .seconds(20), heldUntil: { start + .seconds(100) })
        total.check(start + .seconds(21))
        guard case .total(.seconds(20)) = total.ended else {
            Issue.record("\(String(describing: total.ended))")
            return
        }
    }

    @Test("1.7.2: a task rests while it is suspended and until it was resumed last, if it can be paused")
    func rest() throws {
        let (manager, _) = try stubManager { _ in .json("1") }
        let call = manager.held(pausable())
        let before = Moment.now
        // It waits to be started.
        #expect(try #require(call.task.heldUntil) >= before)
        call.cancel()
        let other = manager.held(SessionRequest("a"))
        other.task.hold()
        #expect(other.task.heldUntil == nil)
        other.cancel()
    }
}
