package import PatchbayJSON
package import PatchbayPlatform

/// A key of an entry or of a policy, with its value and the manifest that said or removed it last.
package struct SaidKey: Sendable, Hashable {
    /// The path of the key: `match.types`, `options.keys`, `policy.limits.maxBodyBytes`.
    package let key: String
    /// Null if the manifest removed the key.
    package let value: JSON
    /// The name of the manifest, or of the call in code.
    package let file: String
    /// The JSON pointer (RFC 6901) of the value in `file`.
    package let pointer: String
    /// The line of the value, from 1; nil for a call in code.
    package fileprivate(set) var line: Int?
    fileprivate let layer: Int

    /// `Plugins.json:12`; the file alone without a line.
    package var place: String { ManifestFailure.Issue.place(file, line) }

    package var isRemoved: Bool { value.isNull }
}

extension SerializerRegistry {
    /// The keys of an entry that manifests say, those that a null removed, and `place` or `order` for the last move;
    /// empty for an unknown id. An entry that is switched off has its keys, too.
    package func provenance(ofEntry id: String) -> [SaidKey] { provenance(ofEntries: [id]).first ?? [] }

    /// The keys of several entries, as `provenance(ofEntry:)` gives them. Each manifest is read once.
    package func provenance(ofEntries ids: [String]) -> [[SaidKey]] {
        let layers = compiled.recipe.layers
        let entries = EffectiveManifest(layers).everyEntry
        let values = Dictionary(entries.map { ($0.id, $0.value) }) { first, _ in first }
        let keys = ids.map { id -> [SaidKey] in
            guard let value = values[id] else { return [] }
            let move = value.origins.reversed().lazy.compactMap(layers.move).first
            return layers.keys(of: value).filter { $0.key != "id" } + (move.map { [layers.key(ofMove: $0)] } ?? [])
        }
        var lined = layers.lined(keys.flatMap(\.self))[...]
        return keys.map { list in
            defer { lined = lined.dropFirst(list.count) }
            return Array(lined.prefix(list.count))
        }
    }

    /// The keys of the policy and the limits of a host that manifests say, and those that a null removed. With a URL, of
    /// its path. Where a section removed a key, the key of the general policy stays, too.
    package func provenance(ofPolicyFor host: CanonicalHost?, at url: URL? = nil) -> [SaidKey] {
        let layers = compiled.recipe.layers
        let manifest = EffectiveManifest(layers)
        let said = sections(for: host, at: url, in: manifest)
        let extended = said.first.flatMap(manifest.section(extendedBy:)).map {
            layers.keys(of: $0.settings, under: "policy")
        }
        let all =
            [
                layers.keys(of: manifest.policy, as: "policy"),
                (extended ?? []).filter { $0.key == "policy.requestContentType" },
            ] + said.map { layers.keys(of: $0.settings, under: "policy") }
        var keys: [SaidKey] = []
        for said in all.joined() {
            keys.removeAll { $0.key == said.key && ($0.isRemoved || !said.isRemoved) }
            keys.append(said)
        }
        return layers.lined(keys)
    }

    /// The entries that the section of a host leaves out by `without`: the id is the value.
    package func provenance(ofLeftOutFor host: CanonicalHost?, at url: URL? = nil) -> [SaidKey] {
        let layers = compiled.recipe.layers
        let table = section(for: host, at: url).table
        let keys = sections(for: host, at: url, in: EffectiveManifest(layers)).flatMap { section -> [SaidKey] in
            let list = section.settings.origin(of: "/without", in: layers)
            return (section.strings("without") ?? []).enumerated().compactMap { index, id in
                table.entry(id) != nil
                    ? nil
                    : layers.key("without", JSON(id), .init(layer: list.layer, pointer: "\(list.pointer)/\(index)"))
            }
        }
        return layers.lined(keys)
    }

    /// The sections of a manifest that make that of a host: for a path also the host's section, which is first.
    private func sections(
        for host: CanonicalHost?, at url: URL?, in manifest: EffectiveManifest
    ) -> [EffectiveManifest.Section] {
        // A replacement in code can have a pattern without a section in a manifest.
        let own = compiled.sections.section(for: host, at: url).pattern.flatMap { pattern in
            manifest.section(pattern)
                ?? pattern.narrowestOther(manifest.sections) { $0.pattern }
        }
        return own.map { [manifest.hostSection(under: $0), $0].compactMap(\.self) } ?? []
    }
}

