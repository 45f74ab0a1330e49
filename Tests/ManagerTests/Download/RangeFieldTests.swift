import PatchbayRegistry
import Testing

@testable import PatchbayManager

/// The header fields that ranges need, read.
@Suite struct RangeFieldTests {
    @Test(
        "Content-Range, RFC 9110, section 14.4",
        arguments: [
            ("bytes 0-0/1", 0, 0, Int?.some(1)), ("bytes 5-9/10", 5, 9, 10), ("BYTES 5-9/*", 5, 9, nil),
            ("bytes 5-9/9223372036854775807", 5, 9, .max),
        ])
    func contentRange(_ value: String, _ first: Int, _ last: Int, _ complete: Int?) throws {
        let range = try #require(ContentRange(["Content-Range": value]))
        #expect((range.first, range.last) == (first, last))
        #expect(range.complete == complete)
    }

    @Test(
        "what is no Content-Range",
        arguments: [
            "", "bytes", "bytes 5-9", "bytes 5-9/", "bytes -9/10", "bytes 5-/10", "bytes 9-5/10", "bytes 5-10/10",
            "bytes */10", "bytes +5-9/10", "bytes 5-9/9223372036854775808", "bytes 5-9-10/11", "bytes 5-9/10/11",
            "lines 5-9/10", "bytes 5-9/10 x", "bytes=5-9/10", "bytes 5-9/-10", "bytes \u{0665}-9/10",
        ])
    func noContentRange(_ value: String) {
        #expect(ContentRange(["Content-Range": value]) == nil)
    }

    @Test(
        "dates, RFC 9110, section 5.6.7",
        arguments: [
            ("Thu, 01 Jan 1970 00:00:00 GMT", 0), ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777),
            ("Tue, 29 Feb 2000 23:59:59 GMT", 951_868_799), ("Wed, 01 Mar 2000 00:00:00 GMT", 951_868_800),
            ("Fri, 31 Dec 1999 23:59:59 GMT", 946_684_799), ("Wed, 31 Dec 1969 23:59:59 GMT", -1),
            ("Mon, 01 Mar 2100 00:00:00 GMT", 4_107_542_400), ("Sat, 31 Dec 2016 23:59:60 GMT", 1_483_228_800),
            ("Wed, 31 Jan 2024 00:00:00 GMT", 1_706_659_200), ("Tue, 30 Apr 2024 00:00:00 GMT", 1_714_435_200),
        ])
    func dates(_ text: String, _ seconds: Int) {
        #expect(HTTPDate.seconds(text) == seconds)
    }

    @Test(
        "what is no date in that form",
        arguments: [
            "", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994", "Sun, 06 Nov 1994 08:49:37 UTC",
            "Sun, 06 Nov 1994 08:49:3x GMT", "Sun, 06 Xyz 1994 08:49:37 GMT", "Sun, -6 Nov 1994 08:49:37 GMT",
            "Sun, 06 Nov 1994 24:49:37 GMT", "Sun, 06 Nov 1994 99:49:37 GMT", "Sun, 06 Nov 1994 08:60:37 GMT",
            "Sun, 06 Nov 1994 08:49:61 GMT", "Sun, 00 Nov 1994 08:49:37 GMT", "Sun, 31 Nov 1994 08:49:37 GMT",
            "Sun, 99 Nov 1994 08:49:37 GMT", "Tue, 29 Feb 1994 08:49:37 GMT", "Thu, 29 Feb 2100 08:49:37 GMT",
            "Thu, 30 Feb 2024 08:49:37 GMT", "Sun, 6 Nov 1994 008:49:37 GMT", "Sun, 006 Nov 1994 08:49:7 GMT",
            "Sun, 06 Nov 1994 08:49:3:7GMT", "Sun, 06 Nov 1994 8:49:37:x GMT",
            "Sun, 06 Nov 1994 08:49:37 GMT ", "Sun, 06 Nov 19940 8:49:37 GMT", "Sun, 06 Nov 1994 08:49.37 GMT",
        ])
    func noDates(_ text: String) {
        #expect(HTTPDate.seconds(text) == nil)
    }

    @Test(
        "which ETags are strong, some without the quotes that they should have",
        arguments: [
            ("\"v1\"", true), ("\"\"", true), ("v1", true), ("\"W/\"", true), ("W/\"v1\"", false), ("W/v1", false),
            ("", false), ("\"", false), ("\"a b\"", false), ("\"a\"b\"", false), ("\"a", false), ("\"a\u{7F}\"", false),
        ])
    func entityTags(_ tag: String, _ isStrong: Bool) {
        #expect(((try? StrongValidator(["ETag": tag])) != nil) == isStrong)
    }

    @Test("two ETags are none")
    func twoTags() throws {
        var fields: HeaderFields = ["ETag": "\"v1\""]
        let validator = try StrongValidator(fields)
        #expect(validator.agrees(with: fields))
        fields.append("\"v1\"", for: "ETag")
        #expect(!validator.agrees(with: fields))
        #expect(throws: Refusal("its ETag is weak or malformed")) { try StrongValidator(fields) }
    }
}
