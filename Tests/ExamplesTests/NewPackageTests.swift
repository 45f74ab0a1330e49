import Foundation
import TestSupport
import Testing

/// Pastes the lines of the README and of Installing.md into new packages and builds them, as a user who adds Patchbay does. Minutes of
/// work: each way to get Patchbay compiles all of it.
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
            let hello = folder.appending(path: "hello")
            let manifest = try package.replacing("../patchbay", with: "../elsewhere")
            try Self.write(manifest, to: hello.appending(path: "Package.swift"))
            try Self.write(readme.blocks(of: "swift")[0], to: hello.appending(path: "Sources/hello/main.swift"))
            try await Self.build(hello)
            let built = hello.appending(path: ".build/debug/Modules")
            for (module, isBuilt) in [("Patchbay", true), ("PatchbayMigration", false), ("PatchbayCLI", false)] {
                let file = built.appending(path: "\(module).swiftmodule").path(percentEncoded: false)
                #expect(FileManager.default.fileExists(atPath: file) == isBuilt, "\(module)")
            }
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
            let printed = run.outputText.replacing(#/127\.0\.0\.1:\d+/#, with: "127.0.0.1:8080")
            #expect(printed == readme.blocks(of: "text").first)

            // What else a user writes, with what is built already: nothing here is in the package of the library.
            let calls = folder.appending(path: "calls")
            let products = try lines(".product(")
            #expect(products.count == 4)
            try Self.write(
                Self.calls.replacing("PRODUCTS", with: products.joined(separator: ", ")),
                to: calls.appending(path: "Package.swift"))
            let modules = products.compactMap { $0.split(separator: "\"").dropFirst().first }
            try Self.write(
                modules.map { "import \($0)\n" }.joined(), to: calls.appending(path: "Sources/Pages/Products.swift"))
            for name in ["Calls.swift", "MigratedCalls.swift", "EverydayCalls.swift", "StubbedCalls.swift"] {
                let text = try Self.source("NewPackage/\(name)")
                for mode in [5, 6] {
                    try Self.write(text, to: calls.appending(path: "Sources/Calls\(mode)/\(name)"))
                }
            }
            for name in [
                "ReadmeExamples", "ErrorExamples", "StreamExamples", "RequestExamples", "GuideExamples",
                "Manifest/OwnFactoryExample",
            ] {
                let text = try Self.source("../PatchbayTests/\(name).swift")
                try Self.write(text, to: calls.appending(path: "Sources/Pages/\(name).swift"))
            }
            let framing = try Markdown("Documentation/OwnFraming.md").blocks(of: "swift")
            try Self.write(
                "import Foundation\nimport Patchbay\n" + framing[0] + framing[2] + framing[3] + framing[5],
                to: calls.appending(path: "Sources/Pages/Framing.swift"))
            try Self.write(
                try Self.source("NewPackage/Beside.swift"), to: calls.appending(path: "Sources/Beside/Beside.swift"))
            // An example of a format of one's own has no more than the products, too.
            try FileManager.default.copyItem(
                at: Markdown.root.appending(path: "Examples/CBOR"), to: calls.appending(path: "Sources/CBOR"))
            for (module, names) in try Self.otherNames() {
                let text = names.map { "public enum \($0) {}\n" }.joined()
                try Self.write(text, to: calls.appending(path: "Sources/\(module)/Names.swift"))
            }
            try await Self.build(calls, "--scratch-path", hello.appending(path: ".build").path(percentEncoded: false))
        }
    }

    /// The package of the calls. Alamofire, Vapor and WidgetKit are modules with the names of theirs.
    private static let calls = """
        // swift-tools-version: 6.2
        import PackageDescription
        let dependencies: [Target.Dependency] = [PRODUCTS]
        let package = Package(
            name: "calls", platforms: [.macOS(.v15)],
            dependencies: [.package(name: "patchbay", path: "../elsewhere")],
            targets: [
                .target(name: "Calls5", dependencies: dependencies, swiftSettings: [.swiftLanguageMode(.v5)]),
                .target(name: "Calls6", dependencies: dependencies, swiftSettings: [.swiftLanguageMode(.v6)]),
                .target(name: "Pages", dependencies: dependencies),
                .executableTarget(name: "CBOR", dependencies: dependencies, exclude: ["cbor.json"]),
                .target(name: "Alamofire"), .target(name: "Vapor"), .target(name: "WidgetKit"),
                .target(name: "Beside", dependencies: dependencies + ["Alamofire", "Vapor", "WidgetKit"]),
            ])
        """

    /// A file of the tests, by its path from this folder.
    private static func source(_ path: String) throws -> String {
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: path)
        return try String(contentsOf: file, encoding: .utf8)
    }

    /// The modules of others, and the names of their public types.
    private static func otherNames() throws -> [String: [String]] {
        let rows = try source("NewPackage/names.tsv").split(separator: "\n").filter { !$0.hasPrefix("#") }
        return Dictionary(grouping: rows.map { $0.split(separator: "\t").map(String.init) }, by: \.[0])
            .mapValues { $0.map { $0[1] } }
    }

    private static let git = "/usr/bin/git"
    private static let libraries = ["simdjson.h", "gdk-pixbuf-2.0/gdk-pixbuf/gdk-pixbuf.h"]

    @Test(
        "by the URL of a repository, with every product of Installing.md, and with its traits where their libraries are",
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
            let dependencies = try lines(".package(").map {
                $0.replacing("<the repository's URL>", with: "file://" + place)
            }
            let branch = try #require(
                dependencies.first { $0.contains("branch:") && $0.contains("traits:") == hasLibraries })
            let version = try #require(dependencies.first { $0.contains("from:") })
            let products = try lines(".product(")
            let hello = folder.appending(path: "hello")
            func manifest(_ dependency: String) throws -> String {
                try package.replacing(
                    #".package(name: "patchbay", path: "../patchbay")"#, with: dependency
                )
                .replacing(#".product(name: "Patchbay", package: "patchbay")"#, with: products.joined(separator: ", "))
                .replacing(".executableTarget", with: ".target")
            }
            try Self.write("import Patchbay\n", to: hello.appending(path: "Sources/hello/All.swift"))
            try Self.write(try manifest(version), to: hello.appending(path: "Package.swift"))
            try await Self.swift(
                "package", "resolve", "--package-path", hello.path(percentEncoded: false), "--disable-dependency-cache")
            try Self.write(try manifest(branch), to: hello.appending(path: "Package.swift"))
            // The whole package is planned, and what a trait changes is compiled. The test beside this one compiles the rest, and imports
            // every product.
            for target in hasLibraries ? ["PatchbayJSON", "CPatchbayGdkPixbuf"] : ["PatchbayJSON"] {
                try await Self.build(hello, "--disable-dependency-cache", "--target", target)
            }
        }
    }

    /// The package of the README.
    private var package: String {
        get throws { try #require(readme.blocks(of: "swift").first { $0.hasPrefix("// swift-tools-version") }) }
    }

    /// The code in the tables of Installing.md that begins so.
    private func lines(_ start: String) throws -> [String] {
        try Markdown("Documentation/Installing.md").text.split(separator: "`").map(String.init).filter {
            $0.hasPrefix(start)
        }
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
        // File by file, as users build: a fault of the compiler may be in no other build. Neither a debugger nor an editor reads what
        // comes of it.
        let options = ["-debug-info-format", "none", "--disable-index-store", "-Xswiftc", "-use-ld=lld"]
        try await swift(["build", "--package-path", package.path(percentEncoded: false)] + options + more)
    }

    private static func swift(_ words: String...) async throws { try await swift(words) }

    /// Runs the toolchain, which has nothing to complain of.
    private static func swift(_ words: [String]) async throws {
        let run = try await ChildProcess.run("/usr/bin/env", ["swift"] + words, limit: .seconds(600))
        let printed = run.outputText + run.errorText
        try #require(run.end == .exited(0), "\(printed.suffix(4000))")
        // The package manager asks for batches in any case.
        let ofOptions = "warning: ignoring '-enable-batch-mode' because '-whole-module-optimization' was also specified"
        #expect(!printed.replacing(ofOptions, with: "").contains("warning:"), "\(printed.suffix(4000))")
    }

    /// Where the build leaves its programs, the tests among them.
    private static let products = URL(filePath: CommandLine.arguments.first ?? "").deletingLastPathComponent()
}

