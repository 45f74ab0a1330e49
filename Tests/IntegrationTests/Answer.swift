import Patchbay
import Testing

/// One path of httpbin, the entry that serializes what it answers, and what must be true of the value.
struct Answer: Sendable, CustomTestStringConvertible {
    let path: String
    let entry: String?
    let isRight: @Sendable (any Sendable) -> Bool

    init(_ path: String, entry: String?, isRight: @escaping @Sendable (any Sendable) -> Bool) {
        self.path = path
        self.entry = entry
        self.isRight = isRight
    }

    /// A JSON answer with this value at this place.
    static func json(_ path: String, _ pointer: String, _ expected: JSON) -> Answer {
        Answer(path, entry: "json") { ($0 as? JSON)?.pointer(pointer) == expected }
    }

    /// A text answer with this part.
    static func text(_ path: String, containing part: String) -> Answer {
        Answer(path, entry: "text") { ($0 as? String)?.contains(part) == true }
    }

    /// Bytes that no entry serializes.
    static func raw(_ path: String, isRight: @escaping @Sendable (ResponseBody) -> Bool) -> Answer {
        Answer(path, entry: nil) { ($0 as? ResponseBody).map(isRight) == true }
    }

    var testDescription: String { path }
}
