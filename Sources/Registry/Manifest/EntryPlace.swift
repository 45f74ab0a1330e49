import PatchbayJSON

/// Where an entry goes within its list: `"place"` of the manifest.
enum EntryPlace: Sendable {
    case first
    case last
    /// Directly before the entry of this id.
    case before(String)
    /// Directly behind it.
    case after(String)

    /// Nil for what is no place, which the reader reports.
    init?(_ json: JSON?) {
        guard let json else { return nil }
        switch (json.string, json["before"]?.string, json["after"]?.string) {
        case ("first", _, _): self = .first
        case ("last", _, _): self = .last
        case (nil, let id?, nil): self = .before(id)
        case (nil, nil, let id?): self = .after(id)
        default: return nil
        }
    }

    /// The entry that it is relative to.
    var anchor: String? {
        switch self {
        case .first, .last: nil
        case .before(let id), .after(let id): id
        }
    }
}

extension ManifestReader {
    mutating func checkPlace(_ members: Members) {
        guard acts("place", in: members), let place = value("place", of: members) else { return }
        let pointer = members.pointer(to: "place")
        if let word = place.string {
            guard EntryPlace(place) == nil else { return }
            return report(
                .invalidValue, at: pointer, "\(Quoted(word)) is neither \"first\" nor \"last\"",
                suggestion: Spelling.nearest(to: word, in: ["first", "last"]))
        }
        guard place.kind == .object else {
            let found = Self.article(place.kind)
            return report(
                .wrongType, at: pointer,
                "expected \"first\", \"last\", { \"before\": id } or { \"after\": id }, found \(found)")
        }
        guard let relative = self.members(of: place, at: pointer, allowing: .place) else { return }
        switch (relative.has("before"), relative.has("after")) {
        case (true, true):
            report(.conflictingKeys, at: pointer, "an entry is placed before another or after one, not both")
        case (false, false): report(.missingKey, at: pointer, "a place needs the key \"before\" or \"after\"")
        case (true, false): _ = string("before", of: relative)
        case (false, true): _ = string("after", of: relative)
        }
    }
}
