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
    return (type as? any KnownEmpty.Type).flatMap { $0.ofNoBytes as? Value }
}

/// Types to which the library gives a value for an empty body.
private protocol KnownEmpty {
    static var ofNoBytes: Self { get }
}

extension Data: KnownEmpty { fileprivate static var ofNoBytes: Data { Data() } }
extension String: KnownEmpty { fileprivate static var ofNoBytes: String { "" } }
extension Array: KnownEmpty where Element == UInt8 { fileprivate static var ofNoBytes: [UInt8] { [] } }
extension ResponseBody: KnownEmpty { fileprivate static var ofNoBytes: ResponseBody { .empty } }
extension JSON: KnownEmpty { fileprivate static var ofNoBytes: JSON { .null } }
