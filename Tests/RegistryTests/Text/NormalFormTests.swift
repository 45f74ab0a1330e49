import Foundation
import PatchbayPlatform
import Testing

@Suite struct NormalFormTests {
    private static func fallback(_ text: String) -> [Unicode.Scalar] {
        NormalForm.composed(text.unicodeScalars, by: \.precomposedStringWithCanonicalMapping)
    }

    @Test("Foundation composes scalars up to U+FFFF as the standard library does, alone and beside others")
    func foundation() {
        var different: [String] = []
        for value in UInt32(0)...0xFFFF {
            // Foundation's tables are older than Unicode 17.
            guard let scalar = Unicode.Scalar(value), let age = scalar.properties.age, age.major < 17 else { continue }
            let text = String(scalar)
            for sample in [text, text + "\u{301}", "e" + text] {
                if NormalForm.composed(sample.unicodeScalars) != Self.fallback(sample) {
                    different.append(String(value, radix: 16))
                }
            }
        }
        #expect(different == [])
    }

    @Test("scalars above U+FFFF stay as they are, and the text around them is composed")
    func supplementary() {
        let text = "e\u{301}\u{10041}\u{301}e\u{301}"
        #expect(Self.fallback(text) == Array("\u{E9}\u{10041}\u{301}\u{E9}".unicodeScalars))
        #expect(NormalForm.composed(text.unicodeScalars) == Self.fallback(text))
    }
}
