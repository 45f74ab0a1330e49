import Patchbay
import TestSupport
import Testing

/// A credential of the request shows in nothing that is printed, however the call ends.
@Suite(.timeLimit(.minutes(5))) struct SecrecyTests {
    static let endings: [(String, RawReply, Int32)] = [
        ("success", .response(["Content-Type": "text/plain"], body: "ok"), 0),
        ("error status", .response(status: 401, ["WWW-Authenticate": "Basic"]), 5),
        ("malformed body", .response(["Content-Type": "application/json"], body: "{"), 6),
        ("refused redirect", .response(status: 302, ["Location": "ftp://u:hush@example.com/?token=hush"]), 4),
        ("unreadable redirect", .response(status: 302, ["Location": "http://u:hush@[x"]), 4),
        ("broken connection", RawReply([.reset]), 4),
        ("no HTTP", .raw("hush\r\n\r\n"), 4),
        ("no answer", RawReply([.hang]), 4),
    ]

    @Test(arguments: endings)
    func `no ending tells a credential`(_ name: String, _ reply: RawReply, _ code: Int32) async throws {
        let server = try RawServer(always: reply)
        let url = "http://ada:hush@127.0.0.1:\(server.port)/?api_key=hush&sig=hush"
        let options = ["-H", "Authorization: Bearer hush", "-H", "Cookie: id=hush", "--timeout", "2", "--explain"]
        for format in ["text", "json"] {
            let run = try await Binary.run(["get", url, "--format", format] + options)
            #expect(run.code == code)
            #expect(!run.errors.contains("hush"), "\(run.errors)")
            #expect(!run.output.contains("hush"), "\(run.output)")
        }
        #expect(server.requests.contains { $0.fields["Authorization"] == "Bearer hush" })
    }

    /// Words that are refused, each with a credential in it.
    @Test(arguments: [
        ["--frob", "http://ada:hush@h/?token=hush"], ["get", "u", "ada:hush@h"], ["get", "u", "--tokne=hush"],
        ["get", "u", "-zhush"],
        ["get", "http://ada:hush@/?token=hush"], ["get", "h", "-H", "hush"],
        ["get", "http://h/", "-H", "X: hush\r\nY: hush"],
        ["get", "u", "password=hush"], ["get", "u", "api_key==hush"], ["get", "u", "token:=hush"],
        ["get", "u", "X-Api-Key:hush"], ["get", "u", "url=http://ada:hush@h/"],
        ["get", "u", "pin=hush"], ["get", "u", "accessKey==hush"], ["get", "u", "x=hush1234567890123456789"],
        ["get", "u", "-u", "ada:hush", "--bearer", "hush"],
        ["get", "ftp://ada:hush@h/"], ["routes", "--host", "ada:hush@h h"],
    ])
    func `no refused word tells a credential`(_ words: [String]) async throws {
        let run = try await Binary.run(words)
        #expect(run.code == 2)
        #expect(!run.errors.contains("hush"), "\(run.errors)")
    }
}
