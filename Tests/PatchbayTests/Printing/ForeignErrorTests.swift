import Foundation
import Patchbay
import PatchbayMigration
import TestSupport
import Testing

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
            _ = try await manager.send(request("text") { $0.validators = [ResponseValidator { _, _ in throw error }] })
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
        try factories.register("throwing") { (_: NoOptions, _) in
            ClosureResponseSerializer<Int> { _, head in throw error(head) }
        }
        try factories.register("wrapped") { (_: NoOptions, _) in
            ClosureUnwrappingSerializer { _, head in throw error(head) }
        }
        let manifest = """
            { "manifestVersion": 1, "plugins": [
              { "id": "throwing", "factory": "throwing", "match": { "types": ["text/x-throwing"] }, "onFailure": "next" },
              { "id": "again", "factory": "throwing", "match": { "types": ["text/x-throwing"] } },
              { "id": "wrapped", "factory": "wrapped", "match": { "types": ["text/x-wrapped"] } }
            ] }
            """
        return try SerializerRegistry.standard.overlaid(
            by: ManifestSource(name: "m.json", manifest), factories: factories)
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

    /// All that a user comes to who looks at an error without reaching for another's.
    private static func renderings(of error: SessionError) -> [String: String] {
        var texts = renderings(error)
        texts["localizedDescription"] = error.localizedDescription
        texts["NSError"] = "\(error as NSError)" + (error as NSError).localizedDescription
        texts["reason"] = error.reason
        texts["inside"] = "\([error])\((1, error))\(Optional(error) as Any)\(Result<Int, SessionError>.failure(error))"
        texts["tried"] = "\(error.tried)" + dumped(error.tried)
        texts["attempts"] = "\(error.attempts)" + dumped(error.attempts)
        texts["decision"] = "\(error.decision as Any)" + dumped(error.decision as Any)
        for (name, cause) in [("cause", error.cause), ("body failure", error.bodyFailure)] {
            switch cause {
            case let cause as LookupFailure:
                for (way, text) in renderings(cause) { texts["\(name), \(way)"] = text }
                texts["\(name), localized"] = cause.localizedDescription
                texts["\(name), tried"] = "\(cause.tried)" + dumped(cause.attempts)
            case let cause as RetryFailure:
                for (way, text) in renderings(cause) { texts["\(name), \(way)"] = text }
                texts["\(name), localized"] = cause.localizedDescription
                texts["\(name), decision"] = "\(RetryDecision.doNotRetryWithError(cause.error))"
            case let cause as SessionError: texts["\(name)"] = "\(cause)" + dumped(cause)
            case let cause as TransportFailure: texts["\(name)"] = "\(cause)" + dumped(cause)
            case let cause as FileFailure: texts["\(name)"] = "\(cause)" + dumped(cause)
            default: break
            }
        }
        return texts
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
        let attempt = try #require((error.cause as? LookupFailure)?.attempts.first)
        guard case ForeignError.Payload.refused("hunter2") = attempt.error else {
            Issue.record("\(type(of: attempt.error))")
            return
        }
    }

    @Test("errors of ours that hold another, and a row that failed", arguments: ForeignError.all)
    func holders(_ row: ForeignError) {
        let holders: [any Error] = [
            ElementFailure(.line, 3, row.error), CSVFailure(.decoding, line: 3, "no row", cause: row.error),
            RetryFailure(error: row.error, original: SessionError(.cancelled, reason: "it was cancelled")),
            SessionError(.serialization, reason: "no value", bodyFailure: row.error, cause: row.error),
            LookupFailure(
                .serialization, decision: SerializerRegistry.standard.explain(contentType: "application/json"),
                attempts: [Attempt(entry: "json", error: row.error)], cause: row.error),
        ]
        for holder in holders {
            for (way, text) in Self.renderings(holder) {
                #expect(!text.contains(ForeignError.secret), "\(type(of: holder)), \(way): \(text)")
            }
            #expect(!holder.localizedDescription.contains(ForeignError.secret), "\(type(of: holder))")
        }
        let values: [Any] = [
            Attempt(entry: "json", error: row.error), RetryDecision.doNotRetryWithError(row.error),
            SerializationResult(
                outcome: .value, value: 1, entry: "json", attempts: [Attempt(entry: "a", error: row.error)]),
        ]
        for value in values {
            for (way, text) in Self.renderings(value) {
                #expect(!text.contains(ForeignError.secret), "\(type(of: value)), \(way): \(text)")
            }
        }
    }
}
