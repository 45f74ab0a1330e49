import PatchbayJSON

/// The values of one entry. Keys that are absent have their defaults.
package struct ManifestEntry: Sendable {
    /// The value of `"wanted"`: the calls that an entry is for.
    package enum Wanted: String, Sendable, Hashable, CaseIterable {
        /// Elements, one by one, or an array of them.
        case elements
    }

    /// Nil without a valid id, because nothing can then refer to the entry.
    var id: String?
    var factory: String?
    var ranges: [MediaRange]?
    var status = StatusSet.any
    var wanted: Wanted?
    var maximumBodyBytes: Int?
    var options: JSON = [:]
    var onFailure = FailureRule.error
    var isOptional = false
    var isEnabled = true
    /// Whether the entry reads responses, and whether it writes request bodies. Nil means that the entry does so if its
    /// serializer can.
    var reads, writes: Bool?
    /// The ids of the entries that this entry hides on purpose.
    var hides: [String] = []

    var coverage: Coverage { Coverage(ranges: ranges, status: status, isForElements: wanted == .elements) }

    /// The reserved words of manifests. No entry can have one of them as its id.
    package static let reservedIDs = ["raw", "error", "sniff", "next", "empty"]

    /// The clause about an entry of a section that only switches off an entry of the global list; nil if it says more.
    static func adviceToLeaveOut(_ json: JSON) -> String? {
        guard let id = json["id"]?.string, json["enabled"]?.bool == false,
            json.object?.allSatisfy({ ["id", "enabled"].contains($0.key) || $0.key.hasPrefix("x-") }) == true
        else { return nil }
        return "\"without\": [\(Quoted(id))] in the section of a host leaves it out there"
    }

    static func isValidID(_ id: String) -> Bool {
        func isPlain(_ byte: UInt8) -> Bool {
            FieldByte.isLetterOrDigit(byte) && FieldByte.lowercased(byte) == byte
        }
        guard let first = id.utf8.first, isPlain(first) else { return false }
        return id.utf8.allSatisfy { isPlain($0) || "._-".utf8.contains($0) }
    }
}

extension ManifestReader {
    /// Reads an entry. A faulty key has its default.
    mutating func entry(_ json: JSON, at pointer: String) -> ManifestEntry {
        var entry = ManifestEntry()
        guard let members = members(of: json, at: pointer, allowing: ManifestKeys.entry) else { return entry }
        entry.id = entryID(members)
        checkPlace(members)
        entry.hides = ids("hides", of: members)
        entry.factory = string("factory", of: members)
        if let match = self.members("match", of: members, allowing: ManifestKeys.match) {
            entry.ranges = ranges("types", of: match)
            entry.status = statuses("status", of: match) ?? entry.status
            entry.wanted = choice("wanted", of: match, as: ManifestEntry.Wanted.self)
        }
        entry.options = options(members) ?? entry.options
        if let limits = self.members("limits", of: members, allowing: ManifestKeys.entryLimits) {
            entry.maximumBodyBytes = byteCount("maxBodyBytes", of: limits)
        }
        entry.onFailure = choice("onFailure", of: members, as: FailureRule.self) ?? entry.onFailure
        entry.isOptional = bool("optional", of: members) ?? entry.isOptional
        entry.isEnabled = bool("enabled", of: members) ?? entry.isEnabled
        entry.reads = bool("reads", of: members)
        entry.writes = bool("writes", of: members)
        return entry
    }

    /// A list of statuses; nil if there is none.
    mutating func statuses(_ key: String, of members: Members, orEmpty: Bool = false) -> StatusSet? {
        guard let list = list(key, of: members, orEmpty: orEmpty) else { return nil }
        var valid: [String] = []
        for (json, pointer) in list {
            if let number = json.int, (try? StatusRange("\(number)")) != nil {
                report(.wrongType, at: pointer, "expected a string, found a number; write \"\(number)\"")
                continue
            }
            guard let notation = text(json, at: pointer) else { continue }
            do throws(PatternFailure) {
                _ = try StatusRange(notation)
                valid.append(notation)
            } catch {
                report(.invalidStatus, at: pointer, error.reason, suggestion: error.suggestion)
            }
        }
        return valid.isEmpty && orEmpty ? StatusSet.none : try? StatusSet(notations: valid)
    }

