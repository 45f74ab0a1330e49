package import PatchbayJSON
import PatchbayPlatform

/// One manifest that is valid JSON: the first manifest, or a manifest over the earlier ones.
package struct ManifestLayer: Sendable {
    package let source: ManifestText
    package let json: JSON
    /// The policies, aliases and entries of the manifest, decoded when the layer is made.
    let values: ManifestValues
    /// Whether a reload replaces the layer: true for manifests over the built-in table, false for the built-in table
    /// and for layers of code.
    var isReloadable = false
    /// Whether a person wrote the text, so that line numbers are useful.
    let isText: Bool

    /// The limit of nested containers: far more than a manifest needs, with room for options.
    private static let maximumDepth = 64

    /// The limit of faults with a line number. Each line number costs another parse of the text.
    package static let maximumLines = 200

    /// Reads the source and adds all faults to `issues`; nil if the source is not JSON or is too large.
    init?(_ source: ManifestText, isOverlay: Bool, _ issues: inout [ManifestFailure.Issue]) {
        let file = source.name
        guard source.bytes.count <= ManifestText.maximumBytes else {
            issues.append(
                .init(
                    .fileTooLarge, file: file, pointer: "",
                    "the manifest has more than the \(ManifestText.maximumBytes) bytes that are read"))
            return nil
        }
        do throws(JSON.ParseFailure) {
            json = try Self.parse(source, file, &issues)
        } catch {
            issues.append(
                .init(
                    .invalidJSON, file: file, pointer: "", line: error.line, "column \(error.column): \(error.message)")
            )
            return nil
        }
        self.source = source
        isText = true
        values = Self.read(json, source, isText: true, isOverlay: isOverlay, &issues)
    }

    /// The layer of a call in code. Its faults are added to `issues`.
    init(name: String, json: JSON, _ issues: inout [ManifestFailure.Issue]) {
        source = ManifestText(name: name, bytes: Data(json.serialized().utf8))
        self.json = json
        isText = false
        values = Self.read(json, source, isText: false, isOverlay: true, &issues)
    }

    package func line(of pointer: String) -> Int? { isText ? Self.line(of: pointer, in: source) : nil }

    private static func line(of pointer: String, in source: ManifestText) -> Int? {
        pointer.isEmpty ? nil : JSON.position(of: pointer, in: source.bytes)?.line
    }

    /// Whether the layers before this one are ignored: `"inherit": false`.
    var isWholeTable: Bool { Self.isWholeTable(json) }

    private static func isWholeTable(_ json: JSON) -> Bool { json["inherit"]?.bool == false }

    /// Reads the manifest and adds its faults to `issues`.
    private static func read(
        _ json: JSON, _ source: ManifestText, isText: Bool, isOverlay: Bool, _ issues: inout [ManifestFailure.Issue]
    ) -> ManifestValues {
        var reader = ManifestReader(isOverlay: isOverlay && !isWholeTable(json))
        reader.read(json)
        issues += reader.faults.enumerated().map { number, fault in
            ManifestFailure.Issue(
                fault.code, file: source.name, pointer: fault.pointer,
                line: isText && number < maximumLines ? line(of: fault.pointer, in: source) : nil, fault.message,
                suggestion: fault.suggestion)
        }
        return reader.values
    }

    /// Parses strictly. A duplicate key is reported, and its last value is used.
    private static func parse(
        _ source: ManifestText, _ file: String, _ issues: inout [ManifestFailure.Issue]
    ) throws(JSON.ParseFailure) -> JSON {
        do throws(JSON.ParseFailure) {
            return try JSON(
                document: source.bytes,
                options: .init(refusesDuplicateKeys: true, allowsFragments: false, maximumDepth: maximumDepth))
        } catch {
            guard error.reason == .duplicateKey else { throw error }
            let json = try JSON(
                document: source.bytes, options: .init(allowsFragments: false, maximumDepth: maximumDepth))
            let pointer = JSONPlaces(json).first(after: (error.line, error.column), in: source.bytes)
            issues.append(.init(.duplicateKey, file: file, pointer: pointer ?? "", line: error.line, error.message))
            return json
        }
    }
}

extension [ManifestLayer] {
    /// The layers that are not ignored: those from the last whole table on.
    package var inForce: ArraySlice<ManifestLayer> { self[(lastIndex(where: \.isWholeTable) ?? startIndex)...] }
}