extension [ManifestLayer] {
    /// The value with which a layer moves an entry: in an `order`, or in the entry's `place`.
    ///
    /// - Parameter origin: an origin of the entry.
    package func move(_ origin: LayeredJSON.Origin) -> LayeredJSON.Origin? {
        order(origin) == nil ? placed(origin) : origin
    }

    package func placed(_ origin: LayeredJSON.Origin) -> LayeredJSON.Origin? {
        let pointer = origin.pointer + "/place"
        guard self[origin.layer].json.pointer(pointer) != nil else { return nil }
        return LayeredJSON.Origin(layer: origin.layer, pointer: pointer)
    }

    /// The list of an `order` that contains the value at `origin`; nil if `origin` is not in an `order`.
    package func order(_ origin: LayeredJSON.Origin) -> JSON? {
        let list = String(origin.pointer.prefix(upTo: origin.pointer.lastIndex(of: "/") ?? origin.pointer.startIndex))
        return list.hasSuffix("/order") ? self[origin.layer].json.pointer(list) : nil
    }

    fileprivate func key(ofMove origin: LayeredJSON.Origin) -> SaidKey {
        order(origin).map { key("order", $0, origin) }
            ?? key("place", self[origin.layer].json.pointer(origin.pointer) ?? .null, origin)
    }

    fileprivate func key(_ key: String, _ value: JSON, _ origin: LayeredJSON.Origin) -> SaidKey {
        SaidKey(
            key: key, value: value, file: self[origin.layer].source.name, pointer: origin.pointer, line: nil,
            layer: origin.layer)
    }

    /// The keys of a value, or of one object in it, without lines, and those that a null removed. Instead of an object,
    /// its keys are listed.
    ///
    /// The limits of a manifest bound the recursion.
    /// - Parameter name: the name of the value, which its keys begin with; by default that of the object.
    fileprivate func keys(of value: LayeredJSON, under key: String? = nil, as name: String? = nil) -> [SaidKey] {
        typealias Leaf = (path: String, name: String?, json: JSON)
        func leaves(_ json: JSON?, _ path: String, _ name: String?) -> [Leaf] {
            guard let object = json?.object else { return json.map { [(path, name, $0)] } ?? [] }
            return object.flatMap { key, json -> [Leaf] in
                let isNote = key.hasPrefix("x-") && name?.hasPrefix("options") != true
                let inner = (name.map { $0 + "." } ?? "") + key
                return isNote ? [] : leaves(json, "\(path)/\(JSONPointer.escaped(key))", inner)
            }
        }
        func isRemoved(_ path: String) -> Bool {
            guard let slash = path.lastIndex(of: "/") else { return value.json.count == 0 }
            return value.json.pointer(String(path[..<slash]))?.kind == .object && value.json.pointer(path) == nil
                && value.origins.contains { self[$0.layer].json.pointer($0.pointer + path)?.isNull == false }
        }
        let (path, name) = (key.map { "/\($0)" } ?? "", key ?? name)
        var removed: Set<String> = []
        let nulls = value.origins.flatMap { leaves(self[$0.layer].json.pointer($0.pointer + path), path, name) }
            .filter { $0.json.isNull && isRemoved($0.path) && removed.insert($0.path).inserted }
        return (leaves(value.json.pointer(path), path, name) + nulls).map {
            self.key($0.name ?? "", $0.json, value.origin(of: $0.path, in: self))
        }
    }

    /// The keys with their lines.
    fileprivate func lined(_ keys: [SaidKey]) -> [SaidKey] {
        var keys = keys
        for (number, layer) in enumerated() where layer.isText {
            let indices = keys.indices.filter { keys[$0].layer == number }
            guard !indices.isEmpty else { continue }
            let lines = JSON.lines(of: indices.map { keys[$0].pointer }, in: layer.source.bytes)
            for (index, line) in zip(indices, lines) { keys[index].line = line }
        }
        return keys
    }
}
