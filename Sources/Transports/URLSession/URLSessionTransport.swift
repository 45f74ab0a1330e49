// The transport on Foundation's URLSession. Exchange is one of them on its way, ExchangeTable finds it for the session's delegate; the
// rest turns values of Foundation into ours and back.

public import PatchbayManager
import PatchbayPlatform
import PatchbayRegistry

#if canImport(FoundationNetworking)
    import Foundation
    import FoundationNetworking
#else
    import Foundation
#endif

/// Carries exchanges over Foundation's URLSession: the default on Apple platforms, a product of its own on Linux.
///
/// One session, made once and kept, without cookies, cache, stored credentials or clocks of its own. Redirects are
/// handed back as responses and a 401 is a response like any other, since what to do about them is decided above.
///
/// URLSession knows less of a message than the wire does, everywhere: header fields arrive as a dictionary, so their
/// order is lost (they are given sorted by name) and repeated ones are joined by commas; it decodes any coding it
/// knows, asked for or not; GET and HEAD cannot have a body; it cannot be paused, so an exchange whose reader falls
/// 16 MiB behind fails with `undeliveredBytes`; since repeated `Set-Cookie` fields are joined, it keeps no cookies, and a
/// call that is to use a jar fails. A streamed request body is read into memory first, at most 64 MiB of it, so that
/// none is answered before its end, and nothing can be sent behind it. On Apple platforms it adds `User-Agent`, `Accept`
/// and `Accept-Language` where the request has none.
///
/// It applies no `ConnectionSettings`: a call whose settings are not the default fails with `unsupportedRequest`. It trusts the
/// system's certificate authorities alone, shows no certificate of its own and pins no key. On Linux every reason not to trust a host
/// is one failure, `insecureConnection`.
///
/// On Linux (measured on Swift 6.3.1) some responses **end the process** inside Foundation, where no caller can catch
/// it. Use `CurlTransport`, the default there, for servers that you do not trust:
///
/// - a `Content-Length` of 2^63 - 1 or more, followed by another header field;
/// - a chunked body with a trailer field;
/// - a header block cut off by the end of the connection;
/// - a redirect whose `Location` cannot be put together again, such as `//[::1]:1/x`.
///
/// Others fail there although a lenient reader would take them: lines that end in LF alone, bytes that are not UTF-8
/// in a header field, no space after the colon, a status line without its second space, a value of several blanks. Of
/// two fields whose names differ in case alone only one is seen; and the body of a 3xx response without a usable
/// `Location` is lost, which is an error here unless the response says that it has none. A compressed body that
/// breaks off inside its coding, framed as if it were whole, is taken for a whole one.
public final class URLSessionTransport: Transport {
    private let session: URLSession
    private let exchanges: ExchangeTable
    private let starter = DispatchQueue(label: "patchbay.urlsession.starter")

    /// - Parameter maximumConnectionsPerHost: how many connections may be open to one host, 1 at least; further exchanges wait.
    ///   URLSession does not say which do, so that one that waits for too long ends as an idle one.
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

    public func perform(
        _ request: TransportRequest, for receiver: some ExchangeReceiver
    ) async throws(TransportFailure) -> ExchangeTimings {
        guard !request.announcesTrailers else { throw .sendsNoTrailers }
        let urlRequest = try URLRequest(request)
        let task: URLSessionTask
        if let body = request.body {
            // An upload task, because Foundation adds a form's Content-Type to a POST whose body is in the request
            // itself.
            let body = try await body.collected(unless: receiver.stop)
            guard body.trailers.isEmpty else { throw .sendsNoTrailers }
            task = session.uploadTask(with: urlRequest, from: body.bytes)
        } else {
            task = session.dataTask(with: urlRequest)
        }
        let exchange = Exchange(
            task, method: request.head.method, receiver, queue: session.delegateQueue, starter: starter)
        exchanges.add(exchange, for: task)
        // Weakly, since the exchange holds the receiver and that its signal.
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
}

extension URLSessionConfiguration {
    /// Far longer than any exchange: the clocks are kept above the transports.
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
