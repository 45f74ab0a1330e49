import Patchbay
import PatchbayTools

struct ExplainCommand {
    let arguments: ExplainArguments
    let registry: SerializerRegistry
    let printer: Printer

    func run() throws(CommandFailure) -> ExitCode {
        if let writing = arguments.writing {
            return try ExplainWriting(question: writing, host: arguments.host, registry: registry, printer: printer)
                .run()
        }
        let call = AskedCall(arguments.type, inElements: arguments.inElements, registry)
        let decision = registry.explain(
            contentType: arguments.contentType, status: arguments.status, host: arguments.host,
            method: arguments.method, producing: call.wanted)
        let needs = registry.needs(of: decision.entryID.map { [$0] } ?? [])
        let off = registry.switchedOff(at: arguments.host)
        let said = decision.entryID.map { registry.provenance(ofEntry: $0) } ?? []
        printer.explain(decision)
        switch printer.format {
        case .text:
            let lines = needs + accepts(decision, call).map { "Accept, \($0.call): \($0.field ?? "none")" }
            let refused = refusal(decision).map { [$0.sentence] } ?? []
            let reasons =
                [heading(decision, call)] + refused + [call.named(decision.description)] + said.map(\.explained)
            try printer.console.print(
                (reasons + off + [limit(decision)] + cache(decision) + lines).joined(separator: "\n"))
        case .json:
            let fields = accepts(decision, call).map { ($0.call, JSON(orNull: $0.field)) }
            let other = limitOfOtherBuild(decision)
            let limit: JSON = [
                "bytes": JSON(decision.bodyLimit), "of": JSON(owner(decision)),
                "each": JSON(arguments.inElements ? "element" : "body"),
                "otherBuild": other.map { ["bytes": JSON($0.bytes), "of": JSON("entry \($0.entry)")] } ?? .null,
            ]
            let more: [(String, JSON)] = [
                ("accept", .object(fields)), ("limit", limit), ("cache", JSON(decision.policy.cache.rawValue)),
                ("needs", .list(needs)), ("keys", .array(said.map(\.json))), ("off", .list(off)),
            ]
            try printer.print(.object(report(decision, call).members.map { ($0, call.named($0, $1)) } + more))
        }
        return .done
    }

    /// The Accept of requests to the host, by the type of call; nil for no Accept.
    private func accepts(_ decision: Decision, _ call: AskedCall) -> [(call: String, field: String?)] {
        let usual = [Capability.anything, .decodable].map { ($0.name, $0.wanted) }
        return (call.name.map { [($0, call.wanted)] } ?? usual).map { name, wanted in
            (name, registry.accept(for: decision.head.host, at: decision.head.url, producing: wanted))
        }
    }

    /// `limit: 8 bytes for each element, of the entry json (Plugins.json:7)`
    private func limit(_ decision: Decision) -> String {
        let each = arguments.inElements ? " for each element" : ""
        let said =
            if case .entry(let id) = decision.limit.owner {
                Self.limit(of: id, registry)
            } else {
                policyKey("limits.maxBodyBytes", decision)
            }
        let other = limitOfOtherBuild(decision).map { other in
            let place = Self.limit(of: other.entry, registry)?.place ?? "default"
            return
                "; \(ByteCount(other.bytes)), of the entry \(other.entry) (\(place)), in a build that has its factory"
        }
        return "limit: \(ByteCount(decision.bodyLimit))\(each), of the \(owner(decision)) (\(said?.place ?? "default"))"
            + (other ?? "")
    }

    /// A key of the policy that applies to the response; nil if no manifest says it.
    private func policyKey(_ key: String, _ decision: Decision) -> SaidKey? {
        registry.provenance(ofPolicyFor: decision.head.host, at: decision.head.url).first {
            $0.key == "policy.\(key)" && !$0.isRemoved
        }
    }

    /// `cache: off (Plugins.json:7)`, unless the rule is the default.
    private func cache(_ decision: Decision) -> [String] {
        let rule = decision.policy.cache
        return rule == .standard ? [] : ["cache: \(rule) (\(policyKey("cache", decision)?.place ?? "default"))"]
    }

    private static func limit(of entry: String, _ registry: SerializerRegistry) -> SaidKey? {
        registry.provenance(ofEntry: entry).first { $0.key == "limits.maxBodyBytes" && !$0.isRemoved }
    }

    /// The lower limit of an entry before the chosen one that covers the response, and whose factory this build lacks;
    /// nil for a typed call, because the type that the entry makes is unknown.
    private func limitOfOtherBuild(_ decision: Decision) -> (entry: String, bytes: Int)? {
        guard arguments.type == nil, !arguments.inElements else { return nil }
        let head = decision.head
        let section = registry.section(for: head.host, at: head.url)
        let type = registry.compiled.matched(head.contentType)
        let missing = section.table.entries.prefix { $0.id != decision.entryID }.first { entry in
            guard case .unavailable = entry.availability else { return false }
            return entry.sides.read && entry.coverage.coversType(type) && entry.coverage.status.contains(head.status)
                && entry.coverage.coversWish(decision.wanted)
        }
        guard let missing, let bytes = missing.maximumBodyBytes, bytes < section.policy.maximumBodyBytes,
            bytes != decision.bodyLimit
        else { return nil }
        return (missing.id, bytes)
    }

