import PatchbayRegistry

/// Which bytes of the whole a response of status 206 holds (RFC 9110, section 14.4).
struct ContentRange: Hashable {
    let first: Int
    let last: Int
    /// The length of the whole; nil where the server does not say.
    let complete: Int?

    /// Nil unless there is one field that is `bytes first-last/complete` in good order.
    init?(_ fields: HeaderFields) {
        let values = fields.values(for: "Content-Range")
        guard values.count == 1, let words = values.first?.split(separator: " "), words.count == 2,
            words[0].lowercased() == "bytes"
        else { return nil }
        let halves = words[1].split(separator: "/", omittingEmptySubsequences: false)
        guard halves.count == 2 else { return nil }
        let ends = halves[0].split(separator: "-", omittingEmptySubsequences: false).compactMap(Self.number)
        guard ends.count == 2, ends[0] <= ends[1] else { return nil }
        (first, last) = (ends[0], ends[1])
        guard halves[1] != "*" else {
            complete = nil
            return
        }
        guard let length = Self.number(halves[1]), last < length else { return nil }
        complete = length
    }

    private static func number(_ text: Substring) -> Int? {
        text.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Int(text) : nil
    }
}
