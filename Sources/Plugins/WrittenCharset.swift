import PatchbayJSON
import PatchbayRegistry

extension MediaType {
    /// - Throws: `FormatFailure` where the type names another charset than UTF-8, by a label of the WHATWG Encoding Standard.
    func requireUTF8(_ format: String) throws(FormatFailure) {
        guard let label = self[parameter: "charset"], TextEncodingName(label: label) != .utf8 else { return }
        throw FormatFailure(format, .encoding, "it is written in UTF-8, and not in \(Quoted(label))")
    }
}
