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
        make(statusCode, "\(phrase(head.status)) (\(head.status))", head, body)
    }

    private static func make(_ code: Int, _ why: String, _ head: ResponseHead, _ body: ResponseBody?) -> NSError {
        var info: [String: Any] = [NSLocalizedDescriptionKey: "Request failed: \(why)", responseKey: head]
        // `print` shows the values of `userInfo`, so the URL must have no secrets.
        info[NSURLErrorFailingURLErrorKey] = URL(string: head.maskedURL)
        if let body { info[dataKey] = body.data }
        return NSError(domain: domain, code: code, userInfo: info)
    }

    /// The meaning of a status, in lower case: its name in the IANA registry (RFC 9110, section 15), else the name of its
    /// class.
    private static func phrase(_ status: Int) -> String {
        if let phrase = phrases[status] { return phrase }
        return switch status {
        case ..<200: "informational"
        case ..<300: "success"
        case ..<400: "redirected"
        case ..<500: "client error"
        default: "server error"
        }
    }

    private static let phrases = [
        300: "multiple choices", 301: "moved permanently", 302: "found", 303: "see other", 304: "not modified",
        307: "temporary redirect", 308: "permanent redirect", 400: "bad request", 401: "unauthorized",
        402: "payment required", 403: "forbidden", 404: "not found", 405: "method not allowed", 406: "not acceptable",
        408: "request timeout", 409: "conflict", 410: "gone", 412: "precondition failed", 413: "content too large",
        415: "unsupported media type", 422: "unprocessable content", 429: "too many requests",
        500: "internal server error", 501: "not implemented", 502: "bad gateway", 503: "service unavailable",
        504: "gateway timeout",
    ]
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
