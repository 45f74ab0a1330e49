#if os(Linux)
    import Foundation
    import PatchbayJSON
    import TestSupport
    import Testing

    /// As much as is needed of what `swift symbolgraph-extract` writes.
    struct SymbolGraph: Decodable {
        struct Symbol: Decodable {
            struct Fragment: Decodable { let spelling: String }

            let pathComponents: [String]
            let declarationFragments: [Fragment]

            /// As it is written, without its body.
            var declaration: String { declarationFragments.map(\.spelling).joined() }

            var isAsync: Bool { Self.isAsync(declaration) }

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

        /// What the libraries of the package consist of.
        static let modules = [
            "Patchbay", "PatchbayJSON", "PatchbayRegistry", "PatchbayPlugins", "PatchbayManager", "PatchbayCurl",
            "PatchbayURLSession", "PatchbayTesting", "PatchbayMigration",
        ]

        /// Where the build leaves its programs and modules, the tests among them.
        static let products = URL(filePath: CommandLine.arguments.first ?? "").deletingLastPathComponent()

        /// The public symbols of some modules, those that extend other modules among them.
        static func all(of modules: [String] = modules) async throws -> [SymbolGraph] {
            let folder = FileManager.default.temporaryDirectory.appending(path: "symbols-\(UUID().uuidString)")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(at: folder) }
            for module in modules { try await extract(module, to: folder) }
            return try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil).map {
                try JSON(parsing: Data(contentsOf: $0)).decode(SymbolGraph.self)
            }
        }

        private static func extract(_ module: String, to folder: URL) async throws {
            #if arch(arm64)
                let target = "aarch64-unknown-linux-gnu"
            #else
                let target = "x86_64-unknown-linux-gnu"
            #endif
            let folders = try FileManager.default.contentsOfDirectory(atPath: products.path(percentEncoded: false))
            let maps = folders.filter { $0.hasPrefix("CPatchbay") && $0.hasSuffix(".build") }.map {
                products.appending(path: "\($0)/module.modulemap").path(percentEncoded: false)
            }
            var words = ["swift", "symbolgraph-extract", "-module-name", module, "-target", target]
            words += ["-minimum-access-level", "public", "-skip-synthesized-members"]
            words += ["-I", products.appending(path: "Modules").path(percentEncoded: false)]
            for map in maps { words += ["-Xcc", "-fmodule-map-file=\(map)"] }
            words += ["-output-dir", folder.path(percentEncoded: false)]
            let child = try await ChildProcess.run("/usr/bin/env", words)
            try #require(child.end == .exited(0), "\(module): \(child.errorText)")
        }
    }
#endif
