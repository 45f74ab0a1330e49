import PatchbayManager
import PatchbayPlatform
import PatchbayRegistry
import PatchbayTesting

/// One call with a jar over a stub: the Cookie field of its request, and what the jar said.
struct CookieCall: Sendable {
    let sent: String?
    let notices: [CookieNotice]
    /// The notices as text, in order.
    var said: [String] { notices.map(\.description) }

    /// - Parameter fields: the Set-Cookie fields of the response.
    @discardableResult
    init(
        _ url: String, _ jar: CookieJar, sets fields: [String] = [], headers: HeaderFields = [:], status: Int = 204
    ) async throws {
        let log = NoticeLog()
        var configuration = SessionConfiguration()
        configuration.cookies = jar
        configuration.observers = [log]
        let (manager, stub) = try stubManager(base: nil, configuration: configuration) { _ in
            StubReply(status: status, fields: HeaderFields(fields.map { ("Set-Cookie", $0) }))
        }
        _ = try await manager.send(SessionRequest(url, headers: headers))
        await log.end.fired()
        sent = stub.requests.first?.head.fields["Cookie"]
        notices = log.notices.withLock { $0 }
    }

    private final class NoticeLog: SessionObserver {
        let notices = Guarded<[CookieNotice]>([])
        let end = OneShot()

        func observe(_ event: SessionEvent) async {
            switch event.stage {
            case .cookies(let said): notices.withLock { $0 += said }
            case .finished: end.fire()
            default: break
            }
        }
    }
}
