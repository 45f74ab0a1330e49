import PatchbayRegistry
import TestSupport
import Testing

@Suite("Manifest failures")
struct ManifestFailureTests {
    typealias Code = ManifestFailure.Issue.Code

    /// A faulty manifest, and the one line that says so.
    struct Case: Sendable, CustomTestStringConvertible {
        let code: Code
        let manifest: String
        var overlay: String?
        let lines: [String]

        init(_ code: Code, _ manifest: String, overlay: String? = nil, _ lines: String...) {
            self.code = code
            self.manifest = manifest
            self.overlay = overlay
            self.lines = lines
        }

        var testDescription: String { "\(code.rawValue): \(lines[0])" }
    }

    /// A manifest with these entries on line 2, and more members on line 3.
    static func entries(_ entries: String, _ more: String = #""x-none": 0"#) -> String {
        "{ \"manifestVersion\": 1,\n\"plugins\": [\(entries)],\n\(more) }"
    }

    static func members(_ members: String) -> String { "{ \"manifestVersion\": 1,\n\(members) }" }

    static let base = entries(#"{"id":"a","factory":"json"}"#)

    static let syntax: [Case] = [
        Case(.invalidJSON, "", "Plugins.json:1: column 1: the text is empty"),
        Case(
            .invalidJSON, "{ \"manifestVersion\": 1,\n\"plugins\": [1,] }",
            #"Plugins.json:2: column 14: JSON has no trailing commas; remove this one before "]""#),
        Case(
            .invalidJSON, "{ \"manifestVersion\": 1,\n\"plugins\": [],\n }",
            #"Plugins.json:2: column 14: JSON has no trailing commas; remove this one before "}""#),
        Case(.invalidJSON, "{ \"plugins\": [1,,2] }", "Plugins.json:1: column 17: expected a value"),
        Case(
            .invalidJSON, "// the table\n{ \"manifestVersion\": 1 }",
            #"Plugins.json:1: column 1: JSON has no comments; a note is the value of a key that begins with "x-""#),
        Case(
            .invalidJSON, "{ \"manifestVersion\": 1, /* one */\n\"plugins\": [] }",
            #"Plugins.json:1: column 25: JSON has no comments; a note is the value of a key that begins with "x-""#),
        Case(
            .invalidJSON, "{ \"manifestVersion\": 1 }\n# end",
            #"Plugins.json:2: column 1: JSON has no comments; a note is the value of a key that begins with "x-""#),
        Case(
            .duplicateKey, "{ \"manifestVersion\": 1,\n\"plugins\": [],\n\"plugins\": [] }",
            "Plugins.json:3: /plugins: the key \"plugins\" appears twice in one object"),
        Case(
            .duplicateKey, entries(#"{"id":"a","factory":"json","options":{"keys":"asIs","depth":1,"depth":2}}"#),
            #"Plugins.json:2: /plugins/0/options/depth: the key "depth" appears twice in one object"#),
        Case(
            .fileTooLarge, "{ \"x-note\": \"" + String(repeating: "a", count: ManifestText.maximumBytes) + "\" }",
            "Plugins.json: the manifest has more than the 1048576 bytes that are read"),
    ]

    static let shape: [Case] = [
        Case(
            .missingKey, "{}",
            #"Plugins.json:1: a manifest needs the key "manifestVersion"; this build reads 1"#),
        Case(
            .missingKey, "\n{ \"plugins\": [] }",
            #"Plugins.json:2: a manifest needs the key "manifestVersion"; this build reads 1"#),
        Case(
            .missingKey, base, overlay: "{}",
            #"overlay1.json:1: a manifest needs the key "manifestVersion"; this build reads 1"#),
        Case(.wrongType, "null", "Plugins.json:1: expected an object, found null"),
        Case(.wrongType, "\n 7", "Plugins.json:2: expected an object, found a number"),
        Case(.wrongType, "[]", "Plugins.json:1: expected an object, found an array"),
        Case(.wrongType, base, overlay: "null", "overlay1.json:1: expected an object, found null"),
        Case(
            .wrongType,
            entries(
                #"{"id":"a","factory":"json","match":{"status":["5XX",\n404,\n1,\ntrue]}}"#.replacing("\\n", with: "\n")
            ),
            #"Plugins.json:3: /plugins/0/match/status/1: expected a string, found a number; write "404""#,
            "Plugins.json:4: /plugins/0/match/status/2: expected a string, found a number",
            "Plugins.json:5: /plugins/0/match/status/3: expected a string, found true or false"),
        Case(
            .wrongType, members(#""policy": { "acceptableStatus": [200], "empty": { "status": [204] } }"#),
            #"Plugins.json:2: /policy/acceptableStatus/0: expected a string, found a number; write "200""#,
            #"Plugins.json:2: /policy/empty/status/0: expected a string, found a number; write "204""#),
        Case(
            .unsupportedVersion, #"{ "manifestVersion": 2 }"#,
            "Plugins.json:1: /manifestVersion: this is a manifest of version 2, and this build reads version 1"),
        Case(
            .wrongType, #"{ "manifestVersion": "1" }"#,
            "Plugins.json:1: /manifestVersion: expected the number 1, found a string"),
        Case(
            .wrongType, members(#""plugins": {}"#),
            "Plugins.json:2: /plugins: expected an array, found an object"),
        Case(
            .wrongType, members(#""plugins": [7]"#),
            "Plugins.json:2: /plugins/0: expected an object, found a number"),
        Case(
            .wrongType, entries(#"{"id":"a","factory":"json","optional":"yes"}"#),
            "Plugins.json:2: /plugins/0/optional: expected true or false, found a string"),
        Case(
            .wrongType, members(#""policy": null"#),
            "Plugins.json:2: /policy: null removes the \"policy\" of an earlier manifest, and there is none under this one; leave the key out"
        ),
        Case(
            .unknownKey, entries(#"{"id":"a","factory":"json","mach":{}}"#),
            "Plugins.json:2: /plugins/0/mach: the key \"mach\" is not known here; known are id, factory, match, options, "
                + "limits, onFailure, optional, enabled, reads, writes, place, hides; did you mean \"match\"?"),
        Case(
            .unknownKey, members(#""policy": { "limits": { "maxBodySize": 1 } }"#),
            "Plugins.json:2: /policy/limits/maxBodySize: the key \"maxBodySize\" is not known here; known are maxBodyBytes; "
                + "did you mean \"maxBodyBytes\"?"),
        Case(
            .missingKey, entries(#"{"factory":"json"}"#),
            #"Plugins.json:2: /plugins/0: an entry needs the key "id""#),
        Case(
            .missingKey, entries(#"{"id":"a"}"#),
            #"Plugins.json:2: /plugins/0: the entry "a" needs the key "factory""#),
        Case(
            .emptyList, entries(#"{"id":"a","factory":"json","match":{"types":[]}}"#),
            "Plugins.json:2: /plugins/0/match/types: the list is empty, so nothing would match; leave the key out for no limit"
        ),
        Case(
            .invalidValue, entries(#"{"id":"a","factory":"json","onFailure":"nxt"}"#),
            "Plugins.json:2: /plugins/0/onFailure: \"nxt\" is not one of error, next, raw; did you mean \"next\"?"
        ),
        Case(
            .invalidValue, entries(#"{"id":"a","factory":"json","match":{"wanted":"element"}}"#),
            "Plugins.json:2: /plugins/0/match/wanted: \"element\" is not \"elements\", and nothing else is known here; "
                + "did you mean \"elements\"?"),
        Case(
            .wrongType, entries(#"{"id":"a","factory":"json","match":{"wanted":true}}"#),
            "Plugins.json:2: /plugins/0/match/wanted: expected a string, found true or false"),
        Case(
            .invalidValue, entries(#"{"id":"a","factory":"json","limits":{"maxBodyBytes":-1}}"#),
            "Plugins.json:2: /plugins/0/limits/maxBodyBytes: expected a whole number of bytes from 0 to 9223372036854775807"
        ),
        Case(
            .invalidValue, members(#""policy": { "noMatch": "Error" }"#),
            "Plugins.json:2: /policy/noMatch: \"Error\" is neither \"raw\" nor \"error\" nor an entry id; "
                + "did you mean \"error\"?"),
        Case(
            .invalidValue, members(#""policy": { "acceptableStatus": "2XX" }"#),
            "Plugins.json:2: /policy/acceptableStatus: \"2XX\" is neither \"any\" nor a list of statuses; write [\"2XX\"]"
        ),
        Case(
            .notYetSupported, members(#""policy": { "missingContentType": "sniff" }"#),
            "Plugins.json:2: /policy/missingContentType: \"sniff\" is not yet supported; "
                + "write \"raw\", \"error\" or an entry id"),
    ]

    static let names: [Case] = [
        Case(
            .invalidID, entries(#"{"id":"JSON","factory":"json"}"#),
            "Plugins.json:2: /plugins/0/id: the id \"JSON\" is not made of a-z, 0-9, dot, underscore and hyphen, "
                + "a letter or digit first; did you mean \"json\"?"),
        Case(
            .reservedID, entries(#"{"id":"raw","factory":"json"}"#),
            #"Plugins.json:2: /plugins/0/id: the id "raw" is a word of the policy and cannot name an entry; take another, such as "raw-entry""#
        ),
        Case(
            .duplicateID,
            entries(
                #"{"id":"a","factory":"json"}"#,
                #""hosts": { "b.example": { "plugins": [{"id":"a","factory":"text"}] } }"#),
            #"Plugins.json:3: /hosts/b.example/plugins/0/id: the id "a" is taken by the entry at /plugins/0; give one of them another"#
        ),
        Case(
            .duplicateID, base,
            overlay: members(#""hosts": { "b.example": { "plugins": [{"id":"a","factory":"text"}] } }"#),
            "overlay1.json:2: /hosts/b.example/plugins/0/id: the id \"a\" is taken by an entry of another list in Plugins.json; "
                + "an entry is changed in its own list, and another one here needs a new id and \"factory\": \"json\""
        ),
        Case(
            .duplicateID, entries(#"{"id":"a","factory":"json"}"#, #""hosts": { "b.example": { "use": ["a", "a"] } }"#),
            #"Plugins.json:3: /hosts/b.example/use/1: the id "a" is in the list twice"#),
        Case(
            .tooManyEntries,
            entries((0...1000).map { #"{"id":"e\#($0)","factory":"json"}"# }.joined(separator: ",")),
            "Plugins.json:1: the manifest has 1001 entries, and 1000 are allowed"),
        Case(
            .invalidMediaRange, entries(#"{"id":"a","factory":"json","match":{"types":["text/csv","@jsn"]}}"#),
            "Plugins.json:2: /plugins/0/match/types/1: \"@jsn\" is no group; the groups are @json @xml @image @font @archive "
                + "@html @javascript @scriptable @audio-or-video @zip-based; did you mean \"@json\"?"),
        Case(
            .invalidMediaRange,
            entries(#"{"id":"a","factory":"json","match":{"types":["text/\#(String(repeating: "a", count: 252))"]}}"#),
            "Plugins.json:2: /plugins/0/match/types/0: the pattern is 257 bytes long and 256 are allowed"),
        Case(
            .invalidStatus, entries(#"{"id":"a","factory":"json","match":{"status":["2xx"]}}"#),
            #"Plugins.json:2: /plugins/0/match/status/0: "2xx" is no status; did you mean "2XX"?"#),
        Case(
            .invalidHost, members(#""hosts": { "bücher.example": {} }"#),
            #"Plugins.json:2: /hosts/bücher.example: "bücher.example" is not ASCII; did you mean "xn--bcher-kva.example"?"#
        ),
        Case(
            .duplicateHost, members(#""hosts": { "a.example": {}, "A.EXAMPLE.": {} }"#),
            #"Plugins.json:2: /hosts/A.EXAMPLE.: the host "A.EXAMPLE." is the same as the one at /hosts/a.example"#
        ),
        Case(
            .invalidAlias, members(#""aliases": { "Image/PJPEG": "image/jpeg" }"#),
            "Plugins.json:2: /aliases/Image~1PJPEG: \"Image/PJPEG\" is not a plain type/subtype in lower case; "
                + "did you mean \"image/pjpeg\"?"),
        Case(
            .invalidAlias, members(#""aliases": { "image/*": "image/jpeg" }"#),
            #"Plugins.json:2: /aliases/image~1*: "image/*" is no media type of the form type/subtype"#),
        Case(
            .aliasChain, members(#""aliases": { "a/b": "c/d", "c/d": "e/f" }"#),
            "Plugins.json:2: /aliases/a~1b: \"c/d\" is an alias itself, and aliases are followed one step only; "
                + "did you mean \"e/f\"?"),
        Case(
            .aliasedType,
            entries(#"{"id":"a","factory":"json","match":{"types":["a/b"]}}"#, #""aliases": { "a/b": "c/d" }"#),
            #"Plugins.json:2: /plugins/0/match/types/0: "a/b" is an alias of "c/d", so it never matches; did you mean "c/d"?"#
        ),
        // The invalid range before it counts as a place of the list.
        Case(
            .invalidMediaRange,
            entries(
                "{\"id\":\"a\",\"factory\":\"json\",\"match\":{\"types\":[\"*\",\n\"text/a\",\n\"a/b\"]}}",
                #""aliases": { "a/b": "c/d" }"#),
            #"Plugins.json:2: /plugins/0/match/types/0: "*" has no slash; did you mean "*/*"?"#,
            #"Plugins.json:4: /plugins/0/match/types/2: "a/b" is an alias of "c/d", so it never matches; did you mean "c/d"?"#
        ),
        Case(
            .aliasedType, entries(#"{"id":"a","factory":"json","match":{"types":["x/y","a/b"]}}"#),
            overlay: members(#""aliases": { "a/b": "c/d" }"#),
            #"overlay1.json:2: /aliases/a~1b: the entry "a" names "a/b" at /plugins/0/match/types/1 of Plugins.json, and with this alias that never matches"#
        ),
        Case(
            .aliasedType,
            entries(#"{"id":"a","factory":"json","match":{"types":["x/y"]}}"#, #""aliases": { "a/b": "c/d" }"#),
            overlay: entries(#"{"id":"a","match":{"types":["a/b"]}}"#),
            #"overlay1.json:2: /plugins/0/match/types/0: "a/b" is an alias of "c/d", so it never matches; did you mean "c/d"?"#
        ),
    ]

    static let references: [Case] = [
        Case(
            .missingKey, base, overlay: entries(#"{"id":"b1","match":{"types":["a/b"]}}"#),
            #"overlay1.json:2: /plugins/0: there is no entry "b1" in the manifests below, and a new entry needs the key "factory"; a manifest that has the entry goes before this one"#
        ),
        Case(
            .missingKey, entries(#"{"id":"json","factory":"json"}"#),
            overlay: entries(#"{"id":"jsno","enabled":false}"#),
            "overlay1.json:2: /plugins/0: there is no entry \"jsno\" in the manifests below, and a new entry needs the key "
                + "\"factory\"; a manifest that has the entry goes before this one; did you mean \"json\"?"),
        Case(
            .unknownFactory, entries(#"{"id":"a","factory":"acme-csv"}"#),
            "Plugins.json:2: /plugins/0/factory: the factory \"acme-csv\" of the entry \"a\" is not registered; "
                + "the factories are brittle, broken, cancelled, context, count, json, picky, refusing, text"),
        Case(
            .wrongType, entries(#"{"id":"a","factory":"json","match":{"types":"text/csv"}}"#),
            #"Plugins.json:2: /plugins/0/match/types: expected an array, such as ["text/csv"], found a string"#),
        Case(
            .wrongType, members(#""policy": { "limits": { "maxBodyBytes": "1MiB" } }"#),
            "Plugins.json:2: /policy/limits/maxBodyBytes: expected a number of bytes, such as 1048576, found a string"),
        Case(
            .unknownEntry,
            entries(#"{"id":"a","factory":"json"}"#, #""hosts": { "b.example": { "hides": ["*.example"] } }"#),
            #"Plugins.json:3: /hosts/b.example/hides/0: there is no entry "*.example"; "extends": "*.example" in a section asks the entries of these hosts there"#
        ),
        Case(
            .wrongType, entries(#"{"id":"a","factory":"json","match":{"wanted":null}}"#),
            "Plugins.json:2: /plugins/0/match/wanted: null removes the \"wanted\" of an earlier manifest, and there is none "
                + "under this one; leave the key out"),
        Case(
            .unknownFactory, entries(#"{"id":"a","factory":"jsn"}"#),
            #"Plugins.json:2: /plugins/0/factory: the factory "jsn" of the entry "a" is not registered; did you mean "json"?"#
        ),
        Case(
            .unknownEntry, entries(#"{"id":"json","factory":"json"}"#, #""policy": { "noMatch": "jsn" }"#),
            #"Plugins.json:3: /policy/noMatch: there is no entry "jsn" here; did you mean "json"?"#),
        Case(
            .unknownEntry,
            entries(#"{"id":"json","factory":"json"}"#, #""hosts": { "b.example": { "use": ["text"] } }"#),
            #"Plugins.json:3: /hosts/b.example/use/0: there is no entry "text" in the global list"#),
        Case(
            .unknownHost, members(#""hosts": { "b.example": { "extends": "*.example" } }"#),
            #"Plugins.json:2: /hosts/b.example/extends: there is no section of the hosts "*.example""#),
        Case(
            .circularPlaces, entries(#"{"id":"a","factory":"json","place":{"after":"a"}}"#),
            #"Plugins.json:2: /plugins/0/place: the entry "a" cannot be placed relative to itself"#),
        Case(
            .conflictingKeys,
            entries(#"{"id":"a","factory":"json"}"#, #""hosts": { "b.example": { "use": ["a"], "inherit": false } }"#),
            "Plugins.json:3: /hosts/b.example/inherit: \"use\" picks from the global list and \"inherit\": false drops it; "
                + "write one of the two"),
        Case(
            .unknownOption, entries(#"{"id":"a","factory":"json","options":{"kees":"asIs"}}"#),
            #"Plugins.json:2: /plugins/0/options/kees: the factory "json" has no option "kees"; known are depth, keys; did you mean "keys"?"#
        ),
        Case(
            .invalidOption, entries(#"{"id":"a","factory":"json","options":{"depth":"7"}}"#),
            #"Plugins.json:2: /plugins/0/options/depth: the factory "json" cannot read this option: expected Int"#
        ),
        Case(
            .factoryFailed, entries(#"{"id":"a","factory":"refusing"}"#),
            #"Plugins.json:2: /plugins/0: the factory "refusing" refused the entry "a": it is broken"#),
        Case(
            .hiddenEntry,
            entries(
                #"{"id":"a","factory":"json","match":{"types":["application/*"]}},"#
                    + #"{"id":"b","factory":"broken","match":{"types":["application/json"]}}"#),
            #"Plugins.json:2: /plugins/1: the entry "b" is never reached: "a" at /plugins/0 of Plugins.json comes first and covers all of it"#
        ),
    ]

    /// Entries that would hide each other if their faulty keys had their defaults.
    static let inFrontOfOthers: [Case] = [
        Case(
            .invalidStatus, hiding(#""match":{"types":["text/html"],"status":["5xx"]}"#),
            #"Plugins.json:2: /plugins/0/match/status/0: "5xx" is no status; did you mean "5XX"?"#),
        Case(
            .unknownKey, hiding(#""match":{"type":["text/css"]}"#),
            #"Plugins.json:2: /plugins/0/match/type: the key "type" is not known here; known are types, status, wanted; did you mean "types"?"#
        ),
        Case(
            .wrongType, hiding(#""match":["text/css"]"#),
            "Plugins.json:2: /plugins/0/match: expected an object, found an array"),
        Case(
            .invalidValue, hiding(#""match":{"types":["text/html"]},"onFailure":"nxt""#),
            #"Plugins.json:2: /plugins/0/onFailure: "nxt" is not one of error, next, raw; did you mean "next"?"#),
        Case(
            .invalidStatus,
            entries(
                #"{"id":"a","factory":"text","match":{"types":["text/*"]}},"#
                    + #"{"id":"b","factory":"text","match":{"types":["text/html"],"status":["5xx"]}}"#),
            #"Plugins.json:2: /plugins/1/match/status/0: "5xx" is no status; did you mean "5XX"?"#),
    ]

    private static func hiding(_ members: String) -> String {
        entries(
            #"{"id":"a","factory":"text",\#(members)},"#
                + #"{"id":"b","factory":"text","match":{"types":["text/html"],"status":["404"]}}"#)
    }

    static let cases = syntax + shape + names + references + inFrontOfOthers + waysOut

    @Test("each fault has its code, file, pointer and sentence", arguments: cases)
    func sentence(_ fault: Case) throws {
        let failure = try #require(throws: ManifestFailure.self) {
            try SerializerRegistry.fixture(fault.manifest, overlays: fault.overlay.map { [$0] } ?? [])
        }
        #expect(failure.description.split(separator: "\n").map(String.init) == fault.lines)
        #expect(failure.issues.first?.kind == fault.code)
    }

    /// Codes whose sentences need a file, or code, and so are pinned by tests of their own.
    static let elsewhere: Set<Code> = [.unreadableFile, .duplicateFactory]

    /// Codes of notes, which fail nothing: `LintTests`, `LayerLintTests`, `SidesTests` and the tests of `check` pin them.
    static let notes: Set<Code> = [
        .unusedFactory, .declaredFactory, .unavailableEntry, .ineffectiveOrder, .takenResponse, .unreachedEntry,
        .narrowedEntry, .droppedEntry, .hidesNothing, .uncheckedLayers, .unwritableContentType,
        .conditionalFactory, .optionalFactory, .ineffectiveOptions,
    ]

    @Test("no code is without a case")
    func coverage() throws {
        let covered = Self.elsewhere.union(Self.notes).union(Self.cases.map(\.code)).map(\.rawValue)
        #expect(try DeclaredErrors.codes(of: "ManifestFailure.Issue.Code") == Set(covered))
    }

    @Test("a factory registered twice")
    func duplicateFactory() throws {
        var factories = try SerializerFactories.fixtures()
        let failure = try #require(throws: ManifestFailure.self) {
            try factories.register("text") { CountFixture() }
        }
        #expect(failure.issues.map(\.kind) == [.duplicateFactory])
        #expect(
            failure.description == #"factories: the factory "text" is registered already; replacing: true replaces it"#)
        try factories.register("text", replacing: true) { CountFixture() }
        let registry = try SerializerRegistry(
            sources: [.text(Self.entries(#"{"id":"a","factory":"text"}"#), name: "m")], factories: factories)
        #expect(registry.routes(host: nil).map(\.output) == ["Int"])
    }

    @Test("all faults at once, file by file and from top to bottom")
    func allAtOnce() throws {
        let failure = try #require(throws: ManifestFailure.self) {
            try SerializerRegistry.fixture(
                """
                { "manifestVersion": 3,
                  "plugins": [
                    { "id": "a", "factory": "jsn" },
                    { "id": "a", "factory": "json", "match": { "types": ["@jsn"], "status": ["9XX"] } },
                    { "id": "b", "factory": "json", "options": { "kees": 1 } }
                  ],
                  "policy": { "noMatch": "nobody" } }
                """, overlays: [#"{ "manifestVersion": 1, "plugins": [{ "id": "c", "factory": "txt" }] }"#])
        }
        #expect(
            failure.issues.map { "\($0.file) \($0.line ?? 0) \($0.code)" } == [
                "Plugins.json 1 unsupportedVersion", "Plugins.json 3 unknownFactory",
                "Plugins.json 4 invalidMediaRange",
                "Plugins.json 4 invalidStatus", "Plugins.json 4 duplicateID", "Plugins.json 5 unknownOption",
                "Plugins.json 7 unknownEntry", "overlay1.json 1 unknownFactory",
            ])
    }

    @Test("nothing is half loaded: an overlay that fails leaves the registry as it was")
    func nothingHalfLoaded() throws {
        let registry = try SerializerRegistry.fixture(Self.base)
        let digest = registry.digest
        #expect(throws: ManifestFailure.self) {
            try registry.overlaid(by: .text(Self.entries(#"{"id":"b","factory":"nobody"}"#), name: "o"))
        }
        #expect(registry.digest == digest)
        #expect(registry.routes(host: nil).map(\.id) == ["a"])
    }

    @Test("a deep manifest is refused by its depth")
    func deep() throws {
        let failure = try #require(throws: ManifestFailure.self) {
            try SerializerRegistry.fixture(#"{"manifestVersion":1,"x-deep":"# + String(repeating: "[", count: 100_000))
        }
        #expect(failure.issues.map(\.kind) == [.invalidJSON])
    }

    @Test("a word is near to the one name that it begins, if it is near to no other")
    func nearest() {
        let names = ["csv-rows", "form", "xml", "xml-parser", "ab-1", "ab-2"]
        let nearest = ["csv", "CSV", "xml", "frm", "ab", "cs", "rows"].map { Spelling.nearest(to: $0, in: names) }
        #expect(nearest == ["csv-rows", "csv-rows", "xml", "form", nil, nil, nil])
    }
}
