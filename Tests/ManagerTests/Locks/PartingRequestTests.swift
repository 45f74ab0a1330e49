import Foundation
import PatchbayPlatform
import PatchbayRegistry
import PatchbayTesting
import TestSupport
import Testing

@testable import PatchbayManager

/// A place of a request, or of what comes of it, where an object of the caller's may be.
enum RequestPlace: String, CaseIterable, Codable, Sendable {
    case validator, fileValidator, addition, responseSerializer, interceptor, redirects
    case uploadProgress, downloadProgress, trailers
    case madeContent, contentSource, contentSequence, contentBytes, formSource
    case bodyValue, bodyElements, bodyPart, signer
    case value, valueOfATask, validatorError, serializerError, contentError, interceptorError

    /// Sends a request that has the object there, and keeps nothing of it.
    func send(_ parting: Parting, by manager: SessionManager) async {
        var request = SessionRequest("moved", body: "abc")
        switch self {
        case .validator: request.validators = [{ _, _ in parting.isCalled() }]
        case .fileValidator: request.hook = MadeHook(checks: [{ _, _, _ in parting.isCalled() }])
        case .addition: request.hook = MadeHook { _ in parting.isCalled() }
        case .responseSerializer: request.using = .serializer(Reading(parting: parting))
        case .interceptor:
            request.interceptors = [
                MadeInterceptor {
                    parting.isCalled()
                    return $0
                }
            ]
        case .redirects:
            request.redirects = RedirectHandler { _, _ in
                parting.isCalled()
                return true
            }
        case .uploadProgress: request.onUploadProgress = { _ in parting.isCalled() }
        case .downloadProgress: request.onDownloadProgress = { _ in parting.isCalled() }
        case .trailers:
            request.content = .data(Data("abc".utf8)).trailers("X-End") {
                parting.isCalled()
                return ["X-End": "1"]
            }
        case .madeContent:
            request.content = RequestContent(
                "text/plain",
                making: {
                    parting.isCalled()
                    return .data(Data("abc".utf8))
                })
        case .contentSource:
            request.content = RequestContent("text/plain", making: { .source(Source(parting)) })
        case .contentSequence:
            request.content = .stream(
                Anew {
                    parting.isCalled()
                    return Chunks(chunks: [Data("abc".utf8)], parting: parting)
                }, type: "text/plain", isRepeatable: true)
        case .contentBytes: request.content = .data(partingData("abc", parting))
        case .formSource:
            var form = MultipartFormData()
            form.append(length: nil, name: "a") { Source(parting) }
            request.content = .multipart(form)
        case .bodyValue: request.content = .value(Written(parting: parting))
        case .bodyElements:
            request.content = .elements(
                Anew { AsyncStream { _ = ($0.yield(Written(parting: parting)), $0.finish()) } }, in: .ndjson,
                isRepeatable: true)
        case .bodyPart:
            var form = MultipartFormData()
            form.append(.value(Written(parting: parting)), headers: [:])
            request.content = .multipart(form)
        case .signer: request.interceptors = [Signing(parting: parting)]
        case .value: request.using = .serializer(Reading(parting: parting, gives: true))
        case .valueOfATask:
            request.using = .serializer(Reading(parting: parting, gives: true))
            _ = try? await manager.held(request).begin().reply
            return
        case .validatorError: request.validators = [{ _, _ in throw parting }]
        case .serializerError: request.using = .serializer(Reading(parting: parting, fails: true))
        case .contentError:
            request.content = .stream(
                Anew { Chunks(chunks: [], parting: parting, fails: true) }, type: "text/plain", isRepeatable: true)
        case .interceptorError: request.interceptors = [MadeInterceptor { _ in throw parting }]
        }
        _ = try? await manager.send(request)
    }

    struct Written: Encodable, Sendable {
        let parting: Parting
        func encode(to encoder: any Encoder) throws {
            parting.isCalled()
            var container = encoder.singleValueContainer()
            try container.encode("abc")
        }
    }

    struct Signing: RequestInterceptor {
        let parting: Parting
        func sign(_ head: inout RequestHead, body: RequestBody?) async throws { parting.isCalled() }
    }

    struct Made: Sendable {
        let parting: Parting?
    }

    struct Reading: ResponseSerializer {
        let parting: Parting
        var gives = false
        var fails = false

        func serialize(_ body: ResponseBody, _ head: ResponseHead) throws -> Made {
            parting.isCalled()
            if fails { throw parting }
            return Made(parting: gives ? parting : nil)
        }
    }

