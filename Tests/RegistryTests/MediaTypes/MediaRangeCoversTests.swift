import PatchbayRegistry
import Testing

@Suite struct MediaRangeCoversTests {
    @Test(arguments: [
        ("*/*", ["a/b", "text/*", "+json", "text/*+xml", "@json", "@scriptable", "*/*", "*/*;x=1", "a/b;x=1"]),
        ("text/*", ["text/plain", "text/*", "text/*+xml", "text/x+json", "@html", "text/plain;a=b"]),
        ("+json", ["a/b+json", "application/*+json", "+json", "+json;x=1"]),
        ("text/*+xml", ["text/a+xml", "text/*+xml"]),
        ("application/*", ["@archive", "application/*+json"]),
        ("image/*", ["@image", "image/svg+xml"]),
        ("@image", ["image/*", "image/png", "image/*+xml"]),
        ("@json", ["application/json", "text/json", "+json", "a/b+json", "x/*+json", "@json"]),
        ("@xml", ["text/xml", "+xml", "image/svg+xml", "image/*+xml"]),
        ("@scriptable", ["@xml", "@html", "text/html", "application/pdf", "+xml"]),
        ("@zip-based", ["application/zip", "+zip", "application/epub+zip"]),
        ("@audio-or-video", ["audio/*", "video/mp4", "application/ogg"]),
        ("text/html", ["@html"]),
        ("@html", ["text/html"]),
        ("a/b;x=1", ["a/b;x=1", "a/b;y=2;x=1"]),
        ("a/b;charset=UTF-8", ["a/b;charset=utf-8"]),
        ("text/*;x=1", ["text/plain;x=1", "@html;x=1"]),
    ])
    func covered(_ range: String, _ others: [String]) throws {
        let range = try MediaRange(range)
        for other in others { #expect(range.covers(try MediaRange(other)), "\(range) covers \(other)") }
    }

    @Test(arguments: [
        ("text/*", ["*/*", "texts/a", "+json", "application/*+xml", "@json", "@xml", "@javascript", "@scriptable"]),
        ("+json", ["application/json", "@json", "application/*", "a/b+xml", "*/*", "text/*+xml"]),
        ("text/*+xml", ["text/*", "+xml", "text/xml", "image/svg+xml"]),
        ("a/b", ["a/*", "a/c", "*/*", "a/b+json"]),
        ("@json", ["@scriptable", "application/*", "text/javascript", "*/*"]),
        ("@archive", ["@zip-based", "application/*"]),
        ("@zip-based", ["@archive"]),
        ("@xml", ["@scriptable"]),
        ("application/*", ["@json", "@font"]),
        ("image/*", ["+xml"]),
        ("a/b;x=1", ["a/b", "a/b;x=2", "a/b;y=1", "a/*;x=1", "a/b;x=\"1 \""]),
        ("*/*;x=1", ["a/b", "*/*"]),
        ("a/b;charset=utf-8", ["a/b;charset=utf8", "a/b"]),
    ])
    func notCovered(_ range: String, _ others: [String]) throws {
        let range = try MediaRange(range)
        for other in others { #expect(!range.covers(try MediaRange(other)), "\(range) does not cover \(other)") }
    }

    @Test(arguments: [
        ("a group from its parts", ["+json", "text/json", "application/json"], ["@json"], true),
        ("a part is missing", ["+json", "text/json"], ["@json"], false),
        ("types of a group", ["audio/*", "video/*", "application/*"], ["@audio-or-video"], true),
        ("each of two", ["a/*", "b/*"], ["a/x", "b/y"], true),
        ("one of two", ["a/*"], ["a/x", "b/y"], false),
        ("a parameter on one part", ["+json;x=1", "text/json", "application/json"], ["@json"], false),
        ("parameters on all", ["+json", "text/json", "application/json"], ["@json;x=1"], true),
        ("nothing covers something", [], ["a/b"], false),
        ("something covers nothing", ["a/b"], [], true),
    ])
    func lists(_ name: String, _ ranges: [String], _ others: [String], _ expected: Bool) throws {
        let ranges = try ranges.map { try MediaRange($0) }
        let others = try others.map { try MediaRange($0) }
        #expect(ranges.covers(others) == expected, "\(name)")
    }

    /// Against a census of media types: where coverage is claimed no type may escape, and where it is not one must.
    @Test func agreesWithMatching() throws {
        let patterns =
            ["*/*", "text/*", "application/*", "image/*", "+json", "+xml", "+zip", "text/*+xml", "application/*+json"]
            + ["text/html", "application/json", "text/json", "application/zip", "application/pdf", "image/svg+xml"]
            + MediaTypeGroup.allCases.map { "@\($0.rawValue)" }
        let ranges = try (patterns + patterns.map { $0 + ";x=1" }).map { try MediaRange($0) }

        let essences = Set(
            MediaTypeGroup.allCases.flatMap(\.members).flatMap { kind -> [String] in
                if case .exact(let essence) = kind { [essence] } else { [] }
            }
        )
        .union(["image/svg+xml"])
        let suffixes = ["", "+json", "+xml", "+zip", "+other"]
        let types = ["text", "application", "image", "audio", "video", "font", "model"]
        let census = try (essences + types.flatMap { type in suffixes.map { "\(type)/something\($0)" } }).flatMap {
            essence in
            try ["", ";x=1", ";x=2"].map { try #require(MediaType(parsing: essence + $0)) }
        }

        for range in ranges {
            for other in ranges {
                let escapes = census.contains { other.matches($0) && !range.matches($0) }
                #expect(range.covers(other) == !escapes, "\(range) covers \(other)")
            }
        }
    }
}
