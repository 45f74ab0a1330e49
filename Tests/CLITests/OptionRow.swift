import Foundation
import Patchbay
import TestSupport
import Testing

/// One option of `get`, used against a server. The row fails if the program ignores the option.
struct OptionRow: Sendable, CustomTestStringConvertible {
    /// The program that a row needs beside the built `patchbay`.
    enum Part: Sendable {
        case none, httpbin, nginx, certificates, tinyproxy, microsocks
    }

    /// The words of the row: the options, as they are typed, and what stands after them.
    let name: String
    let part: Part
    /// Gets a folder of its own, with the files `note.txt` and `note.json`.
    let run: @Sendable (TemporaryFolder) async throws -> Void

    var testDescription: String { name }

    /// The options that the name of the row begins with or holds.
    var options: [String] {
        name.split(separator: " ").map(String.init).filter { $0.hasPrefix("-") && $0.count > 1 }
    }

    init(
        _ name: String, needs part: Part = .none, _ run: @escaping @Sendable (TemporaryFolder) async throws -> Void
    ) {
        (self.name, self.part, self.run) = (name, part, run)
    }

    static let all: [OptionRow] = [request, answers, connection, connectionOnLinux, output, table].flatMap(\.self)

    static let note = "from a file"

    func callAsFunction() async throws {
        let folder = TemporaryFolder()
        try folder.write(Self.note, to: "note.txt")
        try folder.write(#"{ "b": 1e2 }"#, to: "note.json")
        try await run(folder)
    }

    /// Runs `patchbay get` in the folder and holds its exit code. `FOLDER` in a word is the folder.
    @discardableResult static func get(
        _ words: String..., then more: [String] = [], input: String = "", in folder: TemporaryFolder, code: Int32 = 0
    ) async throws -> Binary.Run {
        let words = (words + more).map { $0.replacingOccurrences(of: "FOLDER", with: folder.path) }
        let run = try await Binary.run(["get"] + words, input: Array(input.utf8), in: folder.path)
        #expect(run.code == code, "\(words): \(run.errors)")
        return run
    }

    /// Two rows: a server of the test sees the bytes of the request, and httpbin says what it made of the request.
    /// - Parameters:
    ///   - wire: texts that are in the request.
    ///   - httpbin: members of the answer, such as `headers.Accept`, and their values.
    static func echo(
        _ name: String, _ words: [String], input: String = "", path: String = "/anything", wire: [String],
        httpbin: [String: JSON]
    ) -> [OptionRow] {
        [
            OptionRow(name) { folder in
                let server = try RawServer(always: .response(["Content-Type": "application/json"], body: "{}"))
                try await get(server.target(path), then: words, input: input, in: folder)
                let request = try #require(server.requests.first)
                let text = String(decoding: request.rawHead + request.body, as: UTF8.self)
                for part in wire { #expect(text.contains(part), "\(text)") }
            },
            OptionRow(name, needs: .httpbin) { folder in
                let run = try await get(Self.httpbin(path), then: words, input: input, in: folder)
                let answer = try JSON(parsing: run.output)
                for (path, value) in httpbin {
                    let found = path.split(separator: ".").reduce(answer as JSON?) { $0?[String($1)] }
                    #expect(found == value, "\(path): \(answer)")
                }
            },
        ]
    }

    static func httpbin(_ path: String) throws -> String {
        try #require(HTTPBin.url).absoluteString.trimmingCharacters(in: ["/"]) + path
    }
}
