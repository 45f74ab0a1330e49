import Patchbay
import PatchbayTools

/// The result of one case: the decision, and its differences from the expected decision.
struct CaseResult {
    let file: String
    let name: String
    /// Nil if the case names a type that the table does not know.
    let decision: Decision?
    /// Whether the case is about the body of a request.
    let isOfRequest: Bool
    /// One sentence for each difference; empty if the case passed.
    let faults: [String]

    /// - Parameter capabilities: the capabilities of the table.
    init(_ testCase: TableCase, of file: String, _ registry: SerializerRegistry, _ capabilities: [Capability]) {
        self.file = file
        name = testCase.name
        isOfRequest = false
        guard let wanted = Self.wanted(testCase.makes, capabilities, registry) else {
            decision = nil
            let known = capabilities.dropFirst().map(\.name).joined(separator: ", ")
            faults = ["makes: nothing in this table makes \(testCase.makes ?? ""); it makes \(known)"]
            return
        }
        let decision = registry.explain(
            contentType: testCase.contentType, status: testCase.status, host: testCase.host, method: testCase.method,
            producing: wanted)
        self.decision = decision
        let found = decision.answer
        faults =
            Self.fault("entry", testCase.entry ?? "none", found.entry ?? "none")
            + Self.fault("outcome", testCase.outcome.rawValue, found.outcome.rawValue)
            + Self.fault("limit", testCase.limit.map { "\($0)" } ?? "\(found.limit)", "\(found.limit)")
    }

    init(_ testCase: WritingCase, of file: String, _ registry: SerializerRegistry) {
        self.file = file
        name = testCase.name
        isOfRequest = true
        // `CaseFile` has checked the media type.
        let written = WrittenBody(
            testCase.write, inElements: testCase.inElements,
            as: testCase.contentType.flatMap { MediaType(parsing: $0) }, host: testCase.host,
            isWritten: testCase.bytes != nil, registry)
        decision = written.decision
        let entry = Self.fault("entry", testCase.entry ?? "none", written.lookup.writer?.entry ?? "none")
        switch (testCase.bytes, written.bytes) {
        case (let expected?, .success(let bytes)?):
            let isSame = WrittenBody.bytes(expected) == bytes
            faults =
                entry
                + (isSame
                    ? []
                    : ["bytes: expected \(expected.serialized()), found \(WrittenBody.json(bytes).serialized())"])
        case (_, .failure(let failure)?): faults = entry + ["bytes: \(failure)"]
        default: faults = entry
        }
    }

    private static func fault(_ what: String, _ expected: String, _ found: String) -> [String] {
        expected == found ? [] : ["\(what): expected \(expected), found \(found)"]
    }

    var hasPassed: Bool { faults.isEmpty }

    /// The decision of the table: a line for each entry that was considered.
    var lines: [String] { (decision?.description).map { $0.split(separator: "\n").map(String.init) } ?? [] }

    private static func wanted(
        _ name: String?, _ capabilities: [Capability], _ registry: SerializerRegistry
    ) -> WantedValue? {
        guard let name else { return .anything }
        // A call for one of these output types is a call for text or for bytes.
        let said = ["String": "text", "ResponseBody": "bytes"][name] ?? name
        if let capability = capabilities.first(where: { $0.name == said }) { return capability.wanted }
        guard name.hasPrefix("["), let type = AskedCall.TypeName(name) else { return nil }
        return AskedCall(type, inElements: false, registry).wanted
    }
}

extension Decision {
    /// The part of a decision that a case compares: the entry if it was chosen, the outcome as `explain` prints it, and
    /// the limit.
    struct CaseAnswer: Hashable {
        let entry: String?
        let outcome: Outcome
        let limit: Int
    }

    /// The answer about a response.
    var answer: CaseAnswer {
        CaseAnswer(entry: outcome == .entry ? entryID : nil, outcome: outcome, limit: bodyLimit)
    }
}
