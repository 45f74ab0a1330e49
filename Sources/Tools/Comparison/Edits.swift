package import PatchbayJSON
import PatchbayRegistry

/// A line of a manifest that two tables do not have in common.
package struct Edit: Sendable, Hashable {
    package enum Kind: String, Sendable { case added, removed, changed, moved }

    package let kind: Kind
    /// The host section; nil for the top level.
    package let host: String?
    /// The id of the entry; nil for a key of a section or of the top level.
    package let entry: String?
    /// The key, outermost first: `options`, or `policy` and `limits`. Empty for a whole entry or a whole section.
    package let path: [String]
    /// The value of a key before and after the edit; nil for none.
    package let before: JSON?
    package let after: JSON?
    /// The manifest that says it last, or that said it before it was removed.
    package fileprivate(set) var file = ""
    package fileprivate(set) var line: Int?

    fileprivate init(
        _ kind: Kind, _ host: String?, _ entry: String?, _ path: [String] = [], _ values: [JSON?] = [nil, nil]
    ) {
        (self.kind, self.host, self.entry, self.path) = (kind, host, entry, path)
        (before, after) = (values[0], values[1])
    }

    /// The place of a key in one manifest; nil if the manifest does not say it.
    fileprivate func pointer(of path: [String], in json: JSON) -> String? {
        var pointer = ""
        if let host {
            let name = json["hosts"]?.object?.first { (try? SectionKey(pattern: $0.key))?.canonical == host }?.key
            guard let name else { return nil }
            pointer = "/hosts/" + JSONPointer.escaped(name)
        }
        if let entry {
            let order = json.pointer(pointer + "/order")?.array?.firstIndex { $0.string == entry }
            if kind == .moved, let order { return "\(pointer)/order/\(order)" }
            let index = json.pointer(pointer + "/plugins")?.array?.firstIndex { $0["id"]?.string == entry }
            guard let index else { return nil }
            pointer += "/plugins/\(index)"
            if kind == .moved, json.pointer(pointer + "/place") != nil { return pointer + "/place" }
        }
        for key in path { pointer += "/" + JSONPointer.escaped(key) }
        return json.pointer(pointer) == nil ? nil : pointer
    }
}

/// The edits between the manifests of two registries, and which of them made a change.
struct Edits {
    private let sides: [SerializerRegistry]
    private(set) var all: [Edit] = []

    init(_ before: SerializerRegistry, _ after: SerializerRegistry) {
        sides = [before, after]
        compare(sides.map(\.effectiveManifest), host: nil)
        let hosts = sides.map { $0.effectiveManifest["hosts"] }
        for pattern in Self.keys(hosts) {
            let sections = hosts.map { $0?[pattern] }
            if let kind = Self.kind(sections), kind != .changed { add(Edit(kind, pattern, nil)) }
            compare(sections, host: pattern)
        }
        all.sort { ($0.file, $0.line ?? .max) < ($1.file, $1.line ?? .max) }
    }

    /// The keys of both objects, each once.
    private static func keys(_ objects: [JSON?]) -> [String] {
        objects.flatMap { $0?.object?.map(\.key) ?? [] }.once(by: \.self)
    }

    /// Nil if the values are equal.
    private static func kind(_ values: [JSON?]) -> Edit.Kind? {
        if values[0] == values[1] { return nil }
        return values[0] == nil ? .added : values[1] == nil ? .removed : .changed
    }

    private mutating func compare(_ objects: [JSON?], host: String?) {
        for key in Self.keys(objects) {
            let values = objects.map { $0?[key] }
            switch key {
            case "hosts", "hides": break
            case "plugins": compareEntries(values.map { $0?.array ?? [] }, host)
            case "policy", "aliases": compareKeys(values, host, nil, [key])
            default: if let kind = Self.kind(values) { add(Edit(kind, host, nil, [key], values)) }
            }
        }
    }

