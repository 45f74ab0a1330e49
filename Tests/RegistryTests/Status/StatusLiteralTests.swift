import PatchbayRegistry
import Testing

@Suite(.timeLimit(.minutes(5))) struct StatusLiteralTests {
    static let literals: [(set: StatusSet, notations: [String])] = [
        (404, ["404"]), ("2XX", ["2XX"]), ("500-503", ["500-503"]), ([200, 404], ["200", "404"]),
        (["2XX", 404], ["2XX", "404"]), (["200"], ["200"]), (200..<300, ["200-299"]), (200...299, ["200-299"]),
        (200...200, ["200"]), (100..<600, ["100-599"]),
        ([200..<300, 404, "500-503", 304...304], ["200-299", "404", "500-503", "304"]),
        ([[200, 201], 404], ["200", "201", "404"]),
    ]

    @Test("a literal is what its notation is", arguments: literals)
    func literal(_ set: StatusSet, _ notations: [String]) throws {
        #expect(set == (try StatusSet(notations)))
    }

    @Test("an optional takes a literal too")
    func optional() {
        let sets: [StatusSet?] = [200..<300, [200, 404], "2XX", 304, nil]
        #expect(sets.compactMap { $0?.description } == ["2XX", "200, 404", "2XX", "304"])
    }

    @Test("a range that is not asked to be a set stays a range")
    func ranges() {
        let half = 200..<300
        let closed = 200...299
        #expect(half == Range(closed))
        #expect((200..<300).count == 100)
        #expect(Array(1...3) == [1, 2, 3])
    }

    @Test("ranges that are known at run time")
    func variables() throws {
        let (low, high) = (200, 300)
        #expect(try StatusSet(low..<high) == 200..<300)
        #expect(try StatusSet(low...high) == 200...300)
        let refused = [0..<200, 200..<200, 99..<200, 200..<1001, Int.min..<Int.min, Int.min..<Int.max]
        for range in refused { #expect(throws: PatternFailure.self) { try StatusSet(range) } }
        for range in [0...200, 200...600, 999...1000, Int.min...Int.max] {
            #expect(throws: PatternFailure.self) { try StatusSet(range) }
        }
        #expect(throws: PatternFailure("the range \"200..<200\" is empty")) { try StatusSet(200..<200) }
        #expect(
            throws: PatternFailure(
                "\"200-600\" is beyond 599; statuses of 600 and above count as 5XX", suggestion: "5XX")
        ) {
            try StatusSet(200...600)
        }
    }

    @Test("an array of notations still goes through the initialiser that throws")
    func notations() {
        #expect(throws: PatternFailure.self) { try StatusSet(["200", "abc"]) }
        #expect(throws: PatternFailure.self) { try StatusSet([]) }
    }

    static let wrong: [(sentence: String, make: @Sendable () -> StatusSet)] = [
        (#""abc" is no status; write "200", "2XX" or "500-503""#, { ["abc"] }),
        (#""2xx" is no status; did you mean "2XX"?"#, { "2xx" }),
        (#""99" is no status"#, { [200, 99] }),
        (#""1000" is no status"#, { 1000 }),
        (#""600" is beyond 599"#, { 600 }),
        ("an empty list of statuses matches no response", { [] }),
        (#"the range "300-199" is empty"#, { 300..<200 }),
    ]

    @Test("a literal that is no status ends the program, with the sentence", arguments: wrong.indices)
    func refused(_ index: Int) async throws {
        let run = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [index] in
            _ = Self.wrong[index].make()
        }
        let printed = String(decoding: try #require(run).standardErrorContent, as: UTF8.self)
        #expect(printed.contains("a literal of StatusSet: " + Self.wrong[index].sentence))
    }
}
