import PatchbayJSON
import PatchbayPlatform

/// A type with a value for an empty body. A typed call returns this value if no bytes were received.
///
/// The library has such values for some types: empty `Data`, `[UInt8]`, `String` and `ResponseBody`, and `JSON` null. An
/// optional has the value of the type that it wraps, or else nil.
public protocol EmptyRepresentable {
    /// The value for an empty body.
    static var emptyValue: Self { get }
}

/// The value of a type for an empty body; nil if the type has no such value.
package func emptyValue<Value: Sendable>(of type: Value.Type) -> Value? {
    func inside<Wrapped: Sendable>(_ wrapped: Wrapped.Type) -> Value? {
        emptyValue(of: wrapped).flatMap { $0 as? Value } ?? nilValue(of: type)
    }
    if let wrapped = wrappedType(of: type) { return inside(wrapped) }
    if let type = type as? any EmptyRepresentable.Type { return type.emptyValue as? Value }
    // Compared by type: a cast makes any array of an empty one.
    let known: [any Sendable] = [Data(), "", [UInt8](), ResponseBody.empty, JSON.null]
    return known.first { Swift.type(of: $0) == Value.self } as? Value
}
