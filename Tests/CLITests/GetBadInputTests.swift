import Foundation
import PatchbayPlatform
import PatchbayRegistry
import TestSupport
import Testing

/// Files, connections and places that `get` cannot use: the sentence, the exit code, and that nothing is sent or written.
///
/// `FOLDER` stands for a folder with the files below, `PORT` for a port on which a server answers, `CLOSED` for one on which
/// nobody listens.
@Suite(.timeLimit(.minutes(5))) struct GetBadInputTests {
    typealias Row = BadInputTests.Row

    private static let files = [
        "text": "no PEM, no cookies", "cut.pem": "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n",
        "jar": #"{"#, "empty": "", "line end": "\r\n", "two lines": "t0ken\nt0ken\n", "escape": "t0ken\u{1B}[A\n",
        "mark": "\u{FEFF}t0ken\n", "zero": "t0ken\u{0}", "long": String(repeating: "t", count: 65_537),
        "name": "ada\n", "deep": String(repeating: "[", count: 600),
    ]
    private static let url = "http://127.0.0.1:PORT/"

    static let rows = [
        // MARK: Bodies
        Row(
            "-d @FILE that is not there", "get", url, "-d", "@FOLDER/none",
            says: "patchbay: FOLDER/none cannot be read: No such file or directory", code: 7),
        Row(
            "-d @FOLDER", "get", url, "-d", "@FOLDER/folder",
            says: "patchbay: FOLDER/folder is not a regular file; - is standard input", code: 7),
        Row(
            "--json @FILE that is not there", "get", url, "--json", "@FOLDER/none",
            says: "patchbay: FOLDER/none cannot be read: No such file or directory", code: 7),
        Row(
            "-F with a file that is not there", "get", url, "-F", "a=1", "-F", "f=@FOLDER/none",
            says: "patchbay: FOLDER/none cannot be read: No such file or directory", code: 7),
        Row(
            "-F of a folder", "get", url, "-F", "f=@FOLDER/folder",
            says: "patchbay: FOLDER/folder is not a regular file; - is standard input", code: 7),
        Row(
            "-T of a file that is not there", "get", url, "-T", "FOLDER/none",
            says: "patchbay: FOLDER/none cannot be read: No such file or directory", code: 7),
        Row(
            "-T of a folder", "get", url, "-T", "FOLDER/folder",
            says: "patchbay: FOLDER/folder is not a regular file; - is standard input", code: 7),
        Row(
            "-T of a pipe", "get", url, "-T", "FOLDER/pipe",
            says: "patchbay: FOLDER/pipe is not a regular file; - is standard input", code: 7),
        Row(
            "--json @FILE that is not JSON", "get", url, "--json", "@FOLDER/jar",
            says: "patchbay: FOLDER/jar is not JSON: line 1, column 2: expected a key before the end of the text",
            code: 7),
        Row(
            "--json @- that is not JSON", "get", url, "--json", "@-",
            says: "patchbay: standard input is not JSON: line 1, column 1: the text is empty", code: 7),
        Row(
            "--json of a folder", "get", url, "--json", "@FOLDER/folder",
            says: "patchbay: FOLDER/folder cannot be read: Is a directory", code: 7),
        Row(
            "--json of a file that has no end", "get", url, "--json", "@/dev/zero",
            says:
                "patchbay: /dev/zero is larger than 64 MiB, and --json checks no more; -d @FILE -H 'Content-Type: application/json' sends it unchecked",
            code: 7),
        Row(
            "--json that is nested too deeply", "get", url, "--json", "@FOLDER/deep",
            says:
                "patchbay: FOLDER/deep is not JSON: line 1, column 513: more than 512 containers are open here",
            code: 7),
        // MARK: Credentials
        Row(
            "--bearer @FILE that is not there", "get", url, "--bearer", "@FOLDER/none",
            says: "patchbay: FOLDER/none cannot be read: No such file or directory", code: 7),
        Row(
            "--bearer of a folder", "get", url, "--bearer", "@FOLDER/folder",
            says: "patchbay: FOLDER/folder cannot be read: Is a directory", code: 7),
        Row(
            "--bearer of an empty file", "get", url, "--bearer", "@FOLDER/empty",
            says: "patchbay: FOLDER/empty is empty", code: 7),
        Row(
            "--bearer of a line end", "get", url, "--bearer", "@FOLDER/line end",
            says: "patchbay: FOLDER/line end is empty", code: 7),
        Row(
            "--bearer of empty input", "get", url, "--bearer", "@-", says: "patchbay: standard input is empty",
            code: 7),
        Row(
            "--bearer of several lines", "get", url, "--bearer", "@FOLDER/two lines",
            says: "patchbay: FOLDER/two lines is not one line of visible text in UTF-8, of at most 64 KiB", code: 7),
        Row(
            "--bearer of a file with an escape", "get", url, "--bearer", "@FOLDER/escape",
            says: "patchbay: FOLDER/escape is not one line of visible text in UTF-8, of at most 64 KiB", code: 7),
        Row(
            "--bearer of a file with a byte order mark", "get", url, "--bearer", "@FOLDER/mark",
            says: "patchbay: FOLDER/mark is not one line of visible text in UTF-8, of at most 64 KiB", code: 7),
        Row(
            "--bearer of a file with a zero byte", "get", url, "--bearer", "@FOLDER/zero",
            says: "patchbay: FOLDER/zero is not one line of visible text in UTF-8, of at most 64 KiB", code: 7),
        Row(
            "--bearer of bytes", "get", url, "--bearer", "@FOLDER/bytes",
            says: "patchbay: FOLDER/bytes is not one line of visible text in UTF-8, of at most 64 KiB", code: 7),
        Row(
            "--bearer of a long file", "get", url, "--bearer", "@FOLDER/long",
            says: "patchbay: FOLDER/long is not one line of visible text in UTF-8, of at most 64 KiB", code: 7),
        Row(
            "--bearer of a file that has no end", "get", url, "--bearer", "@/dev/zero",
            says: "patchbay: /dev/zero is not one line of visible text in UTF-8, of at most 64 KiB", code: 7),
        Row(
            "-u @FILE without a colon", "get", url, "-u", "@FOLDER/name",
            says: "patchbay: the file of --user has no NAME:PASSWORD", code: 7),
        Row(
            "-u @FILE and a field", "get", url, "-u", "@FOLDER/none", "-H", "Authorization: hush",
            says: "patchbay: --user and a header Authorization are both given", code: 2),
        // MARK: Ports and proxies
        Row(
            "port above 65535", "get", "http://127.0.0.1:65536/",
            says:
                #"patchbay: the request was not sent: the URL "http://127.0.0.1:65536/" has no host or port that can be asked"#,
            code: 2),
        Row(
            "port that is a word", "get", "http://127.0.0.1:http/",
            says: #"patchbay: the request was not sent: the URL "http://127.0.0.1:http/" cannot be parsed"#, code: 2),
        Row(
            "proxy that refuses", "get", url, "--proxy", "http://127.0.0.1:CLOSED",
            says: "patchbay: GET 127.0.0.1:PORT: the connection to port CLOSED of the proxy was refused", code: 4),
        Row(
            "SOCKS proxy that refuses", "get", url, "--proxy", "socks5://127.0.0.1:CLOSED",
            says: "patchbay: GET 127.0.0.1:PORT: the connection to port CLOSED of the proxy was refused", code: 4),
        Row(
            "proxy of another scheme", "get", url, "--proxy", "ftp://127.0.0.1:1",
            says: "patchbay: --proxy: the URL of the proxy has the scheme ftp; known are http, https and socks5",
            code: 2),
        Row(
            "proxy without a host", "get", url, "--proxy", "http://",
            says: "patchbay: --proxy: the URL of the proxy is not a URL with a scheme and a host", code: 2),
        Row(
            "proxy with a port that is none", "get", url, "--proxy", "http://127.0.0.1:99999",
            says: "patchbay: --proxy: the URL of the proxy has no port", code: 2),
        // MARK: Sockets
        Row(
            "--unix-socket that is not there", "get", url, "--unix-socket", "FOLDER/none",
            says:
                "patchbay: GET 127.0.0.1:PORT: the Unix socket FOLDER/none cannot be reached: No such file or directory",
            code: 4),
        Row(
            "--unix-socket of a file", "get", url, "--unix-socket", "FOLDER/text",
            says: "patchbay: GET 127.0.0.1:PORT: FOLDER/text is not a Unix socket", code: 4),
        Row(
            "--resolve of no host", "get", url, "--resolve", "a b:80:127.0.0.1",
            says:
                "patchbay: --resolve: 'a b:80' is not a host and a port: \"a b:80\" has a space (U+0020), which no host name has",
            code: 2),
        // MARK: Certificates
        Row(
            "--cacert that is not there", "get", "https://127.0.0.1:PORT/", "--cacert", "FOLDER/none",
            says: "patchbay: FOLDER/none cannot be read: No such file or directory", code: 7),
        Row(
            "--cacert that is no PEM", "get", "https://127.0.0.1:PORT/", "--cacert", "FOLDER/text",
            says: "patchbay: FOLDER/text is not PEM: it has no line -----BEGIN …-----", code: 7),
        Row(
            "--cacert whose PEM has no certificate", "get", "https://127.0.0.1:PORT/", "--cacert", "FOLDER/cut.pem",
            says:
                "patchbay: GET 127.0.0.1:PORT: the certificate authorities in FOLDER/cut.pem cannot be read: their PEM is broken",
            code: 4),
        Row(
            "--cacert of a folder", "get", "https://127.0.0.1:PORT/", "--cacert", "FOLDER/folder",
            says: "patchbay: FOLDER/folder is not a regular file", code: 7),
        Row(
            "--cert that is not there", "get", "https://127.0.0.1:PORT/", "--cert", "FOLDER/none", "--key",
            "FOLDER/text", says: "patchbay: FOLDER/none cannot be read: No such file or directory", code: 7),
        Row(
            "--cert that is no PEM", "get", "https://127.0.0.1:PORT/", "--cert", "FOLDER/text", "--key", "FOLDER/text",
            says: "patchbay: FOLDER/text is not PEM: it has no line -----BEGIN …-----", code: 7),
        // MARK: Cookies
        Row(
            "--cookie-jar that is no jar", "get", url, "--cookie-jar", "FOLDER/text",
            says:
                "patchbay: the cookies of FOLDER/text cannot be read: cookie-file, line 1: it has 1 columns separated by tabs, not 7",
            code: 7),
        Row(
            "--cookie-jar in a folder that is missing", "get", url, "--cookie-jar", "FOLDER/none/jar",
            says: "patchbay: the cookies cannot be saved in FOLDER/none/jar: No such file or directory", code: 7),
        Row(
            "--cookie-jar that is a folder", "get", url, "--cookie-jar", "FOLDER/folder",
            says: "patchbay: the cookies cannot be saved in FOLDER/folder: there is a folder of that name", code: 7),
        // MARK: Stored responses
        Row(
            "--cache that is a file", "get", url, "--cache", "FOLDER/text",
            says: "patchbay: responses cannot be kept in FOLDER/text: Not a directory", code: 7),
        Row(
            "--cache in a folder that is missing", "get", url, "--cache", "FOLDER/none/kept",
            says: "patchbay: responses cannot be kept in FOLDER/none/kept: No such file or directory", code: 7),
        Row(
            "--cache without a name", "get", url, "--cache", "",
            says: "patchbay: responses cannot be kept in : No such file or directory", code: 7),
        // MARK: Places of a body
        Row(
            "-o into a folder that is missing", "get", url, "-o", "FOLDER/none/out",
            says: "patchbay: FOLDER/none/out cannot be written: No such file or directory", code: 7),
        Row(
            "-o of a folder", "get", url, "-o", "FOLDER/folder",
            says: "patchbay: FOLDER/folder cannot be written: there is a folder of that name", code: 7),
        Row(
            "-o of a pipe", "get", url, "-o", "FOLDER/pipe",
            says: "patchbay: FOLDER/pipe cannot be written: what is there is not a plain file", code: 7),
        Row(
            "-C into a folder that is missing", "get", url, "-C", "-o", "FOLDER/none/out",
            says: "patchbay: FOLDER/none/out cannot be written: No such file or directory", code: 7),
    ]

    @Test(arguments: rows) func `is refused in a sentence, and nothing is sent or written`(_ row: Row) async throws {
        let folder = TemporaryFolder()
        for (name, text) in Self.files { try folder.write(text, to: name) }
        try FileManager.default.createDirectory(atPath: folder.path + "/folder", withIntermediateDirectories: false)
        try #require(mkfifo(folder.path + "/pipe", 0o600) == 0)
        try #require(FileManager.default.createFile(atPath: folder.path + "/bytes", contents: Data([0xFF, 0xFE])))
        let before = folder.names
        let server = try RawServer(always: .response(["Content-Type": "text/plain"], body: "answered"))
        let closed = try RawServer(always: RawReply([.close]))
        closed.stop()
        try await row.isSaid(in: folder, by: server, closed)
        #expect(server.requests.isEmpty, "what is refused is not sent")
        #expect(folder.names == before, "nothing is left behind")
        for (name, text) in Self.files {
            #expect(FileManager.default.contents(atPath: folder.path + "/" + name) == Data(text.utf8))
        }
    }

    /// A note of an incomplete download that is damaged counts as none, and stays: it can be a file of the user's.
    @Test(arguments: ["", "{", "[]", #"{"part": 1}"#, "\u{0}\u{1}", String(repeating: "a", count: 100_000)])
    func `a damaged FILE.resume costs a whole download and no more`(_ note: String) async throws {
        let folder = TemporaryFolder()
        try folder.write(note, to: "out.resume")
        let file = RangedFile(bytes: 10_000)
        let server = try RawServer { request in
            let (status, fields, body) = file.answer(to: request.fields)
            return .response(status: status, fields, body: body)
        }
        let run = try await Binary.run(["get", "-C", "-o", "out", server.target()], in: folder.path)
        #expect(run.code == 0, "\(run.errors)")
        #expect(server.requests.map { $0.fields["Range"] } == [nil])
        #expect(FileManager.default.contents(atPath: folder.path + "/out") == Data(file.body))
        #expect(folder.names == ["out", "out.resume"])
    }

    /// The part of an incomplete download that another program shortened, lengthened, wrote over or removed. A part that
    /// is there is named, and the run after that begins again.
    @Test(arguments: [("truncate -s 10", true), ("truncate -s +10", true), ("printf x >", true), ("rm", false)])
    func `a part file that was changed is not continued`(_ change: String, _ isNamed: Bool) async throws {
        let folder = TemporaryFolder()
        let file = RangedFile(bytes: 200_000)
        let isWhole = Guarded(false)
        let server = try RawServer { request in
            let (status, fields, body) = file.answer(to: request.fields)
            let whole = RawReply.response(status: status, fields, body: body)
            guard case .send(let bytes) = whole.steps[0], !isWhole.withLock(\.self) else { return whole }
            return RawReply([.send(Array(bytes.prefix(100_000))), .close])
        }
        let words = ["get", "-C", "-o", "out", server.target()]
        #expect(try await Binary.run(words, in: folder.path).code == 4)
        let part = try #require(folder.names.first { $0.hasSuffix(".part") })
        let changed = try await ChildProcess.run(
            "/bin/sh", ["-c", "\(change) '\(part)'"], directory: folder.path)
        #expect(changed.end == .exited(0))
        isWhole.withLock { $0 = true }
        if isNamed {
            let run = try await Binary.run(words, in: folder.path)
            #expect(run.code == 7)
            #expect(
                run.errors == """
                    the same command begins again
                    patchbay: out cannot be resumed: its .part file has changed

                    """)
            #expect(folder.names == [part])
        }
        let run = try await Binary.run(words, in: folder.path)
        #expect(run.code == 0, "\(run.errors)")
        #expect(FileManager.default.contents(atPath: folder.path + "/out") == Data(file.body))
        #expect(server.requests.allSatisfy { $0.fields["Range"] == nil })
    }
}
