import CPatchbayLibxml2

/// libxml2, which is loaded when an XML entry is considered about a response for the first time.
enum Libxml2 {
    /// The reason that no document can be read; nil if libxml2 is loaded.
    static var gap: String? { patchbay_xml_load() ? nil : missing }

    static let missing = "libxml2.so.2 is missing: install libxml2"
}
