import PatchbayPlatform

/// One response of the demo's server, and its request.
struct DemoAnswer: Sendable {
    /// The description of the response in the row of the table.
    let name: String
    var path: String
    var method = "GET"
    /// The name of this machine in the request's URL. This machine has two names, and each has its own table.
    var host = "127.0.0.1"
    var status = "200 OK"
    /// Every header field line except the lines that frame the message.
    var fields: [String] = []
    var body: [UInt8] = []
    /// The announced length, if it is deliberately wrong; otherwise nil.
    var announcedLength: Int?

    init(_ name: String, _ path: String, type: String? = nil, _ body: String = "", bytes: [UInt8]? = nil) {
        self.name = name
        self.path = path
        fields = type.map { ["Content-Type: \($0)"] } ?? []
        self.body = bytes ?? Array(body.utf8)
    }

    func with<Value>(_ detail: WritableKeyPath<DemoAnswer, Value>, _ value: Value) -> DemoAnswer {
        var copy = self
        copy[keyPath: detail] = value
        return copy
    }

    /// The bytes of the response. Each connection carries one response.
    func response(to method: String) -> [UInt8] {
        var head = "HTTP/1.1 \(status)\r\n"
        for field in fields { head += field + "\r\n" }
        let hasBody = !status.hasPrefix("204")
        if hasBody { head += "Content-Length: \(announcedLength ?? body.count)\r\n" }
        head += "Connection: close\r\n\r\n"
        return Array(head.utf8) + (method == "HEAD" || !hasBody ? [] : body)
    }
}

extension DemoAnswer {
    /// A stream of events, which the demo reads element by element.
    static let events = DemoAnswer(
        "events", "/events", type: "text/event-stream", "id: 1\ndata: one\n\nid: 2\nevent: count\ndata: two\n\n")

    /// Every response, in the order of the table: correct responses of each format, then faulty responses, then one
    /// media type on two hosts.
    static let all = formats + oddities + hosts

    /// All that the server answers: also the events, and the paths of the first program of the README.
    static let served =
        all + [
            events, formats[0].with(\.path, "/users/1"), DemoAnswer("", "/users", type: "text/csv", "id,name\n1,Ada\n"),
        ]

    private static let formats = [
        DemoAnswer(
            "JSON", "/json", type: "application/json", #"{"id":9007199254740993,"name":"Ada","tags":["a","b"]}"#),
        DemoAnswer("JSON of a vendor", "/vendor", type: #"Application/Vnd.Acme+JSON; Charset="utf-8""#, "[1,2.5,null]"),
        DemoAnswer("JSON as JavaScript", "/javascript", type: "text/javascript", #"{"legacy":true}"#),
        DemoAnswer("JSON, compressed", "/gzip", type: "application/json", bytes: compressed)
            .with(\.fields, ["Content-Type: application/json", "Content-Encoding: gzip"]),
        DemoAnswer("JavaScript", "/script", type: "text/javascript", "let line = 1"),
        DemoAnswer("plain text", "/text", type: "text/plain; charset=utf-8", "Grüße"),
        DemoAnswer(
            "text in Latin 1", "/latin1", type: "text/plain; charset=iso-8859-1", bytes: [0x47, 0x72, 0xFC, 0xDF, 0x65]),
        DemoAnswer("HTML", "/html", type: "text/html", "<p>Hello</p>"),
        DemoAnswer("JSON as HTML", "/mislabelled", type: "text/html", #"{"id":1,"name":"Ada"}"#),
        DemoAnswer("CSV", "/csv", type: "text/csv", "id,name\n1,Ada\n"),
        DemoAnswer(
            "XML", "/xml", type: "application/xml", #"<?xml version="1.0"?><user id="1"><name>Ada</name></user>"#),
        DemoAnswer("XML of a feed", "/feed", type: "application/atom+xml", "<feed><title>News</title></feed>"),
        DemoAnswer("property list, XML", "/plist", type: "application/x-plist", propertyList),
        DemoAnswer("property list, binary", "/binary-plist", type: "application/x-plist", bytes: binaryPropertyList),
        DemoAnswer("form", "/form", type: "application/x-www-form-urlencoded", "name=Ada+L&city=K%C3%B6ln"),
        DemoAnswer("problem in a 404", "/missing", type: "application/problem+json", problem)
            .with(\.status, "404 Not Found"),
    ]

    private static let oddities = [
        DemoAnswer("empty, 204", "/nothing").with(\.status, "204 No Content"),
        DemoAnswer("HEAD", "/json", type: "application/json").with(\.method, "HEAD"),
        DemoAnswer("unknown type", "/unknown", type: "application/x-unheard-of", "bytes"),
        DemoAnswer("image", "/image", type: "image/webp", "RIFF"),
        DemoAnswer("no type", "/untyped", "untyped"),
        DemoAnswer("invalid type", "/invalid-type", type: "json", "{}"),
        DemoAnswer("malformed JSON", "/malformed", type: "application/json", #"{"id":1,}"#),
        DemoAnswer("XML with a DOCTYPE", "/doctype", type: "text/xml", "<!DOCTYPE a><a/>"),
        DemoAnswer("text that is not UTF-8", "/bad-text", type: "text/plain", bytes: [0x61, 0xFF]),
        DemoAnswer("error without a problem", "/broken", type: "text/plain", "out of order")
            .with(\.status, "500 Internal Server Error"),
        DemoAnswer("body cut short", "/short", type: "application/json", "[1,2").with(\.announcedLength, 400),
    ]

    private static let hosts = [
        DemoAnswer("two hosts: 127.0.0.1", "/report", type: "application/json", #"{"lines":2}"#),
        DemoAnswer("two hosts: localhost", "/report", type: "application/json", #"{"lines":2}"#).with(
            \.host, "localhost"),
    ]

    private static let problem =
        #"{"type":"https://example.com/out-of-stock","title":"Out of stock","status":404,"detail":"No more."}"#

    private static let propertyList = """
        <?xml version="1.0" encoding="UTF-8"?>
        <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
        <plist version="1.0"><dict><key>lines</key><integer>24</integer></dict></plist>
        """
}

extension DemoAnswer {
    /// `{"packed":true,"coding":"gzip"}` after gzip.
    private static let compressed = bytes(
        "H4sIAAAAAAACA6tWKkhMzk5NUbIqKSpN1VFKzk/JzEtXslJKr8osUKoFAKfbtr0fAAAA")

    /// A binary property list with `lines` = 24 and `name` = "Patchbay".
    private static let binaryPropertyList = bytes(
        "YnBsaXN0MDDSAQIDBFVsaW5lc1RuYW1lEBhYUGF0Y2hiYXkIDRMYGgAAAAAAAAEBAAAAAAAAAAUAAAAAAAAAAAAAAAAAAAAj")

    private static func bytes(_ base64: String) -> [UInt8] { Array(Data(base64Encoded: base64) ?? Data()) }
}
