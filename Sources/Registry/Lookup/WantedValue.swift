#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What a call wants of the response: whatever the registry chooses, or a value of one type.
public struct WantedValue: Sendable {
    enum Kind: Sendable {
        /// A dynamic call: the first entry that covers the response.
        case anything
        /// The body as it is; no entry is asked.
        case bytes
        /// An entry whose output is `String`, else the text of the body.
        case text
        /// An entry that can make the type.
        case value
    }

    let kind: Kind
    /// The type asked for; nil for anything.
    package let type: (any Sendable.Type)?
    /// The same type, where a decoding serializer could make it.
    let decodable: (any (Decodable & Sendable).Type)?

    /// Whatever the chosen entry makes.
    public static let anything = WantedValue(kind: .anything, type: nil, decodable: nil)

    /// A value of this type.
    ///
    /// `Data`, `[UInt8]` and `ResponseBody` are always the bytes of the body. `String` comes from an entry whose output it is,
    /// else from the bytes. Any other type comes from an entry whose output it is, or from a decoding one if it is `Decodable`.
    public static func type<Value: Sendable>(_ type: Value.Type) -> WantedValue {
        if type == Data.self || type == [UInt8].self || type == ResponseBody.self {
            return WantedValue(kind: .bytes, type: type, decodable: nil)
        }
        if type == String.self { return WantedValue(kind: .text, type: type, decodable: nil) }
        return WantedValue(kind: .value, type: type, decodable: type as? any (Decodable & Sendable).Type)
    }

    /// The output of one serializer, which is asked even where the type is that of bytes or text.
    static func output<Value: Sendable>(_ type: Value.Type) -> WantedValue {
        WantedValue(kind: .value, type: type, decodable: nil)
    }

    /// Whether a serializer can make it, or can unwrap what it is made of.
    func canCome(from serializer: BoundSerializer) -> Bool {
        switch kind {
        case .text where serializer.unwrapping != nil, .value where serializer.unwrapping != nil: true
        case .anything: true
        case .bytes: false
        case .text: serializer.output == String.self
        case .value: serializer.output == type || (serializer.decoding != nil && decodable != nil)
        }
    }

    func isSame(as type: any Sendable.Type) -> Bool { self.type == type }
}

extension WantedValue: CustomStringConvertible {
    /// The name of the type, or "any value".
    public var description: String { type.map { "\($0)" } ?? "any value" }
}
