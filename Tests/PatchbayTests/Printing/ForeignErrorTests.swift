import Foundation
import Patchbay
import PatchbayMigration
import PatchbayTesting
import TestSupport
import Testing

@testable import PatchbayManager
@testable import PatchbayRegistry

/// What an error of another's type says of itself may quote the body: no sentence, dump or event of ours shows it.
@Suite(.timeLimit(.minutes(5))) struct ForeignErrorTests {
    /// Where an error is thrown, and the call that ends because of it.
    struct Place: Sendable, CustomTestStringConvertible {
        let name: String
        /// Whether the sentence of the call shows of the error what may be shown.
        var isShown = true
        let call: @Sendable (SessionManager, ForeignError, _ row: Int) async throws -> Void
        var testDescription: String { name }
    }

    /// The number of the error in the table.
    private struct Refusing: Decodable, Sendable {
        init(from decoder: any Decoder) throws {
            throw ForeignError.all[try decoder.singleValueContainer().decode(Int.self)].error
        }
    }

    /// The same, as the only column of a row.
    private struct RefusingRow: Decodable, Sendable {
        let number: Refusing
    }

    private static func serializer(_ error: any Error) -> ClosureResponseSerializer<Int> {
        ClosureResponseSerializer { _, _ in throw error }
    }

    private static func request(_ target: String, _ change: (inout SessionRequest) -> Void = { _ in }) -> SessionRequest
    {
        var request = SessionRequest(target)
        change(&request)
        return request
    }

    static let places: [Place] = [
        Place(name: "serialize") { manager, foreign, _ in
            let error = foreign.error
            _ = try await manager.send(request("text") { $0.using = .serializer(serializer(error)) })
        },
        Place(name: "serialize, of an entry") { manager, _, row in
            _ = try await manager.send(request("throwing/\(row)"))
        },
        Place(name: "serialize, of a typed call") { manager, foreign, _ in
            let error = foreign.error
            _ = try await manager.send(request("text") { $0.using = .serializer(serializer(error)) }, as: Int.self)
        },
        Place(name: "serialize, of the body of an error", isShown: false) { manager, foreign, _ in
            let error = foreign.error
            _ = try await manager.send(request("missing") { $0.using = .serializer(serializer(error)) })
        },
        Place(name: "init(from:)") { manager, _, row in
            _ = try await manager.get("json/\(row)", as: Refusing.self)
        },
        Place(name: "init(from:), late") { manager, _, row in
            let reply = try await manager.send("json/\(row)")
            _ = try reply.decode(as: Refusing.self)
        },
        Place(name: "init(from:) of a row") { manager, _, row in
            _ = try await manager.get("csv/\(row)", as: [RefusingRow].self)
        },
        Place(name: "an element of a stream") { manager, _, row in
            let request = request("ndjson/\(row)")
            for try await _ in try await manager.stream(request, of: Refusing.self) {}
        },
        Place(name: "unwrap") { manager, _, row in
            _ = try await manager.send("wrapped/\(row)")
        },
        Place(name: "a validator") { manager, foreign, _ in
            let error = foreign.error
            _ = try await manager.send(
                request("text") { $0.responseValidators = [ResponseValidator { _, _ in throw error }] })
        },
        Place(name: "adapt") { manager, foreign, _ in
            let error = foreign.error
            _ = try await manager.send(
                request("text") { $0.interceptors = [ClosureInterceptor(adapt: { _ in throw error })] })
        },
        Place(name: "retry") { manager, foreign, _ in
            let error = foreign.error
            let interceptor = ClosureInterceptor(retry: { _, _ in .doNotRetryWithError(error) })
            _ = try await manager.send(request("missing") { $0.interceptors = [interceptor] })
        },
        Place(name: "an authenticator") { manager, foreign, _ in
            let error = foreign.error
            let interceptor = AuthenticationInterceptor(
                BearerScheme { _ in throw error }, credential: BearerScheme.Credential(token: "t"))
            _ = try await manager.send(request("unauthorized") { $0.interceptors = [interceptor] })
        },
        Place(name: "the source of the content") { manager, foreign, _ in
            let error = foreign.error
            let chunks = AsyncThrowingStream<Data, any Error> { $0.finish(throwing: error) }
            _ = try await manager.send(
                SessionRequest("text", method: "POST", content: .stream(Anew { chunks }, isRepeatable: true)))
        },
        Place(name: "content that is made", isShown: false) { manager, foreign, _ in
            let error = foreign.error
            var request = SessionRequest("text", method: "POST")
            request.content = RequestContent("a/b", making: { throw error })
            _ = try await manager.send(request)
        },
        Place(name: "a modifier", isShown: false) { manager, foreign, _ in
            let error = foreign.error
            _ = try await manager.send(request("text") { $0.modifier = { _ in throw error } })
        },
        Place(name: "the choice of a destination") { manager, foreign, _ in
            let error = foreign.error
            _ = try await manager.download(request("text"), to: .chosen { _ in throw error })
        },
        Place(name: "a stub", isShown: false) { manager, _, row in
            _ = try await manager.send("stub/\(row)")
        },
    ]

    private static func registry() throws -> SerializerRegistry {
        @Sendable func error(_ head: ResponseHead) -> any Error {
            ForeignError.all[Int(head.url.lastPathComponent) ?? 0].error
        }
        var factories = SerializerFactories()
        try factories.register("throwing") {
            ClosureResponseSerializer<Int> { _, head in throw error(head) }
        }
        try factories.register("wrapped") {
            ClosureUnwrappingSerializer { _, head in throw error(head) }
        }
        let manifest = """
            { "manifestVersion": 1, "plugins": [
              { "id": "throwing", "factory": "throwing", "match": { "types": ["text/x-throwing"] }, "onFailure": "next" },
              { "id": "again", "factory": "throwing", "match": { "types": ["text/x-throwing"] } },
              { "id": "wrapped", "factory": "wrapped", "match": { "types": ["text/x-wrapped"] } }
            ] }
            """
        return try SerializerRegistry.standard.with(factories).overlaid(
            by: .text(manifest, name: "m.json"))
    }

    private static let types = [
        "json": "application/json", "ndjson": "application/x-ndjson", "csv": "text/csv", "throwing": "text/x-throwing",
        "wrapped": "text/x-wrapped", "text": "text/plain",
    ]

    @Sendable private static func answer(_ request: TransportRequest) throws -> StubReply {
        let path = request.head.url.path().split(separator: "/").map(String.init)
        let (kind, number) = (path.first ?? "", path.last ?? "")
        if kind == "stub" { throw ForeignError.all[Int(number) ?? 0].error }
        let status = ["missing": 404, "unauthorized": 401][kind] ?? 200
        let body = kind == "csv" ? "number\n\(number)\n" : kind == "ndjson" ? "\(number)\n" : number
        return StubReply(status: status, fields: ["Content-Type": types[kind] ?? "text/plain"], body: body)
    }

    private static func dumped(_ value: Any) -> String {
        var text = ""
        dump(value, to: &text)
        return text
    }

    /// Everything that prints.
    private static func renderings(_ value: Any) -> [String: String] {
        ["print": "\(value)", "String(reflecting:)": String(reflecting: value), "dump": dumped(value)]
    }

    /// All that a user reads of an error without reaching for another's.
    private static func renderings(of error: SessionError) -> [String: String] {
        let candidates = error.decision?.candidates ?? []
        var texts = renderings(error)
        texts["localizedDescription"] = error.localizedDescription
        texts["NSError"] = "\(error as NSError)" + (error as NSError).localizedDescription
        texts["reason"] = error.reason
        texts["inside"] = "\([error])\((1, error))\(Optional(error) as Any)\(Result<Int, SessionError>.failure(error))"
        texts["candidates"] = "\(candidates)" + dumped(candidates)
        texts["reasons"] = "\(candidates.map(\.reason))"
        texts["decision"] = "\(error.decision as Any)" + dumped(error.decision as Any)
        if let cause = error.cause { texts["retry"] = "\(RetryDecision.doNotRetryWithError(cause))" }
        let failures = candidates.map { (name: "error of \($0.entry)", error: $0.error) }
        for (name, inner) in [
            ("cause", error.cause), ("original", error.original), ("body failure", error.bodyFailure),
        ]
            + failures
        {
            for (way, text) in renderings(ofOurs: inner) { texts["\(name), \(way)"] = text }
        }
        return texts
    }

    /// The same of an error inside of another; nothing of one that is not ours.
    private static func renderings(ofOurs error: (any Error)?) -> [String: String] {
        switch error {
        case let error as SessionError: return renderings(of: error)
        case let error as FormatFailure:
            var texts = renderings(error)
            texts["localizedDescription"] = error.localizedDescription
            texts["reason"] = error.reason
            for (way, text) in renderings(ofOurs: error.cause) { texts["cause, \(way)"] = text }
            return texts
        case let error as TransportFailure:
            return renderings(error).merging(["localizedDescription": error.localizedDescription]) { $1 }
        default: return [:]
        }
    }

    @Test("wherever it is thrown and however it is printed", arguments: places)
    func shown(_ place: Place) async throws {
        for (number, row) in ForeignError.all.enumerated() {
            let events = Shared<[SessionEvent]>([])
            var configuration = SessionConfiguration()
            configuration.observers = [ClosureObserver { event in events.withLock { $0.append(event) } }]
            let manager = SessionManager(
                baseURL: URL(string: "http://origin.test/"), registry: try Self.registry(),
                transport: StubTransport(Self.answer), configuration: configuration)
            let thrown = await #expect(throws: SessionError.self) { try await place.call(manager, row, number) }
            let error = try #require(thrown, "\(row.name)")
            for (way, text) in Self.renderings(of: error) {
                #expect(!text.contains(ForeignError.secret), "\(row.name), \(way): \(text)")
            }
            for event in events.withLock({ $0 }) {
                for (way, text) in Self.renderings(event).merging(Self.renderings(event.stage), uniquingKeysWith: +) {
                    #expect(!text.contains(ForeignError.secret), "\(row.name), event, \(way): \(text)")
                }
            }
            let isShown = !place.isShown || error.description.contains(row.shown)
            #expect(isShown, "\(row.name): \(error.description)")
        }
    }

    @Test("the error itself is kept")
    func kept() async throws {
        let manager = SessionManager(
            baseURL: URL(string: "http://origin.test/"), registry: .standard, transport: StubTransport(Self.answer))
        let error = try #require(
            await #expect(throws: SessionError.self) {
                try await Self.places[0].call(
                    manager, ForeignError("a payload", ForeignError.Payload.refused("hunter2"), ""), 0)
            })
        let failed = try #require(error.decision?.candidates.first { $0.verdict == .failed })
        for kept in [error.cause, failed.error] {
            guard case ForeignError.Payload.refused("hunter2")? = kept else {
                Issue.record("\(kept.map { "\(type(of: $0))" } ?? "nothing")")
                continue
            }
        }
    }

    @Test("errors of ours that hold another, and a row that failed", arguments: ForeignError.all)
    func holders(_ row: ForeignError) {
        let decision = SerializerRegistry.standard.explain(contentType: "application/json")
        let attempt = Attempt(entry: "json", error: row.error)
        let faults: [any Error] = [ElementFailure(.line, 3, row.error)]
        let failed = SessionError(.serialization, "no value", cause: row.error) {
            $0.bodyFailure = row.error
            $0.add(decision, .empty)
            $0.outcome = .error
            $0.attempts = [attempt]
        }
        let holders: [any Error] =
            faults + faults.map(FormatFailure.published) + [
                failed, SessionError(retrying: failed, row.error), SessionError(adapting: row.error),
                FormatFailure("csv", .element, "no row", cause: row.error),
                LookupFailure(.serialization, decision, [attempt], cause: row.error),
            ]
        for holder in holders {
            for (way, text) in Self.renderings(holder).merging(Self.renderings(ofOurs: holder), uniquingKeysWith: +) {
                #expect(!text.contains(ForeignError.secret), "\(type(of: holder)), \(way): \(text)")
            }
            #expect(!holder.localizedDescription.contains(ForeignError.secret), "\(type(of: holder))")
        }
        #expect(failed.decision?.candidates.contains { $0.verdict == .failed } == true)
        let values: [Any] = [
            attempt, Decision.Candidate(attempt), RetryDecision.doNotRetryWithError(row.error),
            SerializationResult(
                outcome: .entry, value: 1, entry: "json", attempts: [attempt]),
        ]
        for value in values {
            for (way, text) in Self.renderings(value) {
                #expect(!text.contains(ForeignError.secret), "\(type(of: value)), \(way): \(text)")
            }
        }
    }
}