extension [ManifestLayer] {
    /// An issue about a value from several layers, reported at the layer that the value comes from.
    func issue(
        _ code: ManifestFailure.Issue.Code, _ value: LayeredJSON, _ path: String, _ message: String,
        suggestion: String? = nil
    ) -> ManifestFailure.Issue {
        let origin = value.origin(of: path, in: self)
        return self[origin.layer].issue(code, origin.pointer, message, suggestion: suggestion)
    }
}

extension ManifestLayer {
    func issue(
        _ code: ManifestFailure.Issue.Code, _ pointer: String, _ message: String, suggestion: String? = nil
    ) -> ManifestFailure.Issue {
        .init(code, file: source.name, pointer: pointer, line: line(of: pointer), message, suggestion: suggestion)
    }
}

extension [ManifestLayer] {
    /// The faults of the entries that texts make, each under the id of an entry from code. Only a reload can lead to it:
    /// code cannot add an entry under an id that is taken.
    var issuesOfTakenIDs: [ManifestFailure.Issue] {
        let code = inForce.filter { !$0.isText && !$0.values.entries.isEmpty }
        guard !code.isEmpty else { return [] }
        let texts = filter(\.isText)
        let manifest = EffectiveManifest(texts)
        let entries = ([manifest.entries] + manifest.sections.map(\.entries)).joined()
        let made = Dictionary(entries.filter { $0.value.json["factory"]?.string != nil }.map { ($0.id, $0.value) }) {
            first, _ in first
        }
        return code.flatMap { layer in
            layer.values.entries.keys.compactMap { pointer in
                guard let id = layer.json.pointer(pointer + "/id")?.string, let value = made[id] else { return nil }
                return texts.issue(.duplicateID, value, "/id", "the id \(Quoted(id)) is taken by \(layer.source.name)")
            }
        }
    }
}

extension ManifestLayer {
    func note(_ code: ManifestFailure.Issue.Code, _ pointer: String, _ message: String) -> ManifestFailure.Issue {
        ManifestFailure.Issue(code, file: source.name, pointer: pointer, line: line(of: pointer), message)
    }
}

extension [ManifestFailure.Issue] {
    /// Ordered by file, and from top to bottom within a file.
    func inReadingOrder(of files: [String]) -> [ManifestFailure.Issue] {
        func place(_ issue: ManifestFailure.Issue) -> (Int, Int) {
            (files.firstIndex(of: issue.file) ?? -1, issue.line ?? 0)
        }
        return enumerated().inOrder { left, right in
            let (first, second) = (place(left.element), place(right.element))
            return first == second ? left.offset < right.offset : first < second
        }.map(\.element)
    }
}

/// The changes of one manifest to a value, one change for each key.
///
/// Patches merge key by key, like the texts that they come from (RFC 7396), so several manifests can be combined
/// without reading them again.
struct Patch<Value: Sendable>: Sendable {
    typealias Change = @Sendable (inout Value) -> Void

    /// The changes by key. A change is nil if the key removes the value of an earlier manifest, because the key's own
    /// value is null or faulty.
    private var changes: [String: Change?] = [:]
    /// Whether the patch removes the whole value of earlier manifests.
    private let isRemoval: Bool

    init(isRemoval: Bool = false) { self.isRemoval = isRemoval }

    mutating func set(_ key: String, _ change: Change?) { changes[key] = .some(change) }

    mutating func merge(_ later: Patch) {
        if later.isRemoval { changes = [:] }
        changes.merge(later.changes) { $1 }
    }

    /// The value after all changes. No two keys change the same part of the value, so the order of the changes has no
    /// effect.
    func applied(to value: Value) -> Value {
        changes.values.reduce(into: value) { value, change in change?(&value) }
    }
}

/// The typed content of one manifest, by the pointers of its objects.
struct ManifestValues: Sendable {
    var policies: [String: Patch<SerializerRegistry.Policy>] = [:]
    var aliases: [String: Patch<[String: MediaType]>] = [:]
    var entries: [String: Patch<ManifestEntry>] = [:]
}

extension [ManifestLayer] {
    /// The combined value of an object from all layers, starting with `standard`.
    ///
    /// - Parameter path: the JSON pointer of the value within the object.
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
