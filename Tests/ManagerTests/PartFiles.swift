import Foundation

/// A folder of files for a form, removed when the test lets go of it.
final class PartFiles: Sendable {
    let url = FileManager.default.temporaryDirectory.appending(path: "patchbay-parts-\(UUID().uuidString)")

    init() throws {
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    func file(_ name: String) -> URL { url.appending(path: name) }

    func write(_ text: String, as name: String) throws -> URL {
        try Data(text.utf8).write(to: file(name))
        return file(name)
    }
}
