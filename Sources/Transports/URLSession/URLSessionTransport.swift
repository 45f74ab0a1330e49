// The transport on Foundation's URLSession. Exchange is one exchange, ExchangeTable finds it for the session's
// delegate; the other files convert Foundation's values.

public import PatchbayManager
import PatchbayPlatform
import PatchbayRegistry

#if canImport(FoundationNetworking)
    import Foundation
    import FoundationNetworking
#else
    import Foundation
#endif

/// Carries exchanges over Foundation's URLSession: the default on Apple platforms, a separate product on Linux.
///
/// This transport uses one session, without cookies, cache, stored credentials or timeouts of its own. Redirects and
/// 401 are returned as responses, because the manager decides about them.
///
/// URLSession hides parts of a message, on all platforms. Header fields arrive as a dictionary: their order is lost
/// (they are sorted by name), and repeated fields are joined by commas. This transport separates joined `Set-Cookie`
/// fields again: a cookie whose value has a comma, a space and a text like `b=` is read as two, and so is an attribute
/// other than `Expires` that has a comma and a space. URLSession decodes every coding that it knows, even if the request
/// did not accept that coding. GET and HEAD cannot have a body. URLSession cannot be paused, so an exchange fails with
/// `undeliveredBytes` when more than 16 MiB wait for its reader. A body that is read while it is sent over
/// `CurlTransport` is read to its end first, so no response can arrive early: into memory, or beyond 16 MiB into a
/// temporary file, which a killed process leaves behind except on Linux. No trailer fields are sent. On Apple platforms
/// URLSession adds `User-Agent`, `Accept` and `Accept-Language` if the request has none.
///
/// Of `ConnectionSettings`, this transport applies `connectTimeout`. A call with another setting that is not the default
/// fails with `unsupportedRequest`, and the sentence names the setting and the transport that applies it. URLSession
/// trusts only the system's certificate authorities, shows no client certificate and pins no key. On Linux every failed
/// trust check is one failure, `insecureConnection`.
///
/// URLSession does not tell when it is connected. So the connect timeout counts until a byte of the body is sent or the
/// first head arrives, and includes the wait for a free connection: for a request without a body, the time that the
/// server needs to answer counts. The failure is `connectTimeout` only if the host may get the request twice, and
/// otherwise `lostConnection`. The default counts as nil: the timeouts of the call apply.
///
/// On Linux some responses **end the process** inside Foundation, where no caller can catch it; `Documentation/Apple.md`
/// lists them. Use `CurlTransport`, the default on Linux, for servers that you do not trust.
///
/// On Linux, URLSession refuses some responses that lenient readers accept: lines that end in LF alone, bytes in a
/// header field that are not UTF-8, no space after the colon, a status line without its second space, a value of
/// several spaces. It sees only one of two fields whose names differ only in case. URLSession loses the body of a 3xx
/// response without a usable `Location`; this transport reports that loss as an error, unless the response announces no
/// body. A compressed body that is truncated inside its coding, but has complete framing, counts as complete.
public final class URLSessionTransport: Transport {
    private let session: URLSession
    private let exchanges: ExchangeTable
    private let starter = DispatchQueue(label: "patchbay.urlsession.starter")
    /// Writes the files of large bodies.
    private let io = IOExecutor()

    /// - Parameter maximumConnectionsPerHost: the limit of connections to one host, at least 1; further exchanges wait.
    ///   URLSession does not report waiting exchanges, so an exchange that waits too long ends like an idle exchange.
    public init(maximumConnectionsPerHost: Int = 64) {
        let queue = OperationQueue()
        queue.name = "patchbay.urlsession.delegate"
        queue.maxConcurrentOperationCount = 1
        exchanges = ExchangeTable()
        session = URLSession(
            configuration: .bare(connectionsPerHost: max(1, maximumConnectionsPerHost)), delegate: exchanges,
            delegateQueue: queue)
    }

    deinit { session.finishTasksAndInvalidate() }

    public var endsWhenStopped: Bool { true }

    public func perform(
        _ request: TransportRequest, for receiver: some ExchangeReceiver
    ) async throws(TransportFailure) -> ExchangeTimings {
        guard !request.announcesTrailers else { throw .trailers }
        var urlRequest = try URLRequest(request)
        let body = try await whole(request.body, for: receiver)
        let task: URLSessionTask
        switch body {
        // An upload task, because Foundation adds the Content-Type of a form to a POST whose body is in the request
        // itself.
        case .data(let data): task = session.uploadTask(with: urlRequest, from: data)
        // Not an upload task from a file: cancelling it can end the process on Linux (Swift 6.3.1).
        case .file(let file, let count):
            urlRequest.setBody(file, count: count)
            task = session.dataTask(with: urlRequest)
        case nil: task = session.dataTask(with: urlRequest)
        }
        let exchange = Exchange(task, request, body, receiver, queue: session.delegateQueue, starter: starter)
        exchanges.add(exchange, for: task)
        // Weak, because the exchange holds the receiver, and the receiver holds the signal.
        let listener = receiver.stop.listen { [weak exchange] in exchange?.stop() }
        defer { listener.remove() }
        await withTaskCancellationHandler {
            exchange.start()
            await exchange.over.fired()
        } onCancel: {
            exchange.stop()
        }
        return try exchange.outcome()
    }

    private func whole(
        _ body: RequestBody?, for receiver: some ExchangeReceiver
    ) async throws(TransportFailure) -> WholeBody? {
        switch body {
        case nil: return nil
        case .data(let data)?: return .data(data)
        case .source(let source)?:
            return try await receiver.stop.orCancelled { [io] stop async throws(TransportFailure) in
                try await WholeBody.read(source, on: io, for: receiver as? any TimedReceiver, unless: stop)
            }
        }
    }
}

extension URLSessionConfiguration {
    /// A time far longer than any exchange, because the session manager applies the timeouts.
    private static let never: TimeInterval = 7 * 24 * 3600

    fileprivate static func bare(connectionsPerHost: Int) -> URLSessionConfiguration {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.urlCache = nil
        configuration.urlCredentialStorage = nil
        configuration.httpCookieStorage = nil
        configuration.httpShouldSetCookies = false
        configuration.httpCookieAcceptPolicy = .never
        configuration.timeoutIntervalForRequest = never
        configuration.timeoutIntervalForResource = never
        configuration.httpMaximumConnectionsPerHost = connectionsPerHost
        return configuration
    }
}

extension URLSessionTransport: CustomStringConvertible, CustomReflectable {
    public var description: String { "transport on URLSession" }
    public var customMirror: Mirror { Mirror(described: self) }
}
