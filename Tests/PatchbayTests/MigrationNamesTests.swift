#if os(Linux)
    import Testing

    /// Names that exist for another library's spelling are in `PatchbayMigration`, and nowhere that `import Patchbay` reaches.
    @Suite(.timeLimit(.minutes(5)))
    struct MigrationNamesTests {
        private static let theirs = ["alamofire", "afnetworking", "legacy", "notification", "whendone", "success: "]

        private static func names(of modules: [String]) async throws -> [String] {
            try await SymbolGraph.all(of: modules).flatMap(\.symbols).map {
                "\($0.pathComponents.joined(separator: ".")): \($0.declaration)"
            }.filter { name in
                let name = name.lowercased()
                return theirs.contains { name.contains($0) }
            }
        }

        @Test("No public name of the modules of Patchbay is one of another library")
        func patchbay() async throws {
            let others = SymbolGraph.modules.filter { $0 != "PatchbayMigration" }
            #expect(try await Self.names(of: others) == [])
        }

        @Test("PatchbayMigration has many")
        func migration() async throws {
            #expect(try await Self.names(of: ["PatchbayMigration"]).count > 40)
        }
    }
#endif
