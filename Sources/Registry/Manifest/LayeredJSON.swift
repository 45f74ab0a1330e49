package import PatchbayJSON

/// A JSON object merged from several manifests. Each manifest is a merge patch (RFC 7396) on the result of the earlier
/// manifests. A `LayeredJSON` remembers the origin of each value.
package struct LayeredJSON: Sendable {
    package struct Origin: Sendable, Hashable {
        package let layer: Int
        package let pointer: String
    }

    package private(set) var json: JSON
    package private(set) var origins: [Origin]

    init() {
        json = [:]
        origins = []
    }

    init(_ patch: JSON, _ origin: Origin) {
        self.init()
        merge(patch, origin)
    }

    /// The origin of the object itself: the first layer that has it.
    package var first: Origin { origins.first ?? Origin(layer: 0, pointer: "") }

    /// Notes that a layer has moved the object without changing it, or removed what earlier layers said.
    mutating func touch(_ origin: Origin) { origins.append(origin) }

    mutating func merge(_ patch: JSON, _ origin: Origin) {
        json = json.mergePatched(by: patch)
        origins.append(origin)
    }

    /// The strings of a list; nil if there is no list.
    package func strings(_ key: String) -> [String]? { json[key]?.array.map { $0.compactMap(\.string) } }

    /// The origin of the value at `path`, a pointer within this object; if no layer has the value, the origin of its
    /// container.
    package func origin(of path: String, in layers: [ManifestLayer]) -> Origin {
        var path = path
        while !path.isEmpty {
            for origin in origins.reversed() {
                let pointer = origin.pointer + path
                if layers[origin.layer].json.pointer(pointer) != nil {
                    return Origin(layer: origin.layer, pointer: pointer)
                }
            }
            let scalars = path.unicodeScalars
            path = String(scalars.prefix(upTo: scalars.lastIndex(of: "/") ?? scalars.startIndex))
        }
        return first
    }
}
