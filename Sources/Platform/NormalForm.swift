// FoundationEssentials has no function for normal forms and uses the `_Unicode` SPI of the standard library, as this
// file does. A toolchain without this SPI needs -DPATCHBAY_FOUNDATION_NORMAL_FORM, which uses the public function of
// Foundation.
#if canImport(FoundationEssentials) && !PATCHBAY_FOUNDATION_NORMAL_FORM
    @_spi(_Unicode) import Swift
#else
    import Foundation
#endif

/// Unicode's normalization form C (UAX 15): equivalent texts have the same scalars.
package enum NormalForm {
    package static func composed(_ text: String.UnicodeScalarView) -> [Unicode.Scalar] {
        #if canImport(FoundationEssentials) && !PATCHBAY_FOUNDATION_NORMAL_FORM
            Array(String(text)._nfc)
        #elseif canImport(FoundationEssentials)
            composed(text, by: \.precomposedStringWithCanonicalMapping)
        #else
            Array(String(text).precomposedStringWithCanonicalMapping.unicodeScalars)
        #endif
    }

    /// Composes with a function that is only right for scalars up to U+FFFF. Foundation's function on Linux (6.3.1)
    /// treats U+10041 like U+0041, so scalars above U+FFFF stay as they are.
    package static func composed(
        _ text: String.UnicodeScalarView, by compose: (String) -> String
    ) -> [Unicode.Scalar] {
        var result: [Unicode.Scalar] = []
        var run = String.UnicodeScalarView()
        for scalar in text {
            guard scalar.value > 0xFFFF else {
                run.append(scalar)
                continue
            }
            result += compose(String(run)).unicodeScalars
            run = String.UnicodeScalarView()
            result.append(scalar)
        }
        return result + compose(String(run)).unicodeScalars
    }
}
