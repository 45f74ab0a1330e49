/// One answer of the demo's server, and the request that is answered with it.
struct DemoAnswer: Sendable {
    /// What the row shows.
    let name: String
    /// The path that asks for it.
    let path: String
    var method = "GET"
    /// The name of this machine that the request goes to: the two have different tables.
    var host = "127.0.0.1"
    var status = "200 OK"
    /// Every header field line but those that frame the message.
    var fields: [String] = []
    var body: [UInt8] = []
    /// The announced length, where it is a lie.
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

    /// The same answer with another detail.
    func with<Value>(_ detail: WritableKeyPath<DemoAnswer, Value>, _ value: Value) -> DemoAnswer {
        var copy = self
        copy[keyPath: detail] = value
        return copy
    }

    /// The response as it goes over the wire: one to a connection.
    func response(to method: String) -> [UInt8] {
        var head = "HTTP/1.1 \(status)\r\n"
        for field in fields { head += field + "\r\n" }
        let hasBody = !status.hasPrefix("204")
        if hasBody { head += "Content-Length: \(announcedLength ?? body.count)\r\n" }
        head += "Connection: close\r\n\r\n"
        return Array(head.utf8) + (method == "HEAD" || !hasBody ? [] : body)
    }
}
