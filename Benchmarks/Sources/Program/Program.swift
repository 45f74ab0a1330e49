import Foundation

/// Measures everything side by side and prints one table.
@main
struct Program {
    static func main() async {
        do {
            try await run(Arguments(CommandLine.arguments.dropFirst()))
        } catch {
            FileHandle.standardError.write(Data("bench: \(error)\n".utf8))
            exit(1)
        }
    }

    private static func run(_ arguments: Arguments) async throws {
        let stopwatch = Stopwatch(isQuick: arguments.isQuick)
        var rows: [Row] = []
        func measure(_ more: [Row]) {
            for row in more { note("\(row.row), \(row.against): \(row.ratio)") }
            rows += more
        }
        if arguments.measures(.lookup) { measure(try await LookupRows(stopwatch).rows()) }
        if arguments.measures(.json) {
            let json = JSONRows(stopwatch)
            for corpus in try Corpus.all(in: arguments.corpora) { measure(try await corpus.rows(json)) }
            measure(try await json.sizes(upTo: arguments.isQuick ? 4 << 20 : 64 << 20))
            if let program = arguments.withoutTraits { measure(try rowsWithoutTraits(program, arguments)) }
        }
        if arguments.measures(.network), let origin = arguments.origin {
            let network = try NetworkRows(stopwatch, origin, arguments.work, isQuick: arguments.isQuick)
            measure(try await network.small(arguments.server.flatMap { Processors(server: $0) }))
            measure(try await network.large())
        }
        if arguments.measures(.formats) { measure(try await FormatRows(stopwatch).rows()) }
        if arguments.measures(.streams) {
            measure(try await StreamRows(stopwatch).rows())
            measure(try await StreamSocketRows(stopwatch, isQuick: arguments.isQuick).rows())
        }
        if arguments.measures(.program) { measure(try await ProgramRows(stopwatch, arguments).rows()) }
        let table = Table(rows: rows).description + "\n"
        print(table, terminator: "")
        if let file = arguments.markdown { try Data(table.utf8).write(to: file) }
        if let file = arguments.json {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
            try encoder.encode(rows).write(to: file)
        }
    }

    /// What the build without traits says of JSON.
    private static func rowsWithoutTraits(_ program: String, _ arguments: Arguments) throws -> [Row] {
        let file = arguments.work.appendingPathComponent("without-traits.json")
        var words = ["--only", "json", "--json", file.path]
        if arguments.isQuick { words.append("--quick") }
        if let corpora = arguments.corpora { words += ["--corpora", corpora.path] }
        guard try ChildProgram(program, words).run() == 0 else {
            throw WorkFailure("the build without traits did not run")
        }
        return try JSONDecoder().decode([Row].self, from: Data(contentsOf: file))
    }

    private static func note(_ text: String) {
        FileHandle.standardError.write(Data("bench: \(text)\n".utf8))
    }
}
