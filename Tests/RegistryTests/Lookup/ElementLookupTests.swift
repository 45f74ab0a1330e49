import PatchbayJSON
import PatchbayTools
import Testing

@testable import PatchbayRegistry

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Calls that want elements, one by one or as an array.
@Suite("Calls of elements")
struct ElementLookupTests {
    struct Row: Decodable, Sendable, Equatable { let name: String }
    /// Neither decodable nor made by any entry.
    struct Opaque: Sendable {}

    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        let entries: [String]
        var contentType = "a/b"
        let wanted: WantedValue
        /// The entries that are asked to serialize, in order, and the ending where there is one.
        let plan: String
        var testDescription: String { name }

        init(_ name: String, _ entries: [String], of contentType: String = "a/b", _ wanted: WantedValue, _ plan: String)
        {
            self.name = name
            self.entries = entries
            self.contentType = contentType
            self.wanted = wanted
            self.plan = plan
        }
    }

    static func entry(_ id: String, _ factory: String, _ more: String = "", match: String = "") -> String {
        #"{ "id": "\#(id)", "factory": "\#(factory)", "match": { "types": ["a/b"]\#(match) } \#(more) }"#
    }
    static let wantsElements = #", "wanted": "elements""#

    static let json = entry("json", "json")
    static let text = entry("text", "text")
    static let count = entry("count", "count")
    /// Yields numbers, and nothing else.
    static let numbers = entry("numbers", "numbers")
    /// Yields JSON, and any `Decodable`.
    static let lines = entry("lines", "json-lines")
    /// Yields any `Decodable`; makes JSON as a whole, and any `Decodable` too.
    static let list = entry("list", "json-list")
    static let words = entry("words", "words")
    /// Yields parts.
    static let parts = entry("parts", "parts")
    static let envelope = entry("envelope", "envelope")
    /// Keeps the bytes.
    static let kept = entry("kept", "raw")
    static let next = #", "onFailure": "next""#

    static let rows = WantedValue.elements(of: Row.self)

    static let cases: [Case] = [
        Case("the first that yields, behind those that make one value", [json, lines, list], rows, "lines"),
        Case("the first that makes one value where none yields", [count, json, text], rows, "json"),
        Case("what it yields is another type", [numbers, json], rows, "json"),
        Case("the type that it yields", [json, numbers], .elements(of: Int.self), "numbers"),
        Case(
            "an element that is the output of one entry", [numbers, count], .elements(of: Int8.self),
            "noEntryProduces"),
        Case("elements that may be missing", [json, lines, list], .elements(of: Row?.self), "lines"),
        Case("text that may be missing", [numbers, count, words], .elements(of: String?.self), "words"),
        Case("lines that may be missing", [numbers, count], .elements(of: String?.self), "text"),
        Case("pieces that may be missing", [lines, json], .elements(of: Data?.self), "bytes"),
        Case("one value of another entry's output", [lines, count], .elements(of: Opaque.self), "noEntryProduces"),
        Case("the output before what decodes it", [lines, numbers], .elements(of: Int.self), "lines"),
        Case("a type that is not covered", [lines, json], of: "c/d", rows, "noEntryProduces"),
        Case(
            "those that yield, and then those that do not",
            [entry("one", "json", next), entry("more", "json-lines", next), json, list],
            rows, "more list"),
        Case(
            "those that do not in their order, after those that yield",
            [entry("one", "json", next), entry("more", "json-lines", next), json], rows, "more one json"),
        Case(
            "the last of them says that the next is asked",
            [entry("more", "json-lines", next), entry("one", "json", next)], rows,
            "more one noEntryProduces"),
        Case("pieces ask nobody", [lines, json, text], .elements(of: Data.self), "bytes"),
        Case("nor do pieces of other types", [lines, json, text], .elements(of: [UInt8].self), "bytes"),
        Case("nor do bodies", [lines, json, text], .elements(of: ResponseBody.self), "bytes"),
        Case("lines of what yields String, before what makes it", [text, words], .elements(of: String.self), "words"),
        Case("what makes String", [lines, json, text], .elements(of: String.self), "text"),
        Case("lines where no entry makes String", [lines, json, numbers], .elements(of: String.self), "text"),
        Case("what unwraps before what yields", [envelope, lines], rows, "envelope"),
        Case("what yields before what unwraps", [lines, envelope], rows, "lines"),
        Case("what makes one value before what unwraps", [json, envelope, lines], rows, "json"),
        Case(
            "what yields among those before what unwraps", [entry("one", "json", next), lines, envelope, list], rows,
            "lines"),
        Case(
            "what unwraps after those before it",
            [entry("one", "json", next), entry("more", "json-lines", next), envelope, list],
            rows, "more one envelope"),
        Case("an array from what yields", [numbers, lines, text], .type([Row].self), "lines"),
        Case("an array of its own elements", [text, numbers, lines], .type([Int].self), "numbers"),
        Case("an array as a whole value from the first that can", [json, lines], .type([Row].self), "json"),
        Case("an array from what yields, before what makes it", [lines, json], .type([Row].self), "lines"),
        Case("parts, whose types are looked up", [json, parts], rows, "parts"),
        Case("text of parts", [text, parts], .elements(of: String.self), "parts"),
        Case("parts themselves", [json, parts], .elements(of: ResponsePart.self), "parts"),
        Case("no array", [lines, numbers], .type(Row.self), "noEntryProduces"),
        Case("an array of arrays", [lines], .type([[Row]].self), "lines"),
        Case("an array that may be missing", [lines], .type([Row]?.self), "lines"),
        Case("an array of what may be missing", [numbers, lines], .type([Row?].self), "lines"),
        Case("an array of its own elements, which may be missing", [text, numbers], .type([Int?].self), "numbers"),
        Case("an array of parts that are not decodable", [lines, parts], .type([Opaque].self), "parts"),
        Case("an array of any elements", [text, numbers, lines], .type([any Sendable].self), "numbers"),
        Case("an array of bodies of parts", [lines, parts], .type([ResponseBody].self), "parts"),
        Case("an array of what is not decodable", [lines], .type([Opaque].self), "noEntryProduces"),
        Case("an untyped call in the order of the manifest", [numbers, json], .anything, "numbers"),
        Case("text", [lines, numbers], .type(String.self), "text"),
        Case("elements of any type, of the first that yields", [json, numbers, lines], .anyElements, "numbers"),
        Case("any elements of what decodes them", [json, lines], .anyElements, "lines"),
        Case("one value where none yields any", [count, json], .anyElements, "count"),
        Case("any elements of a type that is not covered", [lines, json], of: "c/d", .anyElements, "raw"),
        Case("any elements of what keeps the bytes", [kept, lines, json], .anyElements, "kept"),
        Case("any elements of what yields, before what keeps the bytes", [lines, kept], .anyElements, "lines"),
        Case(
            "any elements of what makes one value, before what keeps the bytes", [count, kept, lines], .anyElements,
            "count"),
        Case(
            "any elements of what passes its failures on to what keeps the bytes",
            [entry("one", "count", next), kept, lines], .anyElements, "one kept"),
        Case("any elements that may be missing", [kept, lines], .elements(of: (any Sendable)?.self), "kept"),
        Case("an untyped call in front of what keeps the bytes", [json, kept], .anything, "json"),
        Case("an untyped call of what keeps the bytes", [kept, json], .anything, "kept"),
        Case("what keeps the bytes makes no value", [kept, json], .type(Row.self), "json"),
        Case("it makes none that is not decodable", [kept, json], .type(Opaque.self), "noEntryProduces"),
        Case("it has no elements", [kept, lines], rows, "lines"),
        Case("it has no lines", [kept], .elements(of: String.self), "text"),
        Case("it makes no text", [kept, text], .type(String.self), "text"),
        Case("it makes no array", [kept, lines], .type([Row].self), "lines"),
        Case("it makes no array of anything", [kept], .type([any Sendable].self), "noEntryProduces"),
        Case("bytes ask it no more than others", [kept], .type(ResponseBody.self), "bytes"),
        Case("nor do bytes that may be missing", [kept], .type(Data?.self), "bytes"),
        Case("nor does a call that wants nothing", [kept], .type(Void.self), "bytes"),
    ]

    @Test("whom they turn to", arguments: cases)
    func plan(_ test: Case) throws {
        let decision = try SerializerRegistry.elements(test.entries).explain(
            contentType: test.contentType, producing: test.wanted)
        var asked = decision.planned.map(\.name)
        if !decision.plan.isClosed { asked.append(decision.plan.ending.word) }
        #expect(asked.joined(separator: " ") == test.plan)
        // The reasons are of the same plan.
        let reasons = decision.planner.considered(for: decision.plan).filter { $0.verdict == .chosen }.map(\.id)
        #expect(reasons == decision.planned.map(\.name))
    }

    static let only = entry("only", "json-lines", match: wantsElements)
    static let onlyText = entry("only", "text", match: wantsElements)
    static let onlyNumbers = entry("only", "numbers", match: wantsElements)

    /// Entries with `"wanted": "elements"`, each in front of one that is asked whatever is wanted.
    static let wanted: [Case] = [
        Case("an untyped call", [only, text], .anything, "text"),
        Case("an untyped call where there is no other", [only], .anything, "raw"),
        Case("one value", [only, json], .type(Row.self), "json"),
        Case("one value where there is no other", [only], .type(Row.self), "noEntryProduces"),
        Case("text", [onlyText, text], .type(String.self), "text"),
        Case("bytes", [only], .type([UInt8].self), "bytes"),
        Case("elements", [only, json], rows, "only"),
        Case("an array", [only, json], .type([Row].self), "only"),
        Case("an array of what it yields", [onlyNumbers, json], .type([Int].self), "only"),
        Case("an array of what it does not yield", [onlyNumbers, json], .type([Row].self), "json"),
        Case("an array that may be missing", [only, json], .type([Row]?.self), "only"),
        Case("elements of text", [onlyText], .elements(of: String.self), "only"),
        Case("elements of another type", [onlyNumbers, lines], rows, "lines"),
    ]

    @Test("an entry that is for elements is asked where elements, or an array of them, are wanted", arguments: wanted)
    func onlyElements(_ test: Case) throws {
        try plan(test)
        // One that unwraps is passed over in the same way.
        let envelope = Self.entry("envelope", "envelope", match: Self.wantsElements)
        let decision = try SerializerRegistry.elements([envelope] + test.entries).explain(
            contentType: test.contentType, producing: test.wanted)
        let isAsked = decision.planned.first?.name == "envelope"
        #expect(isAsked == test.wanted.isOfElements)
    }

    @Test("an entry that is for elements serves a request or a policy that names it by the rules of each")
    func named() throws {
        let named = LookupOverride(using: .entry("only"))
        let registry = try SerializerRegistry.elements(
            [Self.onlyNumbers], #""policy": { "noMatch": "only", "missingContentType": "only" }"#)
        // A request that names it says itself what it wants.
        let untyped = registry.explain(contentType: "c/d", override: named)
        #expect(try untyped.serialize(ResponseBody(text: "1 2")).value as? [Int] == [1, 2])
        #expect(registry.explain(contentType: "c/d").entryID == nil)
        #expect(
            registry.explain(contentType: "c/d").description
                == "only: declined: c/d is outside a/b\nonly: declined: it is for elements or an array of them, not for any value\n"
                + "raw: no entry is left, so the bytes are the value (policy noMatch)")
        #expect(registry.explain(contentType: nil, producing: .type([Int].self)).entryID == "only")
        #expect(registry.explain(contentType: "c/d", producing: .elements(of: Int.self)).entryID == "only")
    }

    @Test("the reason of an entry that is for elements, and no advice to turn to it")
    func onlyReasons() throws {
        let registry = try SerializerRegistry.elements([Self.only])
        let decision = registry.explain(contentType: "a/b", producing: .type(Row.self))
        #expect(decision.candidates.map(\.reason) == ["it is for elements or an array of them, not for Row"])
        let failure = try #require(throws: LookupFailure.self) { try decision.serializeWanted(ResponseBody(text: "x")) }
        #expect(
            failure.description
                == "no entry makes Row from a/b with status 200: only declined, it is for elements or an array of them, "
                + "not for Row; ask for an array or a stream; asked: only (declined)")
        let other = registry.explain(contentType: "c/d", producing: .type(Row.self))
        let without = try #require(throws: LookupFailure.self) { try other.serializeWanted(ResponseBody(text: "x")) }
        #expect(
            without.description
                == "no entry makes Row from c/d with status 200; the only entry, only, does not cover this type")
        let array = registry.explain(contentType: "c/d", producing: .type([Row].self))
        let advised = try #require(throws: LookupFailure.self) { try array.serializeWanted(ResponseBody(text: "x")) }
        #expect(advised.description.contains(#"to have only read it, set request.using = .entry("only")"#))
    }

    @Test("a row of the table says what it is for, and the digest counts it")
    func route() throws {
        let (with, without) = try (SerializerRegistry.elements([Self.only]), SerializerRegistry.elements([Self.lines]))
        let route = try #require(with.routes(host: nil).first)
        #expect(route.wanted == .elements)
        #expect(route.description == "only: a/b with status any, for elements")
        #expect(without.routes(host: nil).first?.wanted == nil)
        let plain = try SerializerRegistry.elements([Self.entry("e", "json")])
        let other = try SerializerRegistry.elements([Self.entry("e", "json", match: Self.wantsElements)])
        #expect(plain.digest != other.digest)
        #expect(other.effectiveManifest["plugins"]?[0]?["match"]?["wanted"] == "elements")
        let again = try SerializerRegistry(
            sources: [.text(other.effectiveManifest.serialized(), name: "again")], factories: .yielding())
        #expect(again.digest == other.digest)
    }

    @Test("an overlay can say and unsay it")
    func overlays() throws {
        let only = #"{ "id": "only", "factory": "json-lines", "match": { "types": ["a/b"], "wanted": "elements" } }"#
        let added = try SerializerRegistry.elements([Self.text]).overlaid(
            by: .text(#"{ "manifestVersion": 1, "plugins": [\#(only)] }"#))
        #expect(added.explain(contentType: "a/b").entryID == "text")
        #expect(added.explain(contentType: "a/b", producing: Self.rows).entryID == "only")
        func overlaid(_ match: String) throws -> SerializerRegistry {
            try added.overlaid(
                by: .text(#"{ "manifestVersion": 1, "plugins": [{ "id": "only", "match": \#(match) }] }"#, name: "o"))
        }
        #expect(try overlaid(#"{ "wanted": null }"#).explain(contentType: "a/b").entryID == "only")
        #expect(try overlaid("null").explain(contentType: "c/d").entryID == "only")
        #expect(try overlaid(#"{ "types": ["c/d"] }"#).explain(contentType: "c/d").entryID == nil)
        let replaced = try added.replacing("only", with: NumbersFixture())
        #expect(replaced.explain(contentType: "a/b").entryID == "text")
        #expect(replaced.explain(contentType: "a/b", producing: .elements(of: Int.self)).entryID == "only")
    }

    @Test("an entry that is for elements hides none without it, and none without it hides it")
    func hiding() throws {
        let plain = Self.entry("plain", "json-lines")
        let other = Self.only.replacing(#""id": "only""#, with: #""id": "other""#)
        for entries in [[Self.only, plain], [plain, Self.only]] {
            let registry = try SerializerRegistry.elements(entries)
            #expect(registry.notes.allSatisfy { $0.kind == .unusedFactory })
        }
        let failure = try #require(throws: ManifestFailure.self) {
            try SerializerRegistry.elements([Self.only, other])
        }
        #expect(failure.issues.map(\.kind) == [.hiddenEntry])
        // Nor does one that yields stand behind one that does not.
        let first = try SerializerRegistry.elements([Self.json, Self.list])
        #expect(first.explain(contentType: "a/b", producing: Self.rows).entryID == "list")
        #expect(throws: ManifestFailure.self) {
            try SerializerRegistry.elements([Self.list, Self.json])
        }
    }

    @Test("across layers, an entry for elements takes no response, and one that becomes it gives some up")
    func layers() throws {
        func warnings(_ overlay: String, over base: [String]) throws -> [String] {
            try SerializerRegistry.elements(base).overlaid(
                by: .text(#"{ "manifestVersion": 1, "plugins": [\#(overlay)] }"#, name: "o.json")
            ).lint().map { "\($0.code)" }
        }
        #expect(try warnings(Self.only, over: [Self.text]) == [])
        #expect(try warnings(Self.entry("mine", "text"), over: [Self.text]) == ["takenResponse"])
        #expect(
            try warnings(#"{ "id": "text", "match": { "wanted": "elements" } }"#, over: [Self.text]) == [
                "narrowedEntry"
            ])
        #expect(
            try warnings(Self.only.dropLast() + #", "place": "last" }"#, over: [Self.text]) == [])
    }

    /// All the elements of a body, as one value.
    private func all<Element: Sendable>(
        _ type: Element.Type, _ entries: [String], _ body: String, _ contentType: String = "a/b", _ more: String = ""
    ) throws -> [Element] {
        let decision = try SerializerRegistry.elements(entries, more).explain(
            contentType: contentType, producing: .elements(of: type))
        return try #require(try decision.serializeWanted(ResponseBody(text: body)).value as? [Element])
    }

    private static let ada = #"{"name":"Ada"}"#
    private static let bob = #"{"name":"Bob"}"#

    @Test("all elements of a whole body, whoever gives them")
    func whole() throws {
        let rows = [Row(name: "Ada"), Row(name: "Bob")]
        #expect(try all(Row.self, [Self.lines], "\(Self.ada)\n\(Self.bob)\n") == rows)
        #expect(try all(Int.self, [Self.numbers], "1 2 3") == [1, 2, 3])
        #expect(try all(Row.self, [Self.json], Self.ada) == [Row(name: "Ada")])
        #expect(try all(JSON.self, [Self.json], "[1,2]") == [[1, 2]])
        #expect(try all(Row.self, [Self.lines], "") == [])
        #expect(try all(Row.self, [Self.envelope, Self.lines], "a/b\n\(Self.ada)\n\(Self.bob)") == rows)
        #expect(try all(String.self, [Self.text], "one\ntwo") == ["one\ntwo"])
        #expect(try all(String.self, [Self.words], "one two") == ["one", "two"])
        #expect(try all(String.self, [], "one\r\ntwo\rthree\n\nfour") == ["one", "two", "three", "", "four"])
        #expect(try all(String.self, [], "one\n") == ["one"])
        #expect(try all(Data.self, [Self.json], "one") == [Data("one".utf8)])
        #expect(try all([UInt8].self, [Self.json], "") == [])
    }

    @Test("each part of a body is made by the entry for its own media type")
    func partValues() throws {
        let inner = #"{ "id": "inner", "factory": "json", "match": { "types": ["a/json"] } }"#
        let words =
            #"{ "id": "inner-text", "factory": "text", "options": { "prefix": "text:" }, "match": { "types": ["a/text"] } }"#
        let entries = [Self.parts, inner, words]
        let body = "a/json \(Self.ada)\na/json \(Self.bob)"
        #expect(try all(Row.self, entries, body) == [Row(name: "Ada"), Row(name: "Bob")])
        #expect(try all(String.self, entries, "a/text one\na/other two") == ["text:one", "two"])
        #expect(try all(ResponsePart.self, entries, body).map { "\($0.mediaType)" } == ["a/json", "a/json"])
        let failure = try #require(throws: LookupFailure.self) { try all(Row.self, entries, "a/other x") }
        #expect(failure.code == .serialization && failure.entry == "parts")
        let decision = try SerializerRegistry.elements(entries).explain(contentType: "a/b", producing: Self.rows)
        let candidate = try #require(decision.planned.first)
        var parser = try #require(try decision.elementParser(of: Row.self, by: candidate, maximumElementBytes: 100))
        var rows: [Row] = []
        for piece in [body.prefix(9), body.dropFirst(9)] {
            try parser.parse(Array(piece.utf8)) { rows.append($0) }
        }
        try parser.finish { rows.append($0) }
        #expect(rows == [Row(name: "Ada"), Row(name: "Bob")])
    }

    @Test("an array is all the elements of an entry that yields")
    func array() throws {
        func array<Value: Sendable>(_ type: Value.Type, _ entries: [String], _ body: String) throws -> Value {
            try SerializerRegistry.elements(entries).explain(contentType: "a/b", producing: .type(type))
                .serialize(ResponseBody(text: body), as: type).value
        }
        #expect(
            try array([Row].self, [Self.lines], "\(Self.ada)\n\(Self.bob)") == [Row(name: "Ada"), Row(name: "Bob")])
        #expect(try array([JSON].self, [Self.lines], "1\n2") == [1, 2])
        #expect(try array([Int].self, [Self.numbers], "1 2") == [1, 2])
        #expect(try array([Int].self, [Self.list], "[1,2]") == [1, 2])
        let failure = try #require(throws: LookupFailure.self) {
            try array([Row].self, [Self.lines], "\(Self.ada)\n{}")
        }
        #expect(failure.code == .serialization && failure.entry == "lines" && failure.cause is DecodingError)
    }

    @Test("the parser of a candidate holds an element to the entry's limit, and one that makes one value has none")
    func parser() throws {
        let entries = [Self.entry("lines", "json-lines", #", "limits": { "maxBodyBytes": 12 }"#), Self.json]
        let decision = try SerializerRegistry.elements(entries).explain(contentType: "a/b", producing: Self.rows)
        let candidate = try #require(decision.planned.first)
        #expect(decision.limit(of: candidate).bytes == 12)
        var parser = try #require(
            try candidate.elementParser(
                of: Row.self, decision.head, maximumElementBytes: decision.limit(of: candidate).bytes))
        #expect(throws: ElementLimitFailure(limit: 12)) {
            try parser.parse(Array(Self.ada.utf8)) { _ in }
        }
        let json = try SerializerRegistry.elements([Self.json]).explain(contentType: "a/b", producing: Self.rows)
        let whole = try #require(json.planned.first)
        #expect(try whole.elementParser(of: Row.self, json.head, maximumElementBytes: 12) == nil)
    }

    @Test("the reasons name who yields, who makes one value, and who has to wait")
    func reasons() throws {
        func lines(_ entries: [String], _ wanted: WantedValue = Self.rows) throws -> [String] {
            try SerializerRegistry.elements(entries).explain(contentType: "a/b", producing: wanted).description
                .split(separator: "\n").map(String.init)
        }
        #expect(
            try lines([Self.numbers, Self.json, Self.lines]) == [
                "numbers: declined: it makes [Int], not elements of Row",
                "json: declined: it makes one value, and lines yields the elements",
                "lines: chosen: covers a/b with status 200, and yields its elements",
            ])
        #expect(
            try lines([Self.json]) == ["json: chosen: covers a/b with status 200, and makes one value of it"])
        #expect(
            try lines([Self.lines], .elements(of: Opaque.self)) == [
                "lines: declined: it makes [JSON], not elements of Opaque, which is not Decodable",
                "error: noEntryProduces (policy noMatch)",
            ])
        #expect(
            try lines([], .elements(of: Data.self)) == [
                "bytes: elements of Data are always the pieces of the body, no entry is asked"
            ])
        #expect(
            try lines([], .elements(of: String.self)) == [
                "text: no entry yields String, so they are the lines of the body, decoded by its charset"
            ])
    }

    @Test("no entry makes the elements: an error that says who reads them elsewhere")
    func none() throws {
        let decision = try SerializerRegistry.elements([Self.lines]).explain(contentType: "c/d", producing: Self.rows)
        let failure = try #require(throws: LookupFailure.self) { try decision.serializeWanted(ResponseBody(text: "x")) }
        #expect(
            failure.description
                == #"no entry makes elements of Row from c/d with status 200; to have lines read it, set "#
                + #"request.using = .entry("lines"), or "types": ["c/d"] in an entry, or "noMatch": "lines" in the policy; the only entry, lines, does not cover this type"#
        )
    }
}

extension SerializerRegistry {
    /// The registry of entries, with factories whose serializers yield.
    static func elements(_ entries: [String], _ more: String = "") throws -> SerializerRegistry {
        let text =
            #"{ "manifestVersion": 1, "plugins": [\#(entries.joined(separator: ","))] \#(more.isEmpty ? "" : ", " + more) }"#
        return try SerializerRegistry(sources: [.text(text, name: "Plugins.json")], factories: .yielding())
    }
}

extension SerializerFactories {
    /// The fixtures, those that yield, and an envelope, which unwraps.
    static func yielding() throws -> SerializerFactories {
        var factories = try SerializerFactories.fixtures()
        try factories.register("envelope") { UnwrappingTests.Envelope() }
        try factories.register("numbers") { NumbersFixture() }
        try factories.register("words") { WordsFixture() }
        try factories.register("json-lines") { JSONLinesFixture() }
        try factories.register("parts") { PartsFixture() }
        try factories.register("json-list") { JSONListFixture() }
        try factories.register("raw") { RawFixture() }
        return factories
    }
}
