import PatchbayJSON
import PatchbayRegistry
import Testing

/// `"reads"`, `"writes"` and `requestContentType` of a manifest: their faults, and what the lint says of them.
@Suite("Sides of entries")
struct SidesTests {
    private static func entry(_ id: String, _ factory: String, _ more: String = "", types: String = "a/b") -> String {
        let match = types.isEmpty ? "" : #", "match": { "types": ["\#(types)"] }"#
        return #"{ "id": "\#(id)", "factory": "\#(factory)"\#(match)\#(more.isEmpty ? "" : ", " + more) }"#
    }

    private static func manifest(_ entries: String..., more: String = "") -> String {
        "{ \"manifestVersion\": 1,\n\"plugins\": [\(entries.joined(separator: ",\n"))]\(more.isEmpty ? "" : ",\n" + more) }"
    }

    struct Fault: Sendable, CustomTestStringConvertible {
        let code: ManifestFailure.Issue.Code
        let manifests: [String]
        let sentence: String
        var testDescription: String { sentence }

        init(_ code: ManifestFailure.Issue.Code, _ manifests: String..., says sentence: String) {
            (self.code, self.manifests, self.sentence) = (code, manifests, sentence)
        }
    }

    static let faults = [
        Fault(
            .wrongType, manifest(entry("a", "both", #""reads": "no""#)),
            says: "Plugins.json:2: /plugins/0/reads: expected true or false, found a string"),
        Fault(
            .wrongType, manifest(entry("a", "both", #""writes": 1"#)),
            says: "Plugins.json:2: /plugins/0/writes: expected true or false, found a number"),
        Fault(
            .factoryFailed, manifest(entry("a", "sideless")),
            says:
                #"Plugins.json:2: /plugins/0/factory: the serializer of the entry "a" neither reads responses nor writes requests"#
        ),
        Fault(
            .invalidValue, manifest(entry("a", "write", #""reads": true"#)),
            says:
                #"Plugins.json:2: /plugins/0/reads: the serializer of the entry "a" cannot read responses, it only writes requests"#
        ),
        Fault(
            .invalidValue, manifest(entry("a", "read", #""writes": true"#)),
            says:
                #"Plugins.json:2: /plugins/0/writes: the serializer of the entry "a" cannot write requests, it only reads responses"#
        ),
        Fault(
            .invalidValue, manifest(entry("a", "read")),
            #"{ "manifestVersion": 1, "plugins": [{ "id": "a", "writes": true }] }"#,
            says:
                #"overlay1.json:1: /plugins/0/writes: the serializer of the entry "a" cannot write requests, it only reads responses"#
        ),
        Fault(
            .conflictingKeys, manifest(entry("a", "read", #""reads": false"#)),
            says:
                #"Plugins.json:2: /plugins/0/reads: the entry "a" neither reads nor writes: its serializer only reads, and "reads" is false; "enabled": false switches an entry off"#
        ),
        Fault(
            .conflictingKeys, manifest(entry("a", "write", #""writes": false"#)),
            says:
                #"Plugins.json:2: /plugins/0/writes: the entry "a" neither reads nor writes: its serializer only writes, and "writes" is false; "enabled": false switches an entry off"#
        ),
        Fault(
            .conflictingKeys, manifest(entry("a", "both", #""writes": false, "reads": false"#)),
            says:
                #"Plugins.json:2: /plugins/0/reads: the entry "a" neither reads nor writes: "reads" and "writes" are both false; "enabled": false switches an entry off"#
        ),
        Fault(
            .invalidValue, manifest(more: #""policy": { "requestContentType": "json" }"#),
            says:
                #"Plugins.json:3: /policy/requestContentType: "json" is not one media type, such as "application/json" or "text/csv;charset=utf-8""#
        ),
        Fault(
            .invalidValue, manifest(more: #""hosts": { "a.b": { "policy": { "requestContentType": "text/*" } } }"#),
            says:
                #"Plugins.json:3: /hosts/a.b/policy/requestContentType: "text/*" is not one media type, such as "application/json" or "text/csv;charset=utf-8""#
        ),
        Fault(
            .invalidValue, manifest(more: #""policy": { "requestContentType": "text/csv;charset" }"#),
            says:
                #"Plugins.json:3: /policy/requestContentType: "text/csv;charset" is not one media type, such as "application/json" or "text/csv;charset=utf-8""#
        ),
        Fault(
            .wrongType, manifest(more: #""policy": { "requestContentType": ["a/b"] }"#),
            says: "Plugins.json:3: /policy/requestContentType: expected a string, found an array"),
        Fault(
            .hiddenEntry, manifest(entry("a", "write", types: "a/*"), entry("b", "write")),
            says:
                #"Plugins.json:3: /plugins/1: the entry "b" is never asked to write: "a" at /plugins/0 of Plugins.json comes first and covers all its types"#
        ),
        Fault(
            .hiddenEntry, manifest(entry("a", "sure", types: "a/*"), entry("b", "clerk")),
            says:
                #"Plugins.json:3: /plugins/1: the entry "b" is never asked to write: "a" at /plugins/0 of Plugins.json comes first and covers all its types"#
        ),
        Fault(
            .hiddenEntry, manifest(entry("a", "both", types: "a/*"), entry("b", "both")),
            says:
                #"Plugins.json:3: /plugins/1: the entry "b" is never reached: "a" at /plugins/0 of Plugins.json comes first and covers all of it"#
        ),
        Fault(
            .hiddenEntry,
            manifest(
                entry("r", "both", #""writes": false"#), entry("w", "both", #""reads": false"#, types: "*/*"),
                entry("b", "both")),
            says:
                #"Plugins.json:4: /plugins/2: the entry "b" is never reached: "r" at /plugins/0 of Plugins.json comes first and covers all that it reads, and "w" at /plugins/1 of Plugins.json all that it writes"#
        ),
    ]

    @Test("each fault has its code, place and sentence", arguments: faults)
    func fault(_ fault: Fault) throws {
        let failure = try #require(throws: ManifestFailure.self) {
            let sources = fault.manifests.enumerated().map { number, text in
                ManifestSource.text(text, name: number == 0 ? "Plugins.json" : "overlay\(number).json")
            }
            _ = try SerializerRegistry(sources: sources, factories: .sided())
        }
        #expect(failure.description == fault.sentence)
        #expect(failure.issues.map(\.kind) == [fault.code])
    }

    @Test("an overlay takes a side away, and gives it back")
    func overlaid() throws {
        let base = Self.manifest(Self.entry("a", "both"))
        func changed(_ change: String) -> String {
            #"{ "manifestVersion": 1, "plugins": [{ "id": "a", \#(change) }] }"#
        }
        func sides(_ manifests: String...) throws -> [String?] {
            var registry = try SerializerRegistry.sided(manifests[0])
            for text in manifests.dropFirst() { registry = try registry.overlaid(by: .text(text)) }
            return [registry.explain(contentType: "a/b").entry, registry.explain(writing: 1, in: "a/b").entry]
        }
        #expect(try sides(base) == ["a", "a"])
        #expect(try sides(base, changed(#""writes": false"#)) == ["a", nil])
        #expect(try sides(base, changed(#""reads": false"#)) == [nil, "a"])
        #expect(try sides(base, changed(#""reads": false"#), changed(#""reads": null"#)) == ["a", "a"])
        let typed = try SerializerRegistry.sided(
            base, #"{ "manifestVersion": 1, "policy": { "requestContentType": "a/b" } }"#)
        #expect(typed.explain(writing: 1).entry == "a")
        let untyped = try typed.overlaid(
            by: .text(#"{ "manifestVersion": 1, "policy": { "requestContentType": null } }"#))
        #expect(untyped.policy(for: nil).requestContentType == .json)
        let printed = try SerializerRegistry.sided(typed.effectiveManifest.serialized())
        #expect(printed.digest == typed.digest && printed.policy(for: nil) == typed.policy(for: nil))
    }

    // MARK: Hidden entries

    /// Two entries of one list, neither of which hides the other.
    @Test(
        "an entry is hidden only where each of its sides is",
        arguments: [
            // One side is left.
            (entry("a", "both", #""writes": false"#), entry("b", "both")),
            (entry("a", "both", #""reads": false"#), entry("b", "both")),
            // Another serializer may decline, or writes in another way.
            (entry("a", "write"), entry("b", "clerk")), (entry("a", "choosy"), entry("b", "write")),
            (entry("a", "words"), entry("b", "write")), (entry("a", "write"), entry("b", "words")),
            (entry("a", "write", types: "a/b;c=d"), entry("b", "write")),
            (entry("a", "write"), entry("b", "write", types: "a/*")),
            (entry("a", "write", types: ""), entry("b", "write", #""enabled": false"#)),
            // Responses of another status are left.
            (
                #"{ "id": "a", "factory": "both", "match": { "types": ["a/b"], "status": ["2XX"] } }"#,
                entry("b", "both")
            ),
        ])
    func notHidden(_ first: String, _ second: String) throws {
        let registry = try SerializerRegistry.sided(Self.manifest(first, second))
        #expect(!registry.notes.contains { $0.kind == .hiddenEntry })
    }

    @Test(
        "status, wanted and onFailure play no part where both only write",
        arguments: [#""status": ["404"]"#, #""wanted": "elements""#])
    func hiddenWriter(_ match: String) throws {
        let first =
            #"{ "id": "a", "factory": "write", "match": { "types": ["*/*"], \#(match) }, "onFailure": "next" }"#
        for types in ["a/b", ""] {
            let failure = try #require(throws: ManifestFailure.self) {
                try SerializerRegistry.sided(Self.manifest(first, Self.entry("b", "write", types: types)))
            }
            #expect(failure.issues.map(\.kind) == [.hiddenEntry])
        }
    }

    private static func hidden(_ registry: SerializerRegistry) -> [String] {
        registry.notes.filter { $0.kind == .hiddenEntry }.map(\.text)
    }

    @Test("across manifests, for a host, and where it is meant, it is a note, and what is printed loads")
    func notes() throws {
        let base = Self.manifest(Self.entry("b", "write"), Self.entry("c", "both"))
        let overlay = Self.manifest(Self.entry("a", "write", types: "*/*"), Self.entry("d", "both"))
        let registry = try SerializerRegistry.sided(base, overlay)
        #expect(
            Self.hidden(registry) == [
                #"Plugins.json: /plugins/0: the entry "b" is never asked to write: it is hidden by "a" at /plugins/0 of overlay1.json"#,
                #"Plugins.json: /plugins/1: the entry "c" is hidden by "d" at /plugins/1 of overlay1.json"#,
            ])
        let printed = try SerializerRegistry.sided(registry.effectiveManifest.serialized())
        #expect(printed.digest == registry.digest)

        let split = Self.manifest(
            Self.entry("r", "both", #""writes": false"#), Self.entry("w", "both", #""reads": false"#))
        let both = try SerializerRegistry.sided(Self.manifest(Self.entry("c", "both")), split)
        #expect(
            Self.hidden(both) == [
                #"Plugins.json: /plugins/0: the entry "c" is hidden by "r" at /plugins/0 of overlay1.json, which reads, and by "w" at /plugins/1 of overlay1.json, which writes"#
            ])
        let again = try SerializerRegistry.sided(both.effectiveManifest.serialized())
        #expect(again.digest == both.digest)

        let hosts = try SerializerRegistry.sided(
            Self.manifest(
                Self.entry("b", "write"), Self.entry("c", "both"),
                more: #""hosts": { "h.example": { "plugins": [\#(Self.entry("own", "write", types: ""))] } }"#))
        #expect(
            Self.hidden(hosts) == [
                #"Plugins.json: /plugins/0: the entry "b" is never asked to write for the host "h.example": it is hidden by "own" at /hosts/h.example/plugins/0 of Plugins.json"#
            ])
        let meant = try SerializerRegistry.sided(
            Self.manifest(Self.entry("a", "write", #""hides": ["b"]"#), Self.entry("b", "write")))
        #expect(Self.hidden(meant).count == 1)
    }

    @Test(
        "an entry with \"writes\": true behind one that is asked about all that it writes gets a note",
        arguments: [
            ("choosy", "both", #"writes only what "a" declines"#), ("clerk", "both", #"writes only what "a" declines"#),
            ("sure", "both", "is never asked to write"), ("words", "both", nil),
            ("sure", "words", nil), ("read", "both", nil),
        ])
    func meantToWrite(_ first: String, _ second: String, _ reason: String?) throws {
        func registry(_ more: String) throws -> SerializerRegistry {
            try SerializerRegistry.sided(Self.manifest(Self.entry("a", first), Self.entry("b", second, more)))
        }
        let note =
            reason.map {
                #"Plugins.json: /plugins/1: the entry "b" \#($0): "a" at /plugins/0 of Plugins.json comes first and covers all its types"#
            }
        #expect(try Self.hidden(registry(#""writes": true"#)) == [note].compactMap(\.self))
        #expect(try Self.hidden(registry(#""enabled": true"#)) == [])
    }

    // MARK: requestContentType

    struct Unwritable: Sendable, CustomTestStringConvertible {
        let name: String
        let members: String
        /// Of each note the place, and the entry that would write.
        let notes: [String]
        var testDescription: String { name }

        init(_ name: String, _ members: String, notes: String...) {
            (self.name, self.members, self.notes) = (name, members, notes)
        }
    }

    private static func note(_ pointer: String, _ type: String, host: String?, _ remedy: String? = nil) -> String {
        let hosts = host.map { " for the host \"\($0)\"" } ?? ""
        let remedy =
            remedy.map { #"remove "writes": false from the entry "\#($0)""# } ?? #"add an entry that writes it"#
        return
            #"Plugins.json: \#(pointer): no entry writes "\#(type)"\#(hosts): a value that is sent there without "in:" fails with noWriter; \#(remedy), or set another "requestContentType""#
    }

    /// Over a global list that writes JSON, and `x/y` with a parameter.
    static let unwritable = [
        Unwritable("a section that inherits", #""hosts": { "a.b": { "policy": { "noMatch": "error" } } }"#),
        Unwritable(
            "a type that an entry of the section writes",
            #""hosts": { "a.b": { "policy": { "requestContentType": "a/b" }, "plugins": [\#(entry("own", "words"))] } }"#
        ),
        Unwritable(
            "a type that nobody writes", #""hosts": { "a.b": { "policy": { "requestContentType": "a/b" } } }"#,
            notes: note("/hosts/a.b/policy/requestContentType", "a/b", host: "a.b")),
        Unwritable(
            "a parameter that nobody asks for",
            #""hosts": { "a.b": { "policy": { "requestContentType": "x/y;p=2" } }, "c.d": { "policy": { "requestContentType": "x/y; p=1" } } }"#,
            notes: note("/hosts/a.b/policy/requestContentType", "x/y;p=2", host: "a.b")),
        Unwritable(
            "without the global list", #""hosts": { "a.b": { "inherit": false, "policy": { "noMatch": "raw" } } }"#,
            notes: note("/hosts/a.b", "application/json", host: "a.b")),
        Unwritable(
            "a part of the global list",
            #""hosts": { "a.b": { "use": ["text"] }, "c.d": { "use": ["text", "json"] } }"#,
            notes: note("/hosts/a.b", "application/json", host: "a.b")),
        Unwritable(
            "an entry that is extended",
            #""hosts": { "*.w.example": { "plugins": [\#(entry("w", "both", types: "@json"))] }, "a.b": { "inherit": false, "extends": "*.w.example" }, "c.d": { "inherit": false, "extends": "*.w.example", "without": ["w"] } }"#,
            notes: note("/hosts/c.d", "application/json", host: "c.d")),
        Unwritable(
            "an entry that must not write",
            #""hosts": { "a.b": { "inherit": false, "plugins": [\#(entry("mute", "both", #""writes": false"#, types: "@json"))] } }"#,
            notes: note("/hosts/a.b", "application/json", host: "a.b", "mute")),
        Unwritable(
            "an entry that is off, and one that is not in the build",
            #""hosts": { "a.b": { "inherit": false, "plugins": [\#(entry("off", "write", #""enabled": false"#, types: "")), \#(entry("none", "missing", #""optional": true"#, types: ""))] } }"#,
            notes: note("/hosts/a.b", "application/json", host: "a.b")),
        Unwritable(
            "an alias",
            #""aliases": { "text/x-json": "application/json" }, "policy": { "requestContentType": "text/x-json" }"#
        ),
        Unwritable(
            "the type of the top level, which sections have, too",
            #""policy": { "requestContentType": "a/b" }, "hosts": { "a.b": {}, "c.d": { "policy": { "requestContentType": "application/json" } } }"#,
            notes: note("/policy/requestContentType", "a/b", host: nil), note("/hosts/a.b", "a/b", host: "a.b")),
    ]

    @Test("a section in which no entry writes its requestContentType has a note", arguments: unwritable)
    func unwritableType(_ test: Unwritable) throws {
        let registry = try SerializerRegistry.sided(
            Self.manifest(
                Self.entry("json", "both", types: "@json"), Self.entry("text", "read", types: "text/*"),
                Self.entry("x", "write", types: "x/y;p=1"), more: test.members))
        let notes = registry.notes.filter { $0.kind == .unwritableContentType }
        #expect(notes.map(\.text) == test.notes)
        #expect(notes.allSatisfy { $0.line != nil && !$0.isWarning })
        // The note is right: such a value has no writer.
        for note in notes where note.pointer.hasPrefix("/hosts/") {
            let host = note.pointer.split(separator: "/")[1]
            #expect(registry.explain(writing: ["a"], host: String(host)).outcome == .error)
        }
    }

    @Test("a table that says nothing of requestContentType has no note, whatever it writes")
    func nothingSaid() throws {
        let registry = try SerializerRegistry.sided(Self.manifest(Self.entry("text", "read")))
        #expect(!registry.notes.contains { $0.kind == .unwritableContentType })
    }

    @Test("an entry of code, and a writer that code puts in an entry's place, write what a section needs")
    func inCode() throws {
        let base = try SerializerRegistry.sided(
            Self.manifest(
                Self.entry("text", "read"),
                more: #""hosts": { "h.example": { "policy": { "requestContentType": "a/b" } } }"#))
        func isNoted(_ registry: SerializerRegistry) -> Bool {
            registry.notes.contains { $0.kind == .unwritableContentType }
        }
        #expect(isNoted(base))
        #expect(try !isNoted(base.adding("w", WriterFixture(), types: ["a/b"], host: "h.example")))
        #expect(try !isNoted(base.replacing("text", with: WriterFixture())))
        #expect(try !isNoted(base.replacing("text", with: WriterFixture(), host: "h.example")))
        #expect(try isNoted(base.replacing("text", with: WriterFixture(), host: "other.example")))
    }
}
