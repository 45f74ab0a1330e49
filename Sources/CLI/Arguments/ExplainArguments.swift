/// What `explain` is told: the response to decide about.
struct ExplainArguments: Equatable, Sendable {
    var contentType: String?
    var status = 200
    var host: String?
    var method = "GET"

    static let options =
        DecodeArguments.response + [
            .factory, CommandOption("--method", takes: "METHOD", help: "the method of the request (default: GET)"),
        ]

    init(_ words: ScannedWords) throws(UsageError) {
        try words.noOperands()
        contentType = try words.one("--content-type")
        status = try DecodeArguments.status(words)
        host = try DecodeArguments.host(words)
        method = try words.one("--method") ?? "GET"
    }
}
