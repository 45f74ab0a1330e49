import Testing

/// Set-Cookie fields that one URL answers with, one response each, and the Cookie field of the request to another.
struct CookieRow: Sendable, CustomTestStringConvertible {
    let name: String
    let fields: [String]
    let sent: String?
    let from, to: String
    var testDescription: String { name }

    static let page = "http://home.example.org/app/page"

    init(_ name: String, _ fields: String..., from: String = page, to: String = page, sends sent: String?) {
        self.name = name
        self.fields = fields
        self.sent = sent
        self.from = from
        self.to = to
    }

    static let all = pairs + attributes + paths + domains
}

extension CookieRow {
    private static let below = "http://sub.home.example.org/app/page"
    private static let beside = "http://sibling.example.org/app/page"

    /// The cases of the http-state suite of the IETF, a row for each rule in it.
    static let pairs = [
        CookieRow("a name and a value", "a=b", sends: "a=b"),
        CookieRow("no =", "a", sends: nil),
        CookieRow("no name", "=b", "=", "", "   ", "; c", " =d", "=e=f", "===g", sends: nil),
        CookieRow("an empty value", "a=b", "x=", "c=d", sends: "a=b; x=; c=d"),
        CookieRow("in the order of creation", "z=1", "a=2", "m=3", sends: "z=1; a=2; m=3"),
        CookieRow("a replaced one keeps its place", "a=1", "b=2", "a=3", sends: "a=3; b=2"),
        CookieRow("white space around", "  a \t =\t b c  ; x", sends: "a=b c"),
        CookieRow("a comma", "z=y, a=b", sends: "z=y, a=b"),
        CookieRow("= in a value", "a== b", "c=d=e", sends: "a== b; c=d=e"),
        CookieRow("quotes stay", "a=\"  b \"", "b=\"c", "c=D\"E", sends: "a=\"  b \"; b=\"c; c=D\"E"),
        CookieRow("a semicolon ends a value in quotes", "a=\"b;c\"", "\"d;e\"=f", sends: "a=\"b"),
        CookieRow(
            "names that are no tokens", "a b=1", "@c=2", "(d=3", "\"e=4", "$Version=5; f=g",
            sends: "a b=1; @c=2; (d=3; \"e=4; $Version=5"),
        CookieRow("upper and lower case differ", "a=1", "A=2", sends: "a=1; A=2"),
        CookieRow("beyond ASCII", "ä=é😀; x=ü", sends: "ä=é😀"),
        CookieRow("a name in two normal forms", "\u{E9}=1", "e\u{301}=2", sends: "\u{E9}=1; e\u{301}=2"),
        CookieRow("control characters", "d=e\u{7F}", "f\u{1}=g", "j\tk=l", "h=i", sends: "h=i"),
        CookieRow("a tab in a value, and around one", "a=b\tc", "d=\te\t\tf\t", sends: "a=b\tc; d=e\t\tf"),
        CookieRow("unknown attributes", "a=b; version=1; x=\"y;z\"; Path; ;;=; ,,", sends: "a=b"),
    ]

    static let attributes = [
        CookieRow("Secure over http", "a=b; Secure", "c=d; seCURe", "e=f; Secure=x", "g=h;   Secure   ;y", sends: nil),
        CookieRow("not Secure", "a=b; \"Secure\"", "c=d; Secure x", "e=f, Secure", sends: "a=b; c=d; e=f, Secure"),
        CookieRow(
            "Secure over https", "a=b; Secure", from: "https://home.example.org/", to: "https://home.example.org/",
            sends: "a=b"),
        CookieRow("Secure from https to http", "a=b; Secure", from: "https://home.example.org/", sends: nil),
        CookieRow("Max-Age", "a=b; max-age=10000", "c=d; Max-Age=60", sends: "a=b; c=d"),
        CookieRow("Max-Age that is over", "a=b; max-age=0", "c=d; max-age=-1", "e=f; max-age=-20", sends: nil),
        CookieRow(
            "Max-Age that is no number", "a=b; max-age=", "c=d; max-age=0x", "e=f; max-age=+0", "g=h; max-age=-",
            sends: "a=b; c=d; e=f; g=h"),
        CookieRow("the last Max-Age counts", "a=b; max-age=0; max-age=9", "c=d; max-age=9; max-age=0", sends: "a=b"),
        CookieRow("Expires in the past", "a=b; Expires=Fri, 07 Aug 2007 08:04:19 GMT", sends: nil),
        CookieRow("Expires in the future", "a=b; expires=Fri, 07-Aug-9007 08:04:19 GMT", sends: "a=b"),
        CookieRow(
            "Expires that is no date", "a=b; Expires=tomorrow", "c=d; Expires=", "e=f; Expires=0",
            sends: "a=b; c=d; e=f"),
        CookieRow(
            "Max-Age before Expires", "a=b; Max-Age=9; Expires=Fri, 07 Aug 2007 08:04:19 GMT",
            "c=d; Expires=Fri, 07 Aug 9007 08:04:19 GMT; Max-Age=0", sends: "a=b"),
        CookieRow("an end in the past removes", "a=b", "c=d", "a=x; max-age=0", "e=x; max-age=0", sends: "c=d"),
        CookieRow(
            "an end in the past removes its path only", "a=b", "a=c; Path=/", "a=x; Path=/; max-age=0", sends: "a=b"),
    ]

