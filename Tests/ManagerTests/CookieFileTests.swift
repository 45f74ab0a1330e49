import Foundation
import PatchbayJSON
import PatchbayPlatform
import PatchbayRegistry
import TestSupport
import Testing

@testable import PatchbayManager

/// Cookies as a file of `curl -b` and `curl -c` keeps them, and as `Codable` does.
@Suite("Cookie files", .timeLimit(.minutes(5))) struct CookieFileTests {
    private let folder = TemporaryFolder()
    private var file: URL { folder.url.appending(path: "cookies.txt") }

    private func load(_ bytes: some Sequence<UInt8>) throws -> [Cookie] {
        try Data(bytes).write(to: file)
        return try CookieJar(contentsOf: file).cookies
    }

    /// A cookie with all that it has, in the order of a line.
    private static func shown(_ cookie: Cookie) -> String {
        let marks = [
            cookie.includesSubdomains ? "subdomains" : nil, cookie.isSecure ? "secure" : nil,
            cookie.isHTTPOnly ? "httpOnly" : nil,
            cookie.expires.map { String(format: "%.0f", $0.timeIntervalSince1970) },
        ].compactMap(\.self)
        return ([cookie.domain, cookie.path] + marks).joined(separator: " ") + " \(cookie.name)=\(cookie.value)"
    }

    struct Lines: Sendable, CustomTestStringConvertible {
        let name: String
        let text: String
        let cookies: [String]
        var testDescription: String { name }
    }

    static let readable = [
        Lines(name: "an empty file", text: "", cookies: []),
        Lines(name: "the first line alone", text: "# Netscape HTTP Cookie File\n", cookies: []),
        Lines(
            name: "comments and empty lines",
            text: "# Netscape HTTP Cookie File\n#a\tb\n\n \t \nexample.com\tFALSE\t/\tFALSE\t0\ta\tb\n#",
            cookies: ["example.com / a=b"]),
        Lines(
            name: "a comment that begins like a cookie", text: "#HttpOnl\n.a.example\tTRUE\t/x\tTRUE\t0\ta\tb",
            cookies: ["a.example /x subdomains secure a=b"]),
        Lines(
            name: "#HttpOnly_", text: "#HttpOnly_.example.com\tTRUE\t/\tFALSE\t32503680000\ta\tb\n",
            cookies: ["example.com / subdomains httpOnly 32503680000 a=b"]),
        Lines(
            name: "CRLF", text: "# x\r\n\r\nexample.com\tFALSE\t/\tFALSE\t0\ta\tb\r\n", cookies: ["example.com / a=b"]),
        Lines(
            name: "a byte order mark", text: "\u{FEFF}# x\nexample.com\tFALSE\t/\tFALSE\t0\ta\tb",
            cookies: ["example.com / a=b"]),
        Lines(name: "an empty value", text: "example.com\tFALSE\t/\tFALSE\t0\ta\t\n", cookies: ["example.com / a="]),
        Lines(name: "no value", text: "example.com\tFALSE\t/\tFALSE\t0\ta\n", cookies: ["example.com / a="]),
        Lines(
            name: "flags in small letters", text: "example.com\ttrue\t/\tTrue\t0\ta\tb",
            cookies: ["example.com / subdomains secure a=b"]),
        Lines(
            name: "a domain in canonical form", text: "EXAMPLE.com.\tFALSE\t/\tFALSE\t0\ta\tb",
            cookies: ["example.com / a=b"]),
        Lines(name: "an IPv6 address", text: "::1\tFALSE\t/\tFALSE\t0\ta\tb", cookies: ["[::1] / a=b"]),
        Lines(name: "one in brackets", text: "[::1]\tFALSE\t/\tFALSE\t0\ta\tb", cookies: ["[::1] / a=b"]),
        Lines(name: "a name that is no token", text: "h\tFALSE\t/\tFALSE\t0\ta[b c]\td e", cookies: ["h / a[b c]=d e"]),
        Lines(name: "a value with =, # and \"", text: "h\tFALSE\t/\tFALSE\t0\t#a\t#\"b=c", cookies: ["h / #a=#\"b=c"]),
        Lines(name: "a value beyond ASCII", text: "h\tFALSE\t/\tFALSE\t0\tä\té😀", cookies: ["h / ä=é😀"]),
        // As libcurl writes the attributes Path=x, Path="/x" and Path=.
        Lines(name: "a path without a slash", text: "h\tFALSE\tx\tFALSE\t0\ta\tb", cookies: ["h / a=b"]),
        Lines(name: "a path in quotes", text: "h\tFALSE\t\"/x\"\tFALSE\t0\ta\tb", cookies: ["h /x a=b"]),
        Lines(name: "a quote at the end of a path", text: "h\tFALSE\t/x\"\tFALSE\t0\ta\tb", cookies: ["h /x\" a=b"]),
        Lines(name: "a path with a semicolon", text: "h\tFALSE\t/x;v=1\tFALSE\t0\ta\tb", cookies: ["h /x;v=1 a=b"]),
        Lines(name: "a value with tabs", text: "h\tFALSE\t/\tFALSE\t0\ta\t\tb\t", cookies: ["h / a=\tb\t"]),
        Lines(name: "a quote as path", text: "h\tFALSE\t\"\tFALSE\t0\ta\tb", cookies: ["h / a=b"]),
        Lines(name: "no path", text: "h\tFALSE\t\tFALSE\t0\ta\tb", cookies: ["h / a=b"]),
        Lines(name: "no expiry", text: "h\tFALSE\t/\tFALSE\t\ta\tb", cookies: ["h / a=b"]),
        Lines(name: "a fraction", text: "h\tFALSE\t/\tFALSE\t32503680000.75\ta\tb", cookies: ["h / 32503680000 a=b"]),
        Lines(
            name: "the largest expiry", text: "h\tFALSE\t/\tFALSE\t9223372036854775807\ta\tb",
            cookies: ["h / 9223372036854775808 a=b"]),
        Lines(
            name: "an expiry beyond Int64", text: "h\tFALSE\t/\tFALSE\t\(String(repeating: "9", count: 400))\ta\tb",
            cookies: ["h / 9223372036854775808 a=b"]),
        Lines(name: "an expired cookie", text: "h\tFALSE\t/\tFALSE\t1\ta\tb", cookies: []),
        Lines(name: "a negative expiry", text: "h\tFALSE\t/\tFALSE\t-1\ta\tb", cookies: []),
        Lines(
            name: "a negative expiry beyond Int64", text: "h\tFALSE\t/\tFALSE\t-99999999999999999999\ta\tb", cookies: []
        ),
        Lines(
            name: "the last of two",
            text: "h\tFALSE\t/\tFALSE\t0\ta\t1\nh\tFALSE\t/x\tFALSE\t0\ta\t2\n.H\tTRUE\t/\tFALSE\t0\ta\t3",
            cookies: ["h /x a=2", "h / subdomains a=3"]),
        Lines(
            name: "an expired one removes the one before",
            text: "h\tFALSE\t/\tFALSE\t0\ta\t1\nh\tFALSE\t/\tFALSE\t1\ta\t2", cookies: []),
        Lines(
            name: "prefixes that are right",
            text: "h\tTRUE\t/x\tTRUE\t0\t__Secure-a\t1\nh\tFALSE\t/\tTRUE\t0\t__Host-a\t2",
            cookies: ["h /x subdomains secure __Secure-a=1", "h / secure __Host-a=2"]),
    ]

    @Test("1.8.9: a cookie file is read", arguments: readable)
    func reading(_ lines: Lines) throws { #expect(try load(lines.text.utf8).map(Self.shown) == lines.cookies) }

    @Test("1.8.9: a comment in another charset is no error, and a cookie keeps bytes that are not UTF-8")
    func charset() throws {
        let line = "h\tFALSE\t/\tFALSE\t0\ta\t"
        #expect(try load([0x23, 0xE9, 0x0A] + "\(line)b".utf8).map(Self.shown) == ["h / a=b"])
        let bytes = "# Netscape HTTP Cookie File\n\(line)é".utf8 + [0xFF, 0xE9, 0x0A]
        let cookies = try load(bytes)
        #expect(cookies.map(Self.shown) == ["h / a=\u{C3}\u{A9}\u{FF}\u{E9}"])
        try CookieJar(cookies).write(to: file, includingSessionCookies: true)
        #expect(try Data(contentsOf: file) == Data(bytes))
        #expect(try JSONDecoder().decode([Cookie].self, from: JSONEncoder().encode(cookies)) == cookies)
        // The same text in UTF-8 is another cookie.
        let other = try Cookie("a", "\u{C3}\u{A9}\u{FF}\u{E9}", domain: "h")
        #expect(cookies != [other])
        try CookieJar([other]).write(to: file, includingSessionCookies: true)
        #expect(try CookieJar(contentsOf: file).cookies == [other])
    }

    private static let name = "the name of the cookie has a character that it cannot have"
    private static let value = "the value of the cookie has a character that it cannot have"
    private static let path = "the path of the cookie is not a path"
    private static let domain = "the domain of the cookie is not a host"
    private static let expiry = "its fifth column is not a number of seconds"
    private static let secure = "the name of the cookie begins with __Secure-, and the cookie is not secure"
    private static let host =
        "the name of the cookie begins with __Host-, and the cookie is not a secure one of a single host with the path "
        + "/"

    static let refused: [(String, String)] = [
        ("s3cret", "it has 1 columns separated by tabs, not 7"),
        ("h FALSE / FALSE 0 a s3cret", "it has 1 columns separated by tabs, not 7"),
        ("h\tFALSE\t/\tFALSE\t0", "it has 5 columns separated by tabs, not 7"),
        ("#HttpOnly_", "it has 1 columns separated by tabs, not 7"),
        ("h\tFALSE\t/\tFALSE\t0\ta\ts3cret;c", value),
        ("h\tFALSE\t/\tFALSE\t0\ta\ts3cret\rc", value), ("h\tFALSE\t/\tFALSE\t0\ta\ts3cret\u{7F}", value),
        ("h\tFALSE\t/\tFALSE\t0\ta\ts3cret\u{0}", value),
        ("h\tFALSE\t/\tFALSE\t0\t\ts3cret", "the cookie has no name"), ("h\tFALSE\t/\tFALSE\t0\ta=\ts3cret", name),
        ("h\tFALSE\t/\tFALSE\t0\t a\ts3cret", name), ("h\tFALSE\t/\tFALSE\t0\ta \ts3cret", name),
        ("h\tFALSE\t/\tFALSE\t0\ta;\ts3cret", name), ("h\tFALSE\t/\u{1}\tFALSE\t0\ta\ts3cret", path),
        ("\tFALSE\t/\tFALSE\t0\ta\ts3cret", domain), (".\tFALSE\t/\tFALSE\t0\ta\ts3cret", domain),
        ("exa mple\tFALSE\t/\tFALSE\t0\ta\ts3cret", domain), ("h:80\tFALSE\t/\tFALSE\t0\ta\ts3cret", domain),
        ("..h\tFALSE\t/\tFALSE\t0\ta\ts3cret", domain), ("[h]\tFALSE\t/\tFALSE\t0\ta\ts3cret", domain),
        ("192.0.2.1\tTRUE\t/\tFALSE\t0\ta\ts3cret", domain),
        ("h\tYES\t/\tFALSE\t0\ta\ts3cret", "its second column is neither TRUE nor FALSE"),
        ("h\tFALSE\t/\t\t0\ta\ts3cret", "its fourth column is neither TRUE nor FALSE"),
        // libcurl reads this as a line without a path.
        ("h\tFALSE\tTRUE\t0\ta\ts3cret", "its fourth column is neither TRUE nor FALSE"),
        ("h\tFALSE\t/\tFALSE\tnever\ta\ts3cret", expiry), ("h\tFALSE\t/\tFALSE\tinf\ta\ts3cret", expiry),
        ("h\tFALSE\t/\tFALSE\t1e9\ta\ts3cret", expiry), ("h\tFALSE\t/\tFALSE\t+1\ta\ts3cret", expiry),
        ("h\tFALSE\t/\tFALSE\t-\ta\ts3cret", expiry), ("h\tFALSE\t/\tFALSE\t.\ta\ts3cret", expiry),
        ("h\tFALSE\t/\tFALSE\t1.\ta\ts3cret", expiry), ("h\tFALSE\t/\tFALSE\t1.2.3\ta\ts3cret", expiry),
        ("h\tFALSE\t/\tFALSE\t 1\ta\ts3cret", expiry), ("h\tFALSE\t/\tFALSE\t١\ta\ts3cret", expiry),
        ("h\tFALSE\t/\tFALSE\t0\t__Secure-a\ts3cret", secure), ("h\tFALSE\t/\tFALSE\t0\t__SECURE-\ts3cret", secure),
        ("h\tFALSE\t/\tFALSE\t0\t__Host-a\ts3cret", host), ("h\tTRUE\t/\tTRUE\t0\t__Host-a\ts3cret", host),
        ("h\tFALSE\t/x\tTRUE\t0\t__host-a\ts3cret", host),
    ]

    @Test("1.8.9: a line that is no cookie is an error with its number, and without its text", arguments: refused)
    func refusing(_ line: String, _ reason: String) throws {
        let text = "# Netscape HTTP Cookie File\n\nh\tFALSE\t/\tFALSE\t0\tb\tc\n\(line)\nh\tFALSE\t/\tFALSE\t0\td\te\n"
        let failure = try #require(#expect(throws: FormatFailure.self) { try load(text.utf8) })
        #expect(failure.format == "cookie-file")
        #expect(failure.code == .malformed)
        #expect(failure.line == 4)
        #expect(failure.reason == reason)
        #expect("\(failure)" == "cookie-file, line 4: \(reason)")
    }

    private static let later = Date(timeIntervalSince1970: 32_503_680_000)

    @Test("1.8.9: what a jar writes is the format of curl, and is read again")
    func roundTrip() throws {
        let cookies = [
            try Cookie("a", "", domain: "example.com", expires: Self.later),
            try Cookie(
                "__Secure-b", "c d=\"é\"", domain: "example.com", includesSubdomains: true, path: "/x y",
                isSecure: true,
                isHTTPOnly: true, expires: Self.later),
            try Cookie("c", "#", domain: "[::1]", isSecure: true),
            try Cookie("d", "1", domain: "192.0.2.1", isHTTPOnly: true, expires: .distantFuture),
            try Cookie("e", "\tf\t", domain: "h", path: "/;g\"", expires: .distantFuture),
        ]
        let past = try Cookie("z", "1", domain: "example.com", expires: Date(timeIntervalSince1970: 1))
        let jar = CookieJar(cookies + [past])
        try jar.write(to: file, includingSessionCookies: true)
        let future = Int64(Date.distantFuture.timeIntervalSince1970)
        #expect(
            try String(contentsOf: file, encoding: .utf8) == """
                # Netscape HTTP Cookie File
                example.com\tFALSE\t/\tFALSE\t32503680000\ta\t
                #HttpOnly_.example.com\tTRUE\t/x y\tTRUE\t32503680000\t__Secure-b\tc d="é"
                ::1\tFALSE\t/\tTRUE\t0\tc\t#
                #HttpOnly_192.0.2.1\tFALSE\t/\tFALSE\t\(future)\td\t1
                h\tFALSE\t/;g"\tFALSE\t\(future)\te\t\tf\t

                """)
        #expect(try CookieJar(contentsOf: file).cookies == cookies)
        try jar.write(to: file)
        #expect(try CookieJar(contentsOf: file).cookies == cookies.filter { $0.expires != nil })
    }

    @Test("1.8.9: an expiry that no line can hold is written as the nearest one")
    func dates() throws {
        let jar = CookieJar()
        for (name, seconds) in [("a", 1e300), ("b", .infinity), ("c", 32_503_680_000.9)] {
            jar.set(try Cookie(name, "1", domain: "h", expires: Date(timeIntervalSince1970: seconds)))
        }
        // Never later than now, so expired.
        jar.set(try Cookie("d", "1", domain: "h", expires: Date(timeIntervalSince1970: .nan)))
        try jar.write(to: file)
        #expect(
            try CookieJar(contentsOf: file).cookies.map(Self.shown) == [
                "h / 9223372036854775808 a=1", "h / 9223372036854775808 b=1", "h / 32503680000 c=1",
            ])
    }

    @Test("1.8.9: the file belongs to its user alone, also in place of one that did not")
    func mode() throws {
        try folder.make(.file, "cookies.txt")
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: file.path)
        try CookieJar([try Cookie("a", "1", domain: "h", expires: Self.later)]).write(to: file)
        #expect(folder.mode(of: "cookies.txt") == 0o600)
        #expect(folder.names == ["cookies.txt"])
        #expect(try CookieJar(contentsOf: file).cookies.count == 1)
    }

    @Test(
        "1.8.9: if the writing fails, the old file stays as it was, and nothing is left beside it",
        arguments: ["create", "write", "half", "sync", "rename"])
    func failing(_ step: String) throws {
        try folder.make(.file, "cookies.txt")
        var calls = FileCalls.system
        @Sendable func fail(_ code: Int32) -> Int32 {
            errno = code
            return -1
        }
        let isFirst = Shared(true)
        switch step {
        case "create": calls.create = { _, _ in fail(ENOSPC) }
        case "write": calls.write = { _, _ in Int(fail(ENOSPC)) }
        case "half":
            calls.write = { file, bytes in
                guard
                    isFirst.withLock({ isFirst in
                        defer { isFirst = false }
                        return isFirst
                    })
                else { return Int(fail(ENOSPC)) }
                return FileCalls.system.write(file, UnsafeRawBufferPointer(rebasing: bytes.prefix(10)))
            }
        case "sync": calls.sync = { _ in fail(ENOSPC) }
        default: calls.rename = { _, _, _ in fail(ENOSPC) }
        }
        let cookie = try Cookie("a", "1", domain: "h", expires: Self.later)
        let error = #expect(throws: SessionError.self) { try CookieFile.write([cookie], to: file, calls) }
        #expect(error?.code == .file)
        #expect((error?.cause as? POSIXError)?.code == .ENOSPC)
        #expect(folder.names == ["cookies.txt"])
        #expect(try String(contentsOf: file, encoding: .utf8) == "old")
    }

    @Test(
        "1.8.9: a name that is no plain file's is an error",
        arguments: [
            (.folder, "there is a folder of that name", "Is a directory"),
            (.link, "there is a symbolic link of that name", nil),
            (.pipe, "what is there is not a plain file", "it is not a regular file"),
        ] as [(TemporaryFolder.Kind, String, String?)])
    func kinds(_ kind: TemporaryFolder.Kind, _ writing: String, _ reading: String?) throws {
        try folder.make(kind, "cookies.txt")
        let names = folder.names
        let error = #expect(throws: SessionError.self) { try CookieJar().write(to: file) }
        #expect(error.map { "\($0)" } == "cookies.txt cannot be written: \(writing)")
        #expect(folder.names == names)
        guard let reading else { return }
        let unread = #expect(throws: SessionError.self) { try CookieJar(contentsOf: file) }
        #expect(unread.map { "\($0)" } == "cookies.txt cannot be read: \(reading)")
    }

    @Test("1.8.9: a link to a cookie file is read")
    func link() throws {
        _ = try load("h\tFALSE\t/\tFALSE\t0\ta\tb".utf8)
        let link = folder.url.appending(path: "link")
        try FileManager.default.createSymbolicLink(at: link, withDestinationURL: file)
        #expect(try CookieJar(contentsOf: link).cookies.map(Self.shown) == ["h / a=b"])
    }

    @Test("1.8.9: a missing file and a missing folder are errors of the system")
    func missing() throws {
        let unread = #expect(throws: SessionError.self) { try CookieJar(contentsOf: file) }
        #expect(unread?.code == .file)
        #expect((unread?.cause as? POSIXError)?.code == .ENOENT)
        #expect(unread.map { "\($0)" } == "cookies.txt cannot be read: No such file or directory")
        let place = folder.url.appending(path: "none/cookies.txt")
        let unwritten = #expect(throws: SessionError.self) { try CookieJar().write(to: place) }
        #expect(unwritten?.code == .file)
        #expect((unwritten?.cause as? POSIXError)?.code == .ENOENT)
        #expect(folder.names == [])
    }

    @Test(
        "1.8.9: a URL that names no file is an error",
        arguments: ["https://example.com/cookies.txt", "file:///"])
    func noFile(_ text: String) throws {
        let url = try #require(URL(string: text))
        #expect(throws: SessionError.self) { try CookieJar(contentsOf: url) }
        #expect(throws: SessionError.self) { try CookieJar().write(to: url) }
    }

    @Test("1.8.9: any name is read as it is written", arguments: ["a%2Fb", "a%00b", "a%20b", "%C3%A9", "-"])
    func names(_ name: String) throws {
        let url = try #require(URL(string: folder.url.absoluteString + "/" + name))
        let cookies = [try Cookie("a", "1", domain: "h", expires: Self.later)]
        try CookieJar(cookies).write(to: url)
        #expect(try CookieJar(contentsOf: url).cookies == cookies)
        #expect(folder.names.count == 1)
    }

    @Test("1.8.9: a file above the limit is refused, and one at the limit is read")
    func limit() throws {
        try Data().write(to: file)
        let handle = try FileHandle(forWritingTo: file)
        // A sparse file, so that no disk is filled.
        try handle.truncate(atOffset: 100 << 20)
        let failure = #expect(throws: FormatFailure.self) { try CookieJar(contentsOf: file) }
        #expect(failure?.code == .limit)
        #expect(failure.map { "\($0)" } == "cookie-file: it is larger than 16,777,216 bytes")
        try handle.truncate(atOffset: UInt64(CookieFile.maximumBytes))
        // One line of zero bytes.
        let line = #expect(throws: FormatFailure.self) { try CookieJar(contentsOf: file) }
        #expect(line?.line == 1)
        try handle.close()
    }

    @Test("1.8.9: a file with many cookies and many repeated ones is read in time")
    func many() throws {
        let text = (0..<20_000).map { "h\tFALSE\t/\tFALSE\t0\ta\($0 % 10_000)\t\($0)\n" }.joined()
        #expect(try load(text.utf8).count == 10_000)
    }

    @Test("1.8.9: a file with a cookie for each of 40,000 hosts is read, in its order")
    func manyHosts() throws {
        let lines = (0..<40_000).map { "h\($0).example.com\tFALSE\t/\tFALSE\t0\ta\t\($0)\n" }
        let cookies = try load(lines.joined().utf8)
        #expect(cookies.count == 40_000)
        #expect(cookies.first?.domain == "h0.example.com" && cookies.last?.domain == "h39999.example.com")
    }

    @Test("1.8.9: a jar takes the cookies of another one in place of its own")
    func replaced() throws {
        let jar = CookieJar([try Cookie("old", "1", domain: "h")])
        let other = CookieJar([try Cookie("new", "2", domain: "h")])
        jar.replaceAll(by: other)
        #expect(jar.cookies == other.cookies && jar.cookies.map(\.name) == ["new"])
    }

    @Test("1.8.9: whatever the bytes are, they are cookies that are written and read again, or an error with a line")
    func anyBytes() throws {
        var random = SplitMix(seed: 189)
        let line = Array("#HttpOnly_.example.com\tTRUE\t/\tTRUE\t32503680000\t__Secure-a\tb\r\n".utf8)
        let bytes: [UInt8] = Array("\t\n\r\0#.-\" ;=[]:/_TRUE09\u{7F}".utf8) + [0xC3, 0xA9, 0xCC, 0x81, 0xFF, 0xF0]
        var read = 0
        for _ in 0..<3_000 {
            var text = line + line
            for _ in 0..<Int.random(in: 0...3, using: &random) {
                let place = Int.random(in: text.indices, using: &random)
                switch Int.random(in: 0..<3, using: &random) {
                case 0: text[place] = bytes.randomElement(using: &random) ?? 0
                case 1: text.remove(at: place)
                default: text.insert(bytes.randomElement(using: &random) ?? 0, at: place)
                }
            }
            do throws(FormatFailure) {
                let cookies = CookieJar(try CookieFile.cookies(in: text)).cookies
                #expect(
                    CookieJar(try CookieFile.cookies(in: CookieFile.bytes(of: cookies))).cookies == cookies)
                read += 1
            } catch {
                #expect(error.line == 1 || error.line == 2 || error.line == 3)
            }
        }
        #expect((500..<2_500).contains(read))
    }

    @Test("1.8.9: cookies are Codable; a session cookie has no expiry there")
    func codable() throws {
        let cookies = [
            try Cookie(
                "a", "b c", domain: "example.com", includesSubdomains: true, path: "/x", isSecure: true,
                isHTTPOnly: true, expires: Self.later), try Cookie("a", "", domain: "[::1]"),
        ]
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        encoder.dateEncodingStrategy = .secondsSince1970
        let data = try encoder.encode(cookies)
        let keys = #""domain":"example.com","expires":32503680000,"includesSubdomains":true,"isHTTPOnly":true,"#
        #expect(
            String(decoding: data, as: UTF8.self) == "[{" + keys
                + #""isSecure":true,"name":"a","path":"\/x","value":"b c"},{"domain":"[::1]","#
                + #""includesSubdomains":false,"isHTTPOnly":false,"isSecure":false,"name":"a","path":"\/","value":""}]"#
        )
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .secondsSince1970
        #expect(try decoder.decode([Cookie].self, from: data) == cookies)
        #expect(
            try PropertyListDecoder().decode([Cookie].self, from: PropertyListEncoder().encode(cookies)) == cookies)
        // A name that is no token is decoded, too.
        let kept = try Cookie(line: "EXAMPLE.com\tFALSE\t/\tFALSE\t0\ta[b]\tc".utf8)
        #expect(try JSONDecoder().decode(Cookie.self, from: JSONEncoder().encode(kept)) == kept.checked())
    }

    static let undecodable: [(String, JSON, String)] = [
        ("name", "", "the cookie has no name"), ("name", "a;", name), ("name", "__Secure-a", secure),
        ("name", "__Host-a", host), ("value", "s3cret\u{8}", value), ("name", "a\tb", name),
        ("value", "s3cret\r\nX: y", value),
        ("path", "x", path),
        ("path", "/\n", path), ("domain", "exa mple", domain), ("domain", "192.0.2.1", domain),
    ]

    @Test("1.8.9: a cookie that no server could set is not decoded, and no error quotes it", arguments: undecodable)
    func decoding(_ key: String, _ replacement: JSON, _ reason: String) throws {
        var members: [String: JSON] = [
            "name": "a", "value": "s3cret", "domain": "h", "includesSubdomains": true, "path": "/", "isSecure": false,
            "isHTTPOnly": false,
        ]
        members[key] = replacement
        let data = try JSONEncoder().encode(["jar": [members]])
        let error = #expect(throws: DecodingError.self) {
            try JSONDecoder().decode([String: [Cookie]].self, from: data)
        }
        guard case .dataCorrupted(let context) = error else {
            Issue.record("not dataCorrupted")
            return
        }
        #expect(context.codingPath.map(\.stringValue) == ["jar", "Index 0"])
        #expect(context.debugDescription == reason)
        #expect((context.underlyingError as? FormatFailure)?.reason == reason)
        #expect(!"\(error as Any)".contains("s3cret"))
    }
}
