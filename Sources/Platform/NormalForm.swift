#if canImport(FoundationEssentials)
    // The Essentials have no normal forms. They take them from here too.
    @_spi(_Unicode) import Swift
#endif

/// Unicode's normalization form C (UAX 15): what is the same text has the same scalars.
package enum NormalForm {
    package static func composed(_ text: String.UnicodeScalarView) -> [Unicode.Scalar] {
        #if canImport(FoundationEssentials)
            Array(String(text)._nfc)
        #else
            Array(String(text).precomposedStringWithCanonicalMapping.unicodeScalars)
        #endif
    }
}
