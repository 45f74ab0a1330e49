import PatchbayRegistry
import Testing

/// Every code point up to U+00FF inside a host, and hosts that are nearly equal.
@Suite struct HostBytesTests {
    private static let forbidden = Set("#/:<>?@[\\]^|% \u{7F}".unicodeScalars)

    @Test func everyByteOfAName() {
        for value in UInt8.min...0x7F {
            let scalar = Unicode.Scalar(value)
            let host = CanonicalHost("a\(Character(scalar))b.example")
            if value < 0x20 || Self.forbidden.contains(scalar) {
                #expect(host == nil, "byte \(value)")
            } else {
                #expect(host?.name == FieldByte.lowercased("a\(Character(scalar))b.example"), "byte \(value)")
            }
        }
    }

    @Test func everyByteOfAPattern() {
        let allowed = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.".unicodeScalars)
        for value in UInt8.min...0x7F {
            let scalar = Unicode.Scalar(value)
            let pattern = try? HostPattern(pattern: "a\(Character(scalar))b.example")
            #expect((pattern != nil) == allowed.contains(scalar), "byte \(value)")
        }
    }

    @Test func everyLetterBeyondASCII() {
        // Controls, blanks, and marks that compatibility makes a blank of.
        let refused = Set(Array(0x80...0xA0) + [0xA8, 0xAF, 0xB4, 0xB8] as [UInt8])
        // What compatibility makes ASCII of, and the soft hyphen, which goes.
        let ascii: [UInt8: String] = [0xAA: "a", 0xAD: "", 0xB2: "2", 0xB3: "3", 0xB9: "1", 0xBA: "o"]
        for value in UInt8(0x80)...0xFF {
            let name = CanonicalHost("a\(Character(Unicode.Scalar(value)))b.example")?.name
            if let form = ascii[value] {
                #expect(name == "a\(form)b.example")
                continue
            }
            // The halves of a fraction stand on either side of a slash of their own.
            let isName = name.map { $0.hasPrefix("xn--a") && $0.utf8.allSatisfy { $0 < 0x80 } }
            #expect(isName == (refused.contains(value) ? nil : true), "U+\(String(value, radix: 16))")
        }
    }

    /// A pattern that is written the way a canonical host prints is that host's pattern.
    @Test(arguments: [
        "example.com", "EXAMPLE.com.:8080", "127.0.0.1", "[2001:DB8::0:1]:8443", "bücher.example:81", "localhost",
        "a_b.c-d:1",
    ])
    func patternOfAHost(_ authority: String) throws {
        let host = try #require(CanonicalHost(authority))
        let pattern = try HostPattern(pattern: host.description)
        #expect(pattern.canonical == host.description)
        #expect(pattern.matches(host))
        #expect((pattern.port != nil) == (host.port != nil))
    }

    /// Of the patterns that match, the most specific is the one that the design names.
    @Test(
        arguments: [
            ("a.b.example.com", "a.b.example.com"), ("a.b.example.com:8080", "a.b.example.com:8080"),
            ("x.b.example.com", "*.b.example.com"), ("x.example.com", "*.example.com"),
            ("x.example.com:8080", "*.example.com:8080"), ("x.b.example.com:8080", "*.b.example.com"),
            ("b.example.com", "*.example.com"), ("example.com", "*.com"), ("example.org", nil),
        ] as [(String, String?)])
    func mostSpecific(_ authority: String, _ expected: String?) throws {
        let patterns = try [
            "*.com", "*.example.com", "*.example.com:8080", "*.b.example.com", "a.b.example.com",
            "a.b.example.com:8080",
        ].map { try HostPattern(pattern: $0) }
        let host = try #require(CanonicalHost(authority))
        for order in [patterns, patterns.reversed()] {
            let best = order.filter { $0.matches(host) }.max { $0.specificity < $1.specificity }
            #expect(best?.canonical == expected)
        }
    }
}
