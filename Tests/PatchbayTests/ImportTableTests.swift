import Foundation
import TestSupport
import Testing

/// Reads the imports of every source file and holds them against the table of modules: a star, not a chain.
@Suite struct ImportTableTests {
    /// A folder of `Sources` and the modules that its files may import.
    struct Row: Sendable, CustomTestStringConvertible {
        let folder: String
        let allowed: Set<String>
        var testDescription: String { folder }
    }

    /// What every module may import: the system by its one name, which brings FoundationEssentials, and locks. The whole of Foundation
    /// brings ICU, and so is for those alone whose row names it.
    static let base: Set<String> = ["PatchbayPlatform", "Synchronization"]

    static let table = [
        // The standard library is named where its normal forms are taken from, which it keeps to itself and to Foundation.
        Row(
            folder: "Platform",
            allowed: [
                "FoundationEssentials", "Foundation", "Glibc", "Musl", "Darwin", "Synchronization", "CPatchbayFiles",
                "Swift",
            ]),
        Row(folder: "JSON", allowed: base.union(["CPatchbaySimdjson"])),
        Row(folder: "Registry", allowed: base.union(["PatchbayJSON"])),
        Row(
            folder: "Plugins",
            allowed: base.union([
                "PatchbayJSON", "PatchbayRegistry", "CPatchbayLibxml2", "CPatchbayGdkPixbuf",
                "ImageIO", "CoreGraphics",
            ])),
        Row(
            folder: "Manager",
            allowed: base.union([
                "PatchbayJSON", "PatchbayRegistry", "PatchbayCodings", "Dispatch",
            ])),
        Row(folder: "Transports/Codings", allowed: base.union(["PatchbayRegistry"])),
        Row(
            folder: "Transports/Curl",
            allowed: base.union(["PatchbayRegistry", "PatchbayCodings", "PatchbayManager", "CPatchbayCurl"])),
        Row(
            folder: "Transports/URLSession",
            allowed: base.union([
                "PatchbayRegistry", "PatchbayCodings", "PatchbayManager", "Foundation", "FoundationNetworking",
            ])),
        Row(
            folder: "Patchbay",
            allowed: base.union([
                "PatchbayJSON", "PatchbayRegistry", "PatchbayPlugins", "PatchbayManager", "PatchbayCurl",
                "PatchbayURLSession",
            ])),
        Row(
            folder: "Migration",
            allowed: base.union([
                "PatchbayJSON", "PatchbayRegistry", "PatchbayPlugins", "PatchbayManager",
                "PatchbayCodings", "PatchbayCurl", "Dispatch", "Foundation", "FoundationXML",
            ])),
        Row(folder: "Testing", allowed: base.union(["PatchbayJSON", "PatchbayRegistry", "PatchbayManager"])),
        Row(folder: "Tools", allowed: base.union(["PatchbayJSON", "PatchbayRegistry", "PatchbayPlugins"])),
        Row(folder: "CLI", allowed: base.union(["Patchbay", "PatchbayTools"])),
    ]

    @Test(arguments: table) func `a folder imports only what its row allows`(_ row: Row) throws {
        let files = try Self.files(in: row.folder)
        #expect(!files.isEmpty)
        for file in files {
            for module in file.modules where !row.allowed.contains(module) {
                Issue.record("\(file.path) imports \(module)")
            }
        }
    }

    @Test func `no file has an async let, whose child the runtime reads after its parent has gone on`() throws {
        let files = try Self.files(in: "")
        #expect(files.count > 300)
        #expect(files.filter { $0.lines.contains { $0.contains(/async let .*=/) } }.map(\.path) == [])
    }

