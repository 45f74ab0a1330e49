import Foundation
import Patchbay
import PatchbayMigration
import PatchbayTesting
import Testing

@Suite(.timeLimit(.minutes(5))) struct ResponseTests {
    struct Odd: Error, Equatable {}
    struct Other: Error, Equatable {}

    @Test("1.2.19, 1.2.22: the response has request, head, body, timeline and result, and nothing is thrown")
    func parts() async throws {
        let (manager, _) = stubManager { request in
            switch request.head.url.path() {
            case "/good": .json("[1,2]")
            case "/bad": .json("[1,", status: 200)
            case "/gone": .json(#"{"why":"gone"}"#, status: 410)
            default: throw TransportFailure(.refusedConnection, "the connection was refused")
            }
        }
        let good = await manager.response(SessionRequest("good"), as: [Int].self)
        #expect(good.value == [1, 2])
        #expect(good.error == nil)
        #expect(good.request?.url.path() == "/good")
        #expect(good.head?.status == 200)
        #expect(good.body?.count == 5)
        #expect(good.timeline != nil)
        let bad = await manager.response(SessionRequest("bad"))
        #expect(bad.value == nil)
        #expect(bad.error?.code == .serialization)
        #expect(bad.body?.count == 3)
        let gone = await manager.response(SessionRequest("gone"), as: [Int].self)
        #expect(gone.error?.code == .status)
        #expect(gone.head?.status == 410)
        let refused = await manager.response(SessionRequest("x"), as: [Int].self)
        #expect(refused.error?.code == .transport)
        #expect(refused.head == nil && refused.body == nil)
        #expect(refused.request?.method == "GET")
        #expect(bad.timeline != nil && gone.timeline != nil && refused.timeline != nil)
        var unserialized = SessionRequest("gone")
        unserialized.acceptableStatus = .any
        let raw = await manager.response(unserialized, as: ResponseBody.self)
        #expect(raw.value == raw.body)
        #expect(raw.head?.status == 410)
    }

    @Test(
        "1.2.1, 1.2.19, 1.2.21, 1.2.22: a download answers in the same way, with its file and with the value made of it"
    )
    func downloads() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "responses-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let (manager, _) = stubManager { request in
            request.head.url.path() == "/gone" ? .json(#"{"why":"gone"}"#, status: 410) : .json("[1,2]")
        }
        let file = folder.appending(path: "a")
        let good = await manager.response(SessionRequest("a"), to: .file(file))
        #expect(good.value == file)
        #expect(good.request?.url.path() == "/a" && good.head?.status == 200 && good.timeline != nil)
        let taken = await manager.response(SessionRequest("a"), to: .file(file))
        #expect(taken.error?.code == .file)
        #expect(taken.head?.status == 200 && taken.timeline != nil)
        let typed = await manager.response(SessionRequest("a"), to: .file(file).replacingFile(), as: [Int].self)
        #expect(typed.value?.value == [1, 2])
        #expect(typed.map(\.file).value == file)
        var closure = SessionRequest("a")
        closure.using = .serializer(ClosureResponseSerializer { body, head in body.count + head.status })
        let own = await manager.response(closure, to: .file(file).replacingFile(), as: Int.self)
        #expect(own.value?.value == 205)
        let gone = await manager.response(SessionRequest("gone"), to: .file(folder.appending(path: "b")))
        #expect(gone.error?.value as? JSON == ["why": "gone"])
        #expect(gone.body?.count == 14)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["a"])
    }

    @Test("1.2.19: map, tryMap, mapError and tryMapError change the result and nothing else")
    func maps() async throws {
        let (manager, _) = stubManager { request in
            request.head.url.path() == "/good" ? .json("[1,2]") : .json("[", status: 200)
        }
        let good = await manager.response(SessionRequest("good"), as: [Int].self)
        let bad = await manager.response(SessionRequest("bad"), as: [Int].self)
        #expect(good.map(\.count).value == 2)
        #expect(good.map(\.count).body == good.body)
        #expect(bad.map(\.count).error?.code == .serialization)
        #expect(good.tryMap { $0.count + 1 }.value == 3)
        #expect(good.tryMap { _ -> Int in throw Odd() }.error is Odd)
        #expect(bad.tryMap { $0.count }.error is SessionError)
        #expect(bad.mapError { _ in Odd() }.error == Odd())
        #expect(good.mapError { _ in Odd() }.value == [1, 2])
        #expect(bad.tryMapError { _ in Odd() }.error is Odd)
        #expect(bad.tryMapError { _ -> Odd in throw Other() }.error is Other)
        #expect(good.tryMapError { _ in Odd() }.value == [1, 2])
        #expect(bad.tryMapError { _ in Odd() }.head?.status == 200)
    }

    private enum Refusal: Error {
        case refused(String)
    }

    @Test("an error of another's type is shown by its type and case")
    func foreignError() async throws {
        let (manager, _) = stubManager { _ in .json("[1,2]") }
        let response = await manager.response(SessionRequest("good"), as: [Int].self)
        let refused = response.tryMap { _ -> Int in throw Refusal.refused("hunter2") }
        #expect(refused.description.hasSuffix(" (200): Refusal.refused"))
        #expect(!refused.debugDescription.contains("hunter2"))
    }

    @Test("1.2.19: descriptions are masked, and show a body of text only where asked and only up to 100,000 bytes")
    func descriptions() async throws {
        let (manager, _) = stubManager { request in
            let type = request.head.url.path() == "/image" ? "image/png" : "application/json"
            let body =
                request.head.url.path() == "/large" ? #""\#(String(repeating: "s", count: 99_999))""# : #"["secret"]"#
            return StubReply(fields: ["Content-Type": type, "X-Token": "secret"], body: body)
        }
        func response(_ path: String) async -> Response<ResponseBody, SessionError> {
            await manager.response(
                SessionRequest("\(path)?key=secret", headers: ["Authorization": "secret"]), as: ResponseBody.self
            )
        }
        let small = await response("small")
        #expect("\(small)" == "GET origin.test/small (200): ResponseBody")
        #expect(!small.debugDescription.contains("secret"))
        #expect(small.debugDescription.contains("X-Token"))
        #expect(small.debugDescription.contains("[Body]: 10 bytes"))
        let shown = small.debugDescription(includingBody: true)
        #expect(shown.contains(#"["secret"]"#))
        #expect(shown.split(separator: "secret").count == 2)
        for path in ["large", "image"] {
            let hidden = await response(path).debugDescription(includingBody: true)
            #expect(!hidden.contains("ss") && !hidden.contains("secret"))
        }
    }
}
