import PatchbayPlatform
import PatchbayRegistry

/// The texts and numbers that a value encodes before it throws. Keys are left out, because an error is allowed to name
/// them.
final class EncodedTexts: MemberEncoder, UnkeyedEncodingContainer, SingleValueEncodingContainer {
    private var texts: Set<String> = []
    let codingPath: [any CodingKey] = []
    let userInfo: [CodingUserInfoKey: Any] = [:]
    let count = 0

    init(of value: any Encodable) { try? encode(value) }

    /// Whether a sentence contains a text or a number, or twelve consecutive characters of it. Texts of fewer than four
    /// characters are ignored: a sentence can contain them by chance.
    func areQuoted(in sentences: some Sequence<String>) -> Bool {
        let sentences = sentences.map { $0.lowercased() }
        return texts.contains { text in
            guard text.count >= 4 else { return false }
            let characters = Array(text.lowercased())
            let length = min(12, characters.count)
            return (0...(characters.count - length)).contains { start in
                let piece = String(characters[start..<(start + length)])
                return sentences.contains { $0.contains(piece) }
            }
        }
    }

    func encode<Value: Encodable>(_ value: Value) throws {
        switch value {
        case let text as String: texts.insert(text)
        case is Bool: break
        case is any BinaryInteger, is any BinaryFloatingPoint: texts.insert(String("\(value)".drop { $0 == "-" }))
        default: try value.encode(to: self)
        }
    }

    func take(_ value: some Encodable) throws { try encode(value) }
    func encodeNil() {}
    func singleValueContainer() -> any SingleValueEncodingContainer { self }
    func unkeyedContainer() -> any UnkeyedEncodingContainer { self }
    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { self }
    func superEncoder() -> any Encoder { self }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        KeyedEncodingContainer(PassedMembers(to: self))
    }

    func nestedContainer<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        container(keyedBy: type)
    }
}
