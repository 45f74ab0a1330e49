import PatchbayJSON
import PatchbayPlatform

/// The value that a call wants from the response: any value, a value of one type, or elements one by one.
package struct WantedValue: Sendable {
    package enum Kind: Sendable {
        /// A dynamic call: the value of the first entry that covers the response.
        case anything
        /// The body, unchanged; no entry is considered.
        case bytes
        /// The value of an entry with the output type `String`, else the text of the body.
        case text
        /// The value of an entry that can make the type.
        case value
        /// The pieces of the body as they arrive; no entry is considered.
        case pieces
        /// The elements of an entry that yields `String`, else the value of an entry with the output type `String`,
        /// else the lines of the body's text.
        case lines
        /// The elements of an entry that yields the type, else the one value of an entry that can make the type.
        case elements
        /// The elements of the first entry that yields elements, else the value of the first entry that covers the
        /// response, else the pieces of the body.
        case anyElements
        /// The value of the first entry that covers the response. If only an entry for elements covers it, or if it is
        /// `text/event-stream`, its elements. The head decides: a decision wants either `anything` or `anyElements`.
        case valueOrElements
    }

    package let kind: Kind
    /// The type of the value or of the elements; nil for any type. Never an optional, unless one serializer makes it.
    package let type: (any Sendable.Type)?
    /// `type`, if a decoding serializer can make it; otherwise nil.
    let decodable: (any (Decodable & Sendable).Type)?
    /// The optional that the call wants, if `kind` and `type` describe the type that it wraps; otherwise nil.
    package private(set) var optionalType: (any Sendable.Type)?

    /// Any value: the value of the chosen entry.
    package static let anything = WantedValue(kind: .anything, type: nil, decodable: nil)

    /// Elements of any type.
    ///
    /// The elements come from the first entry that yields elements; the elements of `json` are `JSON`. If no entry
    /// yields elements, the value of the chosen entry is the only element. Without an entry, the elements are the
    /// pieces of the body, as `Data`.
    package static let anyElements = WantedValue(kind: .anyElements, type: nil, decodable: nil)

    /// Any value, or elements where only an entry for elements reads the response.
    package static let valueOrElements = WantedValue(kind: .valueOrElements, type: nil, decodable: nil)

    /// A value of this type.
    ///
    /// `(any Sendable).self` means the value of the chosen entry, whatever its type. `Void.self` means no value: no
    /// entry is considered. `Data`, `[UInt8]` and `ResponseBody` are always the bytes of the body. `String` comes from
    /// an entry with that output type, else from the bytes. Any other type comes from an entry with that output type
    /// or, if the type is `Decodable`, from a decoding entry. An array can also come from an entry that yields its
    /// elements.
    ///
    /// An optional is the value of the type that it wraps. It is nil for the statuses 204 and 304, for an empty body
    /// that makes no value of that type, and for null in JSON that an entry reads.
    package static func type<Value: Sendable>(_ type: Value.Type) -> WantedValue {
        if let wrapped = wrappedType(of: type) { return .optional(type, wrapped) { .type($0) } }
        if type == (any Sendable).self { return .anything }
        if isBytes(type) || type == Void.self { return WantedValue(kind: .bytes, type: type, decodable: nil) }
        if type == String.self { return WantedValue(kind: .text, type: type, decodable: nil) }
        return WantedValue(kind: .value, type: type, decodable: type as? any (Decodable & Sendable).Type)
    }

    /// Elements of this type, one by one.
    ///
    /// The elements come from the first entry that yields them: a `StreamingSerializer` of the type, an
    /// `ElementDecodingSerializer` if the type is `Decodable`, or a serializer whose elements are `ResponsePart`s. Each
    /// part has a `Decision` of its own, by its media type. If no entry yields the type, the only element is the value
    /// of the entry that a call for the type itself would use. `Data`, `[UInt8]` and `ResponseBody` are always the
    /// pieces of the body. `String` comes from an entry that yields or makes strings, else the elements are the lines
    /// of the body. Optionals are the elements of the type that they wrap; null in JSON is nil.
    package static func elements<Element: Sendable>(of type: Element.Type) -> WantedValue {
        if let wrapped = wrappedType(of: type) { return .optional(type, wrapped) { .elements(of: $0) } }
        if type == (any Sendable).self { return .anyElements }
        if isBytes(type) { return WantedValue(kind: .pieces, type: type, decodable: nil) }
        if type == String.self { return WantedValue(kind: .lines, type: type, decodable: nil) }
        return WantedValue(kind: .elements, type: type, decodable: type as? any (Decodable & Sendable).Type)
    }

    /// The value that one serializer makes. Unlike `type(_:)`, this function never takes `Data` or `String` from the
    /// body without a serializer.
    static func output<Value: Sendable>(_ type: Value.Type) -> WantedValue {
        WantedValue(kind: .value, type: type, decodable: nil)
    }

    private static func isBytes<Value>(_ type: Value.Type) -> Bool {
        type == Data.self || type == [UInt8].self || type == ResponseBody.self
    }

    private static func optional(
        _ type: any Sendable.Type, _ wrapped: any Sendable.Type, _ make: (any Sendable.Type) -> WantedValue
    ) -> WantedValue {
        var wanted = make(wrapped)
        wanted.optionalType = type
        return wanted
    }

    /// Whether the call wants no value: only the status is checked.
    package var isNothing: Bool { type == Void.self && kind == .bytes }

    /// Whether a serializer can make the value or its elements, or can unwrap a body that possibly contains the value.
    func canCome(from serializer: BoundSerializer) -> Bool {
        switch kind {
        case .anything, .anyElements, .valueOrElements: true
        case .bytes, .pieces: false
        case .text: isAsked(serializer.output) || serializer.unwrapping != nil
        case .value: isMade(by: serializer) || serializer.unwrapping != nil || isListed(by: serializer)
        case .lines, .elements: isYielded(by: serializer) || isMade(by: serializer) || serializer.unwrapping != nil
        }
    }

    /// Whether a serializer makes one value of the type from a whole body.
    func isMade(by serializer: BoundSerializer) -> Bool {
        kind == .anyElements || isAsked(serializer.output) || (serializer.decoding != nil && decodable != nil)
    }

    /// Whether the call wants this type, or an optional of it.
    func isAsked(_ other: (any Sendable.Type)?) -> Bool {
        guard let other else { return false }
        return other == type || other == optionalType
    }

    /// Whether the call wants elements, not one value.
    package var isElements: Bool {
        switch kind {
        case .pieces, .lines, .elements, .anyElements: true
        case .anything, .bytes, .text, .value, .valueOrElements: false
        }
    }

    /// Whether the call wants elements, and a serializer yields such elements one by one.
    func isYielded(by serializer: BoundSerializer) -> Bool {
        switch kind {
        case .lines: isAsked(serializer.element) || serializer.lines != nil || serializer.givesParts
        case .elements:
            isAsked(serializer.element) || (serializer.elementDecoding != nil && decodable != nil)
                || serializer.givesParts
        // `serializer.lines` does not make a serializer qualify: every text has lines, so a text entry would take
        // precedence over a later entry that knows the format of the text.
        case .anyElements: serializer.element != nil || serializer.elementDecoding != nil || serializer.keepsBytes
        case .anything, .bytes, .text, .value, .pieces, .valueOrElements: false
        }
    }

    /// Whether the call wants an array, and a serializer yields its elements one by one: what can be an element can be
    /// in an array.
    private func isListed(by serializer: BoundSerializer) -> Bool {
        guard serializer.yields, let element = listElement else { return false }
        let wrapped = wrappedType(of: element) ?? element
        if serializer.givesParts || serializer.element == element || serializer.element == wrapped { return true }
        if wrapped == (any Sendable).self { return serializer.lines == nil }
        if serializer.lines != nil { return wrapped == String.self }
        return serializer.elementDecoding != nil && element is any Decodable.Type
    }

    /// The element type, if the call wants an array; nil for all other types.
    ///
    /// Finding the element type takes longer than a whole `Decision`, so test cheaper conditions before this property.
    var listElement: (any Sendable.Type)? {
        kind == .value ? (type as? any ListType.Type)?.element : nil
    }

    /// Whether the call wants elements or an array.
    var isOfElements: Bool { isElements || (kind == .value && type is any ListType.Type) }

    func isSame(as type: any Sendable.Type) -> Bool { (optionalType ?? self.type) == type && !isElements }

    // MARK: Nil

    /// The nil of the optional that the call wants; nil if the call wants no optional.
    var none: (any Sendable)? {
        func none<Value: Sendable>(_ type: Value.Type) -> (any Sendable)? {
            nilValue(of: type).map { $0 as any Sendable }
        }
        return optionalType.flatMap { none($0) }
    }

    /// The type to decode from a body: the optional itself if the body can be null, otherwise `decodable`.
    func decodable(from body: ResponseBody) -> (any (Decodable & Sendable).Type)? {
        guard let optionalType, decodable != nil, body.canBeNull else { return decodable }
        return optionalType as? any (Decodable & Sendable).Type
    }

    /// A value that was made, or nil if it is null and the call wants an optional.
    func orNil(_ value: any Sendable) -> any Sendable {
        guard optionalType != nil, let json = value as? JSON, json.isNull, let none else { return value }
        return none
    }
}

