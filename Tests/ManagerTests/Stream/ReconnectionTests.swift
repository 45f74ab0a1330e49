import Foundation
import PatchbayRegistry
import TestSupport
import Testing

@testable import PatchbayManager

@Suite("Streams that are asked for again", .timeLimit(.minutes(5)))
struct ReconnectionTests {
    typealias Sentence = StreamFixture.Sentence

    private static let lost = TransportFailure(.lostConnection, "the connection was lost")

    /// What a server answers with.
    private struct Answer: Sendable {
        var status = 200
        var type = "text/notes"
        var body = ""
        /// How the exchange ends, if not well; with `.other` for one that has no head.
        var failure: TransportFailure?

        static func notes(_ body: String, _ failure: TransportFailure? = nil) -> Answer {
            Answer(body: body, failure: failure)
        }
        static let unreachable = Answer(status: 0, failure: lost)
        /// No content: the server has no more.
        static let noMore = Answer(status: 204, type: "text/plain")

        /// Answers an exchange, or one that is a surprise by breaking off.
        func play(_ receiver: any ExchangeReceiver) async throws(TransportFailure) {
            if status != 0 {
                guard case .proceed = receiver.receive(status: status, fields: ["Content-Type": type]) else {
                    throw TransportFailure(.stopped, "the receiver stopped the exchange")
                }
                if !body.isEmpty { try await receiver.offer(body) }
            }
            if let failure { throw failure }
        }
    }

    /// What was asked of a server, and how long was waited before.
    private final class Log: Sendable {
        let ids = Shared<[String?]>([])
        let pauses = Shared<[Duration]>([])
        let paths = Shared<[String]>([])
    }

    /// A manager whose server gives one answer after the other, and then breaks off with `.other`, which no stream goes on after.
    private static func manager(
        _ answers: [Answer], _ log: Log = Log(), _ configure: (inout SessionConfiguration) -> Void = { _ in }
    ) throws -> SessionManager {
        var configuration = SessionConfiguration()
        configuration.sleep = { pause in log.pauses.withLock { $0.append(pause) } }
        configure(&configuration)
        return try StreamFixture.manager(configuration) { number, request, receiver throws(TransportFailure) in
            log.ids.withLock { $0.append(request.head.fields["Last-Event-ID"]) }
            log.paths.withLock { $0.append(request.head.url.path()) }
            guard number <= answers.count else {
                // One that did go on would not end.
                if number > 20 { return try await Answer.noMore.play(receiver) }
                throw TransportFailure(.other, "nobody is asked so often")
            }
            try await answers[number - 1].play(receiver)
        }
    }

    /// The elements of a stream, and what ended it if that was an error.
    private static func run(
        _ manager: SessionManager, _ request: SessionRequest = SessionRequest("a"),
        _ reconnection: EventReconnection? = .standard
    ) async -> ([Sentence], SessionError?) {
        var sentences: [Sentence] = []
        do throws(SessionError) {
            for try await sentence in try await manager.stream(request, of: Sentence.self, reconnecting: reconnection) {
                sentences.append(sentence)
            }
            return (sentences, nil)
        } catch {
            return (sentences, error)
        }
    }

    // MARK: When

    @Test("a stream that is not to be asked for again ends with its connection", arguments: [nil, lost])
    func off(_ failure: TransportFailure?) async throws {
        let log = Log()
        let (sentences, error) = await Self.run(
            try Self.manager([.notes("1=One.", failure)], log), SessionRequest("a"), nil)
        #expect(sentences == ["One"])
        #expect(error?.code == (failure == nil ? nil : .transport))
        #expect(log.ids.withLock { $0 } == [nil])
    }

    static let ends: [(name: String, failure: TransportFailure?)] = [
        ("the body ends", nil), ("the connection is lost", lost),
        ("the body breaks off", TransportFailure(.truncatedBody, "the connection was closed")),
    ]

    @Test("where one is to be, it goes on behind its last event when its connection is over", arguments: ends.indices)
    func goesOn(_ index: Int) async throws {
        let (name, failure) = Self.ends[index]
        let log = Log()
        let manager = try Self.manager(
            [.notes("1=One.2=Two.", failure), .notes("", failure), .notes("3=Three.", failure), .noMore], log)
        let (sentences, error) = await Self.run(manager)
        #expect(sentences == ["One", "Two", "Three"], "\(name)")
        #expect(error == nil, "\(name)")
        #expect(log.ids.withLock { $0 } == [nil, "2", "2", "3"], "\(name)")
        try await until { manager.tasks.isEmpty }
    }

