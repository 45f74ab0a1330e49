import Patchbay

extension GetArguments {
    static let options: [CommandOption] = [
        .request, .header, .data, .json, .form, .part, .formString, .uploadFile, .user, .bearer, .head, .cookieJar,
        .cache,
        .location, .noRedirects, .retry, .timeout, .maxSize, .connectTimeout, .cacert, .cert, .key, .pass, .insecure,
        .http1,
        .http2, .proxy, .unixSocket, .resolve, .include, .verbose, .showSecrets, .output, .remoteName, .resume, .raw,
        .stream, .noBuffer, .silent, .showError, .entry, .factory,
    ]
}

extension CommandOption {
    static let request = CommandOption(
        "--request", "-X", takes: "METHOD", in: .request,
        help: "the method (default: GET; with a body POST; with --upload-file PUT)")
    static let header = CommandOption(
        "--header", "-H", takes: "'NAME: VALUE'", in: .request,
        help: "a header field of the request; 'NAME:' leaves a field out, 'NAME;' sends it empty; repeatable",
        read: { text throws(UsageError) in try GetArguments.HeaderLine(text) })
    static let data = CommandOption(
        "--data", "-d", takes: "TEXT|@FILE", in: .request,
        help:
            "the body: a text, sent as a form if no header names another type (several are joined by &), or a file "
            + "(@- standard input)")
    static let json = CommandOption(
        "--json", takes: "TEXT|@FILE", in: .request,
        help: "the body: a JSON text, or a file of JSON (@- standard input); text that is not JSON is not sent")
    static let form = CommandOption(
        "--form", takes: "NAME=VALUE", in: .request, help: "a field of a form body; repeatable")
    static let part = CommandOption(
        "--part", "-F", takes: "NAME=TEXT|NAME=@FILE", in: .request,
        help:
            "a part of a multipart form; after a file may stand ;type=TYPE and ;filename=NAME, each in double quotes "
            + "where it has a semicolon; repeatable")
    static let formString = CommandOption(
        "--form-string", takes: "NAME=TEXT", in: .request,
        help: "a part of a multipart form whose text may begin with @; repeatable")
    static let uploadFile = CommandOption(
        "--upload-file", "-T", takes: "FILE", in: .request,
        help: "the body: a file, read while it is sent (- standard input)")
    static let user = CommandOption(
        "--user", "-u", takes: "NAME[:PASSWORD]|@FILE", in: .request,
        help: "basic authentication; a missing password is asked for; a file has NAME:PASSWORD (@- standard input)")
    static let bearer = CommandOption(
        "--bearer", takes: "TOKEN|@FILE", in: .request,
        help: "a bearer token as Authorization, or the file that has it (@- standard input)")
    static let head = CommandOption("--head", "-I", in: .request, help: "ask for the head only (HEAD), and print it")
    static let cookieJar = CommandOption(
        "--cookie-jar", takes: "FILE", in: .request,
        help: "send the cookies of this file, if it is there, and save the cookies in it at the end")
    static let cache = CommandOption(
        "--cache", takes: "DIR", in: .request,
        help: "keep responses in this folder, up to 1 GiB, and answer from it what is fresh")
    static let location = CommandOption("--location", "-L", in: .request, help: "follow redirects (the default)")
    static let noRedirects = CommandOption("--no-redirects", in: .request, help: "do not follow redirects")
    static let retry = CommandOption(
        "--retry", takes: "COUNT", in: .request,
        help: "how often a failed request is sent again, if it can be repeated (default: 0)",
        read: number(in: 0...100), or: "is not a number of retries; write 0 to 100")
    static let timeout = CommandOption(
        "--timeout", takes: "SECONDS", in: .request,
        help:
            "the time that all of it may take (default: 60; none for a stream, an upload, or bytes written to a file)",
        read: { GetArguments.seconds($0) }, or: "is not a number of seconds above 0")
    static let maxSize = CommandOption(
        "--max-size", takes: "BYTES", in: .request,
        help:
            "the most bytes of the body, or of each element of a stream, such as 64k or 10M (default: the limit of the entry, whose own options stay)",
        read: { GetArguments.bytes($0) }, or: "is not a number of bytes; write 1000, 64k, 10M or 2G")
    static let connectTimeout = CommandOption(
        "--connect-timeout", takes: "SECONDS", in: .connection,
        help: "the time that a connection may take (default: 10)",
        read: { GetArguments.seconds($0) }, or: "is not a number of seconds above 0")
    static let cacert = CommandOption(
        "--cacert", takes: "FILE", in: .connection,
        help: "the authorities to trust, in PEM, in place of the system's")
    static let cert = CommandOption(
        "--cert", takes: "FILE", in: .connection, help: "a client certificate, in PEM; needs --key")
    static let key = CommandOption(
        "--key", takes: "FILE", in: .connection, help: "the key of the client certificate, in PEM")
    static let pass = CommandOption(
        "--pass", takes: "TEXT|@FILE", in: .connection,
        help: "the passphrase of the key, or the file that has it (@- standard input)")
    static let insecure = CommandOption(
        "--insecure", "-k", in: .connection,
        help: "take any certificate: anybody on the way can read and change all")
    static let http1 = CommandOption("--http1.1", in: .connection, help: "HTTP/1.1 only")
    static let http2 = CommandOption("--http2", in: .connection, help: "HTTP/2, over http without negotiation")
    static let proxy = CommandOption(
        "--proxy", takes: "URL", in: .connection,
        help: "http://host:port, https://… or socks5://… (default: http_proxy and the like of the environment)")
    static let unixSocket = CommandOption(
        "--unix-socket", takes: "FILE", in: .connection, help: "connect to this socket, not to the host")
    static let resolve = CommandOption(
        "--resolve", takes: "HOST:PORT:ADDRESS", in: .connection,
        help: "connect to this address for this host and port; repeatable",
        read: { text throws(UsageError) in try ConnectionArguments.Resolution(text) })
    static let include = CommandOption("--include", "-i", help: "print the head of the response before the body")
    static let verbose = CommandOption(
        "--verbose", "-v",
        help: "print the requests, the heads of the responses, retries, the connection and the times on standard error")
    static let showSecrets = CommandOption(
        "--show-secrets", help: "with --verbose or --format json: do not mask credentials")
    static let output = CommandOption(
        "--output", "-o", takes: "FILE",
        help: "write the bytes of the body to a file, not its value to standard output (- standard output)")
    static let remoteName = CommandOption(
        "--remote-name", "-O", help: "write the bytes to a new file with the name that the response suggests")
    static let resume = CommandOption(
        "--continue", "-C",
        help: "with --output: keep an incomplete file, and fetch the rest of it the next time")
    static let stream = CommandOption(
        "--stream",
        help:
            "print the elements of the body as they arrive, with --format json the value of each on a line; events are "
            + "printed so without this option")
    static let noBuffer = CommandOption(
        "--no-buffer", "-N", help: "accepted, because curl has it: bytes are always written as they arrive")
    static let silent = CommandOption(
        "--silent", "-s", help: "no lines about the transfer, and no warning of --insecure")
    static let showError = CommandOption(
        "--show-error", "-S", help: "accepted, because curl has it: an error is always shown")
    static let entry = CommandOption(
        "--entry", takes: "ID", in: .table, help: "the entry that reads the response, whatever its type")
}
