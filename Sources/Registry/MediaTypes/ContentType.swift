/// What the Content-Type fields of a response say.
public enum ContentType: Sendable, Hashable {
    /// There is no Content-Type field.
    case missing
    /// There are fields, but no media type can be extracted from them.
    case invalid
    case mediaType(MediaType)

    init(_ fields: HeaderFields) { self = .missing }

    public var mediaType: MediaType? {
        if case .mediaType(let type) = self { type } else { nil }
    }
}