    static let paths = [
        CookieRow("the path of the URL", "a=b", to: "http://home.example.org/app/other", sends: "a=b"),
        CookieRow("beside the path of the URL", "a=b", to: "http://home.example.org/other", sends: nil),
        CookieRow(
            "a URL without a path", "a=b", from: "http://home.example.org", to: "http://home.example.org/x",
            sends: "a=b"),
        CookieRow(
            "a query has no slash that counts", "a=b", from: "http://home.example.org/x?y=/z/",
            to: "http://home.example.org/", sends: "a=b"),
        CookieRow(
            "Path without a slash is none", "a=b; Path=", "c=d; Path=x", "e=f; Path=\"/app\"", "g=h; Path=/dog; Path=",
            sends: "a=b; c=d; e=f; g=h"),
        CookieRow("the last Path counts", "a=b; Path=/dog; Path=/app", "c=d; Path=/app; Path=/dog", sends: "a=b"),
        CookieRow("white space around Path", "a=b;   path  =   /app  ", "c=d; Path= /dog", sends: "a=b"),
        CookieRow("Path with capitals", "a=b; Path=/APP", sends: nil),
        CookieRow("Path below", "a=b; Path=/app/page/x", sends: nil),
        CookieRow("Path with a slash at its end", "a=b; Path=/app/", "c=d; Path=/app/page/", sends: "a=b"),
        CookieRow("Path and its slash", "a=b; Path=/app/page/", to: "http://home.example.org/app/page/", sends: "a=b"),
        CookieRow(
            "a semicolon in the path of the URL", "a=b", "c=d; Path=/a;v=1", from: "http://home.example.org/a;v=1/set",
            to: "http://home.example.org/a;v=1/x", sends: "a=b"),
        CookieRow(
            "another one in the path of the URL", "a=b", from: "http://home.example.org/a;v=1/set",
            to: "http://home.example.org/a;v=2/set", sends: nil),
        CookieRow("a quote at the end of Path", "a=b; Path=/app\"", sends: nil),
        CookieRow("two slashes", "a=b; Path=/app/", to: "http://home.example.org/app//x", sends: "a=b"),
        CookieRow("Path that begins alike", "a=b; Path=/ap", sends: nil),
        CookieRow("escapes stay", "a=b; Path=/f%6Fo", to: "http://home.example.org/foo", sends: nil),
        CookieRow("the same escapes", "a=b; Path=/f%6Fo", to: "http://home.example.org/f%6Fo/x", sends: "a=b"),
        CookieRow(
            "the longest path first", "a=1; Path=/", "b=2; Path=/app/page", "c=3; Path=/app", "d=4; Path=/app/page",
            sends: "b=2; d=4; c=3; a=1"),
        CookieRow(
            "one name on several paths", "k=0", "k=1; Path=/app", "k=2; Path=/", "k=3; Path=/dog",
            "k=4; Domain=.example.org; Path=/app/page", sends: "k=4; k=1; k=2"),
    ]

