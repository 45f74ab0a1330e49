package import PatchbayPlatform

extension ManifestSource {
    /// A file that was read, or why it could not be. Two are equal where the same bytes were found, or the same fault.
    package typealias Reading = Result<ManifestSource, ManifestFailure>

    /// Reads files; what is in them is not looked at.
    package static func readings(of urls: [URL]) -> [Reading] {
        urls.map { url in Result { () throws(ManifestFailure) in try ManifestSource(contentsOf: url) } }
    }
}

extension ManifestFailure {
    /// Files of which nobody will hear again, because the system has nothing left to watch them with.
    package static func notWatched(_ files: [URL]) -> ManifestFailure {
        let names = files.isEmpty ? ["no files"] : files.map(\.lastPathComponent)
        return ManifestFailure(
            names.map { name in
                Issue(
                    .unreadableFile, file: name, pointer: "",
                    "the file is not watched: the system has no thread or no descriptor left")
            })
    }
}
