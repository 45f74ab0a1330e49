/// What one manifest says of a value: a change for each key that it has, read once.
///
/// Patches merge key by key, as the texts do that they were read from (RFC 7396), so that what several manifests say together is
/// known without reading any of them again.
struct Patch<Value: Sendable>: Sendable {
    typealias Change = @Sendable (inout Value) -> Void

    /// By key; nil where the key takes away what an earlier manifest says, as one does whose value is faulty.
    private var changes: [String: Change?] = [:]
    /// Whether the whole takes away what earlier manifests say.
    private let isRemoval: Bool

    init(isRemoval: Bool = false) { self.isRemoval = isRemoval }

    mutating func set(_ key: String, _ change: Change?) { changes[key] = .some(change) }

    /// Lays a later manifest's over this one.
    mutating func merge(_ later: Patch) {
        if later.isRemoval { changes = [:] }
        changes.merge(later.changes) { $1 }
    }

    /// What becomes of a value; each key changes a part of its own.
    func applied(to value: Value) -> Value {
        changes.values.reduce(into: value) { value, change in change?(&value) }
    }
}

/// What one manifest says in types, each by the pointer of its object.
struct ManifestValues: Sendable {
    var policies: [String: Patch<SerializerRegistry.Policy>] = [:]
    var aliases: [String: Patch<[String: MediaType]>] = [:]
    var entries: [String: Patch<ManifestEntry>] = [:]
}

extension [ManifestLayer] {
    /// What the layers say together of an object, where `standard` holds without them.
    ///
    /// - Parameter path: where in the object the value is.
    func value<Value: Sendable>(
        _ values: KeyPath<ManifestValues, [String: Patch<Value>]>, of object: LayeredJSON, at path: String = "",
        over standard: Value
    ) -> Value {
        var patch = Patch<Value>()
        for origin in object.origins {
            if let later = self[origin.layer].values[keyPath: values][origin.pointer + path] { patch.merge(later) }
        }
        return patch.applied(to: standard)
    }
}
