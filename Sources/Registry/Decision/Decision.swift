// One look-up: who serializes this response, why, within which limit of bytes, and what became of it. LookupPlanner finds the
// candidates, Decision asks them in turn, ElementReader does so for streams. WriterLookup is the look-up for the body of a request.

import PatchbayJSON
import PatchbayPlatform

/// Who serializes one response, and why: decided when its headers arrived, and from then on by the registry of that moment.
///
/// Of a reply or an error it also says what became of the body. Reasons are worked out when they are asked for.
///
/// `reply.written`, `error.written` and `registry.explain(writing:in:host:)` are decisions about the body of a request: the entry that writes
/// it, and the reasons. `mediaType` is then the media type of the body.
public struct Decision: Sendable {
    /// What became of the body, or, of a look-up alone, what is to be expected of it.
    public enum Outcome: String, Sendable, Hashable, CaseIterable {
        /// A serializer makes the value: that of `entry`, or the one that the request brought. For the body of a request: `entry` writes it.
        case entry
        /// There are no bytes; the value stands for that, `()` in a dynamic call.
        case empty
        /// No serializer makes the value: it is the bytes, a `ResponseBody` in a dynamic call, or their text. For the body of a request: it
        /// is sent as it is.
        case raw
        /// The call fails.
        case error
    }

    /// What became of the body, in a block of its own: a decision is copied often, and this is asked for seldom.
    private final class Account: Sendable {
        let outcome: Outcome
        let entry: String?
        /// Nil where nobody was asked.
        let attempts: [Attempt]?
        /// For the body of a request, the entries that were asked to write it; nil for a response.
        let writers: [Candidate]?

        init(_ outcome: Outcome, _ entry: String?, _ attempts: [Attempt]?, writers: [Candidate]? = nil) {
            (self.outcome, self.entry, self.attempts, self.writers) = (outcome, entry, attempts, writers)
        }
    }

    // Reasons are worked out by asking the question again.
    package private(set) var planner: LookupPlanner
    package let plan: LookupPlan
    private var account: Account?

    package init(_ planner: LookupPlanner) {
        plan = planner.plan()
        self.planner = planner
    }

    /// Of a response about which no registry was asked.
    package init(unaskedAbout head: ResponseHead) {
        self = SerializerRegistry.ofNothing.decision(for: head)
        account = Account(.entry, nil, nil)
    }

    /// The decision about the body of a request.
    package init(_ lookup: WriterLookup, failure: (any Error)? = nil) {
        var candidates = lookup.candidates
        if let failure, let entry = lookup.writer?.entry {
            candidates[candidates.count - 1] = Candidate(Attempt(entry: entry, error: failure))
        }
        let isWritten = lookup.writer != nil && failure == nil
        self.init(
            lookup.registry, lookup.section, writing: lookup.type, isWritten ? .entry : .error, lookup.writer?.entry,
            candidates)
    }

    /// - Parameter type: the media type of the body.
    init(
        _ registry: SerializerRegistry, _ section: HostSection, writing type: MediaType, _ outcome: Outcome,
        _ entry: String?, _ candidates: [Candidate]
    ) {
        let url = URL(filePath: "/")
        let head = ResponseHead(
            status: 200, fields: ["Content-Type": type.description], url: url,
            request: RequestHead(method: "POST", url: url))
        planner = LookupPlanner(
            registry: registry, section: section, head: head, isAcceptable: true, wanted: .anything, override: .none,
            unwrapping: nil)
        plan = LookupPlan()
        account = Account(outcome, entry, [], writers: candidates)
    }

    /// The same decision, said of another response.
    package func of(_ head: ResponseHead) -> Decision {
        var decision = self
        decision.planner.head = head
        return decision
    }

    /// Whether it was put together for a test, and nobody was asked.
    private var isUnasked: Bool { account.map { $0.attempts == nil } ?? false }

    /// The same decision, and what became of the body.
    package func ended(_ outcome: Outcome, by entry: String?, after attempts: [Attempt]) -> Decision {
        guard !isUnasked else { return self }
        var decision = self
        decision.account = Account(outcome, entry, attempts)
        return decision
    }

    /// The same response, whatever its status, and one serializer for it, which unwraps nothing for others.
    package func serialized<Output: Sendable>(by serializer: some ResponseSerializer<Output>) -> Decision {
        let override = LookupOverride(using: .serializer(PlainSerializer(serializer)), acceptableStatus: .any)
        return registry.decision(for: head, producing: .output(Output.self), override: override)
    }

    package var registry: SerializerRegistry { planner.registry }
    package var head: ResponseHead { planner.head }
    /// Whether the status is one that the request accepts. Where it is not, the body is for the error.
    package var isAcceptable: Bool { planner.isAcceptable }
    /// What is looked for: what the call wanted, or anything where the status is not acceptable.
    package var wanted: WantedValue { planner.wanted }
    package var override: LookupOverride { planner.override }
    package var section: HostSection { planner.section }
    /// How the body was unwrapped that this look-up is about; nil for the bytes received.
    package var unwrapping: Unwrapping? { planner.unwrapping }

    /// The policy that holds for the host of the response.
    package var policy: SerializerRegistry.Policy { section.policy }

    /// The statuses that the request accepts, its own or the policy's.
    package var acceptableStatus: StatusSet { override.acceptableStatus ?? policy.acceptableStatus }

    /// The canonical pattern of the host section that applies; nil where none does.
    public var hostSection: String? { section.name }

    /// The media type that it was asked about; nil where Content-Type is missing or is none.
    public var mediaType: MediaType? { planner.head.contentType.mediaType }

