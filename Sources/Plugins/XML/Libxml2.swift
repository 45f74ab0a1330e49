import CPatchbayLibxml2

/// libxml2, which is loaded when a response is first looked up that an XML entry takes.
enum Libxml2 {
    /// Why no document can be read; nil where libxml2 is there.
    static var gap: String? { patchbay_xml_load() ? nil : missing }

    static let missing = "libxml2.so.2 is missing: install libxml2"
}
