import PatchbayJSON

/// What several manifests say together.
///
/// Entries merge by id within their list. An id that is new goes before the entries of earlier layers, and new ids keep their
/// own order. Host sections merge by canonical pattern. Under a manifest that is the whole table nothing counts. What is malformed
/// is left out: the layers have reported it.
struct EffectiveManifest: Sendable {
    /// One entry of a list.
    struct Entry: Sendable {
        let id: String
        var value: LayeredJSON
    }

    /// The section of one host pattern.
    struct Section: Sendable {
        let pattern: HostPattern
        /// `use`, `inherit` and `policy`.
        var settings = LayeredJSON()
        var entries: [Entry] = []
    }

    private(set) var policy = LayeredJSON()
    private(set) var aliases = LayeredJSON()
    private(set) var entries: [Entry] = []
    private(set) var sections: [Section] = []

    init(_ layers: [ManifestLayer]) {
        let lowest = layers.lastIndex(where: \.isWholeTable) ?? 0
        for (index, layer) in layers.enumerated().dropFirst(lowest) { merge(layer.json, layer: index) }
        sections.sort { $0.pattern.canonical < $1.pattern.canonical }
    }

    private mutating func merge(_ json: JSON, layer: Int) {
        Self.merge(json["policy"], into: &policy, .init(layer: layer, pointer: "/policy"))
        Self.merge(json["aliases"], into: &aliases, .init(layer: layer, pointer: "/aliases"))
        Self.merge(json["plugins"], into: &entries, .init(layer: layer, pointer: "/plugins"))
        guard let hosts = json["hosts"] else { return }
        if hosts.isNull { sections = [] }
        for (name, section) in hosts.object.map(Array.init) ?? [] {
            guard let pattern = try? HostPattern(name) else { continue }
            merge(section, of: pattern, .init(layer: layer, pointer: "/hosts/" + JSONPointer.escaped(name)))
        }
    }

    private mutating func merge(_ json: JSON, of pattern: HostPattern, _ origin: LayeredJSON.Origin) {
        let index = sections.firstIndex { $0.pattern == pattern }
        if json.isNull {
            if let index { sections.remove(at: index) }
            return
        }
        guard json.kind == .object else { return }
        var section = index.map { sections[$0] } ?? Section(pattern: pattern)
        section.settings.merge(json, origin)
        let list = LayeredJSON.Origin(layer: origin.layer, pointer: origin.pointer + "/plugins")
        Self.merge(json["plugins"], into: &section.entries, list)
        if let index { sections[index] = section } else { sections.append(section) }
    }

    private static func merge(_ list: JSON?, into entries: inout [Entry], _ origin: LayeredJSON.Origin) {
        guard let list else { return }
        if list.isNull { entries = [] }
        var places = Dictionary(entries.enumerated().map { ($1.id, $0) }) { first, _ in first }
        var new: [Entry] = []
        for (index, patch) in (list.array ?? []).enumerated() {
            guard let id = patch["id"]?.string, ManifestEntry.isValidID(id) else { continue }
            let origin = LayeredJSON.Origin(layer: origin.layer, pointer: "\(origin.pointer)/\(index)")
            if let place = places[id] {
                if entries.indices.contains(place) { entries[place].value.merge(patch, origin) }
            } else {
                places[id] = .max
                new.append(Entry(id: id, value: LayeredJSON(patch, origin)))
            }
        }
        entries = new + entries
    }

    private static func merge(_ patch: JSON?, into value: inout LayeredJSON, _ origin: LayeredJSON.Origin) {
        guard let patch else { return }
        if patch.isNull { value = LayeredJSON() }
        if patch.kind == .object { value.merge(patch, origin) }
    }
}
