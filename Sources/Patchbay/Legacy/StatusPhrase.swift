/// What a status means, in lower case: the names of the IANA registry (RFC 9110, section 15), else that of its class.
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
