import Foundation
import TestSupport
import Testing

/// Holds `scripts/apple` to what it must find, with a package that has a fault in each target.
@Suite(.timeLimit(.minutes(5)))
struct AppleScriptTests {
    struct Fault: Sendable {
        let name: String
        let file: String
        let source: String
        let says: String
    }

    static let faults = [
        Fault(
            name: "Newer", file: "a.swift", source: "func first(_ bytes: [UInt8]) -> Int { bytes.span.count }",
            says: "a.swift:1:45: error: 'span' is only available in macOS 26.0 or newer"),
        Fault(
            name: "Borrowing", file: "a.swift",
            source: """
                import Foundation
                struct Request { var url: URL; var isSafe: Bool }
                func isSafe(_ request: borrowing Request, _ flag: Bool) -> Bool { flag && request.isSafe }
                """,
            says: "error: 'request' is borrowed and cannot be consumed"),
        Fault(
            name: "Undeclared", file: "a.swift", source: "import Sound",
            says: "a.swift:1:8: error: no such module 'Sound'"),
        Fault(
            name: "Delegate", file: "a.swift",
            source: """
                import Foundation
                func end(_ parser: XMLParser, _ delegate: any XMLParserDelegate) { delegate.parserDidEndDocument(parser) }
                """,
            says: "error: value of optional type '((XMLParser) -> ())?' must be unwrapped"),
        Fault(
            name: "Importing", file: "a.swift",
            source: "internal import CoreGraphics\npublic func width(_ image: CGImage) -> Int { 1 }",
            says: "error: function cannot be declared public because its parameter uses an internal type"),
        Fault(
            name: "Linking", file: "a.c",
            source: "void *curl_easy_init(void);\nvoid *start(void) { return curl_easy_init(); }",
            says: "product Linked for arm64-apple-ios18.0: Linking calls what no library has: curl_easy_init"),
        Fault(
            name: "Asking", file: "a.swift", source: "let a = 1\n#if canImport(Sound) || os(Linux)\n#endif",
            says: "Sources/Asking/a.swift:2: canImport(Sound) asks for a module of the package; ask for the platform"),
        Fault(
            name: "Warned", file: "a.swift", source: "func unused() { let one = 1 }",
            says: "warning: initialization of immutable value 'one' was never used"),
        Fault(
            name: "WarnedInC", file: "a.c", source: "int start(void) { int one; return 1; }",
            says: "warning: unused variable 'one'"),
        Fault(
            name: "Wide", file: "a.swift", source: "let wide: Int = 4_294_967_296",
            says: "error: integer literal '4294967296' overflows when stored into 'Int'"),
    ]

    @Test(
        "scripts/apple finds each fault, and none where there is none",
        .enabled(if: Self.hasMade("macos"), "scripts/apple makes what this needs, and scripts/check runs it"))
    func faults() async throws {
        let run = try await Self.check("macos")
        #expect(run.end == .exited(1))
        for fault in Self.faults {
            #expect(run.outputText.contains(fault.says) == (fault.name != "Wide"), "\(fault.name): \(run.outputText)")
        }
        #expect(!run.outputText.contains("Sound on macos") && !run.outputText.contains("Sources/Sound"))
    }

    @Test(
        "scripts/apple: an Int has 32 bits on watchOS",
        .enabled(
            if: Self.hasMade("watchos"), "scripts/apple watchos makes what this needs, and scripts/check --long runs it"
        ))
    func narrow() async throws {
        let run = try await Self.check("watchos")
        #expect(run.end == .exited(1))
        let wide = try #require(Self.faults.first { $0.name == "Wide" })
        #expect(run.outputText.contains(wide.says), "\(run.outputText)")
    }

    @Test("scripts/apple fails without network, and says what is left out")
    func withoutNetwork() async throws {
        let folder = try Self.folder()
        defer { try? FileManager.default.removeItem(at: folder) }
        let run = try await ChildProcess.run(
            "/usr/bin/env", ["bash", Markdown.root.appending(path: "scripts/apple").path, "ios"],
            environment: ["PATCHBAY_APPLE": folder.path, "PIP_NO_INDEX": "1", "PIP_FIND_LINKS": folder.path],
            limit: .seconds(120))
        #expect(run.end == .exited(1))
        let end =
            "apple: FAILED: ios is left out, because ziglang, which has Apple's headers, could not be downloaded\n"
        #expect(run.errorText.hasSuffix(end), "\(run.errorText)")
    }

    @Test("scripts/apple refuses an option that it does not know")
    func option() async throws {
        let script = Markdown.root.appending(path: "scripts/apple").path
        let run = try await ChildProcess.run("/usr/bin/env", ["bash", script, "macos", "--all"])
        #expect(run.end == .exited(2))
        #expect(run.errorText == "apple: there is no option --all; there is --tests\n")
    }

    private static let cache = Markdown.root.appending(path: ".build/apple").path

    private static func hasMade(_ platform: String) -> Bool {
        FileManager.default.fileExists(atPath: "\(cache)/\(platform)/made")
    }

    private static func folder() throws -> URL {
        let folder = URL.temporaryDirectory.appending(path: "patchbay-apple-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        return folder
    }

    /// Writes the package, and compiles it for a platform.
    private static func check(_ platform: String) async throws -> ChildProcess {
        let folder = try folder()
        defer { try? FileManager.default.removeItem(at: folder) }
        let sound = Fault(name: "Sound", file: "a.swift", source: "import Foundation\npublic let one = 1", says: "")
        for target in [sound] + faults {
            let sources = folder.appending(path: "Sources/\(target.name)")
            try FileManager.default.createDirectory(
                at: sources.appending(path: "include"), withIntermediateDirectories: true)
            try Data((target.source + "\n").utf8).write(to: sources.appending(path: target.file))
        }
        let targets = ([sound] + faults).map { #".target(name: "\#($0.name)")"# }.joined(separator: ", ")
        let package = """
            // swift-tools-version: 6.2
            import PackageDescription
            let package = Package(
                name: "faults", platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
                products: [.library(name: "Linked", targets: ["Linking"])], targets: [\(targets)])
            """
        try Data(package.utf8).write(to: folder.appending(path: "Package.swift"))
        let script = Markdown.root.appending(path: "scripts/apple.py").path
        return try await ChildProcess.run(
            "/usr/bin/env", ["python3", "-B", script, folder.path, cache, platform], limit: .seconds(240))
    }
}
