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
    func note(_ code: ManifestNote.Code, _ pointer: String, _ message: String) -> ManifestNote {
        ManifestNote(code: code, file: source.name, pointer: pointer, line: line(of: pointer), message: message)
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