    /// The digest of the registry that was asked.
    public var registryDigest: String { isUnasked ? "" : registry.digest }

    /// The id of the entry that makes the value, or that failed; nil where none does, or the request brought the serializer.
    public var entry: String? {
        guard let account else { return expectedOutcome == .entry ? plan.first?.entry : nil }
        return account.entry
    }

    /// The id of the entry that is to serialize the body, by the head alone.
    package var entryID: String? { plan.first?.entry }

    /// What became of the body; of a look-up alone what is to be expected of it, as far as the head tells.
    public var outcome: Outcome { account?.outcome ?? expectedOutcome }

    private var expectedOutcome: Outcome {
        let takesEmptyBody = plan.first?.acceptsEmptyBody ?? false
        if isEmptyExpected && !takesEmptyBody && !plan.isUnusable { return .empty }
        if plan.first != nil { return .entry }
        if case .failure = plan.ending { return .error }
        return .raw
    }

    /// The policy that says what happens where no entry that covers the response makes a value; nil where none is asked.
    package var endingPolicy: String? { plan.endingPolicy?.rawValue }

    var planned: LookupPlan.Candidates { plan.candidates }

    /// Whether the policy expects no bytes of such a response.
    var isEmptyExpected: Bool {
        policy.empty.isExpected(method: head.request.method, status: head.status)
    }
}

extension Decision {
    /// Every entry asked, in order, with its reason: those that declined, those that failed, and the one that was chosen.
    public var candidates: [Candidate] {
        if let writers = account?.writers { return writers }
        return isUnasked ? [] : tried(after: account?.attempts ?? [])
    }

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
            rows.append(Candidate(failure))
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
        let rows = candidates
        let lines = rows.map(\.description)
        if account?.writers != nil { return (lines + (writingEnd.map { [$0] } ?? [])).joined(separator: "\n") }
        return (plan.first != nil || isUnasked ? lines : lines + [endingReason]).joined(separator: "\n")
    }
}

extension Decision: CustomReflectable {
    public var customMirror: Mirror { Mirror(described: self) }
}

extension Decision {
    /// The last line for a body that no entry wrote; nil if an entry wrote it.
    private var writingEnd: String? {
        switch outcome {
        case .raw: "raw: bytes and text are sent as they are, no entry is asked"
        case .error where entry == nil: "error: noWriter"
        default: nil
        }
    }

    /// One entry that was asked whether it serializes a response, or writes the body of a request, and what came of it.
    public struct Candidate: Sendable {
        /// What came of the question.
        public enum Verdict: String, Sendable, Hashable, CaseIterable {
            /// It does not cover the response, declines it by a check of its own, or cannot make the wanted type. For the body of a request:
            /// it does not cover the type, only reads, or declines the value.
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
        /// What the serializer threw, a `FormatFailure` where the format is ours; nil where it did not fail.
        public let error: (any Error)?

        init(entry: String, verdict: Verdict, reason: String) {
            self.entry = entry
            self.verdict = verdict
            self.reason = reason
            error = nil
        }

        init(_ attempt: Attempt) {
            entry = attempt.entry
            verdict = .failed
            reason = "\(FailureReason(attempt.error))"
            error = FormatFailure.published(attempt.error)
        }
    }
}

extension Decision.Candidate: CustomStringConvertible, CustomReflectable {
    /// `json: declined: text/csv is outside @json`
    public var description: String { "\(entry): \(verdict.rawValue): \(reason)" }
    public var customMirror: Mirror { Mirror(described: self) }
}

/// A serializer that ran over a body, or would have had the body not been too large, and failed.
package struct Attempt: Sendable {
    /// The id of the entry; `(request)` for a serializer that the request brought.
    package let entry: String
    /// What the serializer threw, or a `BodyLimitFailure`.
    package let error: any Error

    /// Stands for the id of a serializer that the request brought; no id has parentheses.
    static let request = "(request)"
}

extension Attempt: CustomStringConvertible, CustomReflectable {
    /// `json: line 3, column 7: expected a comma`
    package var description: String { "\(entry): \(FailureReason(error))" }
    package var customMirror: Mirror { Mirror(described: self) }
}

extension SerializerRegistry {
    /// The decision about a response that is only described, for asking what would happen.
    ///
    /// - Parameters:
    ///   - contentType: the value of `Content-Type`; nil for a response without one.
    ///   - status: the status of the response.
    ///   - host: the host, with its port if that is not the default port. An invalid host counts as none.
    ///   - method: the method of the request.
    ///   - type: the type that the call wants; nil if the registry chooses it.
    public func explain(
        contentType: String?, status: Int = 200, host: String? = nil, method: String = "GET",
        as type: (any Sendable.Type)? = nil
    ) -> Decision {
        func wanted<Value: Sendable>(_ type: Value.Type) -> WantedValue { .type(type) }
        return explain(
            contentType: contentType, status: status, host: host, method: method,
            producing: type.map { wanted($0) } ?? .anything)
    }

    /// The same of a call that wants any kind of value, or changes the look-up.
    @_disfavoredOverload
    package func explain(
        contentType: String?, status: Int = 200, host: String? = nil, method: String = "GET",
        producing wanted: WantedValue = .anything, override: LookupOverride = .none
    ) -> Decision {
        let head = Self.head(contentType: contentType, status: status, host: host, method: method)
        return decision(for: head, producing: wanted, override: override)
    }

    package static func head(contentType: String?, status: Int, host: String?, method: String = "GET") -> ResponseHead {
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
