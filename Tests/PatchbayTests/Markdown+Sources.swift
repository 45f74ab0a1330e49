import Foundation
import TestSupport
import Testing

extension Markdown {
    /// Expects each block of Swift, but for the first few, to be in one of the files, line for line; indentation and empty lines do
    /// not count.
    func expectSwift(in files: [String], behind count: Int = 0) throws {
        let compiled = try files.map { Self.lines(try Markdown($0).text) }
        for block in blocks(of: "swift").dropFirst(count) {
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
