import PatchbayRegistry
import Testing

/// `adding` and `replacing` with serializers that read, write or do both.
@Suite("Replaced sides")
struct ReplacedSidesTests {
    private static func base(_ more: String = "", hosts: String = "") throws -> SerializerRegistry {
        try SerializerRegistry.sided(
            #"{ "manifestVersion": 1, "plugins": [{ "id": "json", "factory": "both", "match": { "types": ["@json"] } \#(more) }], "hosts": { \#(hosts) } }"#
        )
    }

    /// The text that is made of a body, or the type of the value.
    private func read(_ registry: SerializerRegistry, _ host: String? = nil) throws -> String {
        let made = try registry.explain(contentType: "application/json", host: host).serialize(
            ResponseBody(text: "[1]"))
        return made.value as? String ?? "\(type(of: made.value))"
    }

    @Test("a reader for one host leaves writing to the entry's own serializer")
    func readerForHost() throws {
        let base = try Self.base()
        let registry = try base.replacing("json", with: TextFixture(prefix: "h "), host: "h.example")
        #expect(try read(registry, "h.example") == "h [1]")
        #expect(try registry.written(for: "h.example") == "both")
        #expect(try read(registry) == "JSON")
        #expect(registry.digest != base.digest)
        // A writer for every host counts for this one, too.
        let writing = try registry.replacing("json", with: WriterFixture(name: "all"))
        #expect(try read(writing, "h.example") == "h [1]")
        #expect(try writing.written(for: "h.example") == "all")
        #expect(try writing.written() == "all")
        #expect(try read(writing) == "JSON")
        #expect(writing.digest != registry.digest)
    }

    @Test("both sides for one host, one after the other, in either order")
    func bothForHost() throws {
        let (reader, writer) = (TextFixture(prefix: "h "), WriterFixture(name: "h"))
        for registry in [
            try Self.base().replacing("json", with: reader, host: "h.example")
                .replacing("json", with: writer, host: "h.example"),
            try Self.base().replacing("json", with: writer, host: "h.example")
                .replacing("json", with: reader, host: "h.example"),
        ] {
            #expect(try read(registry, "h.example") == "h [1]")
            #expect(try registry.written(for: "h.example") == "h")
            #expect(try registry.written() == "both")
            // Another one with both sides takes the place of both.
            let again = try registry.replacing("json", with: TwoSidedFixture(name: "new"), host: "h.example")
            #expect(try read(again, "h.example") == "JSON")
            #expect(try again.written(for: "h.example") == "new")
            let fresh = try Self.base().replacing("json", with: TwoSidedFixture(name: "new"), host: "h.example")
            #expect(again.digest == fresh.digest)
        }
    }