    @Test("a stream whose server falls silent goes on when the idle timeout has run out")
    func silence() async throws {
        let manager = try StreamFixture.manager { number, request, receiver throws(TransportFailure) in
            guard number == 1 else {
                #expect(request.head.fields["Last-Event-ID"] == "1")
                return try await Answer.noMore.play(receiver)
            }
            try await Answer.notes("1=One.").play(receiver)
            await receiver.stop.fired()
            throw TransportFailure(.stopped, "the exchange was stopped")
        }
        var request = SessionRequest("a")
        request.idleTimeout = .seconds(2)
        var reconnection = EventReconnection()
        reconnection.allowedDelays = .zero ... .zero
        let (sentences, error) = await Self.run(manager, request, reconnection)
        #expect(sentences == ["One"])
        #expect(error == nil)
    }

    @Test("what is unfinished where a connection ends is dropped, and its id does not count")
    func unfinished() async throws {
        let log = Log()
        let (sentences, error) = await Self.run(
            try Self.manager([.notes("1=One.2=Tw", Self.lost), .notes("o.2=Two."), .noMore], log))
        #expect(sentences == ["One", "o", "Two"])
        #expect(error == nil)
        #expect(log.ids.withLock { $0 } == [nil, "1", "2"])
    }

    @Test(
        "an entry that says that its elements are over ends the stream, whatever ends the connection",
        arguments: [nil, lost])
    func finished(_ failure: TransportFailure?) async throws {
        let log = Log()
        let (sentences, error) = await Self.run(try Self.manager([.notes("1=One.THE END.", failure)], log))
        #expect(sentences == ["One"])
        #expect(error == nil)
        #expect(log.ids.withLock { $0 } == [nil])
    }

    @Test("status 204 ends a stream well, the first time too")
    func noContent() async throws {
        let log = Log()
        let (sentences, error) = await Self.run(try Self.manager([.noMore], log))
        #expect(sentences == [])
        #expect(error == nil)
        #expect(log.ids.withLock { $0 } == [nil])
    }

    @Test("a stream that has not begun is not asked for again")
    func neverBegan() async throws {
        let log = Log()
        let (sentences, error) = await Self.run(try Self.manager([.unreachable], log))
        #expect(sentences == [])
        #expect(error?.cause as? TransportFailure == Self.lost)
        #expect(log.ids.withLock { $0 } == [nil])
    }

    @Test("no request is sent before the reader has read what the connection before gave")
    func reader() async throws {
        let log = Log()
        let manager = try Self.manager([.notes("1=One.2=Two."), .noMore], log)
        let stream = try await manager.stream("a", of: Sentence.self, reconnecting: .standard)
        var iterator = stream.makeAsyncIterator()
        #expect(try await iterator.next() == "One")
        await settle()
        #expect(log.pauses.withLock { $0 } == [])
        #expect(try await iterator.next() == "Two")
        #expect(try await iterator.next() == nil)
        #expect(log.ids.withLock { $0 } == [nil, "2"])
    }

    // MARK: What is sent

    @Test("without an id none is sent; the sender's own is, until the server gives another or takes it back")
    func ids() async throws {
        let rows: [(name: String, own: String?, first: String, then: String?)] = [
            ("none", nil, "One.", nil),
            ("the sender's own", "0", "One.", "0"),
            ("another", "0", "1=One.", "1"),
            ("taken back", "0", "=One.", nil),
            ("not in ASCII", nil, "é雪=One.", "é雪"),
        ]
        for row in rows {
            let log = Log()
            var request = SessionRequest("a")
            request.headers["last-event-id"] = row.own
            let (_, error) = await Self.run(try Self.manager([.notes(row.first), .noMore], log), request)
            #expect(error == nil, "\(row.name)")
            #expect(log.ids.withLock { $0 } == [row.own, row.then], "\(row.name)")
        }
    }

    @Test("an id that no header field can hold is an error, and not sent")
    func control() async throws {
        let log = Log()
        let (sentences, error) = await Self.run(try Self.manager([.notes("\u{1}=One."), .noMore], log))
        #expect(sentences == ["One"])
        #expect(error?.code == .invalidRequest)
        #expect(log.ids.withLock { $0 } == [nil])
    }

