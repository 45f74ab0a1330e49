import Foundation
import PatchbayPlatform
import PatchbayTesting
import TestSupport
import Testing

@testable import PatchbayManager
@testable import PatchbayRegistry

/// A place that is not of one request, or that gets another value while the call goes on.
enum PartingPlace: String, CaseIterable, Codable, Sendable {
    case credentialSet, credentialRenewed, registry, observer, configuredInterceptor, stub
    case stopListener, exchangeBody, sourceErrors, errorFetched, chunks, formSources
    case parsers, streamStop, refusal, waitForADisk, destination, watch, progressReader, executor

    /// How many objects have to go.
    /// - Parameter cancels: whether the first of them cancels the call.
    func count(cancels: Bool) -> Int {
        switch self {
        case .parsers: cancels ? 1 : 2
        case .chunks: 3
        case .formSources, .sourceErrors, .credentialRenewed, .watch, .streamStop: 2
        case .executor: 0
        default: 1
        }
    }

    func play(cancels: Bool) async throws {
        switch self {
        case .credentialSet, .credentialRenewed: try await playCredential()
        case .registry, .observer, .configuredInterceptor, .stub: try await playManager(cancels)
        case .stopListener: try await playStopListener(cancels)
        case .exchangeBody: try await playExchange(cancels)
        case .sourceErrors, .errorFetched, .chunks, .formSources: try await playContent(cancels)
        case .parsers: try await playParsers(cancels)
        case .streamStop, .refusal, .waitForADisk: try playSinks()
        case .destination: try await playDownload(cancels)
        case .watch: try await playWatch(cancels)
        case .progressReader: try await playProgress(cancels)
        case .executor: try await playExecutor()
        }
    }

    // MARK: Those of a manager

    private final class Credential: Sendable {
        let parting: Parting
        init(_ parting: Parting) { self.parting = parting }
    }

    private struct Scheme: AuthenticationScheme {
        let next: @Sendable () -> Credential
        func apply(_ credential: Credential, to request: inout SessionRequest) { credential.parting.isCalled() }
        func refresh(_ credential: Credential) async throws -> Credential { next() }
        func needsRefresh(_ credential: Credential) -> Bool { true }
        func isRequest(_ request: SessionRequest, authenticatedWith credential: Credential) -> Bool { true }
    }

    private func playCredential() async throws {
        let asks = Shared<(@Sendable () -> Void)?>(nil)
        let make = { @Sendable () in Credential(Parting { asks.withLock { $0 }?() }) }
        let interceptor = AuthenticationInterceptor(
            Scheme(next: make), credential: make(), hosts: [try HostPattern(pattern: "127.0.0.1")])
        asks.withLock { $0 = { [weak interceptor] in _ = interceptor?.credential } }
        if self == .credentialRenewed {
            _ = try await interceptor.adapt(SessionRequest("http://127.0.0.1/a"))
        }
        interceptor.credential = nil
    }

    private struct Intercepting: RequestInterceptor {
        let parting: Parting
    }

