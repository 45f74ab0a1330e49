import PatchbayJSON
import PatchbayRegistry
import Testing

/// `place` and `order`: a list in another order than its layers give it.
@Suite("Places and orders")
struct PlaceTests {
    /// An entry of a type of its own, so that none hides another.
    static func entry(_ id: String, _ more: String = "") -> String {
        #"{ "id": "\#(id)", "factory": "count", "match": { "types": ["x/\#(id)"] }\#(more.isEmpty ? "" : ", " + more) }"#
    }

    static func placed(_ id: String, _ place: String) -> String { entry(id, #""place": \#(place)"#) }

    static func moved(_ id: String, _ place: String) -> String { #"{ "id": "\#(id)", "place": \#(place) }"# }

    static func plugins(_ entries: String...) -> String { #""plugins": [\#(entries.joined(separator: ", "))]"# }

    static func manifest(_ members: String...) -> String {
        #"{ "manifestVersion": 1, \#(members.joined(separator: ", ")) }"#
    }

    static let list = plugins(entry("a"), entry("b"), entry("c"), entry("d"))

    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        /// What each layer over a, b, c and d says of the owner of the list.
        let layers: [String]
        let ids: String
        var testDescription: String { name }

        init(_ name: String, _ layers: String..., gives ids: String) {
            self.name = name
            self.layers = layers
            self.ids = ids
        }
    }

    static let cases = [
        Case("a new entry first, as without a place", plugins(placed("n", #""first""#)), gives: "n a b c d"),
        Case("a new entry last", plugins(placed("n", #""last""#)), gives: "a b c d n"),
        Case("a new entry before another", plugins(placed("n", #"{ "before": "c" }"#)), gives: "a b n c d"),
        Case("a new entry after another", plugins(placed("n", #"{ "after": "c" }"#)), gives: "a b c n d"),
        Case("one there is moves to the front", plugins(moved("c", #""first""#)), gives: "c a b d"),
        Case("one there is moves to the end", plugins(moved("a", #""last""#)), gives: "b c d a"),
        Case("one there is moves before another", plugins(moved("d", #"{ "before": "b" }"#)), gives: "a d b c"),
        Case("one there is moves directly after another", plugins(moved("a", #"{ "after": "c" }"#)), gives: "b c a d"),
        Case(
            "those that go to one place keep their order, and new ones without a place come behind the first",
            plugins(
                placed("l1", #""last""#), placed("f1", #""first""#), entry("n"), placed("l2", #""last""#),
                placed("f2", #""first""#)), gives: "f1 f2 n a b c d l1 l2"),
        Case(
            "several before one, and several after it",
            plugins(
                placed("p", #"{ "after": "b" }"#), placed("q", #"{ "before": "b" }"#),
                placed("r", #"{ "after": "b" }"#),
                placed("s", #"{ "before": "b" }"#)), gives: "a q s b p r c d"),
        Case(
            "a place relative to an entry that is placed itself",
            plugins(
                placed("p", #"{ "after": "q" }"#), placed("q", #""last""#), placed("r", #"{ "before": "p" }"#)),
            gives: "a b c d q r p"),
        Case(
            "a place relative to a new entry of the same layer",
            plugins(placed("p", #"{ "after": "n" }"#), entry("n")), gives: "n p a b c d"),
        Case("an order of all", #""order": ["d", "c", "b", "a"]"#, gives: "d c b a"),
        Case("an order of some: the others stay", #""order": ["d", "a"]"#, gives: "d b c a"),
        Case("an order that changes nothing", #""order": ["a", "c"]"#, gives: "a b c d"),
        Case("an order of one and of none", #""order": ["b"]"#, #""order": []"#, gives: "a b c d"),
        Case("an order with new entries", plugins(entry("n")), #""order": ["d", "n"]"#, gives: "d a b c n"),
        Case(
            "an order with the new entries of its own layer",
            plugins(entry("m"), entry("n")) + #", "order": ["d", "n"]"#,
            gives: "m d a b c n"),
        Case(
            "the order first, then the places",
            plugins(placed("n", #"{ "before": "d" }"#)) + #", "order": ["d", "b"]"#, gives: "a n d c b"),
        Case(
            "an order and a place of the same entry that agree",
            plugins(moved("d", #""first""#)) + #", "order": ["d", "b"]"#, gives: "d a c b"),
        Case(
            "a later layer wins", plugins(moved("d", #""first""#)), #""order": ["a", "d"]"#,
            plugins(moved("c", #"{ "before": "a" }"#)), gives: "c a d b"),
        Case(
            "a place acts once: a later layer that speaks of the entry leaves it where it is",
            plugins(moved("d", #""first""#)), #""order": ["a", "d"]"#, plugins(#"{ "id": "d", "onFailure": "next" }"#),
            gives: "a d b c"),
        Case(
            "an entry that is switched off has a place, too",
            plugins(#"{ "id": "b", "enabled": false, "place": "last" }"#),
            plugins(placed("n", #"{ "after": "b" }"#)), gives: "a c d b n"),
        Case("a list that is new", #""plugins": null"#, plugins(entry("y"), placed("z", #""first""#)), gives: "z y"),
    ]

    @Test("the table that comes of it, of the global list and of a host", arguments: cases)
    func places(_ test: Case) throws {
        for isHost in [false, true] {
            let layers = ([Self.list] + test.layers).map {
                Self.manifest(isHost ? #""hosts": { "a.example": { \#($0) } }"# : $0)
            }
            let registry = try SerializerRegistry.fixture(layers[0], overlays: Array(layers.dropFirst()))
            let host = isHost ? CanonicalHost("a.example") : nil
            #expect(registry.routes(host: host).map(\.id).joined(separator: " ") == test.ids)
            // Nothing of it is left in what is printed, which gives the same table and digest.
            let printed = registry.effectiveManifest.serialized()
            #expect(!printed.contains(#""place""#) && !printed.contains(#""order""#))
            let again = try SerializerRegistry.fixture(printed)
            #expect(again.digest == registry.digest)
            #expect(again.routes(host: host).map(\.id) == registry.routes(host: host).map(\.id))
        }
    }

    @Test("a whole table, reordered or with entries removed, is what it says")
    func wholeTable() throws {
        let whole = Self.manifest(
            #""inherit": false"#,
            Self.plugins(Self.entry("c"), Self.entry("a"), Self.placed("d", #"{ "before": "a" }"#)))
        let registry = try SerializerRegistry.fixture(Self.manifest(Self.list), overlays: [whole])
        #expect(registry.routes(host: nil).map(\.id) == ["c", "d", "a"])
        #expect(registry.notes.allSatisfy { !$0.isWarning })
    }

    @Test("an entry that is hidden by the order of a later layer is no error of the earlier one")
    func hidden() throws {
        let base = Self.manifest(
            Self.plugins(
                #"{ "id": "csv", "factory": "text", "match": { "types": ["text/csv"] } }"#,
                #"{ "id": "text", "factory": "text", "match": { "types": ["text/*"] } }"#))
        for overlay in [#""order": ["text", "csv"]"#, Self.plugins(Self.moved("text", #""first""#))] {
            let registry = try SerializerRegistry.fixture(base, overlays: [Self.manifest(overlay)])
            #expect(registry.routes(host: nil).map(\.id) == ["text", "csv"])
            #expect(registry.notes.map(\.kind).contains(.hiddenEntry))
        }
        #expect(throws: ManifestFailure.self) {
            try SerializerRegistry.fixture(
                base.replacing(#""manifestVersion": 1"#, with: #""manifestVersion": 1, "order": ["text", "csv"]"#))
        }
    }

    // MARK: Faults

    struct Fault: Sendable, CustomTestStringConvertible {
        let name: String
        let overlay: String
        let lines: [String]
        var testDescription: String { name }

        init(_ name: String, _ overlay: String, says lines: String...) {
            self.name = name
            self.overlay = overlay
            self.lines = lines
        }
    }

    static let faults = [
        Fault(
            "a place relative to nothing, with the nearest spelling", plugins(placed("n", #"{ "before": "text" }"#)),
            says: #"/plugins/0/place: there is no entry "text" in this list; did you mean "txt"?"#),
        Fault(
            "an order of nothing", #""order": ["txt", "txts"]"#,
            says: #"/order/1: there is no entry "txts" in this list; did you mean "txt"?"#),
        Fault(
            "an id twice in an order", #""order": ["txt", "a", "txt"]"#,
            says: #"/order/2: the id "txt" is in the order twice, first at /order/0"#),
        Fault(
            "a circle of two", plugins(placed("m", #"{ "before": "n" }"#), placed("n", #"{ "after": "m" }"#)),
            says:
                #"/plugins/0/place: the places go in a circle: "m" depends on "n", which depends on it by /plugins/1/place"#
        ),
        Fault(
            "a circle of three, and one that hangs on it",
            plugins(
                placed("k", #"{ "after": "l" }"#), placed("l", #"{ "before": "m" }"#),
                placed("m", #"{ "after": "n" }"#),
                placed("n", #"{ "after": "l" }"#)),
            says:
                #"/plugins/1/place: the places go in a circle: "l" depends on "m", which depends on it by /plugins/2/place"#
        ),
        Fault(
            "an entry before itself", plugins(moved("a", #"{ "before": "a" }"#)),
            says: #"/plugins/0/place: the entry "a" cannot be placed relative to itself"#),
        Fault(
            "a place that undoes the order", plugins(moved("txt", #""first""#)) + #", "order": ["a", "txt"]"#,
            says:
                #"/order/1: the order has "a" before "txt", and the place at /plugins/0/place has it the other way round"#
        ),
        Fault(
            "a place relative to an entry of a host", plugins(placed("n", #"{ "before": "own" }"#)),
            says:
                #"/plugins/0/place: there is no entry "own" in this list; it is an entry of another list, at /hosts/a.example/plugins/0 of Plugins.json"#
        ),
        Fault(
            "a place of a host's entry relative to a global one",
            #""hosts": { "a.example": { \#(plugins(moved("own", #"{ "after": "txt" }"#))) } }"#,
            says:
                #"/hosts/a.example/plugins/0/place: there is no entry "txt" in this list; it is an entry of another list, at /plugins/1 of Plugins.json, whose entries "use" orders here"#
        ),
        Fault(
            "an order of a host that names a global entry", #""hosts": { "a.example": { "order": ["own", "a"] } }"#,
            says:
                #"/hosts/a.example/order/1: there is no entry "a" in this list; it is an entry of another list, at /plugins/0 of Plugins.json, whose entries "use" orders here"#
        ),
        Fault(
            "null as a place", plugins(moved("a", "null")),
            says:
                #"/plugins/0/place: "place" acts in the manifest that says it, and there is none of an earlier one that null could remove"#
        ),
        Fault(
            "null as an order", #""order": null, "hosts": { "a.example": { "order": null } }"#,
            says:
                #"/order: "order" acts in the manifest that says it, and there is none of an earlier one that null could remove"#,
            #"/hosts/a.example/order: "order" acts in the manifest that says it, and there is none of an earlier one that null could remove"#
        ),
        Fault(
            "a word that is no place", plugins(moved("a", #""frist""#)),
            says: #"/plugins/0/place: "frist" is neither "first" nor "last"; did you mean "first"?"#),
        Fault(
            "a word of another kind", plugins(moved("a", #""top""#)),
            says:
                #"/plugins/0/place: "top" is neither "first" nor "last"; it can also be { "before": id } or { "after": id }"#
        ),
        Fault(
            "a number", plugins(moved("a", "1")),
            says:
                #"/plugins/0/place: expected "first", "last", { "before": id } or { "after": id }, found a number"#),
        Fault(
            "before one and after another", plugins(moved("a", #"{ "before": "txt", "after": "txt" }"#)),
            says: "/plugins/0/place: an entry is placed before another or after one, not both"),
        Fault(
            "neither", plugins(moved("a", "{}")),
            says: #"/plugins/0/place: a place needs the key "before" or "after""#),
        Fault(
            "another key", plugins(moved("a", #"{ "befor": "txt" }"#)),
            says:
                #"/plugins/0/place/befor: the key "befor" is not known here; known are before, after; did you mean "before"?"#,
            #"/plugins/0/place: a place needs the key "before" or "after""#),
        Fault(
            "an id that is none", plugins(moved("a", #"{ "before": 7 }"#)),
            says: "/plugins/0/place/before: expected a string, found a number"),
        Fault(
            "an order that is no list", #""order": "a""#,
            says: #"/order: expected an array, such as ["a"], found a string"#),
        Fault(
            "an order with something else in it", #""order": ["a", 1]"#,
            says: "/order/1: expected a string, found a number"),
        Fault(
            "more ids than there can be",
            #""order": [\#(Array(repeating: #""a""#, count: 1001).joined(separator: ","))]"#,
            says: "/order: the list has 1001 ids, and 1000 are allowed"),
    ]

    @Test("what is wrong with a place or an order is an error with both places", arguments: faults)
    func fault(_ test: Fault) throws {
        let base = Self.manifest(
            Self.plugins(Self.entry("a"), Self.entry("txt")),
            #""hosts": { "a.example": { \#(Self.plugins(Self.entry("own"))) } }"#)
        let failure = try #require(throws: ManifestFailure.self) {
            try SerializerRegistry.fixture(base, overlays: [Self.manifest(test.overlay)])
        }
        #expect(
            failure.description.split(separator: "\n").map(String.init)
                == test.lines.map { "overlay1.json:1: \($0)" })
    }

    // MARK: Against a naive model

    /// A list and what layers do to it, by removing and inserting one id after the other.
    struct Model {
        var ids: [String] = []

        /// False where the places undo the order.
        mutating func lay(new: [String], order: [String], places: [(id: String, place: String, anchor: String)]) -> Bool
        {
            ids = new + ids
            let positions = ids.indices.filter { order.contains(ids[$0]) }
            for (position, id) in zip(positions, order) { ids[position] = id }
            ids.removeAll { id in places.contains { $0.id == id } }
            for place in places.reversed() where place.place == "first" { ids.insert(place.id, at: 0) }
            for place in places where place.place == "last" { ids.append(place.id) }
            // A place is relative to one that is in the list already, level by level.
            var todo = places.filter { !$0.anchor.isEmpty }
            while !todo.isEmpty {
                let ready = todo.filter { ids.contains($0.anchor) }
                todo.removeAll { ids.contains($0.anchor) }
                for place in ready where place.place == "before" {
                    ids.insert(place.id, at: ids.firstIndex(of: place.anchor) ?? 0)
                }
                for place in ready.reversed() where place.place == "after" {
                    ids.insert(place.id, at: (ids.firstIndex(of: place.anchor) ?? 0) + 1)
                }
            }
            return order.compactMap { ids.firstIndex(of: $0) } == order.compactMap { ids.firstIndex(of: $0) }.sorted()
        }
    }

    @Test("a random sequence of layers gives what a naive model gives", arguments: UInt64(0)..<100)
    func model(_ seed: UInt64) throws {
        var generator = RouteTableOracleTests.Generator(state: seed)
        var models = ["": Model(), "a.example": Model()]
        var layers: [String] = []
        for layer in 0..<8 {
            let host = Bool.random(using: &generator) ? "" : "a.example"
            var model = try #require(models[host])
            let new = (0..<Int.random(in: 0...3, using: &generator)).map { "\(host.prefix(1))e\(layer)-\($0)" }
            let all = new + model.ids
            let order = Array(all.shuffled(using: &generator).prefix(Int.random(in: 0...3, using: &generator)))
            // What an entry is relative to is not placed, or placed after it in this loop, so that there is no circle.
            var places: [(id: String, place: String, anchor: String)] = []
            var anchors = all.shuffled(using: &generator)
            for _ in 0..<min(Int.random(in: 0...4, using: &generator), max(0, anchors.count - 1)) {
                let id = anchors.removeLast()
                let place = ["first", "last", "before", "after"].randomElement(using: &generator) ?? "first"
                let isRelative = ["before", "after"].contains(place)
                let anchor = isRelative ? anchors.randomElement(using: &generator) ?? "" : ""
                places.append((id, place, anchor))
            }
            // A manifest names its entries in some order, which is that of the new ones and of those with one place.
            let named = (new + places.map(\.id).filter { !new.contains($0) }).shuffled(using: &generator)
            places.sort { (named.firstIndex(of: $0.id) ?? 0) < (named.firstIndex(of: $1.id) ?? 0) }
            let agrees = model.lay(new: named.filter(new.contains), order: order, places: places)
            let entries = named.map { id -> String in
                guard let place = places.first(where: { $0.id == id }) else { return Self.entry(id) }
                let text = place.anchor.isEmpty ? "\"\(place.place)\"" : #"{ "\#(place.place)": "\#(place.anchor)" }"#
                return new.contains(id) ? Self.placed(id, text) : Self.moved(id, text)
            }
            let owner =
                #""plugins": [\#(entries.joined(separator: ", "))], "order": [\#(order.map { "\"\($0)\"" }.joined(separator: ", "))]"#
            let text = Self.manifest(host.isEmpty ? owner : #""hosts": { "\#(host)": { \#(owner) } }"#)
            let stack = layers + [text]
            guard agrees else {
                let failure = try #require(throws: ManifestFailure.self) {
                    try SerializerRegistry.fixture(stack[0], overlays: Array(stack.dropFirst()))
                }
                #expect(failure.issues.map(\.kind) == [.circularPlaces])
                continue
            }
            models[host] = model
            layers = stack
            let registry = try SerializerRegistry.fixture(layers[0], overlays: Array(layers.dropFirst()))
            let global = try #require(models[""]).ids
            #expect(registry.routes(host: nil).map(\.id) == global)
            #expect(
                registry.routes(host: CanonicalHost("a.example")).map(\.id) == (models["a.example"]?.ids ?? []) + global
            )
            let printed = try SerializerRegistry.fixture(registry.effectiveManifest.serialized())
            #expect(printed.digest == registry.digest)
        }
        #expect(!layers.isEmpty)
    }

    // MARK: An order that has no effect

    @Test(
        "entries that are there, named in another order, are noted with both orders, unless the manifest says where they go",
        arguments: [
            (plugins(moved("c", "x"), moved("a", "x")), "c, a", "a, c"),
            (plugins(moved("d", "x"), entry("n"), moved("a", "x"), moved("b", "x")), "d, a, b", "a, b, d"),
            (plugins(moved("a", "x"), moved("c", "x")), nil, nil), (plugins(moved("c", "x")), nil, nil),
            (plugins(moved("c", "x"), moved("a", "x")) + #", "inherit": true"#, nil, nil),
            (plugins(moved("c", "x"), moved("a", "x")) + #", "order": ["c", "a"]"#, nil, nil),
            (plugins(moved("c", #""first""#), moved("a", "x")), nil, nil),
        ] as [(String, String?, String?)])
    func ineffective(_ overlay: String, _ named: String?, _ standing: String?) throws {
        // "x" stands for no place at all.
        let overlay = overlay.replacing(#", "place": x"#, with: "")
        let registry = try SerializerRegistry.fixture(Self.manifest(Self.list), overlays: [Self.manifest(overlay)])
        let warnings = registry.notes.filter(\.isWarning)
        guard let named, let standing else {
            #expect(warnings == [])
            return
        }
        #expect(
            warnings.map(\.text) == [
                "overlay1.json: /plugins: the list names \(named) in this order, and they stay in the order \(standing); "
                    + #"list them in the order of the table to end the warning; "order" changes that order, "place" moves one, and "inherit": false at the top level makes the manifest the whole table"#
            ])
        #expect(warnings.map(\.line) == [1])
    }

    @Test(
        "an order that moves nothing is noted, whatever a place then moves",
        arguments: [
            (#""order": ["c"]"#, "", "it has one id"),
            (#""order": ["a", "c"]"#, "", "these entries have this order already"),
            (#""order": ["n", "a"], \#(plugins(entry("n")))"#, "", "these entries have this order already"),
            (
                #""order": ["a", "c"], \#(plugins(moved("b", #""first""#)))"#, "",
                "these entries have this order already"
            ),
            (
                #""hosts": { "a.example": { "order": ["own"], \#(plugins(entry("own"))) } }"#, "/hosts/a.example",
                "it has one id"
            ),
            (#""order": ["c", "a"]"#, "", nil), (#""order": []"#, "", nil),
        ] as [(String, String, String?)])
    func idle(_ overlay: String, _ owner: String, _ reason: String?) throws {
        let registry = try SerializerRegistry.fixture(Self.manifest(Self.list), overlays: [Self.manifest(overlay)])
        let notes = registry.notes.filter { $0.kind == .ineffectiveOrder }
        let expected = reason.map {
            "overlay1.json:1: \(owner)/order: the order moves nothing: \($0); \"place\" moves one entry past others"
        }
        #expect(notes.map(\.description) == [expected].compactMap(\.self))
    }
}
