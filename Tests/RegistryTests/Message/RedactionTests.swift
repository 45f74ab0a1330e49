import Foundation
import PatchbayRegistry
import Testing

@Suite("What is shown of URLs and header fields") struct RedactionTests {
    @Test(arguments: [
        ("https://example.com/a?page=2#top", "https://example.com/a?page=***#***"),
        ("https://ada:pw@example.com/", "https://***@example.com/"),
        ("https://ada@x@example.com/a@b", "https://***@example.com/a@b"),
        ("ada:pw@example.com/a", "***@example.com/a"),
        ("http://h/?token=1&page=2&Api_Key=3", "http://h/?token=***&page=***&Api_Key=***"),
        ("http://h/?X-Amz-Signature=a=b;password=c", "http://h/?X-Amz-Signature=***&password=***"),
        ("http://h/#access_token=1&state=2", "http://h/#***"),
        ("http://h?sig", "http://h?***"), ("http://h?", "http://h?"),
        // A mark behind a character of the URL.
        ("http://h/p?\u{301}token=hunter2", "http://h/p"), ("http://h/p#\u{301}hunter2", "http://h/p"),
        ("http://ada:pw@h?\u{301}token=1", "http://***@h"),
        ("a?token=1&next=http://x/?b=2", "a?token=***&next=***"),
        ("a;jsessionid=1/b;c", "a;***/b;***"), ("//ada:pw@h/a", "//***@h/a"),
        ("http://h/a;jsessionid=1/b", "http://h/a;***/b"),
        ("not a url", "not a url"), ("", ""), ("://", "://"), ("@", "***@"),
        // What was meant to be a URL, with a password that is not percent-encoded, or a slash too few.
        ("http:/ada:pw@h/a", "http:/***@h/a"), ("http:ada:pw@h/a", "http:***@h/a"), ("HTTPS:/pw@h", "HTTPS:/***@h"),
        ("http://ada:S3CRET/pw@h/a?b=c", "http://***@h/a?b=***"), ("ada:S3CRET/pw@h/a", "***@h/a"),
        ("http://ada:S3?pw@h/a", "http://***@h/a"), ("http://ada:S3#pw@h/a", "http://***@h/a"),
        ("http:/ada:S3/pw@h", "http:/***@h"), ("//ada:S3\\pw@h", "//***@h"),
        // An @ that is not of user information.
        ("http://h:8080/@scope/a?mail=a@b", "http://h:8080/@scope/a?mail=***"), ("users/a@b", "users/a@b"),
        ("http://[::1]:80/a@b", "http://[::1]:80/a@b"), ("http://[::1]/a@b", "http://[::1]/a@b"),
        ("http:///a@b", "http:///a@b"), ("http:/a/b", "http:/a/b"), ("http:", "http:"),
    ])
    func `credentials in a URL are masked`(_ text: String, _ masked: String) {
        #expect(Redaction.masked(text) == masked)
    }

    @Test(arguments: [
        ("https://ada:pw@h.test:81/a?page=2#top", #""https://h.test:81/a""#),
        ("http://ada:S3?pw@h/a?b", #""http://h/a""#), ("ada:pw@h.test:80/x", #""h.test:80/x""#),
        ("//pw@h/a", #""//h/a""#),
        ("http://h/a0123456789012345678901/b", #""http://h/***/b""#),
        ("http://h/named/x;s=1", #""http://h/***/x;***""#),
        ("data:text/plain,hush", #""data:…""#), ("mailto:ada@h.test", #""mailto:…""#), ("http:/h/a", #""http:/h/a""#),
        ("", #""""#), ("a\u{202E}b\u{1B}[2J\r\n\"\u{85}", #""a\u{202e}b\u001b[2J\r\n\"\u{85}""#),
        ("http://h/" + String(repeating: "a", count: 80), "\"http://h/\(String(repeating: "a", count: 71))…\""),
    ])
    func `a URL in a sentence is cut, escaped and quoted`(_ text: String, _ quoted: String) {
        #expect(Redaction.quoted(text, named: ["named"]) == quoted)
    }

    @Test(arguments: [
        // 20 characters, and 21 with a digit, without one, and without a letter.
        ("a0123456789012345678", "a0123456789012345678"), ("a01234567890123456789", "***"),
        ("abcdefghijklmnopqrstuvwxyz", "abcdefghijklmnopqrstuvwxyz"),
        ("123456789012345678901", "123456789012345678901"),
        ("550e8400-e29b-41d4-a716-446655440000", "***"),
        // What is encoded is one character, and its digits are not its own.
        ("%D0%BF%D1%80%D0%B8%D0%B2%D0%B5%D1%82", "%D0%BF%D1%80%D0%B8%D0%B2%D0%B5%D1%82"),
        ("%20a01234567890123456789", "***"), ("a0123456789012345678%20", "***"),
    ])
    func `a segment of a path that looks like a token is masked`(_ segment: String, _ masked: String) throws {
        #expect(Redaction.masked("http://h/a/\(segment)/b") == "http://h/a/\(masked)/b")
        #expect(Redaction.masked("\(segment)/b") == "\(masked)/b")
        #expect(Redaction.place(try #require(URL(string: "http://h/a/\(segment)"))) == "h/a/\(masked)")
    }

    @Test(arguments: [
        ("http://Example.com", "Example.com"), ("http://h/", "h"), ("http://h:80/a", "h/a"),
        ("https://h:443/a/", "h/a/"),
        ("http://h:8080", "h:8080"), ("https://h:80/a%20b", "h:80/a%20b"), ("http://ada:pw@h/a?b=c#d", "h/a"),
        ("http://[::1]:8080/a", "[::1]:8080/a"), ("http://h/named/x", "h/***/x"),
        ("http://h/reset/x/y", "h/reset/***/y"),
        ("http://h/reset", "h/reset"), ("http://h/reset/", "h/reset/"),
    ])
    func `a place is host, port and path`(_ url: String, _ place: String) throws {
        #expect(Redaction.place(try #require(URL(string: url)), named: ["named", "reset/"]) == place)
    }

    @Test func `a place without a host is none, and a long path is cut`() throws {
        #expect(Redaction.place(URL(filePath: "/a")) == nil)
        let path = String(repeating: "a/", count: 200)
        #expect(Redaction.place(try #require(URL(string: "http://h/" + path)))?.count == 202)
    }

    @Test(arguments: [
        ("Content-Type", "text/plain", "text/plain"), ("content-TYPE", "text/plain", "text/plain"),
        ("Authorization", "Basic x", "<7 bytes>"), ("Set-Cookie", "é", "<2 bytes>"), ("X-Anything", "", "<0 bytes>"),
        ("Server", "a\u{1B}[2J", "<5 bytes>"), ("Server", String(repeating: "a", count: 1_024), "<1,024 bytes>"),
    ])
    func `a header field shows its value where that is known to be harmless`(
        _ name: String, _ value: String, _ shown: String
    ) {
        #expect(Redaction.masked((name, value)) == shown)
    }

    @Test(arguments: [
        (0, "0 bytes"), (1, "1 byte"), (999, "999 bytes"), (1_000, "1,000 bytes"), (1_234_567, "1,234,567 bytes"),
    ])
    func `bytes are counted in groups of three digits`(_ count: Int, _ text: String) {
        #expect(ByteCount(count).description == text)
        #expect(ByteCount.grouped(-1_000) == "-1,000")
    }
}
