import Foundation
import PatchbayManager
import PatchbayPlatform
import PatchbayRegistry
import TestSupport
import Testing

/// File URLs of texts.
@Suite struct FileURLTests {
    @Test(
        "a path is that of the file whose characters it has",
        arguments: ["~", "~list", "~nobody", "~root/x", "~/x", "~~", "x", "./~x", "a/~x", "a b%2Fc?d#e", "é"])
    func relative(_ text: String) {
        let url = URL.file(at: text)
        let expected = FileManager.default.currentDirectoryPath + "/" + text.replacingOccurrences(of: "./", with: "")
        #expect(url.isFileURL)
        #expect(url.path == expected)
        #expect(url.standardizedFileURL.path == expected)
        #expect(url.lastPathComponent == text.split(separator: "/").last.map(String.init))
    }

    @Test("an absolute path stays", arguments: ["/", "/~x", "/tmp/~", "/a/~b/c"])
    func absolute(_ text: String) { #expect(URL.file(at: text).path == text) }

    @Test("a name from outside is a name in the folder", arguments: ["~list", "~", "~root", "~nobody"])
    func suggested(_ name: String) throws {
        let url = try #require(URL(string: "http://origin.test/"))
        let head = ResponseHead(
            status: 200, fields: ["Content-Disposition": "attachment; filename=\"\(name)\""], url: url,
            request: RequestHead(url: url))
        #expect(head.suggestedFileName == name)
        for folder in ["/tmp", "/tmp/", ".", ""] {
            let file = URL.file(at: folder).appending(path: head.suggestedFileName)
            #expect(file.lastPathComponent == name)
            #expect(file.deletingLastPathComponent().path == URL.file(at: folder).path)
        }
    }

    @Test("a manifest with a relative path is that of the current folder")
    func manifest() {
        let source = ManifestSource.file(.file(at: "~nobody/Plugins.json")).absolute
        #expect(source.file?.path == FileManager.default.currentDirectoryPath + "/~nobody/Plugins.json")
    }

    /// Calls that take a `~` at the start of a text for the home of a user.
    private static let expanding = [
        "URL(filePath:", "URL(fileURLWithPath:", ".init(filePath:", ".init(fileURLWithPath:", "URL.init(filePath",
        "URL.init(fileURLWithPath", "expandingTilde", "standardizingPath", "abbreviatingWithTilde",
    ]

    /// Whether a line of code calls one of them for another text than an absolute path in quotes.
    private static func expands(_ line: String) -> Bool {
        let code = line.trimmingCharacters(in: .whitespaces)
        guard !code.hasPrefix("//") else { return false }
        return expanding.contains { call in
            code.components(separatedBy: call).dropFirst().contains { !$0.hasPrefix(" \"/") }
        }
    }

    @Test(
        "the search finds each way",
        arguments: [
            ("let url = URL(filePath: path)", true), ("    file = URL(fileURLWithPath: \"~x\")", true),
            ("return .init(filePath: name, directoryHint: .notDirectory)", true),
            ("URL(filePath: \"/\") + URL(filePath: text)", true),
            ("let path = NSString(string: a).expandingTildeInPath", true),
            ("let url = URL(filePath: \"/\")", false), ("/// .file(URL(filePath: path))", false),
            ("let url = URL.file(at: path)", false),
        ])
    func search(_ line: String, _ expands: Bool) { #expect(Self.expands(line) == expands) }

    @Test("one function makes the file URLs of texts in Sources")
    func oneFunction() throws {
        let root = Markdown.root.appending(path: "Sources").standardizedFileURL
        let files = try #require(FileManager.default.enumerator(at: root, includingPropertiesForKeys: nil))
        var found: [String] = []
        for case let url as URL in files where url.pathExtension == "swift" {
            let lines = try String(contentsOf: url, encoding: .utf8).components(separatedBy: "\n")
            found += lines.filter(Self.expands).map { "\(url.lastPathComponent): \($0)" }
        }
        #expect(found.count == 1 && found.first?.hasPrefix("FileReading.swift: ") == true, "\(found)")
    }
}
