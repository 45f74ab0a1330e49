#if os(Linux)
    import Foundation
    import TestSupport
    import Testing

    /// Runs `CallerIsolation`, and holds its table to what the modules have. `scripts/check` runs it again as it is built for release.
    @Suite(.timeLimit(.minutes(5)))
    struct CallerIsolationTests {
        @Test("Whoever calls from an actor is on it when the call is over, whatever became of it")
        func staysOnActor() async throws {
            let child = try await Self.program([], limit: .seconds(240))
            #expect(child.end == .exited(0), "\(child.outputText)")
            #expect(child.outputText.contains(", 0 failed"))
        }

        @Test("The table has every public async function of every module, as often as there are functions of that name")
        func complete() async throws {
            let listed = try await Self.program(["names"]).outputText.split(separator: "\n").map(String.init)
            let found = try await SymbolGraph.all().flatMap(\.symbols).filter(\.isAsync).map {
                $0.pathComponents.joined(separator: ".")
            }
            #expect(found.count > 50)
            let missing = Self.less(found, listed)
            #expect(missing.isEmpty, "Tests/CallerIsolation has no row for \(missing)")
            let gone = Self.less(listed, found)
            #expect(gone.isEmpty, "Tests/CallerIsolation has a row more for \(gone)")
        }

        @Test(
            "A signature is async where it says so of itself, not of what it is given",
            arguments: [
                ("func f() async throws(E) -> Int", true), ("func f(_ a: () async -> Void)", false),
                ("var v: Int { get async }", true), ("func g<A>(_ a: (A) async -> A) async -> A", true),
                ("init(_ body: @escaping () async throws -> A)", false), ("func asynchronous()", false),
            ])
        func signatures(_ text: String, _ isAsync: Bool) {
            #expect(SymbolGraph.Symbol.isAsync(text) == isAsync)
        }

        /// What is left of the one list when each name of the other has been crossed out once.
        private static func less(_ names: [String], _ others: [String]) -> [String] {
            others.reduce(into: names.sorted()) { rest, name in
                if let index = rest.firstIndex(of: name) { rest.remove(at: index) }
            }
        }

        private static func program(_ words: [String], limit: Duration = .seconds(30)) async throws -> ChildProcess {
            try await ChildProcess.run(
                SymbolGraph.products.appending(path: "CallerIsolation").path(percentEncoded: false), words, limit: limit
            )
        }
    }
#endif
