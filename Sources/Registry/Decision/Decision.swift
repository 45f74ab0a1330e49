// One look-up: who serializes this response, why, within which limit of bytes, and what became of it. LookupPlanner finds the
// candidates, Decision asks them in turn, ElementReader does so for streams.

import PatchbayPlatform

/// Who serializes one response, decided when its headers arrived.
///
/// Holds the registry of that moment, the head, and the candidates, almost always one. Reasons are worked out when asked for.
public struct Decision: Sendable {
    /// What is to be expected of the body.
    public enum Outcome: String, Sendable, Hashable, CaseIterable {
        /// The entry of `entryID` serializes it.
        case entry
        /// There will be no bytes.
        case empty
        /// The bytes are the value, or what the value is made of.
        case raw
        /// The call fails whatever the body is.
        case error
    }

    /// The question, to be asked again for the reasons.
    let planner: LookupPlanner
    let plan: LookupPlan

    init(_ planner: LookupPlanner) {
        plan = planner.plan()
        self.planner = planner
    }

    /// The same response, whatever its status, and one serializer for it, which unwraps nothing for others.
    package func serialized<Output: Sendable>(by serializer: some ResponseSerializer<Output>) -> Decision {
        let override = LookupOverride(using: .serializer(PlainSerializer(serializer)), acceptableStatus: .any)
        return registry.decision(for: head, producing: .output(Output.self), override: override)
    }

    /// The registry that was asked.
    package var registry: SerializerRegistry { planner.registry }
    /// The response that it was asked about.
    public var head: ResponseHead { planner.head }
    /// Whether the status is one that the request accepts. Where it is not, the body is for the error.
    package var isAcceptable: Bool { planner.isAcceptable }
    /// What is looked for: what the call wanted, or anything where the status is not acceptable.
    package var wanted: WantedValue { planner.wanted }
    /// What the request changes about the look-up.
    package var override: LookupOverride { planner.override }
    var section: HostSection { planner.section }
    /// How the body was unwrapped that this look-up is about; nil for the bytes received.
    var unwrapping: Unwrapping? { planner.unwrapping }

    /// The policy that holds for the host of the response.
    package var policy: SerializerRegistry.Policy { section.policy }

    /// The statuses that the request accepts, its own or the policy's.
    package var acceptableStatus: StatusSet { override.acceptableStatus ?? policy.acceptableStatus }

    /// The canonical pattern of the host section that applies; nil where none does.
    public var hostSection: String? { section.name }

    /// The id of the entry that serializes the body; nil where none does, or the request brought the serializer.
    public var entryID: String? { plan.first?.entry }

    /// What is to be expected of the body, as far as the head tells.
    public var outcome: Outcome {
        let takesEmptyBody = plan.first?.acceptsEmptyBody ?? false
        if isEmptyExpected && !takesEmptyBody && !plan.isUnusable { return .empty }
        if plan.first != nil { return .entry }
        if case .failure = plan.ending { return .error }
        return .raw
    }

    /// The policy that says what happens where no entry that covers the response makes a value; nil where none is asked.
    package var endingPolicy: String? { plan.endingPolicy?.rawValue }

    var candidates: LookupPlan.Candidates { plan.candidates }

    /// Whether the policy expects no bytes of such a response.
    var isEmptyExpected: Bool {
        policy.empty.isExpected(method: head.request.method, status: head.status)
    }
}

extension Decision {
    /// Every entry asked, in order, with its reason: those that declined, and the one that was chosen.
    public var tried: [Candidate] { tried(after: []) }

    /// Every entry asked, given what became of the candidates since.
    package func tried(after attempts: [Attempt]) -> [Candidate] {
        var rows: [Candidate] = []
        var attempts = attempts
        if let unwrapping {
            rows = unwrapping.decision.tried(after: unwrapping.attempts)
            attempts.removeFirst(min(unwrapping.attempts.count, attempts.count))
        }
        var failures = attempts[...]
        for answer in planner.answers(to: plan) {
            guard answer.isCandidate else {
                rows.append(Candidate(entry: answer.entry, verdict: .declined, reason: answer.reason))
                continue
            }
            guard let failure = failures.first else {
                rows.append(Candidate(entry: answer.entry, verdict: .chosen, reason: answer.reason))
                break
            }
            rows.append(Candidate(entry: answer.entry, verdict: .failed, reason: "\(FailureReason(failure.error))"))
            failures = failures.dropFirst()
        }
        return rows
    }

    /// What happens where no candidate makes a value.
    var endingReason: String {
        let policy = plan.endingPolicy.map { " (policy \($0.rawValue))" } ?? ""
        return switch plan.ending {
        case .bytes where wanted.isElements: "bytes: \(wanted) are always the pieces of the body, no entry is asked"
        case .bytes: "bytes: \(wanted) is always the body as it is, no entry is asked"
        case .text where wanted.isElements:
            "text: no entry yields String, so they are the lines of the body, decoded by its charset"
        case .text: "text: no entry makes String, so the body is decoded by its charset"
        case .raw: "raw: no entry is left, so the bytes are the value\(policy)"
        case .failure(let failure): "error: \(failure.rawValue)\(policy)"
        }
    }
}

