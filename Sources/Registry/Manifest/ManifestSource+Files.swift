#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension ManifestSource {
    /// Reads files, each overlaying those before it.
    ///
    /// - Parameter isOverlay: whether the first of them lies over something too.
    /// - Throws: `ManifestFailure` where one cannot be read, with what is wrong with the others.
    static func read(_ urls: [URL], isOverlay: Bool) throws(ManifestFailure) -> [ManifestSource] {
        let files = urls.map { url in
            Result { () throws(ManifestFailure) in try ManifestSource(contentsOf: url) }
        }
        let sources = files.compactMap { try? $0.get() }
        // What is wrong with files that can all be read is found when they are laid over each other.
        guard sources.count < files.count else { return sources }
        var issues: [ManifestFailure.Issue] = []
        for (index, file) in files.enumerated() {
            switch file {
            case .success(let source): _ = ManifestLayer(source, isOverlay: isOverlay || index > 0, &issues)
            case .failure(let failure): issues += failure.issues
            }
        }
        throw ManifestFailure(issues)
    }
}
