import PatchbayRegistry
import Testing

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif
#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

@Suite("Manifest files")
struct ManifestFileTests {
    /// Runs a test in a folder of its own.
    private func inFolder(_ test: (URL) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "patchbay-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try test(folder)
    }

    private func failure(_ manifests: [URL]) throws -> ManifestFailure {
        try #require(throws: ManifestFailure.self) {
            try SerializerRegistry(sources: manifests.map { .file($0) }, factories: .fixtures())
        }
    }

    @Test("a file that is not there, a folder, and what is no file")
    func unreadable() throws {
        try inFolder { folder in
            let missing = try failure([folder.appending(path: "Plugins.json")])
            #expect(missing.issues.map(\.kind) == [.unreadableFile])
            #expect(missing.description == "Plugins.json: the file cannot be read: No such file or directory")
            #expect(try failure([folder]).description.hasSuffix("the file cannot be read: Is a directory"))
            let remote = try #require(URL(string: "https://example.com/Plugins.json"))
            #expect(
                try failure([remote]).description
                    == "Plugins.json: a manifest is read from a file, and this is no file URL")
        }
    }

    @Test("a file that is too large is read up to the limit")
    func large() throws {
        try inFolder { folder in
            let file = folder.appending(path: "large.json")
            try Data(repeating: 0x20, count: ManifestText.maximumBytes + 100_000).write(to: file)
            #expect(try failure([file]).issues.map(\.kind) == [.fileTooLarge])
            #expect(try ManifestSource.file(file).read().get().bytes.count <= ManifestText.maximumBytes + 65_536)
        }
    }

    @Test("a pipe and a device are refused at once, and a link to a file is a file, in a child")
    func special() async {
        await #expect(processExitsWith: .success) {
            // Whoever opens a pipe with nobody at its other end waits: the signal then ends the child.
            alarm(20)
            let folder = FileManager.default.temporaryDirectory.appending(path: "patchbay-\(UUID().uuidString)")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(at: folder) }
            let pipe = folder.appending(path: "pipe.json")
            try #require(mkfifo(pipe.path, 0o600) == 0)
            let toPipe = folder.appending(path: "link.json")
            try FileManager.default.createSymbolicLink(at: toPipe, withDestinationURL: pipe)
            for file in [pipe, toPipe, URL(filePath: "/dev/zero"), URL(filePath: "/dev/null")] {
                let failure = try #require(throws: ManifestFailure.self) { try ManifestSource.file(file).read().get() }
                try #require(failure.issues.map(\.kind) == [.unreadableFile])
                try #require(
                    failure.description
                        == "\(file.lastPathComponent): the file cannot be read: it is not a regular file")
            }
            let file = folder.appending(path: "file.json")
            try Data("{}".utf8).write(to: file)
            let toFile = folder.appending(path: "good.json")
            try FileManager.default.createSymbolicLink(at: toFile, withDestinationURL: file)
            try #require(try ManifestSource.file(toFile).read().get().bytes == Data("{}".utf8))
        }
    }

    @Test("the limit itself, one byte less and one more", arguments: [-1, 0, 1])
    func size(_ difference: Int) throws {
        let frame = #"{ "manifestVersion": 1, "x-note": "" }"#
        let note = String(repeating: "a", count: ManifestText.maximumBytes - frame.utf8.count + difference)
        let source = ManifestSource.text(frame.replacing(#""""#, with: "\"\(note)\""), name: "m")
        #expect(try source.read().get().bytes.count == ManifestText.maximumBytes + difference)
        let registry = Result { try SerializerRegistry(sources: [source], factories: .fixtures()) }
        #expect((try? registry.get()) != nil || difference == 1)
        #expect((try? registry.get()) == nil || difference < 1)
    }

    @Test("an unreadable file and a faulty one are reported together")
    func together() throws {
        try inFolder { folder in
            let faulty = folder.appending(path: "faulty.json")
            try Data("{}".utf8).write(to: faulty)
            let missing = folder.appending(path: "missing.json")
            for files in [[faulty, missing], [missing, faulty]] {
                #expect(
                    try failure(files).issues.compactMap(\.kind).sorted { $0.rawValue < $1.rawValue } == [
                        .missingKey, .unreadableFile,
                    ])
            }
        }
    }

    @Test("files overlay each other in order, and a file overlays a registry")
    func layers() throws {
        try inFolder { folder in
            let base = folder.appending(path: "Plugins.json")
            let overlay = folder.appending(path: "more.json")
            try Data(#"{"manifestVersion":1,"plugins":[{"id":"a","factory":"json"}]}"#.utf8).write(to: base)
            try Data(#"{"manifestVersion":1,"plugins":[{"id":"b","factory":"text"}]}"#.utf8).write(to: overlay)
            let both = try SerializerRegistry(sources: [.file(base), .file(overlay)], factories: .fixtures())
            #expect(both.routes(host: nil).map(\.id) == ["b", "a"])
            #expect(both.routes(host: nil).map(\.file) == ["more.json", "Plugins.json"])
            let late = try SerializerRegistry(sources: [.file(base)], factories: .fixtures()).overlaid(
                by: .file(overlay))
            #expect(late.digest == both.digest)
        }
    }
}