    @Test("an entry of code keeps the side that its replacement does not have")
    func added() throws {
        let added = try Self.base().adding("own", TwoSidedFixture(name: "own"), types: ["application/json"])
        #expect(try added.written() == "own")
        let replaced = try added.replacing("own", with: TextFixture(prefix: "r "))
        #expect(try read(replaced) == "r [1]")
        #expect(try replaced.written() == "own")
        // A manifest that comes later may ask for each of the sides.
        let asked = try replaced.overlaid(
            by: .text(#"{ "manifestVersion": 1, "plugins": [{ "id": "own", "reads": true, "writes": true }] }"#))
        #expect(try asked.written() == "own")
        #expect(try read(asked) == "r [1]")
        let writer = try Self.base().adding("out", WriterFixture(name: "out"), types: ["application/json"])
        #expect(try writer.written() == "out")
        #expect(try read(writer) == "JSON")
        #expect(throws: ManifestFailure.self) { try Self.base().adding("none", SidelessFixture()) }
    }

    @Test("an entry that has one side gets the other from code")
    func completed() throws {
        let registry = try SerializerRegistry.sided(
            #"{ "manifestVersion": 1, "plugins": [{ "id": "text", "factory": "read" }] }"#)
        #expect(try registry.written() == nil)
        let replaced = try registry.replacing("text", with: WriterFixture())
        #expect(try replaced.written() == "write")
        #expect(try read(replaced) == "[1]")
        let asked = try replaced.overlaid(
            by: .text(#"{ "manifestVersion": 1, "plugins": [{ "id": "text", "writes": true, "reads": false }] }"#))
        #expect(try asked.written() == "write")
        #expect(asked.explain(contentType: "application/json").entry == nil)
    }

    @Test("a side that the manifest takes away stays away, whatever code puts in the entry's place")
    func takenAway() throws {
        let silent = try Self.base(#", "reads": false"#)
        for registry in [
            try silent.replacing("json", with: TwoSidedFixture(name: "new")),
            try silent.replacing("json", with: TwoSidedFixture(name: "new"), host: "h.example"),
        ] {
            #expect(try registry.written(for: "h.example") == "new")
            #expect(registry.explain(contentType: "application/json", host: "h.example").entry == nil)
        }
        let reader = try silent.replacing("json", with: TextFixture())
        #expect(try reader.written() == "both")
        #expect(reader.routes(host: nil).map(\.isReplaced) == [false])
        let mute = try Self.base(#", "writes": false"#).replacing("json", with: TwoSidedFixture(name: "new"))
        #expect(try mute.written() == nil)
    }

    @Test("a reload keeps both sides that code has replaced")
    func reload() throws {
        let registry = try Self.base().replacing("json", with: TextFixture(prefix: "r "))
            .replacing("json", with: WriterFixture(name: "w"), host: "h.example")
        let more = ManifestSource.text(#"{ "manifestVersion": 1, "policy": { "noMatch": "error" } }"#, name: "more")
        let reloaded = try registry.reloaded([more.read()])
        #expect(reloaded.policy(for: nil).noMatch == .error)
        #expect(try read(reloaded, "h.example") == "r [1]")
        #expect(try reloaded.written(for: "h.example") == "w")
        #expect(try reloaded.written() == "both")
    }

    // MARK: Wildcards

    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        /// Patterns that have a section, whose entry has the name of the section's policy.
        let sections: [String]
        /// Patterns that have a replacement, in the order of the calls; "" is every host.
        let replacements: [String]
        /// Hosts with the pattern whose replacement writes for them, and that whose section holds; nil is none.
        let hosts: [(host: String, replacement: String?, section: String?)]
        var testDescription: String { name }
    }

    static let cases = [
        Case(
            name: "a section under a wildcard's replacement", sections: ["x.a.example"], replacements: ["*.a.example"],
            hosts: [
                ("x.a.example", "*.a.example", "x.a.example"), ("y.a.example", "*.a.example", nil),
                ("a.example", nil, nil), ("x.a.example:8080", "*.a.example", "x.a.example"),
            ]),
        Case(
            name: "a narrower replacement", sections: ["x.a.example"],
            replacements: ["x.a.example", "*.a.example", "*.b.a.example", ""],
            hosts: [
                ("x.a.example", "x.a.example", "x.a.example"), ("y.a.example", "*.a.example", nil),
                ("y.b.a.example", "*.b.a.example", nil), ("other.example", "", nil),
            ]),
        Case(
            name: "a port", sections: ["x.a.example"], replacements: ["*.a.example:8080"],
            hosts: [
                ("x.a.example:8080", "*.a.example:8080", "x.a.example"), ("x.a.example", nil, "x.a.example"),
                ("y.a.example:8080", "*.a.example:8080", nil), ("y.a.example", nil, nil),
            ]),
        Case(
            name: "a host under the section of a port", sections: ["*.a.example:8080"], replacements: ["x.a.example"],
            hosts: [
                ("x.a.example:8080", "x.a.example", "*.a.example:8080"), ("x.a.example", "x.a.example", nil),
                ("y.a.example:8080", nil, "*.a.example:8080"),
            ]),
        Case(
            name: "sections of a wildcard and of a narrower one", sections: ["*.example", "*.a.example"],
            replacements: ["*.a.example", "*.example:8080"],
            hosts: [
                ("x.a.example", "*.a.example", "*.a.example"), ("x.b.example", nil, "*.example"),
                ("x.b.example:8080", "*.example:8080", "*.example"),
                ("x.a.example:8080", "*.a.example", "*.a.example"),
            ]),
    ]

    @Test(
        "a replacement holds for every host of its pattern that has no narrower one, whatever section it has",
        arguments: cases)
    func wildcards(_ test: Case) throws {
        let sections = test.sections.enumerated().map { number, pattern in
            #""\#(pattern)": { "policy": { "limits": { "maxBodyBytes": \#(number + 100) } } }"#
        }
        let base = try Self.base(hosts: sections.joined(separator: ", "))
        func check(_ registry: SerializerRegistry) throws {
            for (host, replacement, section) in test.hosts {
                #expect(try registry.written(for: host) == replacement ?? "both", "\(host)")
                #expect(try read(registry, host) == (replacement.map { "\($0) [1]" } ?? "JSON"), "\(host)")
                let limit = registry.policy(for: CanonicalHost(host)).maximumBodyBytes
                let expected = section.flatMap { test.sections.firstIndex(of: $0) }.map { $0 + 100 }
                #expect(limit == expected ?? SerializerRegistry.Policy().maximumBodyBytes, "\(host)")
            }
        }
        for replacements in [test.replacements, test.replacements.reversed()] {
            var registry = base
            for pattern in replacements {
                let host = pattern.isEmpty ? nil : pattern
                registry = try registry.replacing("json", with: TextFixture(prefix: pattern + " "), host: host)
                    .replacing("json", with: WriterFixture(name: pattern), host: host)
            }
            try check(registry)
        }
    }
}
