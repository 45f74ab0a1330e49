package import Foundation

/// A page of the documentation, and what is in its fences.
package struct Markdown {
    package static let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..")
        .standardizedFileURL

    package let text: String

    package init(text: String) { self.text = text }

    /// - Parameter path: from the root of the package.
    package init(_ path: String) throws {
        text = try String(contentsOf: Self.root.appending(path: path), encoding: .utf8)
    }

    /// The fenced blocks, in order, with all that the fence says behind its marks.
    package var blocks: [(language: String, text: String)] {
        var blocks: [(language: String, text: String)] = []
        var isInside = false
        for line in text.components(separatedBy: "\n") {
            if line.hasPrefix("```") {
                isInside.toggle()
                if isInside { blocks.append((String(line.dropFirst(3)), "")) }
            } else if isInside {
                blocks[blocks.count - 1].text += line + "\n"
            }
        }
        return blocks
    }

    /// The fenced blocks whose fence says this language and nothing else.
    package func blocks(of language: String) -> [String] { blocks.filter { $0.language == language }.map(\.text) }

    /// The blocks of Swift, behind the first few, that are in none of the files, line for line. Indentation and empty lines do not
    /// count.
    package func swift(missingIn files: [String], behind count: Int = 0) throws -> [String] {
        let compiled = try files.map { Self.lines(try Markdown($0).text) }
        return blocks(of: "swift").dropFirst(count).filter { block in
            let lines = Self.lines(block)
            return !compiled.contains { file in file.indices.contains { file[$0...].starts(with: lines) } }
        }
    }

    private static func lines(_ text: String) -> [String] {
        text.components(separatedBy: "\n").map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
    }
}