    static let domains = [
        CookieRow("the host itself", "a=b; Domain=home.example.org", sends: "a=b"),
        CookieRow("a host below", "a=b; Domain=.home.example.org", to: below, sends: "a=b"),
        CookieRow("a host below, without Domain", "a=b", to: below, sends: nil),
        CookieRow("a host beside", "a=b; Domain=home.example.org", to: beside, sends: nil),
        CookieRow("a host beside, with the Domain of both", "a=b; Domain=example.org", to: beside, sends: "a=b"),
        CookieRow("the Domain of another host", "a=b; Domain=sibling.example.org", to: beside, sends: nil),
        CookieRow("the Domain of a host below", "a=b; Domain=sub.home.example.org", to: below, sends: nil),
        CookieRow("a Domain that ends alike", "a=b; Domain=ome.example.org", sends: nil),
        CookieRow("a public suffix", "a=b; Domain=.org", "c=d; Domain=org.", sends: nil),
        CookieRow(
            "dots too many", "a=b; Domain=..home.example.org", "c=d; Domain=home..example.org",
            "e=f; Domain=home.example.org.", "g=h; Domain= . home.example.org", sends: nil),
        CookieRow("a dot alone, and nothing", "a=b; Domain=", "c=d; Domain=.", sends: "a=b; c=d"),
        CookieRow(
            "quotes and a port", "a=b; Domain=\"home.example.org\"", "c=d; Domain=home.example.org:80", sends: nil),
        CookieRow("capitals", "a=b; Domain=HOME.eXaMpLe.org", to: "http://HOME.example.ORG/app/", sends: "a=b"),
        CookieRow(
            "letters beyond ASCII", "a=b; Domain=bücher.example", "c=d; Domain=.BÜCHER.example",
            "e=f; Domain=bu\u{308}cher.example", from: "http://bücher.example/", to: "http://x.xn--bcher-kva.example/",
            sends: "a=b; c=d; e=f"),
        CookieRow(
            "letters beyond ASCII, and a host of xn--", "a=b; Domain=bücher.example",
            "c=d; Domain=XN--BCHER-KVA.example",
            from: "http://y.xn--bcher-kva.example/", to: "http://bücher.example/", sends: "a=b; c=d"),
        CookieRow(
            "letters beyond ASCII of others", "a=b; Domain=bucher.example", "c=d; Domain=bücher.example.",
            "e=f; Domain=bücher.example:80", "g=h; Domain=ü", "i=j; Domain=\u{301}.example",
            from: "http://bücher.example/", to: "http://bücher.example/", sends: nil),
        CookieRow("white space around Domain", "a=b; domain=  .home.example.org ", sends: "a=b"),
        CookieRow(
            "the last Domain counts", "a=b; Domain=example.com; Domain=example.org",
            "c=d; Domain=example.org; Domain=example.com", to: beside, sends: "a=b"),
        CookieRow(
            "an empty Domain is ignored", "a=b; Domain=example.org; Domain=", "c=d; Domain=example.com; Domain=",
            to: beside, sends: "a=b"),
        CookieRow("another port and scheme", "a=b", to: "https://home.example.org:8443/app/x", sends: "a=b"),
        CookieRow("a dot at the end of a host", "a=b", to: "http://home.example.org./app/x", sends: "a=b"),
        CookieRow(
            "an IPv6 address", "a=b", "c=d; Domain=[::1]", "e=f; Domain=::1", from: "http://[::1]/",
            to: "http://[0:0::1]/",
            sends: "a=b; c=d"),
        CookieRow(
            "the end of an address", "a=b; Domain=0.2.1", "c=d; Domain=.2.1", from: "http://192.0.2.1/",
            to: "http://192.0.2.1/", sends: nil),
        CookieRow(
            "an address", "a=b; Domain=192.0.2.1", from: "http://192.0.2.1/", to: "http://192.0.2.1/", sends: "a=b"),
        CookieRow(
            "a host of one label", "a=b; Domain=intranet", from: "http://intranet/", to: "http://intranet/",
            sends: "a=b"),
        CookieRow(
            "below a host of one label", "a=b; Domain=intranet", from: "http://intranet/", to: "http://x.intranet/",
            sends: nil),
        CookieRow(
            "a host that is a public suffix is for itself", "a=b; Domain=github.io", from: "http://github.io/",
            to: "http://x.github.io/", sends: nil),
    ]
}