    private mutating func compareKeys(_ objects: [JSON?], _ host: String?, _ entry: String?, _ path: [String] = []) {
        for key in Self.keys(objects) where key != "hides" {
            let values = objects.map { $0?[key] }
            if let kind = Self.kind(values) { add(Edit(kind, host, entry, path + [key], values)) }
        }
    }

    private mutating func compareEntries(_ lists: [[JSON]], _ host: String?) {
        let byID = lists.map { Dictionary($0.map { ($0["id"]?.string ?? "", $0) }) { first, _ in first } }
        let ids = lists.map { $0.map { $0["id"]?.string ?? "" } }
        for change in ids[1].difference(from: ids[0]).inferringMoves() {
            switch change {
            case .insert(_, let id, let old): add(Edit(old == nil ? .added : .moved, host, id))
            case .remove(_, let id, nil): add(Edit(.removed, host, id))
            case .remove: break
            }
        }
        for id in ids[1] {
            if let old = byID[0][id], let new = byID[1][id] { compareKeys([old, new], host, id) }
        }
    }

    private mutating func add(_ edit: Edit) {
        var edit = edit
        let layers = [sides[1], sides[0]].flatMap { $0.compiled.recipe.layers.inForce.reversed() }
        // An order of own and extended entries is a `use` in the merged manifest.
        let places = [edit.path, ["order"], []].lazy.flatMap { path in
            layers.lazy.compactMap { layer in edit.pointer(of: path, in: layer.json).map { (layer, $0) } }
        }
        if let (layer, pointer) = places.first {
            edit.file = layer.source.name
            if !pointer.isEmpty, all.count < ManifestLayer.maximumLines { edit.line = layer.line(of: pointer) }
        }
        all.append(edit)
    }

    // MARK: Causes

    /// The indices of the edits that explain a change for hosts with these sections: one edit, or those of which each
    /// can have a part in it.
    func causes(of change: RegistryChange, _ sections: [HostSection], _ types: TypeClasses) -> [Int] {
        let found: [Int]
        var choices = choices(sections) { _ in true }
        switch change.aspect {
        case .entries, .writers:
            let contentType = change.types.first.map { types.all[$0].contentType } ?? .missing
            choices = self.choices(sections) { isAsked($0, change, contentType) }
            let aliases = indices { $0.path == ["aliases", contentType.mediaType?.essence ?? ""] }
            found =
                aliases.isEmpty
                ? change.parting.map { causes(of: $0, contentType, sections, choices) } ?? [] : aliases + choices
        case .accept: found = causesOfAccept(sections) + choices
        default: found = policy([change.aspect.rawValue], sections)
        }
        let names = Self.names(sections)
        let section = indices { $0.entry == nil && $0.path.isEmpty && $0.host.map(names.contains) ?? false }
        return [found.sorted(), choices, section].first { !$0.isEmpty } ?? Array(all.indices)
    }

    private func indices(_ isMeant: (Edit) -> Bool) -> [Int] { all.indices.filter { isMeant(all[$0]) } }

    /// The edits of an entry that decide what it takes, and its moves.
    private func coverage(_ id: String?) -> [Int] {
        let keys: Set = ["match", "enabled", "reads", "writes", "factory", "optional"]
        return indices { $0.entry == id && id != nil && $0.kind != .moved && $0.path.first.map(keys.contains) ?? true }
    }

    private func moves(_ ids: [String?]) -> [Int] { indices { $0.kind == .moved && ids.contains($0.entry) } }

    /// The names of the sections, and of those that a section with a path adds to.
    private static func names(_ sections: [HostSection]) -> [String] {
        let keys = sections.compactMap(\.pattern)
        return keys.map(\.canonical) + keys.map(\.host.canonical)
    }

    /// The edits that choose the entries of a host. One of `without` is among them only if it adds or removes an entry
    /// that counts.
    private func choices(_ sections: [HostSection], _ counts: (String) -> Bool) -> [Int] {
        let keys: Set = ["use", "inherit", "extends", "without", "order"]
        let names = Self.names(sections)
        return indices { edit in
            guard edit.entry == nil, let key = edit.path.first, let host = edit.host else { return false }
            return keys.contains(key) && names.contains(host)
                && (key != "without" || leftOut(host).contains(where: counts))
        }
    }

