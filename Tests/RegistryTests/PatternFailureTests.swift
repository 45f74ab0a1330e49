import PatchbayRegistry
import Testing

@Suite struct PatternFailureTests {
    @Test func sentence() {
        #expect(PatternFailure("\"x\" is no status").description == "\"x\" is no status")
        #expect(
            PatternFailure("\"2xx\" is no status", suggestion: "2XX").description
                == "\"2xx\" is no status; did you mean \"2XX\"?")
    }

    /// A suggestion is something that can be written: it parses as the pattern that it stands for.
    @Test(arguments: ["", "*", "*+json", "jsn", "xlm", "text", "*/*+json", "+a+b", "@javscript", "@immage", "vidio"])
    func suggestedRangesAreRanges(_ pattern: String) throws {
        let error = try #require(throws: PatternFailure.self) { try MediaRange(pattern) }
        let suggestion = try #require(error.suggestion)
        #expect(throws: Never.self) { try MediaRange(suggestion) }
    }

    @Test(arguments: ["2xx", "4Xx", "503-500", "6XX", "999", "200-600"])
    func suggestedStatusesAreStatuses(_ notation: String) throws {
        let error = try #require(throws: PatternFailure.self) { try StatusRange(notation) }
        let suggestion = try #require(error.suggestion)
        #expect(throws: Never.self) { try StatusRange(suggestion) }
    }

    @Test(arguments: [
        "**.example.com", ".example.com", "*example.com", "https://example.com/a", "bücher.de", "*.bücher.de:80", "::1",
        "2001:db8::1",
    ])
    func suggestedHostsAreHosts(_ pattern: String) throws {
        let error = try #require(throws: PatternFailure.self) { try HostPattern(pattern: pattern) }
        let suggestion = try #require(error.suggestion)
        #expect(throws: Never.self) { try HostPattern(pattern: suggestion) }
    }

    /// Text of every sort is refused or read, and never ends the process.
    @Test(.timeLimit(.minutes(5))) func anyText() {
        let alphabet = Array("a*/+;=\"\\@.:-[]%2X\u{0}é😀 ,")
        var state = UInt64(42)
        var accepted = 0
        for round in 0..<20_000 {
            let text = String(
                (0..<round % 12).map { _ -> Character in
                    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                    return alphabet[Int(state >> 33) % alphabet.count]
                })
            if let range = try? MediaRange(text) {
                accepted += 1
                #expect((try? MediaRange(range.description)) == range)
            }
            if let host = try? HostPattern(pattern: text) {
                accepted += 1
                #expect((try? HostPattern(pattern: host.canonical)) == host)
            }
            if let status = try? StatusRange(text) {
                accepted += 1
                #expect((try? StatusRange(status.description)) == status)
            }
        }
        #expect(accepted > 100)
    }
}
