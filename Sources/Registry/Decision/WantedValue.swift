import PatchbayPlatform

/// What a call wants of the response: whatever the registry chooses, a value of one type, or its elements one by one.
package struct WantedValue: Sendable {
    package enum Kind: Sendable {
        /// A dynamic call: the first entry that covers the response.
        case anything
        /// The body as it is; no entry is asked.
        case bytes
        /// An entry whose output is `String`, else the text of the body.
        case text
        /// An entry that can make the type.
        case value
        /// The body as it comes; no entry is asked.
        case pieces
        /// An entry that yields `String`, else one whose output it is, else the lines of the text of the body.
        case lines
        /// An entry that yields the type, else one that can make one value of it.
        case elements
        /// An entry that yields anything, else the first that covers the response, else the pieces of the body.
        case anyElements
    }

    package let kind: Kind
    /// The type asked for, or that of the elements; nil for anything.
    package let type: (any Sendable.Type)?
    /// The same type, where a decoding serializer could make it.
    let decodable: (any (Decodable & Sendable).Type)?

    /// Whatever the chosen entry makes.
    package static let anything = WantedValue(kind: .anything, type: nil, decodable: nil)

    /// The elements that the chosen entry yields, whatever they are.
    ///
    /// They come from the first entry that yields any, of `json` as `JSON`; where none does, one element is what the chosen entry makes, and
    /// without an entry they are the pieces of the body, as `Data`.
    package static let anyElements = WantedValue(kind: .anyElements, type: nil, decodable: nil)

    /// A value of this type.
    ///
    /// `(any Sendable).self` is whatever the chosen entry makes, and `Void.self` nothing: no entry is asked. `Data`, `[UInt8]` and
    /// `ResponseBody` are always the bytes of the body. `String` comes from an entry whose output it is, else from the bytes. Any other type comes from an entry whose output it is, or from a decoding one if it is `Decodable`; an
    /// array of a `Decodable` also from one that decodes elements.
    package static func type<Value: Sendable>(_ type: Value.Type) -> WantedValue {
        if type == (any Sendable).self { return .anything }
        if isBytes(type) || type == Void.self { return WantedValue(kind: .bytes, type: type, decodable: nil) }
        if type == String.self { return WantedValue(kind: .text, type: type, decodable: nil) }
        return WantedValue(kind: .value, type: type, decodable: type as? any (Decodable & Sendable).Type)
    }

    /// Elements of this type, one by one.
    ///
    /// They come from the first entry that yields them: a `StreamingSerializer` of the type, or an `ElementDecodingSerializer`
    /// if the type is `Decodable`, or one whose elements are a `ResponsePart`, of which each is looked up by its own media type. Where
    /// there is none, one element comes from the entry that a call of the type itself would turn to.
    /// `Data`, `[UInt8]` and `ResponseBody` are always the pieces of the body. `String` comes from an entry that yields or makes it,
    /// else it is the lines of the body.
    package static func elements<Element: Sendable>(of type: Element.Type) -> WantedValue {
        if type == (any Sendable).self { return .anyElements }
        if isBytes(type) { return WantedValue(kind: .pieces, type: type, decodable: nil) }
        if type == String.self { return WantedValue(kind: .lines, type: type, decodable: nil) }
        return WantedValue(kind: .elements, type: type, decodable: type as? any (Decodable & Sendable).Type)
    }

    /// The output of one serializer, which is asked even where the type is that of bytes or text.
    static func output<Value: Sendable>(_ type: Value.Type) -> WantedValue {
        WantedValue(kind: .value, type: type, decodable: nil)
    }

    private static func isBytes<Value>(_ type: Value.Type) -> Bool {
        type == Data.self || type == [UInt8].self || type == ResponseBody.self
    }

    /// Whether it is no value at all: the status is judged, and that is all.
    package var isNothing: Bool { type == Void.self && kind == .bytes }

    /// Whether a serializer can make it, or can unwrap what it is made of.
    func canCome(from serializer: BoundSerializer) -> Bool {
        switch kind {
        case .anything, .anyElements: true
        case .bytes, .pieces: false
        case .text: serializer.output == String.self || serializer.unwrapping != nil
        case .value:
            isMade(by: serializer) || serializer.unwrapping != nil
                || ((serializer.elementDecoding != nil || serializer.givesParts) && listElement != nil)
        case .lines, .elements: isYielded(by: serializer) || isMade(by: serializer) || serializer.unwrapping != nil
        }
    }

    /// Whether a serializer makes one value of the type of a whole body.
    func isMade(by serializer: BoundSerializer) -> Bool {
        kind == .anyElements || serializer.output == type || (serializer.decoding != nil && decodable != nil)
    }

    /// Whether it is elements, and not one value.
    var isElements: Bool {
        switch kind {
        case .pieces, .lines, .elements, .anyElements: true
        case .anything, .bytes, .text, .value: false
        }
    }

    /// Whether it is elements, and a serializer gives them one by one.
    func isYielded(by serializer: BoundSerializer) -> Bool {
        switch kind {
        case .lines: serializer.element == String.self || serializer.lines != nil || serializer.givesParts
        case .elements:
            serializer.element == type || (serializer.elementDecoding != nil && decodable != nil)
                || serializer.givesParts
        // Lines are there of every text, and so come behind what knows the format of one.
        case .anyElements: serializer.element != nil || serializer.elementDecoding != nil
        case .anything, .bytes, .text, .value, .pieces: false
        }
    }

    /// The type of the elements of the array that is wanted, where they could be decoded; nil for what is none.
    ///
    /// Asked of few entries, because finding out takes longer than a look-up.
    var listElement: (any (Decodable & Sendable).Type)? {
        kind == .value ? (type as? any ListType.Type)?.decodableElement : nil
    }

    /// Whether it is elements, or an array.
    var isOfElements: Bool { isElements || (kind == .value && type is any ListType.Type) }

    func isSame(as type: any Sendable.Type) -> Bool { self.type == type && !isElements }
}

/// An array, by the type of its elements.
private protocol ListType {
    static var decodableElement: (any (Decodable & Sendable).Type)? { get }
}

extension Array: ListType {
    fileprivate static var decodableElement: (any (Decodable & Sendable).Type)? {
        Element.self as? any (Decodable & Sendable).Type
    }
}

extension WantedValue: CustomStringConvertible {
    /// The name of the type, `elements of` it, or "any value" and "elements of any type".
    package var description: String {
        guard let type else { return isElements ? "elements of any type" : "any value" }
        return isElements ? "elements of \(type)" : "\(type)"
    }
}
