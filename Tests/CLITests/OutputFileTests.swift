import Foundation
import Testing

@testable import PatchbayCLI

/// A file appears whole or not at all, and only where a plain file may stand.
@Suite struct OutputFileTests {
    private let folder: TemporaryFolder
    init() throws { folder = try TemporaryFolder() }

    @Test func `writes a new file for its owner alone`() throws {
        try OutputFile.write([1, 2, 3], to: folder.path + "/out")
        #expect(try Data(contentsOf: URL(fileURLWithPath: folder.path + "/out")) == Data([1, 2, 3]))
        let attributes = try FileManager.default.attributesOfItem(atPath: folder.path + "/out")
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        #expect(try folder.names == ["out"])
    }

    @Test func `replaces a plain file`() throws {
        let path = try folder.write("old and longer", to: "out")
        try OutputFile.write(Array("new".utf8), to: path)
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "new")
    }

    /// A target, the shell command that makes it, and why it is refused.
    @Test(arguments: [
        ("link", "it is a symbolic link"), ("dangling", "it is a symbolic link"), ("folder", "it is a folder"),
        ("pipe", "it is not a plain file"), ("missing/out", "No such file or directory"), ("", "it names no file"),
        ("folder/..", "it names no file"), ("file/out", "Not a directory"),
        (String(repeating: "n", count: 300), "File name too long"),
    ])
    func `refuses`(_ name: String, _ reason: String) throws {
        let file = try folder.write("kept", to: "file")
        try FileManager.default.createSymbolicLink(atPath: folder.path + "/link", withDestinationPath: file)
        try FileManager.default.createSymbolicLink(atPath: folder.path + "/dangling", withDestinationPath: "nowhere")
        try FileManager.default.createDirectory(atPath: folder.path + "/folder", withIntermediateDirectories: false)
        mkfifo(folder.path + "/pipe", 0o600)
        let before = try folder.names
        let path = folder.path + "/" + name
        #expect(throws: CommandFailure(.file, "\(path) cannot be written: \(reason)")) {
            try OutputFile.write([1], to: path)
        }
        #expect(try folder.names == before)
        #expect(try String(contentsOfFile: file, encoding: .utf8) == "kept")
    }
}
