package import PatchbayJSON
import PatchbayPlatform

/// One manifest that is valid JSON: the first manifest, or a manifest over the earlier ones.
package struct ManifestLayer: Sendable {
    package let source: ManifestText
    package let json: JSON
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
            let fault = error.named(in: source.bytes, insteadOfComments: ManifestText.notes)
            issues.append(
                .init(
                    .invalidJSON, file: file, pointer: "", line: fault.line, "column \(fault.column): \(fault.message)")
            )
            return nil
        }
        self.source = source
        isText = true
        check(isOverlay: isOverlay, &issues)
    }

    /// The layer of a call in code. Its faults are added to `issues`.
    init(name: String, json: JSON, _ issues: inout [ManifestFailure.Issue]) {
        source = ManifestText(name: name, bytes: Data(json.serialized().utf8))
        self.json = json
        isText = false
        check(isOverlay: true, &issues)
    }

    package func line(of pointer: String) -> Int? {
        isText ? JSON.position(of: pointer, in: source.bytes)?.line : nil
    }

    /// Whether the layers before this one are ignored: `"inherit": false`.
    var isWholeTable: Bool { json["inherit"]?.bool == false }

    /// Adds the faults of the manifest to `issues`.
    private func check(isOverlay: Bool, _ issues: inout [ManifestFailure.Issue]) {
        var reader = ManifestReader(file: source.name, isOverlay: isOverlay && !isWholeTable)
        reader.check(json)
        for index in reader.faults.indices.prefix(Self.maximumLines) {
            reader.faults[index].line = line(of: reader.faults[index].pointer)
        }
        issues += reader.faults
    }

    /// Parses strictly. A duplicate key is reported, and its last value is used. A text of another kind of value than an
    /// object is left to the reader, which names the kind.
    private static func parse(
        _ source: ManifestText, _ file: String, _ issues: inout [ManifestFailure.Issue]
    ) throws(JSON.ParseFailure) -> JSON {
        do throws(JSON.ParseFailure) {
            return try JSON(
                document: source.bytes, options: .init(refusesDuplicateKeys: true, maximumDepth: maximumDepth))
        } catch {
            guard error.reason == .duplicateKey else { throw error }
            let json = try JSON(document: source.bytes, options: .init(maximumDepth: maximumDepth))
            let pointer = JSON.pointer(ofValueAfter: error.offset, in: source.bytes)
            issues.append(.init(.duplicateKey, file: file, pointer: pointer ?? "", line: error.line, error.message))
            return json
        }
    }
}

extension [ManifestLayer] {
    /// The layers that are not ignored: those from the last whole table on.
    package var inForce: ArraySlice<ManifestLayer> { self[(lastIndex(where: \.isWholeTable) ?? startIndex)...] }

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
        let code = inForce.filter { !$0.isText }
        guard !code.isEmpty else { return [] }
        let texts = filter(\.isText)
        let entries = EffectiveManifest(texts).everyEntry.filter { $0.value.json["factory"]?.string != nil }
        let made = Dictionary(entries.map { ($0.id, $0.value) }) { first, _ in first }
        return EffectiveManifest(code).everyEntry.compactMap { entry in
            guard let value = made[entry.id] else { return nil }
            let name = code[entry.value.first.layer].source.name
            return texts.issue(.duplicateID, value, "/id", "the id \(Quoted(entry.id)) is taken by \(name)")
        }
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
