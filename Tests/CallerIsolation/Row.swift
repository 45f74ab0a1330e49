import Foundation
import Patchbay
import PatchbayMigration
import PatchbayTesting

/// One public async function, or one way to call it, and a call of it in each of its two endings.
///
/// The call stands in a frame that is isolated to `here`, and the same frame asks whether it still is when the call is over: a
/// frame further out would bring the caller back and hide that it had been away.
struct Row: Sendable {
    typealias Call = @Sendable (_ here: isolated any Actor, _ ending: Ending) async throws -> Void

    /// As the symbol graph names it: `Type.function(labels:)`.
    let name: String
    /// False where a failure is returned, or there is none.
    let throwsFailure: Bool
    let call: Call

    init(_ name: String, throwsFailure: Bool = true, _ call: @escaping Call) {
        self.name = name
        self.throwsFailure = throwsFailure
        self.call = call
    }
}

/// How a call ends, and what makes it end so.
enum Ending: String, CaseIterable, Sendable {
    case success, failure

    struct Failure: Error {}

    var transport: StubTransport {
        StubTransport { _ in
            guard self == .success else { throw TransportFailure(.lostConnection, "the connection was lost") }
            return StubReply(fields: ["Content-Type": "application/json"], body: "[1]")
        }
    }

    var manager: SessionManager {
        SessionManager(baseURL: URL(string: "http://origin.test/"), registry: .standard, transport: transport)
    }

    /// Throws where the call is to fail.
    func check() throws {
        if self == .failure { throw Failure() }
    }

    /// A target as a URL.
    static let url = URLComponents(string: "http://origin.test/x")?.url ?? URL(filePath: "/x")

    /// A name in the current folder, which is the run's own, that nothing has.
    static func newFile() -> URL { URL(filePath: UUID().uuidString) }

    /// What an observer and an interceptor are given: an event, and the error of a call.
    @concurrent
    static func observed() async throws -> (event: SessionEvent, error: SessionError) {
        let (events, continuation) = AsyncStream<SessionEvent>.makeStream()
        var configuration = SessionConfiguration()
        configuration.observers = [ClosureObserver { continuation.yield($0) }]
        let manager = SessionManager(
            registry: .standard, transport: Ending.failure.transport, configuration: configuration)
        let error = await manager.response(SessionRequest("http://origin.test/")).error
        for await event in events {
            if let error { return (event, error) }
            break
        }
        throw Failure()
    }

    /// A download that broke off after one byte; the manager's next response is the rest of it, or fails.
    @concurrent
    func brokenDownload() async throws -> (manager: SessionManager, rest: DownloadResumption) {
        let stub = StubTransport { request in
            var fields: HeaderFields = ["Content-Type": "application/json", "ETag": "\"1\"", "Content-Length": "3"]
            guard request.head.fields["Range"] != nil else {
                let cut = TransportFailure(.truncatedBody, "the body ended early")
                return StubReply(fields: fields, chunks: [Data("[".utf8)], failure: cut)
            }
            try check()
            fields["Content-Length"] = "2"
            fields["Content-Range"] = "bytes 1-2/3"
            return StubReply(status: 206, fields: fields, body: "1]")
        }
        let manager = SessionManager(
            baseURL: URL(string: "http://origin.test/"), registry: .standard, transport: stub)
        let destination = DownloadDestination.file(Self.newFile()).resumable()
        let broken = await manager.response(SessionRequest("x"), to: destination)
        guard let rest = broken.error?.resumption else { throw Failure() }
        return (manager, rest)
    }
}
