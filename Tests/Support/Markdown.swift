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

    /// The fenced blocks whose fence says this language and nothing else, in order.
    package func blocks(of language: String) -> [String] {
        text.components(separatedBy: "\n```\(language)\n").dropFirst().compactMap {
            $0.components(separatedBy: "```").first
        }
    }
}
