import Foundation
import Patchbay
import PatchbayMigration
import PatchbayRegistry
import PatchbayTesting
import TestSupport
import Testing

@testable import PatchbayManager

extension PrintedSample {
    private struct Word: Decodable, Sendable {
        let word: Int
    }

    /// What a user's own code fails with, and what is in it.
    private struct Hushed: Error {
        let word = "hush"
    }

    /// A segment that looks like a token, and a query.
    private static let end = "hush0123456789abcdefghij?page=hush&hush"

    /// What calls are made of, what they tell on the way, and what they end with.
    static func calls() async throws -> [PrintedSample] {
        let (events, feed) = AsyncStream.makeStream(of: SessionEvent.self)
        let redirected = Shared<[RequestHead]>([])
        var configuration = SessionConfiguration()
        configuration.headers = ["Authorization": "Bearer hush", "X-Custom": "hush"]
        configuration.observers = [ClosureObserver { feed.yield($0) }]
        configuration.redirects = RedirectHandler { next, _ in
            redirected.withLock { [next] in $0.append(next) }
            return true
        }
        var retries = RetryPolicy()
        retries.limit = 1
        retries.scale = .zero
        configuration.interceptors = [
            ClosureInterceptor(retry: { request, _ in
                request.target.hasPrefix("refused") ? .doNotRetryWithError(Hushed()) : .doNotRetry
            }), AuthenticationInterceptor(authenticator, credential: credential), retries,
        ]
        let transport = StubTransport(answer)
        let manager = SessionManager(
            baseURL: URL(string: "http://ada:hush@origin.test/?key=hush"), registry: .standard, transport: transport,
            configuration: configuration)
        let folder = URL(filePath: "/home/hush0123456789abcdefghij/kept")
        let cache = ResponseCache.memory(bytes: 100_000)
        let kept = StubTransport { _ in
            StubReply(
                fields: ["Content-Type": "text/plain", "ETag": "\"hush\"", "Cache-Control": "max-age=9"], body: "hush")
        }
        let cached = SessionManager(transport: kept, configuration: SessionConfiguration(cache: cache))
        for _ in 0..<2 { _ = try await cached.send("http://ada:hush@origin.test/\(end)") }
        #expect(kept.requests.count == 1)
        var samples = [
            PrintedSample("ResponseCache", cache, "memory, at most 100,000 bytes"),
            PrintedSample(
                "TrafficLog", TrafficLog(to: folder.appending(path: "log"), maximumBytes: 1_000),
                "file log, at most 1,000 bytes"),
            PrintedSample(
                "ResponseCache", ResponseCache.folder(folder, bytes: 1_000), "folder kept, at most 1,000 bytes"),
            PrintedSample("CacheStatus", CacheStatus(timeToLive: 376), "hit; ttl=376"),
            PrintedSample(
                "CacheStatus", CacheStatus(forward: .stale, isValidated: true, isStored: true, timeToLive: 600),
                "fwd=stale; fwd-status=304; stored; ttl=600"),
        ]

        var request = SessionRequest("words/\(end)", body: "hush", query: [(name: "q", value: "hush")], headers: fields)
        request.using = .entry("json")
        samples.append(
            PrintedSample(
                "SessionRequest", request,
                "POST words/***?page=***&***&q=*** [Content-Type: text/plain, Authorization: <11 bytes>, Cookie: <7 bytes>, "
                    + "X-Anything: <4 bytes>], text/plain; charset=utf-8"))
        var parameters = SessionRequest("POST", "words", parameters: ["user": "hush"])
        parameters.encodedQuery = "token=hush"
        samples.append(PrintedSample("SessionRequest", parameters, "POST words?token=***"))

        let verb: SessionVerb = manager.post
        samples.append(PrintedSample("SessionVerb", verb, "POST to \(manager)"))

        let call = manager.task(request)
        samples.append(PrintedSample("DataTask", call, "POST http://origin.test/words/***?page=***&***&q=*** (200)"))
        let reply = try await call.resume().reply
        samples.append(
            PrintedSample("Reply", reply, "POST origin.test/words/***: 200, JSON, made by json, 15 bytes"))
        let stream = try await manager.stream(request, of: JSON.self)
        samples.append(PrintedSample("ResponseStream", stream, "POST origin.test/words/***: 200, elements of JSON"))
        samples.append(
            PrintedSample("SessionTask", call.task, "POST http://origin.test/words/***?page=***&***&q=*** (200)"))
        samples.append(PrintedSample("Decision", reply.decision, "json: chosen: the request names it"))
        _ = try await manager.send("moved/\(end)")
        samples += redirected.withLock { $0 }.map {
            PrintedSample(
                "RequestHead", $0,
                "GET http://origin.test/words?token=*** [X-Custom: <4 bytes>, Authorization: <11 bytes>]")
        }
        let response = await manager.response(SessionRequest("words/\(end)"))
        samples.append(PrintedSample("Response", response, "GET origin.test/words/*** (200): JSON"))
        for (target, sentence) in failures {
            do throws(SessionError) {
                _ = try await manager.get("\(target)/\(end)", as: Word.self)
            } catch {
                samples.append(PrintedSample("SessionError", error, "GET origin.test/\(target)/***: \(sentence)"))
                let failed = (error.decision?.candidates ?? []).filter { $0.verdict == .failed }
                samples += failed.map {
                    PrintedSample("Decision.Candidate", $0, "json: failed: expected Int at /word")
                }
                if let original = error.original {
                    let sentence = "the status is 500, which is not acceptable (2XX)"
                    samples.append(
                        PrintedSample("SessionError", original, "GET origin.test/\(target)/***: \(sentence)"))
                }
            }
        }
        let failed = await manager.response(SessionRequest("missing/\(end)"))
        samples.append(
            PrintedSample(
                "Response", failed,
                "GET origin.test/missing/*** (404): the status is 404, which is not acceptable (2XX)"))
        samples.append(PrintedSample("StubTransport", transport, "a stub that was sent 11 requests"))
        samples.append(
            PrintedSample("SessionManager", manager, "http://***@origin.test/?key=***, 0 tasks"))
        samples.append(PrintedSample("SessionConfiguration", configuration, nil))
        manager.invalidate(cancellingTasks: true)
        var stages: Set<String> = []
        for await event in events {
            samples.append(PrintedSample("SessionEvent", event, nil))
            samples.append(PrintedSample("SessionEvent.Stage", event.stage, nil))
            stages.insert(String("\(event.stage)".prefix { $0.isLetter }))
            if case .invalidated = event.stage { break }
        }
        #expect(
            stages.isSuperset(of: [
                "created", "resumed", "adapted", "sending", "redirected", "head", "received", "retrying", "serialized",
                "finished", "invalidated",
            ]))
        samples.append(
            PrintedSample(
                "SessionEvent", SessionEvent(task: call.task, stage: .received(bytes: 1_024)),
                "POST http://origin.test/words/***?page=***&***&q=*** (200): received 1,024 bytes"))
        let notices = [
            CookieNotice(.refused, name: "", domain: "origin.test", reason: "it has no name"),
            CookieNotice(.dropped, name: "hush0123456789abcdefghij", domain: "origin.test", reason: "too many"),
        ]
        samples.append(
            PrintedSample(
                "SessionEvent.Stage", SessionEvent.Stage.cookies(notices),
                "the cookie of origin.test was refused: it has no name, the cookie *** of origin.test was dropped: too many"
            ))
        samples.append(
            PrintedSample(
                "SessionEvent.Stage", SessionEvent.Stage.head(reply.head, reply.decision), "head \(reply.head)"))
        return try await samples + lookup() + [resumption()]
    }

    /// A look-up that came to nothing, as it is inside.
    private static func lookup() throws -> [PrintedSample] {
        let body = ResponseBody(Data(#"{"word":"hush"}"#.utf8))
        let failure = try #require(throws: LookupFailure.self) {
            try SerializerRegistry.standard.explain(contentType: "application/json").serialize(body, as: Word.self)
        }
        return [PrintedSample("LookupFailure", failure, try #require(failures.first { $0.0 == "words" }).1)]
            + failure.attempts.map { PrintedSample("Attempt", $0, "json: expected Int at /word") }
    }

    private static let failures = [
        ("missing", "the status is 404, which is not acceptable (2XX)"),
        (
            "words",
            "the entry json could not serialize application/json with status 200: expected Int at /word; "
                + "asked: json (failed), and 1 that does not cover application/json"
        ),
        ("lost", "the connection was lost"),
        (
            "refused",
            "the status is 500, which is not acceptable (2XX); it was not tried again: an interceptor gave the reason Hushed"
        ),
    ]

    @Sendable private static func answer(_ request: TransportRequest) throws -> StubReply {
        let json: HeaderFields = ["Content-Type": "application/json", "Set-Cookie": "id=hush", "ETag": "hush"]
        switch request.head.url.path().split(separator: "/").first {
        case "moved": return StubReply(status: 302, fields: ["Location": "/words?token=hush", "Set-Cookie": "id=hush"])
        case "missing": return StubReply(status: 404, fields: json, body: #"{"word":"hush"}"#)
        case "refused": return StubReply(status: 500, fields: json, body: #"{"word":"hush"}"#)
        case "lost": throw TransportFailure(.lostConnection, "the connection was lost")
        default: return StubReply(fields: json, body: #"{"word":"hush"}"#)
        }
    }

    /// A download that broke off.
    private static func resumption() async throws -> PrintedSample {
        let transport = StubTransport { _ in
            StubReply(
                fields: ["ETag": "\"hush\"", "Content-Length": "10"], chunks: [Data("hush!".utf8)],
                failure: TransportFailure(.lostConnection, "the connection was lost"))
        }
        let manager = SessionManager(
            baseURL: URL(string: "http://origin.test/"), registry: .standard, transport: transport)
        let folder = FileManager.default.temporaryDirectory.appending(path: "patchbay-\(UInt64.random(in: 0 ... .max))")
        let destination = DownloadDestination.file(folder.appending(path: "film.mp4")).creatingFolders().resumable()
        defer { try? FileManager.default.removeItem(at: folder) }
        let error = await #expect(throws: SessionError.self) {
            try await manager.download(SessionRequest("film"), to: destination)
        }
        return PrintedSample("DownloadResumption", try #require(error?.resumption), "film.mp4, 5 of 10 bytes")
    }
}
