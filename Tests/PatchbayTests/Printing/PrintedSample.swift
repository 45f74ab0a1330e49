import Foundation
import Patchbay
import TestSupport

/// A value of a public type with a secret in every place that can hold one, and how the value is written.
struct PrintedSample: Sendable {
    static let secret = "hush"
    /// User information, a segment that looks like a token, query and fragment.
    static let url = "http://ada:hush@origin.test:8080/users/hush0123456789abcdefghij?page=hush&hush#hush"
    static let fields: HeaderFields = [
        "Content-Type": "text/plain", "Authorization": "Bearer hush", "Cookie": "id=hush", "X-Anything": "hush",
    ]

    let type: String
    let value: any Sendable
    /// Nil where reflection writes it: such a value is only looked through for the secret.
    let text: String?

    init(_ type: String, _ value: any Sendable, _ text: String?) {
        self.type = type
        self.value = value
        self.text = text
    }

    /// Everything that prints, of the value alone and inside of others.
    var renderings: [String: String] {
        func renderings(of value: some Sendable) -> [String: String] {
            let inside: [String: Any] = ["array": [value], "optional": Optional(value) as Any, "tuple": (1, value)]
            var texts = ["print": "\(value)", "String(describing:)": String(describing: value)]
            texts["String(reflecting:)"] = String(reflecting: value)
            texts["debugPrint"] = ""
            debugPrint(value, to: &texts["debugPrint", default: ""])
            texts["dump"] = ""
            dump(value, to: &texts["dump", default: ""])
            for (name, container) in inside {
                texts["in \(name)"] = "\(container)" + String(reflecting: container)
                dump(container, to: &texts["in \(name)", default: ""])
            }
            return texts
        }
        return renderings(of: value)
    }
}
