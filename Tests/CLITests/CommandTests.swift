import Patchbay
import Testing

@testable import PatchbayCLI

/// What the words on the command line mean, and the exact sentence for those that mean nothing.
@Suite struct CommandTests {
    @Test func `get with everything`() throws {
        let words = [
            "get", "-X", "PUT", "--header=Accept: text/plain", "-HX-A:1", "--json", "{}", "-o", "out", "--no-redirects",
            "--timeout", "2.5", "--manifest", "a.json", "--manifest", "b.json", "--format", "json", "--explain",
            "http://h/",
        ]
        let (arguments, common) = (try Self.get(words), try Command(words).options)
        #expect(arguments.url.text == "http://h/")
        #expect(arguments.method == "PUT")
        #expect(arguments.headers.map(\.name) == ["Accept", "X-A"])
        #expect(arguments.headers.map(\.value) == ["text/plain", "1"])
        #expect(arguments.content == .json("{}"))
        #expect(arguments.output == .file("out"))
        #expect(!arguments.followsRedirects)
        #expect(arguments.timeout == .seconds(2.5))
        #expect(common.manifests == ["a.json", "b.json"])
        #expect(common.format == .json)
        #expect(common.explains)
    }

    /// The method that follows from the words, and the body.
    @Test(arguments: [
        (["get", "u"], "GET", GetArguments.Content?.none),
        (["get", "u", "-d", "a"], "POST", .data("a")),
        (["get", "u", "-d@f"], "POST", .file("f", nil)),
        (["get", "u", "-d", "a=1", "-d", "b"], "POST", .data("a=1&b")),
        (["get", "u", "--json", "@f"], "POST", .file("f", .json)),
        (["get", "u", "-T", "-"], "PUT", .file("-", nil)),

        (["get", "u", "--json=[1]", "-XPATCH"], "PATCH", .json("[1]")),
        (["get", "--form", "a=1=2", "--form", "b=", "u"], "POST", .form(["a": "1=2", "b": ""])),
        (["get", "-X", "DELETE", "--", "u"], "DELETE", nil),
    ])
    func `the body sets the method`(_ words: [String], _ method: String, _ content: GetArguments.Content?) throws {
        let arguments = try Self.get(words)
        #expect(arguments.url.text == "https://u")
        #expect(arguments.method == method)
        #expect(arguments.content == content)
    }

    @Test(arguments: [
        (["-L"], true), (["--no-redirects"], false), (["--no-redirects", "-L"], true),
        (["-L", "--no-redirects"], false), ([], true),
    ])
    func `the last word on redirects counts`(_ options: [String], _ follows: Bool) throws {
        let arguments = try Self.get(["get", "u"] + options)
        #expect(arguments.followsRedirects == follows)
    }

    @Test func `get and decode may write the bytes`() throws {
        let words = ScannedWords.self
        let get = try GetArguments(words.init(["u", "--raw"], for: .get))
        #expect(get.output == .standardOutput)
        #expect(try GetArguments(words.init(["u", "-o", "-"], for: .get)) == get)
        #expect(try GetArguments(words.init(["u"], for: .get)).output == nil)
        #expect(try Command(["get", "--raw", "u", "--format", "text"]).action == .get(get))
        let decode = try DecodeArguments(words.init(["-", "--raw"], for: .decode))
        #expect(decode.isRaw)
        #expect(try Command(["decode", "--raw", "-"]).action == .decode(decode))
    }

    @Test func `decode, explain, routes, check, init, schema, completions, manual and demo`() throws {
        var decode = try DecodeArguments(ScannedWords(["-"], for: .decode))
        #expect(decode.status == 200)
        decode.contentType = "text/plain"
        decode.status = 404
        decode.host = "h"
        let words = ["decode", "-", "--content-type", "text/plain", "--status", "404", "--host", "h"]
        #expect(try Command(words).action == .decode(decode))
        var explain = try ExplainArguments(ScannedWords([], for: .explain))
        #expect(explain.method == "GET")
        explain.method = "HEAD"
        #expect(try Command(["explain", "--method", "HEAD"]).action == .explain(explain))
        #expect(try Command(["routes", "--host", "h"]).action == .routes(host: "h"))
        var common = CommonOptions()
        common.format = .json
        common.manifests = ["m"]
        common.factories = ["x", "y"]
        let checked = ["check", "a", "--factory", "x", "-", "--factory=y", "--manifest", "m", "--format", "json"]
        let check = try Command(checked + ["--strict"])
        #expect(check.action == .check(["a", "-"], isStrict: true))
        #expect(check.options == common)
        #expect(try Command(["manifest"]).action == .manifest)
        var bare = CommonOptions()
        bare.isBare = true
        bare.manifests = ["a"]
        #expect(try Command(["routes", "--bare", "--manifest", "a"]).action == .routes(host: nil))
        #expect(try Command(["routes", "--bare", "--manifest", "a"]).options == bare)
        #expect(try Command(["routes", "--why", "--host", "h"]).action == .routes(host: "h", why: true))
        #expect(try Command(["routes", "--traffic", "x"]).action == .routes(host: nil, traffic: ["x"]))
        #expect(try Command(["init"]).action == .initialise(file: "Plugins.json"))
        #expect(try Command(["init", "a"]).action == .initialise(file: "a"))
        #expect(try Command(["schema"]).action == .schema)
        #expect(try Command(["completions", "fish"]).action == .completions(.fish))
        #expect(try Command(["manual"]).action == .manual)
        #expect(try Command(["demo"]).action == .demo(port: nil))
        #expect(try Command(["demo", "--serve", "8080"]).action == .demo(port: 8080))
        #expect(try Command(["demo", "--watch"]).action == .demo(port: nil, watches: true))
    }

