import CPatchbayLibxml2

/// libxml2, which is loaded at the first look-up of a response that an XML entry takes.
enum Libxml2 {
    /// The reason that no document can be read; nil if libxml2 is there.
    static var gap: String? { patchbay_xml_load() ? nil : missing }

    static let missing = "libxml2.so.2 is missing: install libxml2"
}