    /// The report of the decision, with the failure of the call as far as the head decides it.
    private func report(_ decision: Decision, _ call: AskedCall) -> Report {
        var report = Report(decision)
        let failure = decision.failureAtHead
        if let refusal = refusal(decision) {
            report.fail(refusal.code.rawValue, refusal.sentence, body: failure)
        } else if let failure {
            report.fail(failure.code.rawValue, call.named(failure.description))
        }
        return report
    }

    /// The end of a call whose response has this status; nil if the status is acceptable.
    private func refusal(_ decision: Decision) -> (code: SessionError.Code, sentence: String)? {
        guard !decision.isAcceptable else { return nil }
        let head = decision.head
        let place = policyKey("acceptableStatus", decision)?.place ?? "default"
        let rule = "\(decision.policy.acceptableStatus), \(place)"
        let value =
            switch decision.outcome {
            case .entry where decision.plan.candidates.first?.keepsBytes != true:
                "error.value has the value of the entry \(decision.entryID ?? "")"
            case .empty: "its body is expected to be empty"
            case .entry, .raw: "error.value has the bytes (a ResponseBody)"
            case .error: "error.bodyFailure has the reason that there is no value"
            }
        let code: SessionError.Code = head.status == 304 ? .notModified : .status
        return (
            code,
            "the call fails with code \(code.rawValue), because \(head.status) is not acceptable (\(rule)); \(value)"
        )
    }

    private func owner(_ decision: Decision) -> String {
        if case .entry(let id) = decision.limit.owner { "entry \(id)" } else { "policy" }
    }

    private func heading(_ decision: Decision, _ call: AskedCall) -> String {
        let entry = decision.answer.entry.map { " \($0)" } ?? ""
        let wish = call.name.map { " as \($0)" } ?? ""
        let head = decision.head
        return "\(head.contentType) with status \(head.status)\(wish): \(decision.outcome.rawValue)\(entry)"
    }
}

extension SerializerRegistry {
    /// The entries of a host that are off: `xml: off: switched off by Plugins.json:7`, or left out by its section.
    func switchedOff(at host: String?) -> [String] {
        let place = host.flatMap { Endpoint($0) }
        let ids = routes(host: place?.host, at: place?.url).filter { $0.availability == .switchedOff }.map(\.id)
        let off = zip(ids, provenance(ofEntries: ids)).map { id, keys in
            let said = keys.first { $0.key == "enabled" }
            return "\(id): off: switched off" + (said.map { " by \($0.place)" } ?? "")
        }
        let leftOut = provenance(ofLeftOutFor: place?.host, at: place?.url)
        return off + leftOut.map { "\($0.value.string ?? ""): off: left out by \($0.place)" }
    }
}

struct ExplainArguments: Equatable, Sendable {
    var contentType: String?
    var status = 200
    var host: String?
    var method = "GET"
    /// The type that the call wants; nil if the table chooses it.
    var type: AskedCall.TypeName?
    /// Whether the call takes elements one by one.
    var inElements = false
    /// The body of a request to explain; nil to explain a response.
    var writing: Writing?

    struct Writing: Equatable, Sendable {
        /// Nil for `requestContentType` of the host's policy.
        var type: MediaType?
        /// The value to write; if nil, only the entry is looked up.
        var body: JSON?
        var inElements: Bool
    }

    init(_ words: ScannedWords) throws(UsageError) {
        contentType = try words.one(.contentType)
        status = try words.one(.status) ?? 200
        host = try words.one(.host)
        method = try words.one(.method) ?? "GET"
        if words.has(.writes) {
            writing = try Writing(words)
            return
        }
        guard !words.has(.body) else { throw UsageError("--body needs --write: responses have no body here") }
        inElements = words.has(.elements)
        type = try words.one(.asType)
    }
}

extension ExplainArguments.Writing {
    init(_ words: ScannedWords) throws(UsageError) {
        for option in [CommandOption.status, .method] {
            try words.notBoth(.writes, option, "the method and the status play no part in writing")
        }
        try words.notBoth(.writes, .asType, "the body is JSON")
        if let text: String = try words.one(.contentType) {
            guard let type = MediaType(parsing: text) else {
                throw UsageError("--content-type: '\(text)' is not a media type")
            }
            self.type = type
        }
        inElements = words.has(.elements)
        body = try words.one(.body)
        guard !inElements || body == nil || body?.array != nil else {
            throw UsageError("--elements: --body is not an array")
        }
    }
}

extension CommandOption {
    static let method = CommandOption(
        "--method", takes: "METHOD", help: "the method of the request (default: GET)")
    static let asType = CommandOption(
        "--as", takes: "TYPE",
        help: "the type that the call wants, as in Swift: String, Data, JSON, [User], a name under MAKES of routes; "
            + "any other name is any Decodable (default: the table chooses)",
        read: { AskedCall.TypeName($0) }, or: "is not a type; write User, [User], String or JSON")
    static let writes = CommandOption(
        "--write",
        help: "ask which entry writes the body of a request of this Content-Type (default: the policy's) to this host")
    static let body = CommandOption(
        "--body", takes: "JSON",
        help: "with --write: the value to write, without the options keys and dates of json; also prints its bytes",
        read: { text throws(UsageError) in
            do { return try JSON(parsing: text) } catch { throw UsageError("--body is not JSON: \(error)") }
        })
    static let elements = CommandOption(
        "--elements",
        help: "ask about a stream, whose elements are of the type of --as; "
            + "with --write: write the elements of --body, an array")
}
