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

    init(_ name: String, _ path: String, type: String? = nil, _ body: String = "") {
        self.init(name, path, type: type, bytes: Array(body.utf8))
    }

    init(_ name: String, _ path: String, type: String? = nil, bytes: [UInt8]) {
        self.name = name
        self.path = path
        fields = type.map { ["Content-Type: \($0)"] } ?? []
        body = bytes
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
    static let compressed: [UInt8] = [
        0x1F, 0x8B, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x03, 0xAB, 0x56, 0x2A, 0x48, 0x4C, 0xCE,
        0x4E, 0x4D, 0x51, 0xB2, 0x2A, 0x29, 0x2A, 0x4D, 0xD5, 0x51, 0x4A, 0xCE, 0x4F, 0xC9, 0xCC, 0x4B,
        0x57, 0xB2, 0x52, 0x4A, 0xAF, 0xCA, 0x2C, 0x50, 0xAA, 0x05, 0x00, 0xA7, 0xDB, 0xB6, 0xBD, 0x1F,
        0x00, 0x00, 0x00,
    ]

    /// A binary property list with `lines` = 24 and `name` = "Patchbay".
    static let binaryPropertyList: [UInt8] = [
        0x62, 0x70, 0x6C, 0x69, 0x73, 0x74, 0x30, 0x30, 0xD2, 0x01, 0x02, 0x03, 0x04, 0x55, 0x6C, 0x69,
        0x6E, 0x65, 0x73, 0x54, 0x6E, 0x61, 0x6D, 0x65, 0x10, 0x18, 0x58, 0x50, 0x61, 0x74, 0x63, 0x68,
        0x62, 0x61, 0x79, 0x08, 0x0D, 0x13, 0x18, 0x1A, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x01, 0x01,
        0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x05, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
        0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x23,
    ]
}
