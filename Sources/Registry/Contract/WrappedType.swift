import PatchbayJSON

// A call for an optional wants the type that the optional wraps, through all its levels. Serializers never see the
// optional, except where a null of JSON is possible.

/// The type that an optional wraps, through all its levels; nil for other types.
package func wrappedType(of type: any Sendable.Type) -> (any Sendable.Type)? {
    guard let wrapped = (type as? any AnyOptional.Type)?.wrapped else { return nil }
    return wrappedType(of: wrapped) ?? wrapped
}

/// The name of a type, as Swift writes it: `User`, `[User]`, `User?`.
package func shownName(of type: any Sendable.Type) -> String {
    if let list = type as? any ListType.Type { return "[\(shownName(of: list.element))]" }
    return (type as? any AnyOptional.Type).map { shownName(of: $0.wrapped) + "?" } ?? "\(type)"
}

/// The nil of an optional type; nil for other types.
func nilValue<Value>(of type: Value.Type) -> Value? {
    // A cast would make `.some(nil)` of the nil of a nested optional.
    func known<Known: AnyOptional>(_ known: Known.Type) -> Value? {
        Known.self == Value.self ? unsafeBitCast(Known.none, to: Value.self) : nil
    }
    return (type as? any AnyOptional.Type).flatMap { known($0) }
}

/// A value as the type that a call wants: unchanged, or inside optionals, where a null of JSON is nil. Nil if the value
/// is of another type.
func converted<Value>(_ value: Any, to type: Value.Type) -> Value? {
    func opened<Kept>(_ value: Kept) -> Value? {
        if Kept.self == Value.self { return unsafeBitCast(value, to: Value.self) }
        if let json = value as? JSON, json.isNull, let none = nilValue(of: type) { return none }
        return value as? Value
    }
    return _openExistential(value, do: opened)
}

/// The value inside an optional, through all its levels; the value itself if it is no optional. Nil for nil.
package func unwrapped(_ value: any Encodable & Sendable) -> (any Encodable & Sendable)? {
    func inside<Wrapped: Encodable & Sendable>(_ type: Wrapped.Type) -> (any Encodable & Sendable)? {
        value as? Wrapped
    }
    guard let wrapped = wrappedType(of: Swift.type(of: value)) else { return value }
    return (wrapped as? any (Encodable & Sendable).Type).flatMap { inside($0) }
}

/// A metatype whose type is only inside another sendable type. `Sendable` has no witness table, so both metatypes have
/// the same layout.
func sendableMetatype(_ type: Any.Type) -> any Sendable.Type { unsafeBitCast(type, to: (any Sendable.Type).self) }

private protocol AnyOptional {
    static var wrapped: any Sendable.Type { get }
    static var none: Self { get }
}

extension Optional: AnyOptional {
    // An optional is only sendable if the type that it wraps is.
    fileprivate static var wrapped: any Sendable.Type { sendableMetatype(Wrapped.self) }
}
