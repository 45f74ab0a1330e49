import Patchbay

/// `explain --write`: prints the entry that would write a body, the reasons that other entries were not chosen, and the
/// bytes of a given body.
struct ExplainWriting {
    let question: ExplainArguments.Writing
    let host: String?
    let registry: SerializerRegistry
    let printer: Printer

    func run() throws(CommandFailure) -> ExitCode {
        let written = WrittenBody(
            question.body ?? [:], inElements: question.inElements, as: question.type, host: host,
            isWritten: question.body != nil, registry)
        let decision = written.decision
        let off = registry.switchedOff(at: host)
        let said = decision.outcome == .entry ? registry.provenance(ofEntry: decision.entry ?? "") : []
        printer.explain(decision)
        switch printer.format {
        case .text:
            let entry = decision.outcome == .entry ? decision.entry.map { " \($0)" } ?? "" : ""
            let heading = "\(asked) in \(written.lookup.type): \(decision.outcome.rawValue)\(entry)"
            try printer.console.print(
                ([heading, decision.description] + said.map(\.explained) + off + lines(written)).joined(separator: "\n")
            )
        case .json:
            let bytes = (try? written.bytes?.get()).map(WrittenBody.json) ?? .null
            let more: [(String, JSON)] = [
                ("asked", JSON(asked)), ("body", bytes), ("keys", .array(said.map(\.json))), ("off", .list(off)),
            ]
            try printer.print(.object(Report(written).members + more))
        }
        guard let failure = written.failure else { return .done }
        printer.console.complain(failure.sentence)
        return .serialization
    }

    private var asked: String {
        switch (question.body != nil, question.inElements) {
        case (true, false): "the body"
        case (true, true): "the elements of the body"
        case (false, false): "an empty object"
        case (false, true): "elements"
        }
    }

    private func lines(_ written: WrittenBody) -> [String] {
        guard case .success(let bytes) = written.bytes else { return [] }
        let json = WrittenBody.json(bytes)
        let base64 = json["base64"]?.string
        return ["\(ByteCount(bytes.count))\(base64 == nil ? "" : " in base64"):", base64 ?? json.string ?? ""]
    }
}
