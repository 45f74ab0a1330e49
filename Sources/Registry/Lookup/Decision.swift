// The look-up for one response: it gives the serializer, the reasons of all entries that were considered, the size limit
// of the body, and the outcome. `TableLookup` gives the verdict of each entry, for responses and for the bodies of
// requests. `LookupPlanner` makes a `LookupPlan` of the serializers for a response. `Decision` tries these serializers
// in order; for streams, `ElementReader` does. `WriterLookup` finds the entry that writes a body.

import PatchbayJSON
import PatchbayPlatform

/// The choice of the serializer for one response, and the reasons for this choice. The registry that was in force when
/// the call began makes the decision.
///
/// The decision of a reply or an error also has the outcome. Reasons are computed when they are read.
///
/// `reply.written`, `error.written` and `registry.explain(writing:in:host:)` are decisions about the body of a request:
/// the entry that writes it, and the reasons. `mediaType` is then the media type of the body.
public struct Decision: Sendable {
    /// The outcome for the body. Without a call, the expected outcome.
    public enum Outcome: String, Sendable, Hashable, CaseIterable {
        /// A serializer makes the value: the serializer of `entry`, or a serializer that the request sets. For the body
        /// of a request: `entry` writes it.
        case entry
        /// There are no bytes. The value is the empty value of the type, or `()` in a dynamic call.
        case empty
        /// No serializer makes the value. The value is the bytes (a `ResponseBody` in a dynamic call) or their text.
        /// The body of a request is sent unchanged.
        case raw
        /// The call fails.
        case error
    }

    /// The outcome. It is a class, because decisions are copied often and a copy then only copies a reference.
    private final class Account: Sendable {
        let outcome: Outcome
        let entry: String?
        /// The failed attempts; nil if no registry was considered.
        let attempts: [Attempt]?
        /// The entries that were considered for the body of a request; nil for a response.
        let writers: [Candidate]?

        init(_ outcome: Outcome, _ entry: String?, _ attempts: [Attempt]?, writers: [Candidate]? = nil) {
            (self.outcome, self.entry, self.attempts, self.writers) = (outcome, entry, attempts, writers)
        }
    }

    // The reasons are computed from this planner when they are read.
    package private(set) var planner: LookupPlanner
    package let plan: LookupPlan
    private var account: Account?

    package init(_ planner: LookupPlanner) {
        (self.planner, plan) = (planner, planner.plan())
    }

    /// The decision about a response for which no registry was considered.
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

    /// This decision with another response head.
    package func of(_ head: ResponseHead) -> Decision {
        var decision = self
        decision.planner.head = head
        return decision
    }

    /// Whether the call wants elements, and the chosen entry yields them one by one.
    package var yieldsElements: Bool { planned.first.map { planner.wanted.isYielded(by: $0) } ?? false }

    /// Whether the decision was made for a test, without a registry.
    private var isUnasked: Bool { account.map { $0.attempts == nil } ?? false }

    /// This decision with the outcome of the call.
    package func ended(_ outcome: Outcome, by entry: String?, after attempts: [Attempt]) -> Decision {
        guard !isUnasked else { return self }
        var decision = self
        decision.account = Account(outcome, entry, attempts)
        return decision
    }

    /// The decision about the same response for this serializer alone. The serializer unwraps nothing, and every status
    /// is acceptable.
    package func serialized<Output: Sendable>(by serializer: some ResponseSerializer<Output>) -> Decision {
        let override = LookupOverride(
            using: .serializer(PlainSerializer(serializer)), acceptableStatus: .any,
            maximumBodyBytes: override.maximumBodyBytes)
        return registry.decision(for: head, producing: .output(Output.self), override: override)
    }

    package var registry: SerializerRegistry { planner.registry }
    package var head: ResponseHead { planner.head }
    /// Whether the request accepts the status. If not, the body is decoded for the error.
    package var isAcceptable: Bool { planner.isAcceptable }
    /// The value that the call wants; `.anything` if the status is not acceptable.
    package var wanted: WantedValue { planner.wanted }
    package var override: LookupOverride { planner.override }
    package var section: HostSection { planner.section }
    /// The unwrapping before this decision; nil if the decision is about the received body.
    package var unwrapping: Unwrapping? { planner.unwrapping }

    /// Whether an entry unwrapped the body before this decision, and did not only decline it.
    package var isUnwrapped: Bool { unwrapping.map { $0.declined == nil || $0.decision.isUnwrapped } ?? false }

    /// The policy for the host of the response.
    package var policy: SerializerRegistry.Policy { section.policy }