extension ResponseBody {
    /// Whether the body is the JSON `null`, or only white space.
    fileprivate var canBeNull: Bool {
        withUnsafeBytes { bytes in
            let text = bytes.withoutMark.drop(while: FieldByte.isWhitespace)
            return text.isEmpty
                || text.starts(with: "null".utf8) && text.dropFirst(4).allSatisfy(FieldByte.isWhitespace)
        }
    }
}

/// The words for a call in the log of the traffic, which are those of a comparison of two tables.
extension WantedValue {
    /// `any value`, `text`, `bytes`, the name of an output of the table, `Decodable`, `any other type`, and `array of` or
    /// `elements of` before such a word.
    package func word(in registry: SerializerRegistry) -> String {
        switch kind {
        case .anything, .valueOrElements: return "any value"
        case .bytes, .pieces: return "bytes"
        case .text: return "text"
        case .lines: return "elements of text"
        case .anyElements: return "elements of any type"
        case .value, .elements: break
        }
        let serializers = registry.compiled.sections.all.lazy.flatMap(\.table.entries).compactMap(\.serializer)
        let made = serializers.compactMap { [isElements ? $0.element : nil, $0.output].first(where: isAsked) ?? nil }
        let isList = type is any ListType.Type
        if let made = made.first { return (isElements ? "elements of " : "") + shownName(of: made) }
        return (isElements ? "elements of " : isList ? "array of " : "")
            + (decodable == nil ? "any other type" : "Decodable")
    }

    /// The name of the type; nil for any type.
    package var typeName: String? { (optionalType ?? type).map(shownName) }
}

/// An array type, which gives the type of its elements.
protocol ListType {
    static var element: any Sendable.Type { get }
}

extension Array: ListType {
    // An array is only sendable if its elements are.
    static var element: any Sendable.Type { sendableMetatype(Element.self) }
}

extension WantedValue: CustomStringConvertible {
    /// For example `JSON`, `elements of JSON`, `any value` and `elements of any type`.
    package var description: String {
        isElements ? "elements of \(typeName ?? "any type")" : typeName ?? "any value"
    }
}
