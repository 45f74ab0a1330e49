import PatchbayRegistry

/// One acceptable media type of a validator: Alamofire's four notations, where the registry's ranges have no `*/subtype`.
struct AcceptableType: Sendable {
    /// Nil where it is not `type/subtype`: it matches nothing.
    private let parts: (type: String, subtype: String)?

    init(_ text: String) {
        let essence = text.prefix { $0 != ";" }.lowercased().split(separator: "/", omittingEmptySubsequences: false)
            .map { $0.drop(while: Self.isBlank).reversed().drop(while: Self.isBlank).reversed() }.map { String($0) }
        parts = essence.count == 2 && !essence.contains("") ? (essence[0], essence[1]) : nil
    }

    var isAny: Bool { parts.map { $0 == ("*", "*") } ?? false }

    func matches(_ mediaType: MediaType) -> Bool {
        guard let parts else { return false }
        return (parts.type == "*" || parts.type == mediaType.type)
            && (parts.subtype == "*" || parts.subtype == mediaType.subtype)
    }

    private static func isBlank(_ character: Character) -> Bool { character == " " || character == "\t" }
}
