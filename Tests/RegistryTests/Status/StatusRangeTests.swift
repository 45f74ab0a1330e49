import PatchbayRegistry
import Testing

@Suite struct StatusRangeTests {
    @Test(arguments: [
        ("200", 200, 200), ("100", 100, 100), ("599", 599, 599), ("1XX", 100, 199), ("2XX", 200, 299),
        ("3XX", 300, 399),
        ("4XX", 400, 499), ("5XX", 500, 999), ("500-503", 500, 503), ("100-599", 100, 599), ("404-404", 404, 404),
    ])
    func bounds(_ notation: String, _ lower: Int, _ upper: Int) throws {
        let range = try StatusRange(notation)
        #expect(range.lowerBound == lower)
        #expect(range.upperBound == upper)
        #expect(range.contains(lower) && range.contains(upper))
        #expect(!range.contains(lower - 1) && !range.contains(upper + 1))
    }

    @Test(arguments: [600, 700, 999])
    func sixHundredCountsAsFive(_ status: Int) throws {
        #expect(try StatusRange("5XX").contains(status))
        #expect(try !StatusRange("4XX").contains(status))
        #expect(try !StatusRange("500-599").contains(status))
    }

    @Test(arguments: [
        ("200", "200"), ("2XX", "2XX"), ("200-299", "2XX"), ("5XX", "5XX"), ("500-599", "500-599"), ("404-404", "404"),
        ("200-204", "200-204"), ("201-299", "201-299"),
    ])
    func canonicalSpelling(_ notation: String, _ expected: String) throws {
        #expect(try StatusRange(notation).description == expected)
        #expect(try StatusRange(expected) == StatusRange(notation))
    }

    @Test(arguments: [
        "", "2", "20", "2000", "099", "000", "0XX", "2X", "2XXX", "X00", "XXX", "20X", "2xX0", "+200", "-200", " 200",
        "200 ",
        "200-", "-", "200-299-300", "200 - 299", "200–299", "٢٠٠", "2ＸX", "abc", "200,201", "1e2", "0x1", "*",
        "default",
    ])
    func unreadable(_ notation: String) {
        #expect(throws: PatternFailure("\"\(notation)\" is no status; write \"200\", \"2XX\" or \"500-503\"")) {
            try StatusRange(notation)
        }
    }

    @Test(arguments: [
        ("4XX-5XX", #""4XX", "5XX""#), ("4xx-5xx", #""4XX", "5XX""#), ("1XX - 3XX", #""1XX", "2XX", "3XX""#),
        ("5**", #""5XX""#), ("5XX-4XX", #""200", "2XX" or "500-503""#), (">=500", #""5XX""#),
        (">= 400", #""4XX", "5XX""#),
        (">499", #""5XX""#), ("500+", #""5XX""#), (">=404", #""404-599""#), (">404", #""405-599""#),
        ("404+", #""404-599""#),
        (">=500+", #""200", "2XX" or "500-503""#), (">=600", #""200", "2XX" or "500-503""#),
    ])
    func meant(_ notation: String, _ advice: String) {
        #expect(throws: PatternFailure("\"\(notation)\" is no status; write \(advice)")) { try StatusRange(notation) }
    }

    @Test(arguments: [
        ("2xx", "\"2xx\" is no status", "2XX"),
        ("4Xx", "\"4Xx\" is no status", "4XX"),
        ("503-500", "the range \"503-500\" is empty", "500-503"),
        ("6XX", "\"6XX\" is beyond 599; statuses of 600 and above count as 5XX", "5XX"),
        ("9xx", "\"9xx\" is beyond 599; statuses of 600 and above count as 5XX", "5XX"),
        ("600", "\"600\" is beyond 599; statuses of 600 and above count as 5XX", "5XX"),
        ("500-999", "\"500-999\" is beyond 599; statuses of 600 and above count as 5XX", "5XX"),
    ])
    func refused(_ notation: String, _ reason: String, _ suggestion: String) {
        #expect(throws: PatternFailure(reason, suggestion: suggestion)) { try StatusRange(notation) }
    }

    @Test func lengthCap() {
        #expect(throws: PatternFailure("the pattern is 300 bytes long and 256 are allowed")) {
            try StatusRange(String(repeating: "2", count: 300))
        }
    }
}
