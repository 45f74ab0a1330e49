import Patchbay

extension GetArguments {
    static let options = request + connection + output + [.factory]

    private static let request = [
        CommandOption(
            "--request", "-X", takes: "METHOD", in: .request,
            help: "the method (default: GET; with a body POST; with --upload-file PUT)"),
        CommandOption(
            "--header", "-H", takes: "'NAME: VALUE'", in: .request,
            help: "a header field of the request; 'NAME:' leaves a field out, 'NAME;' sends it empty; repeatable"),
        CommandOption(
            "--data", "-d", takes: "TEXT|@FILE", in: .request,
            help:
                "the body: a text, sent as a form if no header names another type (several are joined by &), or a file "
                + "(@- standard input)"),
        CommandOption(
            "--json", takes: "TEXT|@FILE", in: .request, help: "the body: a JSON text, or a file of JSON"),
        CommandOption("--form", takes: "NAME=VALUE", in: .request, help: "a field of a form body; repeatable"),
        CommandOption(
            "--part", "-F", takes: "NAME=TEXT|NAME=@FILE", in: .request,
            help:
                "a part of a multipart form; after a file may stand ;type=TYPE and ;filename=NAME; repeatable"),
        CommandOption(
            "--upload-file", "-T", takes: "FILE", in: .request,
            help: "the body: a file, read while it is sent (- standard input)"),
        CommandOption("--user", "-u", takes: "NAME:PASSWORD", in: .request, help: "basic authentication"),
        CommandOption("--bearer", takes: "TOKEN", in: .request, help: "a bearer token as Authorization"),
        CommandOption("--head", "-I", in: .request, help: "ask for the head only (HEAD), and print it"),
        CommandOption(
            "--cookie-jar", takes: "FILE", in: .request,
            help: "send the cookies of this file, if it is there, and save the cookies in it at the end"),
        CommandOption("--location", "-L", in: .request, help: "follow redirects (the default)"),
        CommandOption("--no-redirects", in: .request, help: "do not follow redirects"),
        CommandOption(
            "--retry", takes: "COUNT", in: .request,
            help: "how often a failed request is sent again, if it can be repeated (default: 0)"),
        CommandOption(
            "--timeout", takes: "SECONDS", in: .request,
            help:
                "the time that all of it may take (default: 60; none for a stream, an upload, or bytes written to a file)"
        ),
        CommandOption(
            "--max-size", takes: "BYTES", in: .request,
            help:
                "the most bytes of the body, or of each element of a stream, such as 64k or 10M (default: the limit of the entry)"
        ),
    ]

    private static let connection = [
        CommandOption(
            "--connect-timeout", takes: "SECONDS", in: .connection,
            help: "the time that a connection may take (default: 10)"),
        CommandOption(
            "--cacert", takes: "FILE", in: .connection,
            help: "the authorities to trust, in PEM, in place of the system's"),
        CommandOption("--cert", takes: "FILE", in: .connection, help: "a client certificate, in PEM; needs --key"),
        CommandOption("--key", takes: "FILE", in: .connection, help: "the key of the client certificate, in PEM"),
        CommandOption(
            "--insecure", "-k", in: .connection,
            help: "take any certificate: anybody on the way can read and change all"),
        CommandOption("--http1.1", in: .connection, help: "HTTP/1.1 only"),
        CommandOption("--http2", in: .connection, help: "HTTP/2, over http without negotiation"),
        CommandOption(
            "--proxy", takes: "URL", in: .connection,
            help: "http://host:port, https://… or socks5://… (default: http_proxy and the like of the environment)"),
        CommandOption("--unix-socket", takes: "FILE", in: .connection, help: "connect to this socket, not to the host"),
        CommandOption(
            "--resolve", takes: "HOST:PORT:ADDRESS", in: .connection,
            help: "connect to this address for this host and port; repeatable"),
    ]

    private static let output = [
        CommandOption("--include", "-i", help: "print the head of the response before the body"),
        CommandOption(
            "--verbose", "-v",
            help: "print both heads, redirects, retries, the connection and the times on standard error"),
        CommandOption("--show-secrets", help: "with --verbose or --format json: do not mask credentials"),
        CommandOption(
            "--output", "-o", takes: "FILE",
            help: "write the bytes of the body to a file, not its value to standard output (- standard output)"),
        CommandOption(
            "--remote-name", "-O", help: "write the bytes to a new file with the name that the response suggests"),
        CommandOption(
            "--continue", "-C",
            help: "with --output: keep an incomplete file, and fetch the rest of it the next time"),
        .raw,
        CommandOption(
            "--stream",
            help:
                "print the elements of the body as they arrive, with --format json the value of each on a line; events are "
                + "printed so without this option"),
        CommandOption(
            "--no-buffer", "-N", help: "accepted, because curl has it: bytes are always written as they arrive"),
        CommandOption("--silent", "-s", help: "no progress of long transfers, and no warning of --insecure"),
        CommandOption("--show-error", "-S", help: "accepted, because curl has it: an error is always shown"),
        CommandOption(
            "--entry", takes: "ID", in: .table, help: "the entry that reads the response, whatever its type"),
    ]
}
