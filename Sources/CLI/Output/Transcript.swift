import Patchbay
import PatchbayPlatform

/// Prints what `--verbose` tells, on standard error, as it happens: each request with the beginning of its body and each
/// response, cookies that are missing, how a cache handled the request, retries, and at the end the connection and the
/// times.
struct Transcript: SessionObserver {
    private let console: Console
    private let text: HeadText
    private let heads = AsyncStream.makeStream(of: Void.self)
    private let head = OneShot()
    private let end = OneShot()

    init(_ console: Console, showsSecrets: Bool) {
        self.console = console
        text = HeadText(isColoured: console.isErrorColoured, showsSecrets: showsSecrets)
    }

    /// Prints fields that the transport adds to a request.
    func tell(_ added: [HeaderFields.Element]) { tell(text.fields(added, prefix: "> ")) }

    /// Prints the beginning of the body of a request.
    func tell(_ body: BodyText) { tell(body.lines(showsSecrets: text.showsSecrets)) }

    /// Returns when the head of the next request was printed, or the Swift task is cancelled.
    func asked() async { for await _ in heads.stream { return } }

    /// Returns when the head of the response was printed, or the call has ended.
    func answered() async { await head.fired() }

    /// Returns when all was printed.
    func finished() async { await end.fired() }

    func observe(_ event: SessionEvent) async {
        switch event.stage {
        case .sending(let request):
            tell(text.lines(request, prefix: "> "))
            heads.continuation.yield()
        case .cookies(let notices): tell(notices.sentences.map { "* " + TerminalText.line($0) })
        case .redirected(let response, _): tell(text.lines(response, nil, prefix: "< "))
        case .head(let response, _):
            tell(text.lines(response, nil, prefix: "< "))
            head.fire()
        case .cache(let status): tell(["* cache: \(status)"])
        case .noted(let clause): tell(["* \(TerminalText.line(clause))"])
        case .retrying(let error): tell(["* retries: \(TerminalText.line(error.reason))"])
        case .finished(let result):
            tell(times(of: result))
            head.fire()
            end.fire()
        default: break
        }
    }

    private func tell(_ lines: [String]) { for line in lines { console.note(styled: line) } }

    private func times(of result: Result<Reply<Void>, SessionError>) -> [String] {
        let timeline: CallTimeline?
        switch result {
        case .success(let reply): timeline = reply.timeline
        case .failure(let error): timeline = error.timeline
        }
        guard let timeline else { return [] }
        var lines: [String] = []
        for (number, hop) in timeline.hops.enumerated() { lines += Self.lines(hop, "redirect \(number + 1)") }
        lines += Self.lines(timeline.exchange, timeline.hops.isEmpty ? nil : "last")
        let words = [
            (timeline.redirects, "redirect".plural(timeline.redirects)),
            (timeline.retries, timeline.retries == 1 ? "retry" : "retries"),
        ]
        let counts = words.filter { $0.0 > 0 }.map { "\($0) \($1)" }
        let total = "total \(Self.milliseconds(timeline.ended))"
        return lines + ["* " + ([total] + counts).joined(separator: ", ")]
    }

    /// The connection of an exchange, and the times of its steps since its start.
    private static func lines(_ exchange: ExchangeTimings, _ name: String?) -> [String] {
        let mark = "* " + (name.map { $0 + ": " } ?? "")
        var connection: [String] = []
        if let address = exchange.remoteAddress {
            let host = address.contains(":") ? "[\(address)]" : address
            connection.append(host + (exchange.remotePort.map { ":\($0)" } ?? ""))
        }
        if let version = exchange.httpVersion { connection.append("HTTP/\(version)") }
        if let version = exchange.tlsVersion { connection.append(version) }
        if exchange.reusedConnection == true { connection.append("the connection was used before") }
        let steps: [(String, Duration?)] = [
            ("queue", exchange.queue), ("name", exchange.nameLookup), ("connect", exchange.connect),
            ("TLS", exchange.secureConnect), ("sent", exchange.requestSent), ("first byte", exchange.firstByte),
            ("end", exchange.total),
        ]
        let times = steps.compactMap { step in step.1.map { "\(step.0) \(milliseconds($0))" } }
        // An answer from a cache has neither.
        return [connection, times].filter { !$0.isEmpty }.map { mark + $0.joined(separator: ", ") }
    }

    static func milliseconds(_ duration: Duration) -> String {
        let (seconds, attoseconds) = duration.components
        let tenths = seconds * 10_000 + attoseconds / 100_000_000_000_000
        return "\(tenths / 10).\(tenths % 10) ms"
    }
}