    @Test("the request is the same otherwise, through interceptors that see the id, and from where it was first sent")
    func sameRequest() async throws {
        let log = Log()
        let adapted = Shared<[String?]>([])
        let sent = Shared<[HeaderFields]>([])
        var configuration = SessionConfiguration()
        configuration.sleep = { _ in }
        configuration.interceptors = [
            MadeInterceptor(adapt: { request in
                adapted.withLock { $0.append(request.headers["Last-Event-ID"]) }
                var request = request
                request.headers["X-Try"] = "\(adapted.withLock(\.count))"
                return request
            })
        ]
        let manager = try StreamFixture.manager(configuration) { number, request, receiver throws(TransportFailure) in
            log.paths.withLock { $0.append(request.head.url.path()) }
            guard request.head.url.path() == "/b" else {
                _ = receiver.receive(status: 307, fields: ["Location": "/b"])
                return
            }
            sent.withLock { $0.append(request.head.fields) }
            try await (number == 2 ? Answer.notes("1=One.") : .noMore).play(receiver)
        }
        var request = SessionRequest("a?x=1")
        request.headers["X-Own"] = "own"
        let (sentences, error) = await Self.run(manager, request)
        #expect(sentences == ["One"])
        #expect(error == nil)
        #expect(log.paths.withLock { $0 } == ["/a", "/b", "/a", "/b"])
        #expect(adapted.withLock { $0 } == [nil, "1"])
        #expect(sent.withLock { $0.map { $0["X-Own"] } } == ["own", "own"])
        #expect(sent.withLock { $0.map { $0["X-Try"] } } == ["1", "2"])
        #expect(sent.withLock { $0.map { $0["Accept"] } }.allSatisfy { $0 != nil })
    }

    @Test("a stream that goes on asks caches for nothing old (WHATWG HTML 9.2.2), unless a field says otherwise")
    func noCache() async throws {
        let rows:
            [(
                name: String, reconnection: EventReconnection?, own: String?, manager: String?, adapted: String?,
                sent: String?
            )] = [
                ("goes on", .standard, nil, nil, nil, "no-cache"), ("does not go on", nil, nil, nil, nil, nil),
                ("its own field", .standard, "max-age=5", nil, nil, "max-age=5"),
                ("the manager's", .standard, nil, "no-store", nil, "no-store"),
                ("an interceptor's", .standard, nil, nil, "only-if-cached", "only-if-cached"),
            ]
        for row in rows {
            let sent = Shared<[String?]>([])
            var configuration = SessionConfiguration()
            configuration.sleep = { _ in }
            configuration.interceptors = [
                MadeInterceptor(adapt: { request in
                    #expect(request.headers["Cache-Control"] == row.own, "\(row.name)")
                    var request = request
                    if let adapted = row.adapted { request.headers["cache-control"] = adapted }
                    return request
                })
            ]
            if let field = row.manager { configuration.headers["Cache-Control"] = field }
            let manager = try StreamFixture.manager(configuration) {
                number, request, receiver throws(TransportFailure) in
                sent.withLock { $0.append(request.head.fields["Cache-Control"]) }
                switch number {
                case 1: _ = receiver.receive(status: 307, fields: ["Location": "http://other.test/b"])
                case 2: try await Answer.notes("1=One.").play(receiver)
                default: try await Answer.noMore.play(receiver)
                }
            }
            var request = SessionRequest("a")
            request.headers["cache-control"] = row.own
            let (sentences, error) = await Self.run(manager, request, row.reconnection)
            #expect(sentences == ["One"], "\(row.name)")
            #expect(error == nil, "\(row.name)")
            let count = row.reconnection == nil ? 2 : 3
            #expect(sent.withLock { $0 } == [String?](repeating: row.sent, count: count), "\(row.name)")
        }
    }

    @Test("a method that cannot be repeated is an error, and nothing is sent")
    func method() async throws {
        let log = Log()
        let manager = try Self.manager([.notes("1=One.")], log)
        let (sentences, error) = await Self.run(manager, SessionRequest("a", body: "{}"))
        #expect(sentences == [])
        #expect(error?.code == .invalidRequest)
        #expect(error?.reason == "the request was not sent: only the stream of a GET is asked for again, not of POST")
        #expect(log.ids.withLock { $0 } == [])
    }

    // MARK: How long is waited

