/// How a look-up came to be the second one: the look-up whose entry unwrapped the body, and where this one starts.
///
/// A class of constants only, because a decision cannot hold a decision.
final class Unwrapping: Sendable {
    /// The look-up that chose the unwrapping entry.
    let decision: Decision
    /// Every serializer that failed before.
    let attempts: [Attempt]
    /// The ids of the entries that have unwrapped this body: each does so once.
    let entries: Set<String>
    /// The position in the table behind the unwrapping entry.
    let start: Int

    init(_ decision: Decision, by candidate: BoundSerializer, _ attempts: [Attempt]) {
        self.decision = decision
        self.attempts = attempts
        let earlier = decision.unwrapping
        entries = (earlier?.entries ?? []).union([candidate.name])
        let position = candidate.entry.flatMap { decision.section.table.position($0) }
        start = position.map { max($0 + 1, earlier?.start ?? 0) } ?? earlier?.start ?? 0
    }
}

extension LookupPlanner {
    /// The look-up that goes on over what was inside a body, under its media type.
    init(_ unwrapping: Unwrapping, _ mediaType: MediaType) {
        self = unwrapping.decision.planner
        var fields = head.fields
        fields["Content-Type"] = mediaType.description
        head = ResponseHead(
            status: head.status, fields: fields, url: head.url, host: head.host, request: head.request)
        self.unwrapping = unwrapping
    }
}
