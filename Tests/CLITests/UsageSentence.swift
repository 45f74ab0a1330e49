import Testing

/// Words that mean nothing, and what is said of them.
struct UsageSentence: Sendable, CustomTestStringConvertible {
    let words: [String]
    let sentence: String
    var testDescription: String { words.joined(separator: " ") }

    init(_ words: String..., says sentence: String) {
        self.words = words
        self.sentence = sentence
    }

    static let all = [
        UsageSentence(
            says:
                "a URL or a command is missing; the commands are get, decode, explain, routes, check, manifest, diff, test, init, schema, completions, manual, demo"
        ),
        UsageSentence("gte", says: "unknown command 'gte'; did you mean get; 'patchbay get' asks a host of this name"),
        UsageSentence(
            "send",
            says:
                "unknown command 'send'; the commands are get, decode, explain, routes, check, manifest, diff, test, init, schema, completions, manual, demo; 'patchbay get' asks a host of this name"
        ),
        UsageSentence(
            "explian", says: "unknown command 'explian'; did you mean explain; 'patchbay get' asks a host of this name"),
        UsageSentence(
            "POST", "h.test/", says: "unknown command 'POST'; 'patchbay get -X POST URL' sends a request of this method"
        ),
        UsageSentence(
            "delete", "h.test/",
            says: "unknown command 'delete'; 'patchbay get -X DELETE URL' sends a request of this method"),
        UsageSentence(
            "get", "h.test", "-H", ";", says: "--header needs 'NAME: VALUE', and one has no name before a colon"),
        UsageSentence("http://u:p@h/?token=1", "--form", "x", says: "--form needs NAME=VALUE, and field 1 has no '='"),
        UsageSentence(
            "--format", "json", "demo",
            says:
                "the command comes before its options: get, decode, explain, routes, check, manifest, diff, test, init, schema, completions, manual, demo"
        ),
        UsageSentence("get", says: "the URL is missing"),
        UsageSentence("decode", says: "the file is missing"),
        UsageSentence("get", "a", "http://u:p@h/", says: "'http://***@h/' is one operand too many"),
        UsageSentence("explain", "x", says: "'x' is one operand too many"),
        UsageSentence("routes", "x", says: "'x' is one operand too many"),
        UsageSentence("manifest", "x", says: "'x' is one operand too many"),
        UsageSentence(
            "routes", "--strict", says: "unknown option --strict; 'patchbay routes --help' lists the options"),
        UsageSentence("schema", "x", says: "'x' is one operand too many"),
        UsageSentence("completions", says: "the shell is missing"),
        UsageSentence("completions", "tcsh", says: "'tcsh' has no completions; write bash, zsh or fish"),
        UsageSentence("completions", "bash", "zsh", says: "'zsh' is one operand too many"),
        UsageSentence("manual", "x", says: "'x' is one operand too many"),
        UsageSentence("init", "a", "b", says: "'b' is one operand too many"),
        UsageSentence(
            "init", "-", says: "'-' is no file that could be written; 'patchbay init' writes Plugins.json"),
        UsageSentence(
            "inti", says: "unknown command 'inti'; did you mean init; 'patchbay get' asks a host of this name"),
        UsageSentence("demo", "x", says: "'x' is one operand too many"),
        UsageSentence("check", "--factory", says: "--factory needs a value: --factory NAME"),
        UsageSentence("check", "-", "--manifest", "-", says: "- is given twice; standard input can be read once"),
        UsageSentence(
            "check", "--format", "xml", says: "--format: 'xml' is not a format; write text or json"),
        UsageSentence("routes", "--format", "sarif", says: "--format: 'sarif' is not a format; write text or json"),
        UsageSentence(
            "demo", "--watch", "--serve", "0",
            says: "--serve and --watch are both given; one only answers, the other only asks"),
        UsageSentence("demo", "--serve", says: "--serve needs a value: --serve PORT"),
        UsageSentence("demo", "--serve", "65536", says: "--serve: '65536' is not a port; write 0 to 65535"),
        UsageSentence("demo", "--serve=-1", says: "--serve: '-1' is not a port; write 0 to 65535"),
        UsageSentence(
            "get", "u", "--hedaer", "A: b",
            says: "unknown option --hedaer; did you mean --header? 'patchbay get --help' lists the options"),
        UsageSentence(
            "get", "u", "--authorisation=secret",
            says: "unknown option --authorisation; 'patchbay get --help' lists the options"),
        UsageSentence(
            "get", "u", "-psecret",
            says:
                "unknown option -p; -i prints the head, -v the request as well; 'patchbay get --help' lists the options"
        ),
        UsageSentence(
            "decode", "f", "--timeout", "1",
            says: "unknown option --timeout; 'patchbay decode --help' lists the options"),
        UsageSentence("get", "u", "-H", says: "-H needs a value: -H 'NAME: VALUE'"),
        UsageSentence("get", "u", "--manifest", says: "--manifest needs a value: --manifest FILE"),
        UsageSentence("get", "u", "--explain=yes", says: "--explain takes no value"),
        UsageSentence(
            "get", "u", "-H", "Bearer secret", says: "--header needs 'NAME: VALUE', and one has no name before a colon"),
        UsageSentence(
            "get", "u", "-H", ": secret", says: "--header needs 'NAME: VALUE', and one has no name before a colon"),
        UsageSentence("get", "u", "-X", "A", "-X", "B", says: "--request is given 2 times; once is allowed"),
        UsageSentence(
            "get", "u", "-d", "1", "--json", "1", says: "--data and --json are both given; a request has one body"),
        UsageSentence(
            "get", "u", "--form", "a=1", "--form", "secret", says: "--form needs NAME=VALUE, and field 2 has no '='"),
        UsageSentence("get", "u", "--timeout", "soon", says: "--timeout: 'soon' is not a number of seconds above 0"),
        UsageSentence("get", "u", "--timeout", "0", says: "--timeout: '0' is not a number of seconds above 0"),
        UsageSentence("get", "u", "--timeout", "nan", says: "--timeout: 'nan' is not a number of seconds above 0"),
        UsageSentence("get", "u", "--timeout", "1e300", says: "--timeout: '1e300' is not a number of seconds above 0"),
        UsageSentence(
            "get", "u", "-F", "secret", says: "-F needs NAME=TEXT or NAME=@FILE, and part 1 has no name before a '='"),
        UsageSentence(
            "get", "u", "-F", "a=@f;size=1",
            says:
                #"-F: ';size=1' after the file of part 1 is unknown; known are ;type= and ;filename=, and a file whose name has a ; is written @"NAME""#
        ),
        UsageSentence(
            "get", "u", "-F", "a=1", "-F", #"a=@f;filename="f;x"#,
            says:
                #"-F: ';x' after the file of part 2 is unknown; known are ;type= and ;filename=, and a file whose name has a ; is written @"NAME""#
        ),
        UsageSentence(
            "get", "u", "--form-string", "secret",
            says: "--form-string needs NAME=TEXT, and part 1 has no name before a '='"),
        UsageSentence(
            "get", "u", "--form-string", "a=1", "--json", "1",
            says: "--json and --form-string are both given; a request has one body"),
        UsageSentence(
            "get", "u", "-F", "a=@f;type=png", says: "-F: 'png', the type of part 1, is not a media type"),
        UsageSentence(
            "get", "u", "-d", "a", "-d", "@f", says: "--data is given 2 times; a file is the whole body"),
        UsageSentence(
            "get", "u", "-T", "f", "--json", "1",
            says: "--json and --upload-file are both given; a request has one body"),
        UsageSentence(
            "get", "u", "-u", "a:b", "--bearer", "t",
            says: "--user and --bearer are both given; a request has one Authorization field"),
        UsageSentence("get", "u", "-u", "", says: "--user needs a name, and it is empty"),
        UsageSentence(
            "get", "u", "-d", "@-", "--bearer", "@-", says: "- is given twice; standard input can be read once"),
        UsageSentence("get", "u", "-T", "-", "-u", "@-", says: "- is given twice; standard input can be read once"),
        UsageSentence(
            "get", "u", "--json", "@-", "-u", "@-", says: "- is given twice; standard input can be read once"),
        UsageSentence("get", "POST", "h.test/", says: "'POST' is no URL; -X POST sends a request of this method"),
        UsageSentence(
            "h.test/", "name=Ada",
            says:
                #"'name=Ada' is one operand too many; --json '{"name": "Ada"}' sends it as JSON, --form 'name=Ada' as a form"#
        ),
        UsageSentence(
            "h.test/", "password=hush",
            says:
                #"'password=…' is one operand too many; --json '{"password": "…"}' sends it as JSON, --form 'password=…' as a form"#
        ),
        UsageSentence(
            "h.test/", "a=it's",
            says: #"'a=…' is one operand too many; --json '{"a": "…"}' sends it as JSON, --form 'a=…' as a form"#),
        UsageSentence(
            "h.test/", "n:=3", says: #"'n:=3' is one operand too many; --json '{"n": 3}' sends it as JSON"#),
        UsageSentence(
            "h.test/", "n:=[3]", says: #"'n:=…' is one operand too many; --json '{"n": …}' sends it as JSON"#),
        UsageSentence(
            "h.test/", "n:=@a.json", says: "'n:=@a.json' is one operand too many; --json '@a.json' sends a file of JSON"
        ),
        UsageSentence(
            "h.test/", "q==a b",
            says: "'q==a b' is one operand too many; a query is a part of the URL, 'URL?q=a%20b'"),
        UsageSentence(
            "h.test/", "f@a.png", says: "'f@a.png' is one operand too many; -F 'f=@a.png' sends a file in a form"),
        UsageSentence(
            "h.test/", "f=@a.png", says: "'f=@a.png' is one operand too many; -F 'f=@a.png' sends a file in a form"),
        UsageSentence(
            "h.test/", "X-H:1", says: "'X-H:1' is one operand too many; -H 'X-H: 1' sends a header field"),
        UsageSentence(
            "h.test/", "Authorization:hush",
            says: "'Authorization:…' is one operand too many; -H 'Authorization: …' sends a header field"),
        UsageSentence(
            "h.test/", "User-Agent:",
            says: "'User-Agent:' is one operand too many; -H 'User-Agent:' leaves a header field out"),
        UsageSentence("get", "-C", "-", "u", says: "'-' is no URL; -C takes no value, it finds the bytes itself"),
        UsageSentence("get", "u", "--pass", "x", says: "--pass is for the key of --key, which is missing"),
        UsageSentence(
            "get", "u", "-F", "a=@-", "-F", "b=@-", says: "- is given twice; standard input can be read once"),
        UsageSentence("h.test/", "localhost:80", says: "'localhost:80' is one operand too many"),
        UsageSentence("h.test/", "@a.png", says: "'@a.png' is one operand too many; -d '@a.png' sends a file"),
        UsageSentence("h.test/", "=a", says: "'=a' is one operand too many"),
        UsageSentence("h.test/", "a=:b", says: "'a=:b' is one operand too many"),
        UsageSentence(
            "get", "u", "-G",
            says:
                "unknown option -G; a query is a part of the URL, 'URL?NAME=VALUE'; 'patchbay get --help' lists the options"
        ),
        UsageSentence(
            "get", "u", "--max-time", "3",
            says:
                "unknown option --max-time; --timeout limits the whole call; 'patchbay get --help' lists the options"),
        UsageSentence(
            "get", "u", "--netrc",
            says:
                "unknown option --netrc; --user @FILE reads NAME:PASSWORD from a file; 'patchbay get --help' lists the options"
        ),
        UsageSentence("get", "u", "-I", "-d", "1", says: "--head asks for the head, and a body is given"),
        UsageSentence(
            "get", "u", "-I", "-X", "PUT", says: "--head and --request are both given; a request has one method"),
        UsageSentence(
            "get", "u", "-o", "f", "-O", says: "--output and --remote-name are both given; the body goes to one place"),
        UsageSentence(
            "get", "u", "-o", "-", "--format", "json",
            says: "--output - and --format json are both given; the bytes of a body are no document"),
        UsageSentence(
            "get", "u", "-i", "--format", "json",
            says: "--include and --format json are both given; the document has the head"),
        UsageSentence("get", "u", "--show-secrets", says: "--show-secrets needs --verbose or --format json"),
        UsageSentence("get", "u", "-C", says: "--continue needs --output FILE, whose bytes it continues"),
        UsageSentence(
            "get", "u", "-C", "-o", "-", says: "--continue needs --output FILE, whose bytes it continues"),
        UsageSentence("get", "u", "-C", "-o", "f", "-d", "a", says: "--continue is for GET, not for POST"),
        UsageSentence(
            "get", "u", "--stream", "-o", "f", says: "--stream prints elements, and --output writes bytes"),
        UsageSentence(
            "get", "u", "--entry", "json", "-O", says: "--entry makes a value, and --remote-name writes bytes"),
        UsageSentence("get", "u", "--retry", "-1", says: "--retry: '-1' is not a number of retries; write 0 to 100"),
        UsageSentence(
            "get", "u", "--max-size", "9x",
            says: "--max-size: '9x' is not a number of bytes; write 1000, 64k, 10M or 2G"),
        UsageSentence(
            "get", "u", "--max-size", "9223372036854775807G",
            says: "--max-size: '9223372036854775807G' is not a number of bytes; write 1000, 64k, 10M or 2G"),
        UsageSentence(
            "get", "u", "--connect-timeout", "0", says: "--connect-timeout: '0' is not a number of seconds above 0"),
        UsageSentence(
            "get", "u", "--cert", "c",
            says: "--cert and --key are needed together: the certificate, and the key that belongs to it"),
        UsageSentence(
            "get", "u", "-k", "--cacert", "c",
            says: "--insecure and --cacert are both given; one takes every certificate, the other checks"),
        UsageSentence(
            "get", "u", "--http2", "--http1.1",
            says: "--http1.1 and --http2 are both given; a connection has one version"),
        UsageSentence(
            "get", "u", "--proxy", "http://h:1", "--unix-socket", "s",
            says: "--proxy and --unix-socket are both given; a connection has one way"),
        UsageSentence("get", "u", "--resolve", "h:0:1", says: "--resolve: 'h:0:1' is not HOST:PORT:ADDRESS"),
        UsageSentence("get", "u", "--resolve", "h:80", says: "--resolve: 'h:80' is not HOST:PORT:ADDRESS"),
        UsageSentence(
            "get", "u", "--resolve", "h:80:a b",
            says: "--resolve: 'a b', the address in 'h:80:a b', is neither an address nor a name"),
        UsageSentence(
            "get", "u", "--resolve", "h:99999:127.0.0.1",
            says: "--resolve: 'h:99999:127.0.0.1' is not HOST:PORT:ADDRESS"),
        UsageSentence("get", "u", "--color", "red", says: "--color: 'red' is none; write auto, always or never"),
        UsageSentence(
            "--hlep", says: "unknown option --hlep; did you mean --help? 'patchbay get --help' lists the options"),
        UsageSentence(
            "-d", "test", "-q", "h.x",
            says:
                "unknown option -q; --silent prints less, -o /dev/null no body; 'patchbay get --help' lists the options"
        ),
        UsageSentence(
            "get", "u", "-c", "jar",
            says: "unknown option -c; --cookie-jar reads and saves cookies; 'patchbay get --help' lists the options"),
        UsageSentence(
            "get", "u", "--bearersecret", says: "unknown option --bearer…; a space or = comes before the value"),
        UsageSentence("get", "u", "--bearer", "", says: "--bearer needs a token, and it is empty"),
        UsageSentence(
            "get", "u", "-iq",
            says:
                "unknown option -q; --silent prints less, -o /dev/null no body; 'patchbay get --help' lists the options"
        ),
        UsageSentence(
            "routes", "--host", "a b",
            says: "--host: 'a b' is not a host; write a name or an address, with or without a port and a path"),
        UsageSentence("explain", "--host", "::1", says: "--host: '::1' is not a host; did you mean \"[::1]\"?"),
        UsageSentence(
            "explain", "--host", "https://api.acme.example/export",
            says: "--host: 'https://api.acme.example/export' is not a host; did you mean \"api.acme.example/export\"?"),
        UsageSentence(
            "routes", "--host", "http://API.acme.example",
            says: "--host: 'http://API.acme.example' is not a host; did you mean \"api.acme.example\"?"),
        UsageSentence(
            "decode", "f", "--host", "*.legacy.example",
            says: "--host: '*.legacy.example' is not a host; did you mean \"a.legacy.example\"?"),
        UsageSentence(
            "explain", "--as", "[User", says: "--as: '[User' is not a type; write User, [User], String or JSON"),
        UsageSentence(
            "routes", "--html", "f", "--host", "h", says: "--host and --html are both given; a page has every host"),
        UsageSentence("routes", "--html", says: "--html needs a value: --html FILE"),
        UsageSentence("routes", "--html", "f", "--html", "g", says: "--html is given 2 times; once is allowed"),
        UsageSentence(
            "manifest", "--html", "f", says: "unknown option --html; 'patchbay manifest --help' lists the options"),
        UsageSentence("manifest", "--format", "github", says: "--format: 'github' is not a format; write text or json"),
        UsageSentence("test", "--write", says: "--write needs a value: --write FILE"),
        UsageSentence("demo", "--format", "xml", says: "--format: 'xml' is not a format; write text or json"),
        UsageSentence(
            "get", "u", "--raw", "--format", "json",
            says: "--raw and --format json are both given; the bytes of a body are no document"),
        UsageSentence(
            "decode", "f", "--format=json", "--raw",
            says: "--raw and --format json are both given; the bytes of a body are no document"),
        UsageSentence("diff", says: "two tables are needed: a manifest each, or built-in"),
        UsageSentence("diff", "a", says: "two tables are needed: a manifest each, or built-in"),
        UsageSentence("diff", "a", "b", "c", says: "'c' is one operand too many"),
        UsageSentence("diff", "-", "-", says: "- is given twice; standard input can be read once"),
        UsageSentence(
            "diff", "-", "b", "--manifest", "-", says: "- is given twice; standard input can be read once"),
        UsageSentence(
            "diff", "a", "b", "--format", "junit", says: "--format: 'junit' is not a format; write text or json"),
        UsageSentence("test", says: "the file of cases is missing"),
        UsageSentence("test", "a", "--write", "b", says: "'a' is one operand too many"),
        UsageSentence(
            "test", "a", "--format", "xml", says: "--format: 'xml' is not a format; write text or json"),
        UsageSentence(
            "test", "a", "--fail-under", "101", says: "--fail-under: '101' is not a percentage; write 0 to 100"),
        UsageSentence(
            "test", "a", "--fail-under", "all", says: "--fail-under: 'all' is not a percentage; write 0 to 100"),
        UsageSentence("explain", "--raw", says: "unknown option --raw; 'patchbay explain --help' lists the options"),
        UsageSentence("explain", "--body", "{}", says: "--body needs --write: responses have no body here"),
        UsageSentence("explain", "--as", "", says: "--as: '' is not a type; write User, [User], String or JSON"),
        UsageSentence(
            "explain", "--as", "a/b", says: "--as: 'a/b' is not a type; write User, [User], String or JSON"),
        UsageSentence(
            "explain", "--as", "[[[[[[[[[A]]]]]]]]]",
            says: "--as: '[[[[[[[[[A]]]]]]]]]' is not a type; write User, [User], String or JSON"),
        UsageSentence(
            "explain", "--write", "--as", "User", says: "--write and --as are both given; the body is JSON"),
        UsageSentence(
            "explain", "--write", "--status", "200",
            says: "--write and --status are both given; the method and the status play no part in writing"),
        UsageSentence(
            "explain", "--write", "--method", "PUT",
            says: "--write and --method are both given; the method and the status play no part in writing"),
        UsageSentence(
            "explain", "--write", "--content-type", "json", says: "--content-type: 'json' is not a media type"),
        UsageSentence(
            "explain", "--write", "--body", "{a}",
            says: "--body is not JSON: line 1, column 2: expected a key in double quotes"),
        UsageSentence(
            "explain", "--write", "--elements", "--body", "{}", says: "--elements: --body is not an array"),
        UsageSentence(
            "decode", "f", "--status", "99", says: "--status: '99' is not a status code; write a number from 100 to 999"
        ),
        UsageSentence(
            "explain", "--status", "ok", says: "--status: 'ok' is not a status code; write a number from 100 to 999"),
    ]
}
