import PatchbayJSON
import PatchbayPlatform

/// A type with a value for an empty body. A typed call returns this value if no bytes were received.
///
/// The library has such values for some types: empty `Data`, `[UInt8]`, `String` and `ResponseBody`, `JSON` null, and
/// nil for an optional.
public protocol EmptyRepresentable {
    /// The value for an empty body.
    static var emptyValue: Self { get }
}

/// The value of a type for an empty body; nil if the type has no such value.
package func emptyValue<Value: Sendable>(of type: Value.Type) -> Value? {
    if let type = type as? any EmptyRepresentable.Type { return type.emptyValue as? Value }
    // A cast would make `.some(nil)` of the nil of a nested optional.
    func known<Known: KnownEmpty>(_ known: Known.Type) -> Value? {
        Known.self == Value.self ? unsafeBitCast(known.ofNoBytes, to: Value.self) : nil
    }
    return (type as? any KnownEmpty.Type).flatMap { known($0) }
}

package func isOptional(_ type: Any.Type) -> Bool { type is any AnyOptional.Type }

/// The type that an optional wraps; nil for other types.
func wrappedType(of type: any Sendable.Type) -> (any Sendable.Type)? { (type as? any AnyOptional.Type)?.wrapped }

private protocol AnyOptional {
    static var wrapped: any Sendable.Type { get }
}

extension Optional: AnyOptional {
    // `Sendable` has no witness table, so the metatypes have the same layout. An optional is only sendable if the type
    // that it wraps is.
    fileprivate static var wrapped: any Sendable.Type {
        unsafeBitCast(Wrapped.self as Any.Type, to: (any Sendable.Type).self)
    }
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
extension Optional: KnownEmpty { fileprivate static var ofNoBytes: Wrapped? { nil } }
