import Foundation
import Testing

/// A page of the documentation, and what is in its fences.
struct Markdown {
    static let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..").standardizedFileURL

    let text: String

    init(text: String) { self.text = text }

    /// - Parameter path: from the root of the package.
    init(_ path: String) throws {
        text = try String(contentsOf: Self.root.appending(path: path), encoding: .utf8)
    }

    /// The fenced blocks whose fence says this language and nothing else, in order.
    func blocks(of language: String) -> [String] {
        text.components(separatedBy: "\n```\(language)\n").dropFirst().compactMap {
            $0.components(separatedBy: "```").first
        }
    }

    /// Expects each block of Swift to be in one of the files, line for line; indentation and empty lines do not count.
    func expectSwift(in files: [String]) throws {
        let compiled = try files.map { Self.lines(try Markdown($0).text) }
        for block in blocks(of: "swift") {
            let lines = Self.lines(block)
            let isThere = compiled.contains { file in
                file.indices.contains { file[$0...].starts(with: lines) }
            }
            #expect(isThere, "in no compiled file:\n\(block)")
        }
    }

    /// The text of everything in `Sources`.
    static func sources() throws -> String {
        let files = FileManager.default.enumerator(at: root.appending(path: "Sources"), includingPropertiesForKeys: nil)
        return try (files?.compactMap { $0 as? URL } ?? []).filter { $0.pathExtension == "swift" }
            .map { try String(contentsOf: $0, encoding: .utf8) }.joined()
    }

    private static func lines(_ text: String) -> [String] {
        text.components(separatedBy: "\n").map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
    }
}
