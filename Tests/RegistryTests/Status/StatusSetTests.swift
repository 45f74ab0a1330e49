import PatchbayRegistry
import Testing

@Suite struct StatusSetTests {
    @Test(arguments: [
        (["2XX"], [200, 204, 299], [199, 300, 404]),
        (["204", "4XX", "500-503"], [204, 400, 499, 500, 503], [200, 203, 205, 504, 600]),
        (["5XX"], [500, 599, 600, 999], [499, 200]),
    ])
    func membership(_ notations: [String], _ inside: [Int], _ outside: [Int]) throws {
        let set = try StatusSet(notations: notations)
        for status in inside { #expect(set.contains(status), "\(status)") }
        for status in outside { #expect(!set.contains(status), "\(status)") }
    }

    @Test func namedSets() throws {
        for status in [0, 42, 100, 200, 404, 599, 600, 999, 1000] { #expect(StatusSet.any.contains(status)) }
        #expect(StatusSet.successful == (try StatusSet(notations: ["2XX"])))
        #expect(StatusSet.any.description == "any")
        #expect(StatusSet.successful.description == "2XX")
    }

    @Test func orderIsKept() throws {
        #expect(try StatusSet(notations: ["5XX", "204", "400-404"]).description == "5XX, 204, 400-404")
    }

    @Test(arguments: [
        ("itself", ["2XX"], ["2XX"], true),
        ("one of a class", ["2XX"], ["204"], true),
        ("a range of a class", ["4XX"], ["401-403"], true),
        ("a class is more than one", ["204"], ["2XX"], false),
        ("several", ["2XX", "404"], ["404", "200"], true),
        ("one is missing", ["2XX", "404"], ["404", "405"], false),
        ("across touching ranges", ["200-204", "205-299"], ["2XX"], true),
        ("across overlapping ranges", ["200-250", "230-299"], ["2XX"], true),
        ("a range inside another", ["2XX", "204"], ["200-299"], true),
        ("over a gap", ["200-204", "206-299"], ["2XX"], false),
        ("out of order", ["4XX", "3XX", "2XX"], ["250-450"], true),
        ("the classes are all there is", ["1XX", "2XX", "3XX", "4XX", "5XX"], ["any"], true),
        ("four classes are not", ["1XX", "2XX", "3XX", "4XX"], ["any"], false),
        ("any covers everything", ["any"], ["5XX", "100"], true),
        ("599 is not the end of 5XX", ["500-599"], ["5XX"], false),
    ])
    func coverage(_ name: String, _ set: [String], _ other: [String], _ expected: Bool) throws {
        #expect(try Self.set(set).covers(Self.set(other)) == expected, "\(name)")
    }

    /// The definition of coverage, status by status, for every pair of a mixed bag.
    @Test func agreesWithMembership() throws {
        let sets = try [
            ["2XX"], ["200"], ["200-250", "251-299"], ["4XX", "404"], ["100-599"], ["5XX"], ["any"], ["1XX", "2XX"],
        ]
        .map(Self.set)
        for set in sets {
            for other in sets {
                let escapes = (100...999).contains { other.contains($0) && !set.contains($0) }
                #expect(set.covers(other) == !escapes, "\(set) covers \(other)")
            }
        }
    }

    @Test func refused() {
        #expect(throws: PatternFailure("an empty list of statuses matches no response")) {
            try StatusSet(notations: [])
        }
        #expect(throws: PatternFailure("\"2xx\" is no status", suggestion: "2XX")) {
            try StatusSet(notations: ["200", "2xx"])
        }
    }

    private static func set(_ notations: [String]) throws -> StatusSet {
        notations == ["any"] ? .any : try StatusSet(notations: notations)
    }

    @Test("the ranges, in the order written")
    func ranges() throws {
        #expect(try StatusSet(notations: ["5XX", "204", "400-404"]).ranges == [500...999, 204...204, 400...404])
        #expect(StatusSet.any.ranges == [100...999])
    }
}