    /// The acceptable statuses of the request, or else of the policy.
    package var acceptableStatus: StatusSet { override.acceptableStatus ?? policy.acceptableStatus }

    /// The canonical pattern of the host section that applies; nil if there is none.
    public var hostSection: String? { section.name }

    /// The media type of the body; nil if Content-Type is missing or invalid.
    public var mediaType: MediaType? { planner.head.contentType.mediaType }

    /// The digest of the registry that made the decision; empty if no registry was considered.
    public var registryDigest: String { isUnasked ? "" : registry.digest }

    /// The id of the entry that makes the value, or that failed; nil if there is no such entry, or if the request sets
    /// the serializer.
    public var entry: String? {
        guard let account else { return expectedOutcome == .entry ? plan.first?.entry : nil }
        return account.entry
    }

    /// The id of the entry of the first serializer in `plan`; nil without such an entry. It depends on the head, not on
    /// the body.
    package var entryID: String? { plan.first?.entry }

    /// The outcome for the body. Without a call, the outcome to expect from the head.
    public var outcome: Outcome { account?.outcome ?? expectedOutcome }

    private var expectedOutcome: Outcome {
        let takesEmptyBody = plan.first?.acceptsEmptyBody ?? false && !isNil
        if isEmptyExpected && !takesEmptyBody && !plan.isUnusable { return .empty }
        if plan.first != nil { return .entry }
        if case .failure = plan.ending { return .error }
        return .raw
    }

    /// The policy that applies if no entry makes a value; nil if no policy is needed.
    package var endingPolicy: String? { plan.endingPolicy?.rawValue }

    var planned: LookupPlan.Candidates { plan.candidates }

    /// Whether the call wants an optional, and the status says that there is no content (RFC 9110, sections 15.3.5 and
    /// 15.4.5). An empty body is then nil, even if the wrapped type has a value for it.
    var isNil: Bool {
        wanted.optionalType != nil && !wanted.isElements && (head.status == 204 || head.status == 304)
    }

    /// Whether the policy expects an empty body for this response.
    var isEmptyExpected: Bool {
        policy.empty.isExpected(method: head.request.method, status: head.status)
    }
}

extension Decision {
    /// Every entry that was considered, in order, with its reason: declined, failed or chosen.
    public var candidates: [Candidate] {
        if let writers = account?.writers { return writers }
        return isUnasked ? [] : tried(after: account?.attempts ?? [])
    }

    /// Every entry that was considered, with the outcomes of the attempts.
    package func tried(after attempts: [Attempt]) -> [Candidate] {
        var rows: [Candidate] = []
        var attempts = attempts
        if let unwrapping {
            rows = unwrapping.decision.tried(after: unwrapping.attempts)
            if let reason = unwrapping.declined, rows.last?.entry == unwrapping.entry {
                rows[rows.count - 1] = Candidate(
                    ConsideredEntry(id: unwrapping.entry, verdict: .declined, reason: reason))
            }
            attempts.removeFirst(min(unwrapping.attempts.count, attempts.count))
        }
        var failures = attempts[...]
        for row in planner.considered(for: plan) {
            guard row.verdict == .chosen, let failure = failures.popFirst() else {
                rows.append(Candidate(row))
                if row.verdict == .chosen { break }
                continue
            }
            rows.append(Candidate(failure))
        }
        return rows
    }

    /// The result if no serializer of `plan` makes a value, as a sentence.
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

extension Decision {
    /// The ids of the entries whose serializers declined or failed, in the order of the table.
    package var asked: [String] {
        let decisions = Array(sequence(first: self) { $0.unwrapping?.decision })
        let unwrappers = decisions.compactMap(\.unwrapping).filter { $0.declined != nil }
        let declined = decisions.flatMap(\.plan.declined.keys) + unwrappers.map(\.entry)
        let failed = account?.attempts?.map(\.entry) ?? []
        guard !declined.isEmpty || !failed.isEmpty else { return [] }
        let ids = section.table.entries.map(\.id).filter { declined.contains($0) || failed.contains($0) }
        return ids + failed.filter { !ids.contains($0) }
    }
}

extension Decision: CustomStringConvertible {
    /// One line for each entry that was considered, with its reason. If no entry was chosen, a last line gives the
    /// result.
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
}

/// A serializer that only makes values: it unwraps nothing, has no elements and declines nothing.
private struct PlainSerializer<Base: ResponseSerializer>: ResponseSerializer {
    private let base: Base
    var acceptsEmptyBody: Bool { base.acceptsEmptyBody }

    init(_ base: Base) { self.base = base }

    func serialize(_ body: ResponseBody, _ head: ResponseHead) throws -> Base.Output { try base.serialize(body, head) }
}
