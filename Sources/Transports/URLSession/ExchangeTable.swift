import Foundation
import PatchbayPlatform
import PatchbayRegistry

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The delegate of the session: passes each callback to the exchange of its task.
final class ExchangeTable: NSObject, Sendable {
    private let exchanges = Guarded<[Int: Exchange]>([:])

    func add(_ exchange: Exchange, for task: URLSessionTask) {
        exchanges.withLock { $0[task.taskIdentifier] = exchange }
    }

    private func exchange(of task: URLSessionTask) -> Exchange? {
        exchanges.withLock { $0[task.taskIdentifier] }
    }
}

extension ExchangeTable: URLSessionDataDelegate {
    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        exchange(of: dataTask)?.received(response)
        completionHandler(.allow)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        exchange(of: dataTask)?.received(data)
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64, totalBytesSent: Int64,
        totalBytesExpectedToSend: Int64
    ) {
        exchange(of: task)?.sent(Int(clamping: bytesSent))
    }

    /// Called on Foundation's own queue: at the start of a request without a body, and when a body must be sent again.
    /// The second case does not work on Linux: the request would be sent again with its `Content-Length` and no bytes.
    func urlSession(
        _ session: URLSession, task: URLSessionTask,
        needNewBodyStream completionHandler: @escaping @Sendable (InputStream?) -> Void
    ) {
        exchange(of: task)?.needsBodyAgain()
        completionHandler(nil)
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        completionHandler(nil)
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        #if canImport(FoundationNetworking)
            // Called after a complete 401 response. With default handling the task would never end; cancelling ends it
            // with an error that the exchange ignores.
            exchange(of: task)?.finishedByChallenge()
            completionHandler(.cancelAuthenticationChallenge, nil)
        #else
            // The system checks the server's certificate; a 401 without credentials is passed on as it is.
            completionHandler(.performDefaultHandling, nil)
        #endif
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        let exchange = exchanges.withLock { $0.removeValue(forKey: task.taskIdentifier) }
        exchange?.completed(task.response, error)
    }
}
