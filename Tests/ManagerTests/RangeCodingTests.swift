import Foundation
import PatchbayPlatform
import PatchbayRegistry
import PatchbayTesting
import TestSupport
import Testing

@testable import PatchbayManager

/// A request for a range asks for content without a coding, unless it says which codings it takes.
@Suite(.timeLimit(.minutes(5))) struct RangeCodingTests {
    private struct Adapter: RequestInterceptor {
        let fields: HeaderFields
        func adapt(_ request: SessionRequest) -> SessionRequest {
            var request = request
            request.headers.replace(with: fields)
            return request
        }
    }

    private struct Signer: RequestInterceptor {
        let fields: HeaderFields
        func sign(_ head: inout RequestHead, body: RequestBody?) { head.fields.replace(with: fields) }
    }

    private static let range: HeaderFields = ["Range": "bytes=0-3"]
    private static let coded: HeaderFields = ["Range": "bytes=0-3", "accept-encoding": "gzip"]

    private static let rows: [(name: String, request: SessionRequest, asked: [String?])] = [
        ("no range", SessionRequest("a"), [nil]),
        ("a range", SessionRequest("a", headers: range), ["identity"]),
        ("in small letters, of another unit", SessionRequest("a", headers: ["range": "items=0-3"]), ["identity"]),
        ("more than one", SessionRequest("a", headers: ["Range": "bytes=0-3, 7-"]), ["identity"]),
        (
            "with If-Range", SessionRequest("a", headers: ["If-Range": "\"a\"", "Range": "bytes=1-"]), ["identity"]
        ),
        ("If-Range alone", SessionRequest("a", headers: ["If-Range": "\"a\""]), [nil]),
        ("an own coding", SessionRequest("a", headers: coded), ["gzip"]),
        ("no coding at all", SessionRequest("a", headers: ["Range": "bytes=0-3", "Accept-Encoding": ""]), [""]),
        ("through redirects", SessionRequest("start", headers: range), ["identity", "identity"]),
        ("an own coding, through redirects", SessionRequest("start", headers: coded), ["gzip", "gzip"]),
        ("a POST", SessionRequest("a", body: "x", headers: range), ["identity"]),
        ("an interceptor's", intercepted(Adapter(fields: range)), ["identity"]),
        ("an interceptor's own coding", intercepted(Adapter(fields: coded)), ["gzip"]),
        ("a signer's", intercepted(Signer(fields: range)), ["identity"]),
        ("a signer's own coding", intercepted(Signer(fields: coded)), ["gzip"]),
        (
            "a redirect handler's", handled { $0["Range"] = "bytes=0-3" }, [nil, "identity"]
        ),
        ("a redirect handler's own coding", handled { $0.replace(with: coded) }, [nil, "gzip"]),
    ]

    private static func intercepted(_ interceptor: any RequestInterceptor) -> SessionRequest {
        var request = SessionRequest("a")
        request.interceptors = [interceptor]
        return request
    }

    private static func handled(_ change: @escaping @Sendable (inout HeaderFields) -> Void) -> SessionRequest {
        var request = SessionRequest("start")
        request.redirects = RedirectHandler { next, _ in
            change(&next.fields)
            return true
        }
        return request
    }

    private static func manager(_ configuration: SessionConfiguration = SessionConfiguration()) throws -> (
        SessionManager, StubTransport
    ) {
        try stubManager(configuration: configuration) { request in
            if request.head.url.path() == "/start" { return .redirect(302, to: "/end") }
            var fields: HeaderFields = ["Content-Type": "text/words", "ETag": "\"a\""]
            let isPart = request.head.fields["Range"] != nil
            if isPart { fields["Content-Range"] = "bytes 0-3/9" }
            return StubReply(status: isPart ? 206 : 200, fields: fields, body: "a b ")
        }
    }

    @Test("calls, downloads and streams ask for it alike", arguments: rows.indices)
    func asked(_ index: Int) async throws {
        let row = Self.rows[index]
        var request = row.request
        request.acceptableStatus = .any
        let folder = TemporaryFolder()
        let file = folder.url.appending(path: "x")
        let (manager, stub) = try Self.manager()
        let fields = { stub.requests.map { $0.head.fields.values(for: "Accept-Encoding") } }
        let asked = row.asked.map { $0.map { [$0] } ?? [] }
        _ = try await manager.send(request)
        #expect(fields() == asked, "\(row.name)")
        _ = try await manager.download(request, to: .file(file).replacingFile())
        #expect(fields() == asked + asked, "\(row.name)")
        for try await _ in try await manager.stream(request, of: Data.self) {}
        #expect(fields() == asked + asked + asked, "\(row.name)")
        guard row.request.method == "GET" else { return }
        // A resumable download asks for it in any case.
        _ = try await manager.download(request, to: .file(file).replacingFile().resumable())
        #expect(fields().suffix(asked.count) == (asked.map { $0.isEmpty ? ["identity"] : $0 })[...], "\(row.name)")
    }

    @Test("the fields of the manager count, and observers see what is asked for")
    func manager() async throws {
        for (own, expected) in [(nil, "identity"), ("gzip", "gzip")] as [(String?, String)] {
            let heard = Shared<[String?]>([])
            let isOver = OneShot()
            var configuration = SessionConfiguration()
            configuration.headers["Range"] = "bytes=0-3"
            configuration.headers["Accept-Encoding"] = own
            configuration.observers = [
                MadeObserver { event in
                    switch event.stage {
                    case .sending(let head): heard.withLock { $0.append(head.fields["Accept-Encoding"]) }
                    case .finished: isOver.fire()
                    default: break
                    }
                }
            ]
            let (manager, stub) = try Self.manager(configuration)
            _ = try await manager.send("a")
            await isOver.fired()
            #expect(stub.requests.map { $0.head.fields["Accept-Encoding"] } == [expected])
            #expect(heard.withLock { $0 } == [expected])
        }
    }
}
