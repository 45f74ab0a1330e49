import Foundation
import PatchbayJSON
import PatchbayRegistry
import PatchbayTesting
import TestSupport
import Testing

@testable import PatchbayManager

@Suite("Conditional requests", .timeLimit(.minutes(5))) struct ConditionalTests {
    private static let date = "Thu, 26 Nov 2026 20:00:00 GMT"

    /// Answers with a tag and a date, and with 304 where a request has them.
    private static func manager() throws -> (SessionManager, StubTransport) {
        try stubManager { request in
            let fields = request.head.fields
            guard fields["If-None-Match"] == nil, fields["If-Modified-Since"] == nil, fields["X-Force"] == nil else {
                return StubReply(status: 304, fields: ["ETag": "\"1\""])
            }
            return StubReply(
                fields: ["Content-Type": "application/json", "ETag": "\"1\"", "Last-Modified": date], body: "7")
        }
    }

    @Test("a request has the conditions of an earlier response, and no change is nil for an optional")
    func optional() async throws {
        let (manager, stub) = try Self.manager()
        let first = try await manager.send("page", as: Int?.self)
        #expect(first.value == 7)
        var request = SessionRequest("page")
        request.onlyIfChanged(since: first.head)
        let second = try await manager.send(request, as: Int?.self)
        #expect(second.value == nil)
        #expect(second.head.status == 304)
        let sent = try #require(stub.requests.last).head.fields
        #expect(sent["If-None-Match"] == "\"1\"")
        #expect(sent["If-Modified-Since"] == Self.date)
    }

    @Test("no change is notModified for any other call, with the head, and never an error of a serializer")
    func notModified() async throws {
        let (manager, _) = try Self.manager()
        let first = try await manager.send("page")
        var request = SessionRequest("page")
        request.onlyIfChanged(since: first.head)
        let calls: [(String, @Sendable (SessionRequest) async throws(SessionError) -> Void)] = [
            ("typed", { request throws(SessionError) in _ = try await manager.send(request, as: Int.self) }),
            ("bytes", { request throws(SessionError) in _ = try await manager.send(request, as: Data.self) }),
            ("untyped", { request throws(SessionError) in _ = try await manager.send(request) }),
            ("nothing", { request throws(SessionError) in _ = try await manager.send(request, as: Void.self) }),
            ("stream", { request throws(SessionError) in _ = try await manager.stream(request, of: Int.self) }),
            ("file", { request throws(SessionError) in _ = try await manager.download(request) }),
        ]
        for (name, call) in calls {
            let error = await #expect(throws: SessionError.self, "\(name)") { try await call(request) }
            #expect(error?.code == .notModified, "\(name): \(error.map { "\($0)" } ?? "")")
            #expect(error?.head?.fields["ETag"] == "\"1\"", "\(name)")
            #expect(error?.reason == "the resource has not changed (status 304)", "\(name)")
        }
    }

    @Test("a 304 that nobody asked for is a status, and one that is acceptable is a reply")
    func others() async throws {
        let (manager, _) = try Self.manager()
        let unasked = SessionRequest("page", headers: ["X-Force": "1"])
        let error = await #expect(throws: SessionError.self) { try await manager.send(unasked, as: Int?.self) }
        #expect(error?.code == .status)
        var accepted = SessionRequest("page", headers: ["If-None-Match": "\"1\""])
        accepted.acceptableStatus = [200, 304]
        let reply = try await manager.send(accepted)
        #expect(reply.head.status == 304)
        #expect(reply.body.isEmpty)
    }

    @Test("a head without conditions changes nothing")
    func none() throws {
        let url = try #require(URL(string: "http://origin.test/"))
        var request = SessionRequest("page")
        request.onlyIfChanged(since: ResponseHead(status: 200, fields: [:], url: url, request: RequestHead(url: url)))
        #expect(request.headers.isEmpty)
    }

    @Test("a validator that no request can have is left out")
    func unsendable() throws {
        let url = try #require(URL(string: "http://origin.test/"))
        let fields: HeaderFields = ["ETag": "\"\u{7}\"", "Last-Modified": "\u{7F}"]
        var request = SessionRequest("page")
        request.onlyIfChanged(
            since: ResponseHead(status: 200, fields: fields, url: url, request: RequestHead(url: url)))
        #expect(request.headers.isEmpty)
    }

    @Test("a tag whose bytes are not UTF-8 goes back as it came")
    func octets() async throws {
        let tag = FieldText(octets: [0x22, 0xE9, 0x22])
        let (manager, stub) = try stubManager { _ in
            var fields: HeaderFields = ["X-A": "é"]
            fields.set(tag, for: "ETag")
            return StubReply(fields: fields)
        }
        var request = SessionRequest("page", headers: ["X-B": "é", "If-None-Match": "old"])
        request.onlyIfChanged(since: try await manager.send("page").head)
        _ = try await manager.send(request)
        let sent = try #require(stub.requests.last).head.fields
        #expect(sent.octets(for: "If-None-Match") == [[0x22, 0xE9, 0x22]])
        #expect(sent.octets(for: "X-B") == [[0xC3, 0xA9]])
    }
}
