import PatchbayJSON

/// What the manifest says of one entry.
struct ManifestEntry: Sendable {
    var id: String
    var factory: String?
    var coverage: Coverage
    var options: JSON
    var maximumBodyBytes: Int?
    var onFailure: FailureRule
    var isOptional: Bool
    var isEnabled: Bool

    /// Words that policies use where an id may stand.
    static let reservedIDs = ["raw", "error", "sniff", "next", "empty"]

    static func isValidID(_ id: String) -> Bool {
        func isPlain(_ byte: UInt8) -> Bool {
            (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
                || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
        }
        guard let first = id.utf8.first, isPlain(first) else { return false }
        return id.utf8.allSatisfy {
            isPlain($0) || [UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-")].contains($0)
        }
    }
}

extension ManifestReader {
    /// Reads an entry; nil where it has no valid id, without which nothing can refer to it.
    mutating func entry(_ json: JSON, at pointer: String) -> ManifestEntry? {
        guard let members = members(of: json, at: pointer, allowing: .entry) else { return nil }
        let id = entryID(members)
        checkPlace(members)
        _ = ids("hides", of: members)
        let entry = ManifestEntry(
            id: id ?? "",
            factory: string("factory", of: members),
            coverage: coverage(members),
            options: options(members),
            maximumBodyBytes: limit(members),
            onFailure: choice("onFailure", of: members, as: FailureRule.self) ?? .error,
            isOptional: bool("optional", of: members) ?? false,
            isEnabled: bool("enabled", of: members) ?? true)
        return id == nil ? nil : entry
    }

    /// `"limits": { "maxBodyBytes": … }`, of an entry or a policy.
    mutating func limit(_ members: Members) -> Int? {
        guard let limits = value("limits", of: members),
            let limits = self.members(of: limits, at: members.pointer(to: "limits"), allowing: .limits)
        else { return nil }
        return byteCount("maxBodyBytes", of: limits)
    }

    /// A list of statuses; nil where there is none.
    mutating func statuses(_ key: String, of members: Members, orEmpty: Bool = false) -> StatusSet? {
        guard let notations = strings(key, of: members, orEmpty: orEmpty) else { return nil }
        var valid: [String] = []
        for (notation, pointer) in notations {
            do throws(PatternError) {
                _ = try StatusRange(notation)
                valid.append(notation)
            } catch {
                report(.invalidStatus, at: pointer, error.reason, suggestion: error.suggestion)
            }
        }
        return valid.isEmpty && orEmpty ? StatusSet.none : try? StatusSet(valid)
    }

    /// A list of ids, of which there are no more than entries.
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
            report(.reservedID, at: pointer, "the id \(Quoted(id)) is a word of the policy and cannot name an entry")
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

    private mutating func coverage(_ members: Members) -> Coverage {
        guard let match = value("match", of: members),
            let match = self.members(of: match, at: members.pointer(to: "match"), allowing: .match)
        else { return Coverage(ranges: nil, status: .any) }
        return Coverage(ranges: ranges(match), status: statuses("status", of: match) ?? .any)
    }

    private mutating func ranges(_ match: Members) -> [MediaRange]? {
        guard let patterns = strings("types", of: match) else { return nil }
        var ranges: [MediaRange] = []
        for (pattern, pointer) in patterns {
            do throws(PatternError) {
                ranges.append(try MediaRange(pattern))
            } catch {
                report(.invalidMediaRange, at: pointer, error.reason, suggestion: error.suggestion)
            }
        }
        return ranges
    }

    private mutating func options(_ members: Members) -> JSON {
        guard let options = value("options", of: members) else { return [:] }
        if options.kind != .object {
            let found = Self.article(options.kind)
            report(.wrongType, at: members.pointer(to: "options"), "expected an object, found \(found)")
            return [:]
        }
        return options
    }
}
