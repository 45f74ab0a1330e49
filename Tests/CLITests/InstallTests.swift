import Foundation
import TestSupport
import Testing

@testable import PatchbayCLI

/// `scripts/install`, with the program beside the tests in place of one built for release.
@Suite(.timeLimit(.minutes(5))) struct InstallTests {
    /// The files, with their modes.
    static let files = [
        ("bin/patchbay", 0o755), ("share/bash-completion/completions/patchbay", 0o644),
        ("share/zsh/site-functions/_patchbay", 0o644),
        ("share/fish/vendor_completions.d/patchbay.fish", 0o644),
        ("share/man/man1/patchbay.1", 0o644),
    ]

    @Test func `it puts each file in its place, and writes over an earlier one`() async throws {
        let folder = TemporaryFolder()
        let prefix = folder.path + "/a folder"
        for _ in 1...2 {
            let child = try await Self.install([prefix])
            #expect(child.end == .exited(0))
            #expect(child.outputText == Self.files.map { "\(prefix)/\($0.0)\n" }.joined())
            #expect(child.errorText == "install: \(prefix)/bin is not in PATH\n")
        }
        #expect(try Self.found(in: prefix) == Self.files.map(\.0).sorted())
        let texts = [
            nil, Shell.bash.completions, Shell.zsh.completions, Shell.fish.completions, ManualPage.text,
        ]
        for ((name, mode), text) in zip(Self.files, texts) {
            let file = prefix + "/" + name
            let attributes = try FileManager.default.attributesOfItem(atPath: file)
            #expect(attributes[.posixPermissions] as? Int == mode)
            if let text { #expect(try String(contentsOfFile: file, encoding: .utf8) == text) }
        }
        let child = try await ChildProcess.run(prefix + "/bin/patchbay", ["--version"])
        #expect(child.outputText.hasPrefix("patchbay \(Program.version)"))
    }

    @Test func `nothing is installed of a program that fails`() async throws {
        let folder = TemporaryFolder()
        let child = try await Self.install([folder.path + "/prefix"], program: "/bin/false")
        #expect(child.end == .exited(1))
        #expect(folder.names.isEmpty)
    }

    @Test func `a place that is a folder is left alone`() async throws {
        let folder = TemporaryFolder()
        let place = folder.path + "/bin/patchbay"
        try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
        let child = try await Self.install([folder.path])
        #expect(child.end == .exited(1))
        #expect(child.errorText == "install: \(place) is a folder\n")
        #expect(try Self.found(in: folder.path).isEmpty)
    }

    @Test func `a copy that fails leaves the earlier program, and nothing half written`() async throws {
        let folder = TemporaryFolder()
        let earlier = try folder.write("earlier", to: "patchbay")
        try FileManager.default.createDirectory(
            atPath: folder.path + "/bin", withIntermediateDirectories: true)
        try FileManager.default.moveItem(atPath: earlier, toPath: folder.path + "/bin/patchbay")
        // No file may have more than 100 KB, and the program has more.
        let child = try await Self.install([folder.path], under: "ulimit -f 100")
        #expect(child.end != .exited(0))
        #expect(try Self.found(in: folder.path) == ["bin/patchbay"])
        #expect(try String(contentsOfFile: folder.path + "/bin/patchbay", encoding: .utf8) == "earlier")
    }

    @Test func `it says what it does, and what it does not know`() async throws {
        let help = try await Self.install(["--help"])
        #expect(help.end == .exited(0))
        #expect(help.outputText.contains("scripts/install [PREFIX]"))
        #expect(help.outputText.contains("/usr/local"))
        let unknown = try await Self.install(["--prefix"])
        #expect(unknown.end == .exited(2))
        #expect(unknown.errorText == "install: there is no option --prefix; there is --help\n")
        let many = try await Self.install(["a", "b"])
        #expect(many.end == .exited(2))
        #expect(many.errorText == "install: 'b' is one PREFIX too many\n")
    }

    private static func install(
        _ words: [String], program: String? = nil, under limit: String = ":"
    ) async throws -> ChildProcess {
        let script = Markdown.root.appending(path: "scripts/install").path
        return try await ChildProcess.run(
            "/bin/bash", ["-c", limit + #"; exec bash "$0" "$@""#, script] + words,
            environment: ["PATCHBAY_BINARY": try program ?? Binary.path])
    }

    /// The paths of all files in a folder, hidden ones too.
    private static func found(in folder: String) throws -> [String] {
        try FileManager.default.subpathsOfDirectory(atPath: folder).filter { path in
            var isFolder: ObjCBool = false
            return FileManager.default.fileExists(atPath: folder + "/" + path, isDirectory: &isFolder)
                && !isFolder.boolValue
        }.sorted()
    }
}
