/// Links the `Decision` about an unwrapped body to the `Decision` whose entry unwrapped the body.
///
/// A class, because the struct `Decision` cannot contain another decision.
package final class Unwrapping: Sendable {
    /// The decision that chose the unwrapping entry.
    let decision: Decision
    /// The attempts that failed before the unwrapping.
    let attempts: [Attempt]
    /// The entry that unwrapped the body or, if `declined` is not nil, declined it.
    let entry: String
    /// The reason that the entry declined the body and passed it on unchanged; nil if it unwrapped the body.
    let declined: String?
    /// The ids of the entries that have unwrapped this body. Each entry unwraps only once.
    let entries: Set<String>
    /// The position in the table after the unwrapping entry.
    package let start: Int

    package init(
        _ decision: Decision, by candidate: BoundSerializer, _ attempts: [Attempt], declined: String? = nil
    ) {
        self.decision = decision
        self.attempts = attempts
        self.declined = declined
        entry = candidate.name
        let earlier = decision.unwrapping
        entries = (earlier?.entries ?? []).union([candidate.name])
        let position = candidate.entry.flatMap { decision.section.table.position($0) }
        start = position.map { max($0 + 1, earlier?.start ?? 0) } ?? earlier?.start ?? 0
    }
}

extension LookupPlanner {
    /// The planner for an unwrapped body and its media type.
    package init(_ unwrapping: Unwrapping, _ mediaType: MediaType) {
        self = unwrapping.decision.planner
        var fields = head.fields
        fields["Content-Type"] = mediaType.description
        head = ResponseHead(
            status: head.status, fields: fields, url: head.url, host: head.host, request: head.request)
        self.unwrapping = unwrapping
    }
}
