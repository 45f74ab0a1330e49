public import Foundation
import PatchbayRegistry

/// The errors of AFNetworking's response validation, with its domain, codes and keys.
///
/// Unlike the text of AFNetworking's errors, the text names no URL, and only the essence of the Content-Type. The
/// response is a `ResponseHead`.
public enum LegacyError {
    /// `AFURLResponseSerializationErrorDomain`
    public static let domain = "com.alamofire.error.serialization.response"
    /// The key of the `ResponseHead`.
    public static let responseKey = "com.alamofire.serialization.response.error.response"
    /// The key of the body, as `Data`.
    public static let dataKey = "com.alamofire.serialization.response.error.data"
    /// `NSURLErrorCannotDecodeContentData`
    public static let contentTypeCode = -1016
    /// `NSURLErrorBadServerResponse`
    public static let statusCode = -1011

    static func unacceptableContentType(_ head: ResponseHead, _ body: ResponseBody?) -> NSError {
        make(contentTypeCode, "unacceptable content-type: \(head.mediaType?.essence ?? "none")", head, body)
    }

    static func unacceptableStatus(_ head: ResponseHead, _ body: ResponseBody?) -> NSError {
        make(statusCode, "\(StatusPhrase(head.status)) (\(head.status))", head, body)
    }

    private static func make(_ code: Int, _ why: String, _ head: ResponseHead, _ body: ResponseBody?) -> NSError {
        var info: [String: Any] = [NSLocalizedDescriptionKey: "Request failed: \(why)", responseKey: head]
        // `print` shows the values of `userInfo`, so the URL must have no secrets.
        info[NSURLErrorFailingURLErrorKey] = URL(string: head.maskedURL)
        if let body { info[dataKey] = body.data }
        return NSError(domain: domain, code: code, userInfo: info)
    }
}

extension NSError {
    /// This error with `underlying` as its underlying error. The error is unchanged if `underlying` is nil, or if this
    /// error has an underlying error already.
    public func over(_ underlying: NSError?) -> NSError {
        guard let underlying, userInfo[NSUnderlyingErrorKey] == nil else { return self }
        var info = userInfo
        info[NSUnderlyingErrorKey] = underlying
        return NSError(domain: domain, code: code, userInfo: info)
    }

    /// `error` with this error as its underlying error; this error if `error` is nil.
    func under(_ error: NSError?) -> NSError { error?.over(self) ?? self }

    /// Whether this error, or any error in its chain of underlying errors, has the code in the domain.
    public func hasCode(_ code: Int, in domain: String) -> Bool {
        var next: NSError? = self
        // Bounded, because a chain of underlying errors can be circular.
        for _ in 0..<64 {
            guard let error = next else { return false }
            if error.code == code && error.domain == domain { return true }
            next = error.userInfo[NSUnderlyingErrorKey] as? NSError
        }
        return false
    }
}

/// The meaning of a status, in lower case: its name in the IANA registry (RFC 9110, section 15), else the name of its
/// class.
struct StatusPhrase: CustomStringConvertible {
    let description: String

    init(_ status: Int) {
        description =
            switch status {
            case 300: "multiple choices"
            case 301: "moved permanently"
            case 302: "found"
            case 303: "see other"
            case 304: "not modified"
            case 307: "temporary redirect"
            case 308: "permanent redirect"
            case 400: "bad request"
            case 401: "unauthorized"
            case 402: "payment required"
            case 403: "forbidden"
            case 404: "not found"
            case 405: "method not allowed"
            case 406: "not acceptable"
            case 408: "request timeout"
            case 409: "conflict"
            case 410: "gone"
            case 412: "precondition failed"
            case 413: "content too large"
            case 415: "unsupported media type"
            case 422: "unprocessable content"
            case 429: "too many requests"
            case 500: "internal server error"
            case 501: "not implemented"
            case 502: "bad gateway"
            case 503: "service unavailable"
            case 504: "gateway timeout"
            case ..<200: "informational"
            case ..<300: "success"
            case ..<400: "redirected"
            case ..<500: "client error"
            default: "server error"
            }
    }
}
