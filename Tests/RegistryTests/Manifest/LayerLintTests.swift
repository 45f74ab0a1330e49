import PatchbayJSON
import PatchbayRegistry
import PatchbayTools
import Testing

/// What a layer takes from those under it, and a host section from that of a wildcard.
@Suite("Lint across layers")
struct LayerLintTests {
    private static func entry(_ id: String, _ types: String, _ factory: String = "json", _ more: String = "") -> String
    {
        let match = types.isEmpty ? "" : #", "match": { "types": [\#(types)] }"#
        return #"{ "id": "\#(id)", "factory": "\#(factory)"\#(match)\#(more.isEmpty ? "" : ", " + more) }"#
    }

    private static func plugins(_ entries: String...) -> String { #""plugins": [\#(entries.joined(separator: ", "))]"# }

    /// A list as the standard one is, and the sections of a wildcard and of two hosts under it.
    static let base = PlaceTests.manifest(
        plugins(
            #"{ "id": "problem", "factory": "json", "match": { "types": ["application/problem+json"], "status": ["4XX", "5XX"] } }"#,
            entry("json", #""@json""#), entry("js", #""text/javascript""#, "json", #""onFailure": "next""#),
            entry("text", #""text/*""#, "text")),
        #""hosts": { "*.cdn.example": { \#(plugins(entry("cdn", #""a/b""#))) } }"#)

    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        let overlay: String
        let warnings: [String]
        var testDescription: String { name }

        init(_ name: String, _ overlay: String, warns warnings: String...) {
            self.name = name
            self.overlay = overlay
            self.warnings = warnings
        }
    }

    private static func takes(_ taker: String, _ loser: String, _ witness: String, at pointer: String = "/plugins/0")
        -> String
    {
        #"\#(pointer): the entry "\#(taker)" takes responses from "\#(loser)" (\#(witness)); if that is meant, "hides": ["\#(loser)"] says so"#
    }

    private static func moved(_ taker: String, _ loser: String, _ witness: String, at pointer: String) -> String {
        #"\#(pointer): the entry "\#(taker)" takes responses from "\#(loser)" (\#(witness)); if that is meant, { "id": "\#(taker)", "hides": ["\#(loser)"] } says so"#
    }

    private static func unreached(
        _ id: String, _ taker: String, _ witness: String, at pointer: String = "/plugins/0/place",
        remedy: String? = nil
    ) -> String {
        let remedy = remedy ?? #""place": { "before": "\#(taker)" }"#
        return
            #"\#(pointer): no untyped call reaches the entry "\#(id)" behind "\#(taker)" (\#(witness): \#(taker)); \#(remedy) changes that, and if it is meant, { "id": "\#(taker)", "hides": ["\#(id)"] } says so"#
    }

    private static func narrowed(_ id: String, _ witness: String, at pointer: String = "/plugins/0/match") -> String {
        #"\#(pointer): the entry "\#(id)" no longer covers all that it did (\#(witness)); if that is meant, "hides": ["\#(id)"] says so"#
    }

    private static func dropped(_ id: String, _ host: String, _ witness: String) -> String {
        #"/hosts/\#(host): the section does without the entry "\#(id)" of "*.cdn.example", whose section does not apply here (\#(witness)); "extends": "*.cdn.example" asks the entries of that section here, too; if that is meant, "hides": ["\#(id)"] says so"#
    }

    static let layers = [
        Case(
            "a greedy entry in front", plugins(entry("t", #""*/*""#, "text")),
            warns: takes("t", "problem", "application/problem+json, 404, any host: was problem, now t"),
            takes("t", "json", "application/json, 200, any host: was json, now t"),
            takes("t", "js", "text/javascript, 200, any host: was js, now t"),
            takes("t", "text", "text/plain, 200, any host: was text, now t")),
        Case(
            "one without types, for errors alone", plugins(entry("t", "", "text", #""match": { "status": ["404"] }"#)),
            warns: takes("t", "problem", "application/problem+json, 404, any host: was problem, now t"),
            takes("t", "json", "application/json, 404, any host: was json, now t"),
            takes("t", "js", "text/javascript, 404, any host: was js, now t"),
            takes("t", "text", "text/plain, 404, any host: was text, now t")),
        Case(
            "one that is as wide as another, and one type of a third",
            plugins(entry("t", #""text/*""#, "count")),
            warns: takes("t", "json", "text/json, 200, any host: was json, now t"),
            takes("t", "js", "text/javascript, 200, any host: was js, now t"),
            takes("t", "text", "text/plain, 200, any host: was text, now t")),
        Case(
            "one in its place", plugins(entry("mine", #""@json""#)),
            warns: takes("mine", "problem", "application/problem+json, 404, any host: was problem, now mine"),
            takes("mine", "json", "application/json, 200, any host: was json, now mine")),
        Case("a narrower one, which is what overlays are for", plugins(entry("csv", #""text/csv""#, "count"))),
        Case(
            "several narrower types",
            plugins(entry("n", #""text/csv", "text/html", "application/x.json+json""#, "count"))),
        Case(
            "a type that another one names, for values of another type",
            plugins(entry("n", #""text/csv", "application/json""#, "text")),
            warns: takes("n", "json", "application/json, 200, any host: was json, now n")),
        Case(
            "a suffix that another one names, for values of another type", plugins(entry("n", #""+json""#, "text")),
            warns: takes("n", "problem", "application/problem+json, 404, any host: was problem, now n"),
            takes("n", "json", "application/vnd.example+json, 200, any host: was json, now n")),
        Case(
            "a type that another one names, for values of the same type", plugins(entry("n", #""application/json""#))),
        Case(
            "that is meant",
            plugins(entry("n", #""application/json""#, "text", #""hides": ["json"]"#))),
        Case(
            "that passes on what it cannot read, which is nothing",
            plugins(entry("n", #""application/json""#, "text", #""onFailure": "next""#)),
            warns: takes("n", "json", "application/json, 200, any host: was json, now n")),
        Case(
            "a type that another one names, for one host, which is what sections are for",
            #""hosts": { "a.example": { \#(plugins(entry("n", #""application/json""#, "text"))) } }"#),
        Case(
            "a narrower status",
            plugins(entry("n", "", "count", #""match": { "types": ["application/json"], "status": ["404"] }"#))),
        Case(
            "a wider one behind", plugins(entry("t", #""*/*""#, "text", #""place": "last""#))),
        Case(
            "one that passes on what it cannot read, to one that makes the same",
            plugins(entry("t", #""*/*""#, "json", #""onFailure": "next""#)),
            warns: takes("t", "text", "text/plain, 200, any host: was text, now t")),
        Case("one that is switched off", plugins(entry("t", #""*/*""#, "text", #""enabled": false"#))),
        Case("one that is not in this build", plugins(entry("t", #""*/*""#, "image", #""optional": true"#))),
        Case(
            "one that was there and has become wider",
            plugins(#"{ "id": "json", "match": { "types": ["@json", "text/*"] } }"#),
            warns: takes("json", "js", "text/javascript, 200, any host: was js, now json"),
            takes("json", "text", "text/plain, 200, any host: was text, now json")),
        Case(
            "one that has moved", plugins(#"{ "id": "text", "place": "first" }"#),
            warns: takes("text", "json", "text/json, 200, any host: was json, now text", at: "/plugins/0/place"),
            takes("text", "js", "text/javascript, 200, any host: was js, now text", at: "/plugins/0/place")),
        Case(
            "one that an order has moved, and of what it takes that which the order does not name",
            #""order": ["text", "json"]"#,
            warns: moved("text", "js", "text/javascript, 200, any host: was js, now text", at: "/order/0")),
        Case(
            "one behind which an order has moved another", #""order": ["text", "problem", "js"]"#,
            warns: moved(
                "json", "problem", "application/problem+json, 404, any host: was problem, now json", at: "/order/1"),
            moved("text", "json", "text/json, 200, any host: was json, now text", at: "/order/0")),
        Case(
            "one behind which a place has moved another",
            plugins(
                #"{ "id": "json", "options": { "depth": 3 } }"#, #"{ "id": "problem", "place": { "after": "json" } }"#),
            warns: moved(
                "json", "problem", "application/problem+json, 404, any host: was problem, now json",
                at: "/plugins/1/place")),
        Case(
            "what a place has moved, and that is meant",
            plugins(
                #"{ "id": "problem", "place": { "after": "json" } }"#, #"{ "id": "json", "hides": ["problem"] }"#)),
        Case(
            "meant", plugins(entry("t", #""*/*""#, "text", #""hides": ["json", "problem", "js", "text"]"#))),
        Case(
            "some of it meant", plugins(entry("t", #""text/*""#, "count", #""hides": ["js", "text"]"#)),
            warns: takes("t", "json", "text/json, 200, any host: was json, now t")),
        Case(
            "redefined with fewer types", plugins(#"{ "id": "json", "match": { "types": ["application/json"] } }"#),
            warns: narrowed("json", "text/json, 200, any host: was json, now text")),
        Case(
            "redefined with fewer statuses", plugins(#"{ "id": "problem", "match": { "status": ["4XX"] } }"#),
            warns: narrowed("problem", "application/problem+json, 500, any host: was problem, now json")),
        Case(
            "redefined, and nobody is left", plugins(#"{ "id": "json", "match": { "types": ["text/json"] } }"#),
            warns: narrowed("json", "application/json, 200, any host: was json, now raw")),
        Case(
            "redefined and meant",
            plugins(#"{ "id": "json", "match": { "types": ["application/json"] }, "hides": ["json"] }"#)),
        Case(
            "redefined in other respects", plugins(#"{ "id": "json", "options": { "depth": 3 }, "onFailure": "raw" }"#)),
        Case(
            "redefined with a part of a class of statuses",
            plugins(#"{ "id": "problem", "match": { "status": ["400", "5XX"] } }"#),
            warns: narrowed("problem", "application/problem+json, 404, any host: was problem, now json")),
        Case(
            "redefined with a suffix of one top-level type alone",
            plugins(
                #"{ "id": "json", "match": { "types": ["application/*+json", "application/json", "text/json"] } }"#),
            warns: narrowed("json", "x-other/vnd.example+json, 200, any host: was json, now raw")),
        Case(
            "redefined with a parameter",
            plugins(
                entry("v", #""application/json;v=1""#, "json", #""place": "last""#),
                #"{ "id": "json", "match": { "types": ["application/json;v=1", "text/json", "+json"] } }"#),
            warns: narrowed(
                "json", "application/json, 200, any host: was json, now raw", at: "/plugins/1/match"),
            unreached("v", "json", "application/json;v=1, 200, any host")),
        Case("an alias to another entry", #""aliases": { "text/x": "application/json" }"#),
        Case("switched off in so many words", plugins(#"{ "id": "json", "enabled": false }"#)),
        Case("the whole list replaced", #""plugins": null"#),
        Case("a whole table", #""inherit": false, \#(plugins(entry("t", #""*/*""#, "text")))"#),
        Case(
            "an entry of a host in front of global ones, which is what sections are for",
            #""hosts": { "a.example": { \#(plugins(entry("own", #""@json", "text/*""#, "text"))) } }"#),
        Case(
            "an entry of a host in front of one of an earlier layer",
            #""hosts": { "*.cdn.example": { \#(plugins(entry("all", #""a/*""#, "text"))) } }"#,
            warns: takes(
                "all", "cdn", "a/b, 200, a.cdn.example: was cdn, now all", at: "/hosts/*.cdn.example/plugins/0")),
    ]

    private static let last = #""place": "last""#

    /// New entries that stand where nothing is left for them.
    static let unreached = [
        Case(
            "one behind another that covers all of it, for values of another type",
            plugins(entry("csv", #""text/csv""#, "json", #""place": { "after": "text" }"#)),
            warns: unreached("csv", "text", "text/csv, 200, any host")),
        Case(
            "of the same type", plugins(entry("csv", #""text/csv""#, "text", last)),
            warns: unreached("csv", "text", "text/csv, 200, any host")),
        Case(
            "behind several that cover it together",
            plugins(entry("n", #""text/csv", "application/json""#, "count", last)),
            warns: unreached("n", "json", "application/json, 200, any host")),
        Case(
            "of which one is meant to",
            plugins(
                entry("n", #""text/csv", "application/json""#, "count", last), #"{ "id": "text", "hides": ["n"] }"#),
            warns: unreached("n", "json", "application/json, 200, any host")),
        Case(
            "that an order has moved",
            plugins(entry("csv", #""text/csv""#)) + #", "order": ["problem", "json", "js", "text", "csv"]"#),
        Case(
            "that an order has moved, and still before what covers it",
            plugins(entry("csv", #""text/csv""#)) + #", "order": ["js", "csv"]"#),
        Case(
            "in the list of a host",
            #""hosts": { "*.cdn.example": { \#(plugins(entry("own", #""a/b""#, "count", last))) } }"#,
            warns: unreached(
                "own", "cdn", "a/b, 200, a.cdn.example", at: "/hosts/*.cdn.example/plugins/0/place")),
        Case(
            "behind a global entry, by `use`",
            #""hosts": { "a.example": { "use": ["text", "own"], \#(plugins(entry("own", #""text/csv""#, "count"))) } }"#,
            warns: unreached(
                "own", "text", "text/csv, 200, a.example", at: "/hosts/a.example/plugins/0", remedy: #""use""#)),
        Case(
            "one of which a part is left", plugins(entry("n", #""text/csv", "x/y""#, "count", last))),
        Case(
            "one of which a status is left",
            plugins(
                entry("n", "", "count", #""match": { "types": ["a/p"], "status": ["2XX", "404"] }, \#(last)"#),
                #"{ "id": "problem", "match": { "types": ["a/p", "application/problem+json"] } }"#)),
        Case(
            "one behind another that passes on what it cannot read",
            plugins(entry("n", #""text/javascript""#, "count", #""place": { "after": "js" }"#))),
        Case(
            "one behind another of its own manifest",
            plugins(entry("a", #""x/*""#, "count"), entry("b", #""x/y""#, "json")),
            warns: unreached("b", "a", "x/y, 200, any host", at: "/plugins/1")),
        Case(
            "one behind another of its own manifest, and that is meant",
            plugins(entry("a", #""x/*""#, "count", #""hides": ["b"]"#), entry("b", #""x/y""#, "json"))),
        Case(
            "one of which a part is left, behind another of its own manifest",
            plugins(entry("a", #""x/y""#, "count"), entry("b", #""x/*""#, "json"))),
        Case(
            "one that is meant",
            plugins(entry("csv", #""text/csv""#, "json", last), #"{ "id": "text", "hides": ["csv"] }"#)),
        Case("one that is switched off", plugins(entry("csv", #""text/csv""#, "json", #""enabled": false, \#(last)"#))),
        Case(
            "a whole table", #""inherit": false, \#(plugins(entry("a", #""x/*""#, "count"), entry("b", #""x/y""#)))"#,
            warns: unreached("b", "a", "x/y, 200, any host", at: "/plugins/1")),
    ]

    static let hosts = [
        Case(
            "the section of a host under a wildcard", #""hosts": { "x.cdn.example": {} }"#,
            warns: dropped("cdn", "x.cdn.example", "a/b, 200, x.cdn.example: was cdn, now raw")),
        Case(
            "that of a narrower wildcard", #""hosts": { "*.eu.cdn.example": { "inherit": false } }"#,
            warns: dropped("cdn", "*.eu.cdn.example", "a/b, 200, a.eu.cdn.example: was cdn, now raw")),
        Case(
            "that of a port", #""hosts": { "*.cdn.example:8080": { \#(plugins(entry("p", #""c/d""#))) } }"#,
            warns: dropped("cdn", "*.cdn.example:8080", "a/b, 200, a.cdn.example:8080: was cdn, now raw")),
        Case(
            "that of a port, under that of the host without one",
            #""hosts": { "a.example": { \#(plugins(entry("own", #""c/d""#))) }, "a.example:8080": {} }"#,
            warns:
                #"/hosts/a.example:8080: the section does without the entry "own" of "a.example", whose section does not apply here (c/d, 200, a.example:8080: was own, now raw); if that is meant, "hides": ["own"] says so"#
        ),
        Case(
            "that of a port which means it",
            #""hosts": { "a.example": { \#(plugins(entry("own", #""c/d""#))) }, "a.example:8080": { "hides": ["own"] } }"#
        ),
        Case(
            "that of a path, which lies over that of the host",
            #""hosts": { "a.example": { \#(plugins(entry("own", #""c/d""#))) }, "a.example/p": {} }"#),
        Case("one that extends it", #""hosts": { "x.cdn.example": { "extends": "*.cdn.example" } }"#),
        Case(
            "one that leaves it out",
            #""hosts": { "x.cdn.example": { "extends": "*.cdn.example", "without": ["cdn"] } }"#),
        Case("one that means it", #""hosts": { "x.cdn.example": { "hides": ["cdn"] } }"#),
        Case(
            "one that has an entry of its own for it",
            #""hosts": { "x.cdn.example": { \#(plugins(entry("own", #""a/*""#, "text"))) } }"#),
        Case("one of another host", #""hosts": { "cdn.example": {} }"#),
        Case("one that is taken away again", #""hosts": { "*.cdn.example": null, "x.cdn.example": {} }"#),
    ]

    /// A wildcard with settings, and sections of narrower hosts.
    @Test(
        "a section that does without the settings of a wildcard is named, unless it says them itself",
        arguments: [
            ("", #""without": ["text"] and the policy ("limits", "noMatch")"#),
            (#""extends": "*.a.example""#, #""without": ["text"] and the policy ("limits", "noMatch")"#),
            (#""without": []"#, #"the policy ("limits", "noMatch")"#),
            (#""policy": { "noMatch": "raw" }"#, #""without": ["text"] and the policy ("limits")"#),
            (#""policy": { "noMatch": "raw", "limits": { "maxBodyBytes": 5 } }"#, #""without": ["text"]"#),
            (#""use": ["json"], "policy": { "noMatch": "raw", "limits": {} }"#, nil),
            (#""without": ["json"], "policy": { "noMatch": "raw", "limits": {} }"#, nil),
        ] as [(String, String?)])
    func settings(_ section: String, _ lost: String?) throws {
        let manifest = PlaceTests.manifest(
            Self.plugins(Self.entry("json", #""@json""#), Self.entry("text", #""text/*""#, "text")),
            #"""
            "policy": { "accept": "none" },
            "hosts": {
              "*.a.example": {
                "without": ["text"],
                "policy": { "noMatch": "error", "limits": { "maxBodyBytes": 9 }, "accept": "none", "x-note": 1 } },
              "x.a.example/p": { "inherit": true },
              "*.b.example": {}, "x.b.example": {},
              "x.a.example": { \#(section) } }
            """#)
        let warnings = try SerializerRegistry.fixture(manifest).lint()
        #expect(
            warnings.map(\.text)
                == (lost.map { lost in
                    [
                        #"Plugins.json: /hosts/x.a.example: the section does without \#(lost) of "*.a.example", whose section does not apply here; write \#(lost) here, too, or other values, such as "without": [], if that is meant"#
                    ]
                } ?? []))
        #expect(warnings.allSatisfy { $0.kind == .droppedEntry && $0.isWarning })
    }

    static let nothing = [
        Case(
            "of which nothing is hidden", plugins(entry("csv", #""text/csv""#, "text", #""hides": ["text", "json"]"#)),
            warns: #"/plugins/0/hides/1: the entry "csv" takes nothing from "json""#),
        Case(
            "that is redefined and still covers all",
            plugins(#"{ "id": "json", "options": { "depth": 3 }, "hides": ["json"] }"#),
            warns: #"/plugins/0/hides/0: the entry "json" takes nothing from "json""#),
        Case(
            "of which a top-level type and a suffix together are hidden",
            plugins(
                entry("x", #""+x""#, "json", last), #"{ "id": "text", "hides": ["x"] }"#)),
        Case(
            "of which a parameter is hidden",
            plugins(entry("v", #""*/*;v=1""#, "count", #""hides": ["json", "problem"]"#))),
        Case(
            "of which no parameter is hidden",
            plugins(
                entry("v", #""application/json;v=1""#),
                entry("w", #""application/json;v=2""#, "json", #""hides": ["v"]"#)),
            warns: #"/plugins/1/hides/0: the entry "w" takes nothing from "v""#),
        Case(
            "that the section of a host does not do without",
            #""hosts": { "x.cdn.example": { "extends": "*.cdn.example", "hides": ["cdn"] } }"#,
            warns:
                #"/hosts/x.cdn.example/hides/0: the section does without nothing that "cdn" gave; an entry that takes its responses on purpose names it in its own "hides""#
        ),
    ]

    private static func unmatched(_ id: String, _ host: String, _ witness: String) -> String {
        #"/hosts/\#(host)/plugins/0: the entry "\#(id)" names no types and takes responses of every type from "\#(host)" (\#(witness)); write its types in "match": { "types": […] }, or ["*/*"] there if that is meant"#
    }

    private static func host(_ name: String, _ section: String) -> String {
        #""hosts": { "\#(name)": { \#(section) } }"#
    }

    /// Entries of a host without types, in front of others.
    static let unmatchedEntries = [
        Case(
            "no match", host("a.example", plugins(entry("own", "", "text"))),
            warns: unmatched("own", "a.example", "application/json, 200, a.example: was json, now own")),
        Case(
            "a match without types", host("a.example", plugins(entry("own", "", "text", #""match": {}"#))),
            warns: unmatched("own", "a.example", "application/json, 200, a.example: was json, now own")),
        Case(
            "a match for all that is acceptable",
            host("*.a.example", plugins(entry("own", "", "text", #""match": { "status": ["2XX"] }"#))),
            warns: unmatched("own", "*.a.example", "application/json, 200, a.a.example: was json, now own")),
        Case(
            "a match for other statuses",
            host("a.example", plugins(entry("own", "", "text", #""match": { "status": ["404"] }"#)))),
        Case(
            "a match for elements",
            host("a.example", plugins(entry("own", "", "json", #""match": { "wanted": "elements" }"#)))),
        Case("every type in so many words", host("a.example", plugins(entry("own", #""*/*""#, "text")))),
        Case(
            "all that it hides in so many words",
            host("a.example", plugins(entry("own", "", "text", #""hides": ["problem", "json", "js", "text"]"#)))),
        Case(
            "some of it",
            host("a.example", plugins(entry("own", "", "text", #""hides": ["problem", "json"]"#))),
            warns: unmatched("own", "a.example", "text/javascript, 200, a.example: was js, now own")),
        Case(
            "one that takes from nobody", host("a.example", #""inherit": false, \#(plugins(entry("own", "", "text")))"#)
        ),
        Case(
            "one that takes from nobody of those in use",
            host("a.example", #""use": [], \#(plugins(entry("own", "", "text")))"#)),
        Case(
            "one behind another of the host that it takes nothing from",
            host(
                "a.example",
                #""inherit": false, \#(plugins(entry("first", #""@json""#), entry("own", "", "text")))"#)),
        Case(
            "one that `use` has behind all others",
            host("a.example", #""use": ["json", "own"], \#(plugins(entry("own", "", "text")))"#)),
        Case(
            "one that passes on what it cannot read, to those that make the same",
            host(
                "a.example",
                #""use": ["problem", "json"], \#(plugins(entry("own", "", "json", #""onFailure": "next""#)))"#)),
        Case(
            "one that passes on what it cannot read, to others too",
            host("a.example", plugins(entry("own", "", "json", #""onFailure": "next""#))),
            warns: unmatched("own", "a.example", "text/plain, 200, a.example: was text, now own")),
        Case("one that is switched off", host("a.example", plugins(entry("own", "", "text", #""enabled": false"#)))),
        Case(
            "one that is not in this build", host("a.example", plugins(entry("own", "", "image", #""optional": true"#)))
        ),
    ]

    @Test("an entry of a host that adds itself in code warns too")
    func unmatchedInCode() throws {
        let registry = try SerializerRegistry.fixture(Self.base).adding("own", factory: "text", host: "a.example")
        let warning = try #require(registry.lint().first)
        #expect(registry.lint().count == 1)
        #expect(warning.kind == .takenResponse)
        #expect(
            warning.text
                == "adding(own): "
                + Self.unmatched("own", "a.example", "application/json, 200, a.example: was json, now own"))
        let meant = try SerializerRegistry.fixture(Self.base)
            .adding("own", factory: "text", types: ["*/*"], host: "a.example")
        #expect(meant.lint() == [])
    }

    @Test("a whole table warns of its host entries too, and a section that extends another one of its own alone")
    func unmatchedInAWholeTable() throws {
        let manifest = PlaceTests.manifest(
            Self.plugins(Self.entry("json", #""@json""#)),
            #""hosts": { "*.a.example": { \#(Self.plugins(Self.entry("wide", "", "text"))) }, "x.a.example": { "extends": "*.a.example" } }"#
        )
        #expect(
            try SerializerRegistry.fixture(manifest).lint().map(\.text) == [
                "Plugins.json: "
                    + Self.unmatched("wide", "*.a.example", "application/json, 200, a.a.example: was json, now wide")
            ])
    }

    @Test(
        "each has a witness, and those that are meant are silent",
        arguments: layers + unreached + hosts + nothing + unmatchedEntries)
    func warnings(_ test: Case) throws {
        let overlay = PlaceTests.manifest(test.overlay)
        let registry = try SerializerRegistry.fixture(Self.base, overlays: [overlay])
        let warnings = registry.lint()
        #expect(warnings.map(\.text) == test.warnings.map { "overlay1.json: \($0)" })
        #expect(warnings.allSatisfy { $0.isWarning && $0.line == 1 })
        // The same by one file after the other.
        let later = try SerializerRegistry.fixture(Self.base)
            .overlaid(by: .text(overlay, name: "overlay1.json"))
        #expect(later.lint() == warnings)
    }

    @Test("what is printed of a registry warns of nothing that was meant")
    func printed() throws {
        let overlay = PlaceTests.manifest(
            Self.plugins(Self.entry("t", #""*/*""#, "text", #""hides": ["json", "problem", "js", "text"]"#)),
            #""hosts": { "x.cdn.example": { "hides": ["cdn"] } }"#)
        let registry = try SerializerRegistry.fixture(Self.base, overlays: [overlay])
        #expect(registry.lint() == [])
        #expect(try SerializerRegistry.fixture(registry.effectiveManifest.serialized()).lint() == [])
    }

    @Test("each layer is compared with the table in force, so that a later one can undo it")
    func undone() throws {
        let greedy = PlaceTests.manifest(Self.plugins(Self.entry("t", #""*/*""#, "text")))
        let last = PlaceTests.manifest(Self.plugins(#"{ "id": "t", "place": "last" }"#))
        #expect(try SerializerRegistry.fixture(Self.base, overlays: [greedy, last]).lint() == [])
        let narrower = PlaceTests.manifest(Self.plugins(#"{ "id": "t", "match": { "types": ["a/b"] } }"#))
        // Narrower than it was in the second layer.
        #expect(
            try SerializerRegistry.fixture(Self.base, overlays: [greedy, narrower]).lint().map(\.text) == [
                "overlay2.json: " + Self.narrowed("t", "application/octet-stream, 200, any host: was t, now raw")
            ])
    }

    /// Entries that write, over one that reads JSON and one that reads and writes; `*.cdn.example` has an entry that only writes.
    @Test(
        "entries that only write are not judged by responses",
        arguments: [
            Case("one in front that means it", plugins(entry("s", #""v/*""#, "sure", #""hides": ["both"]"#))),
            Case("one in front", plugins(entry("s", #""v/*""#, "sure"))),
            Case(
                "one in front of a reader alone", plugins(entry("s", #""@json""#, "sure", #""hides": ["json"]"#)),
                warns: #"/plugins/0/hides/0: the entry "s" takes nothing from "json""#),
            Case(
                "one behind that says it takes",
                plugins(entry("s", #""v/v""#, "sure", #""place": "last", "hides": ["both"]"#)),
                warns: #"/plugins/0/hides/0: the entry "s" takes nothing from "both""#),
            Case("one behind", plugins(entry("s", #""v/v""#, "sure", #""place": "last""#))),
            Case(
                "one in front, for a top-level type and a suffix together",
                plugins(entry("s", #""v/*""#, "sure", #""hides": ["c"]"#), entry("c", #""+c""#, "sure"))),
            Case("one that only writes from now on", plugins(#"{ "id": "both", "reads": false }"#)),
            Case("a section without it", #""hosts": { "x.cdn.example": {} }"#),
            Case("a section that means it", #""hosts": { "x.cdn.example": { "hides": ["w"] } }"#),
            Case(
                "a section that has it",
                #""hosts": { "x.cdn.example": { "extends": "*.cdn.example", "hides": ["w"] } }"#,
                warns:
                    #"/hosts/x.cdn.example/hides/0: the section does without nothing that "w" gave; an entry that takes its responses on purpose names it in its own "hides""#
            ),
        ])
    func writers(_ test: Case) throws {
        let base = PlaceTests.manifest(
            Self.plugins(Self.entry("json", #""@json""#), Self.entry("both", #""v/v""#, "both")),
            #""hosts": { "*.cdn.example": { \#(Self.plugins(Self.entry("w", #""a/b""#, "sure"))) } }"#)
        let sources = [("base.json", base), ("over.json", PlaceTests.manifest(test.overlay))]
        let registry = try SerializerRegistry(
            sources: sources.map { ManifestSource.text($0.1, name: $0.0) }, factories: .writing())
        #expect(registry.lint().map(\.text) == test.warnings.map { "over.json: \($0)" })
    }

    @Test("a response is what its alias makes of it")
    func aliases() throws {
        let base = PlaceTests.manifest(
            Self.plugins(Self.entry("json", #""@json""#), Self.entry("text", #""text/*""#, "text")),
            #""aliases": { "text/x": "application/json" }"#)
        let overlay = PlaceTests.manifest(Self.plugins(Self.entry("t", #""text/*""#, "count", #""hides": ["json"]"#)))
        #expect(
            try SerializerRegistry.fixture(base, overlays: [overlay]).lint().map(\.text) == [
                "overlay1.json: " + Self.takes("t", "text", "text/plain, 200, any host: was text, now t")
            ])
        let narrower = PlaceTests.manifest(
            Self.plugins(#"{ "id": "json", "match": { "types": ["application/json;v=1", "text/json", "+json"] } }"#))
        #expect(
            try SerializerRegistry.fixture(base, overlays: [narrower]).lint().map(\.text) == [
                "overlay1.json: " + Self.narrowed("json", "application/json, 200, any host: was json, now raw")
            ])
        let wide = PlaceTests.manifest(Self.plugins(Self.entry("t", #""*/*""#, "text", #""hides": ["text"]"#)))
        #expect(
            try SerializerRegistry.fixture(base, overlays: [wide]).lint().map(\.text) == [
                "overlay1.json: " + Self.takes("t", "json", "application/json, 200, any host: was json, now t")
            ])
    }

    @Test("a manifest with too many classes of types gets one note instead of warnings")
    func tooMany() throws {
        let types = (0..<400).map { #""t\#($0)/*+s\#($0)""# }.joined(separator: ", ")
        let overlay = PlaceTests.manifest(Self.plugins(Self.entry("e", types), Self.entry("t", #""*/*""#, "text")))
        let notes = try SerializerRegistry.fixture(Self.base, overlays: [overlay]).lint()
        #expect(
            notes.map(\.description) == [
                "overlay1.json: layers are not checked: there are more than 100000 classes of media types"
            ])
        #expect(notes.map(\.kind) == [.uncheckedLayers])
        #expect(notes.filter(\.isWarning) == [])
    }

    @Test("an id in `hides` that there is not is an error")
    func unknown() throws {
        for (overlay, line) in [
            (
                Self.plugins(Self.entry("t", #""*/*""#, "text", #""hides": ["jsn", "json"]"#)),
                #"/plugins/0/hides/0: there is no entry "jsn"; did you mean "json"?"#
            ),
            (
                #""hosts": { "x.cdn.example": { "hides": ["cnd"] } }"#,
                #"/hosts/x.cdn.example/hides/0: there is no entry "cnd"; did you mean "cdn"?"#
            ),
        ] {
            let failure = try #require(throws: ManifestFailure.self) {
                try SerializerRegistry.fixture(Self.base, overlays: [PlaceTests.manifest(overlay)])
            }
            #expect(failure.description == "overlay1.json:1: \(line)")
        }
    }

    @Test("two hundred entries, each of which says that it hides all", .timeLimit(.minutes(5)))
    func hidesAll() throws {
        let ids = (0..<200).map { "\"a\($0)\"" }.joined(separator: ",")
        let list = (0..<200).map { Self.entry("a\($0)", "\"x/a\($0)\"", "json", "\"hides\": [\(ids)]") }
        let warnings = try SerializerRegistry.fixture(
            #"{ "manifestVersion": 1, "plugins": [\#(list.joined(separator: ","))] }"#
        ).lint()
        #expect(warnings.count == 200 * 199)
        #expect(Set(warnings.map(\.kind)) == [.hidesNothing])
        // Each line costs reading the text once more.
        #expect(warnings.prefix(201).map(\.line) == Array(repeating: 1, count: 200) + [nil])
    }

    @Test("a thousand entries under a thousand", .timeLimit(.minutes(5)))
    func thousand() throws {
        let list = (0..<500).map { PlaceTests.entry("a\($0)") }
        let over = (0..<499).map { PlaceTests.entry("b\($0)") } + [Self.entry("t", #""x/*""#, "text")]
        let registry = try SerializerRegistry.fixture(
            #"{ "manifestVersion": 1, "plugins": [\#(list.joined(separator: ","))] }"#,
            overlays: [#"{ "manifestVersion": 1, "plugins": [\#(over.joined(separator: ","))] }"#])
        #expect(registry.lint().count == 500)
    }
}
