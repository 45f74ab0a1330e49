import Foundation
import Patchbay
import PatchbayTesting
import StandInTracing
import TestSupport
import Testing

@testable import Adapters

/// Keeps the spans that have ended, and names its spans by numbers.
private final class RecordingTracer: Tracer {
    typealias Span = RecordedSpan
    enum Key: ServiceContextKey { typealias Value = Int }

    struct Ended: Sendable {
        let name: String
        let id: Int
        let parent: Int?
        let kind: SpanKind
        let start, end: UInt64
        let attributes: SpanAttributes
        let isError: Bool
        let errors: [String]
    }

    struct Recording: Sendable {
        var name: String
        var attributes = SpanAttributes([:])
        var isError = false
        var errors: [String] = []
        var hasEnded = false
    }

    struct RecordedSpan: StandInTracing.Span {
        let tracer: RecordingTracer
        let context: ServiceContext
        let parent: Int?
        let kind: SpanKind
        let start: UInt64
        let state: Shared<Recording>

        var operationName: String {
            get { state.withLock(\.name) }
            nonmutating set { state.withLock { $0.name = newValue } }
        }
        var attributes: SpanAttributes {
            get { state.withLock(\.attributes) }
            nonmutating set { state.withLock { $0.attributes = newValue } }
        }
        var isRecording: Bool { state.withLock { !$0.hasEnded } }
        func setStatus(_ status: SpanStatus) { state.withLock { $0.isError = status.code == .error } }
        func recordError<Instant: TracerInstant>(
            _ error: any Error, attributes: SpanAttributes, at instant: @autoclosure () -> Instant
        ) { state.withLock { $0.errors.append("\(error)") } }
        func end<Instant: TracerInstant>(at instant: @autoclosure () -> Instant) {
            let end = instant().nanosecondsSinceEpoch
            let ended = state.withLock { state in
                #expect(!state.hasEnded, "\(state.name) ended twice")
                state.hasEnded = true
                return Ended(
                    name: state.name, id: context[Key.self] ?? 0, parent: parent, kind: kind, start: start, end: end,
                    attributes: state.attributes, isError: state.isError, errors: state.errors)
            }
            tracer.ended.withLock { $0.append(ended) }
        }
    }

    let ended = Shared<[Ended]>([])
    let begun = Shared(0)

    func startSpan<Instant: TracerInstant>(
        _ operationName: String, context: @autoclosure () -> ServiceContext, ofKind kind: SpanKind,
        at instant: @autoclosure () -> Instant, function: String, file fileID: String, line: UInt
    ) -> RecordedSpan {
        var context = context()
        let parent = context[Key.self]
        context[Key.self] = begun.withLock { count in
            count += 1
            return count
        }
        return RecordedSpan(
            tracer: self, context: context, parent: parent, kind: kind, start: instant().nanosecondsSinceEpoch,
            state: Shared(Recording(name: operationName)))
    }

    func inject<Carrier, Inject>(_ context: ServiceContext, into carrier: inout Carrier, using injector: Inject)
    where Inject: Injector, Inject.Carrier == Carrier {
        guard let id = context[Key.self] else { return }
        injector.inject("\(id)", forKey: "x-span", into: &carrier)
    }

    /// The spans that have ended, in their order.
    var spans: [Ended] { ended.withLock { $0 }.sorted { $0.id < $1.id } }
}