    @Test(
        "what is waited: what is set, what the server says within bounds, and more with each failure until a connection"
    )
    func pauses() async throws {
        let rows: [(name: String, answers: [Answer], pauses: [Duration])] = [
            ("three seconds", [.notes("."), .noMore], [.seconds(3)]),
            (
                "what the server says, until it says another",
                [.notes("~700."), .notes("."), .notes("~900."), .noMore],
                [.milliseconds(700), .milliseconds(700), .milliseconds(900)]
            ),
            ("not less than half a second", [.notes("~0."), .noMore], [.milliseconds(500)]),
            ("not more than five minutes", [.notes("~\(Int32.max)."), .noMore], [.seconds(300)]),
            (
                "twice as long with each failure, up to five minutes",
                [.notes("~50000.")] + [Answer](repeating: .unreachable, count: 5) + [.notes("1=One."), .noMore],
                [.seconds(50), .seconds(100), .seconds(200), .seconds(300), .seconds(300), .seconds(300), .seconds(50)]
            ),
        ]
        for row in rows {
            let log = Log()
            let manager = try Self.manager(row.answers, log) { $0.random = { 0 } }
            let (_, error) = await Self.run(manager)
            #expect(error == nil, "\(row.name)")
            #expect(log.pauses.withLock { $0 } == row.pauses, "\(row.name)")
            // The longest wait, of five minutes, is spread too.
            let latest = Log()
            _ = await Self.run(try Self.manager(row.answers, latest) { $0.random = { 1 } })
            #expect(latest.pauses.withLock { $0 } == row.pauses.map { $0 + $0 * 0.5 }, "\(row.name)")
        }
    }

