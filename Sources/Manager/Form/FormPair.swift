import PatchbayPlatform

/// One name of a form and its value, before they are escaped.
struct FormPair {
    enum Value {
        /// The name stands alone.
        case none
        case text(String)
        /// Bytes, which are Base64 wherever a text is needed.
        case bytes(Data)
    }

    let name: String
    let value: Value

    /// The bytes that stand for the value where nothing need be escaped.
    var data: Data {
        switch value {
        case .none: Data()
        case .text(let text): Data(text.utf8)
        case .bytes(let bytes): bytes
        }
    }

    func text(_ escape: FormEscape) -> String {
        switch value {
        case .none: escape(name)
        case .text(let text): escape(name) + "=" + escape(text)
        case .bytes(let bytes): escape(name) + "=" + escape(bytes.base64EncodedString())
        }
    }
}
