/// Which responses an entry covers, and of which calls: media types, statuses and what is wanted, all of which must hold.
struct Coverage: Sendable {
    /// Any one of these; nil covers every response, also one whose type is missing or invalid.
    let ranges: [MediaRange]?
    let status: StatusSet
    /// Whether elements, or an array of them, have to be wanted.
    var isForElements = false

    func coversWish(_ wanted: WantedValue) -> Bool { !isForElements || wanted.isOfElements }

    func coversType(_ mediaType: MediaType?) -> Bool {
        guard let ranges else { return true }
        guard let mediaType else { return false }
        return ranges.contains { $0.matches(mediaType) }
    }

    /// Whether every response that the other one covers is covered by this one. One that is for elements and one that is not are two
    /// things: neither stands in the way of the other.
    func covers(_ other: Coverage) -> Bool {
        guard isForElements == other.isForElements, status.covers(other.status) else { return false }
        guard let ranges else { return true }
        guard let others = other.ranges else { return false }
        return ranges.covers(others)
    }

    /// Why a status is not covered.
    func statusGap(_ code: Int) -> String { "status \(code) is outside \(status)" }

    /// Why a type is not covered.
    func typeGap(_ contentType: ContentType, seenAs mediaType: MediaType?) -> String {
        let asked = QuotedList((ranges ?? []).map(\.description), quoted: false)
        switch contentType {
        case .missing: return "there is no Content-Type, and it asks for \(asked)"
        case .invalid: return "the Content-Type is invalid, and it asks for \(asked)"
        case .mediaType: return "\(ShownType(mediaType)) is outside \(asked)"
        }
    }
}