    @Test("a wait is one to one and a half times as long, each time another, and never under what the server says")
    func spread() async throws {
        let answers: [Answer] = [.notes("~50000.")] + [Answer](repeating: .unreachable, count: 5) + [.noMore]
        let lengths = [50, 100, 200, 300, 300, 300].map { Duration.seconds($0) }
        var different = Set<Duration>()
        for _ in 0..<20 {
            let log = Log()
            let (_, error) = await Self.run(try Self.manager(answers, log))
            #expect(error == nil)
            let pauses = log.pauses.withLock { $0 }
            #expect(pauses.count == lengths.count)
            for (pause, length) in zip(pauses, lengths) { #expect(length...length + length * 0.5 ~= pause, "\(pause)") }
            if let first = pauses.first { different.insert(first) }
        }
        #expect(different.count > 1)
    }

    @Test("settings that make no sense end nothing but the wait")
    func absurd() async throws {
        var reconnection = EventReconnection()
        let never = Duration.seconds(Int64.max)
        let rows: [(Duration, ClosedRange<Duration>, Duration?, Int, Duration)] = [
            (.seconds(-5), .seconds(-9) ... .seconds(-1), nil, 3, .zero),
            (never, .zero...never, never, 9, never.waitable),
            (.zero, .zero ... .milliseconds(4), nil, 2, .milliseconds(4)),
            (.zero, .zero ... .zero, nil, .max, .zero),
            (.seconds(1), .seconds(5) ... .seconds(5), .seconds(9), -1, .seconds(5)),
        ]
        for (delay, allowed, asked, failures, pause) in rows {
            (reconnection.delay, reconnection.allowedDelays) = (delay, allowed)
            #expect(reconnection.pause(asked, after: failures, spread: 0) == pause)
            #expect(reconnection.pause(asked, after: failures, spread: 1) == pause + pause * 0.5)
        }
    }

    @Test("however a wait is spread, it is never under what the server says, nor over one and a half times that")
    func bounds() async throws {
        let asked: [Duration?] = [
            nil, .zero, .milliseconds(1), .milliseconds(700), .seconds(299), .milliseconds(Int32.max),
        ]
        let longest = Duration.seconds(300)
        for asked in asked {
            for failures in [0, 1, 7, .max] {
                let length = EventReconnection.standard.pause(asked, after: failures, spread: 0)
                #expect(length >= min(asked ?? .zero, longest))
                for spread in [0, .leastNonzeroMagnitude, 0.1, 0.5, 1 - .ulpOfOne, 1] {
                    let pause = EventReconnection.standard.pause(asked, after: failures, spread: spread)
                    #expect(length...length + length * 0.5 ~= pause, "\(pause)")
                }
            }
        }
    }

    @Test("the spread is at random, from nothing to all of it")
    func random() {
        let random = SessionConfiguration().random
        let numbers = (0..<1_000).map { _ in random() }
        #expect(numbers.allSatisfy { 0...1 ~= $0 })
        #expect(numbers.contains { $0 < 0.1 } && numbers.contains { $0 > 0.9 })
    }

    @Test("so many requests in a row may fail; then the last failure is thrown, behind the elements")
    func attempts() async throws {
        let rows: [(limit: Int, answers: [Answer], requests: Int, code: SessionError.Code?, count: String?)] = [
            (0, [.notes("1=One.")], 1, nil, nil),
            (0, [.notes("1=One.", Self.lost)], 1, .transport, nil),
            (1, [.notes("1=One."), .unreachable], 2, .transport, "1 request"),
            (2, [.notes("1=One."), .unreachable, .unreachable], 3, .transport, "2 requests in a row"),
            (2, [.notes("1=One."), .unreachable, .notes(""), .unreachable, .noMore], 5, nil, nil),
        ]
        for (index, row) in rows.enumerated() {
            let log = Log()
            var reconnection = EventReconnection()
            reconnection.maximumAttempts = row.limit
            let (sentences, error) = await Self.run(
                try Self.manager(row.answers, log), SessionRequest("a"), reconnection)
            #expect(sentences == ["One"], "row \(index)")
            #expect(error?.code == row.code, "row \(index)")
            let end = row.count.map { "; the stream gave up, because \($0) to reconnect failed (maximumAttempts)" }
            let isNamed = error.map { end.map($0.reason.hasSuffix) ?? !$0.reason.contains("gave up") }
            #expect(isNamed != false, "row \(index)")
            #expect(log.ids.withLock(\.count) == row.requests, "row \(index)")
        }
    }

    // MARK: What ends it with an error

    static let refusals: [(name: String, type: String, status: Int, code: SessionError.Code)] = [
        ("a status that is not acceptable", "text/notes", 404, .status),
        ("a server's failure", "text/notes", 503, .status),
        ("a status without a body that is not 204", "text/notes", 205, .noReader),
        ("a type that nobody reads", "text/html", 200, .noReader),
        ("a type of which one value is made", "text/whole", 200, .noReader),
        ("elements without places", "text/sentences", 200, .noReader),
        ("another entry", "text/other-notes", 200, .noReader),
    ]

    @Test(
        "another answer than the stream ends it with an error, behind the elements before", arguments: refusals.indices)
    func refused(_ index: Int) async throws {
        let row = Self.refusals[index]
        let log = Log()
        let manager = try Self.manager(
            [.notes("1=One."), Answer(status: row.status, type: row.type, body: "2=Two.")], log)
        let (sentences, error) = await Self.run(manager)
        #expect(sentences == ["One"], "\(row.name)")
        #expect(error?.code == row.code, "\(row.name): \(error.map(String.init(describing:)) ?? "-")")
        #expect(error?.head?.status == row.status, "\(row.name)")
        #expect(log.ids.withLock { $0 } == [nil, "1"], "\(row.name)")
        try await until { manager.tasks.isEmpty }
    }

    @Test("the error of another answer says who read the elements before, and who would now")
    func sentence() async throws {
        let other = Answer(type: "text/whole", body: "2=Two.")
        let (_, error) = await Self.run(try Self.manager([.notes("1=One."), other]))
        #expect(
            error?.reason
                == "the stream does not go on: text/whole with status 200 is for entry whole, and not for entry notes")
        let (_, empty) = await Self.run(try Self.manager([.notes("1=One."), Answer(status: 205)]))
        #expect(empty?.reason == "the stream does not go on: text/notes with status 205 is without a body")
    }

    @Test("elements that have no place to go on from are an error at the head, and their exchange is stopped")
    func noPlaces() async throws {
        let stopped = OneShot()
        let manager = try StreamFixture.manager { _, _, receiver throws(TransportFailure) in
            receiver.receiveHead()
            await receiver.stop.fired()
            stopped.fire()
            throw TransportFailure(.stopped, "the exchange was stopped")
        }
        let (sentences, error) = await Self.run(manager)
        #expect(sentences == [])
        #expect(error?.code == .noReader)
        #expect(error?.decision?.entry == "sentences")
        #expect(error?.decision?.outcome == .error)
        await stopped.fired()
        try await until { manager.tasks.isEmpty }
    }

