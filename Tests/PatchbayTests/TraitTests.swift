import Foundation
import TestSupport
import Testing

/// The gate runs all tests without traits. Its build with traits has only the tests of what a trait can change.
@Suite struct TraitTests {
    /// The folders below one of the root in which a file asks whether a trait is on.
    private static func folders(of room: String, depth: Int) throws -> Set<String> {
        let question = /#if.*\b(FastJSON|Images)\b|\bPATCHBAY_(FASTJSON|IMAGES)\b/
        let room = Markdown.root.appending(path: room)
        let files = try #require(FileManager.default.enumerator(at: room, includingPropertiesForKeys: nil))
        var found: Set<String> = []
        for case let file as URL in files where ["swift", "c", "cpp", "h"].contains(file.pathExtension) {
            guard file.lastPathComponent != "TraitTests.swift",
                try String(contentsOf: file, encoding: .utf8).contains(question)
            else { continue }
            let path = file.standardizedFileURL.pathComponents.dropFirst(room.pathComponents.count)
            found.insert(path.prefix(path.first == "C" ? depth + 1 : depth).joined(separator: "/"))
        }
        return found
    }

    @Test("Only JSON, the plugins and their two libraries ask for a trait")
    func modules() throws {
        #expect(
            try Self.folders(of: "Sources", depth: 1)
                == ["JSON", "Plugins", "C/CPatchbaySimdjson", "C/CPatchbayGdkPixbuf"])
    }

    /// simdjson is a dependency on Linux only, whatever traits are on.
    @Test("What asks for the trait FastJSON asks for Linux too", arguments: ["Sources", "Tests"])
    func platform(_ room: String) throws {
        let room = Markdown.root.appending(path: room)
        let files = try #require(FileManager.default.enumerator(at: room, includingPropertiesForKeys: nil))
        var questions = 0
        for case let file as URL in files where file.pathExtension == "swift" {
            for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
            where line.contains(/^ *#(if|elseif)\b.*\bFastJSON\b/) {
                questions += 1
                #expect(line.contains("os(Linux)"), "\(file.lastPathComponent): \(line)")
            }
        }
        #expect(questions > 3)
    }

    /// Those that ask for a trait, and calls of a real server. Everything else gets the same values of JSON: with and without simdjson
    /// the parser has one answer, which JSONTests hold.
    @Test("scripts/test builds and runs the tests of these with traits")
    func tests() throws {
        let script = try String(contentsOf: Markdown.root.appending(path: "scripts/test"), encoding: .utf8)
        let list = try #require(script.firstMatch(of: /of_traits="([A-Za-z ]+)"/)?.output.1)
        let asking = try Self.folders(of: "Tests", depth: 1)
        #expect(asking.count == 3)
        #expect(Set(list.split(separator: " ").map(String.init)) == asking.union(["IntegrationTests"]))
    }
}
