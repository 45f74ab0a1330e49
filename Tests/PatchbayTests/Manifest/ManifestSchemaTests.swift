import Foundation
import Patchbay
import PatchbayTools
import TestSupport
import Testing

/// The schema of manifests says what the loader says.
@Suite(.timeLimit(.minutes(5))) struct ManifestSchemaTests {
    private static let schema = ManifestSchema(factories: FactoryDescription.standard).json

    private static let rows = ManifestVerdict.table.filter {
        !$0.needsImages || SerializerFactories.standard.names.contains("image")
    }

    @Test("The loader refuses what the table says, and where", arguments: rows)
    func loader(_ row: ManifestVerdict) {
        let issues = row.issues
        switch row.expected {
        case .good: #expect(issues.isEmpty, "\(issues)")
        case .unknown: #expect(!issues.isEmpty)
        case .bad(let pointer):
            // A missing key is reported for its object, or where it would stand.
            #expect(issues.contains { $0.pointer == pointer }, "\(issues)")
        }
    }

    @Test("All that a schema cannot know has a row", arguments: ManifestVerdict.Unknown.allCases)
    func unknown(_ unknown: ManifestVerdict.Unknown) {
        // Two manifests it takes for this; the loader's tests have them.
        guard unknown != .layeredUse else { return }
        #expect(Self.rows.contains { $0.expected == .unknown(unknown) })
    }

    @Test(
        "The schema refuses what the loader refuses, but for what it cannot know, and at the same place",
        .enabled(if: SchemaValidator.isThere, SchemaValidator.hint))
    func schema() async throws {
        let faults = try await SchemaValidator.faults(in: Self.rows.map(\.text), by: Self.schema)
        try #require(faults.count == Self.rows.count)
        for (row, places) in zip(Self.rows, faults) {
            switch row.expected {
            case .good, .unknown: #expect(places.isEmpty, "\(row.name.prefix(200))")
            case .bad(let pointer): #expect(places == [pointer], "\(row.name.prefix(200))")
            }
        }
    }

    @Test(
        "Every manifest of the package is good by the schema, whole tables and overlays",
        .enabled(if: SchemaValidator.isThere, SchemaValidator.hint))
    func package() async throws {
        let names = [
            "Manifest", "Bodies", "EditingTheTable", "Formats", "OwnFormat", "ComingFromAFNetworkingOrAlamofire",
        ]
        let pages = ["README.md"] + names.map { "Documentation/\($0).md" }
        let examples = [
            "Plugins.json", "Examples/OrderByManifest/json-first.json", "Examples/OrderByManifest/text-first.json",
            "Examples/CBOR/cbor.json",
        ]
        let manifests =
            try examples.map { try Markdown($0).text } + pages.flatMap { try Markdown($0).blocks(of: "json") }
        #expect(manifests.count > 20)
        let faults = try await SchemaValidator.faults(in: manifests, by: Self.schema)
        for (manifest, places) in zip(manifests, faults) { #expect(places.isEmpty, "\(manifest)") }
    }

    /// A pattern, whether the loader takes a text for it, and pieces that texts are put together from.
    struct Language: Sendable, CustomTestStringConvertible {
        let pattern: ManifestPattern
        /// Nil for a text about which no regular expression can tell.
        let takes: @Sendable (String) -> Bool?
        let pieces: [String]
        var testDescription: String { pattern.name }
    }

    private static let hostPieces = [
        "a", "B", "example", ".", ".", ".com", "*", "*.", ":", ":80", ":0", ":65535", ":65536", ":00080",
        ":000080", "-", "_",
        "0", "1.2.3.4", "0x1F", "0x", "xn--a", "[::1]", "é", " ", "%", "/", String(repeating: "b", count: 63),
        String(repeating: "c", count: 64), String(repeating: "d.", count: 60),
    ]

    private static let mediaPieces = [
        "text", "TEXT", "a", "/", "/", "/b", "*", "*/*", "/*", "+", "+json", "@json", "@Audio-Or-Video", "@", ";",
        ";q=1", ";charset=", "=", "\"", "\"a;b\"", "\\", "\\\"", " ", "\t", ",", "é", "Ā", "\u{7F}", "\u{301}", "(",
        "^",
        "-",
    ]

    static let languages = [
        Language(
            pattern: .status, takes: { (try? StatusRange($0)) != nil },
            pieces: [
                "1", "2", "3", "4", "5", "6", "9", "0", "00", "99", "X", "XX", "x", "-", "-", "200", "499", " ", "é",
            ]),
        Language(
            pattern: .mediaRange,
            takes: { text in
                do throws(PatternFailure) {
                    _ = try MediaRange(text)
                    return true
                } catch {
                    // That two parameters have one name.
                    return error.reason.hasSuffix("twice") ? nil : false
                }
            },
            pieces: mediaPieces),
        Language(
            pattern: .mediaType,
            takes: { text in
                let manifest = ["manifestVersion": 1, "policy": ["requestContentType": JSON(text)]] as JSON
                let source = ManifestSource.text(manifest.serialized(), name: "m")
                if (try? SerializerRegistry(sources: [source], factories: SerializerFactories())) != nil { return true }
                do throws(PatternFailure) { _ = try MediaRange(text) } catch {
                    return error.reason.hasSuffix("twice") ? nil : false
                }
                return false
            },
            pieces: mediaPieces + ["a/b", "a/b", "text/csv", "x/y+z", ";a=b"]),
        Language(
            pattern: .essence,
            takes: { text in !text.contains("*") && MediaType(parsing: text).map { $0.essence == text } ?? false },
            pieces: ["text", "TEXT", "a", "/", "/b", "*", "+", "+json", ";", "q=1", " ", ",", "é", "!", "^", "-", "0"]),
        Language(
            pattern: .host,
            takes: { text in
                do throws(PatternFailure) {
                    _ = try SectionKey(pattern: text)
                    return true
                } catch {
                    // That a number is no address, or a range of addresses.
                    return error.reason.hasSuffix("no IPv4 address") || error.reason.hasSuffix("each address")
                        ? nil : false
                }
            },
            pieces: hostPieces + ["/", "/a", "/.", "/..", "/v1/export", "?", "#", "\\", "\u{1}"]),
        Language(
            pattern: .wildcard,
            takes: { text in (try? HostPattern(pattern: text))?.canonical.hasPrefix("*.") ?? false },
            pieces: hostPieces + Array(repeating: "*.", count: 12)),
        Language(
            pattern: .id,
            takes: { id in
                let text =
                    ["manifestVersion": 1, "plugins": [["id": JSON(id), "factory": "x", "enabled": false]]] as JSON
                let source = ManifestSource.text(text.serialized(), name: "m")
                return (try? SerializerRegistry(sources: [source], factories: SerializerFactories())) != nil
            },
            pieces: [
                "a", "z", "0", "9", ".", "_", "-", "A", "raw", "error", "sniff", "next", "empty", " ", "é", "/", "{",
            ]),
        Language(
            pattern: .fallback,
            takes: { id in
                let entries: [JSON] =
                    ["raw", "error"].contains(id) ? [] : [["id": JSON(id), "factory": "x", "enabled": false]]
                let text = ["manifestVersion": 1, "policy": ["noMatch": JSON(id)], "plugins": .array(entries)] as JSON
                let source = ManifestSource.text(text.serialized(), name: "m")
                return (try? SerializerRegistry(sources: [source], factories: SerializerFactories())) != nil
            },
            pieces: ["a", "z", "0", "9", ".", "_", "-", "A", "raw", "error", "sniff", "next", "empty", " ", "é"]),
    ]

    @Test(
        "A regular expression of the schema matches what the loader reads, on random texts",
        .enabled(if: SchemaValidator.isThere, SchemaValidator.hint), arguments: languages)
    func expressions(_ language: Language) async throws {
        var random = SplitMix(seed: 20)
        let texts = (0..<6000).map { _ in
            (0..<Int.random(in: 1...6, using: &random)).map { _ in language.pieces.randomElement(using: &random) ?? "" }
                .joined()
        }
        let verdicts = texts.map(language.takes)
        #expect(verdicts.count { $0 == true } > 60)
        #expect(verdicts.count { $0 == false } > 60)
        let matches = try await SchemaValidator.matches(language.pattern.expression, texts)
        try #require(matches.count == texts.count)
        for (text, (verdict, isMatch)) in zip(texts, zip(verdicts, matches)) {
            if let verdict { #expect(verdict == isMatch, "\(text)") }
        }
    }
}
