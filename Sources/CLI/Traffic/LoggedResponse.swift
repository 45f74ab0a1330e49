import Patchbay
import PatchbayPlatform
import PatchbayTools

/// One line of a traffic log: the head of a response, the call, and what became of it.
struct LoggedResponse {
    let head: ResponseHead
    let host: String
    /// The wanted type, by the name of a `Capability`.
    let wanted: String
    let isOverridden: Bool
    /// The bytes of its body; those of another line of the kind are on the same side of all limits.
    let bytes: Int
    let outcome: Decision.Outcome
    let entry: String?
    /// All entries that were asked, with `entry` at the end.
    let entries: [String]
    /// The entry that wrote the body of the request, and the media type; nil if none did.
    let writer: String?
    let written: ContentType?

    /// Nil if a member is missing, or is not what the format says.
    /// - Parameter url: the URL of the line, as far as tables look at it.
    init?(_ line: JSON, at url: String) {
        func texts(_ key: String, of object: JSON? = nil) -> [String]? {
            guard let value = (object ?? line)[key] else { return [] }
            return value.string.map { [$0] }
                ?? value.array.flatMap { list in
                    let texts = list.compactMap(\.string)
                    return texts.count == list.count ? texts : nil
                }
        }
        guard let url = URL(string: url), let host = CanonicalHost(url: url), let method = line["method"]?.string,
            let wanted = line["wanted"]?.string,
            let status = line["status"]?.int, 100...999 ~= status, let types = texts("type"),
            let entry = texts("entry"), let asked = texts("asked"), let written = texts("type", of: line["written"]),
            let bytes = line["bytes"]?.int, bytes >= 0,
            let outcome = line["outcome"]?.string.flatMap(Decision.Outcome.init)
        else { return nil }
        let fields = HeaderFields(types.map { ("Content-Type", $0) })
        head = ResponseHead(
            status: status, fields: fields, url: url, host: host, request: RequestHead(method: method, url: url))
        self.host = host.description
        (self.wanted, self.bytes, self.outcome) = (wanted, bytes, outcome)
        (self.entry, entries, isOverridden) = (entry.first, asked + entry, line["override"]?.bool ?? false)
        writer = line["written"]?["entry"]?.string
        self.written = writer.map { _ in ContentType(rawValues: written) }
    }

    /// The media type of the response or of the request's body, or words for a missing or invalid one. With its parameters
    /// only if a class of the type has some.
    func type(ofRequest: Bool, among classes: TypeClasses) -> String {
        let type = ofRequest ? written ?? .missing : head.contentType
        guard let mediaType = type.mediaType else { return type.description }
        let hasClasses = classes.all.contains { $0.name.hasPrefix("\(mediaType.essence);") }
        let shown = hasClasses ? TerminalText.line("\(mediaType)") : "\(ShownType(mediaType))"
        return shown.count > 100 ? "\(shown.prefix(100))…" : shown
    }

    func looks(like other: LoggedResponse) -> Bool {
        (head.status, wanted, host, head.contentType) == (
            other.head.status, other.wanted, other.host, other.head.contentType
        )
    }
}
