import PatchbayJSON
import PatchbayRegistry
import Testing

@Suite(.timeLimit(.minutes(5))) struct StatusLiteralTests {
    static let literals: [(set: StatusSet, notations: [String])] = [
        (404, ["404"]), ("2XX", ["2XX"]), ("500-503", ["500-503"]), ([200, 404], ["200", "404"]),
        (["2XX", 404], ["2XX", "404"]), (["200"], ["200"]),
        (["200-299", 404, "500-503"], ["200-299", "404", "500-503"]),
        ([[200, 201], 404], ["200", "201", "404"]),
    ]

    @Test("a literal is what its notation is", arguments: literals)
    func literal(_ set: StatusSet, _ notations: [String]) throws {
        #expect(set == (try StatusSet(notations: notations)))
    }

    @Test("an optional takes a literal too")
    func optional() {
        let sets: [StatusSet?] = ["2XX", [200, 404], "2XX", 304, nil]
        #expect(sets.compactMap { $0?.description } == ["2XX", "200, 404", "2XX", "304"])
    }

    @Test(
        "a range that is known at run time has the statuses in it that there are, those above 599 with 599",
        arguments: [
            200...200, 200...299, 200...300, 0...200, 500...598, 500...599, 200...600, 999...1000, Int.min...Int.max,
            0...99, 1000...2000,
        ])
    func range(_ range: ClosedRange<Int>) {
        let set = StatusSet(range)
        for status in 100...999 {
            #expect(set.contains(status) == (range.contains(status) || status > 599 && range.contains(599)))
        }
    }

    @Test("notations that are known at run time")
    func notations() throws {
        #expect(try StatusSet(parsing: ["2XX", "404"]) == ["2XX", 404])
        let error = try #require(throws: FormatFailure.self) { try StatusSet(parsing: ["2xx"]) }
        #expect(error.code == .malformed)
        #expect(error.description == #""2xx" is no status; did you mean "2XX"?"#)
        #expect(throws: FormatFailure.self) { try StatusSet(parsing: []) }
    }

    static let wrong: [(sentence: String, make: @Sendable () -> StatusSet)] = [
        (#""abc" is no status; write "200", "2XX" or "500-503""#, { ["abc"] }),
        (#""2xx" is no status; did you mean "2XX"?"#, { "2xx" }),
        (#""99" is no status"#, { [200, 99] }),
        (#""1000" is no status"#, { 1000 }),
        (#""600" is beyond 599"#, { 600 }),
        ("an empty list of statuses matches no response", { [] }),
        (#"the range "300-199" is empty"#, { "300-199" }),
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