    final class Source: RequestBodySource {
        let length: Int64? = 3
        private let parting: Parting
        private let isGiven = Guarded(false)

        init(_ parting: Parting) { self.parting = parting }

        func read(into buffer: UnsafeMutableRawBufferPointer) -> RequestBodyPiece {
            parting.isCalled()
            let isOver = isGiven.withLock { isGiven in
                defer { isGiven = true }
                return isGiven
            }
            if isOver { return .end() }
            buffer.copyBytes(from: "abc".utf8)
            return .bytes(3)
        }

        func rewind() { isGiven.withLock { $0 = false } }
    }

    struct Chunks: AsyncSequence, Sendable {
        struct Iterator: AsyncIteratorProtocol {
            var rest: [Data]
            let parting: Parting
            let fails: Bool

            mutating func next() async throws -> Data? {
                parting.isCalled()
                if rest.isEmpty, fails { throw parting }
                return rest.isEmpty ? nil : rest.removeFirst()
            }
        }

        let chunks: [Data]
        let parting: Parting
        var fails = false

        func makeAsyncIterator() -> Iterator { Iterator(rest: chunks, parting: parting, fails: fails) }
    }
}

/// What drops the event that waits for a slow observer.
enum EventCause: CaseIterable {
    case made, resumed, suspended, cancelled, sent

    func happens(_ manager: SessionManager, _ bystander: SessionTask) async {
        switch self {
        case .made: _ = manager.held(SessionRequest("a"))
        case .resumed: bystander.begin()
        case .suspended:
            bystander.begin()
            bystander.hold()
        case .cancelled: bystander.cancel()
        case .sent: _ = try? await manager.send(SessionRequest("a"))
        }
    }
}

/// In child processes: a lock that is taken twice ends the process.
@Suite("What a caller hands over may use the manager when it goes", .timeLimit(.minutes(10)))
struct PartingRequestTests {
    @Test("with a request, in an event that is dropped", arguments: RequestPlace.allCases)
    func requests(_ place: RequestPlace) async {
        await #expect(processExitsWith: .success) { [place] in
            for cancels in [false, true] {
                for cause in EventCause.allCases { try await Self.drop(place, cause, cancels: cancels) }
            }
        }
    }

    private static func drop(_ place: RequestPlace, _ cause: EventCause, cancels: Bool) async throws {
        let observer = StillObserver()
        var configuration = SessionConfiguration()
        configuration.observers = [observer]
        configuration.maximumWaitingEvents = 1
        let registry = try TestRegistry.make(TestRegistry.formats)
        let (manager, _) = try stubManager(registry, configuration: configuration) { request in
            request.head.url.path() == "/moved" ? .redirect(307, to: "/a") : .json("1")
        }
        let bystander = manager.held(SessionRequest("a")).task
        // The observer has the first event. Of the others one waits, the last.
        await observer.isReached.fired()
        let before = Parting.gone
        await place.send(Parting(manager, cancels: cancels), by: manager)
        await cause.happens(manager, bystander)
        try await Parting.areGone(1, since: before)
        manager.cancelAll()
        observer.gate.fire()
    }

    @Test("the events of each call stay in order, with the tasks in the order of their ids, whoever cancels them")
    func order() async throws {
        let log = Shared<[(Int, String)]>([])
        var configuration = SessionConfiguration()
        // All events of all calls, because a dropped one has no place in the order.
        configuration.maximumWaitingEvents = 100_000
        configuration.observers = [
            MadeObserver { event in
                let line = (event.task?.id ?? 0, EventLog.line(event))
                log.withLock { $0.append(line) }
            }
        ]
        let (manager, _) = try stubManager(configuration: configuration) { _ in .json("1") }
        let isOver = Shared(false)
        let canceller = Task.detached {
            while !isOver.withLock({ $0 }) {
                manager.cancelAll()
                await Task.yield()
            }
        }
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                group.addTask { for _ in 0..<250 { _ = try? await manager.send(SessionRequest("a")) } }
            }
        }
        isOver.withLock { $0 = true }
        await canceller.value
        manager.invalidate(cancellingTasks: true)
        try await until { log.withLock { $0.last?.1 == "invalidated" } }
        let lines = log.withLock { $0 }
        #expect(lines.filter { $0.1 == "created" }.map { $0.0 } == Array(1...1_000))
        for (id, list) in Dictionary(grouping: lines.filter { $0.0 > 0 }, by: { $0.0 }) {
            #expect(list.first?.1 == "created", "\(id)")
            #expect(list.last?.1.hasPrefix("finished") == true, "\(id)")
        }
    }
}
