package import PatchbayJSON
import PatchbayPlatform

/// One manifest that was read and found well-formed as JSON: the first, or one that overlays those before it.
package struct ManifestLayer: Sendable {
    package let source: ManifestText
    package let json: JSON
    /// What it says of policies, aliases and entries, read once.
    let values: ManifestValues
    /// Whether a reload replaces it: a manifest over the standard table. Layers of code stay.
    var isReloadable = false
    /// Whether someone wrote the text, so that a line says something.
    private let isText: Bool

    /// Containers that may be open at once: far more than the grammar of a manifest needs, and options have some to spare.
    private static let maximumDepth = 64

    /// Faults whose lines are worked out, each of which costs reading the text once more.
    package static let maximumLines = 200

    /// Reads the source and adds everything that is wrong with it to `issues`; nil where there is no JSON to go on with.
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

    /// The layer of a call in code, which is valid where its parts are.
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

    /// Whether nothing lies under this manifest: `"inherit": false`.
    var isWholeTable: Bool { Self.isWholeTable(json) }

    private static func isWholeTable(_ json: JSON) -> Bool { json["inherit"]?.bool == false }

    /// What the manifest says; what is wrong with it is added to `issues`.
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

    /// Parses strictly; a key that appears twice is reported, and reading goes on with its last value.
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
    /// The layers that count: from the last that is the whole table.
    package var inForce: ArraySlice<ManifestLayer> { self[(lastIndex(where: \.isWholeTable) ?? startIndex)...] }
}

extension [ManifestLayer] {
    /// An issue about a value that several layers may have contributed to, placed where its text stands.
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

extension ManifestLayer {
    func note(_ code: ManifestFailure.Issue.Code, _ pointer: String, _ message: String) -> ManifestFailure.Issue {
        ManifestFailure.Issue(code, file: source.name, pointer: pointer, line: line(of: pointer), message)
    }
}

extension [ManifestFailure.Issue] {
    /// File by file, each from top to bottom.
    func inReadingOrder(of files: [String]) -> [ManifestFailure.Issue] {
        func place(_ issue: ManifestFailure.Issue) -> (Int, Int) {
            (files.firstIndex(of: issue.file) ?? -1, issue.line ?? 0)
        }
        return enumerated().sorted { left, right in
            let (first, second) = (place(left.element), place(right.element))
            return first == second ? left.offset < right.offset : first < second
        }.map(\.element)
    }
}

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
