#if os(Linux)
    import Foundation
    import PatchbayJSON
    import TestSupport
    import Testing

    /// Runs `CallerIsolation`, and holds its table to what the modules have. `scripts/test` runs it again as it is built for release.
    @Suite(.timeLimit(.minutes(5)))
    struct CallerIsolationTests {
        /// What the libraries of the package consist of.
        static let modules = [
            "Patchbay", "PatchbayJSON", "PatchbayRegistry", "PatchbayPlugins", "PatchbayManager", "PatchbayCurl",
            "PatchbayURLSession", "PatchbayTesting",
        ]

        /// Where the build leaves its programs and modules, the tests among them.
        private static let products = URL(filePath: CommandLine.arguments.first ?? "").deletingLastPathComponent()

        @Test("Whoever calls from an actor is on it when the call is over, whatever became of it")
        func staysOnActor() async throws {
            let child = try await Self.program([], limit: .seconds(240))
            #expect(child.end == .exited(0), "\(child.outputText)")
            #expect(child.outputText.contains(", 0 failed"))
        }

        @Test("The table has every public async function of every module, as often as there are functions of that name")
        func complete() async throws {
            let listed = try await Self.program(["names"]).outputText.split(separator: "\n").map(String.init)
            let folder = FileManager.default.temporaryDirectory.appending(path: "symbols-\(UUID().uuidString)")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(at: folder) }
            for module in Self.modules { try await Self.extractSymbols(of: module, to: folder) }
            var found: [String] = []
            for file in try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil) {
                let graph = try JSON(parsing: Data(contentsOf: file)).decode(SymbolGraph.self)
                found += graph.symbols.filter(\.isAsync).map { $0.pathComponents.joined(separator: ".") }
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
                products.appending(path: "CallerIsolation").path(percentEncoded: false), words, limit: limit)
        }

        private static func extractSymbols(of module: String, to folder: URL) async throws {
            #if arch(arm64)
                let target = "aarch64-unknown-linux-gnu"
            #else
                let target = "x86_64-unknown-linux-gnu"
            #endif
            let folders = try FileManager.default.contentsOfDirectory(atPath: products.path(percentEncoded: false))
            let maps = folders.filter { $0.hasPrefix("CPatchbay") && $0.hasSuffix(".build") }.map {
                products.appending(path: "\($0)/module.modulemap").path(percentEncoded: false)
            }
            let child = try await ChildProcess.run(
                "/usr/bin/env",
                ["swift", "symbolgraph-extract", "-module-name", module, "-target", target]
                    + ["-minimum-access-level", "public", "-skip-synthesized-members"]
                    + ["-I", products.appending(path: "Modules").path(percentEncoded: false)]
                    + maps.flatMap { ["-Xcc", "-fmodule-map-file=\($0)"] }
                    + ["-output-dir", folder.path(percentEncoded: false)])
            try #require(child.end == .exited(0), "\(module): \(child.errorText)")
        }
    }

    /// As much as is needed of what `swift symbolgraph-extract` writes.
    private struct SymbolGraph: Decodable {
        struct Symbol: Decodable {
            struct Fragment: Decodable { let spelling: String }

            let pathComponents: [String]
            let declarationFragments: [Fragment]

            var isAsync: Bool { Self.isAsync(declarationFragments.map(\.spelling).joined()) }

            /// Whether the word stands outside of all parentheses.
            static func isAsync(_ declaration: String) -> Bool {
                var depth = 0
                var outside = ""
                for character in declaration {
                    if character == "(" { depth += 1 }
                    if depth == 0 { outside.append(character) }
                    if character == ")" { depth -= 1 }
                }
                return outside.split { !$0.isLetter }.contains("async")
            }
        }

        let symbols: [Symbol]
    }
#endif