    /// The ids that the section of a host leaves out in one of the registries only.
    private func leftOut(_ host: String) -> Set<String> {
        let lists = sides.map { side in
            Set(side.effectiveManifest["hosts"]?[host]?["without"]?.array?.compactMap(\.string) ?? [])
        }
        return lists[0].symmetricDifference(lists[1])
    }

    /// Whether an entry can have a part in a change: it is asked, or it covers the example.
    private func isAsked(_ id: String, _ change: RegistryChange, _ contentType: ContentType) -> Bool {
        let steps = [change.before, change.after].compactMap(\.answer).flatMap(\.steps)
        return steps.contains { $0.entry.id == id }
            || sides.contains { side in
                guard let coverage = side.compiled.entries[id]?.coverage else { return false }
                return coverage.coversType(side.compiled.matched(contentType))
                    && (change.statuses.isEmpty || coverage.status.contains(change.statuses.witness))
            }
    }

    /// The edits of a policy; those of the section hide those of the top level.
    private func policy(_ keys: [String], _ sections: [HostSection]) -> [Int] {
        let found = indices { $0.path.first == "policy" && keys.contains($0.path[1]) }
        let hosts = Self.names(sections).map(Optional.some) + [nil]
        return hosts.lazy.map { host in found.filter { all[$0].host == host } }.first { !$0.isEmpty } ?? []
    }

    private func causes(
        of parting: Answer.Parting, _ contentType: ContentType, _ sections: [HostSection], _ choices: [Int]
    ) -> [Int] {
        let ids = [parting.before, parting.after]
        if ids[0] == ids[1], let id = ids[0] {
            let found = indices { $0.entry == id && $0.path.first.map(parting.keys.contains) ?? false }
            return found.isEmpty ? coverage(id) : found
        }
        func place(_ id: String?, _ side: Int) -> Int? {
            sections[side].table.entries.firstIndex { $0.id == id && $0.availability != .switchedOff }
        }
        // An entry that does not cover the type is named by a policy, and a policy makes the end of an answer.
        let isNamed = zip(sides, ids).map { side, id in
            let entry = id.flatMap { side.compiled.entries[$0] }
            return !(entry?.coverage.coversType(side.compiled.matched(contentType)) ?? true)
        }
        if isNamed.contains(true) || ids == [nil, nil] {
            let key = contentType == .missing ? "missingContentType" : "invalidContentType"
            let found = policy(contentType.mediaType == nil ? [key, "noMatch"] : ["noMatch"], sections)
            if !found.isEmpty { return found }
        }
        let (old, new) = (ids.map { place($0, 0) }, ids.map { place($0, 1) })
        // Whether the new entry comes before the old one, which may still cover the response.
        let isTaken = new[0].flatMap { old in new[1].map { $0 < old } } ?? false
        let order = isTaken ? [1, 0] : [0, 1]
        for index in order where (old[index] == nil) != (new[index] == nil) {
            let found = indices {
                $0.entry == ids[index] && ($0.path.isEmpty || $0.path == ["enabled"]) && $0.kind != .moved
            }
            if !(found + choices).isEmpty { return found + choices }
        }
        if isTaken, let first = old[0], let second = old[1], first < second {
            let found = moves(ids) + choices
            if !found.isEmpty { return found }
        }
        return order.lazy.map { coverage(ids[$0]) }.first { !$0.isEmpty } ?? moves(ids)
    }

    /// Every edit that can change the Accept of a host, but its choice of entries: one field has a part of each.
    private func causesOfAccept(_ sections: [HostSection]) -> [Int] {
        let ids = Set(sections.flatMap(\.table.entries).map(\.id))
        let rules = ["accept", "noMatch", "acceptableStatus"].flatMap { policy([$0], sections) }
        return rules + moves(Array(ids)) + ids.flatMap(coverage).filter { all[$0].path.first != "writes" }
    }
}