    private func playManager(_ cancels: Bool) async throws {
        let (other, _) = try stubManager { _ in .json("1") }
        let parting = Parting(other, cancels: cancels)
        if self == .registry {
            let base = other.registry
            other.registry = try base.replacing("json", with: RequestPlace.Reading(parting: parting))
            for number in 0..<10 {
                other.registry = try TestRegistry.make(#"[{ "id": "only-\#(number)", "factory": "json" }]"#)
            }
            return
        }
        var configuration = SessionConfiguration()
        if self == .observer { configuration.observers = [MadeObserver { _ in parting.isCalled() }] }
        if self == .configuredInterceptor { configuration.interceptors = [Intercepting(parting: parting)] }
        let stub = self == .stub ? parting : nil
        let (manager, _) = try stubManager(configuration: configuration) { _ in
            stub?.isCalled()
            return .json("1")
        }
        _ = try await manager.send(SessionRequest("a"))
    }

    private func playWatch(_ cancels: Bool) async throws {
        let folder = TemporaryFolder()
        let file = folder.url.appending(path: "a.json")
        try Data(#"{ "manifestVersion": 1, "plugins": [{ "id": "a", "factory": "json" }] }"#.utf8).write(to: file)
        let (manager, _) = try stubManager { _ in .json("1") }
        let (failing, reloading) = (Parting(manager, cancels: cancels), Parting(manager, cancels: cancels))
        let isReloaded = OneShot()
        let watch = Task {
            await manager.watch([.file(file)]) { result in
                switch result {
                case .success:
                    reloading.isCalled()
                    isReloaded.fire()
                case .failure: failing.isCalled()
                }
            }
        }
        await isReloaded.fired()
        watch.cancel()
        await watch.value
    }

    // MARK: Those of a call

    private func playStopListener(_ cancels: Bool) async throws {
        let manager = try Self.retrying { manager, number, request, receiver throws(TransportFailure) in
            if number == 1 {
                let parting = Parting(manager, cancels: cancels)
                receiver.stop.whenFired { parting.isCalled() }
                throw TransportFailure(.lostConnection, "lost")
            }
            _ = receiver.receive(status: 204, fields: [:])
        }
        _ = try? await manager.send(SessionRequest("a"))
    }

    private func playExchange(_ cancels: Bool) async throws {
        let holder = Shared<SessionManager?>(nil)
        let (manager, _) = try stubManager { request in
            request.head.url.path() == "/moved" ? .redirect(303, to: "/a") : .json("1")
        }
        holder.withLock { $0 = manager }
        let content = RequestContent(
            "text/plain",
            making: {
                let manager = holder.withLock { $0 }
                return .data(partingData(String(repeating: "a", count: 100), Parting(manager, cancels: cancels)))
            })
        _ = try? await manager.send(SessionRequest("moved", method: "POST", content: content))
        holder.withLock { $0 = nil }
    }

    private static func retrying(
        _ play:
            @escaping @Sendable (SessionManager?, Int, TransportRequest, any ExchangeReceiver)
            async throws(TransportFailure) -> Void
    ) throws -> SessionManager {
        var configuration = SessionConfiguration()
        configuration.interceptors = [
            MadeInterceptor(retry: { _, error in error.code == .transport ? .retry : .doNotRetry })
        ]
        let holder = Shared<SessionManager?>(nil)
        let manager = try StreamFixture.manager(configuration) { number, request, receiver throws(TransportFailure) in
            try await play(holder.withLock { $0 }, number, request, receiver)
        }
        // The process ends with the test.
        holder.withLock { $0 = manager }
        return manager
    }

    private func playProgress(_ cancels: Bool) async throws {
        let (manager, _) = try stubManager { _ in .json("1") }
        let task = manager.held(SessionRequest("a")).task
        let reader = Task { [parting = Parting(manager, cancels: cancels)] in
            for await _ in task.downloadUpdates { parting.isCalled() }
        }
        await settle()
        reader.cancel()
        await reader.value
    }

    private func playDownload(_ cancels: Bool) async throws {
        let folder = TemporaryFolder()
        let (manager, _) = try stubManager { _ in .json("1") }
        let parting = Parting(manager, cancels: cancels)
        let place = DownloadDestination.chosen { _ in
            parting.isCalled()
            return .folder(folder.url)
        }
        _ = try? await manager.download(SessionRequest("a"), to: place)
    }
}

@Suite(
    "What a caller hands over to a manager, a body or a stream may use the manager when it goes",
    .timeLimit(.minutes(10)))
struct PartingPlaceTests {
    @Test(arguments: PartingPlace.allCases)
    func places(_ place: PartingPlace) async {
        await #expect(processExitsWith: .success) { [place] in
            for cancels in [false, true] {
                let before = Parting.gone
                try await place.play(cancels: cancels)
                try await Parting.areGone(place.count(cancels: cancels), since: before)
            }
        }
    }
}
