import Foundation
import Patchbay
import PatchbayTesting
import PatchbayTools
import TestSupport
import Testing

/// Holds the README, and the pages that it leads to, to the code: their Swift is compiled, their manifests load, their output is what is
/// printed, their links lead somewhere.
@Suite(.timeLimit(.minutes(5)))
struct ReadmeTests {
    private let readme: Markdown

    init() throws { readme = try Markdown("README.md") }

    static let pages =
        ["README"]
        + [
            "Connections", "Cookies", "EditingTheTable", "Formats", "Installing", "OwnFormat", "OwnTransport",
            "Requests", "Security",
            "Testing",
        ]
        .map {
            "Documentation/\($0)"
        }

    @Test(arguments: pages) func swiftIsCompiled(_ page: String) throws {
        // The first two of the README are a package of their own, which NewPackageTests builds.
        let files =
            ["ReadmeExamples", "RequestExamples", "ErrorExamples", "StreamExamples", "TestingPageTests"].map {
                "Tests/PatchbayTests/\($0).swift"
            } + ["EverydayCalls", "StubbedCalls"].map { "Tests/ExamplesTests/NewPackage/\($0).swift" }
            + ["CustomHandler", "OrderByManifest", "PerHost"].map { "Examples/\($0)/main.swift" }
        #expect(try Markdown("\(page).md").swift(missingIn: files, behind: page == "README" ? 2 : 0) == [])
    }

