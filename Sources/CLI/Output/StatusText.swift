/// The status of a response with its reason phrase. HTTP/2 sends none, so the phrase is always the registered one (RFC
/// 9110, section 15, and the registry of status codes at IANA).
enum StatusText {
    /// `404 Not Found`; the number alone of a status that is not registered.
    static func of(_ status: Int) -> String {
        phrases.split(separator: ", ").first { $0.hasPrefix("\(status) ") }.map(String.init) ?? "\(status)"
    }

    private static let phrases = """
        200 OK, 201 Created, 202 Accepted, 204 No Content, 205 Reset Content, 206 Partial Content, \
        300 Multiple Choices, 301 Moved Permanently, 302 Found, 303 See Other, 304 Not Modified, \
        307 Temporary Redirect, 308 Permanent Redirect, 400 Bad Request, 401 Unauthorized, 403 Forbidden, \
        404 Not Found, 405 Method Not Allowed, 406 Not Acceptable, 407 Proxy Authentication Required, \
        408 Request Timeout, 409 Conflict, 410 Gone, 411 Length Required, 412 Precondition Failed, \
        413 Content Too Large, 414 URI Too Long, 415 Unsupported Media Type, 416 Range Not Satisfiable, \
        417 Expectation Failed, 421 Misdirected Request, 422 Unprocessable Content, 425 Too Early, \
        426 Upgrade Required, 428 Precondition Required, 429 Too Many Requests, 431 Request Header Fields Too Large, \
        451 Unavailable For Legal Reasons, 500 Internal Server Error, 501 Not Implemented, 502 Bad Gateway, \
        503 Service Unavailable, 504 Gateway Timeout, 505 HTTP Version Not Supported, 507 Insufficient Storage, \
        511 Network Authentication Required
        """
}