    @Test func `diff and test`() throws {
        #expect(try Command(["diff", "built-in", "b"]).action == .diff(before: "built-in", after: "b"))
        let over = try Command(["diff", "--manifest", "a", "-", "c", "--manifest", "b"])
        #expect(over.action == .diff(before: "-", after: "c"))
        #expect(over.options.manifests == ["a", "b"])
        let logs = try Command(["diff", "a", "b", "--traffic", "x", "--traffic=-"])
        #expect(logs.action == .diff(before: "a", after: "b", traffic: ["x", "-"]))
        let words = ["a", "b", "--fail-under", "80"]
        let test = try TestArguments(ScannedWords(words, for: .test))
        #expect(test.files == ["a", "b"])
        #expect(test.failUnder == 80)
        #expect(try Command(["test"] + words).action == .test(test))
        let write = try TestArguments(ScannedWords(["--write", "f"], for: .test))
        #expect(try Command(["test", "--write=f"]).action == .test(write))
    }

    @Test(arguments: [
        (["--help"], Command.Action.help(nil)), (["-h"], .help(nil)), (["help"], .help(nil)),
        (["help", "get"], .help(.get)),
        (["get", "--help"], .help(.get)), (["check", "-h", "x"], .help(.check)), (["--version"], .version),
    ])
    func `help and version`(_ words: [String], _ action: Command.Action) throws {
        #expect(try Command(words).action == action)
    }

    @Test(arguments: Command.Name.allCases)
    func `help names every option`(_ name: Command.Name) {
        let help = Command.help(for: name)
        for option in name.allOptions.flatMap(\.names) {
            #expect(help.contains(option), "\(option)")
        }
        let overview = Command.help(for: nil)
        #expect(overview.contains("  \(name.rawValue) "))
        let listed = name == .get ? [] : name.options
        for option in (listed + CommandOption.common).flatMap(\.names) {
            #expect(overview.contains(option), "\(option)")
        }
    }

    /// The words of a command line without a command, and the URL that they ask.
    @Test(arguments: [
        (["http://h/x"], "http://h/x"), (["localhost"], "http://localhost"),
        (["localhost:8080/x"], "http://localhost:8080/x"),
        (["api.localhost/x"], "http://api.localhost/x"), ([":8080/x"], "http://localhost:8080/x"),
        ([":/x"], "http://localhost/x"), (["127.0.0.1/x"], "http://127.0.0.1/x"),
        (["10.1.2.3:80"], "http://10.1.2.3:80"),
        (["[::1]:8080/x"], "http://[::1]:8080/x"), (["example.com/x"], "https://example.com/x"),
        (["ada:pw@example.com"], "https://ada:pw@example.com"), (["ada:pw@127.0.0.1"], "http://ada:pw@127.0.0.1"),
        (["256.1.1.1"], "https://256.1.1.1"), (["localhost.example/x"], "https://localhost.example/x"),
        (["example.com?u=http://x"], "https://example.com?u=http://x"), (["-i", "example.com"], "https://example.com"),
        (["-iv", "-X", "PUT", "localhost"], "http://localhost"), (["-d", "test", "-o", "demo", "h"], "https://h"),
        (["get", "h"], "https://h"),
        (["--unix-socket", "s", "docker/x.y"], "http://docker/x.y"),
    ])
    func `a URL may lack get and its scheme`(_ words: [String], _ url: String) throws {
        let arguments = try Self.get(words)
        #expect(arguments.url.text == url)
    }

    @Test func `short flags stand together`() throws {
        let words = try ScannedWords(["-ivs", "-Ls", "-iXPUT", "-vdtext"], for: .get)
        #expect(
            words.occurrences.map(\.name) == [
                "--include", "--verbose", "--silent", "--location", "--silent", "--include", "--request", "--verbose",
                "--data",
            ])
        #expect(try words.all(.request) == ["PUT"])
        #expect(try words.all(.data) == ["text"])
    }

    /// Each line of the help of each command, at several widths.
    @Test(arguments: Command.Name.allCases.map(Optional.some) + [nil])
    func `help fits the width and breaks at words`(_ name: Command.Name?) {
        for width in [60, 80, 110] {
            var console = Console(isTerminal: true)
            console.width = width
            let lines = Command.help(for: name, console).split(separator: "\n")
            // An example is a whole command line, to be copied.
            for line in lines where !line.hasPrefix("  patchbay") {
                #expect(line.count <= width, "\(line)")
            }
            let words = Set(Command.help(for: name).split { " \n".contains($0) })
            #expect(words == Set(lines.joined(separator: " ").split(separator: " ")))
        }
    }

    @Test(arguments: UsageSentence.all)
    func `a wrong word has its sentence`(_ row: UsageSentence) {
        #expect(throws: UsageError(row.sentence)) { try Command(row.words) }
    }

    /// The arguments of words that are a `get`.
    private static func get(_ words: [String]) throws -> GetArguments {
        let action = try Command(words).action
        guard case .get(let arguments) = action else { throw UsageError("not get: \(action)") }
        return arguments
    }
}
