import Foundation
import TestSupport
import Testing

/// Pastes what the README says into new packages and builds them, as who adds Patchbay would. Minutes of work: each way to get at
/// Patchbay compiles all of it.
@Suite(
    .serialized, .timeLimit(.minutes(15)),
    .enabled(if: TestLength.isFull, "PATCHBAY_FULL_LENGTH=1 swift test --filter NewPackageTests, as scripts/check does")
)
struct NewPackageTests {
    private let readme: Markdown

    init() throws { readme = try Markdown("README.md") }

    @Test("the README's package and program, beside a checkout in a folder of any name, run against the demo's server")
    func path() async throws {
        try await inFolder { folder in
            try Self.copyCheckout(to: folder.appending(path: "elsewhere"))
            let blocks = readme.blocks(of: "swift").map { $0.replacing("../patchbay", with: "../elsewhere") }
            try #require(blocks.count > 2)
            let hello = folder.appending(path: "hello")
            try Self.write(blocks[0], to: hello.appending(path: "Package.swift"))
            try Self.write(blocks[1], to: hello.appending(path: "Sources/hello/main.swift"))
            try await Self.build(hello)
            // The pipe has the URL once the server listens.
            let script = """
                mkfifo url
                "$0" demo --serve 0 >url &
                exec 3<url && read -r url <&3
                "$1" "$url"
                kill -INT $! && wait $!
                """
            let patchbay = Self.products.appending(path: "patchbay").path(percentEncoded: false)
            let program = hello.appending(path: ".build/debug/hello").path(percentEncoded: false)
            let run = try await ChildProcess.run(
                "/bin/sh", ["-c", script, patchbay, program], environment: ["no_proxy": "*", "NO_PROXY": "*"],
                directory: folder.path(percentEncoded: false))
            #expect(run.errorText == "")
            #expect(run.outputText == readme.blocks(of: "text").first)

            // What else a user writes, with what is built already.
            let calls = folder.appending(path: "calls")
            let targets = [5, 6].map { mode in
                """
                .target(
                    name: "Calls\(mode)",
                    dependencies: [
                        .product(name: "Patchbay", package: "patchbay"),
                        .product(name: "PatchbayMigration", package: "patchbay"),
                    ],
                    swiftSettings: [.swiftLanguageMode(.v\(mode))])
                """
            }
            let manifest = """
                // swift-tools-version: 6.2
                import PackageDescription
                let package = Package(
                    name: "calls", platforms: [.macOS(.v15)],
                    dependencies: [.package(name: "patchbay", path: "../elsewhere")],
                    targets: [\(targets.joined(separator: ", "))])
                """
            try Self.write(manifest, to: calls.appending(path: "Package.swift"))
            for name in ["Calls.swift", "MigratedCalls.swift"] {
                let source = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "NewPackage/\(name)")
                let text = try String(contentsOf: source, encoding: .utf8)
                for mode in [5, 6] {
                    try Self.write(text, to: calls.appending(path: "Sources/Calls\(mode)/\(name)"))
                }
            }
            try await Self.build(calls, "--scratch-path", hello.appending(path: ".build").path(percentEncoded: false))
        }
    }

    private static let git = "/usr/bin/git"
    private static let libraries = ["simdjson.h", "gdk-pixbuf-2.0/gdk-pixbuf/gdk-pixbuf.h"]

    @Test(
        "by the URL of a repository, with every product of the README, and with its traits where their libraries are",
        .enabled(if: FileManager.default.isExecutableFile(atPath: git), "install git"))
    func url() async throws {
        try await inFolder { folder in
            let repository = folder.appending(path: "patchbay.git")
            try Self.copyCheckout(to: repository)
            let place = repository.path(percentEncoded: false)
            let user = ["-c", "user.name=test", "-c", "user.email=test@example.com"]
            for words in [
                ["init", "-q", "-b", "main"], ["add", "-A"], ["commit", "-q", "-m", "all"], ["tag", "0.1.0"],
            ] {
                let git = try await ChildProcess.run(Self.git, ["-C", place] + user + words)
                try #require(git.end == .exited(0), "\(git.errorText)")
            }
            let hasLibraries = Self.libraries.allSatisfy {
                FileManager.default.fileExists(atPath: "/usr/include/" + $0)
            }
            let dependencies = lines(".package(").map {
                $0.replacing("<the repository's URL>", with: "file://" + place)
            }
            let branch = try #require(
                dependencies.first { $0.contains("branch:") && $0.contains("traits:") == hasLibraries })
            let version = try #require(dependencies.first { $0.contains("from:") })
            let products = lines(".product(")
            #expect(products.count == 4)
            let modules = products.compactMap { $0.split(separator: "\"").dropFirst().first }

            let hello = folder.appending(path: "hello")
            func manifest(_ dependency: String) -> String {
                readme.blocks(of: "swift")[0].replacing(
                    #".package(name: "patchbay", path: "../patchbay")"#, with: dependency
                )
                .replacing(#".product(name: "Patchbay", package: "patchbay")"#, with: products.joined(separator: ", "))
                .replacing(".executableTarget", with: ".target")
            }
            try Self.write(
                modules.map { "import \($0)\n" }.joined(), to: hello.appending(path: "Sources/hello/All.swift"))
            try Self.write(manifest(version), to: hello.appending(path: "Package.swift"))
            try await Self.swift(
                "package", "resolve", "--package-path", hello.path(percentEncoded: false), "--disable-dependency-cache")
            try Self.write(manifest(branch), to: hello.appending(path: "Package.swift"))
            try await Self.build(hello, "--disable-dependency-cache")
        }
    }

    /// What stands in the README's tables between backticks and begins so.
    private func lines(_ start: String) -> [String] {
        readme.text.split(separator: "`").map(String.init).filter { $0.hasPrefix(start) }
    }

    /// Runs a test in a folder of its own.
    private func inFolder(_ test: (URL) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "patchbay-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try await test(folder)
    }

    /// The files of this package as they are, committed or not, without what was built.
    private static func copyCheckout(to folder: URL) throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        for name in ["Package.swift", "Sources", "Tests", "Examples"] {
            try FileManager.default.copyItem(at: Markdown.root.appending(path: name), to: folder.appending(path: name))
        }
    }

    private static func write(_ text: String, to file: URL) throws {
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: file)
    }

    private static func build(_ package: URL, _ more: String...) async throws {
        // Neither a debugger nor an editor reads what comes of it.
        let options = ["-debug-info-format", "none", "--disable-index-store"]
        try await swift(["build", "--package-path", package.path(percentEncoded: false)] + options + more)
    }

    private static func swift(_ words: String...) async throws { try await swift(words) }

    /// Runs the toolchain, which has nothing to complain of.
    private static func swift(_ words: [String]) async throws {
        let run = try await ChildProcess.run("/usr/bin/env", ["swift"] + words, limit: .seconds(600))
        let printed = run.outputText + run.errorText
        try #require(run.end == .exited(0), "\(printed.suffix(4000))")
        #expect(!printed.contains("warning:"), "\(printed.suffix(4000))")
    }

    /// Where the build leaves its programs, the tests among them.
    private static let products = URL(filePath: CommandLine.arguments.first ?? "").deletingLastPathComponent()
}