    @Test func `the page on modules names what the module Patchbay re-exports`() throws {
        let page = try Markdown("Documentation/Modules.md").text
        let source = try Markdown("Sources/Patchbay/Patchbay.swift").text
        let exported = source.matches(of: #/@_exported import (\w+)/#).map { String($0.1) }
        #expect(exported.count == 6)
        let intro = try #require(page.components(separatedBy: "\n| module").first)
        for module in exported { #expect(intro.contains("`\(module)`"), "\(module)") }
        let (linux, other) = (exported[4], exported[5])
        #expect(intro.replacing("\n", with: " ").contains("`\(linux)` on Linux, `\(other)` on Apple platforms"))
    }

    @Test func `every source file stands in a folder of the table`() throws {
        for file in try Self.files(in: "") {
            let isListed = Self.table.contains { file.path.hasPrefix($0.folder + "/") }
            #expect(isListed, "\(file.path) is in no folder of the table")
        }
    }

    /// What differs by system has one name each, in one module; elsewhere nobody asks which C library or Foundation it is.
    @Test func `only Platform chooses between names of the system`() throws {
        let choices = ["Glibc", "Musl", "FoundationEssentials"].map { "canImport(\($0))" }
        let files = try Self.files(in: "").filter { !$0.path.hasPrefix("Platform/") }
        let choosing = files.filter { file in file.lines.contains { line in choices.contains { line.contains($0) } } }
        #expect(choosing.map(\.path) == [])
    }

    /// Whether a module of the package is there depends on the order in which they are built: the platform says which are.
    @Test func `no file asks whether a module of the package can be imported`() throws {
        let question = /canImport\s*\(\s*C?Patchbay/
        let asking = try Self.files(in: "").filter { file in file.lines.contains { $0.contains(question) } }
        #expect(asking.map(\.path) == [])
    }

    /// A heavy module, and the folder that alone imports it: in one file of it where the module is FoundationXML.
    @Test(arguments: [
        ("FoundationNetworking", "Transports/URLSession/"), ("FoundationXML", "Migration/XML/"),
        ("CPatchbayCurl", "Transports/Curl/"), ("CPatchbayGdkPixbuf", "Plugins/Image/"), ("ImageIO", "Plugins/Image/"),
        ("CPatchbaySimdjson", "JSON/Parser/"), ("CPatchbayLibxml2", "Plugins/XML/"),
        ("CPatchbayFiles", "Platform/"),
    ])
    func `a heavy module is imported in one place`(_ module: String, _ place: String) throws {
        let importers = try Self.files(in: "").filter { $0.modules.contains(module) }.map(\.path)
        #expect(importers.allSatisfy { $0.hasPrefix(place) }, "\(importers)")
        let folders = Set(importers.map { $0.split(separator: "/").dropLast().joined(separator: "/") })
        #expect(folders.count <= 1, "\(importers)")
        if module == "FoundationXML" { #expect(importers.count == 1, "\(importers)") }
    }

    /// Their closures, and the calls that wait, are in `Tests/Support`.
    @Test func `the tests of the manager do without Migration`() throws {
        let files = try Self.files(in: "ManagerTests", of: "Tests")
        #expect(files.count > 50)
        #expect(files.filter { $0.modules.contains("PatchbayMigration") }.map(\.path) == [])
    }

    /// The reader of import lines, held against lines of every shape.
    @Test(arguments: [
        ("import Foundation", "Foundation"), ("    public import PatchbayJSON", "PatchbayJSON"),
        ("@preconcurrency import Glibc", "Glibc"), ("@testable import PatchbayCLI", "PatchbayCLI"),
        ("@_exported public import Patchbay", "Patchbay"), ("import struct Foundation.Data", "Foundation"),
        ("import class FoundationXML.XMLParser // why", "FoundationXML"), ("package import Glibc;", "Glibc"),
    ])
    func `an import line names its module`(_ line: String, _ module: String) {
        #expect(SourceFile.module(importedBy: line) == module)
    }

    @Test(arguments: ["// import Foundation", "let important = 1", "/// import it", "case import_", ""])
    func `another line imports nothing`(_ line: String) {
        #expect(SourceFile.module(importedBy: line) == nil)
    }

    private struct SourceFile {
        let path: String
        let lines: [String]
        var modules: [String] { lines.compactMap(Self.module) }

        static func module(importedBy line: String) -> String? {
            var words = line.split { $0 == " " || $0 == "\t" || $0 == ";" }[...]
            while let word = words.first,
                word.hasPrefix("@") || ["public", "package", "internal", "fileprivate", "private"].contains(word)
            {
                words.removeFirst()
            }
            guard words.popFirst() == "import", var name = words.popFirst() else { return nil }
            let kinds = ["struct", "class", "enum", "protocol", "func", "var", "let", "typealias"]
            if kinds.contains(String(name)), let next = words.popFirst() { name = next }
            return name.split(separator: ".").first.map(String.init)
        }
    }

    private static func files(in folder: String, of tree: String = "Sources") throws -> [SourceFile] {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appendingPathComponent(tree)
        let start = folder.isEmpty ? root : root.appendingPathComponent(folder)
        let enumerator = try #require(FileManager.default.enumerator(at: start, includingPropertiesForKeys: nil))
        return try enumerator.compactMap { $0 as? URL }.filter { $0.pathExtension == "swift" }.map { url in
            let text = try String(contentsOf: url, encoding: .utf8)
            let path = url.path.replacingOccurrences(of: root.path + "/", with: "")
            return SourceFile(
                path: path, lines: text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init))
        }
    }
}
