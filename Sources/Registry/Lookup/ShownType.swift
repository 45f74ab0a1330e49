/// The essence of a media type that a server sent, short enough for a sentence. It is made of token characters only.
struct ShownType: CustomStringConvertible {
    private static let limit = 100
    let description: String

    init(_ mediaType: MediaType?) {
        let essence = mediaType?.essence ?? "no type"
        description = essence.utf8.count > Self.limit ? essence.prefix(Self.limit) + "…" : essence
    }

    init(_ contentType: ContentType) {
        switch contentType {
        case .missing: self.init("a response without Content-Type")
        case .invalid: self.init("a response with an invalid Content-Type")
        case .mediaType(let type): self.init(type)
        }
    }

    private init(_ description: String) { self.description = description }
}