/// The example `CallTracing`.
@Suite(.timeLimit(.minutes(5))) struct CallTracingTests {
    private let tracer = RecordingTracer()
    private let ends = Shared(0)

    private func manager(
        _ interceptors: [any RequestInterceptor] = [],
        _ reply: @escaping @Sendable (TransportRequest) async throws -> StubReply
    ) -> (SessionManager, StubTransport) {
        let tracing = CallTracing(tracer)
        var configuration = SessionConfiguration()
        configuration.interceptors = interceptors + [tracing]
        let ends = ends
        // Observers get an event one after the other.
        configuration.observers = [
            tracing,
            MadeObserver { event in if case .finished = event.stage { ends.withLock { $0 += 1 } } },
        ]
        let stub = StubTransport(reply)
        return (
            SessionManager(
                baseURL: URL(string: "https://api.example.com"), transport: stub, configuration: configuration), stub
        )
    }

    /// Makes a call in a span of the caller, and returns when its events were observed.
    private func call(_ make: () async throws -> Void) async -> SessionError? {
        var failure: SessionError?
        await tracer.withSpan("caller") { _ in
            do { try await make() } catch { failure = error as? SessionError }
            while ends.withLock({ $0 }) == 0 { await Task.yield() }
        }
        return failure
    }

    private func lines() -> [String] {
        tracer.spans.map { span in
            let error = span.isError ? ", error \(span.attributes.text("error.type"))" : ""
            return "\(span.id) of \(span.parent ?? 0): \(span.name)\(error)"
        }
    }

    @Test(
        "a call has a span for its request and one for its decoding, both of the caller's span, in their order of time")
    func success() async throws {
        let (manager, stub) = manager { _ in
            StubReply(fields: ["Content-Type": "application/json"], body: "[1]")
        }
        #expect(await call { _ = try await manager.get("a", as: [Int].self) } == nil)
        #expect(lines() == ["1 of 0: caller", "2 of 1: GET", "3 of 1: decode json"])
        #expect(stub.requests.map { $0.head.fields["x-span"] } == ["2"])
        let spans = tracer.spans
        try #require(spans.count == 3)
        let (caller, request, decoding) = (spans[0], spans[1], spans[2])
        #expect(request.kind == .client && decoding.kind == .internal)
        #expect(request.attributes.text("http.response.status_code") == "200")
        #expect(request.attributes.text("url.full") == "https://api.example.com/a")
        #expect(request.attributes.text("patchbay.entry") == "json")
        #expect(caller.start <= request.start && request.start <= request.end)
        #expect(request.end <= decoding.end && decoding.start <= decoding.end)
        #expect(request.end == decoding.start)
    }

    @Test("each retry and each redirect is a span, and the request names its own, but not to another origin")
    func resends() async throws {
        let tries = Shared(0)
        let (manager, stub) = manager([RetryPolicy(limit: 1, scale: .zero)]) { request in
            guard request.head.url.host() == "api.example.com" else { return StubReply(body: "1") }
            guard request.head.url.path() == "/b" else { return StubReply(status: 307, fields: ["Location": "/b"]) }
            let number = tries.withLock { tries in
                tries += 1
                return tries
            }
            return number == 1
                ? StubReply(status: 503) : StubReply(status: 307, fields: ["Location": "https://other.example/c"])
        }
        #expect(await call { _ = try await manager.send("a") } == nil)
        #expect(
            lines().filter { !$0.contains("decode") } == [
                "1 of 0: caller", "2 of 1: GET", "3 of 1: GET, error 503", "4 of 1: GET", "5 of 1: GET", "6 of 1: GET",
            ])
        #expect(stub.requests.map { $0.head.fields["x-span"] } == ["2", "3", "4", "5", nil])
        let counts = tracer.spans.filter { $0.kind == .client }.map { $0.attributes.text("http.request.resend_count") }
        #expect(counts == ["", "1", "2", "3", "4"])
    }

    @Test(
        "a failure ends the span of the request with its error.type, and a failed decoding also its own",
        arguments: [
            ("lost", ["2 of 1: GET, error transport"]), ("status", ["2 of 1: GET, error 404"]),
            ("decoding", ["2 of 1: GET, error serialization", "3 of 1: decode json, error serialization"]),
            ("unsigned", []),
        ])
    func failures(_ path: String, _ expected: [String]) async throws {
        let refuser = MadeInterceptor(adapt: { request in
            if request.target == "unsigned" { throw CancellationError() }
            return request
        })
        let (manager, _) = manager([refuser]) { request in
            switch request.head.url.path() {
            case "/lost": throw TransportFailure(.lostConnection, "the connection was lost")
            case "/status": StubReply(status: 404)
            default: StubReply(fields: ["Content-Type": "application/json"], body: "{")
            }
        }
        #expect(await call { _ = try await manager.get(path, as: [Int].self) } != nil)
        #expect(lines() == ["1 of 0: caller"] + expected)
        #expect(tracer.spans.dropFirst().allSatisfy { $0.errors.count == 1 })
        #expect(tracer.begun.withLock { $0 } == tracer.spans.count)
    }

    @Test("calls at once have their own spans, each under its caller, and all end")
    func concurrent() async throws {
        let (manager, stub) = manager { request in
            StubReply(status: request.head.url.path().hasSuffix("7") ? 500 : 200, body: "1")
        }
        await withTaskGroup(of: Void.self) { group in
            for index in 1...100 {
                group.addTask {
                    var context = ServiceContext.topLevel
                    context[RecordingTracer.Key.self] = 1000 + index
                    await ServiceContext.$current.withValue(context) { _ = try? await manager.send("\(index)") }
                }
            }
        }
        while ends.withLock({ $0 }) < 100 { await Task.yield() }
        let requests = tracer.spans.filter { $0.kind == .client }
        #expect(requests.count == 100)
        for span in requests {
            let url = span.attributes.text("url.full")
            #expect(url == "https://api.example.com/\((span.parent ?? 0) - 1000)")
            #expect(span.isError == url.hasSuffix("7"))
        }
        #expect(Set(stub.requests.map { $0.head.fields["x-span"] }) == Set(requests.map { "\($0.id)" }))
        #expect(tracer.begun.withLock { $0 } == tracer.spans.count)
    }
}

extension SpanAttributes {
    fileprivate func text(_ name: String) -> String {
        switch get(name) {
        case .string(let text)?: text
        case .int64(let number)?: "\(number)"
        case nil: ""
        }
    }
}
