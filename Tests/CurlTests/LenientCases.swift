/// The responses of the suites that are accepted although their suite refuses them, each with the rule that it breaks.
///
/// Every one has exactly its body; a wrong or short body is never listed here. A line that is no longer true fails the test.
enum LenientCases {
    static let maximum = 40

    /// Those that a later libcurl (8.23) refuses, as their suite does.
    static let oneDayRefused: Set = ["curl/772"]

    static let all: [String: String] = [
        "llhttp/connection/06":
            "bytes after the last response of a connection (RFC 9112, 9.6) are dropped, not an error",
        "llhttp/connection/08":
            "bytes after the last response of a connection (RFC 9112, 9.6) are dropped, not an error",
        "llhttp/invalid/16": "lines end with LF alone (RFC 9112, 2.2, allows a recipient to take that)",
        "llhttp/invalid/18": "lines end with LF alone (RFC 9112, 2.2, allows a recipient to take that)",
        "llhttp/sample/11": "lines end with LF alone (RFC 9112, 2.2, allows a recipient to take that)",
        "llhttp/transfer-encoding/01": "blanks after a chunk size (RFC 9112, 7.1); the size itself is clear",
        "llhttp/transfer-encoding/06":
            "a chunk extension without its semicolon (RFC 9112, 7.1.1); the size itself is clear",
        "llhttp/transfer-encoding/07": "a chunk extension without a name (RFC 9112, 7.1.1); the size itself is clear",
        "wpt/lone-cr/06": "one line ends with CR LF and the next with LF alone (RFC 9112, 2.2)",
        "curl/772": "two Location fields: which to follow is decided above the transport",
    ]
}
