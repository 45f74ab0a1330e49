import PatchbayCodings
import PatchbayRegistry
import Testing

/// RFC 9110, section 8.6, and RFC 9112, section 6.3.
@Suite struct MessageFramingTests {
    @Test(
        "a length is digits and fits into an integer",
        arguments: [
            ("0", 0), ("00012", 12), ("9223372036854775807", Int.max), ("9223372036854775808", nil),
            ("99999999999999999999", nil), ("", nil), ("+1", nil), ("-1", nil), ("1 2", nil), ("0x1", nil), ("1.", nil),
            ("12, 12", 12), ("12,12,12", 12), ("12, 13", nil), ("\u{661}", nil),
        ] as [(String, Int?)])
    func lengths(_ value: String, _ expected: Int?) {
        let fields: HeaderFields = ["Content-Length": value]
        guard let expected else {
            #expect(throws: MessageFraming.Ambiguity.self) {
                try MessageFraming.length(fields, hasLength: true, hasTransferCoding: false)
            }
            return
        }
        #expect((try? MessageFraming.length(fields, hasLength: true, hasTransferCoding: false)) == expected)
    }
}