/// `NewPackage/Beside.swift` names every public type of Patchbay, and qualifies the names that others have too.
@Suite struct OtherNamesTests {
    private static func text(_ path: String) throws -> String {
        let tests = URL(filePath: #filePath).deletingLastPathComponent()
        return try String(contentsOf: tests.appending(path: path), encoding: .utf8)
    }

    @Test("no public type is missing, and a name of another module stands with its own")
    func complete() throws {
        let types = try Self.text("../../API/Patchbay.api").matches(
            of: #/^(?:\w+ )*(?:struct|enum|class|protocol|actor) (\w+)(?=[ <]|$)/#.anchorsMatchLineEndings()
        ).map { String($0.1) }
        let theirs = Set(
            try Self.text("NewPackage/names.tsv").split(separator: "\n").compactMap {
                $0.split(separator: "\t").last.map(String.init)
            })
        let written = try Self.text("NewPackage/Beside.swift")
        #expect(types.count > 60)
        for type in types {
            let name = theirs.contains(type) ? "Patchbay.\(type)" : " \(type)"
            #expect(written.contains(try Regex("\(name)[<.)]")), "\(type)")
        }
        // Those that the guide tells of.
        let guide = try Self.text("../../Documentation/ComingFromAFNetworkingOrAlamofire.md")
        for type in types where theirs.contains(type) { #expect(guide.contains("`Patchbay.\(type)`"), "\(type)") }
    }
}