    @Test("an element that is wrong ends the stream, and it is not asked for again")
    func wrong() async throws {
        let log = Log()
        let (sentences, error) = await Self.run(try Self.manager([.notes("1=One.2=No!."), .noMore], log))
        #expect(sentences == ["One"])
        #expect(error?.code == .serialization)
        #expect(log.ids.withLock { $0 } == [nil])
    }

    @Test("validators see the head of each response")
    func validators() async throws {
        struct Refused: Error {}
        let heads = Shared(0)
        var request = SessionRequest("a")
        request.validators = [
            { _, _ in
                let count = heads.withLock { count in
                    count += 1
                    return count
                }
                if count == 3 { throw Refused() }
            }
        ]
        let manager = try Self.manager([.notes("1=One."), .notes("2=Two."), .notes("3=Three.")])
        let (sentences, error) = await Self.run(manager, request)
        #expect(sentences == ["One", "Two"])
        #expect(error?.cause is Refused)
    }

    // MARK: Trying again

    @Test(
        "the request of each connection may be tried again by interceptors, as often as that of a call; one that has begun may not"
    )
    func retries() async throws {
        let log = Log()
        let asked = Shared<[Int]>([])
        let busy = Answer(status: 503)
        let answers: [Answer] = [
            busy, busy, .notes("1=One.", Self.lost), busy, busy, .notes("2=Two."), .unreachable, busy, .noMore,
        ]
        let manager = try Self.manager(answers, log) { configuration in
            configuration.interceptors = [
                MadeInterceptor(retry: { _, error in
                    asked.withLock { $0.append(error.retries) }
                    return error.retries < 2 ? .retry : .doNotRetry
                })
            ]
        }
        let (sentences, error) = await Self.run(manager)
        #expect(sentences == ["One", "Two"])
        #expect(error == nil)
        #expect(asked.withLock { $0 } == [0, 1, 0, 1, 0, 1])
        #expect(log.ids.withLock { $0 } == [nil, nil, nil, "1", "1", "1", "2", "2", "2"])
        #expect(log.pauses.withLock(\.count) == 2)
    }

    @Test("a credential that runs out with each connection is renewed, however few retries a call has for that")
    func credential() async throws {
        let sent = Shared<[String?]>([])
        let renewals = Shared(1)
        let authentication = AuthenticationInterceptor(
            BearerScheme { _ in
                BearerScheme.Credential(
                    token: renewals.withLock { count in
                        count += 1
                        return "\(count)"
                    })
            }, credential: BearerScheme.Credential(token: "1"), maximumRefreshes: nil, maximumRetries: 1)
        let refused = Answer(status: 401)
        let answers: [Answer] = [
            .notes("1=One.", Self.lost), refused, .notes("2=Two."), refused, .notes("3=Three."), refused, .noMore,
        ]
        var configuration = SessionConfiguration()
        configuration.sleep = { _ in }
        configuration.interceptors = [authentication]
        let manager = try StreamFixture.manager(configuration) { number, request, receiver throws(TransportFailure) in
            sent.withLock { $0.append(request.head.fields["Authorization"]) }
            try await answers[min(number, answers.count) - 1].play(receiver)
        }
        let (sentences, error) = await Self.run(manager)
        #expect(sentences == ["One", "Two", "Three"])
        #expect(error == nil)
        #expect(sent.withLock { $0 } == [1, 1, 2, 2, 3, 3, 4].map { "Bearer \($0)" })
    }

    @Test("observers hear of each request, and of each failure that is gone on after")
    func observed() async throws {
        let stages = Shared<[String]>([])
        let isOver = OneShot()
        let manager = try Self.manager([.notes("1=One.", Self.lost), .notes(""), .noMore]) { configuration in
            configuration.observers = [
                MadeObserver { event in
                    switch event.stage {
                    case .sending: stages.withLock { $0.append("sending") }
                    case .retrying(let error): stages.withLock { $0.append("retrying: \(error.code)") }
                    case .finished: isOver.fire()
                    default: break
                    }
                }
            ]
        }
        _ = await Self.run(manager)
        await isOver.fired()
        #expect(stages.withLock { $0 } == ["sending", "retrying: transport", "sending", "sending"])
    }

    // MARK: While it waits