extension Decision: CustomStringConvertible {
    /// One line for each entry asked and why, and one more where none was chosen.
    public var description: String {
        let rows = tried
        let lines = rows.map(\.description)
        return (plan.first != nil ? lines : lines + [endingReason]).joined(separator: "\n")
    }
}

extension Decision: CustomReflectable {
    public var customMirror: Mirror { Mirror(described: self) }
}

/// One entry that was asked whether it serializes a response, and what came of it.
public struct Candidate: Sendable, Hashable {
    /// What came of the question.
    public enum Verdict: String, Sendable, Hashable, CaseIterable {
        /// It does not cover the response, declines it by a check of its own, or cannot make the wanted type.
        case declined
        /// It was chosen, and its serializer threw or the body outgrew its limit.
        case failed
        case chosen
    }

    /// The id of the entry; `(request)` for a serializer that the request brought.
    public let entry: String
    /// What came of it.
    public let verdict: Verdict
    /// Why, in plain words.
    public let reason: String

    /// An entry, what came of asking it, and why.
    public init(entry: String, verdict: Verdict, reason: String) {
        self.entry = entry
        self.verdict = verdict
        self.reason = reason
    }
}

extension Candidate: CustomStringConvertible {
    /// `json: declined: text/csv is outside @json`
    public var description: String { "\(entry): \(verdict.rawValue): \(reason)" }
}

/// A serializer that ran over a body, or would have had the body not been too large, and failed.
public struct Attempt: Sendable {
    /// The id of the entry; `(request)` for a serializer that the request brought.
    public let entry: String
    /// What the serializer threw, or a `BodyLimitFailure`.
    public let error: any Error

    /// An entry, and what its serializer threw.
    public init(entry: String, error: any Error) {
        self.entry = entry
        self.error = error
    }

    /// Stands for the id of a serializer that the request brought; no id has parentheses.
    static let request = "(request)"
}

extension Attempt: CustomStringConvertible, CustomReflectable {
    /// `json: line 3, column 7: expected a comma`
    public var description: String { "\(entry): \(FailureReason(error))" }
    public var customMirror: Mirror { Mirror(described: self) }
}

extension SerializerRegistry {
    /// The decision about a response that is only described, for asking what would happen.
    ///
    /// - Parameters:
    ///   - contentType: the value of Content-Type; nil for a response without one.
    ///   - host: the host, with its port where that is not the default; one that cannot be read counts as none.
    ///   - type: what the call gives; nil for whatever the registry chooses.
    public func explain(
        contentType: String?, status: Int = 200, host: String? = nil, method: String = "GET",
        as type: (any Sendable.Type)? = nil
    ) -> Decision {
        func wanted<Value: Sendable>(_ type: Value.Type) -> WantedValue { .type(type) }
        return explain(
            contentType: contentType, status: status, host: host, method: method,
            producing: type.map { wanted($0) } ?? .anything)
    }

    /// The same of a call that changes the look-up.
    package func explain(
        contentType: String?, status: Int = 200, host: String? = nil, method: String = "GET", override: LookupOverride
    ) -> Decision {
        explain(
            contentType: contentType, status: status, host: host, method: method, producing: .anything,
            override: override)
    }

    /// The same of a call that wants any kind of value.
    package func explain(
        contentType: String?, status: Int = 200, host: String? = nil, method: String = "GET",
        producing wanted: WantedValue, override: LookupOverride = .none
    ) -> Decision {
        let head = Self.head(contentType: contentType, status: status, host: host, method: method)
        return decision(for: head, producing: wanted, override: override)
    }

    /// The head of a response that is only described.
    static func head(contentType: String?, status: Int, host: String?, method: String = "GET") -> ResponseHead {
        let canonical = host.flatMap { CanonicalHost($0) }
        let url = canonical.flatMap { URL(string: "https://\($0)/") } ?? URL(filePath: "/")
        var fields: HeaderFields = [:]
        if let contentType { fields["Content-Type"] = contentType }
        return ResponseHead(
            status: status, fields: fields, url: url, host: canonical, request: RequestHead(method: method, url: url))
    }
}

/// A serializer that makes values and nothing else: it unwraps nothing, has no elements and declines nothing.
private struct PlainSerializer<Base: ResponseSerializer>: ResponseSerializer {
    private let base: Base
    var acceptsEmptyBody: Bool { base.acceptsEmptyBody }

    init(_ base: Base) { self.base = base }

    func serialize(_ body: ResponseBody, _ head: ResponseHead) throws -> Base.Output { try base.serialize(body, head) }
}