    @Test("a page is read in one go: the README has at most 150 lines")
    func length() { #expect(readme.text.split(separator: "\n", omittingEmptySubsequences: false).count <= 151) }

    @Test("every link of a page leads to a file, and to a heading that it has")
    func links() throws {
        let root = Markdown.root
        let names = try FileManager.default.contentsOfDirectory(atPath: root.appending(path: "Documentation").path)
        let pages = ["README.md", "CONTRIBUTING.md", "RELEASING.md"] + names.map { "Documentation/\($0)" }
        #expect(pages.count > 12)
        for page in pages where page.hasSuffix(".md") {
            for link in Self.links(in: try Markdown(page).text) {
                let parts = link.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
                let folder = root.appending(path: page).deletingLastPathComponent()
                let file = parts[0].isEmpty ? root.appending(path: page) : folder.appending(path: parts[0]).standardized
                guard FileManager.default.fileExists(atPath: file.path) else {
                    Issue.record("\(page): \(link) leads to no file")
                    continue
                }
                guard parts.count == 2 else { continue }
                let headings = Self.anchors(in: try String(contentsOf: file, encoding: .utf8))
                #expect(headings.contains(parts[1]), "\(page): \(link) leads to no heading")
            }
        }
    }

    @Test("the index has every page")
    func index() throws {
        let index = try Markdown("Documentation/README.md").text
        let pages = try FileManager.default.contentsOfDirectory(
            atPath: Markdown.root.appending(path: "Documentation").path)
        for page in pages where page.hasSuffix(".md") && page != "README.md" {
            #expect(index.contains("](\(page))"), "\(page)")
        }
    }

    /// The links to files of this package, outside code.
    private static func links(in text: String) -> [String] {
        let prose = text.replacing(#/(?s)\n```.*?\n```/#, with: "").replacing(#/`[^`\n]*`/#, with: "`")
        return prose.matches(of: #/\]\(([^)\s]+)\)/#).map { String($0.1) }.filter { !$0.contains("://") }
    }

    /// The anchors of the headings, as GitHub makes them.
    private static func anchors(in text: String) -> Set<String> {
        let prose = text.replacing(#/(?s)\n```.*?\n```/#, with: "")
        var counts: [String: Int] = [:]
        return Set(
            prose.matches(of: #/(?m)^#+ (.*)$/#).map { match in
                let kept = match.1.lowercased().unicodeScalars.filter {
                    $0 == " " || $0 == "-" || $0 == "_" || $0.properties.isAlphabetic
                        || $0.properties.numericType != nil
                }
                let anchor = String(String.UnicodeScalarView(kept)).replacing(" ", with: "-")
                defer { counts[anchor, default: 0] += 1 }
                return counts[anchor].map { "\(anchor)-\($0)" } ?? anchor
            })
    }

    @Test("the program on the front page of the site is compiled")
    func theSwiftOfTheSiteIsCompiled() throws {
        let front = try Markdown("Sources/Patchbay/Patchbay.docc/Patchbay.md")
        #expect(front.blocks(of: "swift").count == 1)
        #expect(try front.swift(missingIn: ["Tests/PatchbayTests/ReadmeExamples.swift"]) == [])
    }

    /// The rest of that page is replayed by `WalkTests`.
    @Test func theSwiftOfTheWalkIsCompiled() throws {
        let walk = try Markdown("Documentation/Walk.md")
        #expect(walk.blocks(of: "swift").count == 1)
        #expect(try walk.swift(missingIn: ["Tests/PatchbayTests/ReadmeExamples.swift"]) == [])
    }

    @Test(arguments: ["README"] + ["EditingTheTable", "Formats", "Requests"].map { "Documentation/\($0)" })
    func manifestsLoad(_ page: String) throws {
        var factories = SerializerFactories.standard
        try factories.register("csv") { TextSerializer() }
        #expect(try Markdown("\(page).md").expectManifests(factories) >= 1)
    }

    @Test func outputIsPrinted() async throws {
        let server = try RawServer { request in
            switch request.target {
            case "/users/2":
                .response(
                    status: 404, ["Content-Type": "application/problem+json"],
                    body: #"{"title": "Not found", "detail": "There is no user 2."}"#)
            default: .response(["Content-Type": "application/json"], body: #"{"id": 3, "name"}"#)
            }
        }
        let printed = Shared<[String]>([])
        await Printed.$lines.withValue(printed) { await fail(at: server.url()) }
        let lines = printed.withLock { $0 }.map { $0.replacing("127.0.0.1:\(server.port)", with: "api.example.com") }
        #expect(try Markdown("Documentation/Requests.md").blocks(of: "text") == [lines.joined(separator: "\n") + "\n"])
    }

    @Test("the entry of one host asks for JSON first, also with text/html alone", arguments: [false, true])
    func accept(_ isPageAlone: Bool) async throws {
        let page = try Markdown("Documentation/EditingTheTable.md")
        let block = try #require(page.blocks(of: "json").first { $0.contains("legacy-json") })
        let last = try #require(page.blocks(of: "json").last { $0.contains("legacy-json") })
        for block in [block, last] {
            let manifest = isPageAlone ? block.replacing(#""@json", "#, with: "") : block
            #expect((manifest == block) == !isPageAlone)
            let stub = StubTransport { _ in
                StubReply(fields: ["Content-Type": "text/html"], body: #"{"id":1,"name":"Ada"}"#)
            }
            let manager = SessionManager(
                registry: try SerializerRegistry([.text(manifest, name: "README")]), transport: stub)
            #expect(try await manager.get("https://legacy.example/users/1", as: User.self).name == "Ada")
            let accept = try #require(stub.requests.first?.head.fields["Accept"])
            #expect(accept.hasPrefix("application/json, "))
            #expect(accept.hasSuffix(", text/html;q=0.2, */*;q=0.1"))
        }
    }

    @Test("the entry of one host writes JSON for it, with its own options", arguments: ["legacy", "api"])
    func writes(_ host: String) async throws {
        let page = try Markdown("Documentation/EditingTheTable.md")
        let section = try #require(page.blocks(of: "json").last { $0.contains("legacy-json") })
        let keys = """
            { "manifestVersion": 1, "plugins": [{ "id": "json", "options": { "keys": "snakeCase" } }] }
            """
        let registry = try SerializerRegistry.standard.overlaid(by: .text(keys, name: "keys"))
            .overlaid(by: .text(section, name: "section"))
        let stub = StubTransport { _ in StubReply() }
        let manager = SessionManager(registry: registry, transport: stub)
        struct Visitor: Encodable, Sendable { let userName: String }
        let request = SessionRequest("https://\(host).example/users", body: Visitor(userName: "Ada"))
        _ = try await manager.send(request)
        let body = try #require(stub.requests.first?.body?.data)
        #expect(String(decoding: body, as: UTF8.self).contains(host == "api" ? "user_name" : "userName"))
    }

    @Test(
        "a typed call of JSON under another type is an error, and the policy of the page decodes it",
        arguments: ["text/html", "text/plain", "application/octet-stream", nil])
    func wrongType(_ type: String?) async throws {
        let policy = try #require(try Markdown("Documentation/Requests.md").blocks(of: "json").first)
        let stub = StubTransport { _ in
            StubReply(fields: type.map { ["Content-Type": $0] } ?? [:], body: #"{"id":1,"name":"Ada"}"#)
        }
        let base = URL(string: "https://api.example.com")
        let manager = SessionManager(baseURL: base, registry: .standard, transport: stub)
        await #expect(throws: SessionError.self) { try await manager.get("users/1", as: User.self) }
        manager.registry = try SerializerRegistry([.text(policy, name: "page")])
        #expect(try await manager.get("users/1", as: User.self).name == "Ada")
    }

    @Test("the page on requests names each member of a TransferProgress")
    func transferProgress() throws {
        let page = try Markdown("Documentation/Requests.md").text
        let stored = Mirror(reflecting: TransferProgress()).children.compactMap(\.label)
        #expect(stored.count == 3)
        for name in stored + ["fractionCompleted"] { #expect(page.contains("`\(name)`"), "\(name)") }
    }

    @Test("DELETE with a body, as the page has it")
    func delete() async throws {
        let page = try Markdown("Documentation/Requests.md").text
        #expect(page.contains(#"`SessionRequest("orders/1", method: "DELETE", body: value)`"#))
        let stub = StubTransport { _ in StubReply() }
        let manager = SessionManager(
            baseURL: URL(string: "https://api.example.com"), registry: .standard, transport: stub)
        let value = ["reason": "sold out"]
        _ = try await manager.send(SessionRequest("orders/1", method: "DELETE", body: value))
        #expect(stub.requests.map(\.head.method) == ["DELETE"])
        #expect(stub.requests.map { $0.body?.data } == [Data(#"{"reason":"sold out"}"#.utf8)])
    }

    @Test("the systems that lack libcurl are those for which its loader is left out")
    func systems() throws {
        let loader = try Markdown("Sources/C/CPatchbayCurl/LibcurlLoader.c").text
        #expect(loader.contains("(defined(__linux__) && !defined(__GLIBC__))\nstatic int load(void) { return 0; }"))
        #expect(loader.contains(#"dlopen("libcurl.so.4""#))
        let page = try Markdown("Documentation/Installing.md").text
        for words in ["glibc", "musl", "`dlopen`", "`libcurl.so.4`"] { #expect(page.contains(words), "\(words)") }
    }

    @Test func theTableOfFormatsNamesEveryFactory() throws {
        let page = try Markdown("Documentation/Formats.md").text
        for name in SerializerFactories.standard.names {
            #expect(page.contains("\n| `\(name)` |"), "the table has no row for \(name)")
        }
    }
}