    /// A manager whose streams wait for ever once their first connection is over, and what says that one does.
    private static func waiting() throws -> (SessionManager, OneShot) {
        let waits = OneShot()
        let manager = try manager([.notes("1=One.")]) { configuration in
            configuration.sleep = { _ in
                waits.fire()
                try? await Task.sleep(for: .seconds(3_600))
            }
        }
        return (manager, waits)
    }

    @Test("cancelling the task that reads ends the wait, and the loop as cancelled")
    func cancelled() async throws {
        let (manager, waits) = try Self.waiting()
        let reading = Task { await Self.run(manager) }
        await waits.fired()
        reading.cancel()
        let (sentences, error) = await reading.value
        #expect(sentences == ["One"])
        #expect(error?.code == .cancelled)
        #expect(manager.tasks.isEmpty)
    }

    @Test("letting go of the stream between two connections ends it", arguments: [0, 1])
    func dropped(_ count: Int) async throws {
        let log = Log()
        let manager = try Self.manager([.notes("1=One.2=Two.")], log)
        do {
            var iterator = try await manager.stream("a", of: Sentence.self, reconnecting: .standard).makeAsyncIterator()
            for _ in 0..<count { #expect(try await iterator.next() == "One") }
            await settle()
            #expect(manager.tasks.count == 1)
        }
        try await until { manager.tasks.isEmpty }
        #expect(log.ids.withLock { $0 } == [nil])
    }

    @Test("the total timeout of the request is that of all connections and the waits between them")
    func total() async throws {
        let (manager, _) = try Self.waiting()
        var request = SessionRequest("a")
        request.totalTimeout = .seconds(2)
        let (sentences, error) = await Self.run(manager, request)
        #expect(sentences == ["One"])
        #expect(error?.code == .totalTimeout)
        #expect(error?.description.hasPrefix("GET origin.test/a: ") == true, "\(String(describing: error))")
    }

    @Test("a manager that is invalidated lets its streams end with their connection")
    func invalidated() async throws {
        let log = Log()
        let manager = try Self.manager([.notes("1=One."), .notes("2=Two.")], log)
        let stream = try await manager.stream("a", of: Sentence.self, reconnecting: .standard)
        manager.invalidate(cancellingTasks: false)
        #expect(try await stream.all() == ["One"])
        #expect(log.ids.withLock { $0 } == [nil])
    }

    @Test("the end of the call ends the wait for a reader who does not read")
    func endedWhileUnread() async throws {
        let sink = StreamBody(limit: 1, .standard)
        let waiting = Task { await sink.gap() }
        guard case .gap = await sink.next() else {
            Issue.record("the reader is not asked where it is")
            return
        }
        sink.end(.failure(SessionError(Timeouts.End.cancelled)))
        #expect(await waiting.value == nil)
        guard case .end = await sink.next() else {
            Issue.record("the reader is asked where it is, and nobody waits for that")
            return
        }
    }

    // MARK: What is known of it

    @Test("head and decision are those of the last response")
    func head() async throws {
        let manager = try StreamFixture.manager(
            {
                var configuration = SessionConfiguration()
                configuration.sleep = { _ in }
                return configuration
            }()
        ) { number, _, receiver throws(TransportFailure) in
            guard number < 3 else { return try await Answer.noMore.play(receiver) }
            _ = receiver.receive(status: 200, fields: ["Content-Type": "text/notes", "X-Number": "\(number)"])
            try await receiver.offer("\(number)=One.")
        }
        let stream = try await manager.stream("a", of: Sentence.self, reconnecting: .standard)
        var iterator = stream.makeAsyncIterator()
        var numbers: [String?] = [stream.head.fields["X-Number"]]
        while try await iterator.next() != nil { numbers.append(stream.decision.head.fields["X-Number"]) }
        #expect(numbers == ["1", "1", "2"])
        #expect(stream.head.status == 204)
        #expect("\(stream)" == "GET origin.test/a: 204, elements of Sentence")
    }

    @Test("a stream of elements of any type goes on too")
    func anyElements() async throws {
        let log = Log()
        let manager = try Self.manager([.notes("1=One."), .notes("2=Two."), .noMore], log)
        let elements = try await manager.stream("a", reconnecting: .standard).all()
        #expect(elements.compactMap { $0 as? Sentence } == ["One", "Two"])
        #expect(log.ids.withLock { $0 } == [nil, "1", "2"])
    }
}
