import PatchbayPlatform
import PatchbayRegistry

/// An option that is one of a few words; any other is refused with all of them named.
struct Choice<Value: RawRepresentable & CaseIterable & Sendable>: Decodable, Sendable where Value.RawValue == String {
    let value: Value

    init(from decoder: any Decoder) throws {
        let word = try decoder.singleValueContainer().decode(String.self)
        guard let value = Value(rawValue: word) else {
            let words = Value.allCases.map(\.rawValue)
            let list = words.map { "\"\($0)\"" }.joined(separator: ", ")
            let guess = Spelling.nearest(to: word, in: words).map { "; did you mean \"\($0)\"?" } ?? ""
            throw InvalidOption(decoder.codingPath.last?.stringValue ?? "", "must be one of \(list)\(guess)")
        }
        self.value = value
    }
}
