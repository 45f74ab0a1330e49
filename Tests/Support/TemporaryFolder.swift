package import Foundation

/// A folder of a test's own, removed with everything in it when the test lets go of it.
package final class TemporaryFolder: Sendable {
    package enum Kind: Sendable { case file, folder, link, pipe }

    package let url: URL

    package init() {
        url = FileManager.default.temporaryDirectory.appending(path: "patchbay-test-\(UUID().uuidString)")
        do {
            try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        } catch {
            fatalError("no temporary folder: \(error)")
        }
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    package var path: String { url.path }

    /// Writes a file and gives its path.
    @discardableResult package func write(_ text: String, to name: String) throws -> String {
        let file = url.appending(path: name)
        try Data(text.utf8).write(to: file)
        return file.path
    }

    /// What is in the folder, hidden names too.
    package var names: [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: url.path)) ?? ["(unreadable)"]).sorted()
    }

    /// The permissions of what has the name; nil where nothing has.
    package func mode(of name: String) -> Int? {
        let path = url.appending(path: name).path
        return (try? FileManager.default.attributesOfItem(atPath: path))?[.posixPermissions] as? Int
    }

    /// Makes what has the name one of 1970. A link is not followed.
    package func age(_ name: String) {
        withUnsafeTemporaryAllocation(of: timespec.self, capacity: 2) { times in
            UnsafeMutableRawBufferPointer(times).initializeMemory(as: UInt8.self, repeating: 0)
            utimensat(AT_FDCWD, url.appending(path: name).path, times.baseAddress, AT_SYMLINK_NOFOLLOW)
        }
    }

    package func make(_ kind: Kind, _ name: String) throws {
        let item = url.appending(path: name)
        switch kind {
        case .file: try Data("old".utf8).write(to: item)
        case .folder: try FileManager.default.createDirectory(at: item, withIntermediateDirectories: false)
        case .link:
            try Data("target".utf8).write(to: url.appending(path: "target"))
            try FileManager.default.createSymbolicLink(at: item, withDestinationURL: url.appending(path: "target"))
        case .pipe: mkfifo(item.path, 0o600)
        }
    }
}
