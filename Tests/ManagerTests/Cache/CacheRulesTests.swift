import Foundation
import PatchbayRegistry
import PatchbayTesting
import TestSupport
import Testing

@testable import PatchbayManager

/// The rules of RFC 9111, one row for each: what is stored, how long it is fresh, and what a request can ask for.
@Suite("Rules of the cache", .timeLimit(.minutes(5))) struct CacheRulesTests {
    /// One request, and what happens to it.
    struct Step: Sendable {
        var after = 0.0
        var method = "GET"
        var target = "page"
        var asks: HeaderFields = [:]
        /// The answer of the server if it is asked.
        var answer = StubReply(fields: CacheRulesTests.fresh, body: "old")
        /// The words of `CacheStatus` without the time to live.
        let status: String
        /// The body that the call gets; nil if it doesn't matter.
        var body: String?
        /// Whether the server gets a condition, and answers that nothing has changed.
        var unchanged: HeaderFields?

        static func first(_ fields: HeaderFields, status: Int = 200, asks: HeaderFields = [:], stored: Bool = true)
            -> Step
        {
            Step(
                asks: asks, answer: StubReply(status: status, fields: fields, body: "old"),
                status: stored ? "fwd=miss; stored" : "fwd=miss")
        }

        /// A later request that has the stored answer.
        static func hit(_ after: Double = 0, asks: HeaderFields = [:]) -> Step {
            Step(after: after, asks: asks, status: "hit", body: "old")
        }

        /// A later request that the server answers anew.
        static func sent(
            _ after: Double = 0, as status: String = "fwd=stale; stored", asks: HeaderFields = [:],
            with fields: HeaderFields = [:]
        ) -> Step {
            Step(
                after: after, asks: asks, answer: StubReply(fields: CacheRulesTests.fresh.with(fields), body: "new"),
                status: status,
                body: "new")
        }

        /// A later request whose condition the server answers with 304.
        static func validated(_ after: Double = 0, asks: HeaderFields = [:], with fields: HeaderFields = [:]) -> Step {
            Step(
                after: after, asks: asks, status: "fwd=stale; fwd-status=304; stored", body: "old", unchanged: fields)
        }
    }

    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let steps: [Step]
        init(_ name: String, _ steps: Step...) { (testDescription, self.steps) = (name, steps) }
    }

    static let fresh: HeaderFields = ["Content-Type": "text/plain", "Cache-Control": "max-age=60"]
    /// The time of the first request, in seconds since 1970: `Sun, 06 Nov 1994 08:49:37 GMT`.
    private static let start = 784_111_777.0

    private static func control(_ value: String, _ more: HeaderFields = [:]) -> HeaderFields {
        var fields: HeaderFields = ["Content-Type": "text/plain", "Cache-Control": value]
        for field in more { fields.append(field.value, for: field.name) }
        return fields
    }

    private static let text: HeaderFields = ["Content-Type": "text/plain"]
    private static let now = "Sun, 06 Nov 1994 08:49:37 GMT"
    private static let inAMinute = "Sun, 06 Nov 1994 08:50:37 GMT"
    private static let tenMinutesAgo = "Sun, 06 Nov 1994 08:39:37 GMT"
    private static let longAgo = "Sun, 06 Nov 1983 08:49:37 GMT"
    private static let missed = "fwd=miss"
    private static let again = "fwd=miss; stored"

    private static let lifetimes: [Case] = [
        Case("max-age is how long an answer is fresh", .first(control("max-age=60")), .hit(59), .sent(1)),
        Case("max-age wins over Expires", .first(control("max-age=60", ["Expires": longAgo])), .hit(59)),
        Case("Expires counts from Date", .first(text.with(["Expires": inAMinute, "Date": now])), .hit(59), .sent(1)),
        Case(
            "Expires that is no date has passed",
            .first(text.with(["Expires": "0", "ETag": "\"a\"", "Last-Modified": longAgo])), .validated(1)),
        Case("s-maxage is for shared caches", .first(control("max-age=60, s-maxage=1")), .hit(30)),
        Case(
            "an answer without a time and without a date is not stored", .first(text, stored: false), .sent(as: again)),
        Case(
            "an answer without a time is fresh for a tenth of its age",
            .first(text.with(["Date": now, "Last-Modified": tenMinutesAgo])), .hit(59), .validated(1)),
        Case(
            "an answer without a time is fresh for a day at most",
            .first(text.with(["Date": now, "Last-Modified": longAgo])), .hit(86_399), .validated(1)),
        Case(
            "status 403 without a time is never fresh",
            .first(text.with(["Date": now, "Last-Modified": longAgo]), status: 403),
            .validated(1)),
        Case("status 404 with a time is fresh", .first(control("max-age=60"), status: 404), .hit(1)),
        Case("an unknown status with a time is fresh", .first(control("max-age=60"), status: 299), .hit(1)),
        Case("a part is not stored", .first(control("max-age=60"), status: 206, stored: false)),
        Case("max-age above 2^31 is a long time", .first(control("max-age=99999999999999999999")), .hit(1_000_000)),
        Case("a negative max-age is none", .first(control("max-age=-1", ["ETag": "\"a\""])), .validated()),
        Case("a max-age in quotes counts", .first(control("max-age=\"60\"")), .hit(59), .sent(1)),
        Case("max-age in letters is none", .first(control("max-age=abc", ["ETag": "\"a\""])), .validated()),
        Case("a name in capitals counts", .first(control("MAX-AGE=60")), .hit(59)),
        Case("a comma in quotes ends no directive", .first(control("x=\"a, max-age=1\", max-age=60")), .hit(59)),
        Case("a quote in quotes ends no text", .first(control("x=\"a\\\", max-age=1\", max-age=60")), .hit(59)),
        Case(
            "a second line belongs to the field", .first(control("x=1", ["Cache-Control": "max-age=60"])), .hit(59)),
        Case("the first of two counts", .first(control("max-age=60, max-age=600")), .hit(59), .sent(1)),
        Case("Age counts against the time", .first(control("max-age=60", ["Age": "50"])), .hit(9), .sent(1)),
        Case("Age that is no number counts as 0", .first(control("max-age=60", ["Age": "-x"])), .hit(59)),
        Case(
            "an old Date counts against the time", .first(control("max-age=601", ["Date": tenMinutesAgo])), .hit(),
            .sent(1)),
        Case(
            "a Date of the future doesn't lengthen the time", .first(control("max-age=60", ["Date": inAMinute])),
            .hit(59), .sent(1)),
        Case("a clock that was set back makes no answer fresh", .first(control("max-age=60")), .sent(-1)),
    ]

    private static let directives: [Case] = [
        Case("no-store is not stored", .first(control("no-store, max-age=60"), stored: false), .sent(as: again)),
        Case("private is stored", .first(control("private, max-age=60")), .hit(1)),
        Case(
            "no-cache is used after a validation", .first(control("no-cache, max-age=60", ["ETag": "\"a\""])),
            .validated()),
        Case(
            "no-cache with names leaves these out", .first(control("no-cache=\"X-A\", max-age=60", ["X-A": "1"])),
            .hit(1)),
        Case(
            "must-understand with a known status stores", .first(control("no-store, must-understand, max-age=60")),
            .hit(1)),
        Case(
            "a quote that is never closed hides nothing", .first(control("max-age=60, x=\"a, no-store"), stored: false)),
        Case(
            "Connection can't take Cache-Control away",
            .first(control("no-cache, max-age=60", ["ETag": "\"a\"", "Connection": "cache-control"])), .validated()),
        Case(
            "no-cache with the name of a field that decides is about the whole response",
            .first(control("no-cache=\"Expires\", max-age=60", ["ETag": "\"a\""])), .validated()),
        Case(
            "a tag that can't be sent is no condition", .first(control("max-age=60", ["ETag": "\"\u{1}\""])), .sent(60)),
        Case(
            "one of two dates has passed",
            .first(text.with(["Expires": inAMinute, "ETag": "\"a\""]).with(["Expires": longAgo])), .validated()),
        Case("a status above 599 is not stored", .first(control("max-age=60"), status: 600, stored: false)),
        Case(
            "an unstorable answer doesn't last", .first(control("no-store"), stored: false),
            .sent(as: again), Step(after: 59, status: "hit", body: "new")),
        Case(
            "must-understand with an unknown status doesn't store",
            .first(control("must-understand, max-age=60"), status: 299, stored: false)),
        Case("Vary: * is not stored", .first(control("max-age=60", ["Vary": "*"]), stored: false), .sent(as: again)),
        Case(
            "Vary selects by the value", .first(control("max-age=60", ["Vary": "X-A"]), asks: ["X-A": "1"]),
            .hit(asks: ["X-A": "1"]), .sent(as: "fwd=vary-miss; stored", asks: ["X-A": "2"], with: ["Vary": "X-A"]),
            .hit(asks: ["X-A": "1"])),
        Case(
            "every name of Vary selects, in any case",
            .first(control("max-age=60", ["Vary": "x-b, X-a"]), asks: ["X-A": "1"]), .hit(asks: ["X-A": "1"]),
            .sent(as: "fwd=vary-miss; stored", asks: ["X-A": "1", "X-B": "1"])),
        Case(
            "a second line of Vary selects",
            .first(control("max-age=60", ["Vary": "X-B"]).with(["Vary": "X-A"]), asks: ["X-A": "1"]),
            .sent(as: "fwd=vary-miss; stored")),
        Case(
            "blanks at the commas of a value don't count",
            .first(control("max-age=60", ["Vary": "X-A"]), asks: ["X-A": "a, b"]), .hit(asks: ["X-A": "a,b"]),
            .sent(as: "fwd=vary-miss; stored", asks: ["X-A": "ab"])),
        Case(
            "Accept always selects", .first(control("max-age=60"), asks: ["Accept": "text/html"]),
            .sent(as: "fwd=vary-miss; stored", asks: ["Accept": "application/json"])),
        Case(
            "a field that speaks of a credential always selects", .first(fresh, asks: ["X-Session": "1"]),
            .sent(as: "fwd=vary-miss; stored", asks: ["X-Session": "2"])),
        Case(
            "a credential always selects", .first(control("max-age=60"), asks: ["Authorization": "Basic YTpi"]),
            .sent(as: "fwd=vary-miss; stored", asks: ["Authorization": "Basic YTpj"]),
            .hit(asks: ["Authorization": "Basic YTpi"]), .sent(as: "fwd=vary-miss; stored")),
        Case(
            "a credential is compared byte by byte", .first(control("max-age=60"), asks: ["X-Api-Key": "a,b"]),
            .sent(as: "fwd=vary-miss; stored", asks: ["X-Api-Key": "a, b"])),
        Case("Host selects", .first(fresh), .sent(as: "fwd=vary-miss; stored", asks: ["Host": "b.example"])),
        Case(
            "the codings that the caller decodes select", .first(fresh),
            .sent(as: "fwd=vary-miss; stored", asks: ["Accept-Encoding": "gzip"]), .hit()),
        Case(
            "an empty member of a list counts", .first(control("max-age=60", ["Vary": "X-A"]), asks: ["X-A": "a,b"]),
            .sent(as: "fwd=vary-miss; stored", asks: ["X-A": "a,,b"])),
        Case("the query selects", .first(control("max-age=60")), Step(target: "page?a", status: again)),
        Case("the fragment doesn't select", .first(control("max-age=60")), Step(target: "page#a", status: "hit")),
    ]

    private static let requests: [Case] = [
        Case(
            "no-cache asks the server", .first(fresh),
            .sent(as: "fwd=request; stored", asks: ["Cache-Control": "no-cache"])),
        Case(
            "Pragma: no-cache asks the server", .first(fresh),
            .sent(as: "fwd=request; stored", asks: ["Pragma": "no-cache"])),
        Case(
            "no-store is neither answered nor stored", .first(fresh),
            .sent(as: "fwd=request", asks: ["Cache-Control": "no-store"]), .hit()),
        Case(
            "max-age asks for a younger answer", .first(fresh), .hit(9, asks: ["Cache-Control": "max-age=10"]),
            .sent(1, as: "fwd=request; stored", asks: ["Cache-Control": "max-age=10"])),
        Case(
            "min-fresh asks for an answer that stays fresh", .first(fresh),
            .hit(asks: ["Cache-Control": "min-fresh=59"]),
            .sent(1, as: "fwd=request; stored", asks: ["Cache-Control": "min-fresh=59"])),
        Case("max-stale takes every stale answer", .first(fresh), .hit(1_000, asks: ["Cache-Control": "max-stale"])),
        Case(
            "max-stale with a number takes a little stale answer", .first(fresh),
            .hit(70, asks: ["Cache-Control": "max-stale=10"]), .sent(1, asks: ["Cache-Control": "max-stale=10"])),
        Case(
            "must-revalidate wins over max-stale", .first(control("max-age=60, must-revalidate")),
            .sent(61, asks: ["Cache-Control": "max-stale"])),
        Case(
            "an answer that is not stored takes the old one away", .first(fresh),
            Step(
                asks: ["Cache-Control": "no-cache"], answer: StubReply(fields: control("no-store"), body: "new"),
                status: "fwd=request", body: "new"), .sent(as: again)),
        Case(
            "a failure of the server leaves the old one", .first(fresh),
            Step(
                asks: ["Cache-Control": "no-cache"], answer: StubReply(status: 500, body: "down"),
                status: "fwd=request",
                body: "down"), .hit()),
        Case(
            "max-stale doesn't lift the max-age of the request", .first(fresh),
            .sent(61, asks: ["Cache-Control": "max-stale, max-age=60"])),
        Case(
            "no-cache takes no stale answer", .first(control("max-age=60, stale-if-error=60")),
            Step(
                after: 100, asks: ["Cache-Control": "no-cache"], answer: StubReply(status: 503, body: "down"),
                status: "fwd=stale", body: "down")),
        Case("only-if-cached has a stored answer", .first(fresh), .hit(asks: ["Cache-Control": "only-if-cached"])),
        Case("a Range goes past the cache", .first(fresh), .sent(as: "fwd=bypass", asks: ["Range": "bytes=0-1"])),
        Case(
            "a condition of the caller goes past the cache", .first(fresh),
            .sent(as: "fwd=bypass", asks: ["If-None-Match": "\"b\""])),
    ]

    private static let validations: [Case] = [
        Case(
            "a validation makes the answer fresh again", .first(control("max-age=60", ["ETag": "\"a\""])),
            .validated(60), .hit(59)),
        Case(
            "a validation changes the fields", .first(control("max-age=60", ["ETag": "\"a\""])),
            .validated(60, with: ["Cache-Control": "max-age=600"]), .hit(599)),
        Case(
            "a validation with no-store ends the storing", .first(control("max-age=60", ["ETag": "\"a\""])),
            Step(after: 60, status: "fwd=stale; fwd-status=304", body: "old", unchanged: ["Cache-Control": "no-store"]),
            .sent(as: again)),
        Case(
            "a validation with another tag is about another answer", .first(control("max-age=60", ["ETag": "\"a\""])),
            Step(
                after: 60, answer: StubReply(fields: fresh, body: "new"), status: "fwd=stale; stored", body: "new",
                unchanged: ["ETag": "\"b\""])),
        Case(
            "a weak tag validates", .first(control("max-age=60", ["ETag": "W/\"a\""])),
            .validated(60, with: ["ETag": "\"a\""])),
        Case(
            "a new answer takes the place of the old one", .first(control("max-age=60", ["ETag": "\"a\""])), .sent(60),
            Step(status: "hit", body: "new")),
    ]

    private static let errors: [Case] = [
        Case(
            "stale-if-error is used at status 503", .first(control("max-age=60, stale-if-error=60")),
            Step(after: 100, answer: StubReply(status: 503, body: "down"), status: "fwd=stale", body: "old")),
        Case(
            "stale-if-error is used at a refused connection", .first(control("max-age=60, stale-if-error=60")),
            Step(
                after: 100, answer: StubReply(failure: TransportFailure(.refusedConnection, "no")), status: "fwd=stale",
                body: "old")),
        Case(
            "must-revalidate wins over stale-if-error",
            .first(control("max-age=60, stale-if-error=60, must-revalidate")),
            Step(after: 100, answer: StubReply(status: 503, body: "down"), status: "fwd=stale", body: "down")),
        Case(
            "stale-if-error has an end", .first(control("max-age=60, stale-if-error=60")),
            Step(after: 121, answer: StubReply(status: 503, body: "down"), status: "fwd=stale", body: "down")),
    ]

    private static let methods: [Case] = [
        Case(
            "POST that succeeds removes the answer", .first(fresh),
            Step(method: "POST", answer: StubReply(), status: "fwd=method"), .sent(as: again)),
        Case(
            "PUT with a condition removes the answer", .first(fresh),
            Step(method: "PUT", asks: ["If-Match": "\"a\""], answer: StubReply(), status: "fwd=method"),
            .sent(as: again)),
        Case(
            "POST that fails leaves the answer", .first(fresh),
            Step(method: "POST", answer: StubReply(status: 500), status: "fwd=method"), .hit()),
        Case(
            "POST removes the answer of its Location", .first(fresh),
            Step(
                method: "POST", target: "other", answer: StubReply(fields: ["Location": "/page"]), status: "fwd=method"),
            .sent(as: again)),
        Case(
            "the host of a Location counts in any spelling", .first(fresh),
            Step(
                method: "POST", target: "other", answer: StubReply(fields: ["Location": "HTTP://ORIGIN.test:80/page"]),
                status: "fwd=method"), .sent(as: again)),
        Case(
            "POST removes the answer of its Content-Location", .first(fresh),
            Step(
                method: "PUT", target: "other", answer: StubReply(fields: ["Content-Location": "page"]),
                status: "fwd=method"), .sent(as: again)),
        Case(
            "a Location of another origin removes nothing", .first(fresh),
            Step(
                method: "POST", target: "http://other.test/",
                answer: StubReply(fields: ["Location": "http://origin.test/page"]), status: "fwd=method"), .hit()),
        Case(
            "an unknown method removes the answer", .first(fresh),
            Step(method: "FOO", answer: StubReply(), status: "fwd=method"), .sent(as: again)),
        Case(
            "OPTIONS leaves the answer", .first(fresh),
            Step(method: "OPTIONS", answer: StubReply(), status: "fwd=method"), .hit()),
        Case("HEAD has the head of a stored answer", .first(fresh), Step(method: "HEAD", status: "hit", body: "")),
        Case(
            "HEAD with the same tag makes the answer fresh", .first(control("max-age=60", ["ETag": "\"a\""])),
            Step(
                after: 60, method: "HEAD", answer: StubReply(fields: control("max-age=60", ["ETag": "\"a\""])),
                status: "fwd=stale"), .hit(59)),
        Case(
            "HEAD with another tag removes the answer", .first(control("max-age=60", ["ETag": "\"a\""])),
            Step(
                after: 60, method: "HEAD", answer: StubReply(fields: control("max-age=60", ["ETag": "\"b\""])),
                status: "fwd=stale"), .sent(as: again)),
        Case("the answer to HEAD is not stored", Step(method: "HEAD", status: missed), .first(fresh)),
    ]

    @Test(
        "a stored answer is used where the rules allow it",
        arguments: lifetimes + directives + requests + validations + errors + methods, [false, true])
    func rules(_ row: Case, inFolder: Bool) async throws {
        let folder = TemporaryFolder()
        let clock = Shared(Self.start)
        let current = Shared<Step?>(nil)
        var configuration = SessionConfiguration(headers: [:], redirects: .doNotFollow)
        let store: any ResponseStore = inFolder ? folder.store() : MemoryStore(limit: 1 << 20)
        configuration.cache = ResponseCache(store) { clock.withLock { $0 } }
        let (manager, stub) = try stubManager(configuration: configuration) { request in
            let step = try #require(current.withLock { $0 })
            let isConditional =
                request.head.fields["If-None-Match"] != nil || request.head.fields["If-Modified-Since"] != nil
            if let failure = step.answer.failure { throw failure }
            if let unchanged = step.unchanged, isConditional { return StubReply(status: 304, fields: unchanged) }
            return step.answer
        }
        for (place, step) in row.steps.enumerated() {
            clock.withLock { $0 += step.after }
            current.withLock { $0 = step }
            let sent = stub.requests.count
            var request = SessionRequest(step.target, method: step.method, headers: step.asks)
            request.acceptableStatus = .any
            let reply = try await manager.send(request)
            let status = try #require(reply.cacheStatus)
            var words = status
            (words.timeToLive, words.detail) = (nil, nil)
            #expect("\(words)" == step.status, "step \(place)")
            if let body = step.body {
                #expect(String(decoding: reply.body.data, as: UTF8.self) == body, "step \(place)")
            }
            #expect((stub.requests.count == sent) == (step.status == "hit"), "step \(place)")
            #expect(reply.head.fields["Age"] != nil || step.status != "hit", "step \(place)")
            #expect(reply.head.fields["X-A"] == nil || place == 0, "step \(place)")
        }
    }
}

extension HeaderFields {
    /// With more fields at the end.
    func with(_ more: HeaderFields) -> HeaderFields {
        var fields = self
        for field in more { fields.append(field.value, for: field.name) }
        return fields
    }
}
