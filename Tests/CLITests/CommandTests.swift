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
        guard case .get(let arguments, let common) = try Command(words) else {
            Issue.record("not get")
            return
        }
        #expect(arguments.url == "http://h/")
        #expect(arguments.method == "PUT")
        #expect(arguments.headers.map(\.name) == ["Accept", "X-A"])
        #expect(arguments.headers.map(\.value) == ["text/plain", "1"])
        #expect(arguments.content == .json("{}"))
        #expect(arguments.output == "out")
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
        (["get", "u", "-d@f"], "POST", .data("@f")),
        (["get", "u", "--json=[1]", "-XPATCH"], "PATCH", .json("[1]")),
        (["get", "--form", "a=1=2", "--form", "b=", "u"], "POST", .form([pair("a", "1=2"), pair("b", "")])),
        (["get", "-X", "DELETE", "--", "u"], "DELETE", nil),
    ])
    func `the body sets the method`(_ words: [String], _ method: String, _ content: GetArguments.Content?) throws {
        guard case .get(let arguments, _) = try Command(words) else {
            Issue.record("not get")
            return
        }
        #expect(arguments.url == "u")
        #expect(arguments.method == method)
        #expect(arguments.content == content)
    }

    @Test(arguments: [
        (["-L"], true), (["--no-redirects"], false), (["--no-redirects", "-L"], true),
        (["-L", "--no-redirects"], false), ([], true),
    ])
    func `the last word on redirects counts`(_ options: [String], _ follows: Bool) throws {
        guard case .get(let arguments, _) = try Command(["get", "u"] + options) else {
            Issue.record("not get")
            return
        }
        #expect(arguments.followsRedirects == follows)
    }

    @Test func `get and decode may write the bytes`() throws {
        let words = ScannedWords.self
        let get = try GetArguments(words.init(["u", "--raw"], options: GetArguments.options))
        #expect(get.isRaw)
        #expect(try !GetArguments(words.init(["u"], options: GetArguments.options)).isRaw)
        #expect(try Command(["get", "--raw", "u", "--format", "text"]) == .get(get, CommonOptions()))
        let decode = try DecodeArguments(words.init(["-", "--raw"], options: DecodeArguments.options))
        #expect(decode.isRaw)
        #expect(try Command(["decode", "--raw", "-"]) == .decode(decode, CommonOptions()))
    }

    @Test func `decode, explain, routes, check, init, schema and demo`() throws {
        var decode = try DecodeArguments(ScannedWords(["-"], options: []))
        #expect(decode.status == 200)
        decode.contentType = "text/plain"
        decode.status = 404
        decode.host = "h"
        let words = ["decode", "-", "--content-type", "text/plain", "--status", "404", "--host", "h"]
        #expect(try Command(words) == .decode(decode, CommonOptions()))
        var explain = try ExplainArguments(ScannedWords([], options: []))
        #expect(explain.method == "GET")
        explain.method = "HEAD"
        #expect(try Command(["explain", "--method", "HEAD"]) == .explain(explain, CommonOptions()))
        #expect(try Command(["routes", "--host", "h"]) == .routes(host: "h", CommonOptions()))
        var (check, common) = (CheckArguments(), CommonOptions())
        check.manifests = ["a", "-"]
        common.format = .json
        check.isStrict = true
        common.manifests = ["m"]
        common.factories = ["x", "y"]
        let checked = ["check", "a", "--factory", "x", "-", "--factory=y", "--manifest", "m", "--format", "json"]
        #expect(try Command(checked + ["--strict"]) == .check(check, common))
        #expect(try Command(["manifest"]) == .manifest(CommonOptions()))
        var bare = CommonOptions()
        bare.isBare = true
        bare.manifests = ["a"]
        #expect(try Command(["routes", "--bare", "--manifest", "a"]) == .routes(host: nil, bare))
        #expect(try Command(["init"]) == .initialise(file: "Plugins.json", CommonOptions()))
        #expect(try Command(["init", "a"]) == .initialise(file: "a", CommonOptions()))
        #expect(try Command(["schema"]) == .schema(CommonOptions()))
        #expect(try Command(["demo"]) == .demo(port: nil, CommonOptions()))
        #expect(try Command(["demo", "--serve", "8080"]) == .demo(port: 8080, CommonOptions()))
        #expect(try Command(["demo", "--watch"]) == .demo(port: nil, watches: true, CommonOptions()))
    }

    @Test func `diff and test`() throws {
        #expect(try Command(["diff", "built-in", "b"]) == .diff(before: "built-in", after: "b", CommonOptions()))
        let words = ["a", "b", "--fail-under", "80"]
        let test = try TestArguments(ScannedWords(words, options: TestArguments.options))
        #expect(test.files == ["a", "b"])
        #expect(test.failUnder == 80)
        #expect(try Command(["test"] + words) == .test(test, CommonOptions()))
        let write = try TestArguments(ScannedWords(["--write", "f"], options: TestArguments.options))
        #expect(try Command(["test", "--write=f"]) == .test(write, CommonOptions()))
    }

    @Test(arguments: [
        (["--help"], Command.help(nil)), (["-h"], .help(nil)), (["help"], .help(nil)), (["help", "get"], .help(.get)),
        (["get", "--help"], .help(.get)), (["check", "-h", "x"], .help(.check)), (["--version"], .version),
    ])
    func `help and version`(_ words: [String], _ command: Command) throws {
        #expect(try Command(words) == command)
    }

    @Test(arguments: Command.Name.allCases)
    func `help names every option`(_ name: Command.Name) {
        let help = Command.help(for: name)
        for option in name.allOptions.flatMap(\.names) {
            #expect(help.contains(option), "\(option)")
        }
        #expect(Command.help(for: nil).contains("  \(name.rawValue) "))
    }

    @Test func `the help of get says what has no limit of time`() {
        #expect(Command.help(for: .get).contains("(default: 60; none with --output, --raw and --stream)"))
    }

    @Test(arguments: UsageSentence.all)
    func `a wrong word has its sentence`(_ row: UsageSentence) {
        #expect(throws: UsageError(row.sentence)) { try Command(row.words) }
    }

    private static func pair(_ name: String, _ value: String) -> GetArguments.FormPair {
        GetArguments.FormPair(name: name, value: value)
    }
}