    /// A list of ids, not longer than the allowed number of entries.
    mutating func ids(_ key: String, of members: Members) -> [String] {
        guard let ids = strings(key, of: members, orEmpty: true) else { return [] }
        if ids.count > Self.maximumEntries {
            report(
                .tooManyEntries, at: members.pointer(to: key),
                "the list has \(ids.count) ids, and \(Self.maximumEntries) are allowed")
        }
        return ids.map(\.text)
    }

    private mutating func entryID(_ members: Members) -> String? {
        guard let id = string("id", of: members) else {
            if !members.has("id") { report(.missingKey, at: members.pointer, "an entry needs the key \"id\"") }
            return nil
        }
        let pointer = members.pointer(to: "id")
        if ManifestEntry.reservedIDs.contains(id) {
            report(
                .reservedID, at: pointer,
                "the id \(Quoted(id)) is a word of the policy and cannot name an entry; take another, such as \"\(id)-entry\""
            )
            return nil
        }
        guard ManifestEntry.isValidID(id) else {
            let plain = id.lowercased()
            report(
                .invalidID, at: pointer,
                "the id \(Quoted(id)) is not made of a-z, 0-9, dot, underscore and hyphen, a letter or digit first",
                suggestion: ManifestEntry.isValidID(plain) ? plain : nil)
            return nil
        }
        return id
    }

    private mutating func ranges(_ key: String, of match: Members) -> [MediaRange]? {
        guard let patterns = strings(key, of: match) else { return nil }
        var ranges: [MediaRange] = []
        for (pattern, pointer) in patterns {
            do throws(PatternFailure) {
                ranges.append(try MediaRange(pattern))
            } catch {
                report(.invalidMediaRange, at: pointer, error.reason, suggestion: error.suggestion)
            }
        }
        return ranges
    }

    /// The options, if they are an object. The factory reads their content.
    private mutating func options(_ members: Members) -> JSON? {
        guard let options = value("options", of: members) else { return nil }
        let isObject = expect(options.kind == .object, "an object", options, at: members.pointer(to: "options"))
        return isObject ? options : Optional.none
    }
}

/// The place of an entry in its list: `"place"` of the manifest.
enum EntryPlace: Sendable {
    case first
    case last
    /// Directly before the entry with this id.
    case before(String)
    /// Directly after the entry with this id.
    case after(String)

    /// Nil for an invalid place, which the reader reports.
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

    /// The id that the place is relative to.
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
            let near = Spelling.nearest(to: word, in: ["first", "last"])
            let advice = near == nil ? "; it can also be { \"before\": id } or { \"after\": id }" : ""
            return report(
                .invalidValue, at: pointer, "\(Quoted(word)) is neither \"first\" nor \"last\"\(advice)",
                suggestion: near)
        }
        guard place.kind == .object else {
            let found = Self.article(place.kind)
            return report(
                .wrongType, at: pointer,
                "expected \"first\", \"last\", { \"before\": id } or { \"after\": id }, found \(found)")
        }
        guard let relative = self.members(of: place, at: pointer, allowing: ManifestKeys.place) else { return }
        switch (relative.has("before"), relative.has("after")) {
        case (true, true):
            report(.conflictingKeys, at: pointer, "an entry is placed before another or after one, not both")
        case (false, false): report(.missingKey, at: pointer, "a place needs the key \"before\" or \"after\"")
        case (true, false): _ = string("before", of: relative)
        case (false, true): _ = string("after", of: relative)
        }
    }
}

/// The consequence if the serializer of an entry throws, or if the body exceeds the limit of the entry: `"onFailure"`
/// of the manifest.
public enum FailureRule: String, Sendable, Hashable, CaseIterable {
    /// The call fails.
    case error
    /// The next entries that cover the response are tried with the same bytes.
    case next
    /// The value is the bytes. A typed call fails, as with `error`.
    case raw
}
