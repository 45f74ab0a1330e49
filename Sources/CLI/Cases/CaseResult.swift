import Patchbay
import PatchbayTools

struct CaseTable {
    let registry: SerializerRegistry
    let capabilities: [Capability]
    /// The place of each entry, which only faults need.
    private lazy var places = registry.places
    /// The number of wrong names that still get a suggestion.
    private var suggestions = ManifestLayer.maximumLines

    init(_ registry: SerializerRegistry) {
        self.registry = registry
        capabilities = Capability.all(of: [registry])
    }

    /// Nil if the table does not know the name.
    fileprivate func wanted(_ name: String?) -> WantedValue? {
        guard let name else { return .anything }
        if let capability = capabilities.first(where: { $0.name == name }) { return capability.wanted }
        guard let type = AskedCall.TypeName(name) else { return nil }
        let call = AskedCall(type, inElements: false, registry)
        return call.unknown == nil || type.text.hasPrefix("[") ? call.wanted : nil
    }

    private mutating func suggestion(for name: String, in names: @autoclosure () -> [String]) -> String? {
        suggestions -= 1
        guard suggestions >= 0 else { return nil }
        return Spelling.nearest(to: name, in: names()).map { "; did you mean \"\($0)\"?" }
    }

    /// The fault of a case that names a type that the table does not make.
    fileprivate mutating func fault(ofType name: String) -> String {
        let known = capabilities.dropFirst().map(\.name)
        let hint = suggestion(for: name, in: known) ?? "; it makes \(known.joined(separator: ", "))"
        return "makes: nothing in this table makes \(name), and a type of the program is written Decodable\(hint)"
    }

    /// The faults of a case that expects an entry.
    fileprivate mutating func faults(ofEntry expected: String?, _ found: String?) -> [String] {
        guard expected != found else { return [] }
        let place = found.flatMap { places[$0] }.map { " (\($0))" } ?? ""
        let fault = "entry: expected \(expected ?? "none"), found \(found ?? "none")\(place)"
        guard let expected, places[expected] == nil else { return [fault] }
        let ids = places.keys
        let hint = suggestion(for: expected, in: ids.sorted())
        return [fault, "there is no entry \"\(expected)\"\(hint ?? "")"]
    }
}

/// The result of one case: the decision, and its differences from the expected decision.
struct CaseResult {
    let placed: PlacedCase
    /// Nil if the case names a type that the table does not know.
    let decision: Decision?
    /// One sentence for each difference; empty if the case passed.
    let faults: [String]

    init(_ placed: PlacedCase, _ table: inout CaseTable) {
        self.placed = placed
        (decision, faults) =
            switch placed.testCase {
            case .response(let testCase): Self.compared(testCase, &table)
            case .request(let testCase): Self.compared(testCase, &table)
            }
    }

    private static func compared(_ testCase: TableCase, _ table: inout CaseTable) -> (Decision?, [String]) {
        guard let wanted = table.wanted(testCase.makes) else {
            return (nil, [table.fault(ofType: testCase.makes ?? "")])
        }
        let decision = table.registry.explain(
            contentType: testCase.contentType, status: testCase.status, host: testCase.host, method: testCase.method,
            producing: wanted)
        let found = decision.answer
        let faults =
            table.faults(ofEntry: testCase.entry, found.entry)
            + fault("outcome", testCase.outcome.rawValue, found.outcome.rawValue)
            + fault("limit", testCase.limit.map { "\($0)" } ?? "\(found.limit)", "\(found.limit)")
        return (decision, faults)
    }

    private static func compared(_ testCase: WritingCase, _ table: inout CaseTable) -> (Decision?, [String]) {
        // `CaseFile` has checked the media type.
        let written = WrittenBody(
            testCase.write, inElements: testCase.inElements,
            as: testCase.contentType.flatMap { MediaType(parsing: $0) }, host: testCase.host,
            isWritten: testCase.bytes != nil, table.registry)
        var faults = table.faults(ofEntry: testCase.entry, written.lookup.writer?.entry)
        switch (testCase.bytes, written.bytes) {
        case (let expected?, .success(let bytes)?) where WrittenBody.bytes(expected) != bytes:
            faults.append("bytes: expected \(expected.serialized()), found \(WrittenBody.json(bytes).serialized())")
        case (_, .failure(let failure)?): faults.append("bytes: \(failure)")
        default: break
        }
        return (written.decision, faults)
    }

    private static func fault(_ what: String, _ expected: String, _ found: String) -> [String] {
        expected == found ? [] : ["\(what): expected \(expected), found \(found)"]
    }

    var hasPassed: Bool { faults.isEmpty }

    /// Whether the case is about the body of a request.
    var isOfRequest: Bool { if case .request = placed.testCase { true } else { false } }

    /// The decision of the table: a line for each entry that was considered.
    var lines: [String] { (decision?.description).map { $0.split(separator: "\n").map(String.init) } ?? [] }

    var json: JSON {
        [
            "file": JSON(placed.file), "line": JSON(orNull: placed.line), "name": JSON(placed.testCase.name),
            "passed": JSON(hasPassed), "faults": .list(faults), "decision": .list(hasPassed ? [] : lines),
        ]
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
